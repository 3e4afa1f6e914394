/// Profile curves of composition operators: where in the (f1, f2) square the composed field is 0.5 [Vaillant2014 sec. 4.2].
#ifndef PELTI_FIELD_PROFILE_H
#define PELTI_FIELD_PROFILE_H

#include <stdbool.h>

typedef struct ProfilePoint {
    float x, y;
} ProfilePoint;

enum { PELTI_PROFILE_CONTROLS = 12, PELTI_CONTROLLER_POINTS = 8 };

/// The branch below the diagonal, from (0.5, 0) to its mouth (m, m); the other is its mirror image, so that a composition
/// does not depend on the order of its fields. Clamped cubic B-spline whose control points go linearly from `open`
/// (d = 0) to `closed` (d = 1). From the mouth the contact line runs along f1 = f2 for d * reach of the way to (1, 1).
typedef struct PeltiProfile {
    char name[32];
    int control_count; ///< 2: a straight line, else >= 4
    ProfilePoint open[PELTI_PROFILE_CONTROLS], closed[PELTI_PROFILE_CONTROLS];
    float reach; ///< [0, 1]
    /// d over the angle between the gradients: smooth steps between points, constant before the first and after the last
    int point_count;
    float angle_deg[PELTI_CONTROLLER_POINTS]; ///< rising, 0 to 180
    float depth[PELTI_CONTROLLER_POINTS];     ///< d in [0, 1]
} PeltiProfile;

PeltiProfile pelti_profile_contact(void); ///< g_dc: clean union to full contact, d_c = 0 to 90 deg, 1 from 150 on
PeltiProfile pelti_profile_bulge(void);   ///< g_db: and inflated beside the contact, d_b = 0 to 30 deg, 1 at 120

/// Point of the branch at t in [0, 1] for a given d.
ProfilePoint pelti_profile_at(const PeltiProfile *profile, float d, float t);
/// Ends of the contact line along the diagonal: f1 = f2 in [*from, *to]; to <= from: none.
void pelti_profile_line(const PeltiProfile *profile, float d, float *from, float *to);
/// d for an angle in degrees.
float pelti_profile_depth(const PeltiProfile *profile, float angle_deg);
/// NULL, or what is wrong with it (static text).
const char *pelti_profile_problem(const PeltiProfile *profile);

#endif
