/// A few numbers side by side, as gcc and clang have them: types alone, so that headers may hold them (math/wide.h, with what is
/// done to eight floats, is for sources). They must not cross a call that is not inlined: clones for AVX2 pass them otherwise.
#ifndef PELTI_MATH_LANES_H
#define PELTI_MATH_LANES_H

#include <stdint.h>

typedef float PeltiFloat4 __attribute__((vector_size(16))); ///< x, y, z and a lane more; or a column or row of a matrix
typedef float PeltiFloat8 __attribute__((vector_size(32)));
typedef double PeltiDouble4 __attribute__((vector_size(32)));
typedef int32_t PeltiInt4 __attribute__((vector_size(16))); ///< as a mask: lanes are 0 or -1
typedef int32_t PeltiInt8 __attribute__((vector_size(32)));
typedef int16_t PeltiShort8 __attribute__((vector_size(16)));

#endif
