/// Operators as pictures (include/pelt/render.h).
#include "bake/slice.h"
#include "core/file.h"
#include "field/described.h"
#include "field/operator.h"
#include "render/image.h"
#include "render/overlay.h"

#include <pelt/render.h>

#include <math.h>
#include <stdio.h>

typedef struct Plot {
    PeltiImage image;
    float left, top, side; ///< of the square, pixels
} Plot;

static Vec3 level_colour(double level)
{
    Vec3 blue = {0.03f, 0.12f, 0.62f}, red = {0.62f, 0.03f, 0.03f}, grey = {0.16f, 0.16f, 0.16f};
    return level < 0.495 ? blue : level > 0.505 ? red : grey;
}

/// Paper white, a breath of blue outside and of red inside, and iso-lines every twentieth.
static Vec3 pixel_colour(const double *g, double f1, double f2, double pixel, double mouth)
{
    double slope, value = pelti_bake_slice_at(g, f1, f2, &slope), level = round(value * 20) / 20;
    float tint = (float)fmin(fabs(value - 0.5) * 0.5, 0.25);
    Vec3 colour = vec3_lerp(vec3(0.95f, 0.95f, 0.95f), value < 0.5 ? vec3(0.30f, 0.50f, 0.95f) : vec3(0.95f, 0.40f, 0.35f), tint);
    bool main = fabs(level - 0.5) < 0.01;
    double width = main ? 2.6 : 1.1, off = slope > 1e-9 ? fabs(value - level) / (slope * pixel) : 1e9;
    float cover = (float)fmin(fmax(0.5 * width + 0.5 - off, 0), 1) * (main ? 1.0f : 0.75f);
    if (main && fmin(f1, f2) > mouth) // around the contact line, which is drawn for itself
        return colour;
    return level > 0.02 && level < 0.98 ? vec3_lerp(colour, level_colour(level), cover) : colour;
}

static void fill_square(Plot *plot, const double *g, double mouth)
{
    for (int y = 0; y < (int)plot->side; y++)
        for (int x = 0; x < (int)plot->side; x++) {
            Vec3 c = pixel_colour(g, (x + 0.5) / (double)plot->side, 1 - (y + 0.5) / (double)plot->side, 1 / (double)plot->side,
                                  mouth);
            float px = plot->left + (float)x, py = plot->top + (float)y;
            pelti_draw_box(&plot->image, px, py, px + 1, py + 1, (PeltiDrawInk){c, 1});
        }
}

/// Ends in the unit square.
static void plot_stroke(Plot *plot, PeltiDrawStroke s, Vec3 colour)
{
    PeltiDrawStroke pixels = {plot->left + s.x0 * plot->side, plot->top + (1 - s.y0) * plot->side, plot->left + s.x1 * plot->side,
                              plot->top + (1 - s.y1) * plot->side, s.width};
    pelti_draw_stroke(&plot->image, pixels, (PeltiDrawInk){colour, 1});
}

static void label(Plot *plot, const PeltOperator *op, float d)
{
    static const char *const ticks[] = {"0", "0.5", "1"};
    PeltiDrawInk ink = {vec3(0.02f, 0.02f, 0.02f), 1};
    float size = 0.026f * plot->side, bottom = plot->top + plot->side;
    char title[80];
    snprintf(title, sizeof title, "%s, d = %.2f", op->name, (double)d);
    pelti_draw_text(&plot->image, plot->left, plot->top - size, size * 1.2f, ink, title);
    for (int k = 0; k < 3; k++) {
        float at = 0.5f * (float)k * plot->side, width = pelti_draw_text_width(size, ticks[k]);
        pelti_draw_text(&plot->image, plot->left + at - 0.5f * width, bottom + 2 * size, size, ink, ticks[k]);
        pelti_draw_text(&plot->image, plot->left - width - 0.7f * size, bottom - at + 0.5f * size, size, ink, ticks[k]);
    }
    pelti_draw_text(&plot->image, plot->left + 0.75f * plot->side, bottom + 2 * size, size, ink, "f1");
    pelti_draw_text(&plot->image, plot->left - 2.6f * size, plot->top + 0.25f * plot->side, size, ink, "f2");
}

static void draw_plot(Plot *plot, const PeltOperator *op, float d, const double *g)
{
    float from, to, line = fmaxf(1, plot->side / 400);
    Vec3 black = {0.02f, 0.02f, 0.02f};
    PeltiProfile profile = pelti_profile_from(op);
    pelti_draw_box(&plot->image, 0, 0, (float)plot->image.width, (float)plot->image.height,
                   (PeltiDrawInk){vec3(0.95f, 0.95f, 0.95f), 1});
    pelti_profile_line(&profile, d, &from, &to);
    fill_square(plot, g, (double)from + 0.004);
    if (to > from)
        plot_stroke(plot, (PeltiDrawStroke){from, from, to, to, 3.2f * line}, vec3(0.02f, 0.45f, 0.06f));
    for (int k = 0; k < 4; k++) {
        static const float corner[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
        plot_stroke(plot, (PeltiDrawStroke){corner[k][0], corner[k][1], corner[k + 1][0], corner[k + 1][1], line}, black);
    }
    label(plot, op, d);
}

PeltStatus pelt_operator_plot(const PeltOperator *op, float d, int pixels, const char *path, PeltError *err)
{
    double g[PELTI_OPERATOR_NODES * PELTI_OPERATOR_NODES];
    Plot plot = {0};
    if (pixels < 64 || pixels > 4096)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%d pixels: 64 to 4096 a side", pixels);
    PELT_TRY(pelti_bake_slice(op, d, g, err));
    PELT_TRY(pelti_image_create(pixels, pixels, &plot.image, err));
    plot.side = floorf(0.84f * (float)pixels);
    plot.left = floorf(0.11f * (float)pixels);
    plot.top = floorf(0.07f * (float)pixels);
    draw_plot(&plot, op, d, g);
    PeltiArray bytes;
    pelti_array_init(&bytes, NULL, 1);
    PeltStatus status = pelti_png_encode(&plot.image, &bytes, err);
    if (status == PELT_OK)
        status = pelti_file_save(path, bytes.data, bytes.count, err);
    pelti_array_release(&bytes);
    pelti_image_release(&plot.image);
    return status;
}
