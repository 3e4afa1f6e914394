/// Skins: a method, prepared for one character, stepped from pose to positions.
#ifndef PELT_SKIN_H
#define PELT_SKIN_H

#include <pelt/character.h>
#include <pelt/rig.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A method, prepared for one character. One thread at a time may call the functions that take it, its own; any number of skins
/// run in parallel.
typedef struct PeltSkin PeltSkin;

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
/// Returns a description of the default method with its own settings, on as many threads as the machine has. Any thread may call
/// it, and it costs nothing.
PELT_API PeltSkinDef pelt_skin_def_default(void);

/// Prepares the method for the character. It may take seconds (see pelt_skin_prepare_ms), of all `threads`, and takes all memory
/// that steps need, from `def->allocator`. Any thread may call it; the skin then belongs to one thread at a time, and skins run
/// side by side. The character must outlive the skin; of `def` only the rig must outlive it too. The caller destroys what `out`
/// gets; on failure that is NULL. It fails with PELT_BAD_ARGUMENT, which names a method, option or value that there is not, with
/// PELT_IO or PELT_BAD_INPUT where the rig cannot be read or is not sound, with PELT_UNSUPPORTED, which says what the method
/// cannot do with this character, and with PELT_FAILED where there is no memory or progress cancelled it. For a moment, while
/// METIS orders a matrix, the process's rand() draws from a state of METIS' own, which is put back: a host whose results rest on
/// rand() or srand() calls neither from other threads meanwhile.
PELT_API PeltStatus pelt_skin_create(const PeltSkinDef *def, const PeltCharacter *who, PeltSkin **out, PeltError *err);
/// Frees a skin; NULL is fine. A world that has it must be gone. No other thread may be using it.
PELT_API void pelt_skin_destroy(PeltSkin *skin);
/// Returns how long pelt_skin_create took, in milliseconds. It must be called from the skin's thread, at no cost.
PELT_API double pelt_skin_prepare_ms(const PeltSkin *skin);

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
/// (pre-roll), never with a jump from rest. It does not allocate and cannot fail: what comes out is finite, and `info` (may be
/// NULL) says how it went. It must be called from the skin's thread with a pose of the skin's character; it costs what
/// docs/methods.md says of the method.
PELT_API void pelt_skin_step(PeltSkin *skin, const PeltPose *pose, float dt_s, PeltStepInfo *info);
/// Makes the next step a cut: there is no motion from the last pose to that one. It must be called from the skin's thread, and
/// costs nothing itself; that step settles, as the first does.
PELT_API void pelt_skin_restart(PeltSkin *skin);

/// Returns the positions of all points [point_count x 3] without a copy: world space (of a created character: the host's), or
/// where pelt_skin_output puts them. They are owned by the skin and good until the next step or destroy. It must be called from
/// the skin's thread and costs nothing, unless pelt_skin_output was told of a matrix: then the first call after a step costs a
/// product a point.
PELT_API const float *pelt_skin_positions(const PeltSkin *skin);
/// Says where positions and normals are handed out from now on: `matrix` (4 x 4 by rows, from that world space; NULL: that space
/// itself) is applied at the first call after each step, in a copy that the skin keeps. It is meant for a host's object space, or
/// a mirrored or scaled view; measures want positions without one. It must be called from the skin's thread, and costs a product
/// a point at that call. It fails with PELT_BAD_ARGUMENT where the matrix is not finite or not invertible, and with PELT_FAILED
/// where there is no memory for the copy.
PELT_API PeltStatus pelt_skin_output(PeltSkin *skin, const float matrix[16], PeltError *err);
/// Returns unit normals for the same points; sharp edges of the file stay sharp. They are owned by the skin and good until the
/// next step or destroy. It must be called from the skin's thread; the first call after a step computes them, which costs some
/// operations a triangle and a point, and others cost nothing.
PELT_API const float *pelt_skin_normals(PeltSkin *skin);

/// Returns how many things were said while preparing: weights made, components treated rigidly, and the like. It must be called
/// from the skin's thread, at no cost.
PELT_API int pelt_skin_warning_count(const PeltSkin *skin);
/// Returns one of them, which is owned by the skin, and NULL for a number outside [0, count). It must be called from the skin's
/// thread, at no cost.
PELT_API const PeltWarning *pelt_skin_warning(const PeltSkin *skin, int index);

/// Changes one option between two steps, without a new prepare: the next step is as if the skin had been made with it. The value
/// is copied. It must be called from the skin's thread, costs nothing and does not allocate. It fails with PELT_UNSUPPORTED for
/// options that PeltOptionInfo does not call live, and with PELT_BAD_ARGUMENT for what does not exist or is out of range; then
/// nothing has changed.
PELT_API PeltStatus pelt_skin_set(PeltSkin *skin, const char *key, const char *value, PeltError *err);
/// Returns an option's present value as text, which is owned by the skin and good until it is set again, and NULL where there is
/// no such option. It must be called from the skin's thread and costs a look at each option in turn.
PELT_API const char *pelt_skin_get(const PeltSkin *skin, const char *key);

/// The state of a skin as bytes is what the next step needs of those before, and what is shown. It serves for going back in time
/// (scrubbing, undo) and for farms: a skin made from the same character, method and options by the same version takes it over, in
/// any process on any machine, and goes on as if it had played the frames itself, bit for bit. Options set live and anchors are
/// not part of it.

/// Returns how many bytes the state has, which does not change while the skin lives. It must be called from the skin's thread and
/// costs next to nothing.
PELT_API size_t pelt_skin_state_size(PeltSkin *skin);
/// Writes the state into `size` bytes of the caller's, which must be as many as pelt_skin_state_size says, else it asserts. It
/// must be called from the skin's thread, costs a copy and a checksum, and does not allocate.
PELT_API void pelt_skin_state_save(PeltSkin *skin, void *bytes, size_t size);
/// Takes a state over: the bytes are copied, and stay the caller's. It must be called from the skin's thread, costs a copy and a
/// checksum, and does not allocate. It fails with PELT_BAD_INPUT where they are damaged, or of another character, method, version
/// or set of options, and then nothing has changed. Damage by accident is seen by the checksum; bytes made with intent to harm
/// are not: take them from those you trust.
PELT_API PeltStatus pelt_skin_state_restore(PeltSkin *skin, const void *bytes, size_t size, PeltError *err);

/// An anchor is a point of the skin pulled by a person or a program, with its surroundings, behind any method. Anchors move what
/// is shown: the method goes on from where the skin would be, so that nothing swings when one lets go. Those of a rig exist
/// already and are found by name. They are owned by the skin.

/// Adds an anchor at a point of the cache, whose number `anchor` gets; `falloff` is a share of the size, along the surface. It
/// pulls nothing until told, and lives until it is let go or the skin is destroyed. It must be called from the skin's thread,
/// costs a few sweeps over the mesh, and allocates. It fails with PELT_BAD_ARGUMENT where there is no such point or the falloff
/// is outside 0 to 10, and with PELT_FAILED where there is no memory.
PELT_API PeltStatus pelt_skin_anchor_add(PeltSkin *skin, int point, float falloff, int *anchor, PeltError *err);
/// Returns the number of the rig's anchor of that name, and -1 where there is none. It must be called from the skin's thread and
/// costs a look at each in turn.
PELT_API int pelt_skin_anchor_find(const PeltSkin *skin, const char *name);
/// Pulls the point, from the next step on, to `offset` away from where the skin would be: world, the file's units, times
/// `strength` in [0, 1]; 0 is free. Numbers that are not finite, or a strength outside, change nothing. A number that is no
/// anchor's asserts. It must be called from the skin's thread, costs nothing and does not allocate.
PELT_API void pelt_skin_anchor_pull(PeltSkin *skin, int anchor, const float offset[3], float strength);
/// Holds the point, from the next step on, at the place `at`, times `strength`: else as pelt_skin_anchor_pull, from the skin's
/// thread and at its cost.
PELT_API void pelt_skin_anchor_hold(PeltSkin *skin, int anchor, const float at[3], float strength);
/// Lets an anchor go: a rig's goes back to its keys; one that was added is gone, and its number may be given to the next. A
/// number that is no anchor's asserts. It must be called from the skin's thread, at no cost.
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
/// The functions below tell of methods and their options, and none can fail.

/// Returns how many methods there are; they are numbered from 0 on. Any thread may call it, at no cost.
PELT_API int pelt_method_count(void);
/// Returns the name of a method, and NULL for a number that is no method's. The text is static. Any thread may call it, at no
/// cost.
PELT_API const char *pelt_method_name(int method);
/// Returns one line that says what a method is, and NULL for a number that is no method's. The text is static. Any thread may
/// call it, at no cost.
PELT_API const char *pelt_method_summary(int method);
/// Returns the number of the method of that name, and -1 where there is none. Any thread may call it, at no cost.
PELT_API int pelt_method_find(const char *name);
/// Tells whether a method has dynamics, so that time steps matter. Any thread may call it, at no cost.
PELT_API bool pelt_method_is_dynamic(int method);
/// Tells whether a method's frame depends on those before; else frames may be baked apart. Any thread may call it, at no cost.
PELT_API bool pelt_method_remembers(int method);
/// Returns the name of the method that `pelt bake` uses unless it is told another. The text is static. Any thread may call it, at
/// no cost.
PELT_API const char *pelt_method_default(void);
/// Returns how many options a method has, those that all methods have included, and 0 for a number that is no method's. Any
/// thread may call it, at no cost.
PELT_API int pelt_method_option_count(int method);
/// Returns what there is to say of an option in [0, count) of a method; any other number asserts. Its texts are static. Any
/// thread may call it, at no cost.
PELT_API PeltOptionInfo pelt_method_option(int method, int option);

#ifdef __cplusplus
}
#endif
#endif
