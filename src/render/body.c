/// Gathers surfaces of one kind into triangles for rays, bones and arrows as solids.
#include "render/body.h"
#include "geometry/triangles.h"
#include "math/elementary.h"

typedef int TriangleCorners[3];

static int vertex_count(const PeltiRenderBody *body)
{
    return (int)body->positions.count;
}

static void push_vertex(PeltiRenderBody *body, Vec3 at, Vec3 normal, Vec3 colour, float value)
{
    pelti_array_push(&body->positions, &at);
    pelti_array_push(&body->normals, &normal);
    pelti_array_push(&body->colours, &colour);
    pelti_array_push(&body->values, &value);
}

static void push_triangle(PeltiRenderBody *body, int a, int b, int c, int owner)
{
    TriangleCorners corners = {a, b, c};
    pelti_array_push(&body->triangles, corners);
    pelti_array_push(&body->owner, &owner);
}

static bool good_triangle(const PeltiRenderSceneMesh *mesh, int t)
{
    for (int k = 0; k < 3; k++) {
        int v = mesh->triangles[t][k];
        if (v < 0 || v >= mesh->vertex_count || !vec3_finite(mesh->positions[v]))
            return false;
    }
    return true;
}

static void push_vertex_of(PeltiRenderBody *body, const PeltiRenderSceneMesh *mesh, int v)
{
    Vec3 plain = mesh->colour;
    if (plain.x == 0 && plain.y == 0 && plain.z == 0)
        plain = pelti_render_clay;
    float value = 0;
    if (mesh->values && mesh->map == PELTI_MAP_CATEGORIES)
        value = mesh->values[v];
    else if (mesh->values)
        value = mesh->high > mesh->low ? (mesh->values[v] - mesh->low) / (mesh->high - mesh->low) : 0.5f;
    push_vertex(body, vec3_finite(mesh->positions[v]) ? mesh->positions[v] : vec3(0, 0, 0), vec3(0, 0, 0),
                mesh->colours ? mesh->colours[v] : plain, value);
}

static void add_flat(PeltiRenderBody *body, const PeltiRenderSceneMesh *mesh, int index)
{
    for (int t = 0; t < mesh->triangle_count; t++) {
        if (!good_triangle(mesh, t))
            continue;
        int first = vertex_count(body);
        for (int k = 0; k < 3; k++)
            push_vertex_of(body, mesh, mesh->triangles[t][k]);
        push_triangle(body, first, first + 1, first + 2, index);
    }
}

static void add_mesh(PeltiRenderBody *body, const PeltiRenderSceneMesh *mesh, int index)
{
    int first = vertex_count(body), first_triangle = (int)body->triangles.count;
    if (mesh->flat)
        add_flat(body, mesh, index);
    else {
        for (int v = 0; v < mesh->vertex_count; v++)
            push_vertex_of(body, mesh, v);
        for (int t = 0; t < mesh->triangle_count; t++)
            if (good_triangle(mesh, t))
                push_triangle(body, first + mesh->triangles[t][0], first + mesh->triangles[t][1], first + mesh->triangles[t][2],
                              index);
    }
    if (body->positions.failed || body->normals.failed || body->triangles.failed)
        return;
    const Vec3 *x = (const Vec3 *)body->positions.data;
    Vec3 *n = (Vec3 *)body->normals.data;
    const TriangleCorners *triangles = (const TriangleCorners *)body->triangles.data;
    for (int t = first_triangle; t < (int)body->triangles.count; t++)
        for (int k = 0; k < 3; k++) // area-weighted
            n[triangles[t][k]] = vec3_add(n[triangles[t][k]], pelti_triangle_normal(x, triangles[t]));
    for (int v = first; v < vertex_count(body); v++)
        n[v] = vec3_normalize_or(n[v], vec3(0, 1, 0));
}

typedef struct OutlinePoint { ///< a point of the outline of a turned solid, with its normal
    float along, out, normal_along, normal_out;
} OutlinePoint;

typedef struct TurnedSolid {
    Vec3 origin, axis; ///< the outline's 0, and the unit direction it goes along
    const OutlinePoint *outline;
    int count, sides; ///< points of the outline, vertices of a ring
    Vec3 colour;
} TurnedSolid;

/// A turned solid: a ring of vertices for each point of the outline, joined.
static void add_turned(PeltiRenderBody *body, const TurnedSolid *solid)
{
    const OutlinePoint *outline = solid->outline;
    int count = solid->count, sides = solid->sides;
    Vec3 axis = solid->axis, u = vec3_orthogonal(axis), v = vec3_cross(axis, u);
    int first = vertex_count(body);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < sides; k++) {
            float a = 6.2831853f * (float)k / (float)sides;
            Vec3 out = vec3_add(vec3_scale(u, pelti_cosf(a)), vec3_scale(v, pelti_sinf(a)));
            push_vertex(body, vec3_mad(vec3_mad(solid->origin, axis, outline[i].along), out, outline[i].out),
                        vec3_mad(vec3_scale(axis, outline[i].normal_along), out, outline[i].normal_out), solid->colour, 0);
        }
    for (int i = 0; i + 1 < count; i++)
        for (int k = 0; k < sides; k++) {
            int low = first + i * sides, j = (k + 1) % sides;
            push_triangle(body, low + k, low + j, low + sides + j, -1);
            push_triangle(body, low + k, low + sides + j, low + sides + k, -1);
        }
}

/// Capsule: a ball where a and b are one place.
static void add_capsule(PeltiRenderBody *body, Vec3 a, Vec3 b, float radius, Vec3 colour, int sides)
{
    enum { ARC = 5 };
    if (!vec3_finite(a) || !vec3_finite(b) || !(radius > 0) || !isfinite(radius))
        return;
    float length = vec3_distance(a, b);
    Vec3 axis = vec3_normalize_or(vec3_sub(b, a), vec3(0, 1, 0));
    OutlinePoint outline[2 * ARC];
    for (int i = 0; i < ARC; i++) {
        float angle = 1.5707963f * (float)i / (ARC - 1), c = pelti_cosf(angle), s = pelti_sinf(angle);
        outline[i] = (OutlinePoint){-radius * c, radius * s, -c, s};
        outline[2 * ARC - 1 - i] = (OutlinePoint){length + radius * c, radius * s, c, s};
    }
    add_turned(body,
               &(TurnedSolid){.origin = a, .axis = axis, .outline = outline, .count = 2 * ARC, .sides = sides, .colour = colour});
}

static void add_arrow(PeltiRenderBody *body, const PeltiRenderSceneArrow *arrow, float radius)
{
    float length = vec3_distance(arrow->from, arrow->to);
    if (!vec3_finite(arrow->from) || !vec3_finite(arrow->to) || !(length > 0) || !isfinite(length))
        return;
    float head = fminf(6 * radius, 0.6f * length), thin = fminf(radius, 0.2f * length), wide = 0.42f * head;
    float slope = 1 / pelti_hypotf(head, wide), neck = length - head;
    Vec3 axis = vec3_normalize_or(vec3_sub(arrow->to, arrow->from), vec3(0, 1, 0));
    const OutlinePoint outline[] = {{0, 0, -1, 0},
                                    {0, thin, -1, 0},
                                    {0, thin, 0, 1},
                                    {neck, thin, 0, 1},
                                    {neck, thin, -1, 0},
                                    {neck, wide, -1, 0},
                                    {neck, wide, wide * slope, head * slope},
                                    {length, 0, wide * slope, head * slope}};
    add_turned(body,
               &(TurnedSolid){
                   .origin = arrow->from, .axis = axis, .outline = outline, .count = 8, .sides = 14, .colour = arrow->colour});
}

static void add_loose(PeltiRenderBody *body, const PeltiRenderSceneTriangle *triangle)
{
    static const int order[3] = {0, 1, 2};
    Vec3 normal = vec3_normalize_or(pelti_triangle_normal(triangle->corner, order), vec3(0, 1, 0));
    int first = vertex_count(body);
    for (int k = 0; k < 3; k++)
        if (!vec3_finite(triangle->corner[k]))
            return;
    for (int k = 0; k < 3; k++)
        push_vertex(body, triangle->corner[k], normal, triangle->colour, 0);
    push_triangle(body, first, first + 1, first + 2, -1);
}

static bool has_veil(const PeltiRenderScene *scene)
{
    bool any = false;
    for (int i = 0; i < scene->mesh_count; i++)
        any = any || scene->meshes[i].see_through;
    return any;
}

static void add_all_loose(PeltiRenderBody *body, const PeltiRenderScene *scene)
{
    const PeltiRenderSceneTriangle *triangles = (const PeltiRenderSceneTriangle *)scene->triangles.data;
    for (size_t i = 0; i < scene->triangles.count; i++)
        add_loose(body, &triangles[i]);
}

static void add_shapes(PeltiRenderBody *body, const PeltiRenderScene *scene, float pixel)
{
    const PeltiRenderSceneLine *lines = (const PeltiRenderSceneLine *)scene->lines.data;
    const PeltiRenderScenePoint *points = (const PeltiRenderScenePoint *)scene->points.data;
    const PeltiRenderSceneArrow *arrows = (const PeltiRenderSceneArrow *)scene->arrows.data;
    int sides = scene->lines.count + scene->points.count > 3000 ? 6 : 14;
    for (size_t i = 0; i < scene->lines.count; i++)
        add_capsule(body, lines[i].a, lines[i].b, lines[i].radius > 0 ? lines[i].radius : pixel, lines[i].colour, sides);
    for (size_t i = 0; i < scene->points.count; i++)
        add_capsule(body, points[i].at, points[i].at, points[i].radius > 0 ? points[i].radius : 3 * pixel, points[i].colour,
                    sides);
    for (size_t i = 0; i < scene->arrows.count; i++)
        add_arrow(body, &arrows[i], arrows[i].radius > 0 ? arrows[i].radius : 1.5f * pixel);
}

PeltStatus pelti_render_body_create(const PeltiRenderScene *scene, bool see_through, float pixel, PeltiRenderBody *out,
                                    PeltError *err)
{
    *out = (PeltiRenderBody){0};
    pelti_array_init(&out->positions, NULL, sizeof(Vec3));
    pelti_array_init(&out->normals, NULL, sizeof(Vec3));
    pelti_array_init(&out->colours, NULL, sizeof(Vec3));
    pelti_array_init(&out->values, NULL, sizeof(float));
    pelti_array_init(&out->triangles, NULL, sizeof(TriangleCorners));
    pelti_array_init(&out->owner, NULL, sizeof(int));
    for (int i = 0; i < scene->mesh_count; i++)
        if (scene->meshes[i].see_through == see_through)
            add_mesh(out, &scene->meshes[i], i);
    if (!see_through)
        add_shapes(out, scene, pixel);
    if (see_through == has_veil(scene)) // layers within layers: see-through where the skin is
        add_all_loose(out, scene);
    PeltStatus status = PELT_OK;
    if (out->positions.failed || out->normals.failed || out->colours.failed || out->values.failed || out->triangles.failed ||
        out->owner.failed)
        status = pelti_no_memory(err, out->positions.count * sizeof(Vec3));
    else if (out->triangles.count)
        status = pelti_rays_create(vertex_count(out), (const Vec3 *)out->positions.data, (int)out->triangles.count,
                                   (const TriangleCorners *)out->triangles.data, &out->rays, err);
    if (status != PELT_OK)
        pelti_render_body_release(out);
    return status;
}

void pelti_render_body_release(PeltiRenderBody *body)
{
    pelti_rays_destroy(body->rays);
    pelti_array_release(&body->positions);
    pelti_array_release(&body->normals);
    pelti_array_release(&body->colours);
    pelti_array_release(&body->values);
    pelti_array_release(&body->triangles);
    pelti_array_release(&body->owner);
    *body = (PeltiRenderBody){0};
}
