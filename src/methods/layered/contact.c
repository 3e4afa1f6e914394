/// Computes one contact's value and gradients [Deul2013 sec. 4.5].
/// The paper's edge-edge gradients, (1/|n|)(e14 M e34* - n) and so on, are the normal times the edges' parameters at their
/// nearest points: moving an end of an edge moves the nearest point by its share, and turning the normal changes the distance to
/// second order only. The test compares with finite differences.
#include "methods/layered/flesh.h"
#include "methods/layered/constants.def"

static Vec3 normal_of(const PeltiLayeredContact *c, const Vec3 x[4])
{
    Vec3 a = c->edges ? vec3_sub(x[1], x[0]) : vec3_sub(x[2], x[1]), b = c->edges ? vec3_sub(x[3], x[2]) : vec3_sub(x[3], x[1]);
    Vec3 n = vec3_cross(a, b);
    const float flat = PARALLEL * PARALLEL; // squared sine of the angle between the edges
    float squared = vec3_dot(n, n);
    // parallel edges and zero-area triangles have no normal: the last one, which pointed from one to the other, stays
    if (!(squared > flat * vec3_dot(a, a) * vec3_dot(b, b)))
        return c->normal;
    return vec3_scale(n, (vec3_dot(n, c->normal) < 0 ? -1 : 1) / sqrtf(squared)); // it turns smoothly, and never flips
}

float pelti_layered_collide_value(const PeltiLayeredContact *c, const Vec3 x[4], Vec3 gradient[4])
{
    Vec3 n = normal_of(c, x), gap = {0, 0, 0};
    for (int k = 0; k < 4; k++) {
        gap = vec3_mad(gap, x[k], c->weight[k]);
        gradient[k] = vec3_scale(n, c->weight[k]);
    }
    return vec3_dot(gap, n);
}
