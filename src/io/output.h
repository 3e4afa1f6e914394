/// The results of a bake: any number of files, each of a kind its extension names (.pc2 .mdd .obj .glb .gltf), fed with the
/// same frames, which appear together or not at all.
#ifndef PELTI_IO_OUTPUT_H
#define PELTI_IO_OUTPUT_H

#include "io/cache.h"
#include "io/gltf.h"

typedef enum PeltiMorphMode {
    PELTI_MORPH_PRINCIPAL, ///< few targets that many frames share, within a tolerance
    PELTI_MORPH_EACH_FRAME ///< one target a frame: exact, large
} PeltiMorphMode;

/// A thing beside the character: a node of its own in a glTF result. Caches hold the character's points only.
typedef struct PeltiOutputObject {
    const char *name;
    int vertex_count, triangle_count;
    const Vec3 *positions; ///< [vertex_count] of the object itself; a soft one's are those of its first frame
    const Vec3 *normals;   ///< [vertex_count]; NULL: shown flat (a soft one: smooth)
    const int (*triangles)[3];
    float colour[4]; ///< linear, with opacity
    bool soft;       ///< morphs, in world space; else it is placed by a translation and a rotation
} PeltiOutputObject;

/// All but `who` and `frames` may stay zero where no .glb, .gltf is asked for.
typedef struct PeltiOutputDef {
    const PeltiCharacter *who;
    const PeltiGltf *document; ///< what `who` was read from
    PeltiSinkFrames frames;    ///< point_count may be 0: who's
    bool has_normals;          ///< every frame brings normals
    int clip;                  ///< the clip that was baked; -1: none (a new one is made)
    PeltiMorphMode morph;
    float morph_tolerance; ///< largest distance from the frames, as a share of the diagonal; 0: 5e-4
    int morph_most;        ///< most principal targets; 0: 128
    bool play_pose;        ///< every frame brings a pose, which the nodes of the skeleton play instead of the clip's channels
    const PeltiOutputObject *objects;
    int object_count;
    PeltiJobs *jobs; ///< NULL: one thread
    PeltiLog *log;   ///< warnings go here; NULL: nowhere
    const PeltAllocator *allocator;
} PeltiOutputDef;

typedef struct PeltiOutputReport {
    int file_count;                  ///< written, an .obj sequence counts its frames
    uint64_t bytes;                  ///< of all files
    int morph_targets;               ///< 0: no .glb, .gltf
    float morph_error;               ///< largest distance of a vertex from its frame, units of the file
    float morph_error_share;         ///< the same, of the character's diagonal
    float morph_normal_error_degree; ///< mean angle between normals and those of the frames
} PeltiOutputReport;

typedef struct PeltiOutput PeltiOutput;

/// PELT_BAD_ARGUMENT for an extension nobody knows or the same file twice; what cannot be written is found here, before any work.
/// `def` is copied; what it points to must outlive the output.
PeltStatus pelti_output_open(const PeltiOutputDef *def, const char *const *paths, int path_count, PeltiOutput **out,
                             PeltError *err);
/// Does any of them hold normals?
bool pelti_output_wants_normals(const char *const *paths, int path_count);
/// The next frame: who's points [point_count], and normals, world space; `normals` NULL unless has_normals, `pose` NULL unless
/// play_pose.
PeltStatus pelti_output_frame(PeltiOutput *output, const Vec3 *points, const Vec3 *normals, const PeltiPose *pose,
                              PeltError *err);
/// Where the objects are in the next frame, before it is pushed: `placements` [object_count] (those of soft ones are not
/// looked at), `soft_points` all soft objects' vertices one after another (NULL: there are none).
void pelti_output_place(PeltiOutput *output, const Trs *placements, const Vec3 *soft_points);
/// After the last frame: compresses and completes every file, so that all that can run out of space is behind; `report` tells of
/// morph targets. `progress`, `report` may be NULL.
PeltStatus pelti_output_complete(PeltiOutput *output, const PeltiProgressSink *progress, PeltiOutputReport *report,
                                 PeltError *err);
/// Completes if that was not done, then lets all appear. `progress`, `report` may be NULL.
PeltStatus pelti_output_commit(PeltiOutput *output, const PeltiProgressSink *progress, PeltiOutputReport *report, PeltError *err);
/// Frees; removes all that was not committed. NULL is fine.
void pelti_output_destroy(PeltiOutput *output);

#endif
