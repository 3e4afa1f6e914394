/// include/pelt/operator.h: operators for users to design and look at.
#include "core/file.h"
#include "field/described.h"
#include "field/operator.h"
#include "io/operator.h"
#include "render/image.h"
#include "render/overlay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

PeltStatus pelt_operator_builtin(const char *name, PeltOperator *out, PeltError *err)
{
    PeltiProfile profile;
    if (!pelti_profile_named(name, &profile))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "there is no operator '%s': there are contact, bulge and union", name);
    *out = pelti_profile_describe(&profile);
    return PELT_OK;
}

PeltStatus pelt_operator_from_profile(const char *name, int count, const float (*closed)[2], PeltOperator *out, PeltError *err)
{
    if (count != 2 && (count < 4 || count > PELT_OPERATOR_CONTROLS))
        return PELT_FAIL(err, PELT_BAD_INPUT, "a profile has 2, or 4 to %d control points, not %d", PELT_OPERATOR_CONTROLS,
                         count);
    PELT_TRY(pelt_operator_builtin("contact", out, err));
    memset(out->name, 0, sizeof out->name);
    snprintf(out->name, sizeof out->name, "%.31s", name);
    out->control_count = count;
    for (int k = 0; k < count; k++) {
        out->open[k][0] = 0.5f;
        out->open[k][1] = 0.5f * (float)k / (float)(count - 1);
        out->closed[k][0] = closed[k][0];
        out->closed[k][1] = closed[k][1];
    }
    return PELT_OK;
}

static PeltStatus check_profile(const PeltiProfile *profile, PeltError *err)
{
    const char *problem = pelti_profile_problem(profile);
    return problem ? PELT_FAIL(err, PELT_BAD_INPUT, "operator %s: %s", profile->name, problem) : PELT_OK;
}

static PeltStatus solve(const PeltOperator *op, float d, double *g, PeltError *err)
{
    PeltiProfile profile = pelti_profile_from(op);
    PELT_TRY(check_profile(&profile, err));
    if (!(d >= 0 && d <= 1))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "d = %g: it goes from 0 to 1", (double)d);
    return pelti_operator_slice(&profile, d, NULL, g, err);
}

PeltStatus pelt_operator_check(const PeltOperator *op, PeltError *err)
{
    double g[PELTI_OPERATOR_NODES * PELTI_OPERATOR_NODES];
    for (int k = 0; k <= 4; k++)
        PELT_TRY(solve(op, 0.25f * (float)k, g, err));
    return PELT_OK;
}

PeltStatus pelt_operator_load(const char *path, PeltOperator *out, PeltError *err)
{
    PELT_TRY(pelti_operator_read(path, NULL, out, err));
    PeltiProfile profile = pelti_profile_from(out);
    PeltStatus status = check_profile(&profile, err);
    if (status != PELT_OK)
        pelti_error_prefix(err, "%s", path);
    return status;
}

PeltStatus pelt_operator_save(const PeltOperator *op, const char *path, PeltError *err)
{
    PeltiProfile profile = pelti_profile_from(op);
    PELT_TRY(check_profile(&profile, err));
    return pelti_operator_write(op, path, err);
}

/// Bilinear value of a slice and its slope, per unit of f.
static double slice_at(const double *g, double f1, double f2, double *slope)
{
    enum { N = PELTI_OPERATOR_NODES };
    double x = fmin(fmax(f1, 0), 1) * (N - 1), y = fmin(fmax(f2, 0), 1) * (N - 1);
    int i = x < N - 2 ? (int)x : N - 2, j = y < N - 2 ? (int)y : N - 2;
    double u = x - i, v = y - j;
    const double *c = g + i * N + j;
    double dx = (c[N] - c[0]) * (1 - v) + (c[N + 1] - c[1]) * v, dy = (c[1] - c[0]) * (1 - u) + (c[N + 1] - c[N]) * u;
    *slope = hypot(dx, dy) * (N - 1);
    return (c[0] * (1 - u) + c[N] * u) * (1 - v) + (c[1] * (1 - u) + c[N + 1] * u) * v;
}

PeltStatus pelt_operator_value(const PeltOperator *op, float f1, float f2, float d, float *out, PeltError *err)
{
    double g[PELTI_OPERATOR_NODES * PELTI_OPERATOR_NODES], slope;
    PELT_TRY(solve(op, d, g, err));
    *out = (float)slice_at(g, (double)f1, (double)f2, &slope);
    return PELT_OK;
}

// ---- the plot

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
    double slope, value = slice_at(g, f1, f2, &slope), level = round(value * 20) / 20;
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
            pelti_draw_box(&plot->image, px, py, px + 1, py + 1, (PeltiInk){c, 1});
        }
}

static void plot_stroke(Plot *plot, float x0, float y0, float x1, float y1, float width, Vec3 colour)
{
    pelti_draw_stroke(&plot->image, plot->left + x0 * plot->side, plot->top + (1 - y0) * plot->side, plot->left + x1 * plot->side,
                      plot->top + (1 - y1) * plot->side, width, (PeltiInk){colour, 1});
}

static void label(Plot *plot, const PeltOperator *op, float d)
{
    static const char *const ticks[] = {"0", "0.5", "1"};
    PeltiInk ink = {vec3(0.02f, 0.02f, 0.02f), 1};
    float size = 0.026f * plot->side, bottom = plot->top + plot->side;
    char title[80];
    snprintf(title, sizeof title, "%s, d = %.2f", op->name, (double)d);
    pelti_draw_text(&plot->image, plot->left, plot->top - size, size * 1.2f, ink, title);
    for (int k = 0; k < 3; k++) {
        float at = 0.5f * (float)k * plot->side, width = pelti_text_width(size, ticks[k]);
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
                   (PeltiInk){vec3(0.95f, 0.95f, 0.95f), 1});
    pelti_profile_line(&profile, d, &from, &to);
    fill_square(plot, g, (double)from + 0.004);
    if (to > from)
        plot_stroke(plot, from, from, to, to, 3.2f * line, vec3(0.02f, 0.45f, 0.06f));
    for (int k = 0; k < 4; k++) {
        static const float corner[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
        plot_stroke(plot, corner[k][0], corner[k][1], corner[k + 1][0], corner[k + 1][1], line, black);
    }
    label(plot, op, d);
}

PeltStatus pelt_operator_plot(const PeltOperator *op, float d, int pixels, const char *path, PeltError *err)
{
    double g[PELTI_OPERATOR_NODES * PELTI_OPERATOR_NODES];
    Plot plot = {0};
    if (pixels < 64 || pixels > 4096)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%d pixels: 64 to 4096 a side", pixels);
    PELT_TRY(solve(op, d, g, err));
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
