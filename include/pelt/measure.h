/// Measures: how good a skin is, in numbers, frame by frame and over a clip, and how it stands beside linear blending.
/// One code path serves `pelt bake --report`, `pelt compare`, `pelt measure` and you. docs/measures.md defines each measure.
#ifndef PELT_MEASURE_H
#define PELT_MEASURE_H

#include <pelt/skin.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The measures of one frame, or the worst of each over all frames of a clip: the same struct, so that a frame is a clip of
/// one. Lengths are shares of the size, the diagonal of the rest shape's bounds. Two skins are compared with:
/// - lbs, linear blending by the file's weights, as they stand in the file, in the clip's pose of the frame: before joints give
///   way to the body itself or to the objects of a scene. Nothing else is called so.
/// - The chosen blend, linear blending by the weights that the trial chose (docs/body.md), which every method uses unless told
///   otherwise. It differs from lbs only where the file's weights lost joints: there blending by them tears skin, and to be near
///   to that is no virtue. `flown` and `component_volume_vs_lbs` take the nearer of the two; no other measure looks at it.
///
/// Among objects what contact did with the character is thus part of what compares with lbs, of `flown`, `jitter` and
/// `component_volume_vs_lbs` above all, and of the verdict.
///
/// Counts are -1 and values NAN where they are not defined for this character, or there is no lbs to compare with.
typedef struct PeltQuality {
    int frames;    ///< 1, or how many these are the worst of
    int nonfinite; ///< coordinates that are no numbers (the sum over frames)

    int self_intersections;         ///< crossing pairs of triangles that share no vertex
    int rest_self_intersections;    ///< as many at rest
    int self_intersections_new;     ///< crossing and coplanar overlapping pairs that do not meet at rest
    int self_intersecting_frames;   ///< frames that have such new pairs
    int coplanar_overlaps;          ///< pairs that overlap in one plane
    int triangles_intersecting;     ///< triangles in any of the pairs
    int deep_pairs;                 ///< new pairs deeper than touching skin (2e-4)
    int crossings_new;              ///< deep pairs that have no pair crossing at rest near them either
    int inside_vertices;            ///< vertices inside another part; -1: the mesh is not orientable
    int everted_vertices;           ///< vertices on skin turned inside out; -1: the mesh is not orientable
    int degenerate;                 ///< triangles that lost all their area
    int flipped_vs_neighbours;      ///< triangles turned against the mean of their neighbours, and not so at rest
    int flipped_vs_bone;            ///< triangles turned against the motion of the nearest bone; -1: no skin
    int inverted;                   ///< both of the above; -1: no skin
    int torn;                       ///< edges beyond 3 times their rest length and 1.3 times their length by lbs; -1: no lbs
    double pair_depth;              ///< how far a new pair would have to move along one of its normals to come apart
    double depth;                   ///< deepest vertex inside another part; NAN: the mesh is not orientable
    double volume_ratio_min;        ///< volume to rest volume, holes closed by fans; NAN: no volume
    double volume_ratio_max;        ///< of a frame: the same number
    double component_volume_min;    ///< the same of every closed component, least; NAN: there is none
    double component_volume_max;    ///< and most
    double component_volume_error;  ///< farthest from 1 of these
    double component_volume_vs_lbs; ///< largest difference of such a ratio to the same component's by lbs or by the chosen blend,
                                    ///< the lesser of the two; 0 where either is no nearer to 1; NAN: no lbs
    double stretch_min, stretch_p1, stretch_p50_min, stretch_p50_max, stretch_p99,
        stretch_max;          ///< edge lengths over rest lengths
    double area_p1, area_p99; ///< triangle areas over rest areas
    double flown;             ///< farthest a point lies from the nearer of lbs and the chosen blend; NAN: no lbs
    double rigid_error;  ///< farthest a point of a piece painted to one bone lies from a rigid motion of it; NAN: no such piece
    double crack;        ///< largest gap between points that are one vertex at rest
    double jitter_world; ///< largest second difference of a vertex over three frames; NAN: fewer frames
    double jitter;       ///< the same of its offset from lbs; NAN: fewer frames or no lbs
    double loop_error;   ///< farthest a point of the last frame lies from the first; NAN for a single frame
} PeltQuality;

/// Returns the name of measure number `index`, from 0 on in the order of a report, and its value in `value`; NULL where there are
/// no more. The name is static; the value is NAN where it is not defined. Any thread may call it, at no cost.
PELT_API const char *pelt_quality_item(const PeltQuality *quality, int index, double *value);

/// How a skin stands beside lbs of the same clip.
typedef enum PeltVerdict {
    PELT_VERDICT_NONE,    ///< nothing was measured
    PELT_VERDICT_WORSE,   ///< in something, said in the text
    PELT_VERDICT_AS_GOOD, ///< worse in nothing
    PELT_VERDICT_BETTER,  ///< worse in nothing, and far fewer deep pairs or far less volume lost
} PeltVerdict;

/// Judges by the rules of docs/measures.md. `lbs` may be NULL (or have no frames): then only what needs no comparison is judged.
/// `text` [size], the caller's, gets one line with the verdict and by what; NULL means that it is not wanted. It only reads the
/// measures, cannot fail and costs nothing; any thread may call it.
PELT_API PeltVerdict pelt_quality_verdict(const PeltQuality *quality, const PeltQuality *lbs, char *text, size_t size);

/// One closed component over the clip.
typedef struct PeltComponentQuality {
    int component;                       ///< its number: components count from 0 in the order of their first vertex
    int vertices;                        ///< welded
    double rest_volume;                  ///< the character's units, cubed
    double ratio_min, ratio_max, vs_lbs; ///< as component_volume_min, _max and _vs_lbs (the chosen blend too) of this one
} PeltComponentQuality;

/// Measures frames of your own, with lbs and where it differs the chosen blend (see PeltQuality) made in the pose that is given.
/// A file whose weights use one joint or none has no lbs to compare with. One thread at a time may call the functions that take
/// it.
typedef struct PeltMeasure PeltMeasure;

/// Makes a measure of a character and measures the rest shape first, which costs about two frames. `threads` 0 means as many as
/// the machine has; the result does not depend on it. Any thread may call it. `who` must outlive the measure; the caller destroys
/// what `out` gets. It fails only for want of memory (PELT_FAILED).
PELT_API PeltStatus pelt_measure_create(const PeltCharacter *who, int threads, PeltMeasure **out, PeltError *err);
/// Frees a measure; NULL is fine. No other thread may be using it.
PELT_API void pelt_measure_destroy(PeltMeasure *measure);

/// Measures one frame, and lbs beside it; frames come in the order of the clip, each once. `positions` [point_count x 3] are in
/// world space, as pelt_skin_positions gives them, and `pose` is the clip's that they were made from (of a world: the pose that
/// was handed to its step, not pelt_world_pose); both are only read. `frame` gets this frame's measures; NULL means that they are
/// not wanted. It must be called from the measure's thread. It does not allocate, except that the room for crossing pairs grows
/// when there are many. It costs about 10 ms for ten thousand triangles on two threads.
PELT_API void pelt_measure_frame(PeltMeasure *measure, const PeltPose *pose, const float *positions, PeltQuality *frame);
/// What pelt_measure_map tells of each point.
typedef enum PeltMeasureMap {
    PELT_MEASURE_STRETCH,  ///< mean length of the edges at the point over their rest lengths; 1: as at rest
    PELT_MEASURE_TOUCHING, ///< 0: free, 1: on a triangle that crosses another, 2: on one that crosses deeply
    PELT_MEASURE_DEPTH,    ///< how far it lies inside another part, share of the size; 0: outside
    PELT_MEASURE_FROM_LBS, ///< distance to the nearer of lbs and the chosen blend, share of the size; 0 where there is no lbs
} PeltMeasureMap;
/// Returns a number a point, [point_count], of the last frame that pelt_measure_frame was given: for heat maps. The numbers
/// belong to `measure` and are good until the next call; before the first frame all are 0. It must be called from the measure's
/// thread. It costs a pass over the points, does not allocate and cannot fail.
PELT_API const float *pelt_measure_map(PeltMeasure *measure, PeltMeasureMap map);

/// The functions below tell of the frames so far. None allocates, and none can fail.

/// Returns the worst of each measure over the frames; its `frames` is 0 where there were none. It must be called from the
/// measure's thread and costs a copy.
PELT_API PeltQuality pelt_measure_quality(const PeltMeasure *measure);
/// Returns the same of lbs over the same frames; the inside test and jitter are left out, and NAN. Its `frames` is 0 where there
/// is no lbs. It must be called from the measure's thread and costs a copy.
PELT_API PeltQuality pelt_measure_lbs_quality(const PeltMeasure *measure);
/// Returns pelt_quality_verdict of the two. The text is written into `size` bytes of the caller's, NULL where it is not wanted.
/// It must be called from the measure's thread, at no cost.
PELT_API PeltVerdict pelt_measure_verdict(const PeltMeasure *measure, char *text, size_t size);
/// Returns how many closed components the character has. It must be called from the measure's thread, at no cost.
PELT_API int pelt_measure_component_count(const PeltMeasure *measure);
/// Returns one of them; a number outside [0, count) asserts. It must be called from the measure's thread and costs a copy.
PELT_API PeltComponentQuality pelt_measure_component(const PeltMeasure *measure, int index);
/// Forgets the frames, for a new clip. It must be called from the measure's thread and costs a pass over its sums.
PELT_API void pelt_measure_restart(PeltMeasure *measure);

/// Measuring a cache: `pelt measure`.
typedef struct PeltMeasureDef {
    const char *cache_path;  ///< .pc2 .mdd .npz .usda .abc, numbered .obj, baked .glb .vrm .gltf (docs/files.md)
    const char *clip;        ///< it was made from, name or index; NULL: the first. pelt_character_load_motion: of another file
    double fps;              ///< 0: as the cache says, 30 where it does not
    int first_frame;         ///< -1: as the cache says; else clip frame of the cache's first one
    const char *report_path; ///< JSON; NULL: none
    int threads;             ///< 0: as many as the machine has
    PeltProgress progress;   ///< may be NULL
    void *progress_user;
    void (*warned)(const PeltWarning *warning, void *user); ///< told of what had to be guessed; may be NULL
    void *warned_user;
    uint32_t guard; ///< filled by pelt_measure_def_default, checked
} PeltMeasureDef;
/// Returns a description of a cache of the first clip, frames and rate as the cache says; `cache_path` is still to be said. Any
/// thread may call it, and it costs nothing.
PELT_API PeltMeasureDef pelt_measure_def_default(void);

typedef struct PeltMeasureResult {
    PeltQuality quality, lbs; ///< lbs.frames 0: none to compare with
    PeltVerdict verdict;
    char verdict_text[400];
} PeltMeasureResult;
/// Measures every frame of a cache. `result` may be NULL. Any thread may call it; the character is only read. It costs 30 to 50
/// ms of processor time a frame of 26k triangles. It fails with PELT_BAD_ARGUMENT for another kind of cache than those,
/// PELT_UNSUPPORTED for one in a form that is not read, with the cure, PELT_BAD_INPUT where it is not sound or cache and
/// character or clip do not go together, PELT_IO where a file cannot be read or written, and PELT_FAILED where `progress` cancels
/// or there is no memory.
PELT_API PeltStatus pelt_measure_cache(const PeltMeasureDef *def, const PeltCharacter *who, PeltMeasureResult *result,
                                       PeltError *err);

#ifdef __cplusplus
}
#endif
#endif
