/// Shades a tile: what rays of the lens meet, how it is lit, rays to the lamp and all around [Hanika2021], [Duff2017].
#include "render/trace.h"

#include "core/hash.h"
#include "math/elementary.h"

enum { LIGHT_RAYS = 2, RAYS = 2 * LIGHT_RAYS, TILE_PIXELS = PELTI_TILE * PELTI_TILE, VEIL_LAYERS = 8 };

static const float lamp_sine = 0.16f; // half angle of the lamp, 9 degrees: shadows a hand's breadth soft
static const float sky_reach = 0.35f; // of the figure's size: farther things do not darken
static const Vec3 lamp_light = {0.98f, 0.94f, 0.88f}, sky_light = {0.36f, 0.385f, 0.42f}, bounce_light = {0.20f, 0.175f, 0.155f};
static const Vec3 fill_light = {0.09f, 0.10f, 0.12f};

typedef struct Surface {
    int pixel;         ///< index in the picture
    Vec3 position;     ///< where it is
    Vec3 start;        ///< where rays leave: lifted to the smooth surface
    Vec3 normal, face; ///< smooth and true, both towards the viewer
    float edge;        ///< longest of the triangle's
    bool floor;
    Vec3 direct, ambient;
} Surface;

typedef struct TileWork {
    PeltiBoxRay ray[TILE_PIXELS];
    PeltiBoxHit hit[TILE_PIXELS], veil[TILE_PIXELS];
    float slice[TILE_PIXELS]; ///< distance to the slice, INFINITY: not met
    float reach[TILE_PIXELS]; ///< distance to the first opaque thing
    Vec3 through[TILE_PIXELS], veil_glow[TILE_PIXELS];
    PeltiBoxRay veil_ray[TILE_PIXELS];
    int surface_count;
    Surface surface[TILE_PIXELS];
    PeltiBoxRay second[TILE_PIXELS * RAYS];
    uint8_t blocked[TILE_PIXELS * RAYS];
} TileWork;

typedef struct Tile {
    int x0, y0, width, height;
} Tile;

size_t pelti_trace_scratch(void)
{
    return (sizeof(TileWork) + 63) & ~(size_t)63;
}

/// Offsets in [0,1) that differ from pixel to pixel; sample i of a pixel adds i times irrational steps (R2 sequence), which
/// spreads any run of samples evenly.
static float offset(int x, int y, int dimension)
{
    uint64_t key = (uint64_t)(uint32_t)x << 32 | (uint64_t)(uint32_t)y << 3 | (uint64_t)dimension;
    return (float)(pelti_hash_mix(key + 0x9e3779b97f4a7c15ull) >> 40) * 0x1p-24f;
}

static float step_on(float start, int i, float step)
{
    float v = start + (float)i * step;
    return v - floorf(v);
}

static const float R2[2] = {0.7548776662f, 0.5698402910f};

static void lens_rays(const PeltiTrace *trace, Tile tile, int sample, TileWork *work)
{
    const PeltiLook *look = trace->look;
    float jx = step_on(0.5f, sample, R2[0]) - 0.5f, jy = step_on(0.5f, sample, R2[1]) - 0.5f;
    if (look->samples == 1)
        jx = jy = 0;
    for (int j = 0; j < tile.height; j++)
        for (int i = 0; i < tile.width; i++) {
            int k = j * tile.width + i;
            float x = ((float)(tile.x0 + i) + 0.5f + jx) / (float)look->width * 2 - 1;
            float y = 1 - ((float)(tile.y0 + j) + 0.5f + jy) / (float)look->height * 2;
            PeltiBoxRay *ray = &work->ray[k];
            pelti_camera_ray(&look->camera, x, y, &ray->origin, &ray->direction);
            ray->near = 0;
            ray->far = INFINITY;
            work->slice[k] = INFINITY;
            work->through[k] = vec3(1, 1, 1);
            work->veil_glow[k] = vec3(0, 0, 0);
            if (trace->scene->slice_count) {
                float distance, cut;
                if (pelti_slice_hit(trace, ray->origin, ray->direction, &distance, &cut))
                    work->slice[k] = distance;
                ray->near = fminf(cut, 1e30f);
            }
        }
}

static float pixel_size(const PeltiTrace *trace, Vec3 x)
{
    return pelti_camera_pixel(&trace->look->camera, trace->look->height, x);
}

/// Distance to a triangle's edges in pixels, from how barycentrics change when the eye's ray moves a pixel right or up.
static float wire_coverage(const PeltiTrace *trace, const Vec3 *corner, Vec3 at, Vec3 direction, const float bary[3])
{
    Vec3 e1 = vec3_sub(corner[1], corner[0]), e2 = vec3_sub(corner[2], corner[0]), n = vec3_cross(e1, e2);
    float area2 = vec3_dot(n, n), slant = vec3_dot(n, direction), pixel = pixel_size(trace, at);
    if (!(area2 > 0) || fabsf(slant) < 1e-6f * sqrtf(area2))
        return 0;
    const PeltiCamera *camera = &trace->look->camera;
    Vec3 dx = vec3_scale(vec3_mad(camera->right, direction, -vec3_dot(n, camera->right) / slant), pixel);
    Vec3 dy = vec3_scale(vec3_mad(camera->up, direction, -vec3_dot(n, camera->up) / slant), pixel);
    float nearest = 1e30f, smallest = 1e30f;
    for (int k = 0; k < 3; k++) {
        Vec3 edge = vec3_sub(corner[(k + 2) % 3], corner[(k + 1) % 3]);
        Vec3 gradient = vec3_scale(vec3_cross(n, edge), 1 / area2);
        float slope = pelti_hypotf(vec3_dot(gradient, dx), vec3_dot(gradient, dy));
        nearest = fminf(nearest, bary[k] / slope);
        smallest = fminf(smallest, 1 / slope);
    }
    float fade = fminf(fmaxf((smallest - 1.5f) / 5, 0.12f), 1); // too dense to tell lines apart: a tint
    float width = fmaxf(1.1f, (float)trace->look->height / 1000);
    return fade * fminf(fmaxf(0.5f * width + 0.5f - nearest, 0), 1);
}

typedef struct SeenPoint {
    Vec3 position, normal, face, start, colour;
    float shine, edge;
    bool outside;
} SeenPoint;

static Vec3 colour_at(const PeltiTrace *trace, const PeltiRenderBody *body, int owner, const int *corner, const float *bary)
{
    const float *values = (const float *)body->values.data;
    const Vec3 *colours = (const Vec3 *)body->colours.data;
    if (owner >= 0 && trace->scene->meshes[owner].values) {
        PeltiMap map = trace->scene->meshes[owner].map;
        if (map == PELTI_MAP_CATEGORIES) { // of the nearest corner: between categories there is nothing
            int k = bary[0] >= bary[1] && bary[0] >= bary[2] ? 0 : bary[1] >= bary[2] ? 1 : 2;
            return pelti_map_colour(map, values[corner[k]]);
        }
        float t = bary[0] * values[corner[0]] + bary[1] * values[corner[1]] + bary[2] * values[corner[2]];
        return t == t ? trace->maps[map][(int)(fminf(fmaxf(t, 0), 1) * 256)] : vec3(1, 0, 1);
    }
    Vec3 c = vec3_scale(colours[corner[0]], bary[0]);
    return vec3_mad(vec3_mad(c, colours[corner[1]], bary[1]), colours[corner[2]], bary[2]);
}

static SeenPoint look_at_hit(const PeltiTrace *trace, const PeltiRenderBody *body, const PeltiBoxRay *ray, const PeltiBoxHit *hit)
{
    const Vec3 *x = (const Vec3 *)body->positions.data, *n = (const Vec3 *)body->normals.data;
    const int *corner = ((const int(*)[3])body->triangles.data)[hit->triangle];
    int owner = ((const int *)body->owner.data)[hit->triangle];
    const float bary[3] = {1 - hit->u - hit->v, hit->u, hit->v};
    const Vec3 p[3] = {x[corner[0]], x[corner[1]], x[corner[2]]};
    SeenPoint found;
    found.position = vec3_mad(vec3_mad(vec3_scale(p[0], bary[0]), p[1], bary[1]), p[2], bary[2]);
    found.face = vec3_normalize_or(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])), vec3_scale(ray->direction, -1));
    found.normal = vec3_scale(n[corner[0]], bary[0]);
    found.normal = vec3_normalize_or(vec3_mad(vec3_mad(found.normal, n[corner[1]], bary[1]), n[corner[2]], bary[2]), found.face);
    found.edge = fmaxf(vec3_distance(p[0], p[1]), fmaxf(vec3_distance(p[1], p[2]), vec3_distance(p[2], p[0])));
    found.outside = vec3_dot(found.face, ray->direction) <= 0;
    float side = found.outside ? 1 : -1;
    found.face = vec3_scale(found.face, side);
    found.normal = vec3_scale(found.normal, side);
    // Lift the start of shadow rays to the curved surface the normals speak of ([Hanika2021]): the point projected on the
    // three tangent planes, blended. Without it coarse meshes show their triangles where the light grazes.
    found.start = vec3(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        Vec3 m = vec3_scale(n[corner[k]], side);
        float below = fminf(vec3_dot(vec3_sub(found.position, p[k]), m), 0);
        found.start = vec3_mad(found.start, vec3_mad(found.position, m, -below), bary[k]);
    }
    float facing = vec3_dot(found.normal, ray->direction);
    if (facing > -0.02f) // a smooth normal may turn away at the rim
        found.normal = vec3_normalize_or(vec3_mad(found.normal, ray->direction, -facing - 0.02f), found.face);
    found.colour = colour_at(trace, body, owner, corner, bary);
    found.shine = owner >= 0 && (trace->scene->meshes[owner].values || trace->scene->meshes[owner].colours) ? 0.03f : 0.10f;
    if (!found.outside && owner >= 0) // the inside of a skin shows dull and cold: a hole or a crossing is seen at once
        found.colour = vec3_lerp(vec3(0.16f, 0.10f, 0.22f), found.colour, 0.25f);
    if (owner >= 0 && trace->scene->meshes[owner].wire)
        found.colour = vec3_lerp(found.colour, vec3(0.03f, 0.03f, 0.04f),
                                 0.72f * wire_coverage(trace, p, found.position, ray->direction, bary));
    return found;
}

static Vec3 multiply(Vec3 a, Vec3 b)
{
    return vec3(a.x * b.x, a.y * b.y, a.z * b.z);
}

/// Light from the lamp if it is not blocked: Lambert, warmer where it grazes (red light goes farthest through skin), and a
/// broad highlight. Nothing at the horizon, so that shadows start without a line.
static Vec3 direct_light(const PeltiTrace *trace, const SeenPoint *f, Vec3 to_eye)
{
    float cosine = fmaxf(vec3_dot(f->normal, trace->lamp), 0), graze = (1 - cosine) * (1 - cosine);
    Vec3 d = vec3_scale(vec3(1 + 0.45f * graze, 1 + 0.05f * graze, 1 - 0.1f * graze), cosine);
    Vec3 light = multiply(multiply(f->colour, lamp_light), d);
    Vec3 half = vec3_normalize_or(vec3_add(trace->lamp, to_eye), f->normal);
    float h = fmaxf(vec3_dot(f->normal, half), 0), h4 = h * h * h * h, h16 = h4 * h4 * h4 * h4;
    float shine = f->shine * h16 * h16 * fminf(4 * cosine, 1);
    return vec3_mad(light, lamp_light, shine);
}

/// Light from all around: sky above, floor below, a weak fill from the other side, a faint rim.
static Vec3 ambient_light(const PeltiTrace *trace, const SeenPoint *f, Vec3 to_eye)
{
    float up = 0.5f + 0.5f * f->normal.y;
    Vec3 light = vec3_lerp(bounce_light, sky_light, up);
    const PeltiCamera *camera = &trace->look->camera;
    Vec3 fill = vec3_normalize_or(vec3_sub(camera->right, vec3_scale(camera->forward, 0.8f)), camera->right);
    light = vec3_mad(light, fill_light, fmaxf(vec3_dot(f->normal, fill), 0));
    float rim = 1 - fmaxf(vec3_dot(f->normal, to_eye), 0);
    rim *= rim;
    return vec3_mad(multiply(f->colour, light), sky_light, 0.3f * f->shine / 0.10f * rim * rim);
}

static void add_surface(const PeltiTrace *trace, TileWork *work, int index, const SeenPoint *f, Vec3 direct, Vec3 ambient)
{
    PeltiTracePixel *pixel = &trace->pixels[index];
    pixel->direct = vec3_add(pixel->direct, direct);
    pixel->ambient = vec3_add(pixel->ambient, ambient);
    pixel->weight += 1;
    pixel->position = vec3_add(pixel->position, f->position);
    pixel->normal = vec3_add(pixel->normal, f->normal);
    pixel->pixel += pixel_size(trace, f->position);
    work->surface[work->surface_count++] = (Surface){.pixel = index,
                                                     .position = f->position,
                                                     .start = f->start,
                                                     .normal = f->normal,
                                                     .face = f->face,
                                                     .edge = f->edge,
                                                     .direct = direct,
                                                     .ambient = ambient};
}

Vec3 pelti_render_backdrop(const PeltiTrace *trace, int y)
{
    return vec3_lerp(trace->background[1], trace->background[0], ((float)y + 0.5f) / (float)trace->look->height);
}

/// Only the floor's shadows are seen. It fades out before it could end in a line.
bool pelti_render_floor_hit(const PeltiTrace *trace, const PeltiBoxRay *ray, Vec3 *position, float *fade)
{
    const PeltiLook *look = trace->look;
    if (!look->ground || !(ray->direction.y < -1e-4f) || !(ray->origin.y > look->ground_height))
        return false;
    float distance = (look->ground_height - ray->origin.y) / ray->direction.y;
    if (distance < ray->near)
        return false;
    *position = vec3_mad(ray->origin, ray->direction, distance);
    position->y = look->ground_height;
    Vec3 aside = vec3_sub(*position, look->middle);
    aside.y = 0;
    float t = fminf(fmaxf((1.9f - vec3_length(aside) / look->size) / 1.2f, 0), 1);
    *fade = smooth_step(t);
    return *fade > 0;
}

static void add_floor(TileWork *work, PeltiTracePixel *pixel, int index, Vec3 position, float fade)
{
    pixel->floor += fade;
    pixel->floor_count += 1;
    work->surface[work->surface_count++] =
        (Surface){.pixel = index, .position = position, .start = position, .normal = {0, 1, 0}, .face = {0, 1, 0}, .floor = true};
}

static void shade_pixel(const PeltiTrace *trace, TileWork *work, int k, int x, int y)
{
    const PeltiLook *look = trace->look;
    const PeltiBoxRay *ray = &work->ray[k];
    int index = y * look->width + x;
    PeltiTracePixel *pixel = &trace->pixels[index];
    Vec3 through = work->through[k], to_eye = vec3_scale(ray->direction, -1);
    pixel->glow = vec3_add(pixel->glow, work->veil_glow[k]);
    float veiled = 1 - (through.x + through.y + through.z) / 3;
    if (work->slice[k] < work->reach[k] || (work->slice[k] < INFINITY && work->hit[k].triangle < 0)) {
        Vec3 at = vec3_mad(ray->origin, ray->direction, work->slice[k]);
        pixel->glow = vec3_add(pixel->glow, multiply(through, pelti_slice_colour(trace, at, pixel_size(trace, at))));
        pixel->alpha += 1;
        return;
    }
    if (work->hit[k].triangle >= 0) {
        SeenPoint f = look_at_hit(trace, &trace->solid, ray, &work->hit[k]);
        pixel->alpha += 1;
        add_surface(trace, work, index, &f, multiply(through, direct_light(trace, &f, to_eye)),
                    multiply(through, ambient_light(trace, &f, to_eye)));
        return;
    }
    bool opaque = look->background != PELTI_BACKGROUND_NONE;
    pixel->alpha += opaque ? 1 : veiled;
    Vec3 position;
    float fade = 0;
    if (pelti_render_floor_hit(trace, ray, &position, &fade))
        add_floor(work, pixel, index, position, fade * (1 - veiled));
    if (opaque)
        pixel->glow = vec3_mad(pixel->glow, multiply(through, pelti_render_backdrop(trace, y)), 1 - fade);
}

/// Unit vector around the unit `axis`: a along it, (b, c) across, a^2 + b^2 + c^2 = 1. The basis of [Duff2017]: no branches
/// but a sign, no square root.
static Vec3 around(Vec3 axis, float a, float b, float c)
{
    float sign = copysignf(1, axis.z), k = -1 / (sign + axis.z), m = axis.x * axis.y * k;
    Vec3 u = vec3(1 + sign * axis.x * axis.x * k, sign * m, -sign * axis.x), v = vec3(m, sign + axis.y * axis.y * k, -axis.y);
    return vec3_mad(vec3_mad(vec3_scale(axis, a), u, b), v, c);
}

/// sin(2 pi turns) for turns in [-1/2, 1/2]: a parabola and its square, within .0011. Directions of rays need no more, and every
/// surface sends four a sample.
static float quick_sine(float turns)
{
    float y = turns * (8 - 16 * fabsf(turns));
    return y + 0.225f * y * (fabsf(y) - 1);
}

/// A point of the circle with radius r, at a share of its turn in [0, 1).
static void on_circle(float r, float share, float *x, float *y)
{
    *x = r * quick_sine(share < 0.75f ? 0.25f - share : 1.25f - share); // cos
    *y = r * quick_sine(share < 0.5f ? share : share - 1);
}

static void limit_to_cut(const PeltiTrace *trace, PeltiBoxRay *ray)
{
    if (!trace->scene->slice_count)
        return;
    const PeltiRenderSceneSlice *slice = &trace->scene->slice;
    Vec3 n = vec3_cross(slice->right, slice->up);
    float above = vec3_dot(vec3_sub(ray->origin, slice->centre), n), rise = vec3_dot(ray->direction, n);
    if (rise > 0)
        ray->far = above < 0 ? fminf(ray->far, -above / rise) : 0;
}

/// Rays to the lamp, and as many all around. The floor is flat and smooths well: half of them do.
static int ray_count(const Surface *s)
{
    return s->floor ? LIGHT_RAYS / 2 : LIGHT_RAYS;
}

/// Rays of surface `s`: to points of the lamp's disc, and cosine-spread all around with random reach (so that the darkening
/// falls off evenly with distance).
static void aim(const PeltiTrace *trace, const Surface *s, int sample, PeltiBoxRay *ray)
{
    int x = s->pixel % trace->look->width, y = s->pixel / trace->look->width, count = ray_count(s);
    float size = trace->look->size;
    Vec3 start = vec3_mad(s->start, s->face, 2e-4f * size);
    float lamp[2] = {offset(x, y, 0), offset(x, y, 1)}, sky[3] = {offset(x, y, 2), offset(x, y, 3), offset(x, y, 4)};
    for (int i = 0; i < count; i++) {
        int n = sample * count + i;
        float r = lamp_sine * sqrtf(step_on(lamp[0], n, R2[0])), a, b;
        on_circle(r, step_on(lamp[1], n, R2[1]), &a, &b);
        ray[i] = (PeltiBoxRay){start, 0, around(trace->lamp, sqrtf(1 - r * r), a, b), INFINITY};
        if (vec3_dot(ray[i].direction, s->face) <= 0 && vec3_dot(ray[i].direction, s->normal) <= 0)
            ray[i].far = -1; // below the horizon: known to be dark
        else if (vec3_dot(ray[i].direction, s->face) < 0.2f)
            ray[i].near = 1.5f * s->edge; // grazing: the triangle's neighbours stand for the curved surface it belongs to
        limit_to_cut(trace, &ray[i]);
        float r2 = step_on(sky[0], n, R2[0]);
        on_circle(sqrtf(r2), step_on(sky[1], n, R2[1]), &a, &b);
        Vec3 way = around(s->normal, sqrtf(1 - r2), a, b);
        float far = sky_reach * size * (0.05f + 0.95f * step_on(sky[2], n, 0.6180340f));
        ray[count + i] = (PeltiBoxRay){start, 0, way, far};
        limit_to_cut(trace, &ray[count + i]);
    }
}

static void light_surfaces(PeltiTrace *trace, TileWork *work, int sample)
{
    int total = 0;
    for (int i = 0; i < work->surface_count; i++) {
        aim(trace, &work->surface[i], sample, work->second + total);
        total += 2 * ray_count(&work->surface[i]);
    }
    if (trace->solid.rays)
        pelti_rays_blocked(trace->solid.rays, total, work->second, work->blocked);
    for (int i = 0, at = 0; i < work->surface_count; i++) {
        const Surface *s = &work->surface[i];
        int count = ray_count(s);
        float arrives[2] = {0, 0}; // of the lamp, of all around
        for (int k = 0; k < 2 * count; k++, at++)
            if (work->second[at].far >= 0 && !(trace->solid.rays && work->blocked[at]))
                arrives[k / count] += 1 / (float)count;
        PeltiTracePixel *pixel = &trace->pixels[s->pixel];
        if (s->floor) {
            pixel->floor_visible += arrives[0];
            pixel->floor_open += arrives[1];
            continue;
        }
        pixel->visible += arrives[0];
        pixel->open += arrives[1];
        pixel->exact = vec3_mad(vec3_mad(pixel->exact, s->direct, arrives[0]), s->ambient, arrives[1]);
    }
}

/// See-through skins before whatever is opaque, layer after layer from the front; rims are denser than faces.
static void lay_veils(const PeltiTrace *trace, TileWork *work, int count)
{
    for (int k = 0; k < count; k++) {
        work->veil_ray[k] = work->ray[k];
        work->veil_ray[k].far = fminf(work->reach[k], work->slice[k]);
    }
    for (int layer = 0; layer < VEIL_LAYERS; layer++) {
        pelti_rays_closest(trace->veil.rays, count, work->veil_ray, work->veil);
        bool any = false;
        for (int k = 0; k < count; k++) {
            if (work->veil[k].triangle < 0) {
                work->veil_ray[k].far = -1;
                continue;
            }
            any = true;
            SeenPoint f = look_at_hit(trace, &trace->veil, &work->veil_ray[k], &work->veil[k]);
            Vec3 to_eye = vec3_scale(work->veil_ray[k].direction, -1);
            bool loose = ((const int *)trace->veil.owner.data)[work->veil[k].triangle] < 0;
            float rim = 1 - fabsf(vec3_dot(f.normal, to_eye));
            float alpha = (loose ? 0.28f : layer ? 0.05f : 0.10f) + (loose ? 0.3f : 0.5f) * rim * rim * rim;
            Vec3 light = vec3_add(direct_light(trace, &f, to_eye), ambient_light(trace, &f, to_eye));
            work->veil_glow[k] = vec3_mad(work->veil_glow[k], multiply(work->through[k], light), alpha);
            work->through[k] = vec3_scale(work->through[k], 1 - alpha);
            work->veil_ray[k].near = work->veil[k].distance + 1e-4f * trace->look->size;
        }
        if (!any)
            return;
    }
}

void pelti_trace_tiles(void *context, int begin, int end, int worker)
{
    PeltiTrace *trace = context;
    const PeltiLook *look = trace->look;
    TileWork *work = (TileWork *)(trace->scratch + (size_t)worker * trace->scratch_bytes);
    for (int t = begin; t < end; t++) {
        Tile tile = {t % trace->tiles_x * PELTI_TILE, t / trace->tiles_x * PELTI_TILE, PELTI_TILE, PELTI_TILE};
        tile.width = look->width - tile.x0 < PELTI_TILE ? look->width - tile.x0 : PELTI_TILE;
        tile.height = look->height - tile.y0 < PELTI_TILE ? look->height - tile.y0 : PELTI_TILE;
        int count = tile.width * tile.height;
        for (int sample = 0; sample < look->samples; sample++) {
            lens_rays(trace, tile, sample, work);
            for (int k = 0; k < count; k++)
                work->hit[k].triangle = -1;
            if (trace->solid.rays)
                pelti_rays_closest(trace->solid.rays, count, work->ray, work->hit);
            for (int k = 0; k < count; k++)
                work->reach[k] = work->hit[k].triangle >= 0 ? work->hit[k].distance : INFINITY;
            if (trace->veil.rays)
                lay_veils(trace, work, count);
            work->surface_count = 0;
            for (int k = 0; k < count; k++)
                shade_pixel(trace, work, k, tile.x0 + k % tile.width, tile.y0 + k / tile.width);
            light_surfaces(trace, work, sample);
        }
    }
}
