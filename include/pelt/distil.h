/// Distilling (libpelt-tools): a method's skin as weights, helper joints and morph targets that every engine plays, and how near
/// that comes. `pelt distil` and `pelt sample` are this.
#ifndef PELT_DISTIL_H
#define PELT_DISTIL_H

#include <pelt/skin.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Distances to what the method makes, over all points of some poses; the file's units.
typedef struct PeltDistilError {
    int poses;
    double rms, p99, largest;
    double original_rms, original_p99, original_largest; ///< of linear blending by the file's weights, or by automatic ones
                                                         ///< where it has none: the skin that was there before
    int worse;                                           ///< poses that this comes nearer to
    double pairs, original_pairs,
        method_pairs; ///< crossing pairs that are not so at rest, mean over the poses looked at; NAN: without a report
    double volume, original_volume, method_volume; ///< largest change, share; NAN: not closed, or without a report
} PeltDistilError;

typedef struct PeltDistilDef {
    PeltSkinDef skin;         ///< whose skin
    int poses;                ///< to learn from; 1000
    int held_out;             ///< poses no fit sees, for the error; 0: a fifth of `poses`, 200 at most
    int seed;                 ///< 1; the same seed, the same bytes
    const char *unseen_clip;  ///< name or index of a clip that neither poses nor limits are taken from; NULL: none
    const char *samples_path; ///< where samples are kept and gone on with; NULL: they are scratch
    int part, parts;    ///< parts > 0: only part `part` of the samples is made, into <samples_path>.part-<part>-<parts>, and
                        ///< nothing else; part -1: all, with what such parts hold taken in. 0 (all) and -1
    bool no_clips;      ///< the error in clips is not looked at: the method need not play them
    int weights;        ///< a vertex: 4 or 8
    int helpers;        ///< joints between joints, at most; -1: one for each joint that bends, half a turn; beyond those
                        ///< thirds of twists and pushes, where the error asks for them
    int correctives;    ///< morph targets, at most; 64
    double error;       ///< root mean square, the file's units: no more correctives than it takes; 0: as many as there may be
    double bytes;       ///< of weights and morph targets, at most; 0: any
    const char *output; ///< .glb or .gltf, with its rules beside it; NULL: only the report
    const char *report_path; ///< JSON; NULL: none
    const char *page_path;   ///< .html: errors, and pictures of the worst poses and places by all three skins; NULL: none
    /// Told what the errors are, set by set: "held out", "learnt", each clip by its name. May be NULL.
    void (*told)(const char *poses, const PeltDistilError *error, void *user);
    void *told_user;
    void (*warned)(const PeltWarning *warning, void *user); ///< as of PeltBakeDef; may be NULL
    void *warned_user;
    uint32_t guard;
} PeltDistilDef;
/// Returns a description of the default method from 1000 poses, with four weights, a helper a joint and 64 correctives. Any
/// thread may call it, and it costs nothing.
PELT_API PeltDistilDef pelt_distil_def_default(void);

typedef struct PeltDistilResult {
    int joints, helpers, correctives;
    size_t bytes;             ///< of weights and morph targets
    double size;              ///< diagonal of the character, the file's units
    PeltDistilError held_out; ///< random poses that no fit saw
    double sample_s, fit_s;   ///< how long it took
    int samples_found;        ///< from an earlier run
} PeltDistilResult;

/// Samples the method, fits, tells the error and writes. Any thread may call it; the character is only read. It takes what the
/// method takes for all poses, and a minute or two, and memory from def->skin.allocator that does not grow with the poses
/// (samples wait on disk beside the output). Outputs appear whole or not at all. `result` may be NULL. It fails with
/// PELT_BAD_ARGUMENT, which names what cannot be asked for, PELT_UNSUPPORTED for a character that nothing bends, PELT_IO where a
/// file cannot be written, and PELT_FAILED where def->skin.progress cancels or there is no memory.
PELT_API PeltStatus pelt_distil(const PeltDistilDef *def, const PeltCharacter *who, PeltDistilResult *result, PeltError *err);

/// Makes the samples alone: def->output is .npz, .pc2 or .mdd of the points, and <output>.poses.npy and .poses.json hold the
/// poses. Any thread may call it; the character is only read and the files are the caller's. It takes what the method takes for
/// all poses and memory that does not grow with them. Where it was interrupted, the same call goes on (what is made waits in
/// <output>.samples). It fails as pelt_distil does, with PELT_BAD_ARGUMENT, PELT_IO or PELT_FAILED.
PELT_API PeltStatus pelt_distil_sample(const PeltDistilDef *def, const PeltCharacter *who, PeltDistilResult *result,
                                       PeltError *err);

#ifdef __cplusplus
}
#endif
#endif
