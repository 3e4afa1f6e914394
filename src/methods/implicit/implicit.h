/// Implicit skinning [Vaillant2013], the baseline that tracking improves on: every frame starts from `dqs` and is corrected
/// by marching along the field, so its faults are its start's: deep overlaps end on the wrong side, stretch stays.
#ifndef PELTI_METHODS_IMPLICIT_IMPLICIT_H
#define PELTI_METHODS_IMPLICIT_IMPLICIT_H

#include "field/compose.h"
#include "field/rig.h"
#include "methods/method.h"

typedef enum ImplicitState {
    IMPLICIT_VERTEX_MARCHING, ///< on its way to its iso-value
    IMPLICIT_VERTEX_STOPPED,  ///< the gradient turned: it met another part
    IMPLICIT_VERTEX_LEFT      ///< the field says nothing about it: stays where dqs put it
} ImplicitState;

typedef enum ImplicitStage {
    IMPLICIT_STAGE_START,
    IMPLICIT_STAGE_MARCH,
    IMPLICIT_STAGE_RELAX,
    IMPLICIT_STAGE_SMOOTH,
    IMPLICIT_STAGE_COUNT
} ImplicitStage;

typedef struct ImplicitSettings {
    float sigma;    ///< share of a Newton step
    float cos_stop; ///< of the turn of the gradient that stops a vertex
    int rounds;     ///< of marching and relaxation
    int steps;      ///< of a march
    bool relax;
    bool contact; ///< composition by g_dc in place of the union
    int smooth_passes;
} ImplicitSettings;

typedef struct ImplicitRest { ///< of each vertex, made once
    float *iso;               ///< field value at rest
    bool *projected;          ///< the field says something about it
    int *skeleton;
    float *reach;      ///< support radius of the owner's field: 1 / reach is the scale of gradients
    float *ring_share; ///< [ring] mean value coordinates of the rest pose, aligned with mesh->ring; all 0: none
} ImplicitRest;

typedef struct ImplicitFrame { ///< what a frame goes through
    Mat34 *part_matrix;        ///< [part_count]
    PeltiFieldFrame field;     ///< posed by them
    Vec3 *x;
    Vec3 *normal;                    ///< unit, outward
    float *residual;                 ///< |f - iso|
    unsigned char *state;            ///< ImplicitState
    float *touch;                    ///< strength of the last smoothing
    Vec3 *x_scratch;                 ///< the next x
    float *touch_scratch;            ///< the next touch
    float *residual_scratch;         ///< those that the report sorts
    double ms[IMPLICIT_STAGE_COUNT]; ///< where its time went
} ImplicitFrame;

typedef struct Implicit {
    PeltiPool pool;
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    PeltiJobs *jobs;
    ImplicitSettings set;
    const PeltiMethod *dqs;
    void *dqs_state;
    PeltiFields *fields;
    PeltiRigFields rig;
    ImplicitRest rest;
    ImplicitFrame now;
} Implicit;

enum { IMPLICIT_GRAIN = 256 };

PeltStatus pelti_implicit_prepare(const PeltiMethodPrepare *in, void **state, PeltError *err);
void pelti_implicit_destroy(void *state);
void pelti_implicit_retune(void *state, const PeltiOptions *options);
void pelti_implicit_field(const Implicit *m, int skeleton, Vec3 x, float *value, Vec3 *gradient);
void pelti_implicit_coordinates(Implicit *m, const Vec3 *normals); ///< fills rest.ring_share
/// The weights that dqs gets: `kind` rigid, smooth (as given) or smoother. Lives in m's pool.
PeltStatus pelti_implicit_weights(Implicit *m, const PeltiWeights *given, const char *kind, PeltiWeights *out, PeltError *err);
void pelti_implicit_relax(Implicit *m);
void pelti_implicit_smooth(Implicit *m);

#endif
