/// Inside of projective skinning [Komaritzan2018], shared by its files. Rest space, world units; "unknown" is a skin vertex in
/// the order of the sparse factor.
#ifndef PELTI_PROJECTIVE_PARTS_H
#define PELTI_PROJECTIVE_PARTS_H

#include "geometry/box_tree.h"
#include "math/polar.h"
#include "math/sparse.h"
#include "character/motion.h"
#include "methods/method.h"

/// What a stage of prepare works from.
typedef struct ProjSource {
    const PeltiCharacter *who;
    const PeltiWeights *weights; ///< influences 0: the skeleton alone decides
    PeltiPool *pool;             ///< of what it makes
    PeltiJobs *jobs;
    PeltiLog *log;
} ProjSource;

// ---- volumetric skeleton (skeleton.c), sec. 3.1 ----

typedef struct ProjSegment {
    int bone, child; ///< moves with `bone`; at b sits the joint of `child`, -1: a tip
    int skeleton;
    Vec3 a, b, axis; ///< axis: unit, a to b
    float length;
    float radius;               ///< of the bone's cylinder
    bool leaf_a, leaf_b;        ///< an end where the skeleton ends: foot points there stay in smoothing
    int near_first, near_count; ///< into `near`: segments that share a joint
} ProjSegment;

typedef struct ProjSkeleton {
    int segment_count;
    ProjSegment *segments;
    int *near;
    float *joint_radius; ///< [bone_count] sphere at the head of each bone
    float *zone;         ///< [bone_count] how far along its bones sliding reaches from this joint
    int outside_count;   ///< segments left out because they lie outside the skin
} ProjSkeleton;
/// `thickness`: 1, or less for thinner bones.
PeltStatus pelti_proj_skeleton(const ProjSource *source, float thickness, ProjSkeleton *out, PeltError *err);

// ---- foot and base points (shrink.c), sec. 3.2 ----

enum { PROJ_STAYS = 0x7fffffff };
typedef struct ProjFoot {
    int segment;    ///< -1: the vertex follows `bone` rigidly
    int bone;       ///< for rigid vertices; -1: stays where it is
    Vec3 foot;      ///< s, on the segment
    Vec3 base;      ///< q, on the volumetric skeleton
    float blend;    ///< 0: follows its segment, 1: the weights say other bones, and it follows those
    int push_order; ///< prisms are split in this order, then in that of vertices; PROJ_STAYS: skin without tissue below
} ProjFoot;
PeltStatus pelti_proj_shrink(const ProjSource *source, const ProjSkeleton *skeleton, ProjFoot **out, PeltError *err);
/// The segment whose folds and contacts a vertex takes part in; -1: none. Half-way it is nearer to following the weights.
static inline int pelti_proj_segment(const ProjFoot *foot)
{
    return foot->blend > 0.5f ? -1 : foot->segment;
}

static inline bool pelti_proj_carries(const ProjFoot *feet, const int triangle[3]) ///< tissue below it
{
    return feet[triangle[0]].segment >= 0 && feet[triangle[1]].segment >= 0 && feet[triangle[2]].segment >= 0;
}

// ---- base points moved until no tetrahedron is flat or inside out (front.c, layer.c) ----

/// `thinnest` [vertex]: base points that make no such tetrahedron with the `push_order` set here. `room` [vertex]: longest way to
/// them that leaves room for the other side, if it can be.
PeltStatus pelti_proj_front(const PeltiMesh *mesh, const float *room, ProjFoot *feet, PeltiPool *temp, Vec3 *thinnest,
                            PeltError *err);
PeltStatus pelti_proj_layer(const PeltiMesh *mesh, ProjFoot *feet, PeltiPool *temp, PeltiJobs *jobs, PeltError *err);

// ---- base points in a pose (base.c), sec. 4.2 ----

typedef struct ProjAnchor { ///< how one base point and its frame follow the pose
    int bone, joint;        ///< the bone; the joint whose zone it is in, -1: rigid with the bone
    int stretch;            ///< child bone at the far end of its segment, -1: none
    float along;            ///< place on the segment, 0 at its start, 1 at the child's joint
    float u;                ///< 0 on the joint's ring, 1 on the bone's ring
    float distance;         ///< from the posed axis, as at rest
    Vec3 at_joint, at_bone; ///< the two ring points, rest
    Vec3 axis;              ///< unit, from the joint along the bone, rest
    float zone;             ///< length of the sliding zone
    Vec3 offset;            ///< base point minus the slid point at rest
    Vec3 base;              ///< q at rest
    float blend;            ///< as in ProjFoot
    int row;                ///< of the weights
} ProjAnchor;

typedef struct ProjPose {
    const Mat34 *bones; ///< [bone_count] rest -> world
    const Quat *turns;  ///< [bone_count] of the joints: each bone against its parent, up to the sign
} ProjPose;

typedef struct ProjJoint { ///< posed: half-way between parent and own bone
    Quat turn;             ///< of the own bone, as its children see it
    Quat between;          ///< the joint's turn by the way it came: its w is below 0 beyond half a turn
    float scale;
    Mat34 half;   ///< rest -> world, maps the head to where the bone's own matrix puts it
    Vec3 stretch; ///< where the joint is minus where the parent's matrix would put it
} ProjJoint;

typedef struct ProjBase {
    int bone_count, vertex_count;
    int *bone_parent;    ///< [bone_count]
    Vec3 *head;          ///< [bone_count]
    ProjAnchor *anchors; ///< [vertex_count] by unknown
    ProjJoint *joints;   ///< [bone_count]
    const PeltiWeights *weights;
    bool slide;
} ProjBase;
/// Sets `blend` of the feet: where the bones that would move a base point are not those its vertex is bound to.
PeltStatus pelti_proj_agree(const PeltiCharacter *who, const ProjSkeleton *skeleton, const PeltiWeights *weights, ProjFoot *feet,
                            PeltiPool *temp, PeltError *err);
/// `out`: slide is set, the rest is made.
PeltStatus pelti_proj_base(const ProjSource *source, const ProjSkeleton *skeleton, const ProjFoot *feet, const int *order,
                           ProjBase *out, PeltError *err);
/// Goes on from the pose before: a joint that is twisted past half a turn stays wound that way.
void pelti_proj_pose_joints(const ProjBase *base, ProjPose pose);
/// The next pose is taken by the short way, whatever was before.
void pelti_proj_unwind_joints(const ProjBase *base);
/// World position of the base point of unknown i and of the rest point x carried rigidly with it.
Vec3 pelti_proj_pose_base(const ProjBase *base, const Mat34 *bones, int i);
Vec3 pelti_proj_carry(const ProjBase *base, const Mat34 *bones, int i, Vec3 rest);

// ---- elements (tets.c), sec. 3.3 and 4.1 ----

enum { PROJ_LANES = 8, PROJ_PIECE = 256 }; ///< elements side by side; unknowns in a piece of parallel work
typedef struct ProjBlock {                 ///< eight elements that have a rotation each: prisms, or tetrahedra by option
    int corner[3][PROJ_LANES];             ///< unknowns; unused lanes repeat a corner with zero vectors
    float pull[3][3]
              [PROJ_LANES]; ///< [corner][xyz] sum over tets of V grad: F += x pull^T, and, times stiffness, the right-hand side
    float base[3][3][PROJ_LANES];  ///< the same for the three base points (of the same corners)
    float over_volume[PROJ_LANES]; ///< 1 / V, so that F is of order 1; unused lanes 0
} ProjBlock;

typedef struct ProjTet { ///< one by one: to find what is inside another (stored.c), for energies and tests
    int corner[4];       ///< unknown, or ~unknown for its base point
    int element;
    float grad[4][3]; ///< shape function gradients (or what ProjStrain makes of them)
    float volume;     ///< weight of the tet in the energy
} ProjTet;

typedef struct ProjTissue {
    int unknown_count, element_count, block_count, tet_count; ///< element_count: with lanes that are left unused
    ProjBlock *blocks;
    int block_first[PELTI_SPARSE_RANGES + 1]; ///< of each range of unknowns: blocks whose corners are of it and of the top
    const ProjBlock *look;                    ///< what rotations are found from: the same, or a variant's
    ProjTet *tets;
    float *mass;               ///< [unknown_count] tissue volume
    float *pin;                ///< [unknown_count] stiffness of a spring to the carried position, 0: none
    PeltiSparseEntry *entries; ///< stiffness between unknowns, diagonal entries first: entries[i] is (i, i)
    int entry_count;
    int *near_start;            ///< [unknown_count + 1] what pulls at an unknown: skin neighbours and, as ~index, base points.
    int *near_index;            ///< Rows of the stiffness add up to zero, so sum_j value (p_j - x_i) is all of it, and loses
    float *near_value;          ///< no digits far from the origin
    int *corner_start;          ///< [unknown_count + 1] rows of the corner array that add up at an unknown
    int *corner_row;            ///< row = (block * 3 + corner) * 8 + lane
    int mended, flat, inverted; ///< tets left out
    int bare;                   ///< vertices that have no tissue below, PROJ_STAYS
    double volume;
} ProjTissue;

/// What an element fits: vectors g_k at the corners of a tetrahedron take the place of shape gradients in F = sum x_k g_k^T.
typedef struct ProjStrain {
    void (*vectors)(const Vec3 p[4], double g[4][3]); ///< from the gradients
    double (*coupling)(double g[4][3], int i, int j); ///< stiffness of two corners
    double (*weight)(double volume, double edge);     ///< of a tetrahedron; edge: mean of the mesh
    float (*size)(const ProjTet *tet);                ///< what F at rest is, a share of the identity
} ProjStrain;
extern const ProjStrain pelti_proj_gradients; ///< eq. 7
typedef struct ProjTissueDef {
    const PeltiMesh *mesh;
    const ProjFoot *feet;
    const int *place, *order; ///< vertex -> unknown and back
    const int *range_first;   ///< of unknowns, see pelti_sparse_ranges
    bool per_tet;             ///< a rotation for each tet
    const ProjStrain *strain;
} ProjTissueDef;
/// How many of the three tetrahedra above a triangle are flat or inside out at rest.
int pelti_proj_bad_tets(const PeltiMesh *mesh, const ProjFoot *feet, const int triangle[3]);
double pelti_proj_flattest(const PeltiMesh *mesh, const ProjFoot *feet, const int triangle[3]); ///< of those three, as below
/// Least height of a tetrahedron's free corners over the root of the area below; signed, > 0 where p[0] sees the others turn
/// left.
double pelti_proj_flatness(const Vec3 p[4], const bool is_free[4]);
PeltStatus pelti_proj_tissue(const ProjTissueDef *def, PeltiPool *pool, PeltiPool *temp, ProjTissue *out, PeltError *err);

// ---- local step (local.c) ----

typedef float ProjRow[4];
/// Per step and element: a point to measure from (its first base point), and the base points' part of F seen from there.
typedef struct ProjFrame {
    float from[3][PROJ_LANES];
    float f[3][3][PROJ_LANES];
} ProjFrame;
void pelti_proj_frames(const ProjTissue *tissue, PeltiJobs *jobs, const ProjRow *q, ProjFrame *out);
/// How much larger than at rest eight elements want to be: 1, and more where contact has pressed volume out of them.
typedef struct ProjSwell {
    float s[PROJ_LANES];
} ProjSwell;
/// Once a step: towards 1 + amount (1 - det F) for elements that lost volume, towards 1 for the others.
void pelti_proj_swell(const ProjTissue *tissue, PeltiJobs *jobs, const ProjRow *x, const ProjFrame *frames, float amount,
                      ProjSwell *swell);
/// Rotations of all elements (warm-started) and what they pull at the corners: rows [block_count x 3 x 8].
typedef struct ProjPulls {
    const ProjRow *x;
    const ProjFrame *frames;
    const ProjSwell *swell;
    PeltiQuatBlock *warm;
    ProjRow *rows;
} ProjPulls;
void pelti_proj_local(const ProjTissue *tissue, PeltiJobs *jobs, const ProjPulls *pulls);
void pelti_proj_local_range(const ProjTissue *tissue, int range, const ProjPulls *pulls); ///< of one range of unknowns
/// Elastic energy in double, with the rotations in `warm`; base points by unknown.
double pelti_proj_energy(const ProjTissue *tissue, const ProjRow *x, const ProjRow *q, const PeltiQuatBlock *warm,
                         const ProjSwell *swell);

// ---- folds at joints (fold.c), sec. 5.1 to 5.3 ----

typedef struct ProjFold {
    int parent, child;                                     ///< bones that meet at the joint
    Vec3 rest_joint, rest_parent, rest_child, rest_normal; ///< directions lead away from the joint
    bool chain;                                            ///< the bones share no joint: hips, shoulders
    bool slender;     ///< both bones are long for the flesh around the joint: a limb, not a trunk
    float shortest;   ///< of the two bones, length
    float radius;     ///< of the joint's sphere, length: what the fold's inside is measured by
    float reach;      ///< length: vertices farther from the joint are not of the fold
    float flesh;      ///< mean distance of the skin from the joint, length
    float rest_inner; ///< |child + parent| of the unit directions at rest: 0 straight, 2 folded flat
    // posed
    Vec3 joint, normal, inner;  ///< normal of the halving plane, to the child; inner: into the fold
    Vec3 child_way, parent_way; ///< directions of the bones, away from the joint
    float swell;                ///< share by which the outer side thickens
    float share;                ///< 0 while the joint is nearly straight, 1 when bent
} ProjFold;

/// A bone that takes part in a fold: one of the two, or further along the chain while the joints between are nearly straight.
typedef struct ProjRelation {
    int fold, bone;
    float side;  ///< +1 child, -1 parent
    float share; ///< posed: how much of the fold acts on this bone
} ProjRelation;

typedef struct ProjMember { ///< of one vertex in one fold
    int relation;
    float weight; ///< less than 1 far from the limb
    float offset; ///< side n.(x - joint) >= offset: half the gap, or what the rest pose has
    float margin; ///< the same for the base point
    float force;  ///< multiplier of that, kept from step to step
} ProjMember;

typedef struct ProjFolds {
    int count, relation_count;
    ProjFold *folds;
    ProjRelation *relations;
    int *start;          ///< [unknown_count + 1] into members; NULL: there are no planes
    ProjMember *members; ///< by unknown
    float gap;           ///< length: distance kept between the two sides of a fold
    float bulge;         ///< settings.bulge: scales the swell of every fold
} ProjFolds;

/// A plane that a vertex keeps to, n.x >= d, for the length of a step.
typedef struct ProjContact {
    int unknown;
    float n[3], d;
    float share;  ///< of the force that acts
    float *force; ///< kept from step to step
} ProjContact;
/// `out`: gap is set, the rest is made.
PeltStatus pelti_proj_folds(const ProjSource *source, const ProjSkeleton *skeleton, const ProjFoot *feet, const int *order,
                            ProjFolds *out, PeltError *err);
void pelti_proj_pose_folds(ProjFolds *folds, const Mat34 *bones);
Vec3 pelti_proj_fold_base(const ProjFolds *folds, int i, Vec3 q); ///< base point of unknown i kept behind its planes
/// Planes that unknown i is behind or less than `near` before, or that hold it; says how many.
int pelti_proj_fold_contacts(ProjFolds *folds, int i, const float *x, float near, ProjContact *out);

// ---- contacts of bones that share no joint (pairs.c) ----

/// Places along a segment and directions around it, each 30 degrees. Sizes of arrays, so no constants that a sweep could change;
/// with some hundred vertices around a segment, finer cells would be empty.
enum { PROJ_HULL_ALONG = 8, PROJ_HULL_AROUND = 12 };
typedef struct ProjHull { ///< the skin around a segment
    float radius[PROJ_HULL_ALONG][PROJ_HULL_AROUND];
    float cap[2]; ///< beyond its ends
    float most;
} ProjHull;
typedef struct ProjPlace { ///< a segment at rest or in a pose, with directions to count turns from
    Vec3 a, b, axis, side1, side2;
    float length;
} ProjPlace;
typedef struct ProjNear { ///< two segments near each other at rest: vertices of the first that are clear of the second
    int first, count;     ///< into `clear`; first -1: not near, all are
} ProjNear;
typedef struct ProjClear {
    int unknown;
    float margin; ///< of its base point behind a plane
    int deep;     ///< the hulls overlap so far at rest that their known direction means nothing
} ProjClear;
typedef struct ProjPairs {
    int *start, *unknowns; ///< [segment_count + 1] vertices of each segment
    float *t;              ///< [unknown_count] place on the segment
    int *other_start;      ///< [segment_count + 1] segments it may meet
    int *others;
    ProjHull *hulls;          ///< [segment_count]
    ProjPlace *rest, *now;    ///< [segment_count]
    float (*plane)[4];        ///< [unknown_count] n, d
    float (*last_scratch)[4]; ///< [unknown_count] while planes are posed: that of the step before, where a force acts
    Vec3 *ways;               ///< [segment_count x segment_count] directions that held before bones met
    ProjNear *near;           ///< [segment_count x segment_count]
    ProjClear *clear;
    float *margin; ///< [unknown_count] of base points behind a plane
    float *depth;  ///< [unknown_count] behind the plane at the start of the step; -INFINITY: no plane
    float *force;  ///< [unknown_count]
    float gap;
} ProjPairs;

// ---- the whole (method.c prepares, solve.c steps) ----

typedef struct Projective Projective;

/// Without inertia (settling), or with it: each has a matrix and rates of its own.
typedef enum ProjMode { PROJ_STILL, PROJ_MOVING, PROJ_MODE_COUNT } ProjMode;

/// projective_retune writes it, steps read it.
typedef struct ProjSettings { ///< what may change between two steps
    float time_step_s;
    float wave_speed; ///< c of the tissue, world units a second
    float gravity;    ///< along -y, world units a second squared; 0: none
    float bulge;      ///< how much pressed flesh bulges, the option: 0 not at all, 1 by SWELL_SHARE and SWELL_AMOUNT
    float keep;       ///< share of velocity relative to the base that is kept in a step
    int iterations;
    bool virtual_frames;
} ProjSettings;

/// Unknowns and their matrices. Preparing writes it, all stages read it.
typedef struct ProjSystem {
    int *place;                  ///< [vertex] -> unknown
    const int *order;            ///< and back
    float *inertia;              ///< mass / (c h)^2: weight of a vertex' inertia next to the tissue's unit stiffness
    ProjRow *rest;               ///< places at rest
    ProjRow *rest_pull;          ///< what rounding leaves of the forces there, taken off every right-hand side
    PeltiSparse *still, *moving; ///< one pattern: tissue alone; with inertia
    int range_count, range_first[PELTI_SPARSE_RANGES + 1]; ///< of unknowns, see pelti_sparse_ranges
} ProjSystem;

/// Carried from step to step, by unknown. solve.c writes and reads it, pairs.c moves base points `q` behind its planes, local.c
/// turns `warm`, stored.c poses it while preparing; collide.c and pictures read it.
typedef struct ProjState {
    ProjRow *x, *last, *velocity; ///< last: where the step started, before it went on by inertia to x~
    ProjRow *q, *q_last;          ///< base points, and those of the step before
    PeltiQuatBlock *warm;         ///< rotations of the elements
} ProjState;

/// Of one step, which solve.c fills and uses up; collide.c, or stored.c, adds the contacts' forces to `solved` in between.
typedef struct ProjScratch {
    ProjRow *origin;   ///< x~ = x + h v + h^2 g, where inertia alone takes it; solves are for moves from there
    ProjRow *constant; ///< right-hand side that stays the same over the iterations
    ProjRow *pulls;    ///< of the elements' corners
    ProjRow *solved;   ///< what the global step solves, in place: a right-hand side goes in, moves from `origin` come out
    float *solver;     ///< of the factor
    ProjFrame *frames;
    float *moved;     ///< [PELTI_SPARSE_RANGES] largest move of the last iteration in each range of unknowns
    double *local_ms; ///< [PELTI_SPARSE_RANGES] time of the local steps of each
} ProjScratch;

/// Preparing and solve.c write it, local.c `share`; the local step reads that.
typedef struct ProjSwelling { ///< flesh that a contact presses bulges beside it
    ProjSwell *share;
    int steps;      ///< with flesh pressed or going down, since the start: shares change in every other one
    int steps_left; ///< until it is as it was
} ProjSwelling;

/// Preparing makes it (collide.c, fold.c, pairs.c); a step poses folds and pairs, lists what may act, and every iteration raises
/// forces; projective_retune (method.c) sets the bulge. The default road tells `count`.
typedef struct ProjContacts {
    ProjFolds folds;              ///< no folds: start is NULL
    ProjPairs pairs;              ///< none: start is NULL
    float *rate[PROJ_MODE_COUNT]; ///< [mode][unknown] force for a length of overlap
    float *most_force;            ///< [unknown] where planes contradict each other forces would grow for ever
    ProjContact *list;            ///< those whose forces may act in this step, by piece
    int *in_piece;                ///< [piece] of PROJ_PIECE unknowns: how many, from pelti_proj_piece_first
    int count;                    ///< of all pieces
} ProjContacts;

/// projective_step writes the motion, pelti_proj_way where it is; solve.c reads it, and pictures where it began.
typedef struct ProjTravel { ///< the way of the bones over a frame
    PeltiMotion motion;
    Mat34 *bones; ///< [bone] at the substep
    Quat *turns;  ///< [bone] at the substep
    bool started;
} ProjTravel;

/// Of the last step: solve.c writes it, projective_step tells it.
typedef struct ProjFigures {
    double residual;                                    ///< largest move of the last iteration, of the size
    double substep_ms, contacts_ms, local_ms, solve_ms; ///< contacts: finding them; local and solve: all its iterations
} ProjFigures;

/// Local and global steps towards one pose.
typedef struct ProjRounds {
    ProjPose pose;
    ProjMode mode;
    int most;      ///< iterations
    double enough; ///< residual at which to stop
    bool touching;
} ProjRounds;

/// Who takes these rounds, and what else is its business: the default road, or a variant.
typedef struct ProjRoad {
    void (*run)(Projective *p, const ProjRounds *rounds);
    void (*tell)(const Projective *p, PeltiStepReport *report); ///< its contacts, and numbers that only this road has
    void (*destroy)(Projective *p);                             ///< what it has made outside of `pool`
} ProjRoad;
extern const ProjRoad pelti_proj_road; ///< solve.c

struct Projective {
    PeltiPool pool;
    PeltAllocator allocator;
    PeltiJobs *jobs;
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    PeltiWeights weights;
    int count; ///< of unknowns: the mesh' vertices
    ProjSkeleton skeleton;
    ProjFoot *feet;
    ProjBase base;
    ProjTissue tissue;
    ProjSettings settings;
    ProjSystem system;
    ProjState state;
    ProjScratch scratch;
    ProjSwelling swelling;
    ProjContacts contacts;
    ProjTravel travel;
    ProjFigures figures;
    const ProjRoad *road;      ///< pelti_proj_road, or a variant's (variants.h); from the start of prepare
    struct ProjStored *stored; ///< that variant's own, which nobody else looks at; else NULL
};

PeltStatus pelti_proj_contacts(Projective *p, bool everywhere, PeltError *err); ///< after the tissue was factored
void pelti_proj_forget_contacts(Projective *p); ///< forces and directions kept from earlier steps: a cut knows none
bool pelti_proj_find_contacts(Projective *p);   ///< counts them; true: some may act in this step
PeltStatus pelti_proj_pairs(Projective *p, float gap, ProjPairs *out, PeltError *err);
void pelti_proj_pose_pairs(Projective *p, const Mat34 *bones); ///< planes; base points (already posed) step behind them
ProjPlace pelti_proj_place(const ProjSegment *segment, const Mat34 *bones); ///< bones NULL: at rest
float pelti_proj_hull_radius(const ProjHull *hull, const ProjPlace *at, float t, Vec3 n);
bool pelti_proj_joined(const ProjSkeleton *skeleton, int a, int b); ///< segments that share a joint or are of no concern
int pelti_proj_piece_first(const ProjFolds *folds, int piece);
/// Forces of the contacts of unknowns [begin, end), updated for x and added to the right-hand side, scratch.solved.
void pelti_proj_contact_forces(Projective *p, ProjMode mode, int begin, int end);

void pelti_proj_keep(void *state, PeltiSnapshot *snapshot); // keep.c

void pelti_proj_swell_reset(const ProjTissue *tissue, ProjSwelling *swelling);
void pelti_proj_settle(Projective *p);                 ///< at rest in the pose that `travel` goes to, from the bind pose
void pelti_proj_substep(Projective *p, ProjPose pose); ///< one time step to this pose
ProjPose pelti_proj_way(ProjTravel *travel, float t);  ///< share t of the way of `travel`, which keeps it
void pelti_proj_begin(Projective *p, ProjPose pose, ProjMode mode); ///< targets of a step
void pelti_proj_pull(Projective *p, ProjMode mode, bool touching);  ///< the local step: y for the global one
void pelti_proj_solve(Projective *p, const PeltiSparse *matrix);    ///< the global step: moves x by it
void pelti_proj_run(Projective *p, const ProjRounds *rounds);       ///< both, again and again
void pelti_proj_measure_rounding(Projective *p);                    ///< fills rest_pull: once, after factoring, before contacts

#endif
