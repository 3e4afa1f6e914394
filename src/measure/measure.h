/// What a skin looks like in numbers, frame by frame and over a clip. Lengths are shares of the rest diagonal ("size").
/// Definitions, and how each agrees with the independent reference, are in docs/measures.md.
#ifndef PELTI_MEASURE_MEASURE_H
#define PELTI_MEASURE_MEASURE_H

#include "character/character.h"

#include <pelt/measure.h>

#include <stdint.h>

typedef struct PeltiMeasure PeltiMeasure;

/// `who` and `jobs` (NULL: one thread) must outlive it. Measures the rest shape first.
PeltStatus pelti_measure_create(const PeltiCharacter *who, PeltiJobs *jobs, const PeltAllocator *allocator, PeltiMeasure **out,
                                PeltError *err);
void pelti_measure_destroy(PeltiMeasure *m); ///< NULL is fine

/// A skin in the world. Skins have both; of points from elsewhere, a cache or a host, pelti_mesh_gather makes the vertices.
typedef struct PeltiMeasureSkin {
    const Vec3 *points;   ///< [point_count]
    const Vec3 *vertices; ///< [vertex_count] each where its first point is
} PeltiMeasureSkin;

/// Measures one frame; frames in the order of the clip, each once. Only `skin` may hold what is no number. `bones` [bone_count]
/// rest space -> world, NULL: no flipped_vs_bone; `lbs` (as PeltQuality has it) of the same pose, NULL: nothing that compares
/// with it. Does not allocate, except that the room for crossing pairs grows (to 2 million at most).
void pelti_measure_frame(PeltiMeasure *m, PeltiMeasureSkin skin, const Mat34 *bones, const PeltiMeasureSkin *lbs,
                         PeltQuality *out);
void pelti_measure_summary(const PeltiMeasure *m, PeltQuality *out);
/// The frames that follow are as far from lbs as from the nearer of it and `near`, the chosen blend of the same pose, whose
/// arrays must stay until the next frame; NULL: it is lbs.
void pelti_measure_also_near(PeltiMeasure *m, const PeltiMeasureSkin *near);
/// The same for lbs itself, without the inside test and what needs several frames. Before the frame it goes with, so
/// that what is kept for pictures is the skin's.
void pelti_measure_lbs(PeltiMeasure *m, PeltiMeasureSkin lbs, const Mat34 *bones);
void pelti_measure_lbs_is(PeltiMeasure *m, const PeltQuality *frame); ///< lbs of this frame is what was measured: the same of it
void pelti_measure_lbs_summary(const PeltiMeasure *m, PeltQuality *out);
void pelti_measure_restart(PeltiMeasure *m); ///< forgets the frames: a new clip

int pelti_measure_component_count(const PeltiMeasure *m); ///< closed ones
PeltComponentQuality pelti_measure_component(const PeltiMeasure *m, int index);

/// What a field of PeltQuality is called and how frames make a clip of it.
typedef enum PeltiMeasureWorstOf { PELTI_WORST_MOST, PELTI_WORST_LEAST, PELTI_WORST_SUM } PeltiMeasureWorstOf;
typedef struct PeltiMeasureField {
    const char *name, *frame_name; ///< in a report: of the clip, of a frame (NULL: not told, or told by another field)
    size_t offset;                 ///< in PeltQuality
    bool is_count;                 ///< int, else double
    PeltiMeasureWorstOf merge;
} PeltiMeasureField;
extern const PeltiMeasureField pelti_measure_fields[]; ///< ends with a NULL name
int pelti_quality_count(const PeltQuality *q, const PeltiMeasureField *field);
double pelti_quality_value(const PeltQuality *q, const PeltiMeasureField *field);
PeltQuality pelti_quality_none(void); ///< nothing defined, no frames
void pelti_quality_merge(PeltQuality *clip, const PeltQuality *frame);

/// Whether there is lbs to compare with: the file's weights use more than one joint of some skin.
bool pelti_measure_has_reference(const PeltiCharacter *who);

/// Of the last frame, for pictures.
const float *pelti_measure_stretch(const PeltiMeasure *m);    ///< [vertex_count] mean ratio of the edges at the vertex, 1: none
const uint8_t *pelti_measure_crossing(const PeltiMeasure *m); ///< [triangle_count] 1: in a crossing pair, 2: in a deep one
const float *pelti_measure_depth(const PeltiMeasure *m);      ///< [vertex_count] share of the size, 0: not inside

#endif
