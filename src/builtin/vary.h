/// A body that differs from its plan: longer, thicker, crooked, with joints off the middle and a mesh of another kind.
#ifndef PELTI_BUILTIN_VARY_H
#define PELTI_BUILTIN_VARY_H

#include "builtin/body.h"
#include "builtin/weights.h"

typedef struct PeltiVary {
    uint64_t seed;
    float length[PELTI_FIGURE_BONES], girth[PELTI_FIGURE_BONES]; ///< factors along and across each bone
    float amount;                                                ///< 1: as drawn; 0: the plan itself
    Mat34 carry[PELTI_FIGURE_BONES];                             ///< rest space of the plan -> of the varied body
    float sway, wave; ///< m: how far the whole is bent out of shape, and over what length
    Vec3 phase;
    float off_centre; ///< of the radius, how far joints lie from the middle
    float uneven;     ///< 0: edges as long as the plan wants; 0.6: from 0.4 to 1.6 of that
    float jitter;     ///< of the edge length, how far vertices lie from where an even mesh has them
} PeltiVary;

/// Some seeds have end bones, as exporters write them: beyond each tip but those of fingers, owning nothing.
void pelti_vary_ends(PeltiFigure *body, uint64_t seed);
/// Draws one for a body that is planned; `size` is its height or length in m.
void pelti_vary_draw(PeltiVary *variation, const PeltiFigure *body, uint64_t seed, float size);
/// Vertices wanted where nobody says: the plan's, from a fifth to half as many again.
int pelti_vary_vertices(uint64_t seed, int plan_vertices);
/// A shape with edge lengths that vary too; `varied` must live as long.
typedef struct PeltiVaryShape {
    PeltiRemeshShape plan;
    const PeltiVary *variation;
} PeltiVaryShape;
PeltiRemeshShape pelti_vary_shape(const PeltiVaryShape *varied);

/// Moves vertices along the skin, each to its own random place among its neighbours. Before weights are made.
PeltStatus pelti_vary_mesh(const PeltiVary *variation, const PeltiFigure *body, PeltiRemeshSurface *surface, PeltError *err);

/// Where a point of the plan's rest space goes, by the bones that own it.
Vec3 pelti_vary_point(const PeltiVary *variation, const PeltiInfluences *owners, Vec3 p);
/// Carries the skin (normals anew), then the joints. Takes back half of the change, and again, where the skin would cross
/// itself. Bones move last, by `off_centre` of the radius around them.
PeltStatus pelti_vary_body(PeltiVary *variation, PeltiFigure *body, PeltiRemeshSurface *surface, const PeltiInfluences *owners,
                           PeltiJobs *jobs, PeltError *err);

#endif
