/// The readers of caches: any bytes are refused with a story, or give frames of as many points as said.
#define _DEFAULT_SOURCE // mkstemps
#include "io/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KINDS = 7, FRAMES_MOST = 4, POINTS_MOST = 1 << 16 };

#define HOLDS(condition)                                                                                                         \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            fprintf(stderr, "fuzz_cache.c:%d: does not hold: %s\n", __LINE__, #condition);                                       \
            abort();                                                                                                             \
        }                                                                                                                        \
    } while (0)

static bool begins(const uint8_t *data, size_t size, const char *with)
{
    return size >= strlen(with) && !memcmp(data, with, strlen(with));
}

static int kind_of(const uint8_t *data, size_t size)
{
    static const char *const first[KINDS] = {"PK", "v", "#usda", "Ogawa", "glTF", "{", "POINTCACHE2"};
    for (int k = 0; k < KINDS; k++)
        if (begins(data, size, first[k]))
            return k;
    return KINDS;
}

/// The readers open files: the bytes go into one that is used again and again, under a name of each kind.
static const char *file_with(const uint8_t *data, size_t size)
{
    static const char *const endings[KINDS + 1] = {".npz", ".obj", ".usda", ".abc", ".glb", ".gltf", ".pc2", ".mdd"};
    static char path[KINDS + 1][64];
    static int file[KINDS + 1];
    int k = kind_of(data, size);
    if (!path[k][0]) {
        snprintf(path[k], sizeof path[k], "/tmp/pelt-fuzz-XXXXXX%s", endings[k]);
        file[k] = mkstemps(path[k], (int)strlen(endings[k]));
        HOLDS(file[k] >= 0);
    }
    HOLDS(ftruncate(file[k], 0) == 0 && pwrite(file[k], data, size, 0) == (ssize_t)size);
    return path[k];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PeltError err = {0};
    PeltiCache *cache = NULL;
    PeltStatus status = pelti_cache_open(&(PeltiCacheSource){.path = file_with(data, size)}, &cache, &err);
    HOLDS(status == PELT_OK || status == PELT_BAD_INPUT || status == PELT_UNSUPPORTED);
    HOLDS((status == PELT_OK) == (cache != NULL) && (status == PELT_OK || err.text[0]));
    if (!cache)
        return 0;
    int points = cache->frames.point_count;
    HOLDS(points > 0 && cache->frames.frame_count > 0 && cache->frames.fps >= 0);
    Vec3 *frame = points <= POINTS_MOST ? malloc((size_t)points * sizeof *frame) : NULL;
    for (int f = 0; frame && f < cache->frames.frame_count && f < FRAMES_MOST; f++) {
        status = pelti_cache_frame(cache, f, frame, &err);
        HOLDS(status == PELT_OK || status == PELT_BAD_INPUT);
    }
    free(frame);
    pelti_cache_close(cache);
    return 0;
}
