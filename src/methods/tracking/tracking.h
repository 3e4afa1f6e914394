/// Robust iso-surface tracking [Vaillant2014]: state and stages. One step = virtual frames of (rigid move, projection,
/// tangential relaxation), then smoothing of what touches, for show. That nothing crosses is the last word's: src/touch.
#ifndef PELTI_METHODS_TRACKING_TRACKING_H
#define PELTI_METHODS_TRACKING_TRACKING_H

#include "field/compose.h"
#include "field/rig.h"
#include "math/sparse.h"
#include "methods/method.h"

typedef enum VertexKind {
    VERTEX_TRACKED, ///< on its iso-surface, relaxes in its tangent plane
    VERTEX_FREE,    ///< the field says nothing here (deep inside, far outside): relaxes in space
    VERTEX_RIGID    ///< follows its bone: painted, a prop, or skin of a bone without a field
} VertexKind;

typedef enum TargetKind { TARGET_BLENDED, TARGET_RIGID, TARGET_POLAR } TargetKind;

typedef struct TrackingSettings {
    bool fast;       ///< factor-once solver; else Jacobi as published
    bool everywhere; ///< look at the field everywhere in every virtual frame: what leaving out is checked against
    int iterations;  ///< relaxation steps of a virtual frame, at most
    float tolerance; ///< of the mean edge: relaxation stops where no vertex moves farther
    float floor_rad; ///< least turn of a virtual frame
    bool subdivide;  ///< virtual frames at all
    float gap;       ///< length: distance kept between touching skin
    TargetKind target;
    int blend_passes;  ///< smoothing of target rotations over the mesh
    int smooth_passes; ///< around contacts
    float keep_volume; ///< share of the volume lost in contacts that swells the free skin
    float hold;        ///< strength of the tether where the field says nothing
    float slide;       ///< 1: relaxation everywhere; 0: none
} TrackingSettings;

/// Joint transforms in the form that virtual frames interpolate: each bone against its parent.
typedef struct Joint {
    Quat turn;    ///< rotation against the parent, sign continuous in time
    Vec3 head;    ///< where the parent carries this joint, the parent's rest space
    Mat3 stretch; ///< what is left of the linear part
} Joint;

typedef struct Bones {
    Mat34 *matrix; ///< [bone_count] rest space -> world
    Joint *joint;  ///< [bone_count]
    Quat *turn;    ///< [bone_count] whole rotation of each bone, sign continuous in time
    float *scale;  ///< [bone_count] cube root of the determinant
} Bones;

/// Stages of a step whose time is reported.
typedef enum Stage { STAGE_FIELDS, STAGE_PROJECT, STAGE_RELAX, STAGE_SMOOTH, STAGE_COUNT } Stage;

typedef struct Counters {
    int virtual_frames, relaxations, contacts;
    double residual_max, residual_p99; ///< |f - iso| outside contact
    double evaluations;                ///< of the composed field
    double ms[STAGE_COUNT];
} Counters;

typedef struct Tracking {
    PeltiPool pool; ///< owns the fields and all that prepare made
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    PeltiWeights weights; ///< the arrays are the caller's and outlive the state
    PeltiJobs *jobs;
    int *bone_order; ///< [bone_count] parents first
    TrackingSettings set;
    PeltiFields *fields;
    PeltiRigFields rig;
    PeltiFieldFrame frame;
    PeltiSparse *factor;
    // constants of a vertex
    unsigned char *kind; ///< VertexKind
    int *skeleton;
    int *bone;                       ///< [vertex_count] bone of the rigid move
    float *tilt;                     ///< of the fields, so that they compose to 0.5 at rest
    float *iso;                      ///< tilted field value at rest: 0.5, nearly
    float *slack;                    ///< least f_own - f_other that the rest pose leaves
    float *edge;                     ///< mean length of its rest edges
    float *reach;                    ///< support radius of the owner's field: 1/reach is the scale of gradients
    float *area;                     ///< lumped rest area
    float *hold;                     ///< tether to the place where its own bone carries it, in units of `diagonal`'s weights
    float *paint;                    ///< 1 relaxes, 0 follows its bone
    float *ring_weight;              ///< [ring] cotangent weight, aligned with mesh->ring
    float *diagonal;                 ///< sum of ring_weight
    double rest_volume, rest_energy; ///< rest_energy: sum of ring_weight times squared rest edges
    // state
    bool started, swollen;
    unsigned turn; ///< of virtual frames
    Vec3 *x;       ///< [vertex_count] tracked positions
    Bones now;     ///< pose of x
    // of a virtual frame
    Bones next, goal;
    Mat34 *part_matrix, *bone_delta;
    Vec3 *normal;           ///< unit, of the surface a vertex is on
    unsigned char *contact; ///< in contact
    int *other;             ///< [vertex_count] part it is in contact with; -1: none
    float *own_rest;        ///< the owner's field at rest
    float *own_bias;        ///< added to the owner's field, where that misses the skin
    float *wall;            ///< [0, 1] how far a vertex has come to lie on a contact surface
    float *pressed;         ///< own field over the rest value, of a vertex in contact
    float *lean;            ///< tilt with the swelling added
    float *swell;           ///< length: how far the free skin of a squeezed part stands out, by vertex
    float *lost, *grown;    ///< [part_count] volume squeezed out of a part; swelling of its skin
    float *residual;        ///< f - iso
    Quat *rotation;         ///< target rotation; scale in `rotation_scale`
    Quat *rotation_next;
    float *rotation_scale;
    Vec3 *rhs;             ///< sum_j w_ij (R_i + R_j) / 2 (p_i - p_j)
    const int *order;      ///< [vertex_count] place in the factor -> vertex; the rows below are in this order
    int *place;            ///< [vertex_count] and back
    int *ring_place;       ///< [ring] places of mesh->ring
    float (*load)[4];      ///< force that is left
    float (*row)[4];       ///< of the linear solver: M^-1 load, then the direction's image
    float (*direction)[4]; ///< conjugate to those before it
    float (*slid)[4];      ///< displacement
    double *sums;          ///< [blocks]
    float *solve_work;
    Vec3 *step;
    Vec3 *before;      ///< place of a vertex a round of relaxation ago
    Vec3 *went;        ///< its way in the round before that
    float *share;      ///< (0, 1] of its steps that a vertex takes: less the more often it turned back; 1 outside of relaxation
    uint64_t *around;  ///< [vertex_count x frame.words] parts near a vertex when it was last asked
    int *cluster;      ///< [bone_count] bones that move as one have the same
    uint64_t *strange; ///< [bone_count x frame.words] parts that move otherwise than the cluster
    float *drift;      ///< length: way that a vertex slid since it looked at the field
    float *moved;      ///< largest move in each block of a parallel loop
    int *looks;        ///< field evaluations of each block
    // output
    Vec3 *shown, *buffer;
    float *touch, *touch_scratch; ///< [vertex_count] contact, spread over a few rings
    unsigned char *stirred;       ///< moved since it looked at the field, or not yet on its surface
    Counters counters;
} Tracking;

enum { GRAIN = 256, BETWEEN = 3 }; ///< BETWEEN: projection steps between two relaxations, at most

// prepare.c
PeltStatus tracking_prepare(const PeltiPrepare *in, void **state, PeltError *err);
void tracking_destroy(void *state);
void tracking_retune(void *state, const PeltiOptions *options);

// keep.c
void tracking_keep(void *state, PeltiSnapshot *snapshot);

// frames.c
void tracking_bones_from(const Tracking *t, const Mat34 *matrices, const Bones *near,
                         Bones *out); ///< near: for the signs; may be NULL
void tracking_bones_rest(const Tracking *t, Bones *out);
void tracking_bones_blend(const Tracking *t, const Bones *a, const Bones *b, float share, Bones *out);
void tracking_bones_copy(const Tracking *t, const Bones *from, Bones *to);
float tracking_share(const Tracking *t, const Bones *now, const Bones *goal); ///< of the way to the goal one virtual frame may go

// effects.c
PeltStatus tracking_effects_prepare(Tracking *t, const PeltRig *rig, PeltError *err);

// project.c
void tracking_move_rigidly(Tracking *t, const Bones *from, const Bones *to);
/// `all`: else only vertices that are `stirred`. `enough`: of the edge, a step after which a vertex has arrived.
void tracking_project(Tracking *t, int iterations, bool all, float enough);
void tracking_rest_values(Tracking *t);

// wake.c
void tracking_wake(Tracking *t, const Bones *from, const Bones *to); ///< marks skin whose surroundings changed as `stirred`

// swell.c
void tracking_swell(Tracking *t);
PeltStatus tracking_find_holds(Tracking *t, PeltError *err);

// rotations.c
void tracking_target_rotations(Tracking *t, const Bones *bones);
void tracking_right_hand_side(Tracking *t, const Bones *bones);

// relax.c
int pelti_tracking_relax(Tracking *t); ///< iterations used
double pelti_tracking_energy(const Tracking *t);

// smooth.c
void tracking_smooth_contacts(Tracking *t);

#endif
