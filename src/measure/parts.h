/// What the files of this room share: the measuring object and its stages.
#ifndef PELTI_MEASURE_PARTS_H
#define PELTI_MEASURE_PARTS_H

#include "geometry/box_tree.h"
#include "geometry/stab.h"
#include "geometry/sunk.h"
#include "measure/measure.h"

typedef struct MeasureNormal { ///< twice the area long
    double x, y, z;
} MeasureNormal;

/// A closed component and its volume; what the report tells of it is `told`.
typedef struct PeltiMeasureClosedPart {
    int anchor; ///< a vertex of it: volumes are summed around it, so that far from the origin nothing is lost
    double now, lbs;
    double near; ///< by the chosen blend; as lbs where the chosen weights are the file's
    PeltComponentQuality told;
} PeltiMeasureClosedPart;

typedef struct PeltiMeasurePiece { ///< a component that lbs moves by one bone only
    int first, count;              ///< into piece_vertices
} PeltiMeasurePiece;

/// The capped mesh: vertices, then a centre for each hole; triangles, then the fans over the holes.
typedef struct MeasureCapped {
    int vertex_count, triangle_count;
    int (*triangles)[3];
    PeltiBoxTree *tree; ///< over the capped triangles
    bool orientable;    ///< no non-manifold and no inconsistently wound edge: "inside" means something
    bool closed;        ///< and no border that is not capped: crossings are the same along every axis, but for rounding
} MeasureCapped;

/// The rest shape.
typedef struct MeasureRest {
    double *length;        ///< [edge_count]
    MeasureNormal *normal; ///< [triangles of the mesh]
    double *area;          ///< [triangles of the mesh]
    double mean_area, volume;
    bool *flipped;            ///< [triangles of the mesh]
    bool *inside;             ///< [vertices of the mesh]
    int (*edge_triangles)[2]; ///< [edge_count] the two triangles at an inner edge, -1: not an inner edge
    int *triangle_bone;       ///< [triangles of the mesh] nearest bone, -1: unskinned
    bool has_skin;
} MeasureRest;

/// Pairs of triangles that cross at rest.
typedef struct MeasureRestPairs {
    int64_t *keys; ///< [count] sorted: low * 2^32 + high
    int count;
    PeltiSunk sunk;
    int self_intersections;
} MeasureRestPairs;

/// Components that are measured by themselves.
typedef struct MeasureParts {
    PeltiMeasureClosedPart *closed; ///< [closed_count] components that have a volume
    int closed_count;
    int *closed_of;            ///< [component_count] into closed, -1: not closed
    PeltiMeasurePiece *pieces; ///< [piece_count] components painted to one bone
    int piece_count;
    int *piece_vertices; ///< of all pieces
} MeasureParts;

/// The shape of this frame.
typedef struct MeasureFrame {
    Vec3 *x;     ///< [capped vertices] non-finite coordinates are 0
    Vec3 *raw;   ///< [capped vertices] as they came
    bool broken; ///< x and raw differ
    Vec3 *lbs;   ///< [vertices of the mesh]
    bool has_lbs;
    PeltiMeasureSkin near;        ///< the chosen blend, as pelti_measure_also_near said last; its points NULL: it is lbs
    MeasureNormal *normal;        ///< [capped triangles]
    MeasureNormal *vertex_normal; ///< [vertices of the mesh] unit
    MeasureNormal *neighbours;    ///< [triangles of the mesh] sum of the neighbours' normals
    PeltiPairs pairs;             ///< of triangles that cross
} MeasureFrame;

/// What pictures show of this frame.
typedef struct MeasureMaps {
    float *stretch, *depth; ///< [vertices of the mesh]
    uint8_t *crossing;      ///< [triangles of the mesh]
} MeasureMaps;

/// Where the triangles below a node of the tree face: bounds of their normals, each scaled to a largest coordinate of 1.
typedef struct MeasureFacing {
    float low[3], high[3];
} MeasureFacing;

/// The test for vertices inside the surface.
typedef struct MeasureInside {
    int *winding;         ///< [vertices of the mesh] of the capped surface just outside the vertex; 0 where not judged
    bool *judged;         ///< [vertices of the mesh]
    double (*outside)[3]; ///< [vertices of the mesh] just outside the judged ones
    int *crossings;       ///< [vertices of the mesh] of the rays from there along x
    PeltiStab *stab;
    double (*doubtful)[3]; ///< [vertices of the mesh] of those, where x alone is not believed
    int *doubtful_of;      ///< [vertices of the mesh] vertex of each
    int *second;           ///< [vertices of the mesh] crossings of the rays from there along y
    int *list;             ///< [vertices of the mesh]
    Vec3 *at;              ///< positions of that list
    PeltiNearest *nearest; ///< of that list
    MeasureFacing *facing; ///< [nodes of the tree]
} MeasureInside;

/// Work memory: means nothing outside the function that fills it.
typedef struct MeasureScratch {
    float *ratio;    ///< [edges or triangles] for percentiles
    Vec3 *offset;    ///< [vertices of the mesh] of the skin from lbs
    Mat3 *bone_turn; ///< [bone_count]
} MeasureScratch;

/// What goes from frame to frame.
typedef struct MeasureClip {
    int frames;
    Vec3 *first_points, *last_points;    ///< [point_count]
    Vec3 *previous[2], *previous_off[2]; ///< [vertices of the mesh] one and two frames ago
    int off_frames;                      ///< frames in a row that came with lbs
    PeltQuality quality, lbs_quality;
} MeasureClip;

struct PeltiMeasure {
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    PeltiJobs *jobs;
    PeltiPool pool, pair_pool; ///< pair_pool: of frame.pairs, which grows
    double size;               ///< diagonal at rest
    MeasureCapped capped;
    MeasureRest rest;
    MeasureRestPairs rest_pairs;
    MeasureParts parts;
    MeasureFrame frame;
    MeasureMaps maps;
    MeasureInside inside;
    MeasureClip clip;
    MeasureScratch scratch;
};

/// Of numbers that are none of NAN: fmax and fmin are calls.
static inline double pelti_measure_most(double a, double b)
{
    return a > b ? a : b;
}
static inline double pelti_measure_least(double a, double b)
{
    return a < b ? a : b;
}
static inline double pelti_measure_normal_dot(MeasureNormal a, MeasureNormal b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline double pelti_measure_squared_distance(Vec3 a,
                                                    Vec3 b) // double: coordinates near the end of float's range must not overflow
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return x * x + y * y + z * z;
}
double pelti_measure_edge(const PeltiMeasure *m, const Vec3 *x, int edge); ///< its length in the shape `x`
void pelti_measure_normals(PeltiMeasure *m);                               ///< m->frame.normal of m->frame.x
void pelti_measure_sum_neighbours(PeltiMeasure *m);                        ///< m->frame.neighbours of m->frame.normal
void pelti_measure_place_holes(const PeltiMesh *mesh, Vec3 *x);            ///< centres of the holes, behind the vertices

// the stages of a frame: each fills its fields of `out`
void pelti_measure_take(PeltiMeasure *m, PeltiMeasureSkin skin, const PeltiMeasureSkin *lbs, PeltQuality *out);
void pelti_measure_flips(PeltiMeasure *m, const Mat34 *bones, PeltQuality *out);
void pelti_measure_stretches(PeltiMeasure *m, PeltQuality *out);
void pelti_measure_jitter(PeltiMeasure *m, PeltQuality *out);

/// Finds closed components and rigid pieces at rest.
PeltStatus pelti_measure_find_parts(PeltiMeasure *m, PeltError *err);
void pelti_measure_volumes(PeltiMeasure *m, PeltQuality *out); ///< whole and by component
void pelti_measure_pieces(PeltiMeasure *m, PeltQuality *out);  ///< rigid_error
void pelti_measure_forget_volumes(PeltiMeasure *m);
void pelti_measure_keep_volumes(PeltiMeasure *m); ///< this frame's volumes go into what is told of each component

/// Pairs that cross now (m->frame.raw), with depths; fills the crossing fields of `out` and m->maps.crossing.
void pelti_measure_crossings(PeltiMeasure *m, PeltQuality *out);
PeltStatus pelti_measure_rest_crossings(PeltiMeasure *m, PeltError *err);

/// Vertices inside the surface; fills the inside fields of `out` and m->maps.depth. `m->frame.normal` must be up to date.
void pelti_measure_inside(PeltiMeasure *m, PeltQuality *out);
/// Only the list: m->inside.winding. Returns how many are inside (winding >= 1).
int pelti_measure_find_inside(PeltiMeasure *m);

/// The bone nearest to the middle of each triangle at rest, among the bones of its instance's skin. -1: unskinned.
PeltStatus pelti_measure_nearest_bones(PeltiMeasure *m, PeltError *err);

/// Percentile (0..100) as order statistics with linear interpolation; reorders the values.
double pelti_measure_percentile(float *values, int count, double percent);

#endif
