/// How deep a point is in one part of a skin. A part is what one bone carries: a piece of the surface, mostly an open tube. Its
/// winding number w is still well defined (1 deep inside, 0 far outside, falling smoothly through the openings), and
///     phi = d (1 - 2 w),  d the distance to the piece,
/// is continuous everywhere: the signed distance wherever the piece surrounds the point, with rounded lids over its openings.
/// Sheets enclose nothing and have no inside. Tabled on a grid in the rest space of the bone.
#ifndef PELTI_CONTACT_PART_FIELD_H
#define PELTI_CONTACT_PART_FIELD_H

#include "geometry/box_tree.h"
#include "geometry/dipole.h"

/// pelti_contact_part_field_layout writes the grid, pelti_contact_part_field_fill its values and `radius`; then it does not
/// change.
typedef struct PeltiContactPartField {
    Vec3 low;
    float cell;
    int size[3];  ///< nodes along x, y, z; 0: none
    float *value; ///< [size0 x size1 x size2] x runs fastest
    float radius; ///< depth of the deepest node; 0: the part encloses nothing
} PeltiContactPartField;

/// A piece of a surface ready to be asked: its triangles, their tree, and their dipoles by node ([Barill2018]).
typedef struct PeltiContactPartPiece {
    int triangle_count;
    const int (*triangles)[3];
    const Vec3 *points;
    PeltiBoxTree *tree;
    PeltiMeshDipole *dipoles; ///< [tree->node_count]
} PeltiContactPartPiece;

PeltStatus pelti_contact_part_piece_build(PeltiPool *pool, int triangle_count, const int (*triangles)[3], const Vec3 *points,
                                          PeltiContactPartPiece *out, PeltError *err);
float pelti_contact_part_winding(const PeltiContactPartPiece *piece, Vec3 p);

/// Lays out the grid over the piece's box grown by a margin, about `nodes` of them.
PeltStatus pelti_contact_part_field_layout(PeltiPool *pool, const PeltiContactPartPiece *piece, int nodes,
                                           PeltiContactPartField *out, PeltError *err);
void pelti_contact_part_field_fill(const PeltiContactPartPiece *piece,
                                   PeltiContactPartField *field); ///< slow; fields may be filled in parallel

/// phi and its gradient (not unit; NULL: not wanted) at a point of rest space; false: outside the grid, far from the part.
bool pelti_contact_part_field_at(const PeltiContactPartField *field, Vec3 p, float *phi, Vec3 *gradient);

#endif
