/// Baking: a clip from start to finish, to files, with a report; and the measures on their own.
#ifndef PELT_BAKE_H
#define PELT_BAKE_H

#include <pelt/skin.h>

#ifdef __cplusplus
extern "C" {
#endif

/// How good a skin is, in numbers; worst over all frames seen. docs/measures.md defines each.
typedef struct PeltQuality {
    int frames;
    int nonfinite;                             ///< coordinates that are no numbers
    int self_intersections;                    ///< crossing pairs of triangles that share no vertex
    int deep_pairs;                            ///< of them, deeper than touching (2e-4 of the size), not there at rest
    double depth;                              ///< deepest vertex inside another part, share of the size
    int inverted;                              ///< triangles turned against both their neighbours and their bone
    double volume_ratio_min, volume_ratio_max; ///< 1 where the mesh has no volume
    double stretch_p99;                        ///< edge length to rest, 99th percentile
    double loop_error;                         ///< first to last frame, share of the size
    double jitter;                             ///< second difference of the offset from lbs, share of the size
    double crack;                              ///< largest gap between points that are one at rest, share of the size
} PeltQuality;

typedef struct PeltBakeDef {
    PeltSkinDef skin;
    const char *clip;            ///< name or index; NULL: the first
    double fps;                  ///< 30
    int first_frame, last_frame; ///< inclusive; last -1: to the end
    const char *const *outputs;  ///< paths: .glb .gltf .pc2 .mdd .obj; may be none
    int output_count;
    const char *report_path; ///< JSON; NULL: none
    const char *scene_path;  ///< the world it touches (--scene); NULL: none
    int measure;             ///< 1: measure each frame for the report
    int morph_per_frame;     ///< .glb: 1: one morph target a frame, exact
    /// Told once each, when the bake is done: fallbacks of the method and the writers (the character's own are
    /// pelt_character_warning). May be NULL.
    void (*warned)(const PeltWarning *warning, void *user);
    void *warned_user;
    uint32_t guard;
} PeltBakeDef;
PELT_API PeltBakeDef pelt_bake_def_default(void);

typedef struct PeltBakeResult {
    int frames;
    double prepare_ms, step_mean_ms, step_max_ms, total_ms;
    PeltQuality quality; ///< zero frames where nothing was measured
    int morph_targets;   ///< .glb: how many, 0: none written
    double morph_error;  ///< .glb: largest distance to the exact positions, share of the size
    int warning_count;
} PeltBakeResult;

/// The main job. Outputs appear whole or not at all. `result` may be NULL. Progress goes to def->skin.progress.
PELT_API PeltStatus pelt_bake(const PeltBakeDef *def, const PeltCharacter *who, PeltBakeResult *result, PeltError *err);

/// Measures frames of your own: positions as pelt_skin_positions gives them, in the pose they were made for.
typedef struct PeltMeasure PeltMeasure;
PELT_API PeltStatus pelt_measure_create(const PeltCharacter *who, int threads, PeltMeasure **out, PeltError *err);
PELT_API void pelt_measure_destroy(PeltMeasure *measure); ///< NULL is fine
PELT_API PeltStatus pelt_measure_frame(PeltMeasure *measure, const PeltPose *pose, const float *positions, PeltError *err);
PELT_API PeltQuality pelt_measure_quality(const PeltMeasure *measure);

/// What is in a character and what each method will do with it, as text for people or JSON. Free with pelt_text_free.
PELT_API PeltStatus pelt_inspect(const PeltCharacter *who, int json, char **text, PeltError *err);
PELT_API void pelt_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
