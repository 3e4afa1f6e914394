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

/// The same at the points of a small grid, `edge` apart from `low` on, x first: one walk through the tree for all of them.
enum { PELTI_WINDING_SIDE = 4, PELTI_WINDING_CUBE = PELTI_WINDING_SIDE * PELTI_WINDING_SIDE * PELTI_WINDING_SIDE };
void pelti_winding_cube(const PeltiWinding *winding, Vec3 low, float edge, float out[PELTI_WINDING_CUBE]);

#endif
