/// Escapes text, embeds pictures and draws plots for a page.
#include "tools/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

extern const char *const pelti_page_style[], *const pelti_page_script[];

void pelti_page_init(PeltiPage *page)
{
    pelti_array_init(&page->bytes, NULL, 1);
}

void pelti_page_release(PeltiPage *page)
{
    pelti_array_release(&page->bytes);
}

static void put(PeltiPage *page, const char *text)
{
    pelti_array_append(&page->bytes, text, strlen(text));
}

void pelti_page_add(PeltiPage *page, const char *format, ...)
{
    char text[4096];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    put(page, text);
}

void pelti_page_text(PeltiPage *page, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                                            : NULL;
        if (entity)
            put(page, entity);
        else if ((unsigned char)*text >= 0x20)
            pelti_array_append(&page->bytes, text, 1);
    }
}

void pelti_page_data(PeltiPage *page, const char *type, const void *data, size_t bytes)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *in = data;
    put(page, "data:");
    put(page, type);
    put(page, ";base64,");
    for (size_t i = 0; i < bytes; i += 3) {
        unsigned left = bytes - i < 3 ? (unsigned)(bytes - i) : 3;
        unsigned v = (unsigned)in[i] << 16 | (left > 1 ? (unsigned)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0);
        char out[4] = {digits[v >> 18], digits[v >> 12 & 63], left > 1 ? digits[v >> 6 & 63] : '=',
                       left > 2 ? digits[v & 63] : '='};
        pelti_array_append(&page->bytes, out, 4);
    }
}

void pelti_page_begin(PeltiPage *page, const char *title)
{
    put(page, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n"
              "<link rel=\"icon\" href=\"data:,\">\n<title>");
    pelti_page_text(page, title);
    put(page, "</title>\n<style>\n");
    for (int i = 0; pelti_page_style[i]; i++)
        put(page, pelti_page_style[i]);
    put(page, "</style>\n</head>\n<body>\n");
}

void pelti_page_end(PeltiPage *page)
{
    put(page, "<script>\n");
    for (int i = 0; pelti_page_script[i]; i++)
        put(page, pelti_page_script[i]);
    put(page, "</script>\n</body>\n</html>\n");
}

// ---- plots ----

enum { WIDTH = 640, HEIGHT = 220, LEFT = 64, RIGHT = 12, TOP = 12, BOTTOM = 28 };

static void value_range(int frame_count, int series_count, const PeltiPageSeries *series, double *low, double *high)
{
    *low = INFINITY, *high = -INFINITY;
    for (int s = 0; s < series_count; s++)
        for (int f = 0; f < frame_count; f++)
            if (isfinite(series[s].values[f])) {
                *low = fmin(*low, series[s].values[f]);
                *high = fmax(*high, series[s].values[f]);
            }
    if (!(*high >= *low))
        *low = 0, *high = 1;
    if (*low > 0 && *low < 0.5 * *high)
        *low = 0;
    double least = fmax(1e-6 * fabs(*high), 1e-9);
    if (*high - *low < least)
        *high = *low + fmax(least, fabs(*low) > 0 ? 0.01 * fabs(*low) : 1);
}

static double at_x(int frame, int frame_count)
{
    return LEFT + (WIDTH - LEFT - RIGHT) * (frame_count > 1 ? (double)frame / (frame_count - 1) : 0.5);
}

static double at_y(double value, double low, double high)
{
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - low) / (high - low);
}

static void add_axes(PeltiPage *page, int frame_count, double low, double high)
{
    for (int i = 0; i <= 4; i++) {
        double value = low + (high - low) * i / 4, y = at_y(value, low, high);
        pelti_page_add(page, "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>", LEFT, y, WIDTH - RIGHT, y);
        pelti_page_add(page, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.3g</text>", LEFT - 6, y + 4, value);
        int frame = (int)(i * (frame_count - 1) / 4.0 + 0.5);
        pelti_page_add(page, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>", at_x(frame, frame_count), HEIGHT - 8,
                       frame);
    }
}

static void add_series(PeltiPage *page, const PeltiPageSeries *series, int frame_count, double low, double high)
{
    bool open = false;
    pelti_page_add(page, "<path class=\"c%d\" data-name=\"", series->colour);
    pelti_page_text(page, series->name);
    put(page, "\" data-values=\"");
    for (int f = 0; f < frame_count; f++) {
        if (isfinite(series->values[f]))
            pelti_page_add(page, "%s%.4g", f ? "," : "", series->values[f]);
        else
            put(page, f ? "," : "");
    }
    put(page, "\" d=\"");
    for (int f = 0; f < frame_count; f++) {
        bool good = isfinite(series->values[f]);
        if (good)
            pelti_page_add(page, "%s%.1f %.1f", open ? "L" : "M", at_x(f, frame_count), at_y(series->values[f], low, high));
        open = good;
    }
    put(page, "\"/>");
}

void pelti_page_plot(PeltiPage *page, const char *title, const char *unit, int frame_count, int series_count,
                     const PeltiPageSeries *series)
{
    double low, high;
    value_range(frame_count, series_count, series, &low, &high);
    put(page, "<figure class=\"plot\"><figcaption>");
    pelti_page_text(page, title);
    if (*unit) {
        put(page, " <small>");
        pelti_page_text(page, unit);
        put(page, "</small>");
    }
    pelti_page_add(page,
                   "</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" tabindex=\"0\" data-frames=\"%d\" data-left=\"%d\" "
                   "data-right=\"%d\" aria-label=\"",
                   WIDTH, HEIGHT, frame_count, LEFT, WIDTH - RIGHT);
    pelti_page_text(page, title);
    pelti_page_add(page, " over %d frames, %.3g to %.3g\">", frame_count, low, high);
    add_axes(page, frame_count, low, high);
    for (int s = 0; s < series_count; s++)
        add_series(page, &series[s], frame_count, low, high);
    pelti_page_add(page, "<line class=\"cursor\" x1=\"0\" y1=\"%d\" x2=\"0\" y2=\"%d\" visibility=\"hidden\"/></svg>", TOP,
                   HEIGHT - BOTTOM);
    put(page, "<output class=\"values\" aria-live=\"polite\"></output></figure>\n");
}
