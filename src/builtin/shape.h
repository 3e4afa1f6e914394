/// A body as a signed distance: lofts (limbs with cross sections) and ellipsoids, joined by smooth unions and bumped.
/// Negative inside, metres. The values are distances near the surface only: enough to blend, extract and project.
#ifndef PELTI_BUILTIN_SHAPE_H
#define PELTI_BUILTIN_SHAPE_H

#include "core/jobs.h"
#include "core/memory.h"
#include "math/vec.h"
#include "remesh/remesh.h"

#include <stdint.h>

/// One cross section of a loft: its place along the axis, the offset of its centre, and the four half extents.
typedef struct PeltiSolidSection {
    float t;           ///< 0 at the loft's start, 1 at its end
    float x, z;        ///< centre, along the side and front directions
    float right, left; ///< extent towards +side, -side
    float front, back; ///< extent towards +front, -front
} PeltiSolidSection;

/// How the next things are added.
typedef struct PeltiSolidPen {
    int group;      ///< groups are joined in rising order
    uint64_t bones; ///< bones (bits) that may own skin made by it
    float detail;   ///< edge length wanted here, 1: as the rest of the body
    float blend;    ///< radius of the smooth union within the group
    bool mirror;    ///< reflect in x = 0
    Mat34 place;    ///< local -> rest space, rigid
} PeltiSolidPen;

typedef struct PeltiSolid PeltiSolid;

PeltiSolid *pelti_solid_create(PeltiPool *pool); ///< lives in the pool; NULL when refused
/// Radius of the smooth union of this group with all groups before it.
void pelti_solid_group(PeltiSolid *shape, int group, float blend);
/// Where a loft goes.
typedef struct PeltiSolidLoftLine {
    Vec3 a, b;  ///< its ends
    Vec3 front; ///< fixes the frame: side = axis x front
} PeltiSolidLoftLine;
/// How a loft is rounded.
typedef struct PeltiSolidLoftForm {
    float power;        ///< 2: ellipses, more is boxier
    float cap_a, cap_b; ///< lengths of the rounded ends beyond a and b
} PeltiSolidLoftForm;
void pelti_solid_loft(PeltiSolid *shape, const PeltiSolidPen *pen, PeltiSolidLoftLine line, PeltiSolidLoftForm form,
                      int section_count, const PeltiSolidSection *sections);
/// Which way an ellipsoid lies; both are directions.
typedef struct PeltiSolidFacing {
    Vec3 axis, front;
} PeltiSolidFacing;
/// Ellipsoid with half axes `radii` along side, axis, front.
void pelti_solid_ellipsoid(PeltiSolid *shape, const PeltiSolidPen *pen, Vec3 centre, PeltiSolidFacing facing, Vec3 radii);
/// Pushes the surface out by `height` (in where negative) at the centre, fading to nothing on the ellipsoid's skin.
void pelti_solid_bump(PeltiSolid *shape, const PeltiSolidPen *pen, Vec3 centre, PeltiSolidFacing facing, Vec3 radii,
                      float height);

/// Builds the cells that tell which things matter where. `cell` is their edge; call once, after the last thing is added.
PeltStatus pelti_solid_finish(PeltiSolid *shape, float cell, PeltiJobs *jobs, PeltError *err);

float pelti_solid_distance(const PeltiSolid *shape, Vec3 p);
Vec3 pelti_solid_gradient(const PeltiSolid *shape, Vec3 p, float step);     ///< not normalised
float pelti_solid_detail(const PeltiSolid *shape, Vec3 p, uint64_t *bones); ///< bones of the nearest thing
/// Moves p to the surface along the gradient, by at most `reach`.
Vec3 pelti_solid_project(const PeltiSolid *shape, Vec3 p, float reach, Vec3 *normal);
/// The finished shape as the remesher sees it, for as long as the shape lives.
PeltiRemeshShape pelti_solid_to_remesh(const PeltiSolid *shape);

#endif
