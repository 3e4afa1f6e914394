/// Reads .pc2 and .mdd.
#include "io/cache_kinds.h"

#include <string.h>

typedef struct PointCache {
    PeltiCache head;
    PeltiSource source;
    bool big_endian;
    uint64_t first_byte; ///< of the first frame
} PointCache;

/// Counts that the file's length bears out; 12 bytes a point and frame.
static PeltStatus check_counts(const PointCache *cache, uint32_t points, uint32_t frames, const char *kind, PeltError *err)
{
    if (points == 0 || frames == 0 || points > INT32_MAX || frames > INT32_MAX)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s header has %u points and %u frames", kind, points, frames);
    uint64_t rest = cache->source.bytes > cache->first_byte ? cache->source.bytes - cache->first_byte : 0;
    if ((uint64_t)points * frames > rest / 12) // the product fits: both are below 2^31
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s is short: %u frames of %u points need %llu bytes, %llu are there", kind, frames,
                         points, (unsigned long long)points * frames * 12, (unsigned long long)rest);
    return PELT_OK;
}

static PeltStatus read_pc2(PointCache *cache, const unsigned char *header, PeltError *err)
{
    uint32_t points = (uint32_t)pelti_cache_word(header + 16, 4, false),
             frames = (uint32_t)pelti_cache_word(header + 28, 4, false);
    cache->first_byte = 32;
    PELT_TRY(check_counts(cache, points, frames, "PC2", err));
    cache->head.frames = (PeltiSinkFrames){.point_count = (int)points, .frame_count = (int)frames};
    pelti_cache_start(&cache->head.frames, (double)pelti_cache_float((uint32_t)pelti_cache_word(header + 20, 4, false)));
    return PELT_OK;
}

static PeltStatus read_mdd(PointCache *cache, const unsigned char *header, double fps, PeltError *err)
{
    uint32_t frames = (uint32_t)pelti_cache_word(header, 4, true), points = (uint32_t)pelti_cache_word(header + 4, 4, true);
    cache->big_endian = true;
    cache->first_byte = 8 + 4 * (uint64_t)frames;
    PELT_TRY(check_counts(cache, points, frames, "MDD", err));
    cache->head.frames = (PeltiSinkFrames){.point_count = (int)points, .frame_count = (int)frames};
    unsigned char first[4], last[4];
    PELT_TRY(pelti_source_read(&cache->source, 8, first, sizeof first, err));
    PELT_TRY(pelti_source_read(&cache->source, cache->first_byte - 4, last, sizeof last, err));
    pelti_cache_times(&cache->head.frames, (double)pelti_cache_float((uint32_t)pelti_cache_word(first, 4, true)),
                      (double)pelti_cache_float((uint32_t)pelti_cache_word(last, 4, true)), fps);
    return PELT_OK;
}

static PeltStatus open_points(PeltiCache *head, const PeltiCacheSource *source, PeltError *err)
{
    PointCache *cache = (PointCache *)head;
    unsigned char header[32];
    PELT_TRY(pelti_source_open(source->path, &cache->source, err));
    if (cache->source.bytes < 8)
        return PELT_FAIL(err, PELT_BAD_INPUT, "too short for a point cache");
    size_t have = cache->source.bytes < sizeof header ? 8 : sizeof header;
    PELT_TRY(pelti_source_read(&cache->source, 0, header, have, err));
    return have == sizeof header && memcmp(header, "POINTCACHE2", 12) == 0 ? read_pc2(cache, header, err)
                                                                           : read_mdd(cache, header, source->fps, err);
}

static PeltStatus frame_points(PeltiCache *head, int index, Vec3 *points, PeltError *err)
{
    const PointCache *cache = (const PointCache *)head;
    size_t count = (size_t)head->frames.point_count;
    PELT_TRY(pelti_source_read(&cache->source, cache->first_byte + (uint64_t)index * count * 12, points, count * 12, err));
    unsigned char *bytes = (unsigned char *)points;
    for (size_t i = 0; i < count * 3; i++) {
        uint32_t bits = (uint32_t)pelti_cache_word(bytes + 4 * i, 4, cache->big_endian);
        memcpy(bytes + 4 * i, &bits, 4);
    }
    return PELT_OK;
}

static void close_points(PeltiCache *head)
{
    pelti_source_close(&((PointCache *)head)->source);
}

const PeltiCacheKind pelti_cache_points = {".pc2 .mdd ", sizeof(PointCache), open_points, frame_points, close_points};
