/// What the readers of caches share with one another and with nobody else.
#ifndef PELTI_IO_CACHE_KINDS_H
#define PELTI_IO_CACHE_KINDS_H

#include "io/cache.h"

extern const PeltiCacheKind pelti_cache_points, pelti_cache_npz, pelti_cache_obj, pelti_cache_usd, pelti_cache_abc,
    pelti_cache_gltf;

/// Most frames of a cache whose points stand still, or that moves nodes alone: its length does not bear them out.
enum { PELTI_CACHE_STILL_MOST = 100000 };

uint64_t pelti_cache_word(const unsigned char *bytes, int count, bool big_endian);
float pelti_cache_float(uint32_t bits);
double pelti_cache_double(uint64_t bits);
float pelti_cache_narrow(double value); ///< infinite where no float is as large

/// Sets the start frame, where it is a number of use.
void pelti_cache_start(PeltiSinkFrames *frames, double first);
/// Sets frames a second and start frame from the times of the first and the last of `frame_count`, where they say something. One
/// frame's time says which it is at `fps`, of the caller; 0: 30.
void pelti_cache_times(PeltiSinkFrames *frames, double first_s, double last_s, double fps);

/// A text being read. It need not end with a zero.
typedef struct PeltiCacheText {
    const char *at, *end;
    int line; ///< from 1
} PeltiCacheText;
/// A decimal number right here that a float can hold, whatever the host's language writes for a point; false: there is none.
bool pelti_cache_number(PeltiCacheText *text, double *out);
/// PELT_BAD_INPUT: the line, what was expected, and what stands there.
PeltStatus pelti_cache_broken(const PeltiCacheText *text, const char *wanted, PeltError *err);

#endif
