/// One golden: a method, a built-in character and some frames of a clip.
#ifndef PELT_TESTS_GOLDEN_H
#define PELT_TESTS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROBE_FRAMES = 3, PROBE_POINTS = 24, OBJECT_POINTS = 6, SKIN_PROBES = PROBE_FRAMES * PROBE_POINTS };

typedef struct Golden {
    char name[64];
    uint64_t hash; ///< FNV-1a of all positions of all frames: the skin's, then the objects'
    int points, frames;
    int object_points; ///< of all objects together, 0: there are none
    float size;        ///< largest edge of the box around the skin in the first frame
    int probes;        ///< the skin's, then the objects'
    float probe[PROBE_FRAMES * (PROBE_POINTS + OBJECT_POINTS)][3];
} Golden;

int golden_count(void);
void golden_name(int index, char *name, size_t size);
bool golden_make(int index, const char *folder, int threads,
                 Golden *out); ///< false, with a line on stderr, where something fails

/// Which frame and which point the i-th probe is: of the skin, or of the objects' points, which count from 0 too.
static inline int golden_frame(const Golden *g, int i)
{
    int nth = i < SKIN_PROBES ? i / PROBE_POINTS : (i - SKIN_PROBES) / OBJECT_POINTS;
    return (g->frames - 1) * nth / (PROBE_FRAMES - 1);
}
static inline int golden_point(const Golden *g, int i)
{
    if (i >= SKIN_PROBES)
        return (int)((int64_t)(g->object_points - 1) * ((i - SKIN_PROBES) % OBJECT_POINTS) / (OBJECT_POINTS - 1));
    return (int)((int64_t)(g->points - 1) * (i % PROBE_POINTS) / (PROBE_POINTS - 1));
}

#endif
