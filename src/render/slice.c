/// Planar sections of a field in a picture.
#include "render/trace.h"
#include "math/elementary.h"

void pelti_slice_rows(void *context, int begin, int end, int worker)
{
    (void)worker;
    PeltiTrace *trace = context;
    const PeltiRenderSceneSlice *slice = &trace->scene->slice;
    PeltiSliceTexture *texture = &trace->slice;
    for (int j = begin; j < end; j++)
        for (int i = 0; i < texture->width; i++) {
            float u = 2 * (float)i / (float)(texture->width - 1) - 1, v = 2 * (float)j / (float)(texture->height - 1) - 1;
            Vec3 x = vec3_mad(vec3_mad(slice->centre, slice->right, u), slice->up, v);
            size_t at = (size_t)j * (size_t)texture->width + (size_t)i;
            texture->value[at] = slice->value(slice->state, x);
            if (texture->contact)
                texture->contact[at] = slice->contact(slice->state, x);
        }
}

bool pelti_slice_hit(const PeltiTrace *trace, Vec3 origin, Vec3 direction, float *distance, float *cut)
{
    const PeltiRenderSceneSlice *slice = &trace->scene->slice;
    Vec3 normal = vec3_normalize_or(vec3_cross(slice->right, slice->up), vec3(0, 0, 1));
    float above = vec3_dot(vec3_sub(origin, slice->centre), normal), down = -vec3_dot(direction, normal);
    *cut = 0;
    if (above > 0 && !(down > 1e-9f)) {
        *cut = INFINITY; // stays on the side that is cut away
        return false;
    }
    if (fabsf(down) < 1e-9f || above / down <= 0)
        return false;
    *distance = above / down;
    if (above > 0)
        *cut = *distance;
    Vec3 away = vec3_sub(vec3_mad(origin, direction, *distance), slice->centre);
    return fabsf(vec3_dot(away, slice->right)) <= vec3_dot(slice->right, slice->right) &&
           fabsf(vec3_dot(away, slice->up)) <= vec3_dot(slice->up, slice->up);
}

/// Value and its change per unit of u and v in [-1,1].
static float look_up(const PeltiSliceTexture *t, const float *data, float u, float v, float *du, float *dv)
{
    float x = 0.5f * (u + 1) * (float)(t->width - 1), y = 0.5f * (v + 1) * (float)(t->height - 1);
    int i = (int)fminf(fmaxf(x, 0), (float)(t->width - 2)), j = (int)fminf(fmaxf(y, 0), (float)(t->height - 2));
    const float *p = data + (size_t)j * (size_t)t->width + (size_t)i, *q = p + t->width;
    float fx = x - (float)i, fy = y - (float)j;
    *du = ((p[1] - p[0]) * (1 - fy) + (q[1] - q[0]) * fy) * 0.5f * (float)(t->width - 1);
    *dv = ((q[0] - p[0]) * (1 - fx) + (q[1] - p[1]) * fx) * 0.5f * (float)(t->height - 1);
    return (p[0] * (1 - fx) + p[1] * fx) * (1 - fy) + (q[0] * (1 - fx) + q[1] * fx) * fy;
}

/// Coverage of a line `width` pixels wide where the value is `off` away from it and changes by `slope` a pixel.
static float line(float off, float slope, float width)
{
    if (!(slope > 1e-12f))
        return 0;
    return fminf(fmaxf(0.5f * width + 0.5f - fabsf(off) / slope, 0), 1);
}

Vec3 pelti_slice_colour(const PeltiTrace *trace, Vec3 x, float pixel)
{
    const PeltiRenderSceneSlice *slice = &trace->scene->slice;
    Vec3 away = vec3_sub(x, slice->centre);
    float width = vec3_length(slice->right), height = vec3_length(slice->up);
    float u = vec3_dot(away, slice->right) / (width * width), v = vec3_dot(away, slice->up) / (height * height), du, dv;
    float value = look_up(&trace->slice, trace->slice.value, u, v, &du, &dv);
    float slope = pelti_hypotf(du / width, dv / height) * pixel;
    float t = 0.5f + (value - slice->iso) * 0.5f / fmaxf(fmaxf(slice->iso, 1 - slice->iso), 1e-6f);
    Vec3 colour = trace->maps[PELTI_MAP_FIELD][(int)(fminf(fmaxf(t, 0), 1) * 256)];
    float level = roundf(value * 10) / 10;
    if (level > 0.05f && level < 0.95f)
        colour = vec3_lerp(colour, vec3_scale(colour, 0.45f), line(value - level, slope, 1) * 0.7f);
    colour = vec3_lerp(colour, vec3(0.01f, 0.01f, 0.012f), line(value - slice->iso, slope, 2.4f));
    if (trace->slice.contact) {
        float off = look_up(&trace->slice, trace->slice.contact, u, v, &du, &dv);
        colour = vec3_lerp(colour, vec3(0.02f, 0.55f, 0.08f), line(off, pelti_hypotf(du / width, dv / height) * pixel, 3));
    }
    return colour;
}
