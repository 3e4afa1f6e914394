/// Strokes, boxes, text and legends over a picture.
#include "render/overlay.h"
#include "math/elementary.h"
#include "render/font.h"

#include <stdio.h>

/// Straight-alpha "over" in encoded space: thin dark text keeps its weight, as everywhere on screens.
static void blend(uint8_t *p, PeltiDrawInk ink, float coverage)
{
    float a = ink.alpha * coverage, under = (float)p[3] / 255 * (1 - a), total = a + under;
    if (!(total > 0))
        return;
    const float c[3] = {ink.colour.x, ink.colour.y, ink.colour.z};
    for (int k = 0; k < 3; k++)
        p[k] = (uint8_t)((pelti_srgb_encode(c[k]) * 255 * a + (float)p[k] * under) / total + 0.5f);
    p[3] = (uint8_t)(total * 255 + 0.5f);
}

typedef struct Bounds {
    int x0, y0, x1, y1;
} Bounds;

static Bounds clip(const PeltiImage *image, float x0, float y0, float x1, float y1)
{
    Bounds b = {(int)fmaxf(floorf(x0), 0), (int)fmaxf(floorf(y0), 0), (int)fminf(ceilf(x1), (float)image->width),
                (int)fminf(ceilf(y1), (float)image->height)};
    return b;
}

static float segment_distance(float x, float y, const float s[4])
{
    float dx = s[2] - s[0], dy = s[3] - s[1], length2 = dx * dx + dy * dy;
    float t = length2 > 0 ? ((x - s[0]) * dx + (y - s[1]) * dy) / length2 : 0;
    t = fminf(fmaxf(t, 0), 1);
    return pelti_hypotf(x - s[0] - t * dx, y - s[1] - t * dy);
}

/// All segments as one shape, so that where strokes meet nothing is drawn twice.
static void draw_segments(PeltiImage *image, int count, float (*segment)[4], float width, PeltiDrawInk ink)
{
    if (count == 0)
        return;
    float x0 = 1e30f, y0 = 1e30f, x1 = -1e30f, y1 = -1e30f, reach = 0.5f * width + 1;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 4; k += 2) {
            x0 = fminf(x0, segment[i][k]), x1 = fmaxf(x1, segment[i][k]);
            y0 = fminf(y0, segment[i][k + 1]), y1 = fmaxf(y1, segment[i][k + 1]);
        }
    Bounds b = clip(image, x0 - reach, y0 - reach, x1 + reach, y1 + reach);
    for (int y = b.y0; y < b.y1; y++)
        for (int x = b.x0; x < b.x1; x++) {
            float nearest = 1e30f;
            for (int i = 0; i < count; i++)
                nearest = fminf(nearest, segment_distance((float)x + 0.5f, (float)y + 0.5f, segment[i]));
            float coverage = fminf(fmaxf(0.5f + 0.5f * width - nearest, 0), fminf(width, 1));
            if (coverage > 0)
                blend(image->rgba + 4 * ((size_t)y * (size_t)image->width + (size_t)x), ink, coverage);
        }
}

void pelti_draw_stroke(PeltiImage *image, PeltiDrawStroke s, PeltiDrawInk ink)
{
    float segment[1][4] = {{s.x0, s.y0, s.x1, s.y1}};
    draw_segments(image, 1, segment, s.width, ink);
}

static float overlap(float low, float high, int pixel)
{
    return fmaxf(0, fminf(high, (float)pixel + 1) - fmaxf(low, (float)pixel));
}

void pelti_draw_box(PeltiImage *image, float x0, float y0, float x1, float y1, PeltiDrawInk ink)
{
    Bounds b = clip(image, x0, y0, x1, y1);
    for (int y = b.y0; y < b.y1; y++)
        for (int x = b.x0; x < b.x1; x++)
            blend(image->rgba + 4 * ((size_t)y * (size_t)image->width + (size_t)x), ink, overlap(x0, x1, x) * overlap(y0, y1, y));
}

/// Next letter of UTF-8 text; one that is not ASCII is 127, whatever its length.
static int next_letter(const char **text)
{
    unsigned char c = (unsigned char)*(*text)++;
    if (c < 0x80)
        return c;
    while (((unsigned char)**text & 0xc0) == 0x80)
        (*text)++;
    return 127;
}

void pelti_draw_text(PeltiImage *image, float x, float y, float size, PeltiDrawInk ink, const char *text)
{
    float unit = size / PELTI_GLYPH_CAPITAL, width = fmaxf(1.0f, size * 0.115f);
    while (*text) {
        PeltiFontGlyph glyph;
        pelti_font_glyph(next_letter(&text), &glyph);
        for (int i = 0; i < glyph.count; i++)
            for (int k = 0; k < 4; k += 2) {
                glyph.segment[i][k] = x + unit * glyph.segment[i][k];
                glyph.segment[i][k + 1] = y - unit * glyph.segment[i][k + 1];
            }
        draw_segments(image, glyph.count, glyph.segment, width, ink);
        x += unit * glyph.advance;
    }
}

float pelti_draw_text_width(float size, const char *text)
{
    float width = 0;
    while (*text) {
        PeltiFontGlyph glyph;
        pelti_font_glyph(next_letter(&text), &glyph);
        width += glyph.advance;
    }
    return fmaxf(width - 3.5f, 0) * size / PELTI_GLYPH_CAPITAL;
}

/// A round step (1, 2 or 5 times a power of ten) that cuts the range into about `pieces`.
static float round_step(float range, int pieces)
{
    float rough = range / (float)pieces, power = pelti_powf(10, floorf((float)(pelti_log((double)rough) / 2.302585092994046))),
          m = rough / power;
    return power * (m < 1.5f ? 1 : m < 3.5f ? 2 : m < 7.5f ? 5 : 10);
}

typedef struct Area {         ///< where a legend goes, pixels
    float x, y, height, size; ///< x: the left side of a bar, the right side of names; size: of letters
} Area;

static void draw_bar(PeltiImage *image, const PeltiDrawLegend *legend, Area area, PeltiDrawInk ink)
{
    float x = area.x, y = area.y, height = area.height, size = area.size, width = 1.3f * size;
    int rows = (int)fmaxf(height, 1);
    for (int i = 0; i < rows; i++) {
        float t = 1 - ((float)i + 0.5f) / (float)rows;
        pelti_draw_box(image, x, y + (float)i, x + width, y + (float)i + 1, (PeltiDrawInk){pelti_map_colour(legend->map, t), 1});
    }
    float range = legend->high - legend->low;
    if (!(range > 0) || !isfinite(range))
        return;
    float step = round_step(range, 4);
    int first = (int)ceilf(legend->low / step - 1e-3f), last = (int)floorf(legend->high / step + 1e-3f);
    for (int i = first; i <= last && i - first < 20; i++) {
        float value = (float)i * step, at = y + height * (1 - (value - legend->low) / range);
        char text[32];
        snprintf(text, sizeof text, "%g", (double)(fabsf(value) < 1e-6f * step ? 0 : value));
        pelti_draw_stroke(
            image, (PeltiDrawStroke){x + width + 0.2f * size, at, x + width + 0.6f * size, at, fmaxf(1, 0.1f * size)}, ink);
        pelti_draw_text(image, x + width + 1.0f * size, at + 0.45f * size, 0.9f * size, ink, text);
    }
}

static void draw_names(PeltiImage *image, const PeltiDrawLegend *legend, Area area, PeltiDrawInk ink)
{
    float size = area.size, line = 1.9f * size, widest = 0;
    int shown = 0, room = (int)(area.height / line);
    for (int i = 0; i < legend->name_count; i++)
        if (legend->names[i])
            widest = fmaxf(widest, pelti_draw_text_width(size, legend->names[i]));
    float x = area.x - widest - 1.8f * size;
    for (int i = 0; i < legend->name_count; i++) {
        if (!legend->names[i])
            continue;
        if (++shown > room)
            return;
        int category = legend->name_category ? legend->name_category[i] : i;
        PeltiDrawInk swatch = {pelti_map_colour(PELTI_MAP_CATEGORIES, (float)category), 1};
        float base = area.y + line * (float)shown;
        pelti_draw_box(image, x, base - size, x + 1.2f * size, base + 0.1f * size, swatch);
        pelti_draw_text(image, x + 1.8f * size, base, size, ink, legend->names[i]);
    }
}

void pelti_draw_legend(PeltiImage *image, const PeltiDrawLegend *legend, PeltiDrawInk ink)
{
    if (!legend->title)
        return;
    float size = fmaxf(7, 0.0145f * (float)image->height), margin = 2.2f * size;
    float right = (float)image->width - margin, top = margin + size;
    pelti_draw_text(image, right - pelti_draw_text_width(size, legend->title), top, size, ink, legend->title);
    if (legend->map == PELTI_MAP_CATEGORIES)
        draw_names(image, legend,
                   (Area){right, top + 0.6f * size, (float)image->height - margin - (top + 0.6f * size), 0.85f * size}, ink);
    else
        draw_bar(image, legend, (Area){right - 6 * size, top + 1.2f * size, fminf(0.38f * (float)image->height, 22 * size), size},
                 ink);
}
