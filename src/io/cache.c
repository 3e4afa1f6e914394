/// Feeds sinks of any kind, and reads caches of any kind: which one is told by the end of the name.
#include "io/cache_kinds.h"

#include <float.h>
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

// ---- reading

static const PeltiCacheKind *const KINDS[] = {
    &pelti_cache_points, &pelti_cache_npz, &pelti_cache_obj, &pelti_cache_usd, &pelti_cache_abc, &pelti_cache_gltf, NULL};

/// Files that hold points in a form that is not read, each with what to do about it.
static PeltStatus refuse_known(const char *ending, PeltError *err)
{
    static const struct {
        const char *ending, *cure;
    } known[] = {{".usdc", "USD in binary: `usdcat IN.usdc -o OUT.usda` makes text of it, which is read"},
                 {".usd", "USD, in binary or text: `usdcat IN.usd -o OUT.usda` makes text of it, which is read"},
                 {".usdz", "USD in a package: `usdcat IN.usdz -o OUT.usda` makes text of it, which is read"},
                 {".npy", "one array: numpy.savez(OUT, points=...) makes an .npz of it, which is read"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(ending, known[i].ending) == 0)
            return PELT_FAIL(err, PELT_UNSUPPORTED, "%s", known[i].cure);
    return PELT_OK;
}

/// An .mdd has no first word to tell it by: a file that calls itself something else would be read as one, and its numbers as
/// counts. A name without an ending says nothing, and is looked at.
static PeltStatus find_kind(const char *path, const PeltiCacheKind **out, PeltError *err)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    *out = KINDS[0];
    if (!dot)
        return PELT_OK;
    size_t length = strlen(dot);
    for (const PeltiCacheKind *const *kind = KINDS; *kind; kind++)
        for (const char *one = (*kind)->endings; *one; one += strcspn(one, " ") + 1)
            if (strcspn(one, " ") == length && strncasecmp(one, dot, length) == 0) {
                *out = *kind;
                return PELT_OK;
            }
    PELT_TRY(refuse_known(dot, err));
    return PELT_FAIL(err, PELT_BAD_ARGUMENT,
                     "%s is no kind of cache that is read: .pc2 .mdd .npz .obj .usda .abc .glb .vrm .gltf are", dot);
}

PeltStatus pelti_cache_open(const PeltiCacheSource *source, PeltiCache **out, PeltError *err)
{
    const PeltiCacheKind *kind;
    PeltiCache *cache = NULL;
    *out = NULL;
    PeltStatus status = find_kind(source->path, &kind, err);
    if (status == PELT_OK) {
        cache = pelti_alloc(source->allocator, kind->size);
        if (!cache)
            return pelti_no_memory(err, kind->size);
        memset(cache, 0, kind->size);
        *cache = (PeltiCache){.kind = kind};
        pelti_pool_init(&cache->pool, source->allocator);
        cache->path = pelti_pool_text(&cache->pool, source->path);
        status = kind->open(cache, source, err);
        if (status == PELT_OK && cache->pool.failed)
            status = pelti_no_memory(err, strlen(source->path));
    }
    if (status != PELT_OK) {
        if (status != PELT_IO && (!cache || cache->path)) // those name it
            pelti_error_prefix(err, "%s", source->path);
        pelti_cache_close(cache);
        return status;
    }
    *out = cache;
    return PELT_OK;
}

PeltStatus pelti_cache_frame(PeltiCache *cache, int index, Vec3 *points, PeltError *err)
{
    PELT_ASSERT(index >= 0 && index < cache->frames.frame_count);
    PeltStatus status = cache->kind->frame(cache, index, points, err);
    if (status != PELT_OK && cache->path)
        pelti_error_prefix(err, "%s", cache->path);
    return status;
}

void pelti_cache_close(PeltiCache *cache)
{
    if (!cache)
        return;
    cache->kind->close(cache);
    PeltiPool pool = cache->pool;
    pelti_free(&pool.allocator, cache, cache->kind->size);
    pelti_pool_release(&pool);
}

// ---- what kinds share

uint64_t pelti_cache_word(const unsigned char *bytes, int count, bool big_endian)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value |= (uint64_t)bytes[i] << 8 * (big_endian ? count - 1 - i : i);
    return value;
}

float pelti_cache_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double pelti_cache_double(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float pelti_cache_narrow(double value)
{
    return value > (double)FLT_MAX ? INFINITY : value < -(double)FLT_MAX ? -INFINITY : (float)value;
}

void pelti_cache_start(PeltiSinkFrames *frames, double first)
{
    if (first > -1e6 && first < 1e6)
        frames->start_frame = (int)lrint(first);
}

void pelti_cache_times(PeltiSinkFrames *frames, double first_s, double last_s, double fps)
{
    double length = last_s - first_s;
    if (!(first_s >= 0 && first_s < 1e6))
        return;
    if (frames->frame_count == 1)
        pelti_cache_start(frames, first_s * (fps > 0 ? fps : 30));
    if (frames->frame_count < 2 || !(length > 0 && length < 1e6))
        return;
    double told = (frames->frame_count - 1) / length, whole = rint(told);
    double rounding = fmax(1e-4, 2 * (double)FLT_EPSILON * last_s / length);        // times are floats: 29.9999991 is 30
    frames->fps = fabs(told - whole) < fmin(rounding, 4e-4) * whole ? whole : told; // 29.97 is not
    pelti_cache_start(frames, first_s * frames->fps);
}
