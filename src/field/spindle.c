/// Samples of a muscle's ellipsoid.
#include "field/spindle.h"

#include "field/constants.def"
#include "math/elementary.h"

void pelti_spindle_samples(Vec3 a, Vec3 b, float radius, PeltiPartSamples *out)
{
    enum { AROUND = 7, RINGS = 7 };
    Vec3 u = vec3_sub(b, a), middle = vec3_lerp(a, b, 0.5f);
    float half = fmaxf(0.5f * vec3_length(u), SPINDLE_FLATTEST * radius);
    *out = (PeltiPartSamples){.radius = radius, .capsule = true};
    Vec3 axis = out->axis = vec3_normalize_or(u, vec3(0, 0, 1)), side = vec3_orthogonal(axis), third = vec3_cross(axis, side);
    for (int ring = 0; ring < RINGS; ring++) {
        float turn = 3.14159265f * (float)(ring + 1) / (RINGS + 1), along = -pelti_cosf(turn), across = pelti_sinf(turn);
        for (int k = 0; k < AROUND; k++) {
            float angle = 6.2831853f * ((float)k + 0.5f * (float)(ring & 1)) / AROUND;
            Vec3 n = vec3_add(vec3_scale(side, pelti_cosf(angle)), vec3_scale(third, pelti_sinf(angle)));
            out->point[out->count] = vec3_mad(vec3_mad(middle, axis, half * along), n, radius * across);
            // gradient of (s / half)^2 + (r / radius)^2
            n = vec3_add(vec3_scale(axis, along / half), vec3_scale(n, across / radius));
            out->normal[out->count++] = vec3_normalize_or(n, axis);
        }
    }
    for (int end = 0; end < 2; end++) {
        out->normal[out->count] = vec3_scale(axis, end ? 1 : -1);
        out->point[out->count] = vec3_mad(middle, out->normal[out->count], half);
        out->count++;
    }
}
