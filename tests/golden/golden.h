/// One golden: a method, a built-in character and some frames of a clip.
#ifndef PELT_TESTS_GOLDEN_H
#define PELT_TESTS_GOLDEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROBE_FRAMES = 3, PROBE_POINTS = 24 };

typedef struct Golden {
    char name[64];
    uint64_t hash; ///< FNV-1a of all positions of all frames: the skin's, then the objects'
    int points, frames;
    float size; ///< largest edge of the box around the skin in the first frame
    float probe[PROBE_FRAMES * PROBE_POINTS][3];
} Golden;

int golden_count(void);
void golden_name(int index, char *name, size_t size);
bool golden_make(int index, const char *folder, int threads,
                 Golden *out); ///< false, with a line on stderr, where something fails

/// Which frame and which point the i-th probe is.
static inline int golden_frame(const Golden *g, int i)
{
    return (g->frames - 1) * (i / PROBE_POINTS) / (PROBE_FRAMES - 1);
}
static inline int golden_point(const Golden *g, int i)
{
    return (int)((int64_t)(g->points - 1) * (i % PROBE_POINTS) / (PROBE_POINTS - 1));
}

#endif
