/// A surface that can touch: the skin of a character or the hull of an object, and the closest features of two of them.
#ifndef PELTI_CONTACT_SURFACE_H
#define PELTI_CONTACT_SURFACE_H

#include "geometry/box_tree.h"
#include "geometry/mesh.h"

#include <stdint.h>

/// surface.c builds it. What holds it moves it (assemble.c, corrector.c and push_out.c): the skin on its way through a step, then
/// as it is shown.
typedef struct PeltiSurface {
    const PeltiMesh *mesh;
    Vec3 *x;                  ///< [vertex_count] world, where it is taken to be at the end of the step
    Vec3 *before;             ///< [vertex_count] world, where it was at the end of the last step
    PeltiBoxTree *tree;       ///< over the triangles
    PeltiBoxTree *sharp_tree; ///< over the sharp edges
    int sharp_count;
    int *sharp;               ///< [sharp_count] edges with a crease of more than 20 degrees at rest
    PeltiBox *sharp_boxes;    ///< [sharp_count]
    int (*edge_triangles)[2]; ///< [edge_count] -1: none
    bool *on_sharp;           ///< [vertex_count] ends a sharp edge
    float longest_edge;       ///< at rest
} PeltiSurface;

/// Builds over a mesh that outlives it. `x` and `before` start at the mesh's rest.
PeltStatus pelti_surface_build(PeltiPool *pool, const PeltiMesh *mesh, PeltiSurface *out, PeltError *err);
void pelti_surface_refit(PeltiSurface *surface, PeltiJobs *jobs); ///< after x has moved; does not allocate

/// A point of a surface: weights of the corners of one triangle, and the feature it lies on (kind << 28 | index).
typedef struct PeltiSurfaceSpot {
    int vertex[3];
    double weight[3];
    uint32_t feature;
} PeltiSurfaceSpot;
enum { PELTI_ON_VERTEX = 0, PELTI_ON_EDGE = 1, PELTI_ON_FACE = 2, PELTI_ON_GROUND = 3 };

/// Two spots that are near. The normal points from b to a: gap = normal . (point_a - point_b), negative inside.
typedef struct PeltiContactTouch {
    int a, b; ///< surfaces; b -1: the ground
    PeltiSurfaceSpot spot_a, spot_b;
    Vec3 point_a, point_b, normal;
    double gap;
    double speed; ///< > 0: the only contact of two that started deep in each other, who part so fast, units/s
} PeltiContactTouch;

typedef struct PeltiContactTouches {
    PeltiContactTouch *list;
    int count, capacity;
    long dropped;             ///< found beyond the capacity
    PeltiPairs pairs_scratch; ///< of the edge queries; created for the surface with most pieces
} PeltiContactTouches;

typedef struct PeltiSurfaceReach { ///< bounds of a surface, and grown by the alarm distance
    PeltiBox box, grown;
    double size;
} PeltiSurfaceReach;
PeltiSurfaceReach pelti_surface_reach(const PeltiSurface *s, double alarm);

typedef struct PeltiContactLimits {
    double alarm; ///< what is nearer is a touch
    double far;   ///< looks no farther
    double deep;  ///< a touch up to this far inside counts
} PeltiContactLimits;

typedef struct PeltiSurfaceQuery { ///< one vertex against another surface
    const PeltiSurface *mine, *other;
    const PeltiSurfaceReach *reach; ///< of the other
    int vertex;                     ///< of mine
    const PeltiContactLimits *limits;
    bool search; ///< its side is not known: within the other's bounds it is found however far the surface is
} PeltiSurfaceQuery;
/// True: a touch within the alarm distance, the vertex as side a. `hint`: in and out, the nearest triangle, -1: none. `clear`:
/// how far the vertex is from the other surface at least, 0 when inside or not known.
bool pelti_contact_touch_vertex(const PeltiSurfaceQuery *query, int *hint, double *clear, PeltiContactTouch *touch);
/// How deep a point is inside (below 0: it is outside), and the nearest way out; false: outside the bounds, or nothing to be in.
bool pelti_surface_depth(const PeltiSurface *s, const PeltiSurfaceReach *reach, Vec3 p, double *depth, Vec3 *out);
void pelti_contact_touch_swap(PeltiContactTouch *touch);
void pelti_contact_touch_add(PeltiContactTouches *out, const PeltiContactTouch *touch);
typedef struct PeltiSurfacePair {
    const PeltiSurface *surfaces; ///< of all
    int a, b;                     ///< the two
    const Mat34
        *to_frame;   ///< world to the frame of whichever of them is rigid, so that moving together is no motion; NULL: world
    PeltiJobs *jobs; ///< may be NULL
} PeltiSurfacePair;

/// Edges against sharp edges, both ways.
void pelti_contact_touch_edges(const PeltiSurfacePair *two, double alarm, PeltiContactTouches *out);
/// Vertices of a surface near or below the plane y = height.
void pelti_contact_touch_ground(const PeltiSurface *surfaces, int a, double height, double alarm, PeltiContactTouches *out);

Vec3 pelti_contact_spot_point(const PeltiSurfaceSpot *spot, const Vec3 *x);

#endif
