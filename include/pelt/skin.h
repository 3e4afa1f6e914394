/// Skins: a method, prepared for one character, stepped from pose to positions.
#ifndef PELT_SKIN_H
#define PELT_SKIN_H

#include <pelt/character.h>
#include <pelt/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeltSkin PeltSkin; ///< opaque; one thread at a time, any number of skins in parallel

typedef struct PeltSkinDef {
    const char *method;          ///< "lbs", "tracking", ... as pelt_method_name lists them
    const char *const *settings; ///< "key=value" texts, as `--set`; NULL: none
    int setting_count;
    const char *rig_path; ///< the artist's additions (--rig); NULL: none, or `rig`
    const PeltRig *rig;   ///< the same filled by hand, checked as a file is; it must outlive the skin. NULL: none, or `rig_path`
    int threads;          ///< 0: as many as the machine has. The result does not depend on it
    PeltAllocator allocator; ///< all zero means malloc
    PeltProgress progress;   ///< may be NULL
    void *progress_user;
    uint32_t guard; ///< filled by pelt_skin_def_default, checked by create
} PeltSkinDef;
/// The default method with its own settings, on as many threads as the machine has. From any thread, at no cost.
PELT_API PeltSkinDef pelt_skin_def_default(void);

/// Prepares the method for the character; may take seconds (see pelt_skin_prepare_ms), of all `threads`. Takes all memory that
/// steps need, from `def->allocator`. Call it from any thread; the skin then belongs to one thread at a time, and skins run side
/// by side. The character must outlive the skin; of `def` only the rig must outlive it too. The caller
/// destroys what `out` gets; on failure that is NULL: PELT_BAD_ARGUMENT names a method, option or value that there is not,
/// PELT_UNSUPPORTED what the method cannot do with this character, PELT_FAILED there was no memory, or progress cancelled it.
/// For a moment, while METIS orders a matrix, the process's rand() draws from a state of METIS' own, which is put back: a host
/// whose results rest on rand() or srand() calls neither from other threads meanwhile.
PELT_API PeltStatus pelt_skin_create(const PeltSkinDef *def, const PeltCharacter *who, PeltSkin **out, PeltError *err);
PELT_API void pelt_skin_destroy(PeltSkin *skin);            ///< NULL is fine
PELT_API double pelt_skin_prepare_ms(const PeltSkin *skin); ///< what pelt_skin_create took, at no cost

enum { PELT_MAX_STATS = 48 };
typedef struct PeltStat {
    const char *name; ///< static, snake_case
    double value;
} PeltStat;
typedef struct PeltStepInfo {
    double ms;         ///< the deformation alone
    int substeps;      ///< virtual frames or simulation steps inside
    double substep_ms; ///< one simulation step of a dynamic method, else 0
    int nonfinite;     ///< vertices that were caught: 0 unless something broke
    int stat_count;
    PeltStat stats[PELT_MAX_STATS];
} PeltStepInfo;

/// Moves the skin to `pose`, `dt_s` seconds after the last step. The first step after create or restart settles in the pose
/// (pre-roll), never with a jump from rest. Does not allocate and cannot fail: what comes out is finite, and `info` (may be NULL)
/// says how it went. From the skin's thread, of a pose of the skin's character; costs what docs/methods.md says of the method.
PELT_API void pelt_skin_step(PeltSkin *skin, const PeltPose *pose, float dt_s, PeltStepInfo *info);
/// The next step is a cut: no motion from the last pose to that one. Costs nothing itself; that step settles, as the first does.
PELT_API void pelt_skin_restart(PeltSkin *skin);

/// Zero copy: positions of all points [point_count x 3], world space (of a created character: the host's), or where
/// pelt_skin_output puts them; good until the next step or destroy. From the skin's thread; at no cost, unless pelt_skin_output
/// was told of a matrix: then the first call after a step costs a product a point.
PELT_API const float *pelt_skin_positions(const PeltSkin *skin);
/// Where positions and normals are handed out from now on: `matrix` (4 x 4 by rows, from that world space; NULL: that space
/// itself) is applied at the first call after each step, in a copy that the skin keeps; a host's object space, a mirrored or
/// scaled view. From the skin's thread; costs a product a point at that call. PELT_BAD_ARGUMENT: not finite, or not invertible.
/// Measures want positions without one.
PELT_API PeltStatus pelt_skin_output(PeltSkin *skin, const float matrix[16], PeltError *err);
/// Unit normals for the same points. Sharp edges of the file stay sharp. From the skin's thread; the first call after a step
/// computes them, which costs some operations a triangle and a point; others cost nothing.
PELT_API const float *pelt_skin_normals(PeltSkin *skin);

/// How many things were said while preparing: weights made, components treated rigidly, ...
PELT_API int pelt_skin_warning_count(const PeltSkin *skin);
PELT_API const PeltWarning *pelt_skin_warning(const PeltSkin *skin, int index); ///< one of them, the skin's

/// Changes one option between two steps, without a new prepare: the next step is as if the skin had been made with it. Only
/// options that PeltOptionInfo calls live; PELT_UNSUPPORTED names the others, PELT_BAD_ARGUMENT what does not exist or is out of
/// range, and then nothing has changed. From the skin's thread; costs nothing and does not allocate.
PELT_API PeltStatus pelt_skin_set(PeltSkin *skin, const char *key, const char *value, PeltError *err);
/// An option's present value as text, owned by the skin and good until it is set again; NULL: there is no such option.
PELT_API const char *pelt_skin_get(const PeltSkin *skin, const char *key);

/// The state of a skin as bytes: what the next step needs of those before, and what is shown. For going back in time (scrubbing,
/// undo) and for farms: a skin made from the same character, method and options by the same version takes them over, in any
/// process on any machine, and goes on as if it had played the frames itself, bit for bit. Options set live and anchors are not
/// among them. From the skin's thread.
PELT_API size_t pelt_skin_state_size(PeltSkin *skin); ///< does not change while the skin lives; costs next to nothing
/// Writes `size` bytes, which must be pelt_skin_state_size. Costs a copy; does not allocate.
PELT_API void pelt_skin_state_save(PeltSkin *skin, void *bytes, size_t size);
/// Takes them over: they are copied, and stay the caller's. From the skin's thread. PELT_BAD_INPUT: they are damaged, or of
/// another character, method, version or set of options, and nothing has changed. Damage by accident is seen by a checksum; bytes
/// made with intent to harm are not: take them from those you trust.
PELT_API PeltStatus pelt_skin_state_restore(PeltSkin *skin, const void *bytes, size_t size, PeltError *err);

/// Anchors: a point of the skin pulled by a person or a program, with its surroundings, behind any method. They move what is
/// shown: the method goes on from where the skin would be, so that nothing swings when one lets go. Those of a rig exist already
/// and are found by name. All from the skin's thread.

/// A new anchor at a point of the cache; `falloff` is a share of the size, along the surface. It pulls nothing until told. From
/// the skin's thread; it is owned by the skin. Costs a few sweeps over the mesh, and allocates; PELT_BAD_ARGUMENT: no such point,
/// or a falloff outside 0 to 10.
PELT_API PeltStatus pelt_skin_anchor_add(PeltSkin *skin, int point, float falloff, int *anchor, PeltError *err);
PELT_API int pelt_skin_anchor_find(const PeltSkin *skin, const char *name); ///< of the rig; -1: none
/// From the next step on the point is `offset` away from where the skin would be: world, the file's units, times `strength` in
/// [0, 1]; 0 is free. Numbers that are none, or a strength outside, change nothing. Costs nothing, does not allocate.
PELT_API void pelt_skin_anchor_pull(PeltSkin *skin, int anchor, const float offset[3], float strength);
/// The same, but the point is at the place `at`.
PELT_API void pelt_skin_anchor_hold(PeltSkin *skin, int anchor, const float at[3], float strength);
/// A rig's anchor goes back to its keys; one that was added is gone, and its number may be given to the next. Costs nothing.
PELT_API void pelt_skin_anchor_let_go(PeltSkin *skin, int anchor);

/// Methods and their options, for help texts and user interfaces.
typedef enum PeltOptionKind {
    PELT_OPTION_FLOAT,
    PELT_OPTION_INT,
    PELT_OPTION_BOOL,   ///< on or off
    PELT_OPTION_CHOICE, ///< one of `choices`
    PELT_OPTION_TEXT
} PeltOptionKind;
typedef struct PeltOptionInfo {
    const char *name, *value, *choices, *help; ///< value: the default; choices "a|b|c", NULL unless it is one of a few words
    double least, most;                        ///< both 0: any
    bool common;                               ///< every method has it
    PeltOptionKind kind;
    bool live; ///< pelt_skin_set changes it between two steps; else it needs a new skin
} PeltOptionInfo;
/// All from any thread, at no cost; texts are static.
PELT_API int pelt_method_count(void);
PELT_API const char *pelt_method_name(int method);    ///< NULL: out of range
PELT_API const char *pelt_method_summary(int method); ///< one line
PELT_API int pelt_method_find(const char *name);      ///< -1: none
PELT_API bool pelt_method_is_dynamic(int method);     ///< has dynamics, time steps matter
PELT_API bool pelt_method_remembers(int method);      ///< a frame depends on those before; else frames may be baked apart
PELT_API const char *pelt_method_default(void);       ///< what `pelt bake` uses
PELT_API int pelt_method_option_count(int method);    ///< common options included
PELT_API PeltOptionInfo pelt_method_option(int method, int option); ///< option in [0, count): else it asserts

#ifdef __cplusplus
}
#endif
#endif
