/// .npz for numpy: a zip of .npy arrays, stored as they are. `points` [frame][point][3] comes last and is written as frames come.
#include "io/cache.h"
#include "io/zip.h"

#include <stdio.h>
#include <string.h>

enum { NPY_HEADER = 128 };

typedef struct NpzSink {
    PeltiSink head;
    PeltiZip zip;
} NpzSink;

typedef struct Header { ///< of an array, as numpy writes them
    const char *name, *type, *shape;
} Header;

static PeltStatus begin_array(NpzSink *sink, Header of, uint64_t bytes, PeltError *err)
{
    char header[NPY_HEADER], name[32];
    snprintf(name, sizeof name, "%s.npy", of.name);
    PELT_TRY(pelti_zip_entry(&sink->zip, name, bytes + NPY_HEADER, err));
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00", 8);
    header[8] = NPY_HEADER - 10; // two bytes, the low one first
    header[9] = 0;
    int used =
        snprintf(header + 10, sizeof header - 10, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", of.type, of.shape);
    header[10 + used] = ' ';
    header[NPY_HEADER - 1] = '\n';
    return pelti_zip_write(&sink->zip, header, sizeof header, err);
}

static PeltStatus put_array(NpzSink *sink, Header of, const void *data, size_t bytes, PeltError *err)
{
    PELT_TRY(begin_array(sink, of, bytes, err));
    PELT_TRY(pelti_zip_write(&sink->zip, data, bytes, err));
    return pelti_zip_entry_end(&sink->zip, err);
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
        PELT_TRY(pelti_zip_write(&((NpzSink *)head)->zip, block, (size_t)count * sizeof *block, err));
    }
    return PELT_OK;
}

static PeltStatus complete(PeltiSink *head, PeltError *err)
{
    PeltiZip *zip = &((NpzSink *)head)->zip;
    PELT_TRY(pelti_zip_entry_end(zip, err));
    return pelti_zip_complete(zip, err);
}

static PeltStatus publish(PeltiSink *head, PeltError *err)
{
    return pelti_zip_commit(&((NpzSink *)head)->zip, err);
}

static void destroy(PeltiSink *head)
{
    pelti_zip_abort(&((NpzSink *)head)->zip);
    PeltAllocator allocator = head->allocator;
    pelti_free(&allocator, head, sizeof(NpzSink));
}

static PeltStatus start(NpzSink *sink, const PeltiObjShape *shape, PeltError *err)
{
    const PeltiSinkFrames *frames = &sink->head.frames;
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

PeltStatus pelti_npz_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames,
                          const PeltiObjShape *shape, PeltiSink **out, PeltError *err)
{
    static const PeltiSinkKind kind = {frame, complete, publish, destroy};
    NpzSink *sink = pelti_alloc(allocator, sizeof *sink);
    *out = NULL;
    if (!sink)
        return pelti_no_memory(err, sizeof *sink);
    *sink = (NpzSink){.head = {.kind = &kind, .frames = *frames}};
    if (allocator)
        sink->head.allocator = *allocator;
    PeltStatus status = pelti_zip_begin(&sink->zip, allocator, path, err);
    status = status == PELT_OK ? start(sink, shape, err) : status;
    if (status != PELT_OK) {
        destroy(&sink->head);
        return status;
    }
    *out = &sink->head;
    return PELT_OK;
}
