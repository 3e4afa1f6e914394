/// Pictures read back: PNG, and WebP, still or moving.
#ifndef PELT_TESTS_PICTURES_H
#define PELT_TESTS_PICTURES_H

#include "render/image.h"

#include <png.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/mux.h>

static inline PeltStatus png_decode(const void *data, size_t bytes, PeltiImage *out, PeltError *err)
{
    png_image png;
    memset(&png, 0, sizeof png);
    png.version = PNG_IMAGE_VERSION;
    *out = (PeltiImage){0};
    if (!png_image_begin_read_from_memory(&png, data, bytes))
        return PELT_FAIL(err, PELT_BAD_INPUT, "png: %s", png.message);
    png.format = PNG_FORMAT_RGBA;
    PeltStatus status = PELT_BAD_ARGUMENT;
    if (png.width > PELTI_MAX_SIDE || png.height > PELTI_MAX_SIDE)
        status = PELT_FAIL(err, PELT_BAD_INPUT, "png: %u x %u pixels are too many", png.width, png.height);
    else
        status = pelti_image_create((int)png.width, (int)png.height, out, err);
    if (status == PELT_OK && !png_image_finish_read(&png, NULL, out->rgba, 0, NULL)) {
        pelti_image_release(out);
        status = PELT_FAIL(err, PELT_BAD_INPUT, "png: %s", png.message);
    }
    png_image_free(&png);
    return status;
}

static inline WebPMux *webp_open(const void *data, size_t bytes, int *width, int *height, int *frames)
{
    WebPData all = {data, bytes};
    WebPMux *mux = WebPMuxCreate(&all, 0);
    *frames = 0;
    if (mux && WebPMuxGetCanvasSize(mux, width, height) == WEBP_MUX_OK) {
        if (WebPMuxNumChunks(mux, WEBP_CHUNK_ANMF, frames) != WEBP_MUX_OK || *frames == 0)
            *frames = 1;
        return mux;
    }
    WebPMuxDelete(mux);
    return NULL;
}

static inline PeltStatus webp_info(const void *data, size_t bytes, int *width, int *height, int *frames, PeltError *err)
{
    WebPMux *mux = webp_open(data, bytes, width, height, frames);
    if (!mux)
        return PELT_FAIL(err, PELT_BAD_INPUT, "webp: not a WebP picture");
    WebPMuxDelete(mux);
    return PELT_OK;
}

/// A still, or the first frame.
static inline PeltStatus webp_decode(const void *data, size_t bytes, PeltiImage *out, PeltError *err)
{
    int width, height, frames;
    *out = (PeltiImage){0};
    WebPMux *mux = webp_open(data, bytes, &width, &height, &frames);
    if (!mux)
        return PELT_FAIL(err, PELT_BAD_INPUT, "webp: not a WebP picture");
    WebPMuxFrameInfo frame;
    memset(&frame, 0, sizeof frame);
    PeltStatus status = pelti_image_create(width, height, out, err);
    if (status == PELT_OK && (WebPMuxGetFrame(mux, 1, &frame) != WEBP_MUX_OK || frame.x_offset || frame.y_offset ||
                              !WebPDecodeRGBAInto(frame.bitstream.bytes, frame.bitstream.size, out->rgba,
                                                  (size_t)width * (size_t)height * 4, width * 4))) {
        pelti_image_release(out);
        status = PELT_FAIL(err, PELT_BAD_INPUT, "webp: the first frame cannot be read");
    }
    WebPDataClear(&frame.bitstream);
    WebPMuxDelete(mux);
    return status;
}

#endif
