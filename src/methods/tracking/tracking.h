/// Robust iso-surface tracking [Vaillant2014]: state and stages. One step = virtual frames of (rigid move, projection,
/// tangential relaxation), then smoothing of what touches, for show. That nothing crosses is the last word's: src/touch.
/// Each stage owns a struct below, which says who writes and who reads it; its arrays are per vertex unless they say otherwise,
/// and hold nothing between two steps where they are called scratch. All of it is made by prepare.c and memory.c.
/// Words beside the paper's: to *look* is to evaluate the composed field at a vertex' place; one that is *awake* takes part in
/// the relaxation, the others *sleep* (as a physics engine's bodies do) and ride with their bones; one that is *stale* has to
/// look again, awake or not; the *contact surface* of two parts is where their fields are equal, from its *mouth* at the skin
/// inwards (field/compose.h).
#ifndef PELTI_METHODS_TRACKING_TRACKING_H
#define PELTI_METHODS_TRACKING_TRACKING_H

#include "field/compose.h"
#include "field/rig.h"
#include "math/sparse.h"
#include "methods/method.h"

typedef enum TrackingKind {
    TRACKING_VERTEX_TRACKED, ///< on its iso-surface, relaxes in its tangent plane
    TRACKING_VERTEX_FREE,    ///< the field says nothing here (deep inside, far outside): relaxes in space
    TRACKING_VERTEX_RIGID    ///< follows its bone: painted, a prop, or skin of a bone without a field
} TrackingKind;

typedef enum TrackingTargetKind { TRACKING_TARGET_BLENDED, TRACKING_TARGET_RIGID, TRACKING_TARGET_POLAR } TrackingTargetKind;

typedef struct TrackingSettings {
    bool fast;       ///< factor-once solver; else Jacobi as published
    bool everywhere; ///< look at the field everywhere in every virtual frame: what leaving out is checked against. Tests alone
                     ///< set it
    int iterations;  ///< relaxation steps of a virtual frame, at most
    float tolerance; ///< of the mean edge: relaxation stops where no vertex moves farther
    float floor_rad; ///< least turn of a virtual frame
    bool subdivide;  ///< virtual frames at all
    float gap;       ///< length: distance kept between touching skin
    TrackingTargetKind target;
    int blend_passes;  ///< smoothing of target rotations over the mesh
    int smooth_passes; ///< around contacts
    float keep_volume; ///< share of the volume lost in contacts that swells the free skin
    float hold;        ///< strength of the tether where the field says nothing
    float slide;       ///< 1: relaxation everywhere; 0: none
} TrackingSettings;

/// A pose in the form that virtual frames interpolate; all [bone_count].
typedef struct TrackingBones {
    Mat34 *matrix;     ///< rest space -> world
    PeltiJoint *joint; ///< against the parent; turns with signs that are continuous in time
    Quat *turn;        ///< whole rotation of each bone, sign continuous in time
    float *scale;      ///< cube root of the determinant
} TrackingBones;

/// frames.c makes poses, tracking.c says which, and project.c writes the way to the next one; relaxation and projection read
/// that.
typedef struct TrackingPoses {
    int *order;         ///< [bone_count] parents first
    TrackingBones now;  ///< of the tracked positions
    TrackingBones next; ///< of the virtual frame
    TrackingBones goal; ///< of the step
    Mat34 *delta;       ///< [bone_count] from `now` to `next`: the rigid move writes it, predict.c reads it too
    Mat34 *part_matrix; ///< [part_count] of `next`: for the frame of the fields
} TrackingPoses;

/// What a vertex is: made once (prepare.c, effects.c, and project.c what it sees at rest); all stages read it.
typedef struct TrackingSkin {
    unsigned char *kind; ///< TrackingKind
    int *skeleton;
    int *bone;       ///< of the rigid move
    float *edge;     ///< mean length of its rest edges
    float *area;     ///< lumped rest area
    float *reach;    ///< support radius of the owner's field: 1/reach is the scale of gradients
    float *paint;    ///< 1 relaxes, 0 follows its bone
    float *tilt;     ///< of the fields (PeltiFieldPoint.tilt), so that they compose to 0.5 at rest
    float *iso;      ///< tilted field value at rest: 0.5, nearly
    float *slack;    ///< f_own - f_other at rest, where another part is near: a contact asks for no more than that; 1: none is
    float *own_rest; ///< the owner's field at rest
    float *own_bias; ///< added to the owner's field, where that misses the skin
    double volume;   ///< of the rest mesh
} TrackingSkin;

/// Where vertices are, and what each saw when it last looked at the field. project.c moves and looks, relax.c slides, predict.c
/// slides on; stale.c, swell.c and relax.c write `must_look`, order.c made `look_order`; all stages read it.
typedef struct TrackingSurface {
    Vec3 *x;
    Vec3 *normal;           ///< unit, of the surface a vertex is on
    unsigned char *contact; ///< in contact
    int *other;             ///< part it is in contact with; -1: none
    float *wall;     ///< [0, 1] weight of the contact surface: 0 on its own iso-surface alone, 1 it lies against another part
    float *pressed;  ///< own field over the rest value, of a vertex in contact
    float *tilt_now; ///< tilt with the swelling added
    float *residual; ///< f - iso
    float *drift;    ///< length: way that a vertex slid since it looked
    unsigned char *must_look; ///< something moved since it looked, or it is not yet on its surface: it has to look again
    int *look_order;          ///< vertices, those that look together next to each other: see order.c
    int *looks_scratch;       ///< [blocks] field evaluations
} TrackingSurface;

/// Which skin is *stale*: what it saw no longer holds, as bones moved around it, and it `must_look` again. stale.c writes it;
/// awake.c and predict.c read `all`.
typedef struct TrackingStale {
    unsigned virtual_frame; ///< counted since the start
    bool all;               ///< in this virtual frame more moves than is worth leaving out
    uint64_t *around;       ///< [vertex_count x frame.words] parts near a vertex when it was last asked
    struct {
        int *cluster;      ///< [bone_count] bones that move as one have the same
        uint64_t *strange; ///< [bone_count x frame.words] parts that move otherwise than the cluster
    } scratch;
} TrackingStale;

/// Free skin rises by what contacts squeeze out of its part. swell.c writes it; project.c reads the heights.
typedef struct TrackingSwelling {
    bool swollen;
    float *height;       ///< length
    float *grown;        ///< [part_count] of the part's skin
    float *lost_scratch; ///< [2 x part_count] volume squeezed out, and area it can go to
} TrackingSwelling;

/// The as-rigid-as-possible energy, eq. (3): sum_ij w_ij |x_i - x_j - R (p_i - p_j)|^2, and tethers; made once
/// (prepare.c, swell.c). The relaxation reads it.
typedef struct TrackingEnergy {
    float *ring_weight; ///< [ring] cotangent weight, aligned with mesh->ring
    float *diagonal;    ///< sum of ring_weight
    float *hold;        ///< tether to the place where its own bone carries it, in units of `diagonal`'s weights
    double rest;        ///< sum of ring_weight times squared rest edges
} TrackingEnergy;

/// Rotations R of the energy. rotations.c writes it; relax.c, conjugate.c and awake.c read it.
typedef struct TrackingTarget {
    Quat *rotation, *scratch;
    float *scale;
    Vec3 *rhs; ///< sum_j w_ij (R_i + R_j) / 2 (p_i - p_j), and the tether's pull
} TrackingTarget;

/// The mesh' rings in the factor's order, place by place; made once.
typedef struct TrackingRows {
    int *start;    ///< [vertex_count + 1]
    int *vertex;   ///< [ring] neighbour
    int *place;    ///< [ring] the same in the factor's order
    float *weight; ///< [ring] energy.ring_weight
    float *hold;   ///< energy.hold
} TrackingRows;

/// Conjugate gradients; rows are in the factor's order, padded to four floats. conjugate.c writes it, awake.c clears directions;
/// relax.c reads `slid`, or writes it by Jacobi.
typedef struct TrackingSolver {
    PeltiSparse *factor;
    const int *order;           ///< place in the factor -> vertex
    int *place;                 ///< and back
    TrackingRows ring;          ///< read as it lies: by the mesh' own order every row was a walk to another place of the memory
    float (*plane)[4];          ///< normal of the surface a vertex slides on and the share of its steps; (0, 0, 0, 1): it is free
    float (*load)[4];           ///< force that is left: the residual r
    float (*preconditioned)[4]; ///< M^-1 load along the plane, z of the textbook: the factor solves in place, so a copy of
                                ///< the load goes in
    float (*image)[4];          ///< A direction, along the plane
    float (*direction)[4];      ///< conjugate to those before it
    float (*slid)[4];           ///< displacement: what a solve gives
    double *sum_scratch;        ///< [blocks] of a pass over rows
    float *scratch;             ///< of the factor
} TrackingSolver;

/// Which skin takes part in the relaxation. awake.c writes it, project.c and predict.c `changed`, prepare.c `fresh` where options
/// change; the relaxation reads `on`, `vertex` and `rows`, whoever moves skin `moved`.
typedef struct TrackingAwake {
    bool fresh;  ///< nothing is known of the frame before: all take part
    bool creeps; ///< in this virtual frame some joint moves by less than STANDS (constants.def), which counts as standing still
    int words;   ///< of a set of bones
    uint64_t *moved;           ///< [words] in this virtual frame: bones that are not, to the bit, where they were
    uint64_t *bones;           ///< [vertex_count x words] that act on a vertex or its ring; made once
    unsigned char *changed;    ///< its place or normal changed since forces were looked at
    unsigned char *restless;   ///< its last relaxation moved it
    Vec3 *left;                ///< force along the surface that its last relaxation left, in the frame of its target rotation
    Vec3 *from;                ///< place before this virtual frame's relaxation; predict.c reads it
    unsigned char *on;         ///< takes part
    int vertex_count, *vertex; ///< those, ascending
    PeltiSparseSome rows;      ///< the same in the factor's order, and what solves need besides
    struct {
        unsigned char *mark; ///< takes part, in the factor's order
        int *queue;          ///< [vertex_count] of those that wake the rings around them
    } scratch;
} TrackingAwake;

/// Joints that turn on as they did make skin slide on as it did. predict.c writes it, relax.c `gain` and `length`; relax.c reads
/// `share`, too: what was taken beforehand counts as gained.
typedef struct TrackingPredict {
    Vec3 *turned; ///< [bone_count] in the last virtual frame: sine of half the angle, along the axis
    Vec3 *way;    ///< [vertex_count] of the last relaxation, with what was taken beforehand; 0: it slept
    float share;  ///< of those ways that this virtual frame takes beforehand; 0: none
    double gain,
        length; ///< what relaxations are held against: of the first solve, of the first round, without taking any beforehand
} TrackingPredict;

/// Vertices that swing to and fro take shorter steps, within one relaxation. relax.c writes it; project.c and conjugate.c read
/// the shares.
typedef struct TrackingEase {
    Vec3 *before; ///< place a round ago
    Vec3 *went;   ///< way in the round before that
    float *share; ///< (0, 1] of its steps that a vertex takes: less the more often it turned back; 1 outside of relaxation
} TrackingEase;

/// How far the slides of one round of the relaxation went, by blocks of those that are awake. relax.c writes and reads it.
typedef struct TrackingSlides {
    float *moved_scratch; ///< [blocks] longest slide, of the edge
    double *way_scratch;  ///< [blocks] squared ways, projection and all, in units of the energy
} TrackingSlides;

/// What is shown: smoothed where skin touches. smooth.c writes it; tracking.c hands out `shown`, and sorts residuals.
typedef struct TrackingShow {
    Vec3 *shown, *scratch;
    float *touch, *touch_scratch; ///< contact, spread over a few rings
    float *sorted_scratch;        ///< of a percentile
} TrackingShow;

/// Stages of a step whose time is reported.
typedef enum TrackingStage {
    TRACKING_STAGE_FIELDS,
    TRACKING_STAGE_PROJECT,
    TRACKING_STAGE_RELAX,
    TRACKING_STAGE_SMOOTH,
    TRACKING_STAGE_COUNT
} TrackingStage;

/// Of this step: every stage adds to it; tracking.c reports it.
typedef struct TrackingCounters {
    int virtual_frames, relaxations, contacts;
    double residual_max, residual_p99; ///< |f - iso| outside contact
    double evaluations;                ///< of the composed field
    double ms[TRACKING_STAGE_COUNT];
} TrackingCounters;

typedef struct Tracking {
    PeltiPool pool; ///< owns the fields and all that prepare made
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    PeltiWeights weights; ///< the arrays are the caller's and outlive the state
    PeltiJobs *jobs;
    TrackingSettings set;
    PeltiFields *fields;
    PeltiRigFields rig;
    PeltiFieldFrame frame;
    bool started;
    TrackingPoses bones;
    TrackingSkin skin;
    TrackingSurface surface;
    TrackingStale stale;
    TrackingSwelling swelling;
    TrackingEnergy energy;
    TrackingTarget target;
    TrackingSolver solver;
    TrackingAwake awake;
    TrackingEase ease;
    TrackingSlides slides;
    TrackingPredict predict;
    TrackingShow show;
    TrackingCounters counters;
} Tracking;

enum { TRACKING_GRAIN = 256 };

// prepare.c, memory.c
PeltStatus pelti_tracking_prepare(const PeltiMethodPrepare *in, void **state, PeltError *err);
void pelti_tracking_destroy(void *state);
void pelti_tracking_retune(void *state, const PeltiOptions *options);
PeltStatus pelti_tracking_memory(Tracking *t, PeltError *err); ///< all stages', but the solver's that the factor says

// keep.c
void pelti_tracking_keep(void *state, PeltiSnapshot *snapshot);

// frames.c
/// `order`: bones, parents first; near: for the signs, may be NULL.
void pelti_tracking_bones_from(const PeltiCharacter *who, const int *order, const PeltiStepInput *in, const TrackingBones *near,
                               TrackingBones *out);
void pelti_tracking_bones_rest(const PeltiCharacter *who, const int *order, TrackingBones *out);
void pelti_tracking_bones_blend(const PeltiCharacter *who, const int *order, const TrackingBones *a, const TrackingBones *b,
                                float share, TrackingBones *out);
void pelti_tracking_bones_copy(int bone_count, const TrackingBones *from, TrackingBones *to);
/// Of the way to the goal one virtual frame may go.
float pelti_tracking_share(const PeltiCharacter *who, const TrackingSettings *set, const TrackingBones *now,
                           const TrackingBones *goal);

// order.c
PeltStatus pelti_tracking_order_looks(Tracking *t, PeltError *err); ///< once the fields are built

// effects.c
PeltStatus pelti_tracking_effects(Tracking *t, const PeltRig *rig, PeltError *err);

/// How a projection goes about it.
typedef struct TrackingLooks {
    int steps;    ///< of a vertex, at most
    float enough; ///< of the edge: a step after which a vertex has arrived
    bool all;     ///< else only vertices that `must_look`
    bool once;    ///< after a slide: only skin that is far from its surface and in no contact takes more than one step
    bool rescue;  ///< skin that was dragged out of its part starts again where its bone carries it
} TrackingLooks;

// project.c
void pelti_tracking_to_rest(const PeltiMesh *mesh, const TrackingSkin *skin,
                            TrackingSurface *surface); ///< a start: at rest, and nobody has looked
void pelti_tracking_move(Tracking *t, const TrackingBones *from, const TrackingBones *to); ///< rigidly
void pelti_tracking_project(Tracking *t, TrackingLooks how);
void pelti_tracking_rest_values(Tracking *t);

// stale.c
void pelti_tracking_forget_around(const Tracking *t, TrackingStale *stale);                      ///< a start
void pelti_tracking_find_stale(Tracking *t, const TrackingBones *from, const TrackingBones *to); ///< makes it look again
/// A joint hardly moves, against its parent, on a character of that size.
bool pelti_tracking_stands_still(float size, const PeltiJoint *from, const PeltiJoint *to);

// awake.c
void pelti_tracking_forget_awake(const PeltiMesh *mesh, TrackingAwake *awake); ///< a start
void pelti_tracking_awake_prepare(Tracking *t);                                ///< after the factor
void pelti_tracking_find_moved(Tracking *t, const TrackingBones *from, const TrackingBones *to);
void pelti_tracking_choose_awake(const Tracking *t, TrackingSolver *solver, TrackingAwake *awake); ///< before a relaxation
void pelti_tracking_put_to_rest(const Tracking *t, TrackingAwake *awake); ///< after the projection that follows it

// predict.c
void pelti_tracking_predict(Tracking *t, const TrackingBones *from, const TrackingBones *to); ///< after the rigid move
void pelti_tracking_remember(Tracking *t);                                                    ///< after a relaxation
void pelti_tracking_forget(const Tracking *t, TrackingPredict *predict);                      ///< a start

// swell.c
void pelti_tracking_forget_swelling(const PeltiMesh *mesh, TrackingSwelling *swelling); ///< a start
void pelti_tracking_swell(const Tracking *t, TrackingSurface *surface, TrackingSwelling *swelling);
PeltStatus pelti_tracking_find_holds(Tracking *t, PeltError *err);

// rotations.c
void pelti_tracking_target_rotations(Tracking *t, const TrackingBones *bones);
void pelti_tracking_right_hand_side(Tracking *t, const TrackingBones *bones);

// relax.c, conjugate.c
int pelti_tracking_relax(Tracking *t); ///< iterations used
/// At most `most` steps; solver.slid is the displacement, `gain` how much energy it takes away in the tangent planes. Returns the
/// number of steps.
int pelti_tracking_conjugate_steps(Tracking *t, int most, double *gain);
double pelti_tracking_energy(const Tracking *t);

// smooth.c
int pelti_tracking_smooth_contacts(const Tracking *t, TrackingShow *show); ///< how many vertices are in contact

/// S P d: the part of d along the surface, all of it where the vertex is free, nothing where it follows its bone; times the share
/// of its steps that the vertex takes, so that the solver knows how little it will move.
static inline Vec3 tracking_along(const Tracking *t, int v, Vec3 d)
{
    if (t->skin.kind[v] == TRACKING_VERTEX_FREE && !t->surface.contact[v])
        return d;
    if (t->skin.kind[v] == TRACKING_VERTEX_RIGID)
        return vec3(0, 0, 0);
    Vec3 n = t->surface.normal[v];
    return vec3_scale(vec3_mad(d, n, -vec3_dot(d, n)), t->ease.share[v]);
}

/// The same; nothing where the vertex sleeps.
static inline Vec3 tracking_tangential(const Tracking *t, int v, Vec3 d)
{
    return t->awake.on[v] ? tracking_along(t, v, d) : vec3(0, 0, 0);
}

static inline bool tracking_bone_moved(const TrackingAwake *awake, int bone)
{
    return awake->moved[bone >> 6] >> (bone & 63) & 1;
}

/// A bone that acts on the vertex or its ring moved.
static inline bool tracking_moved_around(const TrackingAwake *awake, int v)
{
    const uint64_t *bones = awake->bones + (size_t)v * (size_t)awake->words;
    uint64_t met = 0;
    for (int k = 0; k < awake->words; k++)
        met |= bones[k] & awake->moved[k];
    return met != 0;
}

/// Half the negative gradient of eq. (3): b_i - sum_j w_ij (x_i - x_j), and the tether.
static inline Vec3 tracking_force(const Tracking *t, int v)
{
    const PeltiMesh *mesh = t->mesh;
    Vec3 x = t->surface.x[v], sum = vec3_mad(t->target.rhs[v], x, -t->energy.hold[v]);
    for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
        sum = vec3_mad(sum, vec3_sub(x, t->surface.x[mesh->ring[e]]), -t->energy.ring_weight[e]);
    return sum;
}

static inline Vec3 tracking_row(const float row[4])
{
    return vec3(row[0], row[1], row[2]);
}

static inline void tracking_set_row(float row[4], Vec3 a)
{
    row[0] = a.x;
    row[1] = a.y;
    row[2] = a.z;
    row[3] = 0;
}

#endif
