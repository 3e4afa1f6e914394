/// Inside the room: the skin cut into small patches, and which of them are surely smooth.
#ifndef PELTI_TOUCH_PATCHES_H
#define PELTI_TOUCH_PATCHES_H

#include "geometry/box_tree.h"
#include "geometry/mesh.h"

enum {
    TOUCH_PATCH = 16,                       ///< triangles at most
    TOUCH_PATCH_VERTICES = TOUCH_PATCH + 2, ///< connected: each further triangle brings one vertex and two edges at most
    TOUCH_PATCH_EDGES = 2 * TOUCH_PATCH + 1,
    TOUCH_PATCH_SLOTS = (TOUCH_PATCH_EDGES + 3) / 4 * 4, ///< of edges: they are looked at by fours
    TOUCH_VIA = 6                                        ///< patches beside two that are joined
};

static inline void pelti_touch_add_outer(Mat3 *m, Vec3 a, Vec3 b) ///< m += a b^T
{
    m->m[0][0] += a.x * b.x, m->m[0][1] += a.x * b.y, m->m[0][2] += a.x * b.z;
    m->m[1][0] += a.y * b.x, m->m[1][1] += a.y * b.y, m->m[1][2] += a.y * b.z;
    m->m[2][0] += a.z * b.x, m->m[2][1] += a.z * b.y, m->m[2][2] += a.z * b.z;
}

/// No eigenvalue of the symmetric matrix is lower: less its mean, it has no trace, so that its lowest is at least -sqrt(2/3) of
/// its norm.
static inline float pelti_touch_lowest_eigenvalue(const Mat3 *g)
{
    float mean = (g->m[0][0] + g->m[1][1] + g->m[2][2]) / 3, norm = 0;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            float d = g->m[i][k] - (i == k ? mean : 0);
            norm += d * d;
        }
    return mean - 0.8165f * sqrtf(norm);
}

typedef float TouchFour __attribute__((vector_size(16))); ///< x, y, z, and a lane that says nothing; or of four edges

/// Triangles joined by edges. Vertices, triangles and edges of a patch are counted within it; of those it shares with others it
/// owns some, so that every vertex and every edge has one owner.
typedef struct TouchPatch {
    int triangle_count, vertex_count, edge_count;
    int triangle[TOUCH_PATCH];
    int vertex[TOUCH_PATCH_VERTICES];
    unsigned char corner[TOUCH_PATCH][3];
    unsigned char edge[TOUCH_PATCH_SLOTS][2]; ///< beyond the last edge: none
    bool owns_vertex[TOUCH_PATCH_VERTICES], owns_edge[TOUCH_PATCH_EDGES];
    float edge_inverse[TOUCH_PATCH_SLOTS]; ///< 1 / length at rest; beyond the last edge 0
    float rest[TOUCH_PATCH_VERTICES][4];   ///< from the mean
    float inverse[3][4];                   ///< of sum(rest rest^T) + normal_weight normal normal^T
    Vec3 normal;                           ///< mean, unit, at rest
    float normal_weight;                   ///< length^2, of the normal in the fit
    float fold, slim; ///< least cosine at rest between a triangle and one beside it; most of their sides' product, of the area
} TouchPatch;

/// How a patch lies: every edge e of it is (linear + something no larger than `strain`) times what it was at rest.
typedef struct TouchShape {
    Mat3 linear;
    float strain;
} TouchShape;

/// What a patch and its neighbours bear: for any join of it, a strain that is no less and a least stretch (squared) that is no
/// more than what pelti_touch_join_smooth finds. One look at a patch so spares nearly all looks at its joins.
typedef struct TouchEase {
    float strain, stretch;
    bool flat; ///< none of its triangles lies against those beside it
} TouchEase;

/// Two patches that share a vertex, or one and itself, or two that share a neighbour (their limit is 0). Where the strain of both
/// and of those between is below `limit`, seen from their mean and as a share of its least stretch, no two triangles of them
/// cross that share no vertex. Why: let M be the mean, a and b triangles, n a direction with n.(q - p) >= limit * L(p, q) for all
/// corners p of a, q of b at rest, L the length of a way along edges. Along that way x(q) - x(p) differs from M (q - p) by at
/// most strain * L, so (M^-T n).(x(q) - x(p)) >= n.(q - p) - |M^-T n| strain L > 0 for all corners, hence for all points: a plane
/// lies between.
typedef struct TouchJoin {
    int a, b;
    int via[TOUCH_VIA], via_count; ///< patches that share vertices with both: ways may go there
    float limit;
} TouchJoin;

typedef struct TouchPatches {
    int count;
    TouchPatch *patch;
    int *of;                          ///< [triangle]
    int (*beside)[3];                 ///< [triangle] across its edges; -1: none
    int *neighbour_start, *neighbour; ///< [count + 1] patches that share a vertex, ascending, without itself
    int join_count;
    TouchJoin *join; ///< a <= b, ascending
} TouchPatches;

PeltStatus pelti_touch_patches_create(PeltiPool *pool, const PeltiMesh *mesh, TouchPatches *out, PeltError *err);
/// Steps from patch to patch by shared vertices: 0 to 2; 3: more.
int pelti_touch_patches_steps(const TouchPatches *patches, int a, int b);

/// Pairs of triangles that may cross whatever happens.
typedef bool (*TouchExempt)(const void *context, int a, int b);
/// join[].limit, 0 before. `jobs` may be NULL.
void pelti_touch_patches_limits(TouchPatches *patches, const PeltiMesh *mesh, TouchExempt exempt, const void *context,
                                PeltiJobs *jobs);

/// `area` [triangle] may be NULL: else those of its triangles get theirs there, twice and along their normals.
void pelti_touch_patch_shape(const TouchPatch *patch, const Vec3 *x, TouchShape *out, Vec3 *area);
bool pelti_touch_join_smooth(const TouchJoin *join, const TouchShape *shapes);
TouchEase pelti_touch_patch_ease(const TouchPatches *patches, const TouchShape *shapes, int patch);
/// True only where pelti_touch_join_smooth is.
bool pelti_touch_join_eased(const TouchJoin *join, const TouchEase *eases);

#endif
