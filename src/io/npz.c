/// .npz for numpy: a zip of .npy arrays, stored as they are. `points` [frame][point][3] comes last and is written as frames come.
#include "core/file.h"
#include "io/cache.h"

#include <stdio.h>
#include <string.h>

enum { ARRAYS = 4, NPY_HEADER = 128 };

typedef struct Array {
    char name[24];
    uint64_t offset, bytes; // of the local header; of the .npy
    uint32_t crc;
} Array;

typedef struct NpzSink {
    PeltiSink head;
    PeltiFile file;
    Array arrays[ARRAYS];
    int count;
    uint64_t written;
    uint32_t crc;        // of what is being written, complemented
    uint32_t table[256]; // of CRC-32
} NpzSink;

static void make_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
}

static PeltStatus put(NpzSink *sink, const void *data, size_t bytes, PeltError *err)
{
    sink->written += bytes;
    return pelti_file_write(&sink->file, data, bytes, err);
}

/// Bytes that count for the array's checksum.
static PeltStatus put_data(NpzSink *sink, const void *data, size_t bytes, PeltError *err)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        sink->crc = sink->table[(sink->crc ^ p[i]) & 255] ^ (sink->crc >> 8);
    return put(sink, data, bytes, err);
}

// ---- zip: every size in its 64-bit form, so that long clips need no other case ----

static size_t word(unsigned char *to, size_t at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[at + (size_t)i] = (unsigned char)(value >> 8 * i);
    return at + (size_t)bytes;
}

static size_t put_sizes(unsigned char *to, size_t at, const Array *array, bool central)
{
    at = word(to, at, 1, 2); // ZIP64
    at = word(to, at, central ? 24 : 16, 2);
    at = word(to, at, array->bytes, 8);
    at = word(to, at, array->bytes, 8);
    return central ? word(to, at, array->offset, 8) : at;
}

/// What local and central headers share: flags, no compression, no time, checksum, sizes elsewhere, the name's length.
static size_t put_common(unsigned char *to, size_t at, const Array *array, int extra)
{
    at = word(to, at, 45, 2);
    at = word(to, at, 0, 4);
    at = word(to, at, 0x00210000, 4); // 1 January 1980: the same clip, the same bytes
    at = word(to, at, array->crc, 4);
    at = word(to, at, 0xFFFFFFFFu, 4);
    at = word(to, at, 0xFFFFFFFFu, 4);
    at = word(to, at, strlen(array->name), 2);
    return word(to, at, (uint64_t)extra, 2);
}

static PeltStatus put_local(NpzSink *sink, const Array *array, PeltError *err)
{
    unsigned char bytes[128];
    size_t at = word(bytes, 0, 0x04034B50, 4);
    at = put_common(bytes, at, array, 20);
    memcpy(bytes + at, array->name, strlen(array->name));
    at = put_sizes(bytes, at + strlen(array->name), array, false);
    return put(sink, bytes, at, err);
}

static PeltStatus put_central(NpzSink *sink, const Array *array, PeltError *err)
{
    unsigned char bytes[160];
    size_t at = word(bytes, 0, 0x02014B50, 4);
    at = word(bytes, at, 45, 2);
    at = put_common(bytes, at, array, 28);
    at = word(bytes, at, 0, 2 + 2 + 2); // no comment, one disk, bytes
    at = word(bytes, at, 0, 4);
    at = word(bytes, at, 0xFFFFFFFFu, 4);
    memcpy(bytes + at, array->name, strlen(array->name));
    at = put_sizes(bytes, at + strlen(array->name), array, true);
    return put(sink, bytes, at, err);
}

static PeltStatus put_end(NpzSink *sink, uint64_t directory, PeltError *err)
{
    unsigned char bytes[128];
    uint64_t size = sink->written - directory, here = sink->written;
    size_t at = word(bytes, 0, 0x06064B50, 4); // the 64-bit end, where it is, and the old end
    at = word(bytes, at, 44, 8);
    at = word(bytes, at, 45, 2);
    at = word(bytes, at, 45, 2);
    at = word(bytes, at, 0, 8);
    at = word(bytes, at, (uint64_t)sink->count, 8);
    at = word(bytes, at, (uint64_t)sink->count, 8);
    at = word(bytes, at, size, 8);
    at = word(bytes, at, directory, 8);
    at = word(bytes, at, 0x07064B50, 4);
    at = word(bytes, at, 0, 4);
    at = word(bytes, at, here, 8);
    at = word(bytes, at, 1, 4);
    at = word(bytes, at, 0x06054B50, 4);
    at = word(bytes, at, 0, 4);
    at = word(bytes, at, (uint64_t)sink->count, 2);
    at = word(bytes, at, (uint64_t)sink->count, 2);
    at = word(bytes, at, 0xFFFFFFFFu, 4);
    at = word(bytes, at, 0xFFFFFFFFu, 4);
    at = word(bytes, at, 0, 2);
    return put(sink, bytes, at, err);
}

// ---- arrays ----

typedef struct Header { ///< of an array, as numpy writes them
    const char *name, *type, *shape;
} Header;

static PeltStatus begin_array(NpzSink *sink, Header of, uint64_t bytes, PeltError *err)
{
    Array *array = &sink->arrays[sink->count++];
    char header[NPY_HEADER];
    *array = (Array){.offset = sink->written, .bytes = bytes + NPY_HEADER};
    snprintf(array->name, sizeof array->name, "%s.npy", of.name);
    PELT_TRY(put_local(sink, array, err));
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    word((unsigned char *)header, 8, NPY_HEADER - 10, 2);
    int used =
        snprintf(header + 10, sizeof header - 10, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", of.type, of.shape);
    header[10 + used] = ' ';
    header[NPY_HEADER - 1] = '\n';
    sink->crc = 0xFFFFFFFFu;
    return put_data(sink, header, sizeof header, err);
}

/// The checksum is known now; it stands 14 bytes into the local header.
static PeltStatus end_array(NpzSink *sink, PeltError *err)
{
    Array *array = &sink->arrays[sink->count - 1];
    unsigned char crc[4];
    array->crc = ~sink->crc;
    word(crc, 0, array->crc, 4);
    return pelti_file_patch(&sink->file, (long)array->offset + 14, crc, sizeof crc, err);
}

static PeltStatus put_array(NpzSink *sink, Header of, const void *data, size_t bytes, PeltError *err)
{
    PELT_TRY(begin_array(sink, of, bytes, err));
    PELT_TRY(put_data(sink, data, bytes, err));
    return end_array(sink, err);
}

static PeltStatus frame(PeltiSink *head, const Vec3 *points, const Vec3 *normals, PeltError *err)
{
    enum { BLOCK = 1024 };
    float block[BLOCK][3];
    (void)normals;
    for (int first = 0; first < head->frames.point_count; first += BLOCK) {
        int count = head->frames.point_count - first < BLOCK ? head->frames.point_count - first : BLOCK;
        for (int i = 0; i < count; i++) {
            block[i][0] = points[first + i].x;
            block[i][1] = points[first + i].y;
            block[i][2] = points[first + i].z;
        }
        PELT_TRY(put_data((NpzSink *)head, block, (size_t)count * sizeof *block, err));
    }
    return PELT_OK;
}

static PeltStatus complete(PeltiSink *head, PeltError *err)
{
    NpzSink *sink = (NpzSink *)head;
    PELT_TRY(end_array(sink, err));
    uint64_t directory = sink->written;
    for (int i = 0; i < sink->count; i++)
        PELT_TRY(put_central(sink, &sink->arrays[i], err));
    PELT_TRY(put_end(sink, directory, err));
    return pelti_file_complete(&sink->file, err);
}

static PeltStatus publish(PeltiSink *head, PeltError *err)
{
    return pelti_file_commit(&((NpzSink *)head)->file, err);
}

static void destroy(PeltiSink *head)
{
    pelti_file_abort(&((NpzSink *)head)->file);
    PeltAllocator allocator = head->allocator;
    pelti_free(&allocator, head, sizeof(NpzSink));
}

static PeltStatus start(NpzSink *sink, const PeltiObjShape *shape, PeltError *err)
{
    const PeltiFrames *frames = &sink->head.frames;
    char text[64];
    int64_t first = frames->start_frame;
    snprintf(text, sizeof text, "(%d, 3)", shape->triangle_count);
    PELT_TRY(put_array(sink, (Header){"triangles", "<i4", text}, shape->triangles, sizeof(int[3]) * (size_t)shape->triangle_count,
                       err));
    PELT_TRY(put_array(sink, (Header){"fps", "<f8", "()"}, &frames->fps, sizeof frames->fps, err));
    PELT_TRY(put_array(sink, (Header){"start_frame", "<i8", "()"}, &first, sizeof first, err));
    snprintf(text, sizeof text, "(%d, %d, 3)", frames->frame_count, frames->point_count);
    return begin_array(sink, (Header){"points", "<f4", text}, 12 * (uint64_t)frames->frame_count * (uint64_t)frames->point_count,
                       err);
}

PeltStatus pelti_npz_sink(const PeltAllocator *allocator, const char *path, const PeltiFrames *frames, const PeltiObjShape *shape,
                          PeltiSink **out, PeltError *err)
{
    static const PeltiSinkKind kind = {frame, complete, publish, destroy};
    NpzSink *sink = pelti_alloc(allocator, sizeof *sink);
    *out = NULL;
    if (!sink)
        return pelti_no_memory(err, sizeof *sink);
    *sink = (NpzSink){.head = {.kind = &kind, .frames = *frames}};
    if (allocator)
        sink->head.allocator = *allocator;
    make_table(sink->table);
    PeltStatus status = pelti_file_begin(&sink->file, path, err);
    status = status == PELT_OK ? start(sink, shape, err) : status;
    if (status != PELT_OK) {
        destroy(&sink->head);
        return status;
    }
    *out = &sink->head;
    return PELT_OK;
}
