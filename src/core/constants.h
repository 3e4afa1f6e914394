/// Tuning constants. A room that has them keeps them in one table, src/<room>/constants.def:
///     #include "core/constants.h"
///     PELT_CONSTANT(RELAX_STILL, 0.005f, "of the mean edge", "why this value, in a sentence")
/// which its sources include in place of defining numbers of their own. The value's own type is the constant's. A build with
/// PELT_SWEEP (cmake --preset sweep) makes variables of them that tools/sweep.py halves and doubles, one at a time, to write
/// what each changes into docs/constants.md. Sizes of arrays, grains of parallel work and the like are no tuning constants.
#ifndef PELTI_CORE_CONSTANTS_H
#define PELTI_CORE_CONSTANTS_H

#ifdef PELT_SWEEP
/// The value, or another that the environment's PELT_SWEEP, "/<room>/constants.def:NAME=VALUE", says of this name.
double pelti_constant_swept(const char *table, const char *name, double value);
#define PELT_CONSTANT(name, value, unit, why)                                                                                    \
    static __typeof__(value) name = (value);                                                                                     \
    __attribute__((constructor)) static void sweep_##name(void)                                                                  \
    {                                                                                                                            \
        name = (__typeof__(value))pelti_constant_swept(__FILE__, #name, (double)(value));                                        \
    }
#else
#define PELT_CONSTANT(name, value, unit, why) __attribute__((unused)) static const __typeof__(value) name = (value);
#endif

#endif
