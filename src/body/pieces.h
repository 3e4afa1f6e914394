/// Judging a character's components: which bend, which only ride along, which belong to the body a method solves on.
#ifndef PELTI_BODY_PIECES_H
#define PELTI_BODY_PIECES_H

#include "body/winding.h"
#include "character/weights.h"

#include <pelt/rig.h>

typedef enum PeltiPieceKind {
    PELTI_PIECE_SKIN,  ///< closed, bends over two bones or more
    PELTI_PIECE_SHELL, ///< the same, but open: cloth, hair, wings
    PELTI_PIECE_RIGID, ///< moves with one bone, or is a small closed thing: sword, helmet, eye, button
} PeltiPieceKind;

typedef struct PeltiPiece { ///< a component of the welded mesh
    PeltiPieceKind kind;
    int bone; ///< rigid: the one it moves with
    int vertex_count, triangle_count;
    bool turned;    ///< its triangles face inwards
    bool in_body;   ///< part of what the body is made from
    bool thing;     ///< rigid because it is small and closed (a button), though its weights blend
    bool sewn;      ///< rigid, small and on the skin: rides on it as a rigid body, not on its bone
    bool said;      ///< by the rig
    float daylight; ///< share of looks from it that get out past the others; 1 unless body/inside.h was asked
    Vec3 low, high;
} PeltiPiece;

typedef struct PeltiPieces {
    int count;
    PeltiPiece *pieces; ///< [mesh->component_count]
    const int *label;   ///< [vertex_count] strongest bone
    const int *start;   ///< [count + 1] into `vertex`
    const int *vertex;  ///< [vertex_count] piece by piece
} PeltiPieces;

/// `weights` per welded vertex. What `rig` says of a piece counts for more; NULL: nothing. Lives in `pool`.
PeltStatus pelti_pieces_judge(const PeltiCharacter *who, const PeltiWeights *weights, const PeltRig *rig, PeltiPool *pool,
                              PeltiPieces *out, PeltError *err);

/// Winding numbers of one piece's own triangles, all facing outwards. Lives in `pool`.
PeltStatus pelti_pieces_winding(const PeltiCharacter *who, const PeltiPieces *pieces, int piece, PeltiPool *pool,
                                PeltiWinding **out, PeltError *err);
/// Share of a bone that lies inside.
float pelti_pieces_bone_inside(const PeltiCharacter *who, const PeltiWinding *winding, int bone);

/// Whether the whole character is one closed skin.
bool pelti_pieces_one_skin(const PeltiCharacter *who, const PeltiPieces *pieces);

/// Pieces that the rig calls rigid are bound to one bone alone: `weights` is changed to a copy in `pool` where there are such;
/// returns whether it was by `changed`.
PeltStatus pelti_pieces_bind(const PeltiCharacter *who, const PeltRig *rig, PeltiPool *pool, PeltiWeights *weights, bool *changed,
                             PeltError *err);

/// The triangles of the pieces in the body that belong to one skeleton, all facing outwards.
typedef struct PeltiPieceSoup {
    int triangle_count;
    int (*triangles)[3]; ///< over welded vertices
    int *source;         ///< [triangle_count] triangle of the mesh
    const Vec3 *points;  ///< the mesh's rest
} PeltiPieceSoup;
PeltStatus pelti_pieces_soup(const PeltiCharacter *who, const PeltiPieces *pieces, int skeleton, PeltiPool *pool,
                             PeltiPieceSoup *out, PeltError *err);

#endif
