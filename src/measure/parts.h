/// What the files of this room share: the measuring object and its stages.
#ifndef PELTI_MEASURE_PARTS_H
#define PELTI_MEASURE_PARTS_H

#include "geometry/box_tree.h"
#include "measure/measure.h"

typedef struct Normal { ///< twice the area long
    double x, y, z;
} Normal;

struct PeltiMeasure {
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    PeltiJobs *jobs;
    PeltiPool pool;
    double size; ///< diagonal at rest

    // the capped mesh: vertices, then a centre for each hole; triangles, then the fans over the holes
    int vertex_count, triangle_count;
    int (*triangles)[3];
    PeltiBoxTree *tree; ///< over the capped triangles
    bool orientable;    ///< no non-manifold and no inconsistently wound edge: "inside" means something

    PeltiPool pair_pool;
    PeltiPairs pairs;
    int64_t *rest_pairs; ///< [rest_pair_count] sorted keys low * 2^32 + high
    int rest_pair_count;
    long rest_self_intersections;

    // the rest shape
    double *rest_length; ///< [edge_count]
    Normal *rest_normal; ///< [triangles of the mesh]
    double *rest_area;   ///< [triangles of the mesh]
    double mean_area, rest_volume;
    bool *rest_flipped;       ///< [triangles of the mesh]
    bool *rest_inside;        ///< [vertices of the mesh]
    int (*edge_triangles)[2]; ///< [edge_count] the two triangles at an inner edge, -1: not an inner edge
    int *triangle_bone;       ///< [triangles of the mesh] nearest bone, -1: unskinned
    bool wants_lbs, has_skin;

    // this frame
    Vec3 *x;               ///< [vertex_count] non-finite coordinates are 0
    Vec3 *raw;             ///< [vertex_count] as they came
    bool broken;           ///< x and raw differ
    Normal *normal;        ///< [triangle_count]
    Normal *vertex_normal; ///< [vertices of the mesh] unit
    Normal *neighbours;    ///< [triangles of the mesh] sum of the neighbours' normals
    int *winding;          ///< [vertices of the mesh] just outside the vertex; 0 where not judged
    int *inside;           ///< [vertices of the mesh] list
    Vec3 *inside_at;       ///< positions of that list
    PeltiNearest *nearest; ///< of that list
    float *ratio;          ///< [edges and triangles] work for percentiles
    float *stretch, *depth;
    uint8_t *crossing;
    Mat3 *bone_turn; ///< [bone_count]

    // over the frames
    int frames;
    Vec3 *first_points, *last_points;    ///< [point_count]
    Vec3 *previous[2], *previous_off[2]; ///< [vertices of the mesh] one and two frames ago
    int off_frames;                      ///< frames in a row that came with linear blending
    PeltiQuality quality;
};

/// Pairs that cross now (m->raw), with depths; fills the crossing fields of `out` and m->crossing.
void pelti_measure_crossings(PeltiMeasure *m, PeltiFrameMeasure *out);
PeltStatus pelti_measure_rest_crossings(PeltiMeasure *m, PeltError *err);

/// Vertices inside the surface; fills the inside fields of `out` and m->depth. `m->normal` must be up to date.
void pelti_measure_inside(PeltiMeasure *m, PeltiFrameMeasure *out);
/// Only the list: m->winding. Returns how many are inside (winding >= 1).
int pelti_measure_find_inside(PeltiMeasure *m);

/// The bone nearest to the middle of each triangle at rest, among the bones of its instance's skin. -1: unskinned.
PeltStatus pelti_measure_nearest_bones(PeltiMeasure *m, PeltError *err);

/// Percentile (0..100) as order statistics with linear interpolation; reorders the values.
double pelti_percentile(float *values, int count, double percent);

#endif
