/// Smooths how much light arrives without blurring over edges [Dammertz2010].
/// It is the sparse ("a trous") wavelet filter, guided by position and normal instead of colour, so that it never blurs over an
/// edge.
#include "math/wide.h"
#include "render/trace.h"

/// What is smoothed and what guides it, a plane each, so that eight pixels of a row go at a time. Rows have a margin of pixels
/// that show nothing on either side: the farthest a pass looks, and the lanes beyond the last pixel.
enum { PLANE_ON, PLANE_NX, PLANE_NY, PLANE_NZ, PLANE_X, PLANE_Y, PLANE_Z, PLANE_PIXEL, GUIDES, ARRIVE = 2, MARGIN = 32 };

typedef struct PixelPlanes {
    float *guide[GUIDES]; ///< PLANE_ON: 1 where a pixel shows something, else 0
    float *from[ARRIVE];  ///< visible, open
    float *to[ARRIVE];
    int stride;
} PixelPlanes;

typedef struct SmoothPass {
    const PeltiTrace *trace;
    const PixelPlanes *planes;
    int step;
} SmoothPass;

static size_t plane_at(const PixelPlanes *planes, int x, int y)
{
    return (size_t)y * (size_t)planes->stride + (size_t)(MARGIN + x);
}

typedef struct Sums { ///< of what arrives at eight pixels, and of its weights
    FloatW value[ARRIVE], weight[ARRIVE];
} Sums;

/// Adds what lies at `other` for the pixels at `at`; `share`: the kernel's.
PELTI_WIDE void add_neighbours(const SmoothPass *pass, size_t at, size_t other, float share, Sums *sums)
{
    const PixelPlanes *planes = pass->planes;
    float *const *g = planes->guide;
    FloatW zero = splat_w(0), one = splat_w(1), loose = splat_w(6.0f / (float)pass->step); // 1/sigma^2 of the values themselves:
    FloatW n[3], turn = zero, off = zero;                                                  // later passes must agree better
    for (int k = 0; k < 3; k++) {
        n[k] = load_w(g[PLANE_NX + k] + at);
        FloatW along = mul_w(n[k], load_w(g[PLANE_NX + k] + other));
        FloatW away = mul_w(sub_w(load_w(g[PLANE_X + k] + other), load_w(g[PLANE_X + k] + at)), n[k]);
        turn = k ? add_w(turn, along) : along;
        off = k ? add_w(off, away) : away;
    }
    turn = max_w(turn, zero);
    turn = mul_w(turn, turn), turn = mul_w(turn, turn), turn = mul_w(turn, turn);
    off = mul_w(off, div_w(one, mul_w(load_w(g[PLANE_PIXEL] + at), splat_w((float)pass->step))));
    FloatW w = div_w(mul_w(splat_w(share), turn), add_w(one, mul_w(off, off)));
    w = select_w(less_w(zero, load_w(g[PLANE_ON] + other)), w, zero);
    for (int k = 0; k < ARRIVE; k++) {
        FloatW its = load_w(planes->from[k] + other), d = sub_w(its, load_w(planes->from[k] + at));
        FloatW much = div_w(w, add_w(one, mul_w(mul_w(loose, d), d)));
        sums->value[k] = add_w(sums->value[k], mul_w(much, its));
        sums->weight[k] = add_w(sums->weight[k], much);
    }
}

PELTI_WIDE void smooth_eight(const SmoothPass *pass, int x, int y)
{
    static const float kernel[5] = {1.0f / 16, 1.0f / 4, 3.0f / 8, 1.0f / 4, 1.0f / 16};
    const PixelPlanes *planes = pass->planes;
    size_t at = plane_at(planes, x, y);
    FloatW zero = splat_w(0);
    MaskW on = less_w(zero, load_w(planes->guide[PLANE_ON] + at));
    Sums sums = {{zero, zero}, {zero, zero}};
    for (int j = -2; j <= 2 && any_w(on); j++) {
        int row = y + j * pass->step;
        for (int i = -2; i <= 2 && row >= 0 && row < pass->trace->look->height; i++)
            add_neighbours(pass, at, plane_at(planes, x + i * pass->step, row), kernel[i + 2] * kernel[j + 2], &sums);
    }
    for (int k = 0; k < ARRIVE; k++) {
        MaskW some = and_w(on, less_w(zero, sums.weight[k]));
        store_w(planes->to[k] + at, select_w(some, div_w(sums.value[k], sums.weight[k]), load_w(planes->from[k] + at)));
    }
}

PELTI_CLONES static void smooth_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    const SmoothPass *pass = context;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < pass->trace->look->width; x += PELT_W)
            smooth_eight(pass, x, y);
}

/// A pixel that shows floor alone is a surface at the floor's place under its middle.
static void stand_on_floor(const PeltiTrace *trace, PeltiTracePixel *p, int x, int y)
{
    const PeltiLook *look = trace->look;
    PeltiBoxRay ray = {.near = 0};
    float fade;
    pelti_camera_ray(&look->camera, ((float)x + 0.5f) / (float)look->width * 2 - 1,
                     1 - ((float)y + 0.5f) / (float)look->height * 2, &ray.origin, &ray.direction);
    if (!pelti_render_floor_hit(trace, &ray, &p->position, &fade))
        return;
    p->floor_alone = true;
    p->weight = p->floor_count;
    p->normal = vec3_scale(vec3(0, 1, 0), p->weight);
    p->pixel = pelti_camera_pixel(&look->camera, look->height, p->position) * p->weight;
    p->position = vec3_scale(p->position, p->weight);
    p->visible = p->floor_visible;
    p->open = p->floor_open;
}

/// A row of the planes shows nothing, in the margins and everywhere.
static void clear_row(const PixelPlanes *planes, int y)
{
    size_t first = (size_t)y * (size_t)planes->stride, bytes = (size_t)planes->stride * sizeof(float);
    for (int k = 0; k < GUIDES; k++)
        memset(planes->guide[k] + first, 0, bytes);
    for (int k = 0; k < ARRIVE; k++) {
        memset(planes->from[k] + first, 0, bytes);
        memset(planes->to[k] + first, 0, bytes);
    }
}

static void put_pixel(const PixelPlanes *planes, const PeltiTracePixel *p, size_t at)
{
    const float guide[GUIDES] = {p->weight > 0 ? 1 : 0, p->normal.x,   p->normal.y,   p->normal.z,
                                 p->position.x,         p->position.y, p->position.z, p->pixel};
    for (int k = 0; k < GUIDES; k++)
        planes->guide[k][at] = guide[k];
}

/// Sums to means, in place.
static void mean_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    const SmoothPass *pass = context;
    int width = pass->trace->look->width;
    for (int y = begin; y < end; y++) {
        clear_row(pass->planes, y);
        for (int x = 0; x < width; x++) {
            size_t at = plane_at(pass->planes, x, y);
            PeltiTracePixel *p = &pass->trace->pixels[(size_t)y * (size_t)width + (size_t)x];
            if (p->weight == 0 && p->floor_count > 0)
                stand_on_floor(pass->trace, p, x, y);
            float w = p->weight > 0 ? 1 / p->weight : 0;
            p->position = vec3_scale(p->position, w);
            p->agree = p->weight > 0 ? vec3_length(p->normal) * w : 1;
            p->normal = vec3_normalize_or(p->normal, vec3(0, 1, 0));
            p->pixel = p->pixel * w;
            if (p->floor_count > 0) {
                p->floor_visible /= p->floor_count;
                p->floor_open /= p->floor_count;
            }
            put_pixel(pass->planes, p, at);
            pass->planes->from[0][at] = p->weight > 0 ? p->visible * w : 1;
            pass->planes->from[1][at] = p->weight > 0 ? p->open * w : 1;
        }
    }
}

static void back_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    const SmoothPass *pass = context;
    int width = pass->trace->look->width;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < width; x++) {
            PeltiTracePixel *p = &pass->trace->pixels[(size_t)y * (size_t)width + (size_t)x];
            p->visible = pass->planes->from[0][plane_at(pass->planes, x, y)];
            p->open = pass->planes->from[1][plane_at(pass->planes, x, y)];
        }
}

PeltStatus pelti_trace_smooth(PeltiTrace *trace, PeltiJobs *jobs, int passes, PeltError *err)
{
    int rows = trace->look->height;
    PixelPlanes planes = {.stride = trace->look->width + 2 * MARGIN};
    size_t plane = (size_t)planes.stride * (size_t)rows, bytes = plane * (GUIDES + 2 * ARRIVE) * sizeof(float);
    PELT_ASSERT(1 << passes <= MARGIN - PELT_W); // the last pass looks twice its step far
    float *all = pelti_alloc(NULL, bytes);
    if (!all)
        return pelti_no_memory(err, bytes);
    for (int k = 0; k < GUIDES; k++)
        planes.guide[k] = all + (size_t)k * plane;
    for (int k = 0; k < ARRIVE; k++) {
        planes.from[k] = all + (size_t)(GUIDES + k) * plane;
        planes.to[k] = all + (size_t)(GUIDES + ARRIVE + k) * plane;
    }
    pelti_parallel_for(jobs, rows, 8, mean_rows, &(SmoothPass){trace, &planes, 0});
    for (int i = 0; i < passes; i++) {
        pelti_parallel_for(jobs, rows, 8, smooth_rows, &(SmoothPass){trace, &planes, 1 << i});
        for (int k = 0; k < ARRIVE; k++) {
            float *swap = planes.from[k];
            planes.from[k] = planes.to[k], planes.to[k] = swap;
        }
    }
    pelti_parallel_for(jobs, rows, 8, back_rows, &(SmoothPass){trace, &planes, 0});
    pelti_free(NULL, all, bytes);
    return PELT_OK;
}
