/// Baking: a clip from start to finish, to files, with a report.
#ifndef PELT_BAKE_H
#define PELT_BAKE_H

#include <pelt/measure.h>
#include <pelt/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/// When a bake measures (30 to 50 ms of processor time a frame of 26k triangles: a hundred times what `lbs` takes).
typedef enum PeltBakeMeasure {
    PELT_BAKE_MEASURE_NEVER,
    PELT_BAKE_MEASURE_FOR_REPORT, ///< only where report_path asks
    PELT_BAKE_MEASURE_ALWAYS,     ///< for PeltBakeResult too
} PeltBakeMeasure;

typedef struct PeltBakeDef {
    PeltSkinDef skin;
    const char *clip;            ///< name or index; NULL: the first
    double fps;                  ///< 30
    int first_frame, last_frame; ///< inclusive; last -1: to the end
    const char *const *outputs;  ///< paths: .glb .vrm .gltf .abc .usda .pc2 .mdd .npz .obj; may be none
    int output_count;
    const char *report_path; ///< JSON; NULL: none
    const char *scene_path;  ///< what it touches (--scene); NULL: none, or `scene`
    const PeltScene *scene;  ///< the same filled by hand; it must live until the bake is done. NULL: none, or `scene_path`
    PeltBakeMeasure measure; ///< PELT_BAKE_MEASURE_FOR_REPORT
    bool morph_per_frame;    ///< .glb: one morph target a frame, exact
    /// Told once each, when the bake is done: fallbacks of the method and the writers (the character's own are
    /// pelt_character_warning). May be NULL.
    void (*warned)(const PeltWarning *warning, void *user);
    void *warned_user;
    uint32_t guard;
} PeltBakeDef;
/// Returns a description of the whole first clip by the default method at 30 frames a second, into no file yet. Any thread may
/// call it, and it costs nothing.
PELT_API PeltBakeDef pelt_bake_def_default(void);

typedef struct PeltBakeResult {
    int frames;
    double prepare_ms, step_mean_ms, step_max_ms, total_ms;
    PeltQuality quality, lbs_quality; ///< frames 0 where nothing was measured, or nothing to compare with
    int morph_targets;                ///< .glb: how many, 0: none written
    double morph_error;               ///< .glb: largest distance to the exact positions, share of the size
    int warning_count;
    PeltVerdict verdict;    ///< beside lbs, which knows nothing of a scene (pelt/measure.h)
    char verdict_text[400]; ///< one line, as in the report; empty where nothing was measured
} PeltBakeResult;

/// Bakes a clip by a method into files, with a report: the main job. Any thread may call it; the character is only read. It takes
/// as long as the method's frames do, and memory from def->skin.allocator that does not grow with the clip (frames wait on disk).
/// All outputs and the report appear whole, or none does. `result` may be NULL. It fails with PELT_BAD_ARGUMENT for a clip,
/// frames or a kind of output that there is not, PELT_IO where something cannot be written, PELT_FAILED where def->skin.progress
/// cancels, and else as pelt_skin_create and for a scene pelt_world_create do.
PELT_API PeltStatus pelt_bake(const PeltBakeDef *def, const PeltCharacter *who, PeltBakeResult *result, PeltError *err);

/// Tells what is in a character and what each method will do with it, as text for people or JSON. The caller frees the text with
/// pelt_text_free. Any thread may call it; the character is only read. It takes some hundredths of a second, since weights and
/// pieces are judged, and fails only for want of memory (PELT_FAILED).
PELT_API PeltStatus pelt_inspect(const PeltCharacter *who, bool json, char **text, PeltError *err);
/// Tells the same as pelt_inspect with a rig, from any thread and at the same cost: pieces are what the rig says they are. It is
/// read from `rig_path` (docs/rig.md) or handed as `rig`, which stays the caller's; the other is NULL. The caller frees the text
/// with pelt_text_free. It fails with PELT_IO where the rig cannot be read, PELT_BAD_INPUT where it is not sound or not for this
/// character, and PELT_FAILED where there is no memory.
PELT_API PeltStatus pelt_inspect_rig(const PeltCharacter *who, const char *rig_path, const PeltRig *rig, bool json, char **text,
                                     PeltError *err);
/// Frees a text that one of the two above made; NULL is fine. Any thread may call it.
PELT_API void pelt_text_free(char *text);

#ifdef __cplusplus
}
#endif
#endif
