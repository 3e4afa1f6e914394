/// A stroke font drawn for Pelt: each glyph is a few strokes on a small grid, straight or smooth (quadratic B-splines).
#ifndef PELTI_RENDER_FONT_H
#define PELTI_RENDER_FONT_H

enum { PELTI_GLYPH_SEGMENTS = 160 };

typedef struct PeltiFontGlyph {
    float advance; ///< to the next glyph, grid units; a capital is 12 high
    int count;
    float segment[PELTI_GLYPH_SEGMENTS][4]; ///< x0 y0 x1 y1, y up from the baseline
} PeltiFontGlyph;

enum { PELTI_GLYPH_CAPITAL = 12 };

/// `letter` outside 32..126 gives a small box.
void pelti_font_glyph(int letter, PeltiFontGlyph *out);

#endif
