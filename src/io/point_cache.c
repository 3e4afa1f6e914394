/// Writes .pc2 and .mdd, which differ in a header and in the order of bytes: one sink serves both.
#include "core/file.h"
#include "io/cache.h"

#include <string.h>

typedef struct PointSink {
    PeltiSink head;
    PeltiFile file;
    bool big_endian;
} PointSink;

static void put(unsigned char *p, uint32_t bits, bool big_endian)
{
    for (int i = 0; i < 4; i++)
        p[i] = (unsigned char)(bits >> 8 * (big_endian ? 3 - i : i));
}

static void put_float(unsigned char *p, float value, bool big_endian)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(p, bits, big_endian);
}

static PeltStatus frame(PeltiSink *head, const Vec3 *points, const Vec3 *normals, PeltError *err)
{
    (void)normals;
    PointSink *sink = (PointSink *)head;
    enum { BLOCK = 1024 };
    unsigned char bytes[BLOCK * 12];
    for (int first = 0; first < head->frames.point_count; first += BLOCK) {
        int count = head->frames.point_count - first < BLOCK ? head->frames.point_count - first : BLOCK;
        for (int i = 0; i < count; i++) {
            put_float(bytes + 12 * i, points[first + i].x, sink->big_endian);
            put_float(bytes + 12 * i + 4, points[first + i].y, sink->big_endian);
            put_float(bytes + 12 * i + 8, points[first + i].z, sink->big_endian);
        }
        PELT_TRY(pelti_file_write(&sink->file, bytes, (size_t)count * 12, err));
    }
    return PELT_OK;
}

static PeltStatus complete(PeltiSink *head, PeltError *err)
{
    return pelti_file_complete(&((PointSink *)head)->file, err);
}

static PeltStatus publish(PeltiSink *head, PeltError *err)
{
    return pelti_file_commit(&((PointSink *)head)->file, err);
}

static void destroy(PeltiSink *head)
{
    pelti_file_abort(&((PointSink *)head)->file);
    PeltAllocator allocator = head->allocator;
    pelti_free(&allocator, head, sizeof(PointSink));
}

static PeltStatus point_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames, bool big_endian,
                             PointSink **out, PeltError *err)
{
    static const PeltiSinkKind kind = {frame, complete, publish, destroy};
    PointSink *sink = pelti_alloc(allocator, sizeof *sink);
    *out = NULL;
    if (!sink)
        return pelti_no_memory(err, sizeof *sink);
    *sink = (PointSink){.head = {.kind = &kind, .frames = *frames}, .big_endian = big_endian};
    if (allocator)
        sink->head.allocator = *allocator;
    PeltStatus status = pelti_file_begin(&sink->file, path, err);
    if (status != PELT_OK) {
        destroy(&sink->head);
        return status;
    }
    *out = sink;
    return PELT_OK;
}

/// Hands the sink over if its header could be written.
static PeltStatus hand_over(PointSink *sink, PeltStatus status, PeltiSink **out)
{
    if (status == PELT_OK)
        *out = &sink->head;
    else
        destroy(&sink->head);
    return status;
}

PeltStatus pelti_pc2_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames, PeltiSink **out,
                          PeltError *err)
{
    PointSink *sink;
    *out = NULL;
    PELT_TRY(point_sink(allocator, path, frames, false, &sink, err));
    unsigned char header[32] = "POINTCACHE2";
    put(header + 12, 1, false);
    put(header + 16, (uint32_t)frames->point_count, false);
    put_float(header + 20, (float)frames->start_frame, false);
    put_float(header + 24, 1.0f, false);
    put(header + 28, (uint32_t)frames->frame_count, false);
    return hand_over(sink, pelti_file_write(&sink->file, header, sizeof header, err), out);
}

PeltStatus pelti_mdd_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames, PeltiSink **out,
                          PeltError *err)
{
    PointSink *sink;
    *out = NULL;
    PELT_TRY(point_sink(allocator, path, frames, true, &sink, err));
    unsigned char word[8];
    put(word, (uint32_t)frames->frame_count, true);
    put(word + 4, (uint32_t)frames->point_count, true);
    PeltStatus status = pelti_file_write(&sink->file, word, 8, err);
    for (int i = 0; i < frames->frame_count && status == PELT_OK; i++) {
        put_float(word, (float)((frames->start_frame + i) / frames->fps), true);
        status = pelti_file_write(&sink->file, word, 4, err);
    }
    return hand_over(sink, status, out);
}
