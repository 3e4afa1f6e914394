/// Draws the letters of pictures as strokes, from a table of glyphs.
#include "render/font.h"

#include <stdbool.h>

// One string a glyph from ' ' to '~'. Strokes are separated by blanks; a stroke is pairs of an x ('0'..'9', 'A' = 10) and a y
// ('e' is the baseline, 'm' the height of small letters, 'q' of capitals, below 'e' descends). A stroke that starts with '~'
// is a smooth curve from its first to its last point, with '@' a smooth closed one: the points between are its control polygon.
static const char *const glyphs[95] = {
    "",
    "1q1i 1e1e",
    "0q0n 3q3n",
    "2q1e 6q5e 0m7m 0i7i",
    "~6o5q0q0k6k6e1e0g 3s3c",
    "@0q3q3l0l @4j7j7e4e 7q0e",
    "~7i6e0e0j5l5q1q1n7e",
    "0q0n",
    "~2r0o0f2b",
    "~0r2o2f0b",
    "3p3j 0o6k 6o0k",
    "3m3g 0j6j",
    "1f1e0c",
    "0j4j",
    "0e0e",
    "5r0c",
    "@0q7q7e0e",
    "0n3q3e",
    "~0n0q7q7k0e 0e7e",
    "~0o1q7q7k3k ~3k8k8e1e0g",
    "5e5q0h7h",
    "6q1q0k ~0k1m7m7e1e0g",
    "@0l7l7e0e ~6q1q0m0h",
    "0q7q2e",
    "@1q6q6k1k @0k7k7e0e",
    "@0q7q7j0j ~1e6e7i7n",
    "0l0l 0e0e",
    "1l1l 1f1e0c",
    "5m0i5e",
    "0k6k 0h6h",
    "0m5i0e",
    "~0o1q6q6l3k3h 3e3e",
    "~6i6m2m2g6g6i ~6i6g9g9q0q0c8c",
    "0e4q8e 1i7i",
    "0q0e 0q3q ~3q7q7k3k 3k0k ~3k8k8e3e 3e0e",
    "~8o7q0q0e7e8g",
    "0q0e 0q3q ~3q8q8e3e 3e0e",
    "7q0q0e7e 0k6k",
    "7q0q0e 0k6k",
    "~8o7q0q0e8e8j 8j5j",
    "0q0e 8q8e 0k8k",
    "0q0e",
    "5q5h ~5h5e0e0h",
    "0q0e 7q0i 2k7e",
    "0q0e6e",
    "0e0q4h8q8e",
    "0e0q8e8q",
    "@0q8q8e0e",
    "0e0q3q ~3q7q7j3j 3j0j",
    "@0q8q8e0e 5h8d",
    "0e0q3q ~3q7q7j3j 3j0j 4j7e",
    "~7o6q0q0k7k7e1e0g",
    "0q8q 4q4e",
    "0q0i ~0i0e8e8i 8i8q",
    "0q4e8q",
    "0q3e5o7eAq",
    "0q8e 8q0e",
    "0q4k8q 4k4e",
    "0q8q0e8e",
    "2r0r0c2c",
    "0r5c",
    "0r2r2c0c",
    "0m3q6m",
    "0c7c",
    "0q2o",
    "@0m6m6e0e 6m6e",
    "0q0e @0m6m6e0e",
    "~6l5m0m0e5e6f",
    "6q6e @0m6m6e0e",
    "0i6i ~6i6m0m0e5e6f",
    "~5q2q2m 2m2e 0m5m",
    "@0m6m6e0e 6m6d ~6d6a1a0b",
    "0q0e ~0i0m6m6i 6i6e",
    "0m0e 0q0q",
    "2m2c ~2c2a0a 2q2q",
    "0q0e 5m0h 2j5e",
    "0q0g ~0g0e2e",
    "0m0e ~0i0m5m5i 5i5e ~5i5mAmAi AiAe",
    "0m0e ~0i0m6m6i 6i6e",
    "@0m6m6e0e",
    "0m0a @0m6m6e0e",
    "6m6a @0m6m6e0e",
    "0m0e ~0i0m4m",
    "~5l4m0m0i5i5e1e0f",
    "2p2g ~2g2e5e 0m5m",
    "0m0i ~0i0e6e6i 6m6e",
    "0m3e6m",
    "0m2e5l8eAm",
    "0m6e 6m0e",
    "0m3e 6m2b ~2b1a0a",
    "0m6m0e6e",
    "~3r1r1k0j ~0j1i1c3c",
    "0r0b",
    "~0r2r2k3j ~3j2i2c0c",
    "~0j1l3j5h6j",
};

static float grid_x(char c)
{
    return c >= 'A' ? (float)(c - 'A' + 10) : (float)(c - '0');
}

static void add(PeltiFontGlyph *g, float x0, float y0, float x1, float y1)
{
    if (g->count == PELTI_GLYPH_SEGMENTS)
        return;
    float *s = g->segment[g->count++];
    s[0] = x0, s[1] = y0, s[2] = x1, s[3] = y1;
}

/// The parabola from a to c with control point b, in five chords.
static void add_curve(PeltiFontGlyph *g, const float a[2], const float b[2], const float c[2])
{
    float x = a[0], y = a[1];
    for (int i = 1; i <= 5; i++) {
        float t = (float)i / 5, u = 1 - t;
        float nx = u * u * a[0] + 2 * u * t * b[0] + t * t * c[0], ny = u * u * a[1] + 2 * u * t * b[1] + t * t * c[1];
        add(g, x, y, nx, ny);
        x = nx, y = ny;
    }
}

static void add_stroke(PeltiFontGlyph *g, char kind, float (*p)[2], int count)
{
    if (kind == 0) {
        if (count == 1)
            add(g, p[0][0], p[0][1], p[0][0], p[0][1]);
        for (int i = 0; i + 1 < count; i++)
            add(g, p[i][0], p[i][1], p[i + 1][0], p[i + 1][1]);
        return;
    }
    bool closed = kind == '@';
    for (int i = closed ? 0 : 1; i < (closed ? count : count - 1); i++) {
        const float *before = p[(i + count - 1) % count], *after = p[(i + 1) % count];
        bool first = !closed && i == 1, last = !closed && i == count - 2;
        float a[2], c[2];
        for (int k = 0; k < 2; k++) {
            a[k] = first ? before[k] : 0.5f * (before[k] + p[i][k]);
            c[k] = last ? after[k] : 0.5f * (after[k] + p[i][k]);
        }
        add_curve(g, a, p[i], c);
    }
}

void pelti_font_glyph(int letter, PeltiFontGlyph *out)
{
    const char *text = letter >= 32 && letter <= 126 ? glyphs[letter - 32] : "0l5l5e0e0l";
    out->count = 0;
    float widest = letter == ' ' ? 2 : 0;
    while (*text) {
        char kind = *text == '~' || *text == '@' ? *text++ : 0;
        float p[16][2];
        int count = 0;
        for (; *text && *text != ' '; text += 2) {
            p[count][0] = grid_x(text[0]);
            p[count][1] = (float)(text[1] - 'e');
            widest = p[count][0] > widest ? p[count][0] : widest;
            count++;
        }
        add_stroke(out, kind, p, count);
        text += *text == ' ';
    }
    out->advance = widest + 3.5f;
}
