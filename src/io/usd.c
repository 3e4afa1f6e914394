/// .usda: USD as text, a Mesh for each mesh of the file with time samples of points (and normals).
/// A prim holds all its frames one after the other, so frames are spooled and written mesh by mesh at the end.
#include "core/file.h"
#include "io/cache.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 512 };

typedef struct UsdSink {
    PeltiSink head;
    PeltiFile file;
    PeltiSpool spool; // points of a frame, then its normals
    const PeltiObjShape *shape;
    bool normals; // frames bring them
} UsdSink;

static uint64_t frame_bytes(const UsdSink *sink)
{
    return (uint64_t)sink->head.frames.point_count * 12 * (sink->normals ? 2 : 1);
}

static PeltStatus spool_vectors(const UsdSink *sink, uint64_t offset, const Vec3 *v, PeltError *err)
{
    float block[BLOCK][3];
    for (int first = 0; first < sink->head.frames.point_count; first += BLOCK) {
        int count = sink->head.frames.point_count - first < BLOCK ? sink->head.frames.point_count - first : BLOCK;
        for (int i = 0; i < count; i++) {
            block[i][0] = v[first + i].x;
            block[i][1] = v[first + i].y;
            block[i][2] = v[first + i].z;
        }
        PELT_TRY(pelti_spool_write(&sink->spool, offset + 12 * (uint64_t)first, block, 12 * (size_t)count, err));
    }
    return PELT_OK;
}

static PeltStatus frame(PeltiSink *head, const Vec3 *points, const Vec3 *normals, PeltError *err)
{
    UsdSink *sink = (UsdSink *)head;
    sink->normals = head->pushed ? sink->normals : normals != NULL;
    uint64_t at = frame_bytes(sink) * (uint64_t)head->pushed;
    PELT_TRY(spool_vectors(sink, at, points, err));
    return sink->normals ? spool_vectors(sink, at + 12 * (uint64_t)head->frames.point_count, normals, err) : PELT_OK;
}

// ---- text ----

static PeltStatus say(UsdSink *sink, const char *text, PeltError *err)
{
    return pelti_file_write(&sink->file, text, strlen(text), err);
}

/// A prim's name: letters, digits and "_", no digit first, and its number where names may repeat.
static void prim_name(const PeltiObjShape *shape, int group, char *out, size_t room)
{
    size_t used = 0;
    const char *name = shape->groups[group].name;
    if (isdigit((unsigned char)name[0]) || !name[0])
        out[used++] = '_';
    for (; *name && used + 12 < room; name++)
        out[used++] = isalnum((unsigned char)*name) && (unsigned char)*name < 128 ? *name : '_';
    out[used] = 0;
    if (shape->group_count > 1)
        snprintf(out + used, room - used, "_%d", group);
}

/// One frame's vectors of one mesh: [(x, y, z), ...]; `digits` 9 give the float back.
static PeltStatus say_sample(UsdSink *sink, const PeltiObjGroup *group, int index, bool normals, PeltError *err)
{
    float block[BLOCK][3];
    uint64_t at = frame_bytes(sink) * (uint64_t)index + (normals ? 12 * (uint64_t)sink->head.frames.point_count : 0);
    int digits = normals ? 5 : 9;
    char line[96];
    snprintf(line, sizeof line, "            %d: [", sink->head.frames.start_frame + index);
    PELT_TRY(say(sink, line, err));
    for (int first = 0; first < group->point_count; first += BLOCK) {
        int count = group->point_count - first < BLOCK ? group->point_count - first : BLOCK;
        PELT_TRY(
            pelti_spool_read(&sink->spool, at + 12 * (uint64_t)(group->first_point + first), block, 12 * (size_t)count, err));
        for (int i = 0; i < count; i++) {
            int n = snprintf(line, sizeof line, "%s(%.*g, %.*g, %.*g)", first + i ? ", " : "", digits, (double)block[i][0],
                             digits, (double)block[i][1], digits, (double)block[i][2]);
            PELT_TRY(pelti_file_write(&sink->file, line, (size_t)n, err));
        }
    }
    return say(sink, "],\n", err);
}

static PeltStatus say_samples(UsdSink *sink, const PeltiObjGroup *group, bool normals, PeltError *err)
{
    PELT_TRY(
        say(sink, normals ? "        normal3f[] normals.timeSamples = {\n" : "        point3f[] points.timeSamples = {\n", err));
    for (int f = 0; f < sink->head.frames.frame_count; f++)
        PELT_TRY(say_sample(sink, group, f, normals, err));
    return say(sink, normals ? "        }\n        uniform token normals:interpolation = \"vertex\"\n" : "        }\n", err);
}

static PeltStatus say_faces(UsdSink *sink, int first, int last, int first_point, PeltError *err)
{
    char text[64];
    PELT_TRY(say(sink, "        int[] faceVertexCounts = [", err));
    for (int t = first; t < last; t++)
        PELT_TRY(say(sink, t > first ? ", 3" : "3", err));
    PELT_TRY(say(sink, "]\n        int[] faceVertexIndices = [", err));
    for (int t = first; t < last; t++) {
        const int *v = sink->shape->triangles[t];
        snprintf(text, sizeof text, "%s%d, %d, %d", t > first ? ", " : "", v[0] - first_point, v[1] - first_point,
                 v[2] - first_point);
        PELT_TRY(say(sink, text, err));
    }
    return say(sink, "]\n", err);
}

/// USD's (0, 0) is the lower left corner.
static PeltStatus say_uv(UsdSink *sink, const PeltiObjGroup *group, PeltError *err)
{
    char text[64];
    if (!sink->shape->uv)
        return PELT_OK;
    PELT_TRY(say(sink, "        texCoord2f[] primvars:st = [", err));
    for (int i = 0; i < group->point_count; i++) {
        const float *uv = sink->shape->uv[group->first_point + i];
        snprintf(text, sizeof text, "%s(%.7g, %.7g)", i ? ", " : "", (double)uv[0], 1 - (double)uv[1]);
        PELT_TRY(say(sink, text, err));
    }
    return say(sink, "] (\n            interpolation = \"vertex\"\n        )\n", err);
}

static PeltStatus say_mesh(UsdSink *sink, int index, int *triangle, PeltError *err)
{
    const PeltiObjShape *shape = sink->shape;
    const PeltiObjGroup *group = &shape->groups[index];
    char name[200], text[400];
    int first = *triangle, end = group->first_point + group->point_count;
    while (*triangle < shape->triangle_count && shape->triangles[*triangle][0] < end)
        ++*triangle;
    prim_name(shape, index, name, sizeof name);
    snprintf(text, sizeof text, "    def Mesh \"%s\"\n    {\n        uniform token subdivisionScheme = \"none\"\n", name);
    PELT_TRY(say(sink, text, err));
    PELT_TRY(say_faces(sink, first, *triangle, group->first_point, err));
    PELT_TRY(say_uv(sink, group, err));
    PELT_TRY(say_samples(sink, group, false, err));
    if (sink->normals)
        PELT_TRY(say_samples(sink, group, true, err));
    return say(sink, "    }\n", err);
}

static PeltStatus complete(PeltiSink *head, PeltError *err)
{
    UsdSink *sink = (UsdSink *)head;
    char text[400];
    int triangle = 0, first = head->frames.start_frame;
    snprintf(text, sizeof text,
             "#usda 1.0\n(\n    defaultPrim = \"character\"\n    startTimeCode = %d\n    endTimeCode = %d\n    "
             "timeCodesPerSecond = %.9g\n"
             "    framesPerSecond = %.9g\n    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n\ndef Xform \"character\"\n{\n",
             first, first + head->frames.frame_count - 1, head->frames.fps, head->frames.fps);
    PELT_TRY(say(sink, text, err));
    for (int g = 0; g < sink->shape->group_count; g++)
        PELT_TRY(say_mesh(sink, g, &triangle, err));
    PELT_TRY(say(sink, "}\n", err));
    return pelti_file_complete(&sink->file, err);
}

static PeltStatus publish(PeltiSink *head, PeltError *err)
{
    return pelti_file_commit(&((UsdSink *)head)->file, err);
}

static void destroy(PeltiSink *head)
{
    UsdSink *sink = (UsdSink *)head;
    pelti_file_abort(&sink->file);
    pelti_spool_close(&sink->spool);
    PeltAllocator allocator = head->allocator;
    pelti_free(&allocator, head, sizeof(UsdSink));
}

PeltStatus pelti_usd_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames,
                          const PeltiObjShape *shape, PeltiSink **out, PeltError *err)
{
    static const PeltiSinkKind kind = {frame, complete, publish, destroy};
    UsdSink *sink = pelti_alloc(allocator, sizeof *sink);
    *out = NULL;
    if (!sink)
        return pelti_no_memory(err, sizeof *sink);
    *sink = (UsdSink){.head = {.kind = &kind, .frames = *frames}, .spool = {-1}, .shape = shape};
    if (allocator)
        sink->head.allocator = *allocator;
    PeltStatus status = pelti_file_begin(&sink->file, path, err);
    status = status == PELT_OK ? pelti_spool_open(path, &sink->spool, err) : status;
    if (status != PELT_OK) {
        destroy(&sink->head);
        return status;
    }
    *out = &sink->head;
    return PELT_OK;
}
