/// All surfaces of one kind (solid or see-through) as one triangle set that rays can be sent against: meshes as they are, and
/// rods, balls, arrows and loose triangles tessellated.
#ifndef PELTI_RENDER_BODY_H
#define PELTI_RENDER_BODY_H

#include "render/rays.h"
#include "render/scene.h"

typedef struct PeltiRenderBody {
    PeltiArray positions, normals; ///< of Vec3
    PeltiArray colours;            ///< of Vec3
    PeltiArray values;             ///< of float
    PeltiArray triangles;          ///< of int[3]
    PeltiArray owner;              ///< of int: mesh index of each triangle, -1: tessellated (plain colours)
    PeltiRays *rays;               ///< NULL: nothing to hit
} PeltiRenderBody;

/// `pixel`: world size of a pixel at the figure, for radii given as 0.
PeltStatus pelti_render_body_create(const PeltiRenderScene *scene, bool see_through, float pixel, PeltiRenderBody *out,
                                    PeltError *err);
void pelti_render_body_release(PeltiRenderBody *body);

#endif
