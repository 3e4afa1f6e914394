/// Flat drawing over a finished picture: anti-aliased strokes, boxes, text in a stroke font of our own, legends, titles.
/// Pixel units, y down; colours are linear light and drawn opaque or with `alpha`.
#ifndef PELTI_RENDER_OVERLAY_H
#define PELTI_RENDER_OVERLAY_H

#include "render/colour.h"
#include "render/image.h"

typedef struct PeltiDrawInk {
    Vec3 colour; ///< linear
    float alpha; ///< 0..1
} PeltiDrawInk;

typedef struct PeltiDrawStroke {
    float x0, y0, x1, y1, width;
} PeltiDrawStroke;
void pelti_draw_stroke(PeltiImage *image, PeltiDrawStroke stroke, PeltiDrawInk ink); ///< round ends
void pelti_draw_box(PeltiImage *image, float x0, float y0, float x1, float y1, PeltiDrawInk ink);

/// Text with its baseline at y. `size` is the height of a capital in pixels. ASCII; anything else shows as a small box.
void pelti_draw_text(PeltiImage *image, float x, float y, float size, PeltiDrawInk ink, const char *text);
float pelti_draw_text_width(float size, const char *text);

/// What a colour means. Numbers: a bar from `low` to `high`. Categories: swatches with names.
typedef struct PeltiDrawLegend {
    const char *title; ///< NULL: no legend
    PeltiMap map;
    float low, high;
    int name_count;           ///< categories
    const char *const *names; ///< [name_count] may hold NULL: left out
    const int *name_category; ///< [name_count] colour index; NULL: 0, 1, 2, ...
} PeltiDrawLegend;
/// At the right border, scaled with the picture. `ink` is the text's.
void pelti_draw_legend(PeltiImage *image, const PeltiDrawLegend *legend, PeltiDrawInk ink);

#endif
