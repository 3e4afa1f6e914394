/// Generalised winding numbers of a triangle soup [Jacobson2013], fast by dipoles of far branches [Barill2018]: 1 inside, 0
/// outside, something between near holes. Triangles may be open, overlap and cross.
#ifndef PELTI_BODY_WINDING_H
#define PELTI_BODY_WINDING_H

#include "geometry/box_tree.h"

typedef struct PeltiWinding PeltiWinding;

/// Lives in `pool`; `points` and `triangles` must outlive it.
PeltStatus pelti_winding_create(PeltiPool *pool, int count, const int (*triangles)[3], const Vec3 *points, PeltiWinding **out,
                                PeltError *err);
/// To about 0.02. Any number of threads.
float pelti_winding_at(const PeltiWinding *winding, Vec3 at);
const PeltiBoxTree *pelti_winding_tree(const PeltiWinding *winding); ///< of the triangles

#endif
