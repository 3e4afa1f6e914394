/// Finds contacts continuously, within a step, which [Deul2013 sec. 6] leaves as future work.
/// Found is a point that passes through a triangle between the start of the step and its predicted end, all moving straight. It
/// allows steps in which skin moves farther than it is thick.
#include "methods/layered/flesh.h"
#include "methods/layered/constants.def"

typedef struct Moving {
    Vec3 from[4], to[4]; // the point, then the triangle
} Moving;

static void at_time(const Moving *m, float t, Vec3 x[4])
{
    for (int k = 0; k < 4; k++)
        x[k] = vec3_lerp(m->from[k], m->to[k], t);
}

/// Height of the point over the triangle's plane, not normalised: its sign and roots are what matters.
static float height(const Moving *m, float t)
{
    Vec3 x[4];
    at_time(m, t, x);
    return vec3_dot(vec3_sub(x[0], x[1]), vec3_cross(vec3_sub(x[2], x[1]), vec3_sub(x[3], x[1])));
}

/// The height is a cubic in time: it can cross zero three times, and pieces of the step tell those apart well enough.
bool pelti_layered_sweep_point(const PeltiLayeredCollideSkin *skin, int slot, const int triangle[3], float weight[3],
                               Vec3 *normal)
{
    const int *v = triangle;
    const Vec3 *from = skin->before, *to = skin->now;
    Moving m = {{from[slot], from[v[0]], from[v[1]], from[v[2]]}, {to[slot], to[v[0]], to[v[1]], to[v[2]]}};
    for (int i = 0; i < SWEEP_PIECES; i++) {
        float low = (float)i / (float)SWEEP_PIECES, high = (float)(i + 1) / (float)SWEEP_PIECES;
        if (!(height(&m, low) > 0 && height(&m, high) <= 0)) // only from outside in
            continue;
        for (int k = 0; k < SWEEP_HALVINGS; k++) {
            float middle = 0.5f * (low + high);
            if (height(&m, middle) > 0)
                low = middle;
            else
                high = middle;
        }
        Vec3 x[4];
        at_time(&m, low, x);
        PeltiClosest near = pelti_closest_on_triangle(x[0], x[1], x[2], x[3]);
        if (near.feature != PELTI_FACE)
            continue;
        for (int k = 0; k < 3; k++)
            weight[k] = (float)near.weight[k];
        *normal = vec3_normalize_or(vec3_cross(vec3_sub(x[2], x[1]), vec3_sub(x[3], x[1])), vec3(0, 0, 0));
        return true;
    }
    return false;
}
