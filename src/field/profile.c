/// Profile curves of operators [Vaillant2014 sec. 4.2].
#include "field/profile.h"
#include "math/vec.h"

#include <math.h>
#include <stdio.h>

PeltiProfile pelti_profile_contact(void)
{
    PeltiProfile p = {.name = "contact", .control_count = 2, .reach = 1, .point_count = 2};
    p.open[0] = p.closed[0] = (ProfilePoint){0.5f, 0};
    p.open[1] = p.closed[1] = (ProfilePoint){0.5f, 0.5f};
    p.angle_deg[0] = 90;
    p.angle_deg[1] = 150;
    p.depth[1] = 1;
    return p;
}

PeltiProfile pelti_profile_bulge(void)
{
    static const ProfilePoint closed[6] = {{0.5f, 0},     {0.5f, 0.07f},  {0.5f, 0.15f},
                                           {0.43f, 0.2f}, {0.36f, 0.25f}, {0.36f, 0.36f}};
    PeltiProfile p = {.name = "bulge", .control_count = 6, .reach = 1, .point_count = 2};
    for (int k = 0; k < 6; k++) {
        p.open[k] = (ProfilePoint){0.5f, 0.1f * (float)k};
        p.closed[k] = closed[k];
    }
    p.angle_deg[0] = 30;
    p.angle_deg[1] = 120;
    p.depth[1] = 1;
    return p;
}

static ProfilePoint control(const PeltiProfile *p, float d, int k)
{
    k = k < 0 ? 0 : k >= p->control_count ? p->control_count - 1 : k;
    return (ProfilePoint){p->open[k].x + d * (p->closed[k].x - p->open[k].x), p->open[k].y + d * (p->closed[k].y - p->open[k].y)};
}

/// Knot k of the clamped uniform vector of a cubic with n control points: 0 0 0 0 1 2 ... n-3 n-3 n-3 n-3.
static float knot(int k, int n)
{
    k -= 3;
    return (float)(k < 0 ? 0 : k > n - 3 ? n - 3 : k);
}

ProfilePoint pelti_profile_at(const PeltiProfile *profile, float d, float t)
{
    int n = profile->control_count;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    if (n < 4) { // straight
        ProfilePoint a = control(profile, d, 0), b = control(profile, d, n - 1);
        return (ProfilePoint){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
    }
    float u = t * (float)(n - 3);
    int span = (int)u;
    if (span > n - 4)
        span = n - 4;
    ProfilePoint c[4]; // de Boor
    for (int k = 0; k < 4; k++)
        c[k] = control(profile, d, span + k);
    for (int level = 1; level < 4; level++)
        for (int k = 3; k >= level; k--) {
            float low = knot(span + k, n), high = knot(span + k + 4 - level, n), s = high > low ? (u - low) / (high - low) : 0;
            c[k] = (ProfilePoint){c[k - 1].x + s * (c[k].x - c[k - 1].x), c[k - 1].y + s * (c[k].y - c[k - 1].y)};
        }
    return c[3];
}

void pelti_profile_line(const PeltiProfile *profile, float d, float *from, float *to)
{
    ProfilePoint mouth = control(profile, d, profile->control_count - 1);
    *from = mouth.x;
    *to = mouth.x + d * profile->reach * (1 - mouth.x);
}

float pelti_profile_depth(const PeltiProfile *profile, float angle_deg)
{
    int n = profile->point_count;
    if (angle_deg <= profile->angle_deg[0])
        return profile->depth[0];
    for (int k = 1; k < n; k++)
        if (angle_deg < profile->angle_deg[k]) {
            float t = (angle_deg - profile->angle_deg[k - 1]) / (profile->angle_deg[k] - profile->angle_deg[k - 1]);
            return profile->depth[k - 1] + smooth_step(t) * (profile->depth[k] - profile->depth[k - 1]);
        }
    return profile->depth[n - 1];
}

static bool in_unit(float v)
{
    return v >= 0 && v <= 1;
}

const char *pelti_profile_problem(const PeltiProfile *profile)
{
    int n = profile->control_count;
    if (n != 2 && (n < 4 || n > PELTI_PROFILE_CONTROLS))
        return "a profile has 2, or 4 to 12 control points";
    for (int k = 0; k < n; k++)
        for (int side = 0; side < 2; side++) {
            ProfilePoint c = side ? profile->closed[k] : profile->open[k];
            if (!in_unit(c.x) || !in_unit(c.y) || c.x < c.y - 1e-5f)
                return "control points lie in the unit square, f1 >= f2";
            if (k == 0 && (fabsf(c.x - 0.5f) > 1e-5f || fabsf(c.y) > 1e-5f))
                return "a profile starts at (0.5, 0)";
            if (k == n - 1 && (fabsf(c.x - c.y) > 1e-5f || !(c.x > 0.1f && c.x < 0.9f)))
                return "a profile ends on the diagonal f1 = f2, between 0.1 and 0.9";
        }
    if (!in_unit(profile->reach))
        return "the reach of a contact line is between 0 and 1";
    if (profile->point_count < 1 || profile->point_count > PELTI_CONTROLLER_POINTS)
        return "a controller has 1 to 8 points";
    for (int k = 0; k < profile->point_count; k++)
        if (!in_unit(profile->depth[k]) || !in_unit(profile->angle_deg[k] / 180) ||
            (k && !(profile->angle_deg[k] > profile->angle_deg[k - 1])))
            return "controller points rise in angle, 0 to 180 degrees, with depths from 0 to 1";
    return NULL;
}
