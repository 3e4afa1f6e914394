/// Opens .pc2 and .mdd and reads a frame.
#include "io/cache.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

PeltStatus pelti_sink_frame(PeltiSink *sink, const Vec3 *points, const Vec3 *normals, PeltError *err)
{
    PELT_ASSERT(sink->pushed < sink->frames.frame_count);
    PELT_TRY(sink->kind->frame(sink, points, normals, err));
    sink->pushed++;
    return PELT_OK;
}

PeltStatus pelti_sink_complete(PeltiSink *sink, PeltError *err)
{
    if (sink->pushed != sink->frames.frame_count)
        return PELT_FAIL(err, PELT_FAILED, "only %d of %d frames were made", sink->pushed, sink->frames.frame_count);
    return sink->kind->complete(sink, err);
}

PeltStatus pelti_sink_publish(PeltiSink *sink, PeltError *err)
{
    return sink->kind->publish(sink, err);
}

void pelti_sink_destroy(PeltiSink *sink)
{
    if (sink)
        sink->kind->destroy(sink);
}

static uint32_t big(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t little(const unsigned char *p)
{
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static float as_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// Counts that the file's length bears out; 12 bytes a point and frame.
static PeltStatus check_counts(const PeltiCache *cache, uint32_t points, uint32_t frames, const char *kind, PeltError *err)
{
    if (points == 0 || frames == 0 || points > INT32_MAX || frames > INT32_MAX)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s header has %u points and %u frames", kind, points, frames);
    uint64_t rest = cache->source.bytes > cache->first_byte ? cache->source.bytes - cache->first_byte : 0;
    if ((uint64_t)points * frames > rest / 12) // the product fits: both are below 2^31
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s is short: %u frames of %u points need %llu bytes, %llu are there", kind, frames,
                         points, (unsigned long long)points * frames * 12, (unsigned long long)rest);
    return PELT_OK;
}

static PeltStatus read_pc2(PeltiCache *cache, const unsigned char *header, PeltError *err)
{
    cache->first_byte = 32;
    PELT_TRY(check_counts(cache, little(header + 16), little(header + 28), "PC2", err));
    float start = as_float(little(header + 20));
    cache->frames = (PeltiFrames){.point_count = (int)little(header + 16), .frame_count = (int)little(header + 28)};
    if (start > -1e6f && start < 1e6f)
        cache->frames.start_frame = (int)lrintf(start);
    return PELT_OK;
}

static PeltStatus read_mdd(PeltiCache *cache, const unsigned char *header, PeltError *err)
{
    uint32_t frames = big(header), points = big(header + 4);
    cache->big_endian = true;
    cache->first_byte = 8 + 4 * (uint64_t)frames;
    PELT_TRY(check_counts(cache, points, frames, "MDD", err));
    cache->frames = (PeltiFrames){.point_count = (int)points, .frame_count = (int)frames};
    if (frames < 2)
        return PELT_OK;
    unsigned char times[8], last[4];
    PELT_TRY(pelti_source_read(&cache->source, 8, times, sizeof times, err));
    PELT_TRY(pelti_source_read(&cache->source, cache->first_byte - 4, last, sizeof last, err));
    double first = as_float(big(times)), length = as_float(big(last)) - first;
    if (length > 0 && length < 1e6 && first >= 0 && first < 1e6) {
        double fps = (frames - 1) / length, whole = rint(fps);
        cache->frames.fps = fabs(fps - whole) < 1e-4 * whole ? whole : fps; // times are floats: 29.9999991 is 30
        cache->frames.start_frame = (int)lrint(fmin(first * cache->frames.fps, 1e6));
    }
    return PELT_OK;
}

/// An .mdd has no first word to tell it by: a file that calls itself something else would be read as one, and its numbers as
/// counts. A name without an ending says nothing, and is looked at.
static PeltStatus check_ending(const char *path, PeltError *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    if (!dot || strcasecmp(dot, ".pc2") == 0 || strcasecmp(dot, ".mdd") == 0)
        return PELT_OK;
    return PELT_FAIL(
        err, PELT_BAD_ARGUMENT,
        "%s: caches are read from .pc2 and .mdd, not from %s: bake to one of those as well (pelt bake FILE -o %.*s.pc2)", path,
        dot, (int)(dot - name), name);
}

PeltStatus pelti_cache_open(const char *path, PeltiCache *out, PeltError *err)
{
    *out = (PeltiCache){0};
    PELT_TRY(check_ending(path, err));
    PELT_TRY(pelti_source_open(path, &out->source, err));
    unsigned char header[32];
    PeltStatus status;
    if (out->source.bytes < 8)
        status = PELT_FAIL(err, PELT_BAD_INPUT, "too short for a point cache");
    else {
        size_t have = out->source.bytes < sizeof header ? 8 : sizeof header;
        status = pelti_source_read(&out->source, 0, header, have, err);
        if (status == PELT_OK)
            status = have == sizeof header && memcmp(header, "POINTCACHE2", 12) == 0 ? read_pc2(out, header, err)
                                                                                     : read_mdd(out, header, err);
    }
    if (status != PELT_OK) {
        pelti_error_prefix(err, "%s", path);
        pelti_cache_close(out);
    }
    return status;
}

PeltStatus pelti_cache_frame(const PeltiCache *cache, int index, Vec3 *points, PeltError *err)
{
    PELT_ASSERT(index >= 0 && index < cache->frames.frame_count);
    size_t count = (size_t)cache->frames.point_count;
    PELT_TRY(pelti_source_read(&cache->source, cache->first_byte + (uint64_t)index * count * 12, points, count * 12, err));
    unsigned char *bytes = (unsigned char *)points;
    for (size_t i = 0; i < count * 3; i++) {
        uint32_t bits = cache->big_endian ? big(bytes + 4 * i) : little(bytes + 4 * i);
        memcpy(bytes + 4 * i, &bits, 4);
    }
    return PELT_OK;
}

void pelti_cache_close(PeltiCache *cache)
{
    pelti_source_close(&cache->source);
}
