/// What the files of parting share.
#ifndef PELTI_BODY_PARTED_PARTS_H
#define PELTI_BODY_PARTED_PARTS_H

#include "body/lean_turned.h"
#include "body/parted.h"

typedef struct PeltiPartedPair {
    int triangle[2]; ///< one of either side
    Vec3 at;         ///< where they pass through each other
    Vec3 way;        ///< in which the first should go from the second
    bool taken;
} PeltiPartedPair;

typedef struct PeltiPartedPush {
    int vertex;
    Vec3 by, from; ///< from: where it was
} PeltiPartedPush;

typedef struct PeltiPartedPlane { ///< between the sides of an island
    Vec3 at, normal;              ///< the first side belongs where the normal points
    float radius;                 ///< of the island
    float wide;                   ///< radius of the kernel: pushes fall from 1 at the middle to 0 there, (1 - (r / wide)^2)^2
    float deep[2];                ///< how far a side goes through it
} PeltiPartedPlane;

typedef struct PeltiPartedIsland { ///< pairs that hang together, and the two sides that they are of
    int *member;                   ///< [count] of PARTED_MOST: pairs; gather() writes them, the others read
    int count;
    PeltiPartedPlane plane; ///< between its sides; aim() writes this and what follows, plan() reads
    Vec3 *mark[2];          ///< [mark_count] where its sides rest: corners and centres, each once
    int mark_count[2];
    int *marked[2]; ///< [vertex_count + triangle_count] the last island, by number, of whose marks it is
    int number;
    float *side; ///< [vertex_count] 1: at rest nearer to its first side, -1: to the second; SIDE_UNKNOWN
} PeltiPartedIsland;

typedef struct PeltiPartedAttempt { ///< one plan: plan() writes the pushes, try() the rest
    PeltiPartedPush *push;          ///< [push_count] of vertex_count
    int push_count;
    int *touched, touched_count; ///< triangles that the pushes move
    bool *is_touched;            ///< [triangle_count]
    PeltiBox *box;               ///< [touched_count] theirs
    PeltiPair *hit;              ///< [hit_count] that cross after it, of what it touched
    int hit_count;
} PeltiPartedAttempt;

typedef struct PeltiPartedVolumes { ///< six times, [component_count] each
    double *rest;                   ///< 0: open, or rigid
    double *as_shown;               ///< of `shown`
    double *change, *trying;        ///< since `shown`; of the attempt at hand
} PeltiPartedVolumes;

struct PeltiParted {
    const PeltiMesh *mesh; ///< what it is made for, up to `length`: set once
    const PeltiPieces *pieces;
    PeltiCrossings *crossings;
    PeltiLean *lean;                ///< knows what crosses by blending
    const PeltiLeanVolume *blended; ///< volumes of closed pieces by blending
    PeltiLeanTurned turned;         ///< who is whose neighbour
    bool *hidden;                   ///< [vertex_count] inside another part at rest
    float *length;                  ///< [edge_count] at rest
    const Mat34 *bones;             ///< of this step
    Vec3 *shown, *x;                ///< [vertex_count] as it came, as it is parted
    Vec3 *kept;                     ///< [vertex_count] the last step's parting, in the space of the strongest bone
    Vec3 *start;                    ///< [vertex_count] what of it this step starts with
    PeltiPartedVolumes volumes;
    PeltiPartedPair *pair; ///< [PARTED_MOST] that cross; find() writes them
    PeltiPartedIsland island;
    PeltiPartedAttempt attempt;
    struct {
        int *queue; ///< [vertex_count] of a walk
        bool *seen; ///< [vertex_count] by it
    } scratch;
};

/// Pairs of triangles that cross in l->x, deeply, and neither at rest nor near what crosses at rest. Returns how many; -1: too
/// many.
int pelti_parted_find(PeltiParted *l, PeltiJobs *jobs);
/// The pairs that hang together with `first` go into l->island.member, their sides in order.
void pelti_parted_gather(PeltiParted *l, int count, int first);
/// The plane between the sides of the island. False: there is none.
bool pelti_parted_aim(PeltiParted *l);
/// Plans the pushes that part the island, `share` of the whole way. False: nothing moves.
bool pelti_parted_plan(PeltiParted *l, float share);
/// Carries the plan out if fewer pairs cross then, and nothing tears, turns over or loses its volume. The list of crossings is
/// kept up to date.
bool pelti_parted_try(PeltiParted *l, PeltiJobs *jobs);
/// Finds l->volumes.as_shown.
void pelti_parted_volumes(PeltiParted *l);
/// Takes back of l->start what tears or turns over the skin as it is shown now; l->x is the rest of it.
void pelti_parted_calm(PeltiParted *l);

static inline bool pelti_parted_rigid(const PeltiParted *l, int vertex)
{
    return l->pieces->pieces[l->mesh->component[vertex]].kind == PELTI_PIECE_RIGID;
}

#endif
