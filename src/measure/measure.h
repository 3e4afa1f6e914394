/// What a skin looks like in numbers, frame by frame and over a clip. Lengths are shares of the rest diagonal ("size").
/// Definitions, and how each agrees with the independent reference, are in docs/measures.md.
#ifndef PELTI_MEASURE_MEASURE_H
#define PELTI_MEASURE_MEASURE_H

#include "character/character.h"

#include <stdint.h>

typedef struct PeltiMeasure PeltiMeasure;

/// One frame. Counts are -1 and values NAN where they are not defined for this character or this frame.
typedef struct PeltiFrameMeasure {
    int nonfinite;               ///< scalars of the points that are not finite
    long self_intersections;     ///< pairs of triangles without a common vertex that cross
    long self_intersections_new; ///< of those and the coplanar ones, not crossing at rest
    long coplanar_overlaps;      ///< pairs that overlap in one plane
    int triangles_intersecting;  ///< triangles in any such pair
    long deep_pairs;             ///< new pairs that are deeper than touching skin (2e-4)
    double pair_depth_max;       ///< how far a new pair would have to move along one of its normals to come apart
    int inside_vertices;         ///< vertices inside another part of the surface (-1: mesh not orientable)
    int everted_vertices;        ///< vertices on skin turned inside out
    double depth_max;            ///< deepest of the inside vertices; NAN: mesh not orientable
    int degenerate;              ///< triangles that lost all their area
    int flipped_vs_neighbours;   ///< triangles turned against the mean of their neighbours, and not so at rest
    int flipped_vs_bone;         ///< triangles turned against the motion of the nearest bone (-1: no skin)
    int flipped_both;            ///< "inverted": both of the above (-1: no skin)
    double volume_ratio;         ///< to the rest volume, holes closed by fans; NAN: no volume at rest
    double stretch_min, stretch_p1, stretch_p50, stretch_p99, stretch_max; ///< edge lengths over rest lengths
    double area_p1, area_p99;                                              ///< triangle areas over rest areas
    double crack_max;                                                      ///< farthest distance of points that are one vertex
    double jitter_max;        ///< largest second difference of a vertex over three frames
    double jitter_vs_lbs_max; ///< the same of the offset from linear blending; NAN: no lbs given or too few frames
} PeltiFrameMeasure;

/// The worst over all frames so far (fields as above), and what only a clip has.
typedef struct PeltiQuality {
    int frames;
    long nonfinite; ///< sum
    long self_intersections, self_intersections_new, coplanar_overlaps, deep_pairs;
    int frames_with_new_self_intersections;
    int triangles_intersecting, inside_vertices, everted_vertices, degenerate, flipped_vs_neighbours, flipped_vs_bone, inverted;
    double pair_depth, depth;
    double volume_ratio_min, volume_ratio_max;
    double stretch_min, stretch_p1, stretch_p50_min, stretch_p50_max, stretch_p99, stretch_max;
    double crack, jitter_world, jitter;
    double loop_error; ///< farthest a point of the last frame lies from the first frame
    long rest_self_intersections;
} PeltiQuality;

/// `who` and `jobs` (NULL: one thread) must outlive it. Measures the rest shape first.
PeltStatus pelti_measure_create(const PeltiCharacter *who, PeltiJobs *jobs, const PeltAllocator *allocator, PeltiMeasure **out,
                                PeltError *err);
void pelti_measure_destroy(PeltiMeasure *m); ///< NULL is fine

/// Measures one frame; frames in the order of the clip, each once. `points` [point_count] world; `bones` [bone_count] rest
/// space -> world, NULL: no flipped_vs_bone; `lbs_points` [point_count] linear blending of the same pose, NULL: no
/// jitter_vs_lbs. Does not allocate, except that the room for crossing pairs grows (to 2 million at most).
void pelti_measure_frame(PeltiMeasure *m, const Vec3 *points, const Mat34 *bones, const Vec3 *lbs_points, PeltiFrameMeasure *out);
void pelti_measure_summary(const PeltiMeasure *m, PeltiQuality *out);
void pelti_measure_restart(PeltiMeasure *m); ///< forgets the frames: a new clip

/// Whether jitter against linear blending means anything: the file's weights use more than one joint of some skin.
bool pelti_measure_wants_lbs(const PeltiMeasure *m);

/// Of the last frame, for pictures.
const float *pelti_measure_stretch(const PeltiMeasure *m);    ///< [vertex_count] mean ratio of the edges at the vertex, 1: none
const uint8_t *pelti_measure_crossing(const PeltiMeasure *m); ///< [triangle_count] 1: in a crossing pair, 2: in a deep one
const float *pelti_measure_depth(const PeltiMeasure *m);      ///< [vertex_count] share of the size, 0: not inside

#endif
