/// Triangles of boxes, spheres, capsules, cylinders and slopes, and what they weigh.
#include "contact/shapes.h"
#include "contact/constants.def"
#include "math/elementary.h"

#include <string.h>

static const float pi = 3.14159265358979f;

static PeltStatus take(PeltiPool *pool, int vertices, int triangles, PeltiContactMesh *out, PeltError *err)
{
    *out = (PeltiContactMesh){vertices, triangles, PELTI_NEW(pool, Vec3, vertices),
                              pelti_pool_take(pool, (size_t)triangles, sizeof(int[3]))};
    return pool->failed ? pelti_no_memory(err, (size_t)vertices * sizeof(Vec3)) : PELT_OK;
}

/// Six faces, each a grid of `cut` cells along its sides: a soft box bends between its corners, a rigid one needs one cell.
static PeltStatus make_box(PeltiPool *pool, const float size[3], const int cut[3], PeltiContactMesh *out, PeltError *err)
{
    int vertices = 0, triangles = 0, v = 0, t = 0;
    for (int k = 0; k < 3; k++) {
        int a = cut[(k + 1) % 3], b = cut[(k + 2) % 3];
        vertices += 2 * (a + 1) * (b + 1), triangles += 4 * a * b;
    }
    PELT_TRY(take(pool, vertices, triangles, out, err));
    for (int k = 0; k < 3; k++)
        for (int side = 0; side < 2; side++) {
            int ax = (k + 1) % 3, bx = (k + 2) % 3, first = v;
            for (int j = 0; j <= cut[bx]; j++)
                for (int i = 0; i <= cut[ax]; i++) {
                    float p[3];
                    p[k] = size[k] * ((float)side - 0.5f);
                    p[ax] = size[ax] * ((float)i / (float)cut[ax] - 0.5f);
                    p[bx] = size[bx] * ((float)j / (float)cut[bx] - 0.5f);
                    out->vertices[v++] = vec3(p[0], p[1], p[2]);
                }
            for (int j = 0; j < cut[bx]; j++)
                for (int i = 0; i < cut[ax]; i++) {
                    int a = first + j * (cut[ax] + 1) + i, b = a + 1, c = a + cut[ax] + 1, d = c + 1;
                    memcpy(out->triangles[t++], side ? (int[3]){a, b, d} : (int[3]){a, d, b}, sizeof(int[3]));
                    memcpy(out->triangles[t++], side ? (int[3]){a, d, c} : (int[3]){a, c, d}, sizeof(int[3]));
                }
        }
    return PELT_OK;
}

/// The wedge under a plane that rises along +x by the angle; its origin is the middle of the sloping face.
static PeltStatus make_slope(PeltiPool *pool, const float size[3], PeltiContactMesh *out, PeltError *err)
{
    static const int faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                     {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    float rise = pelti_tanf(size[2] * pi / 180), half = size[0] / 2, thick = fmaxf(size[0], size[1]) * SLOPE_THICK;
    PELT_TRY(take(pool, 8, 12, out, err));
    for (int i = 0; i < 8; i++) {
        float x = i >> 2 ? half : -half, z = (i & 1 ? 0.5f : -0.5f) * size[1];
        out->vertices[i] = vec3(x, i >> 1 & 1 ? x * rise : -half * rise - thick, z);
    }
    memcpy(out->triangles, faces, sizeof faces);
    return PELT_OK;
}

typedef struct RingSolid {     ///< rings about y with a pole at either end
    int around, rings;         ///< vertices of a ring, rings
    const float (*profile)[2]; ///< [rings] radius and height
    float bottom, top;         ///< heights of the poles
} RingSolid;

static PeltStatus make_turned(PeltiPool *pool, const RingSolid *turned, PeltiContactMesh *out, PeltError *err)
{
    int around = turned->around, rings = turned->rings;
    const float(*profile)[2] = turned->profile;
    PELT_TRY(take(pool, around * rings + 2, 2 * around * rings, out, err));
    int n = 0, low = around * rings, high = low + 1;
    for (int r = 0; r < rings; r++)
        for (int k = 0; k < around; k++) {
            float a = 2 * pi * ((float)k + (r % 2 ? 0.5f : 0)) / (float)around; // every other ring by half a step: even triangles
            out->vertices[r * around + k] = vec3(profile[r][0] * pelti_cosf(a), profile[r][1], -profile[r][0] * pelti_sinf(a));
        }
    out->vertices[low] = vec3(0, turned->bottom, 0);
    out->vertices[high] = vec3(0, turned->top, 0);
    for (int k = 0; k < around; k++) {
        int next = (k + 1) % around, last = (rings - 1) * around;
        memcpy(out->triangles[n++], (int[3]){low, next, k}, sizeof(int[3]));
        memcpy(out->triangles[n++], (int[3]){high, last + k, last + next}, sizeof(int[3]));
        for (int r = 0; r + 1 < rings; r++) {
            int a = r * around + k, b = r * around + next, c = a + around, d = b + around;
            if (r % 2 == 0) {
                memcpy(out->triangles[n++], (int[3]){a, b, c}, sizeof(int[3]));
                memcpy(out->triangles[n++], (int[3]){b, d, c}, sizeof(int[3]));
            } else {
                memcpy(out->triangles[n++], (int[3]){a, b, d}, sizeof(int[3]));
                memcpy(out->triangles[n++], (int[3]){a, d, c}, sizeof(int[3]));
            }
        }
    }
    return PELT_OK;
}

enum { MOST_AROUND = 256, MOST_RINGS = 2 * MOST_AROUND };

/// A sphere is a capsule without length; a cylinder has rings near its rims so that its faces stay flat and its edges sharp.
static PeltStatus make_round(PeltiPool *pool, const PeltSceneObject *object, PeltiContactMesh *out, PeltError *err)
{
    int around = object->detail > 0 ? object->detail : 24, rings = 0;
    float profile[MOST_RINGS][2], radius = object->size[0], half = object->shape == PELT_SHAPE_SPHERE ? 0 : object->size[1] / 2;
    around = around < 6 ? 6 : around > MOST_AROUND ? MOST_AROUND : around;
    int quarter = around / 4, along = (int)fminf(ceilf(2 * half / (2 * pi * radius / (float)around)), MOST_AROUND);
    if (object->shape == PELT_SHAPE_CYLINDER) {
        for (int r = 0; r <= along; r++, rings++)
            profile[rings][0] = radius, profile[rings][1] = -half + 2 * half * (float)r / (float)(along > 0 ? along : 1);
        RingSolid turned = {
            .around = around, .rings = rings, .profile = (const float(*)[2])profile, .bottom = -half, .top = half};
        return make_turned(pool, &turned, out, err);
    }
    for (int r = 1; r <= quarter; r++, rings++) {
        float a = pi / 2 * (float)r / (float)quarter;
        profile[rings][0] = radius * pelti_sinf(a), profile[rings][1] = -half - radius * pelti_cosf(a);
    }
    for (int r = 1; r < along; r++, rings++)
        profile[rings][0] = radius, profile[rings][1] = -half + 2 * half * (float)r / (float)along;
    for (int r = half > 0 ? quarter : quarter - 1; r >= 1; r--, rings++) {
        float a = pi / 2 * (float)r / (float)quarter;
        profile[rings][0] = radius * pelti_sinf(a), profile[rings][1] = half + radius * pelti_cosf(a);
    }
    RingSolid turned = {
        .around = around, .rings = rings, .profile = (const float(*)[2])profile, .bottom = -half - radius, .top = half + radius};
    return make_turned(pool, &turned, out, err);
}

static PeltStatus copy_mesh(PeltiPool *pool, const PeltSceneObject *object, PeltiContactMesh *out, PeltError *err)
{
    if (object->vertex_count < 3 || object->triangle_count < 1 || !object->vertices || !object->triangles)
        return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: the mesh has no triangles", object->name);
    float scale = object->scale > 0 ? object->scale : 1;
    PELT_TRY(take(pool, object->vertex_count, object->triangle_count, out, err));
    for (int v = 0; v < object->vertex_count; v++) {
        out->vertices[v] = vec3_scale(vec3(object->vertices[v][0], object->vertices[v][1], object->vertices[v][2]), scale);
        if (!vec3_finite(out->vertices[v]))
            return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: vertex %d is not finite", object->name, v);
    }
    for (int t = 0; t < object->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            out->triangles[t][k] = object->triangles[t][k];
            if (object->triangles[t][k] < 0 || object->triangles[t][k] >= object->vertex_count)
                return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: triangle %d has vertex %d of %d", object->name, t,
                                 object->triangles[t][k], object->vertex_count);
        }
    return PELT_OK;
}

void pelti_contact_shape_cells(const PeltSceneObject *object, const float extent[3], int cells[3])
{
    float longest = fmaxf(extent[0], fmaxf(extent[1], extent[2]));
    int along = object->detail > 0 && object->detail <= SOFT_CELLS_MOST ? object->detail : SOFT_CELLS;
    for (int k = 0; k < 3; k++)
        cells[k] = object->kind == PELT_OBJECT_SOFT ? (int)fmaxf(1, roundf((float)along * extent[k] / longest)) : 1;
}

PeltStatus pelti_contact_shape_make(PeltiPool *pool, const PeltSceneObject *object, PeltiContactMesh *out, PeltError *err)
{
    static const int sizes[] = {0, 1, 3, 2, 2, 2};
    int cut[3];
    if (object->shape < PELT_SHAPE_MESH || object->shape > PELT_SHAPE_SLOPE)
        return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: unknown shape %d", object->name, (int)object->shape);
    for (int k = 0; k < sizes[object->shape]; k++)
        if (!(object->size[k] > 0 && object->size[k] < 1e6f))
            return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: size %g must be positive", object->name, (double)object->size[k]);
    switch (object->shape) {
    case PELT_SHAPE_BOX:
        pelti_contact_shape_cells(object, object->size, cut);
        return make_box(pool, object->size, cut, out, err);
    case PELT_SHAPE_SLOPE:
        if (!(object->size[2] >= 0 && object->size[2] < 89))
            return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: a slope of %g degrees", object->name, (double)object->size[2]);
        return make_slope(pool, object->size, out, err);
    case PELT_SHAPE_MESH:
        return copy_mesh(pool, object, out, err);
    default:
        return make_round(pool, object, out, err);
    }
}

/// Sums over the tetrahedra (origin, a, b, c): volume det/6, first moment det/24 (a + b + c), second moment
/// det/120 (s s^T + a a^T + b b^T + c c^T) with s = a + b + c.
bool pelti_contact_shape_solid(const PeltiContactMesh *shape, PeltiContactSolid *out)
{
    double volume = 0, first[3] = {0, 0, 0}, second[3][3] = {{0}};
    for (int t = 0; t < shape->triangle_count; t++) {
        double p[4][3];
        for (int k = 0; k < 3; k++) {
            Vec3 v = shape->vertices[shape->triangles[t][k]];
            p[k][0] = (double)v.x, p[k][1] = (double)v.y, p[k][2] = (double)v.z;
        }
        for (int i = 0; i < 3; i++)
            p[3][i] = p[0][i] + p[1][i] + p[2][i];
        double det = p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) - p[0][1] * (p[1][0] * p[2][2] - p[1][2] * p[2][0]) +
                     p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
        volume += det / 6;
        for (int i = 0; i < 3; i++) {
            first[i] += det / 24 * p[3][i];
            for (int j = 0; j < 3; j++)
                second[i][j] += det / 120 * (p[3][i] * p[3][j] + p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j]);
        }
    }
    if (!(volume > 0))
        return false;
    *out = (PeltiContactSolid){.volume = volume};
    for (int i = 0; i < 3; i++)
        out->centre[i] = first[i] / volume;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            second[i][j] -= volume * out->centre[i] * out->centre[j];
    double trace = second[0][0] + second[1][1] + second[2][2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out->inertia[i][j] = (i == j ? trace : 0) - second[i][j];
    return trace > 0;
}
