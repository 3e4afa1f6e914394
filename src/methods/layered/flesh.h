/// The state of the layered method: four layers of particles along projection segments, in slot order (paths.h), moved by
/// algorithm 1 of [Deul2013]. Positions are about moving.origin, which follows the character, so that float keeps its digits.
#ifndef PELTI_LAYERED_FLESH_H
#define PELTI_LAYERED_FLESH_H

#include "character/motion.h"
#include "character/weights.h"
#include "geometry/box_tree.h"
#include "methods/layered/match.h"
#include "methods/method.h"

/// What the options say, in the units the solver uses. layered_retune writes it, all stages read it.
typedef struct PeltiLayeredSettings {
    float projection[PELTI_LAYERS]; ///< share of the way from the skin to the bone's axis; 0 for the skin
    float stiffness[PELTI_LAYERS];  ///< s of Table 1, reached over all iterations of a step
    int omega, elasticity, volume;  ///< regions reach so many edges; N_elasticity, N_volume of algorithm 1
    int match_every;                ///< shape matching in every n-th iteration
    float step_s;                   ///< longest simulation step
    float turn_rad;                 ///< farthest a bone turns in one step, while settling too
    float damping;                  ///< 1/s, towards the skeleton's own motion
    float joint_keep;               ///< lower bound of the distance to a joint, as a share of the rest distance; 0: off
    float coupling;                 ///< stiffness of the bone layer's pull to its goals
    float thickness, margin;        ///< of contacts, length
    float friction, restitution;
    float cut;                ///< where bones are cut into sub-volumes: 0 at joints, 0.5 in the middle of bones
    Vec3 acceleration;        ///< length / s^2
    bool collide, continuous; ///< continuous: also what passes through within a step
    int inside;               ///< what is drawn: layers, a region, sub-volumes
} PeltiLayeredSettings;

// ---- contacts ----

/// C = (sum weight_i x_i) . n - thickness >= 0, over a point (first) and a triangle, or two edges (two and two).
typedef struct PeltiLayeredContact {
    int slot[4];
    float weight[4]; ///< signed, sum 0
    float thickness;
    float depth; ///< how far it was crossed when found; negative: apart
    int key[2];  ///< the point's slot, or the two edges
    float most;  ///< farthest one projection corrects
    float push;  ///< accumulated correction of this step, length
    bool edges;  ///< two edges; else point and triangle
    Vec3 normal; ///< of the last projection
} PeltiLayeredContact;

/// Islands of contacts, as a physics engine has them: contacts that share a particle are of one island, and islands are solved
/// side by side, each in the order it was found. Small ones are put together into pieces of work.
typedef struct PeltiLayeredIslands {
    int *order;       ///< [contact] grouped by island
    int *piece_start; ///< [contact + 1] into order
    int piece_count;
    struct {
        int *parent; ///< [slot] towards one of its island's
        int *island; ///< [slot] at an island's root: its number
        int *size;   ///< [contact] of an island
        int *next;   ///< [contact] place in order where an island goes on
    } scratch;       ///< of pelti_layered_collide_islands
} PeltiLayeredIslands;

/// The mesh that collides, at rest. pelti_layered_collide_build writes it, detection reads it.
typedef struct PeltiLayeredCollideRest {
    Vec3 *x;              ///< [slot]
    int (*edge_faces)[2]; ///< [edge] triangles there (the same twice at a border)
    int *vertex_owner,
        (*edge_owner)[3]; ///< the triangle that answers for a vertex; per triangle: the edges it answers for, -1: another does
} PeltiLayeredCollideRest;

/// The skin as it is when contacts are looked for. pelti_layered_collide_detect writes it first; what tries pairs, and
/// pelti_layered_sweep_point, read it.
typedef struct PeltiLayeredCollideSkin {
    Vec3 *now;    ///< [slot] skin positions for the tree
    Vec3 *before; ///< [slot] at the start of the step
    Vec3 *triangle_normal, *vertex_normal;
    bool *crumpled;  ///< [slot] a triangle there has turned against the vertex' normal
    PeltiBox *boxes; ///< [triangle] wider by half of how far contacts are looked for there
} PeltiLayeredCollideSkin;

/// Which triangles may touch. Only pelti_layered_collide_detect writes and reads it.
typedef struct PeltiLayeredCollideSearch {
    PeltiBoxTree *tree;                              ///< over the skin's triangles
    PeltiBox *spread;                                ///< [node of tree] bounds of the normals below it
    PeltiPairs pairs;                                ///< of triangles with contacts; tag: how many
    int *first_scratch;                              ///< [pair] its first contact
    float *point_depth_scratch, *edge_depth_scratch; ///< [slot], [edge] least depth among the crossed contacts of each
} PeltiLayeredCollideSearch;

/// Contacts of a step. pelti_layered_collide_detect finds them, pelti_layered_collide_project pushes them; volume, velocities,
/// pictures and the report read them. At the end of a step pelti_layered_collide_remember writes who `touched`: all of it that
/// the next step reads, and a state keeps.
typedef struct PeltiFleshContacts {
    PeltiLayeredContact *list;
    int count, capacity;
    bool overflowed; ///< this detection found more than there is room for
    bool *touched;   ///< [slot] in contact in the last step
    PeltiLayeredIslands islands;
} PeltiFleshContacts;

typedef struct PeltiLayeredCollide {
    PeltiLayeredCollideRest rest;
    PeltiLayeredCollideSkin skin;
    PeltiLayeredCollideSearch search;
    PeltiFleshContacts contacts;
} PeltiLayeredCollide;

// ---- volume ----

typedef struct PeltiLayeredVolumeLoop { ///< closed by a fan to its centre: the mean of the bone layer's goals around it
    int first, count;                   ///< into loop_slots
    Vec3 centre, centre_velocity;
} PeltiLayeredVolumeLoop;
typedef struct PeltiLayeredVolumePart {
    int triangle_first, triangle_count; ///< into triangles
    int loop_first, loop_count;
    int slot_first, slot_count; ///< into slots: every vertex of the part once
    int bone;                   ///< that owns most of it
    double rest_volume;
} PeltiLayeredVolumePart;
/// Sub-volumes. parts.c makes them; pelti_layered_volume_start writes centres and `freedom` in every step, the rest of volume.c
/// reads them.
typedef struct PeltiLayeredVolume {
    int part_count;
    PeltiLayeredVolumePart *parts;
    PeltiLayeredVolumeLoop *loops;
    int (*triangles)[3]; ///< slots
    int *loop_slots, *slots;
    Vec3 *gradient_scratch; ///< [slot] zero outside a projection
    float *freedom;         ///< [slot] inverse mass of skin particles, 0 where they collide
    int *order;             ///< [part] by colours: parts of one colour share no particle, and run side by side
    int *colour_start;      ///< [colour_count + 1] into order
    int colour_count;
} PeltiLayeredVolume;

// ---- stretch ----

/// A bone and the one it hangs on by the skin they share, see stretch.c.
typedef struct PeltiLayeredStretchBone {
    int bone;    ///< those they hang on come first
    int link;    ///< -1: none
    Vec3 pivot;  ///< of the joint between them, rest space
    bool slides; ///< the joint's translation counts
} PeltiLayeredStretchBone;
/// Bones without their turns, and the rest shape of the bind pose. stretch.c writes it; pelti_layered_couple_goals reads `rest`,
/// states keep `used` and `active`.
typedef struct PeltiLayeredStretch {
    PeltiLayeredStretchBone *bones; ///< [count]
    int count;
    Mat34 *now, *used; ///< [bone] rest space -> rest space: the pose without its turns; what the rest shape was made of
    float *rest[3];    ///< [slot x 4] of the bind pose
    bool active;       ///< the rest shape is not the bind pose
} PeltiLayeredStretch;

/// What holds around one bone: the settings, or what the rig says of it.
typedef struct PeltiFleshBone {
    float projection[PELTI_LAYERS], stiffness[PELTI_LAYERS], density[PELTI_LAYERS]; ///< density: share of the usual
    int volume;                                                                     ///< bone that stands for its sub-volume
    float cut; ///< share of the bone that belongs to its parent's sub-volume
} PeltiFleshBone;

/// What is painted on one particle's place; below 0: as its bones have it.
typedef struct PeltiFleshPaint {
    float projection[PELTI_LAYERS], stiffness[PELTI_LAYERS];
} PeltiFleshPaint;

// ---- all of it ----

/// The character at rest. layers.c writes it; all stages read it.
typedef struct PeltiFleshRest {
    float size;             ///< diagonal of the mesh
    Vec3 centre;            ///< of the mesh: what match.rest is about
    int (*triangles)[3];    ///< slots
    PeltiFleshBone *around; ///< [bone]
    PeltiFleshPaint *paint; ///< [slot]; NULL: nothing is painted
    float *depth;           ///< [slot] length of the projection segment
    float *edge;            ///< [slot] mean length of the edges there
    float *inverse_mass;    ///< [slot x 4]
} PeltiFleshRest;

/// Bones that move a slot. layers.c writes them; goals, the guard and the rest shape read them.
typedef struct PeltiFleshWeights {
    int influences;
    int *bone;     ///< [slot x influences]
    float *weight; ///< [slot x influences]
} PeltiFleshWeights;

/// What holds particles to the skeleton. layers.c writes it, anew where the rest shape changes; pelti_layered_couple_hold and the
/// guard read it.
typedef struct PeltiFleshHold {
    float *pull;        ///< [slot x 4] share of the way to its goal a particle takes in one iteration
    float *reach;       ///< [slot x 4] farthest a particle may be from its goal
    int *joint;         ///< [slot] bone whose head keeps its distance; -1: none
    float *joint_least; ///< [slot x 4] that distance, 0: none
} PeltiFleshHold;

/// Particles from step to step; where they are now is match.x. step.c writes them; couple.c writes the goals, and all that is
/// about the origin where it moves that; volume.c and collide.c write speeds too. These and the guard read them.
typedef struct PeltiFleshMoving {
    bool started;       ///< it has settled once
    bool settled;       ///< the last step was without inertia: speeds are not known yet
    Vec3 origin;        ///< world; what positions are about
    float *before[3];   ///< [slot x 4] x at the start of the step
    float *velocity[3]; ///< [slot x 4]
    float *goal[3];     ///< [slot x 4] lbs: goals of the bone layer, and where the skeleton alone would carry the others
    float *goal_before[3];
} PeltiFleshMoving;

/// Bones from step to step. pelti_flesh_move and _settle write the motion, pelti_layered_couple_goals the rest; couple.c and the
/// guard read it.
typedef struct PeltiFleshSkeleton {
    PeltiMotion motion; ///< from the last step's end to this one's
    Mat3 *rotation;     ///< [bone] of the last goals
    Mat3 *turn;         ///< [bone] from the goals before to those
    Vec3 *head;         ///< [bone] heads, about origin
    Mat3 *linear;       ///< [bone] of the last goals, with its scale
    Mat34 *carry;       ///< [bone] from the goals before to those, about origin
    Vec3 *fold;         ///< [bone] towards the inner side of the bend there, length 2 sin(angle / 2)
} PeltiFleshSkeleton;

/// Nothing of this outlives the function that fills it: pelti_flesh_move and _settle `bones`, pelti_layered_couple_goals `blend`,
/// pelti_layered_guard the others.
typedef struct PeltiFleshScratch {
    Mat34 *bones;  ///< [bone] of this substep
    Mat34 *blend;  ///< [bone] rest about centre -> about origin
    Vec3 *shorten; ///< [slot] of the guard: half of what edges are too long by
    int *too_long; ///< [slot] of the guard: edges that are
} PeltiFleshScratch;

typedef enum FleshStage {
    FLESH_STAGE_GOALS,
    FLESH_STAGE_DETECT,
    FLESH_STAGE_MATCH,
    FLESH_STAGE_CONTACTS,
    FLESH_STAGE_VOLUME,
    FLESH_STAGE_COUNT
} FleshStage;

/// What a frame reports of all its substeps. pelti_flesh_substep adds to it, layered_step begins and reads it.
typedef struct PeltiFleshTold {
    double ms[FLESH_STAGE_COUNT]; ///< where its time went
    bool overflowed;              ///< contacts of some substep did not all fit
} PeltiFleshTold;

typedef struct PeltiFlesh {
    PeltiPool pool;
    const PeltiCharacter *who;
    const PeltiMesh *mesh;
    PeltiJobs *jobs;
    PeltiLayeredSettings set;
    bool made_body; ///< of a file's pieces
    int n;          ///< slots
    PeltiLayeredPaths paths;
    PeltiLayeredMatch match;
    PeltiFleshRest rest;
    PeltiFleshWeights weights;
    PeltiFleshHold hold;
    PeltiFleshMoving moving;
    PeltiFleshSkeleton skeleton;
    PeltiLayeredCollide collide;
    PeltiLayeredVolume volume;
    PeltiLayeredStretch stretch;
    PeltiFleshScratch scratch;
    PeltiFleshTold told; ///< of this frame
} PeltiFlesh;

// layers.c
PeltStatus pelti_layered_layers_build(PeltiFlesh *flesh, const PeltiMethodPrepare *in, PeltError *err);
void pelti_layered_layers_lengths(PeltiFlesh *flesh); ///< what follows from the rest shape: reach, distances to joints
// stretch.c
PeltStatus pelti_layered_stretch_build(PeltiFlesh *flesh, PeltError *err);
void pelti_layered_stretch_pose(PeltiFlesh *flesh, const Mat34 *bones); ///< the rest shape for bones of this length and scale
void pelti_layered_stretch_reshape(PeltiFlesh *flesh); ///< the rest shape as `stretch` says, and what follows from it
// keep.c
void pelti_layered_keep(void *state, PeltiSnapshot *snapshot);
// feet.c: a foot is the end on the bones of a vertex' projection segment
Vec3 pelti_layered_feet_on_bones(const PeltiFlesh *flesh, int slot, Vec3 p); ///< weighted mean of the nearest points of its bones
PeltStatus pelti_layered_feet_find(const PeltiFlesh *flesh, PeltiPool *work, Vec3 *feet, PeltError *err); ///< [vertex] rest space
// couple.c
void pelti_layered_couple_goals(PeltiFlesh *flesh,
                                const Mat34 *bones); ///< lbs of all layers for these bones, and orientations with it; moves the
                                                     ///< origin when the character goes far
void pelti_layered_couple_hold(void *flesh, int begin,
                               int end); ///< distance constraints: bone layer to goals, joints' lower bounds
// guard.c
void pelti_layered_guard(PeltiFlesh *flesh, float dt_s); ///< nothing faster, farther from its bones or longer than flesh can be
// collide.c
PeltStatus pelti_layered_collide_build(PeltiFlesh *flesh, PeltError *err);
void pelti_layered_collide_detect(PeltiFlesh *flesh);
void pelti_layered_collide_project(PeltiFlesh *flesh);
void pelti_layered_collide_velocities(PeltiFlesh *flesh, float dt_s); ///< friction and restitution
void pelti_layered_collide_remember(PeltiFlesh *flesh);               ///< who touched in this step, for the next one
void pelti_layered_collide_forget(PeltiFlesh *flesh);                 ///< nobody did
// islands.c
bool pelti_layered_collide_islands_new(PeltiFleshContacts *contacts, PeltiPool *pool, int slots);
void pelti_layered_collide_islands(PeltiFleshContacts *found); ///< of the contacts there are
// sweep.c
bool pelti_layered_sweep_point(const PeltiLayeredCollideSkin *skin, int slot, const int triangle[3], float weight[3],
                               Vec3 *normal); ///< a point passes through a triangle within the step
// contact.c
float pelti_layered_collide_value(const PeltiLayeredContact *contact, const Vec3 x[4],
                                  Vec3 gradient[4]); ///< C + thickness and its gradients; sets no state
// volume.c, parts.c
PeltStatus pelti_layered_parts_build(PeltiFlesh *flesh, PeltiLog *log, PeltError *err);
void pelti_layered_volume_rest(PeltiLayeredVolume *volume, float *const rest[3]); ///< volumes of the rest shape
bool pelti_layered_volume_colour(PeltiLayeredVolume *volume, PeltiPool *pool,
                                 int slots_of_all);             ///< which parts are solved side by side
void pelti_layered_volume_start(PeltiFlesh *flesh, float dt_s); ///< centres and free particles of this step
void pelti_layered_volume_project(PeltiFlesh *flesh);
void pelti_layered_volume_velocities(PeltiFlesh *flesh); ///< makes the velocities divergence free, part by part
double pelti_layered_volume_worst(const PeltiLayeredVolume *volume,
                                  float *const x[3]); ///< largest share by which a part is off its volume at rest
double pelti_layered_volume_of(const PeltiLayeredVolume *volume, float *const x[3], const PeltiLayeredVolumePart *part,
                               Vec3 *gradient, double *centre_rate);
// step.c
void pelti_flesh_rest(PeltiFlesh *flesh);                       ///< bind pose, no motion
void pelti_flesh_show(const PeltiFlesh *flesh, Vec3 *vertices); ///< the skin in the world
void pelti_flesh_held(PeltiFlesh *flesh, const Vec3 *change);   ///< [vertex] goes on from skin that is shown elsewhere
void pelti_flesh_substep(PeltiFlesh *flesh, const Mat34 *bones, float dt_s, bool settle);
/// One output frame, to the pose of `bones` and `joints`; returns its substeps.
int pelti_flesh_move(PeltiFlesh *flesh, const Mat34 *bones, const PeltiJoint *joints, float dt_s);
/// From where it is to rest in this pose; returns its substeps.
int pelti_flesh_settle(PeltiFlesh *flesh, const Mat34 *bones, const PeltiJoint *joints);
float pelti_flesh_speed(const PeltiFlesh *flesh); ///< of the fastest skin particle, sizes per second

// draw.c
void pelti_layered_draw(const void *state, const char *what, PeltiMethodDraw *draw);

static inline Vec3 pelti_flesh_lane(float *const x[3], int slot, int layer)
{
    size_t i = (size_t)slot * PELTI_LAYERS + (size_t)layer;
    return vec3(x[0][i], x[1][i], x[2][i]);
}
static inline void pelti_flesh_set_lane(float *const x[3], int slot, int layer, Vec3 p)
{
    size_t i = (size_t)slot * PELTI_LAYERS + (size_t)layer;
    x[0][i] = p.x;
    x[1][i] = p.y;
    x[2][i] = p.z;
}

#endif
