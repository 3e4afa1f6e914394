/// Sine, cosine and their kind with the same bits on every machine: the system's libm chooses its code by the processor (fused
/// multiply-add or not) and changes it between versions. Errors are a few units in the last place of a double; the float
/// forms are rounded from it. Not for inner loops. tests/public/test_symbols.sh keeps the library off libm's versions;
/// sqrt, floor, ceil, rint, round, trunc, fabs, fmin, fmax and fmod are exact everywhere and stay.
#ifndef PELTI_MATH_ELEMENTARY_H
#define PELTI_MATH_ELEMENTARY_H

double pelti_sin(double x); ///< radians; of its full precision up to |x| = 1e5
double pelti_cos(double x);
double pelti_tan(double x);
double pelti_acos(double x);            ///< NaN outside [-1, 1]
double pelti_atan2(double y, double x); ///< in [-pi, pi]; 0 for (0, 0)
double pelti_log(double x);             ///< -infinity at 0, NaN below
double pelti_cbrt(double x);
double pelti_hypot(double x, double y); ///< sqrt(x^2 + y^2), without care for overflow

float pelti_sinf(float x);
float pelti_cosf(float x);
float pelti_tanf(float x);
float pelti_acosf(float x);
float pelti_atan2f(float y, float x);
float pelti_expf(float x);
float pelti_powf(float x, float y); ///< x >= 0
float pelti_cbrtf(float x);
float pelti_hypotf(float x, float y);

#endif
