/// .abc: Alembic in its Ogawa form.
/// Each mesh is an Xform by the name of its node and a PolyMesh below it: faces and texture coordinates once, points, bounds
/// and normals as frames come. What names them is written at the end.
#include "io/cache.h"
#include "io/ogawa.h"

#include <stdio.h>
#include <string.h>

/// The archive's table of meta data, by which objects and properties say what they are.
enum { META_NONE, META_XFORM_OBJECT, META_MESH_OBJECT, META_XFORM, META_MESH, META_POINT, META_BOX, META_NORMAL, META_UV, METAS };
static const char *const META[METAS] = {
    "",
    "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform",
    "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1;schemaObjTitle=AbcGeom_PolyMesh_v1:.geom",
    "schema=AbcGeom_Xform_v3",
    "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1",
    "geoScope=vtx;interpretation=point",
    "interpretation=box",
    "arrayExtent=1;geoScope=vtx;interpretation=normal;isGeomParam=true;podExtent=3;podName=float32_t",
    "arrayExtent=1;geoScope=vtx;interpretation=vector;isGeomParam=true;podExtent=2;podName=float32_t"};

typedef struct MeshSamples {
    PeltiOgawaSamples points, bounds, normals;
    PeltiOgawaSamples indices, counts, uv; // one for all frames
    uint64_t once[3];                      // where these are
    const Mat34 *placement;                // points of the object -> world; NULL: points are in world space
    Mat34 to_object;
} MeshSamples;

typedef struct AbcSink {
    PeltiSink head;
    PeltiPool pool;
    PeltiOgawa ogawa;
    const PeltiObjShape *shape;
    MeshSamples *meshes;
    char **names; // unlike each other, as siblings must be
    Vec3 *moved;  // [points of the largest mesh that has a placement]
    bool normals; // frames bring them
} AbcSink;

// ---- what stays the same ----

/// Alembic's faces go around the other way.
static PeltStatus put_faces(AbcSink *sink, MeshSamples *mesh, const PeltiObjGroup *group, int *triangle, PeltError *err)
{
    const PeltiObjShape *shape = sink->shape;
    int first = *triangle, end = group->first_point + group->point_count;
    while (*triangle < shape->triangle_count && shape->triangles[*triangle][0] < end)
        ++*triangle;
    size_t count = (size_t)(*triangle - first);
    int32_t *corners = pelti_pool_take(&sink->pool, 3 * count, sizeof *corners);
    if (!corners)
        return pelti_no_memory(err, 3 * count * sizeof *corners);
    for (size_t c = 0; c < 3 * count; c++)
        corners[c] = shape->triangles[(size_t)first + c / 3][2 - c % 3] - group->first_point;
    PELT_TRY(pelti_ogawa_sample(&sink->ogawa, &mesh->indices, corners, 3 * count * sizeof *corners, err));
    for (size_t c = 0; c < count; c++)
        corners[c] = 3;
    return pelti_ogawa_sample(&sink->ogawa, &mesh->counts, corners, count * sizeof *corners, err);
}

/// Alembic's (0, 0) is the lower left corner.
static PeltStatus put_uv(AbcSink *sink, MeshSamples *mesh, const PeltiObjGroup *group, PeltError *err)
{
    if (!sink->shape->uv)
        return PELT_OK;
    float(*uv)[2] = pelti_pool_take(&sink->pool, (size_t)group->point_count, sizeof *uv);
    if (!uv)
        return pelti_no_memory(err, (size_t)group->point_count * sizeof *uv);
    for (int i = 0; i < group->point_count; i++) {
        uv[i][0] = sink->shape->uv[group->first_point + i][0];
        uv[i][1] = 1 - sink->shape->uv[group->first_point + i][1];
    }
    return pelti_ogawa_sample(&sink->ogawa, &mesh->uv, uv, (size_t)group->point_count * sizeof *uv, err);
}

static bool is_taken(const AbcSink *sink, int group, const char *name)
{
    for (int g = 0; g < group; g++)
        if (strcmp(sink->names[g], name) == 0)
            return true;
    return false;
}

/// The node's name, without slashes, and with a number where another has it already.
static PeltStatus name_mesh(AbcSink *sink, int group, PeltError *err)
{
    char name[240];
    int length = snprintf(name, sizeof name - 16, "%s", sink->shape->groups[group].name);
    length = length < (int)sizeof name - 17 ? length : (int)sizeof name - 17;
    for (char *p = name; *p; p++)
        *p = *p == '/' ? '_' : *p;
    for (int n = 1; !name[0] || is_taken(sink, group, name); n++)
        snprintf(name + length, sizeof name - (size_t)length, "_%d", n);
    sink->names[group] = pelti_pool_text(&sink->pool, name);
    return sink->names[group] ? PELT_OK : pelti_no_memory(err, sizeof name);
}

// ---- frames ----

/// Points (or normals, by the transpose) of a mesh as its object has them.
static const Vec3 *in_object(const AbcSink *sink, const MeshSamples *mesh, const PeltiObjGroup *group, const Vec3 *v,
                             bool normals)
{
    v += group->first_point;
    if (!mesh->placement)
        return v;
    Mat3 turn = mat3_transpose(mat34_linear(*mesh->placement));
    for (int i = 0; i < group->point_count; i++)
        sink->moved[i] = normals ? vec3_normalize_or(mat3_apply(turn, v[i]), v[i]) : mat34_apply(mesh->to_object, v[i]);
    return sink->moved;
}

static void bounds_of(const Vec3 *points, int count, double box[6])
{
    Vec3 low = points[0], high = points[0];
    for (int i = 1; i < count; i++) {
        low = vec3_min(low, points[i]);
        high = vec3_max(high, points[i]);
    }
    const double both[6] = {low.x, low.y, low.z, high.x, high.y, high.z};
    memcpy(box, both, sizeof both);
}

static PeltStatus frame(PeltiSink *head, const Vec3 *points, const Vec3 *normals, PeltError *err)
{
    AbcSink *sink = (AbcSink *)head;
    sink->normals = normals != NULL;
    for (int g = 0; g < sink->shape->group_count; g++) {
        const PeltiObjGroup *group = &sink->shape->groups[g];
        MeshSamples *mesh = &sink->meshes[g];
        size_t bytes = (size_t)group->point_count * sizeof *points;
        double box[6] = {0};
        const Vec3 *own = in_object(sink, mesh, group, points, false);
        if (group->point_count > 0)
            bounds_of(own, group->point_count, box);
        PELT_TRY(pelti_ogawa_sample(&sink->ogawa, &mesh->points, own, bytes, err));
        PELT_TRY(pelti_ogawa_sample(&sink->ogawa, &mesh->bounds, box, sizeof box, err));
        if (normals)
            PELT_TRY(pelti_ogawa_sample(&sink->ogawa, &mesh->normals, in_object(sink, mesh, group, normals, true), bytes, err));
    }
    return PELT_OK;
}

// ---- what names them ----

typedef struct Object { // written
    uint64_t group;
    PeltiOgawaDigest digest;
} Object;

typedef struct Below { // the objects below one
    int count;
    int meta; // what they are
    const Object *objects;
    char *const *names;
} Below;

static size_t header_bytes(const Below *below)
{
    size_t bytes = 2 * sizeof(PeltiOgawaDigest);
    for (int i = 0; i < below->count; i++)
        bytes += 4 + strlen(below->names[i]) + 1;
    return bytes;
}

/// An object: its properties, the objects below it, and their names followed by two digests.
static PeltStatus put_object(AbcSink *sink, const PeltiOgawaCompound *properties, const Below *below, Object *out, PeltError *err)
{
    size_t bytes = header_bytes(below);
    unsigned char *headers = pelti_pool_take(&sink->pool, bytes, 1), *to = headers;
    uint64_t *parts = PELTI_NEW(&sink->pool, uint64_t, below->count + 2);
    PeltiOgawaDigest digests[2] = {{{0, 0}}, {{0, 0}}};
    if (!headers || !parts)
        return pelti_no_memory(err, bytes);
    for (int i = 0; i < below->count; i++) {
        uint32_t length = (uint32_t)strlen(below->names[i]);
        memcpy(to, &length, 4);
        memcpy(to + 4, below->names[i], length);
        to[4 + length] = (unsigned char)below->meta;
        to += 4 + length + 1;
        parts[1 + i] = below->objects[i].group;
        digests[0] = below->objects[i].digest;
        digests[1] = pelti_ogawa_digest(digests, sizeof digests);
    }
    digests[0] = properties->digest;
    memcpy(to, digests, sizeof digests);
    PELT_TRY(pelti_ogawa_compound(&sink->ogawa, NULL, NULL, properties, &parts[0], err));
    PELT_TRY(pelti_ogawa_data(&sink->ogawa, headers, bytes, &parts[1 + below->count], err));
    out->digest = pelti_ogawa_digest(headers, bytes);
    return pelti_ogawa_group(&sink->ogawa, parts, (size_t)below->count + 2, &out->group, err);
}

static PeltStatus put_mesh(AbcSink *sink, const MeshSamples *mesh, Object *out, PeltError *err)
{
    const struct {
        PeltiOgawaProperty what;
        const PeltiOgawaSamples *samples;
    } all[] = {{{"P", META_POINT, PELTI_OGAWA_ARRAY, PELTI_OGAWA_FLOAT, 3, 1}, &mesh->points},
               {{".selfBnds", META_BOX, PELTI_OGAWA_SCALAR, PELTI_OGAWA_DOUBLE, 6, 1}, &mesh->bounds},
               {{".faceIndices", META_NONE, PELTI_OGAWA_ARRAY, PELTI_OGAWA_INT32, 1, 1}, &mesh->indices},
               {{".faceCounts", META_NONE, PELTI_OGAWA_ARRAY, PELTI_OGAWA_INT32, 1, 1}, &mesh->counts},
               {{"uv", META_UV, PELTI_OGAWA_ARRAY, PELTI_OGAWA_FLOAT, 2, 1}, &mesh->uv},
               {{"N", META_NORMAL, PELTI_OGAWA_ARRAY, PELTI_OGAWA_FLOAT, 3, 1}, &mesh->normals}};
    PeltiOgawaCompound geometry = {.count = 0}, properties = {.count = 0};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        PeltiOgawaSamples samples = *all[i].samples;
        if (samples.count == 0)
            continue;
        samples.count = sink->head.frames.frame_count; // one sample stands for all frames
        PELT_TRY(pelti_ogawa_property(&sink->ogawa, &geometry, &all[i].what, &samples, err));
    }
    PELT_TRY(pelti_ogawa_compound(&sink->ogawa, &properties, &(PeltiOgawaProperty){.name = ".geom", .meta = META_MESH}, &geometry,
                                  &(uint64_t){0}, err));
    return put_object(sink, &properties, &(Below){.count = 0}, out, err);
}

static PeltStatus put_placement(AbcSink *sink, const Mat34 *placement, PeltiOgawaCompound *out, PeltError *err)
{
    static const PeltiOgawaProperty inherits = {".inherits", META_NONE, PELTI_OGAWA_SCALAR, PELTI_OGAWA_BOOL, 1, 0},
                                    ops = {".ops", META_NONE, PELTI_OGAWA_SCALAR, PELTI_OGAWA_UINT8, 1, 0},
                                    values = {".vals", META_NONE, PELTI_OGAWA_SCALAR, PELTI_OGAWA_DOUBLE, 16, 0},
                                    moves = {"isNotConstantIdentity", META_NONE, PELTI_OGAWA_SCALAR, PELTI_OGAWA_BOOL, 1, 0};
    static const unsigned char yes = 1, matrix = 0x30; // the operation "matrix", without a hint
    PeltiOgawaCompound xform = {.count = 0};
    PELT_TRY(pelti_ogawa_constant(&sink->ogawa, &xform, &inherits, &yes, 1, err));
    if (placement) {
        double m[4][4] = {{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1}}; // rows times matrix: ours, transposed
        for (int k = 0; k < 12; k++)
            m[k % 4][k / 4] = (double)placement->m[k / 4][k % 4];
        PELT_TRY(pelti_ogawa_constant(&sink->ogawa, &xform, &ops, &matrix, 1, err));
        PELT_TRY(pelti_ogawa_constant(&sink->ogawa, &xform, &values, m, sizeof m, err));
        PELT_TRY(pelti_ogawa_constant(&sink->ogawa, &xform, &moves, &yes, 1, err));
    }
    return pelti_ogawa_compound(&sink->ogawa, out, &(PeltiOgawaProperty){.name = ".xform", .meta = META_XFORM}, &xform,
                                &(uint64_t){0}, err);
}

/// Frame i is at clip time i / fps. The first sampling is what properties without a time of their own have.
static PeltStatus put_times(AbcSink *sink, uint64_t *where, PeltError *err)
{
    const PeltiSinkFrames *frames = &sink->head.frames;
    const double step[2] = {1, 1 / frames->fps}, start[2] = {0, frames->start_frame / frames->fps};
    const uint32_t most[2] = {1, (uint32_t)frames->frame_count}, stored = 1;
    unsigned char bytes[48];
    for (int i = 0; i < 2; i++) {
        memcpy(bytes + 24 * i, &most[i], 4);
        memcpy(bytes + 24 * i + 4, &step[i], 8);
        memcpy(bytes + 24 * i + 12, &stored, 4);
        memcpy(bytes + 24 * i + 16, &start[i], 8);
    }
    return pelti_ogawa_data(&sink->ogawa, bytes, sizeof bytes, where, err);
}

static PeltStatus put_meta(AbcSink *sink, uint64_t *where, PeltError *err)
{
    unsigned char table[1024];
    size_t used = 0;
    for (int i = 1; i < METAS; i++) {
        size_t length = strlen(META[i]);
        table[used] = (unsigned char)length;
        memcpy(table + used + 1, META[i], length);
        used += 1 + length;
    }
    return pelti_ogawa_data(&sink->ogawa, table, used, where, err);
}

static PeltStatus put_archive(AbcSink *sink, const Object *top, PeltError *err)
{
    static const int32_t file_version = 0, library_version = 10700; // what this is written like
    static const char about[] = "_ai_AlembicVersion=Alembic 1.7.0;_ai_Application=Pelt " PELT_VERSION_STRING;
    uint64_t parts[6], root;
    PELT_TRY(pelti_ogawa_data(&sink->ogawa, &file_version, 4, &parts[0], err));
    PELT_TRY(pelti_ogawa_data(&sink->ogawa, &library_version, 4, &parts[1], err));
    parts[2] = top->group;
    PELT_TRY(pelti_ogawa_data(&sink->ogawa, about, sizeof about - 1, &parts[3], err));
    PELT_TRY(put_times(sink, &parts[4], err));
    PELT_TRY(put_meta(sink, &parts[5], err));
    PELT_TRY(pelti_ogawa_group(&sink->ogawa, parts, 6, &root, err));
    return pelti_ogawa_complete(&sink->ogawa, root, err);
}

static PeltStatus complete(PeltiSink *head, PeltError *err)
{
    AbcSink *sink = (AbcSink *)head;
    static const PeltiOgawaCompound nothing;
    int count = sink->shape->group_count;
    Object *objects = PELTI_NEW(&sink->pool, Object, count), top;
    if (!objects)
        return pelti_no_memory(err, (size_t)count * sizeof *objects);
    for (int g = 0; g < count; g++) {
        PeltiOgawaCompound xform = {.count = 0};
        char name[256], *const names[1] = {name};
        Object mesh;
        snprintf(name, sizeof name, "%sShape", sink->names[g]);
        PELT_TRY(put_mesh(sink, &sink->meshes[g], &mesh, err));
        PELT_TRY(put_placement(sink, sink->meshes[g].placement, &xform, err));
        PELT_TRY(put_object(sink, &xform, &(Below){1, META_MESH_OBJECT, &mesh, names}, &objects[g], err));
    }
    PELT_TRY(put_object(sink, &nothing, &(Below){count, META_XFORM_OBJECT, objects, sink->names}, &top, err));
    return put_archive(sink, &top, err);
}

static PeltStatus publish(PeltiSink *head, PeltError *err)
{
    return pelti_file_commit(&((AbcSink *)head)->ogawa.file, err);
}

static void destroy(PeltiSink *head)
{
    AbcSink *sink = (AbcSink *)head;
    pelti_file_abort(&sink->ogawa.file);
    pelti_pool_release(&sink->pool);
    PeltAllocator allocator = head->allocator;
    pelti_free(&allocator, head, sizeof(AbcSink));
}

static PeltStatus begin(AbcSink *sink, const char *path, PeltError *err)
{
    const PeltiObjShape *shape = sink->shape;
    size_t frames = (size_t)sink->head.frames.frame_count;
    int triangle = 0, largest = 0;
    sink->meshes = PELTI_NEW(&sink->pool, MeshSamples, shape->group_count);
    sink->names = PELTI_NEW(&sink->pool, char *, shape->group_count);
    uint64_t *where = pelti_pool_take(&sink->pool, 3 * frames * (size_t)shape->group_count, sizeof *where);
    if (!sink->meshes || !sink->names || !where)
        return pelti_no_memory(err, 3 * frames * (size_t)shape->group_count * sizeof *where);
    PELT_TRY(pelti_ogawa_begin(&sink->ogawa, path, err));
    for (int g = 0; g < shape->group_count; g++, where += 3 * frames) {
        const PeltiObjGroup *group = &shape->groups[g];
        MeshSamples *mesh = &sink->meshes[g];
        *mesh = (MeshSamples){
            .points = {.where = where}, .bounds = {.where = where + frames}, .normals = {.where = where + 2 * frames}};
        mesh->indices.where = &mesh->once[0];
        mesh->counts.where = &mesh->once[1];
        mesh->uv.where = &mesh->once[2];
        mesh->placement = group->placement && pelti_mat34_inverse(*group->placement, &mesh->to_object) ? group->placement : NULL;
        largest = mesh->placement && group->point_count > largest ? group->point_count : largest;
        PELT_TRY(name_mesh(sink, g, err));
        PELT_TRY(put_faces(sink, mesh, group, &triangle, err));
        PELT_TRY(put_uv(sink, mesh, group, err));
    }
    sink->moved = PELTI_NEW(&sink->pool, Vec3, largest);
    return sink->moved ? PELT_OK : pelti_no_memory(err, (size_t)largest * sizeof *sink->moved);
}

PeltStatus pelti_abc_sink(const PeltAllocator *allocator, const char *path, const PeltiSinkFrames *frames,
                          const PeltiObjShape *shape, PeltiSink **out, PeltError *err)
{
    static const PeltiSinkKind kind = {frame, complete, publish, destroy};
    AbcSink *sink = pelti_alloc(allocator, sizeof *sink);
    *out = NULL;
    if (!sink)
        return pelti_no_memory(err, sizeof *sink);
    *sink = (AbcSink){.head = {.kind = &kind, .frames = *frames}, .shape = shape};
    if (allocator)
        sink->head.allocator = *allocator;
    pelti_pool_init(&sink->pool, allocator);
    PeltStatus status = begin(sink, path, err);
    if (status != PELT_OK) {
        destroy(&sink->head);
        return status;
    }
    *out = &sink->head;
    return PELT_OK;
}
