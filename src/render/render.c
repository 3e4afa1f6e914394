/// A picture from a scene: rays, shade, smoothing, overlay.
#include "render/trace.h"
#include "math/elementary.h"

const Vec3 pelti_render_clay = {0.616f, 0.347f, 0.242f}; // sRGB 205, 159, 135

void pelti_render_scene_init(PeltiRenderScene *scene)
{
    *scene = (PeltiRenderScene){0};
    pelti_array_init(&scene->lines, NULL, sizeof(PeltiRenderSceneLine));
    pelti_array_init(&scene->points, NULL, sizeof(PeltiRenderScenePoint));
    pelti_array_init(&scene->arrows, NULL, sizeof(PeltiRenderSceneArrow));
    pelti_array_init(&scene->triangles, NULL, sizeof(PeltiRenderSceneTriangle));
}

void pelti_render_scene_release(PeltiRenderScene *scene)
{
    pelti_array_release(&scene->lines);
    pelti_array_release(&scene->points);
    pelti_array_release(&scene->arrows);
    pelti_array_release(&scene->triangles);
}

PeltiLook pelti_look_default(void)
{
    return (PeltiLook){.width = 1280, .height = 960, .samples = 4, .size = 1};
}

static PeltStatus check(const PeltiRenderScene *scene, const PeltiLook *look, PeltError *err)
{
    PELT_TRY(pelti_image_check(look->width, look->height, err));
    if (look->samples < 1 || look->samples > 64)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%d samples a pixel: goes from 1 to 64", look->samples);
    if (!(look->size > 0) || !isfinite(look->size))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "the figure's size is %g: nothing to see", (double)look->size);
    if (scene->lines.failed || scene->points.failed || scene->arrows.failed || scene->triangles.failed)
        return PELT_FAIL(err, PELT_FAILED, "out of memory for what there is to draw");
    return PELT_OK;
}

static void set_lights(PeltiTrace *trace)
{
    const PeltiCamera *camera = &trace->look->camera;
    Vec3 lamp = vec3_add(vec3_scale(camera->right, -0.72f), vec3_scale(camera->up, 0.70f));
    lamp = vec3_normalize_or(vec3_mad(lamp, camera->forward, -0.62f), vec3(0, 1, 0));
    lamp.y = fmaxf(lamp.y, 0.42f); // never from below, wherever the eye is
    trace->lamp = vec3_normalize_or(lamp, vec3(0, 1, 0));
    bool dark = trace->look->background == PELTI_BACKGROUND_DARK;
    trace->background[0] = pelti_render_rgb(dark ? 0x24272d : 0xf3f2ef);
    trace->background[1] = pelti_render_rgb(dark ? 0x16181c : 0xdfe3e8);
    static const PeltiMap smooth_maps[] = {PELTI_MAP_SEQUENTIAL, PELTI_MAP_DIVERGING, PELTI_MAP_HEAT, PELTI_MAP_FIELD};
    for (int m = 0; m < 4; m++)
        for (int i = 0; i <= 256; i++)
            trace->maps[smooth_maps[m]][i] = pelti_map_colour(smooth_maps[m], (float)i / 256);
}

static PeltStatus sample_slice(PeltiTrace *trace, PeltiPool *pool, PeltiJobs *jobs, PeltError *err)
{
    if (!trace->scene->slice_count)
        return PELT_OK;
    const PeltiRenderSceneSlice *slice = &trace->scene->slice;
    float wide = vec3_length(slice->right), high = vec3_length(slice->up), longest = fmaxf(wide, high);
    if (!(longest > 0) || !(fminf(wide, high) > 1e-6f * longest) || !isfinite(longest))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "the section has no area");
    trace->slice.width = (int)fmaxf(2, 480 * wide / longest);
    trace->slice.height = (int)fmaxf(2, 480 * high / longest);
    size_t cells = (size_t)trace->slice.width * (size_t)trace->slice.height;
    trace->slice.value = PELTI_NEW(pool, float, cells);
    trace->slice.contact = slice->contact ? PELTI_NEW(pool, float, cells) : NULL;
    if (pool->failed)
        return pelti_no_memory(err, cells * sizeof(float));
    pelti_parallel_for(jobs, trace->slice.height, 4, pelti_slice_rows, trace);
    return PELT_OK;
}

/// Keeps colours as they are up to 0.7 and bends what is brighter towards 1: maps stay true to their legend.
static float shoulder(float v)
{
    const float knee = 0.7f;
    return v <= knee ? v : knee + (1 - knee) * (1 - pelti_expf(-(v - knee) / (1 - knee)));
}

/// Light that is blocked nearby comes back in part from what blocks it: open + (1 - open) a open + ... = open / (1 - a (1 -
/// open)).
static float bounced(float open, float albedo)
{
    return open / (1 - fminf(albedo, 0.9f) * (1 - open));
}

typedef struct Finish {
    const PeltiTrace *trace;
    uint8_t *rgba;
} Finish;

static uint8_t to_byte(float linear)
{
    return (uint8_t)(255 * pelti_srgb_encode(linear) + 0.5f);
}

/// Share of the floor's light that arrives. A pixel that shows floor and figure asks its neighbours that show floor alone:
/// its own few samples are noisy.
static float floor_light(const PeltiTrace *trace, int x, int y)
{
    const PeltiTracePixel *p = &trace->pixels[(size_t)y * (size_t)trace->look->width + (size_t)x];
    float visible = p->visible, open = p->open;
    if (!p->floor_alone) {
        float sum = 0, v = 0, o = 0;
        for (int j = y - 2; j <= y + 2; j++)
            for (int i = x - 2; i <= x + 2; i++) {
                if (i < 0 || j < 0 || i >= trace->look->width || j >= trace->look->height)
                    continue;
                const PeltiTracePixel *q = &trace->pixels[(size_t)j * (size_t)trace->look->width + (size_t)i];
                float w = q->floor_alone ? 1.0f / (float)(1 + (i - x) * (i - x) + (j - y) * (j - y)) : 0;
                v += w * q->visible, o += w * q->open, sum += w;
            }
        visible = sum > 0 ? v / sum : p->floor_visible;
        open = sum > 0 ? o / sum : p->floor_open;
    }
    return PELTI_FLOOR_LAMP * visible + (1 - PELTI_FLOOR_LAMP) * open;
}

static void finish_pixel(const PeltiTrace *trace, int x, int y, uint8_t *out)
{
    const PeltiLook *look = trace->look;
    const PeltiTracePixel *p = &trace->pixels[(size_t)y * (size_t)look->width + (size_t)x];
    float mean = 1 / (float)look->samples, floor = p->floor * mean, total = p->alpha * mean;
    Vec3 glow = vec3_scale(p->glow, mean), backdrop = pelti_render_backdrop(trace, y);
    if (floor > 0) {
        float light = floor_light(trace, x, y);
        if (look->background == PELTI_BACKGROUND_NONE)
            total = fminf(total + floor * (1 - light), 1);
        else
            glow = vec3_mad(glow, backdrop, floor * light);
    }
    bool figure = p->weight > 0 && !p->floor_alone;
    float edge = fminf(fmaxf((0.97f - p->agree) * 10, 0), 1);
    const float direct[3] = {p->direct.x, p->direct.y, p->direct.z}, ambient[3] = {p->ambient.x, p->ambient.y, p->ambient.z};
    const float exact[3] = {p->exact.x, p->exact.y, p->exact.z}, rest[3] = {glow.x, glow.y, glow.z};
    for (int k = 0; k < 3; k++) {
        float c = rest[k];
        if (figure) {
            // ambient / 0.36 is about the surface's own colour: the light from all around is near 0.36
            float open = bounced(p->open, ambient[k] / p->weight / 0.36f), light = direct[k] * p->visible + ambient[k] * open;
            c += (light + edge * (exact[k] - light)) * mean;
        }
        out[k] = total > 0 ? to_byte(shoulder(c / total)) : 0;
    }
    out[3] = (uint8_t)(255 * total + 0.5f);
}

static void finish_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Finish *finish = context;
    int width = finish->trace->look->width;
    for (int y = begin; y < end; y++)
        for (int x = 0; x < width; x++)
            finish_pixel(finish->trace, x, y, finish->rgba + 4 * ((size_t)y * (size_t)width + (size_t)x));
}

static void draw_flat(const PeltiRenderScene *scene, const PeltiLook *look, PeltiImage *image)
{
    bool dark = look->background == PELTI_BACKGROUND_DARK;
    PeltiDrawInk ink = {pelti_render_rgb(dark ? 0xe4e6ea : 0x2b2f36), 1};
    float size = fmaxf(8, 0.0185f * (float)look->height), margin = 1.7f * size;
    if (scene->title)
        pelti_draw_text(image, margin, margin + size, size, ink, scene->title);
    if (scene->note)
        pelti_draw_text(image, margin, (float)look->height - margin, 0.72f * size, (PeltiDrawInk){ink.colour, 0.8f}, scene->note);
    pelti_draw_legend(image, &scene->legend, ink);
}

static PeltStatus trace_picture(PeltiTrace *trace, PeltiPool *pool, PeltiJobs *jobs, PeltiImage *out, PeltError *err)
{
    const PeltiLook *look = trace->look;
    float pixel = pelti_camera_pixel(&look->camera, look->height, look->middle);
    PELT_TRY(sample_slice(trace, pool, jobs, err));
    PELT_TRY(pelti_render_body_create(trace->scene, false, pixel, &trace->solid, err));
    PELT_TRY(pelti_render_body_create(trace->scene, true, pixel, &trace->veil, err));
    trace->tiles_x = (look->width + PELTI_TILE - 1) / PELTI_TILE;
    trace->tiles_y = (look->height + PELTI_TILE - 1) / PELTI_TILE;
    trace->scratch_bytes = pelti_trace_scratch();
    trace->scratch = PELTI_NEW(pool, char, (size_t)pelti_jobs_threads(jobs) * trace->scratch_bytes);
    trace->pixels = PELTI_NEW(pool, PeltiTracePixel, (size_t)look->width * (size_t)look->height);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)look->width * (size_t)look->height * sizeof(PeltiTracePixel));
    pelti_parallel_for(jobs, trace->tiles_x * trace->tiles_y, 4, pelti_trace_tiles, trace);
    PELT_TRY(pelti_trace_smooth(trace, jobs, look->samples >= 16 ? 2 : look->samples >= 8 ? 3 : 4, err));
    PELT_TRY(pelti_image_create(look->width, look->height, out, err));
    pelti_parallel_for(jobs, look->height, 8, finish_rows, &(Finish){trace, out->rgba});
    return PELT_OK;
}

PeltStatus pelti_render(const PeltiRenderScene *scene, const PeltiLook *look, PeltiJobs *jobs, PeltiImage *out, PeltError *err)
{
    *out = (PeltiImage){0};
    PELT_TRY(check(scene, look, err));
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiTrace *trace = PELTI_NEW(&pool, PeltiTrace, 1);
    PeltStatus status = PELT_OK;
    if (!trace)
        status = pelti_no_memory(err, sizeof *trace);
    else {
        trace->scene = scene;
        trace->look = look;
        set_lights(trace);
        status = trace_picture(trace, &pool, jobs, out, err);
        pelti_render_body_release(&trace->solid);
        pelti_render_body_release(&trace->veil);
    }
    pelti_pool_release(&pool);
    if (status == PELT_OK)
        draw_flat(scene, look, out);
    return status;
}
