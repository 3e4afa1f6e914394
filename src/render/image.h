/// A finished picture: 8-bit sRGB with straight alpha, top row first.
#ifndef PELTI_RENDER_IMAGE_H
#define PELTI_RENDER_IMAGE_H

#include "core/memory.h"

#include <stdint.h>

enum { PELTI_MAX_SIDE = 8192, PELTI_MAX_PIXELS = 1 << 24 };

typedef struct PeltiImage {
    int width, height;
    uint8_t *rgba; ///< [width x height x 4]
} PeltiImage;

/// PELT_BAD_ARGUMENT for sides outside 1..PELTI_MAX_SIDE or more pixels than PELTI_MAX_PIXELS. Nothing is allocated.
PeltStatus pelti_image_check(int width, int height, PeltError *err);
PeltStatus pelti_image_create(int width, int height, PeltiImage *out, PeltError *err); ///< transparent black
void pelti_image_release(PeltiImage *image);                                           ///< zeroed is fine

/// Encoders append to `out`, an array of bytes (element size 1).
PeltStatus pelti_png_encode(const PeltiImage *image, PeltiArray *out, PeltError *err); ///< RGB where no pixel is transparent
/// Lossy WebP of a still, quality 0..100.
PeltStatus pelti_webp_encode(const PeltiImage *image, float quality, PeltiArray *out, PeltError *err);

/// A moving WebP, frame by frame; endless loop.
typedef struct PeltiWebp PeltiWebp;
PeltStatus pelti_webp_begin(int width, int height, float quality, PeltiWebp **out, PeltError *err);
PeltStatus pelti_webp_add(PeltiWebp *webp, const PeltiImage *frame, double time_ms,
                          PeltError *err); ///< shown from `time_ms` on, rising
PeltStatus pelti_webp_end(PeltiWebp *webp, double duration_ms, PeltiArray *out, PeltError *err); ///< at least one frame
void pelti_webp_destroy(PeltiWebp *webp);                                                        ///< NULL is fine

#endif
