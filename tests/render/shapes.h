/// Generated surfaces with known pictures.
#ifndef PELT_TESTS_RENDER_SHAPES_H
#define PELT_TESTS_RENDER_SHAPES_H
#include "render/scene.h"

#include <stdlib.h>

typedef struct Shape {
    int vertex_count, triangle_count;
    Vec3 *x;
    int (*t)[3];
} Shape;

static inline Shape shape_torus(Vec3 centre, float big, float small, int m, int n) ///< big 0: a sphere of radius `small`
{
    Shape s = {m * (n + 1), 2 * m * n, malloc(sizeof(Vec3) * (size_t)(m * (n + 1))),
               malloc(sizeof(int[3]) * (size_t)(2 * m * n))};
    for (int j = 0; j <= n; j++)
        for (int i = 0; i < m; i++) {
            float a = 6.2831853f * (float)i / (float)m, b = (big > 0 ? 6.2831853f : 3.14159265f) * (float)j / (float)n;
            float r = big > 0 ? big + small * cosf(b) : small * sinf(b), y = big > 0 ? small * sinf(b) : -small * cosf(b);
            s.x[j * m + i] = vec3_add(centre, vec3(r * sinf(a), y, r * cosf(a)));
        }
    int k = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
            int a = j * m + i, b = j * m + (i + 1) % m, c = a + m, d = b + m;
            s.t[k][0] = a, s.t[k][1] = b, s.t[k++][2] = d;
            s.t[k][0] = a, s.t[k][1] = d, s.t[k++][2] = c;
        }
    return s;
}
static inline Shape shape_sphere(Vec3 centre, float radius, int m)
{
    return shape_torus(centre, 0, radius, m, m / 2);
}
static inline PeltiRenderSceneMesh shape_mesh(const Shape *s)
{
    return (PeltiRenderSceneMesh){.vertex_count = s->vertex_count,
                                  .triangle_count = s->triangle_count,
                                  .positions = s->x,
                                  .triangles = (const int(*)[3])s->t};
}
static inline void shape_free(Shape *s)
{
    free(s->x);
    free(s->t);
}

/// A look framed on the meshes, from `view`.
static inline PeltiLook shape_look(int mesh_count, const PeltiRenderSceneMesh *meshes, PeltiView view, int width, int height)
{
    static const float area[4] = {-0.9f, 0.9f, -0.9f, 0.9f};
    PeltiFraming framing;
    pelti_framing_begin(&framing, &view, width, height, area);
    Vec3 low = {1e30f, 1e30f, 1e30f}, high = {-1e30f, -1e30f, -1e30f};
    for (int m = 0; m < mesh_count; m++) {
        pelti_framing_add(&framing, meshes[m].vertex_count, meshes[m].positions);
        for (int i = 0; i < meshes[m].vertex_count; i++) {
            low = vec3_min(low, meshes[m].positions[i]);
            high = vec3_max(high, meshes[m].positions[i]);
        }
    }
    PeltiLook look = pelti_look_default();
    look.width = width;
    look.height = height;
    look.camera = pelti_framing_camera(&framing);
    look.middle = vec3_scale(vec3_add(low, high), 0.5f);
    look.size = vec3_distance(low, high);
    look.ground_height = low.y;
    return look;
}
#endif
