// Edge-aware smoothing of how much light arrives: the sparse ("a trous") wavelet filter of [Dammertz2010], guided by position
// and normal instead of colour, so that it never blurs over an edge.
#include "render/trace.h"

typedef struct Arrive {
    float visible, open;
} Arrive;

typedef struct Pass {
    const PeltiTrace *trace;
    const Arrive *from;
    Arrive *to;
    int step;
} Pass;

static void smooth_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    static const float kernel[5] = {1.0f / 16, 1.0f / 4, 3.0f / 8, 1.0f / 4, 1.0f / 16};
    const Pass *pass = context;
    const PeltiTrace *trace = pass->trace;
    int width = trace->look->width, height = trace->look->height, step = pass->step;
    float loose = 6.0f / (float)step; // 1/sigma^2 of the values themselves: later passes must agree better
    for (int y = begin; y < end; y++)
        for (int x = 0; x < width; x++) {
            size_t at = (size_t)y * (size_t)width + (size_t)x;
            const PeltiPixel *p = &trace->pixels[at];
            Arrive mine = pass->from[at], sum = {0, 0};
            if (!(p->weight > 0)) {
                pass->to[at] = mine;
                continue;
            }
            float visible_weight = 0, open_weight = 0, reach = 1 / (p->pixel * (float)step);
            for (int j = -2; j <= 2; j++)
                for (int i = -2; i <= 2; i++) {
                    int qx = x + i * step, qy = y + j * step;
                    if (qx < 0 || qy < 0 || qx >= width || qy >= height)
                        continue;
                    size_t other = (size_t)qy * (size_t)width + (size_t)qx;
                    const PeltiPixel *q = &trace->pixels[other];
                    if (!(q->weight > 0))
                        continue;
                    float n = fmaxf(vec3_dot(p->normal, q->normal), 0),
                          off = vec3_dot(vec3_sub(q->position, p->position), p->normal);
                    n *= n, n *= n, n *= n;
                    off *= reach;
                    float w = kernel[i + 2] * kernel[j + 2] * n / (1 + off * off);
                    Arrive its = pass->from[other];
                    float dv = its.visible - mine.visible, da = its.open - mine.open;
                    float wv = w / (1 + loose * dv * dv), wo = w / (1 + loose * da * da);
                    sum.visible += wv * its.visible, visible_weight += wv;
                    sum.open += wo * its.open, open_weight += wo;
                }
            pass->to[at] = (Arrive){visible_weight > 0 ? sum.visible / visible_weight : mine.visible,
                                    open_weight > 0 ? sum.open / open_weight : mine.open};
        }
}

/// A pixel that shows floor alone is a surface at the floor's place under its middle.
static void stand_on_floor(const PeltiTrace *trace, PeltiPixel *p, int x, int y)
{
    const PeltiLook *look = trace->look;
    PeltiRay ray = {.near = 0};
    float fade;
    pelti_camera_ray(&look->camera, ((float)x + 0.5f) / (float)look->width * 2 - 1,
                     1 - ((float)y + 0.5f) / (float)look->height * 2, &ray.origin, &ray.direction);
    if (!pelti_floor_hit(trace, &ray, &p->position, &fade))
        return;
    p->floor_alone = true;
    p->weight = p->floor_count;
    p->normal = vec3_scale(vec3(0, 1, 0), p->weight);
    p->pixel = pelti_camera_pixel(&look->camera, look->height, p->position) * p->weight;
    p->position = vec3_scale(p->position, p->weight);
    p->visible = p->floor_visible;
    p->open = p->floor_open;
}

/// Sums to means, in place.
static void mean_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Pass *pass = context;
    int width = pass->trace->look->width;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < width; x++) {
            size_t at = (size_t)y * (size_t)width + (size_t)x;
            PeltiPixel *p = &pass->trace->pixels[at];
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
            pass->to[at] = (Arrive){p->weight > 0 ? p->visible * w : 1, p->weight > 0 ? p->open * w : 1};
        }
}

static void back_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Pass *pass = context;
    int width = pass->trace->look->width;
    for (size_t at = (size_t)begin * (size_t)width; at < (size_t)end * (size_t)width; at++) {
        pass->trace->pixels[at].visible = pass->from[at].visible;
        pass->trace->pixels[at].open = pass->from[at].open;
    }
}

PeltStatus pelti_trace_smooth(PeltiTrace *trace, PeltiJobs *jobs, int passes, PeltError *err)
{
    size_t bytes = (size_t)trace->look->width * (size_t)trace->look->height * sizeof(Arrive);
    int rows = trace->look->height;
    Arrive *a = pelti_alloc(NULL, bytes), *b = pelti_alloc(NULL, bytes);
    PeltStatus status = PELT_OK;
    if (!a || !b)
        status = pelti_no_memory(err, 2 * bytes);
    else {
        pelti_parallel_for(jobs, rows, 8, mean_rows, &(Pass){trace, NULL, a, 0});
        for (int i = 0; i < passes; i++) {
            pelti_parallel_for(jobs, rows, 8, smooth_rows, &(Pass){trace, a, b, 1 << i});
            Arrive *swap = a;
            a = b, b = swap;
        }
        pelti_parallel_for(jobs, rows, 8, back_rows, &(Pass){trace, a, NULL, 0});
    }
    pelti_free(NULL, a, bytes);
    pelti_free(NULL, b, bytes);
    return status;
}
