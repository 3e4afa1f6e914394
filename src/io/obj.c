/// Writes a numbered .obj for each frame, into a hidden folder beside the result, and moves all out together at the end.
#include "core/file.h"
#include "io/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

typedef struct ObjSink {
    PeltiSink head;
    const PeltiObjShape *shape;
    char path[PATH_BYTES];   // as given
    char folder[PATH_BYTES]; // hidden; empty: none
    int published;
} ObjSink;

void pelti_obj_path(const char *path, int frame, char *out, size_t capacity)
{
    size_t length = strlen(path);
    bool dressed = length > 4 && strcasecmp(path + length - 4, ".obj") == 0;
    snprintf(out, capacity, "%.*s_%04d.obj", (int)(dressed ? length - 4 : length), path, frame);
}

static void hidden_path(const ObjSink *sink, int index, char *out, size_t capacity)
{
    snprintf(out, capacity, "%s/%d.obj", sink->folder, index);
}

static void final_path(const ObjSink *sink, int index, char *out, size_t capacity)
{
    pelti_obj_path(sink->path, sink->head.frames.start_frame + index, out, capacity);
}

static PeltStatus write_vectors(PeltiFile *file, const char *tag, int digits, const Vec3 *v, int count, PeltError *err)
{
    char line[128];
    for (int i = 0; i < count; i++) {
        int n = snprintf(line, sizeof line, "%s %.*g %.*g %.*g\n", tag, digits, (double)v[i].x, digits, (double)v[i].y, digits,
                         (double)v[i].z);
        PELT_TRY(pelti_file_write(file, line, (size_t)n, err));
    }
    return PELT_OK;
}

/// A corner is "v", "v/vt", "v//vn" or "v/vt/vn"; all three have the same number here.
static int corner(char *out, size_t capacity, int index, bool uv, bool normal)
{
    if (uv && normal)
        return snprintf(out, capacity, " %d/%d/%d", index, index, index);
    if (normal)
        return snprintf(out, capacity, " %d//%d", index, index);
    return uv ? snprintf(out, capacity, " %d/%d", index, index) : snprintf(out, capacity, " %d", index);
}

static PeltStatus write_group(PeltiFile *file, const char *name, PeltError *err)
{
    PELT_TRY(pelti_file_write(file, "g ", 2, err));
    for (const char *p = name; *p; p++) // a space would make two groups of it
        PELT_TRY(pelti_file_write(file, (unsigned char)*p <= ' ' ? "_" : p, 1, err));
    return pelti_file_write(file, "\n", 1, err);
}

static PeltStatus write_faces(PeltiFile *file, const PeltiObjShape *shape, bool normals, PeltError *err)
{
    int group = -1;
    for (int t = 0; t < shape->triangle_count; t++) {
        const int *v = shape->triangles[t];
        int before = group;
        while (group + 1 < shape->group_count && shape->groups[group + 1].first_point <= v[0])
            group++;
        if (group != before)
            PELT_TRY(write_group(file, shape->groups[group].name, err));
        char line[128] = "f";
        int n = 1;
        for (int k = 0; k < 3; k++)
            n += corner(line + n, sizeof line - (size_t)n, v[k] + 1, shape->uv != NULL, normals);
        line[n++] = '\n';
        PELT_TRY(pelti_file_write(file, line, (size_t)n, err));
    }
    return PELT_OK;
}

static PeltStatus write_frame(PeltiFile *file, const ObjSink *sink, const Vec3 *points, const Vec3 *normals, PeltError *err)
{
    int count = sink->head.frames.point_count;
    PELT_TRY(write_vectors(file, "v", 9, points, count, err)); // 9 digits give the float back
    for (int i = 0; sink->shape->uv && i < count; i++) {
        char line[64];
        int n = snprintf(line, sizeof line, "vt %.7g %.7g\n", (double)sink->shape->uv[i][0], 1 - (double)sink->shape->uv[i][1]);
        PELT_TRY(pelti_file_write(file, line, (size_t)n, err));
    }
    if (normals)
        PELT_TRY(write_vectors(file, "vn", 5, normals, count, err));
    return write_faces(file, sink->shape, normals != NULL, err);
}

static PeltStatus frame(PeltiSink *head, const Vec3 *points, const Vec3 *normals, PeltError *err)
{
    ObjSink *sink = (ObjSink *)head;
    char path[PATH_BYTES + 32];
    hidden_path(sink, head->pushed, path, sizeof path);
    PeltiFile file;
    PELT_TRY(pelti_file_begin(&file, path, err));
    PeltStatus status = write_frame(&file, sink, points, normals, err);
    if (status == PELT_OK)
        return pelti_file_commit(&file, err);
    pelti_file_abort(&file);
    return status;
}

static PeltStatus complete(PeltiSink *head, PeltError *err)
{
    ObjSink *sink = (ObjSink *)head; // each frame was completed when it was written: a name may still be taken
    struct stat about;
    char to[PATH_BYTES + 32];
    for (int i = 0; i < head->pushed; i++) {
        final_path(sink, i, to, sizeof to);
        if (stat(to, &about) == 0 && S_ISDIR(about.st_mode))
            return PELT_FAIL(err, PELT_IO, "%s: is a folder", to);
    }
    return PELT_OK;
}

static PeltStatus publish(PeltiSink *head, PeltError *err)
{
    ObjSink *sink = (ObjSink *)head;
    char from[PATH_BYTES + 32], to[PATH_BYTES + 32];
    for (; sink->published < head->pushed; sink->published++) {
        hidden_path(sink, sink->published, from, sizeof from);
        final_path(sink, sink->published, to, sizeof to);
        if (rename(from, to) == 0)
            continue;
        PeltStatus status = PELT_FAIL(err, PELT_IO, "%s: cannot write: %s", to, strerror(errno));
        for (int i = 0; i < sink->published; i++) {
            final_path(sink, i, to, sizeof to);
            unlink(to);
        }
        return status;
    }
    return PELT_OK;
}

static void destroy(PeltiSink *head)
{
    ObjSink *sink = (ObjSink *)head;
    char path[PATH_BYTES + 32];
    for (int i = sink->published; i < head->pushed; i++) {
        hidden_path(sink, i, path, sizeof path);
        unlink(path);
    }
    if (sink->folder[0])
        rmdir(sink->folder);
    PeltAllocator allocator = head->allocator;
    pelti_free(&allocator, head, sizeof *sink);
}

/// ".name.<pid>.<n>.part/" beside the result.
static PeltStatus make_hidden_folder(ObjSink *sink, PeltError *err)
{
    const char *slash = strrchr(sink->path, '/');
    int folder = slash ? (int)(slash - sink->path) + 1 : 0;
    for (int n = 0; n < 1000; n++) {
        int length = snprintf(sink->folder, sizeof sink->folder, "%.*s.%.200s.%ld.%d.part", folder, sink->path,
                              sink->path + folder, (long)getpid(), n);
        if (length >= (int)sizeof sink->folder)
            break;
        if (mkdir(sink->folder, 0777) == 0)
            return PELT_OK;
        if (errno != EEXIST)
            break;
    }
    sink->folder[0] = 0;
    return PELT_FAIL(err, PELT_IO, "%s: cannot write: %s", sink->path, strerror(errno));
}

PeltStatus pelti_obj_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames,
                          const PeltiObjShape *shape, PeltiSink **out, PeltError *err)
{
    static const PeltiSinkKind kind = {frame, complete, publish, destroy};
    *out = NULL;
    size_t length = strlen(path);
    if (length > PATH_BYTES - 300)
        return PELT_FAIL(err, PELT_IO, "the name of the .obj is too long");
    ObjSink *sink = pelti_alloc(allocator, sizeof *sink);
    if (!sink)
        return pelti_no_memory(err, sizeof *sink);
    *sink = (ObjSink){.head = {.kind = &kind, .frames = *frames}, .shape = shape};
    if (allocator)
        sink->head.allocator = *allocator;
    memcpy(sink->path, path, length + 1);
    PeltStatus status = make_hidden_folder(sink, err);
    if (status != PELT_OK) {
        destroy(&sink->head);
        return status;
    }
    *out = &sink->head;
    return PELT_OK;
}
