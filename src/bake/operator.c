/// include/pelt/operator.h: operators for users to design and look at.
#include "bake/slice.h"
#include "field/described.h"
#include "field/operator.h"
#include "io/operator.h"
#include "math/elementary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

PeltStatus pelt_operator_builtin(const char *name, PeltOperator *out, PeltError *err)
{
    PeltiProfile profile;
    if (!pelti_profile_named(name, &profile))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "there is no operator '%s': there are contact, bulge and union", name);
    *out = pelti_profile_describe(&profile);
    return PELT_OK;
}

PeltStatus pelt_operator_from_profile(const char *name, int count, const float (*closed)[2], PeltOperator *out, PeltError *err)
{
    if (count != 2 && (count < 4 || count > PELT_OPERATOR_CONTROLS))
        return PELT_FAIL(err, PELT_BAD_INPUT, "a profile has 2, or 4 to %d control points, not %d", PELT_OPERATOR_CONTROLS,
                         count);
    PELT_TRY(pelt_operator_builtin("contact", out, err));
    memset(out->name, 0, sizeof out->name);
    snprintf(out->name, sizeof out->name, "%.31s", name);
    out->control_count = count;
    for (int k = 0; k < count; k++) {
        out->open[k][0] = 0.5f;
        out->open[k][1] = 0.5f * (float)k / (float)(count - 1);
        out->closed[k][0] = closed[k][0];
        out->closed[k][1] = closed[k][1];
    }
    return PELT_OK;
}

static PeltStatus check_profile(const PeltiProfile *profile, PeltError *err)
{
    const char *problem = pelti_profile_problem(profile);
    return problem ? PELT_FAIL(err, PELT_BAD_INPUT, "operator %s: %s", profile->name, problem) : PELT_OK;
}

PeltStatus pelti_bake_sound(const PeltOperator *op, PeltError *err)
{
    PeltiProfile profile = pelti_profile_from(op);
    return check_profile(&profile, err);
}

PeltStatus pelti_bake_slice(const PeltOperator *op, float d, double *g, PeltError *err)
{
    PeltiProfile profile = pelti_profile_from(op);
    PELT_TRY(check_profile(&profile, err));
    if (!(d >= 0 && d <= 1))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "d = %g: it goes from 0 to 1", (double)d);
    return pelti_operator_slice(&profile, d, NULL, g, err);
}

PeltStatus pelt_operator_check(const PeltOperator *op, PeltError *err)
{
    double g[PELTI_OPERATOR_NODES * PELTI_OPERATOR_NODES];
    for (int k = 0; k <= 4; k++)
        PELT_TRY(pelti_bake_slice(op, 0.25f * (float)k, g, err));
    return PELT_OK;
}

PeltStatus pelt_operator_load(const char *path, PeltOperator *out, PeltError *err)
{
    PELT_TRY(pelti_io_operator_read(path, NULL, out, err));
    PeltiProfile profile = pelti_profile_from(out);
    PeltStatus status = check_profile(&profile, err);
    if (status != PELT_OK)
        pelti_error_prefix(err, "%s", path);
    return status;
}

PeltStatus pelt_operator_save(const PeltOperator *op, const char *path, PeltError *err)
{
    PeltiProfile profile = pelti_profile_from(op);
    PELT_TRY(check_profile(&profile, err));
    return pelti_io_operator_write(op, path, err);
}

double pelti_bake_slice_at(const double *g, double f1, double f2, double *slope)
{
    enum { N = PELTI_OPERATOR_NODES };
    double x = fmin(fmax(f1, 0), 1) * (N - 1), y = fmin(fmax(f2, 0), 1) * (N - 1);
    int i = x < N - 2 ? (int)x : N - 2, j = y < N - 2 ? (int)y : N - 2;
    double u = x - i, v = y - j;
    const double *c = g + i * N + j;
    double dx = (c[N] - c[0]) * (1 - v) + (c[N + 1] - c[1]) * v, dy = (c[1] - c[0]) * (1 - u) + (c[N + 1] - c[N]) * u;
    *slope = pelti_hypot(dx, dy) * (N - 1);
    return (c[0] * (1 - u) + c[N] * u) * (1 - v) + (c[1] * (1 - u) + c[N + 1] * u) * v;
}

PeltStatus pelt_operator_value(const PeltOperator *op, float f1, float f2, float d, float *out, PeltError *err)
{
    double g[PELTI_OPERATOR_NODES * PELTI_OPERATOR_NODES], slope;
    PELT_TRY(pelti_bake_slice(op, d, g, err));
    *out = (float)pelti_bake_slice_at(g, (double)f1, (double)f2, &slope);
    return PELT_OK;
}
