/// Computes the signed distance to lofts and ellipsoids in smooth union, which is a built-in character's shape.
#include "builtin/shape.h"
#include "math/elementary.h"

#include <string.h>

enum { MAX_SECTIONS = 16, MAX_THINGS = 512, MAX_GROUPS = 64, COARSE = 4 };

typedef enum ThingKind { LOFT, ELLIPSOID } ThingKind;
typedef enum Operation { JOIN, BUMP } Operation;

typedef struct Thing {
    ThingKind kind;
    Operation operation;
    int group;
    uint64_t bones;
    float detail, blend, height;
    Vec3 origin, side, axis, front; // orthonormal, perhaps left-handed (mirrored)
    Vec3 radii;                     // ellipsoid: along side, axis, front
    float length, power, cap_a, cap_b;
    int section_count;
    PeltiSolidSection section[MAX_SECTIONS];
    PeltiSolidSection slope[MAX_SECTIONS]; // d section / dt
    Vec3 low, high;
} Thing;

struct PeltiSolid {
    PeltiPool *pool;
    int thing_count;
    Thing things[MAX_THINGS];
    float group_blend[MAX_GROUPS];
    float widest_blend;
    Vec3 low, high;
    float cell;
    int nx, ny, nz;
    int *first;  // [cells + 1] into list
    short *list; // things of each cell, in joining order
    bool failed;
};

PeltiSolid *pelti_solid_create(PeltiPool *pool)
{
    PeltiSolid *shape = PELTI_NEW(pool, PeltiSolid, 1);
    if (shape)
        shape->pool = pool;
    return shape;
}

void pelti_solid_group(PeltiSolid *shape, int group, float blend)
{
    PELT_ASSERT(group >= 0 && group < MAX_GROUPS);
    shape->group_blend[group] = blend;
    shape->widest_blend = fmaxf(shape->widest_blend, blend);
}

static Vec3 mirrored(Vec3 v, bool mirror)
{
    return mirror ? vec3(-v.x, v.y, v.z) : v;
}

/// A new thing with its frame; the front direction is made square to the axis.
static Thing *add(PeltiSolid *shape, const PeltiSolidPen *pen, Vec3 origin, Vec3 axis, Vec3 front)
{
    PELT_ASSERT(shape->thing_count < MAX_THINGS);
    Thing *thing = &shape->things[shape->thing_count++];
    Vec3 y = vec3_normalize_or(mat34_apply_vector(pen->place, axis), vec3(0, 1, 0));
    Vec3 z = mat34_apply_vector(pen->place, front);
    z = vec3_normalize_or(vec3_mad(z, y, -vec3_dot(z, y)), vec3_orthogonal(y));
    thing->group = pen->group;
    thing->bones = pen->bones;
    thing->detail = pen->detail;
    thing->blend = pen->blend;
    thing->origin = mirrored(mat34_apply(pen->place, origin), pen->mirror);
    thing->axis = mirrored(y, pen->mirror);
    thing->front = mirrored(z, pen->mirror);
    thing->side = mirrored(vec3_cross(y, z), pen->mirror);
    shape->widest_blend = fmaxf(shape->widest_blend, pen->blend);
    return thing;
}

static void add_fields(float *to, const PeltiSolidSection *from, float scale)
{
    const float *f = &from->t;
    for (int i = 0; i < 7; i++)
        to[i] += f[i] * scale;
}

/// Tangents for a cubic through the sections: central differences over uneven steps, one-sided at the ends.
static void fill_slopes(Thing *thing)
{
    int n = thing->section_count;
    memset(thing->slope, 0, sizeof thing->slope);
    for (int i = 0; i < n; i++) {
        int a = i > 0 ? i - 1 : 0, b = i < n - 1 ? i + 1 : n - 1;
        float step = thing->section[b].t - thing->section[a].t;
        if (step > 0) {
            add_fields(&thing->slope[i].t, &thing->section[b], 1 / step);
            add_fields(&thing->slope[i].t, &thing->section[a], -1 / step);
        }
    }
}

static void box_around(Thing *thing, Vec3 low, Vec3 high)
{
    thing->low = vec3(INFINITY, INFINITY, INFINITY);
    thing->high = vec3(-INFINITY, -INFINITY, -INFINITY);
    for (int i = 0; i < 8; i++) {
        Vec3 p = vec3_mad(thing->origin, thing->side, i & 1 ? high.x : low.x);
        p = vec3_mad(p, thing->axis, i & 2 ? high.y : low.y);
        p = vec3_mad(p, thing->front, i & 4 ? high.z : low.z);
        thing->low = vec3_min(thing->low, p);
        thing->high = vec3_max(thing->high, p);
    }
}

void pelti_solid_loft(PeltiSolid *shape, const PeltiSolidPen *pen, PeltiSolidLoftLine line, PeltiSolidLoftForm form,
                      int section_count, const PeltiSolidSection *sections)
{
    PELT_ASSERT(section_count >= 1 && section_count <= MAX_SECTIONS);
    Thing *thing = add(shape, pen, line.a, vec3_sub(line.b, line.a), line.front);
    thing->kind = LOFT;
    thing->length = vec3_distance(line.a, line.b);
    thing->power = form.power;
    thing->cap_a = form.cap_a;
    thing->cap_b = form.cap_b;
    thing->section_count = section_count;
    memcpy(thing->section, sections, (size_t)section_count * sizeof *sections);
    fill_slopes(thing);
    Vec3 low = vec3(0, sections[0].t * thing->length - form.cap_a, 0),
         high = vec3(0, sections[section_count - 1].t * thing->length + form.cap_b, 0);
    for (int i = 0; i < section_count; i++) {
        const PeltiSolidSection *s = &sections[i];
        low = vec3_min(low, vec3(s->x - s->left * 1.1f, low.y, s->z - s->back * 1.1f));
        high = vec3_max(high, vec3(s->x + s->right * 1.1f, high.y, s->z + s->front * 1.1f));
    }
    box_around(thing, low, high);
}

static Thing *add_ellipsoid(PeltiSolid *shape, const PeltiSolidPen *pen, Vec3 centre, PeltiSolidFacing facing, Vec3 radii,
                            Operation operation)
{
    Thing *thing = add(shape, pen, centre, facing.axis, facing.front);
    thing->kind = ELLIPSOID;
    thing->operation = operation;
    thing->radii = radii;
    box_around(thing, vec3_scale(radii, -1), radii);
    return thing;
}

void pelti_solid_ellipsoid(PeltiSolid *shape, const PeltiSolidPen *pen, Vec3 centre, PeltiSolidFacing facing, Vec3 radii)
{
    add_ellipsoid(shape, pen, centre, facing, radii, JOIN);
}

void pelti_solid_bump(PeltiSolid *shape, const PeltiSolidPen *pen, Vec3 centre, PeltiSolidFacing facing, Vec3 radii, float height)
{
    add_ellipsoid(shape, pen, centre, facing, radii, BUMP)->height = height;
}

/// The section at t by cubic Hermite interpolation.
static PeltiSolidSection section_at(const Thing *thing, float t)
{
    int n = thing->section_count, i = 0;
    if (n == 1 || t <= thing->section[0].t)
        return thing->section[0];
    if (t >= thing->section[n - 1].t)
        return thing->section[n - 1];
    while (t > thing->section[i + 1].t)
        i++;
    float step = thing->section[i + 1].t - thing->section[i].t;
    float u = (t - thing->section[i].t) / step, v = 1 - u;
    float h00 = v * v * (1 + 2 * u), h10 = v * v * u * step, h01 = u * u * (1 + 2 * v), h11 = -u * u * v * step;
    const float *a = &thing->section[i].t, *b = &thing->section[i + 1].t, *c = &thing->slope[i].t, *d = &thing->slope[i + 1].t;
    PeltiSolidSection out;
    float *o = &out.t;
    for (int k = 0; k < 7; k++)
        o[k] = a[k] * h00 + b[k] * h01 + c[k] * h10 + d[k] * h11;
    return out;
}

/// (a^p + b^p)^(2/p), with the larger one taken out: two powers in place of three.
static float rounded_square(float a, float b, float p)
{
    float most = fmaxf(a, b), share = most > 0 ? fminf(a, b) / most : 0;
    return most * most * pelti_powf(1 + pelti_powf(share, p), 2 / p);
}

/// Radial distance to the section's outline: |q| (1 - 1 / rho), rho = 1 on the outline.
static float loft_distance(const Thing *thing, float x, float y, float z)
{
    float t = y / thing->length, first = thing->section[0].t, last = thing->section[thing->section_count - 1].t;
    PeltiSolidSection s = section_at(thing, t);
    x -= s.x;
    z -= s.z;
    float over = 0, cap = 1;
    if (t > last) {
        over = y - last * thing->length;
        cap = thing->cap_b;
    } else if (t < first) {
        over = first * thing->length - y;
        cap = thing->cap_a;
    }
    float wx = larger(x >= 0 ? s.right : s.left, 1e-4f), wz = larger(z >= 0 ? s.front : s.back, 1e-4f);
    float ux = fabsf(x) / wx, uz = fabsf(z) / wz, uy = over / larger(cap, 1e-4f), rho;
    float flat = thing->power == 2 ? ux * ux + uz * uz : rounded_square(ux, uz, thing->power);
    rho = sqrtf(flat + uy * uy);
    float reach = sqrtf(x * x + z * z + over * over);
    if (rho < 1e-3f)
        return -lesser(wx, wz);
    return reach * (1 - 1 / rho);
}

static float thing_distance(const Thing *thing, Vec3 p)
{
    Vec3 q = vec3_sub(p, thing->origin);
    float x = vec3_dot(q, thing->side), y = vec3_dot(q, thing->axis), z = vec3_dot(q, thing->front);
    if (thing->kind == LOFT)
        return loft_distance(thing, x, y, z);
    Vec3 r = thing->radii;
    Vec3 u = vec3(x / r.x, y / r.y, z / r.z), g = vec3(u.x / r.x, u.y / r.y, u.z / r.z);
    float k0 = vec3_length(u), k1 = vec3_length(g);
    if (thing->operation == BUMP)
        return k0 < 1 ? thing->height * (1 - k0 * k0) * (1 - k0 * k0) * (1 - k0 * k0) : 0;
    return k1 > 1e-6f ? k0 * (k0 - 1) / k1 : -lesser(r.x, lesser(r.y, r.z)); // first-order distance
}

/// Smooth minimum with continuous curvature: lower than min(a, b) by at most k / 6, and only where |a - b| < k.
static float smooth_min(float a, float b, float k)
{
    float h = k > 0 ? larger(k - fabsf(a - b), 0) / k : 0;
    return lesser(a, b) - h * h * h * k * (1 / 6.0f);
}

static float box_distance(const Thing *thing, Vec3 p)
{
    float dx = larger(larger(thing->low.x - p.x, p.x - thing->high.x), 0),
          dy = larger(larger(thing->low.y - p.y, p.y - thing->high.y), 0);
    float dz = larger(larger(thing->low.z - p.z, p.z - thing->high.z), 0);
    return sqrtf(dx * dx + dy * dy + dz * dz);
}

/// A thing whose box is farther than what is joined already, by more than the radii of the unions, changes nothing.
static float join_list(const PeltiSolid *shape, const short *list, int count, Vec3 p)
{
    float total = 1e3f, part = 1e3f;
    int group = -1;
    for (int i = 0; i < count; i++) {
        const Thing *thing = &shape->things[list[i]];
        if (thing->group != group) {
            if (group >= 0)
                total = smooth_min(total, part, shape->group_blend[group]);
            group = thing->group;
            part = 1e3f;
        }
        float away = box_distance(thing, p);
        if (thing->operation == BUMP)
            part -= away > 0 ? 0 : thing_distance(thing, p);
        else if (away < part + thing->blend && away < total + shape->group_blend[group] + shape->widest_blend)
            part = smooth_min(part, thing_distance(thing, p), thing->blend);
    }
    return group >= 0 ? smooth_min(total, part, shape->group_blend[group]) : total;
}

/// Order of joining: by group, then as added (insertion sort keeps the order).
static void sort_things(PeltiSolid *shape)
{
    for (int i = 1; i < shape->thing_count; i++) {
        Thing moving = shape->things[i];
        int j = i;
        for (; j > 0 && shape->things[j - 1].group > moving.group; j--)
            shape->things[j] = shape->things[j - 1];
        shape->things[j] = moving;
    }
}

/// Things of `from` that can matter within `radius` of p. Lofts are steeper than distances where flat: hence the slack.
static int choose(const PeltiSolid *shape, const short *from, int count, Vec3 p, float radius, short *out)
{
    float near[MAX_THINGS], nearest = INFINITY, slack = 1.5f * radius + shape->widest_blend;
    for (int i = 0; i < count; i++) {
        const Thing *thing = &shape->things[from[i]];
        near[i] = box_distance(thing, p);
        if (thing->operation != JOIN)
            continue;
        if (near[i] < nearest + 2 * slack) {
            near[i] = thing_distance(thing, p);
            nearest = fminf(nearest, near[i]);
        }
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const Thing *thing = &shape->things[from[i]];
        if (thing->operation == JOIN ? near[i] <= nearest + 2 * slack : near[i] <= radius + thing->blend)
            out[kept++] = from[i];
    }
    return kept;
}

typedef struct CellLists {
    PeltiSolid *shape;
    const short *coarse; // [coarse cells x MAX_THINGS]
    const int *coarse_count;
    int cx, cy, cz;
    int *count;  // [cells]
    short *list; // second pass only
} CellLists;

static Vec3 cell_centre(const PeltiSolid *shape, int i, int j, int k, float edge)
{
    return vec3_add(shape->low, vec3(((float)i + 0.5f) * edge, ((float)j + 0.5f) * edge, ((float)k + 0.5f) * edge));
}

static void fill_cells(void *context, int begin, int end, int worker)
{
    (void)worker;
    CellLists *fill = context;
    const PeltiSolid *s = fill->shape;
    short chosen[MAX_THINGS];
    for (int c = begin; c < end; c++) {
        int i = c % s->nx, j = c / s->nx % s->ny, k = c / s->nx / s->ny;
        int parent = (k / COARSE * fill->cy + j / COARSE) * fill->cx + i / COARSE;
        int n = choose(s, fill->coarse + (size_t)parent * MAX_THINGS, fill->coarse_count[parent],
                       cell_centre(s, i, j, k, s->cell), s->cell * 0.87f, chosen);
        if (fill->list)
            memcpy(fill->list + s->first[c], chosen, (size_t)n * sizeof *chosen);
        else
            fill->count[c] = n;
    }
}

static void find_bounds(PeltiSolid *shape)
{
    shape->low = vec3(INFINITY, INFINITY, INFINITY);
    shape->high = vec3_scale(shape->low, -1);
    for (int i = 0; i < shape->thing_count; i++) {
        if (shape->things[i].operation != JOIN)
            continue;
        shape->low = vec3_min(shape->low, shape->things[i].low);
        shape->high = vec3_max(shape->high, shape->things[i].high);
    }
    Vec3 margin = vec3(0.02f, 0.02f, 0.02f);
    shape->low = vec3_sub(shape->low, margin);
    shape->high = vec3_add(shape->high, margin);
}

PeltStatus pelti_solid_finish(PeltiSolid *shape, float cell, PeltiJobs *jobs, PeltError *err)
{
    sort_things(shape);
    find_bounds(shape);
    Vec3 size = vec3_sub(shape->high, shape->low);
    shape->cell = cell;
    shape->nx = (int)(size.x / cell) + 1;
    shape->ny = (int)(size.y / cell) + 1;
    shape->nz = (int)(size.z / cell) + 1;
    int cells = shape->nx * shape->ny * shape->nz;
    CellLists fill = {.shape = shape, .cx = shape->nx / COARSE + 1, .cy = shape->ny / COARSE + 1, .cz = shape->nz / COARSE + 1};
    int coarse_cells = fill.cx * fill.cy * fill.cz;
    short *coarse = PELTI_NEW(shape->pool, short, (size_t)coarse_cells *MAX_THINGS);
    int *coarse_count = PELTI_NEW(shape->pool, int, coarse_cells);
    fill.count = PELTI_NEW(shape->pool, int, cells);
    shape->first = PELTI_NEW(shape->pool, int, cells + 1);
    if (shape->pool->failed)
        return pelti_no_memory(err, (size_t)coarse_cells * MAX_THINGS * sizeof *coarse);
    short all[MAX_THINGS];
    for (int i = 0; i < shape->thing_count; i++)
        all[i] = (short)i;
    for (int c = 0; c < coarse_cells; c++) {
        Vec3 centre = cell_centre(shape, c % fill.cx, c / fill.cx % fill.cy, c / fill.cx / fill.cy, cell * COARSE);
        coarse_count[c] = choose(shape, all, shape->thing_count, centre, cell * COARSE * 0.87f, coarse + (size_t)c * MAX_THINGS);
    }
    fill.coarse = coarse;
    fill.coarse_count = coarse_count;
    pelti_parallel_for(jobs, cells, 256, fill_cells, &fill);
    for (int c = 0; c < cells; c++)
        shape->first[c + 1] = shape->first[c] + fill.count[c];
    fill.list = shape->list = PELTI_NEW(shape->pool, short, shape->first[cells]);
    if (!shape->list)
        return pelti_no_memory(err, (size_t)shape->first[cells] * sizeof *shape->list);
    pelti_parallel_for(jobs, cells, 256, fill_cells, &fill);
    return PELT_OK;
}

static int clamp_cell(float x, int n)
{
    return x < 0 ? 0 : x >= (float)n ? n - 1 : (int)x;
}

static const short *list_at(const PeltiSolid *shape, Vec3 p, int *count)
{
    Vec3 q = vec3_scale(vec3_sub(p, shape->low), 1 / shape->cell);
    int c = (clamp_cell(q.z, shape->nz) * shape->ny + clamp_cell(q.y, shape->ny)) * shape->nx + clamp_cell(q.x, shape->nx);
    *count = shape->first[c + 1] - shape->first[c];
    return shape->list + shape->first[c];
}

float pelti_solid_distance(const PeltiSolid *shape, Vec3 p)
{
    int count;
    const short *list = list_at(shape, p, &count);
    return join_list(shape, list, count, p);
}

Vec3 pelti_solid_gradient(const PeltiSolid *shape, Vec3 p, float step)
{
    static const float corner[4][3] = {{1, -1, -1}, {-1, -1, 1}, {-1, 1, -1}, {1, 1, 1}};
    Vec3 sum = {0, 0, 0};
    int count;
    const short *list = list_at(shape, p, &count);
    for (int i = 0; i < 4; i++) {
        Vec3 c = vec3(corner[i][0], corner[i][1], corner[i][2]);
        sum = vec3_mad(sum, c, join_list(shape, list, count, vec3_mad(p, c, step)));
    }
    return vec3_scale(sum, 1 / (4 * step));
}

float pelti_solid_detail(const PeltiSolid *shape, Vec3 p, uint64_t *bones)
{
    const float fade = 0.006f; // m over which the wanted edge length changes from one thing to the next
    int count;
    const short *list = list_at(shape, p, &count);
    float d[MAX_THINGS], nearest = INFINITY, sum = 0, total = 0;
    for (int i = 0; i < count; i++) {
        const Thing *thing = &shape->things[list[i]];
        d[i] = thing->operation == JOIN ? thing_distance(thing, p) : INFINITY;
        if (d[i] < nearest) {
            nearest = d[i];
            *bones = thing->bones;
        }
    }
    for (int i = 0; i < count; i++) {
        float w = pelti_expf((nearest - d[i]) / fade);
        sum += w * shape->things[list[i]].detail;
        total += w;
    }
    return total > 0 ? sum / total : 1;
}

Vec3 pelti_solid_project(const PeltiSolid *shape, Vec3 p, float reach, Vec3 *normal)
{
    Vec3 from = p, n = {0, 1, 0};
    float slope = 1;
    for (int i = 0; i < 3; i++) {
        float d = pelti_solid_distance(shape, p);
        if (i == 0 || (i == 1 && fabsf(d) > 0.02f * reach)) { // a later step that is short follows the normal before it
            Vec3 g = pelti_solid_gradient(shape, p, 3e-4f);
            slope = vec3_length(g);
            n = vec3_scale(g, 1 / fmaxf(slope, 0.2f));
        }
        float step = d / fmaxf(slope, 0.5f);
        p = vec3_mad(p, n, -fmaxf(fminf(step, reach), -reach));
        if (fabsf(d) < 1e-3f * reach)
            break;
    }
    if (normal)
        *normal = vec3_normalize_or(n, vec3(0, 1, 0));
    return vec3_distance(p, from) <= 2 * reach ? p : from;
}

static float remesh_distance(const void *shape, Vec3 p)
{
    return pelti_solid_distance(shape, p);
}

static Vec3 remesh_gradient(const void *shape, Vec3 p)
{
    return pelti_solid_gradient(shape, p, 3e-4f);
}

static Vec3 remesh_project(const void *shape, Vec3 p, Vec3 normal, float reach)
{
    (void)normal;
    return pelti_solid_project(shape, p, reach, NULL);
}

static float remesh_detail(const void *shape, Vec3 p)
{
    uint64_t bones;
    return pelti_solid_detail(shape, p, &bones);
}

PeltiRemeshShape pelti_solid_to_remesh(const PeltiSolid *shape)
{
    return (PeltiRemeshShape){.context = shape,
                              .low = shape->low,
                              .high = shape->high,
                              .distance = remesh_distance,
                              .gradient = remesh_gradient,
                              .project = remesh_project,
                              .detail = remesh_detail};
}
