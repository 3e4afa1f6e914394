/// What a built-in character wears and carries: meshes of their own beside the skin, made of parts that hang together.
#ifndef PELTI_BUILTIN_PIECES_H
#define PELTI_BUILTIN_PIECES_H

#include "builtin/body.h"
#include "builtin/vary.h"
#include "builtin/weights.h"

enum { PELTI_WEAR_PIECES = 16, PELTI_WEAR_PARTS = 96 };

typedef struct PeltiWearPoint {
    Vec3 position, normal;
    PeltiInfluences owners;  ///< bones that carry it where the body is varied
    PeltiInfluences weights; ///< as an artist would paint them
} PeltiWearPoint;

typedef struct PeltiWearPart { ///< a component
    int piece, first_point, point_count;
    bool rigid;  ///< keeps its shape when the body is varied and when it is moved out of the way
    bool sunk;   ///< is meant to sink into what it sits on
    Vec3 anchor; ///< where a rigid one is fixed
} PeltiWearPart;

typedef struct PeltiWearPiece { ///< a mesh
    const char *name, *material;
    float colour[3]; ///< linear
    int first_point, point_count, first_triangle, triangle_count;
} PeltiWearPiece;

/// Pieces lie over the skin in the order they are added: a later one is moved away from an earlier one.
typedef struct PeltiWear {
    const PeltiFigure *body;
    const PeltiRemeshSurface *skin;    ///< at rest, not yet varied while pieces are added
    const PeltiInfluences *influences; ///< [skin->vertex_count]
    PeltiArray points;                 ///< PeltiWearPoint
    PeltiArray triangles;              ///< int[3], over points
    int piece_count, part_count;
    PeltiWearPiece pieces[PELTI_WEAR_PIECES];
    PeltiWearPart parts[PELTI_WEAR_PARTS];
} PeltiWear;

void pelti_wear_init(PeltiWear *pieces, const PeltiFigure *body, const PeltiRemeshSurface *skin,
                     const PeltiInfluences *influences);
void pelti_wear_release(PeltiWear *pieces);

void pelti_wear_begin(PeltiWear *pieces, const char *name, const char *material, const float colour[3]);
void pelti_wear_end(PeltiWear *pieces); ///< forgets a piece that came out empty

/// An open shell `lift` m above the skin where `cover` [vertex], in m, is above zero; hems lie where it is zero. Weights are
/// those of the skin beneath.
PeltStatus pelti_wear_shell(PeltiWear *pieces, float lift, const float *cover, PeltError *err);
/// A closed solid of revolution about `axis` through `origin`; `profile` gives radius and height, the ends on the axis.
typedef struct PeltiWearLathe {
    Vec3 origin, axis, front;
    int sides, count;
    const float (*profile)[2];
    PeltiInfluences weights;
    bool sunk;
} PeltiWearLathe;
void pelti_wear_lathe(PeltiWear *pieces, const PeltiWearLathe *lathe);
/// An open ribbon along `count` points; `across` goes from its middle to its left edge. `weights` NULL: as the skin beneath.
void pelti_wear_ribbon(PeltiWear *pieces, int count, const Vec3 *points, const Vec3 *across, const PeltiInfluences *weights);

PeltiInfluences pelti_wear_beneath(const PeltiWear *pieces, Vec3 p); ///< of the vertex nearest to p
PeltiInfluences pelti_wear_bone(int bone);
/// From p along the gradient to where the shape's distance is `level`.
Vec3 pelti_wear_lift(const PeltiSolid *shape, Vec3 p, float level);
/// Where a ray from outside first comes as near as `level`; false where it passes by.
bool pelti_wear_meet(const PeltiSolid *shape, Vec3 from, Vec3 direction, float level, float reach, Vec3 *out);

/// Carries the points as the varied skin (`variation` NULL: it is as planned); moves parts that cross the skin or each other out
/// of the way, a little at a time, and drops those for which `rounds` are not enough (but never one that is meant to sink in).
/// Then normals.
PeltStatus pelti_wear_settle(PeltiWear *pieces, const PeltiVary *variation, PeltiJobs *jobs, PeltError *err);

#endif
