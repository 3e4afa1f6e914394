/// Profiles from and to include/pelt/operator.h.
#include "field/described.h"

#include <stdio.h>
#include <string.h>

_Static_assert((int)PELT_OPERATOR_CONTROLS == (int)PELTI_PROFILE_CONTROLS, "as many control points outside as inside");
_Static_assert((int)PELT_OPERATOR_POINTS == (int)PELTI_CONTROLLER_POINTS, "as many controller points outside as inside");

PeltiProfile pelti_profile_from(const PeltOperator *op)
{
    PeltiProfile p = {.control_count = op->control_count, .reach = op->reach, .point_count = op->point_count};
    snprintf(p.name, sizeof p.name, "%.31s", op->name);
    for (int k = 0; k < PELTI_PROFILE_CONTROLS; k++) {
        p.open[k] = (ProfilePoint){op->open[k][0], op->open[k][1]};
        p.closed[k] = (ProfilePoint){op->closed[k][0], op->closed[k][1]};
    }
    for (int k = 0; k < PELTI_CONTROLLER_POINTS; k++) {
        p.angle_deg[k] = op->controller[k][0];
        p.depth[k] = op->controller[k][1];
    }
    return p;
}

PeltOperator pelti_profile_describe(const PeltiProfile *profile)
{
    PeltOperator op = {.control_count = profile->control_count, .reach = profile->reach, .point_count = profile->point_count};
    snprintf(op.name, sizeof op.name, "%.31s", profile->name);
    for (int k = 0; k < profile->control_count; k++) {
        op.open[k][0] = profile->open[k].x;
        op.open[k][1] = profile->open[k].y;
        op.closed[k][0] = profile->closed[k].x;
        op.closed[k][1] = profile->closed[k].y;
    }
    for (int k = 0; k < profile->point_count; k++) {
        op.controller[k][0] = profile->angle_deg[k];
        op.controller[k][1] = profile->depth[k];
    }
    return op;
}

bool pelti_profile_named(const char *name, PeltiProfile *out)
{
    if (!strcmp(name, "bulge")) {
        *out = pelti_profile_bulge();
        return true;
    }
    *out = pelti_profile_contact();
    if (!strcmp(name, "contact"))
        return true;
    if (strcmp(name, "union"))
        return false;
    snprintf(out->name, sizeof out->name, "union"); // the clean union: contact that never turns
    out->reach = 0;
    out->point_count = 1;
    out->angle_deg[0] = 180;
    out->depth[0] = out->depth[1] = 0;
    return true;
}
