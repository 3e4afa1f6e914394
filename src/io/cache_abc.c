/// Reads .abc: the points of Alembic's meshes, in the order of its objects, through what places them.
#include "io/cache_kinds.h"
#include "io/ogawa_read.h"
#include "math/elementary.h"

#include <string.h>

enum { OBJECTS_DEEP = 64, META_BYTES = 320, METAS_MOST = 255 };

typedef struct AbcPlace { ///< space of an object -> world, rows
    double m[3][4];
} AbcPlace;

typedef struct AbcMesh {
    int point_count;
    uint64_t frame_count, first, last, time; ///< as PeltiOgawaFound has them
    PeltiOgawaGroup samples;
    AbcPlace place;
    bool placed; ///< `place` is not where it is anyway
} AbcMesh;

typedef struct AbcCache {
    PeltiCache head;
    PeltiOgawaSource source;
    PeltiArray meshes;
} AbcCache;

typedef struct AbcReader {
    AbcCache *cache;
    char (*metas)[META_BYTES]; ///< [METAS_MOST + 1] the archive's table, for objects that give a number
} AbcReader;

static const AbcPlace AT_HOME = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

// ---- places

static AbcPlace times(const AbcPlace *a, const AbcPlace *b)
{
    AbcPlace out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            out.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j] + (j == 3 ? a->m[i][3] : 0);
    return out;
}

static AbcPlace turn(double x, double y, double z, double degrees)
{
    double length = sqrt(x * x + y * y + z * z), angle = degrees * (3.14159265358979323846 / 180);
    double c = pelti_cos(angle), s = pelti_sin(angle), d = 1 - c;
    if (!(length > 0))
        return AT_HOME;
    x /= length, y /= length, z /= length;
    return (AbcPlace){{{c + x * x * d, x * y * d - z * s, x * z * d + y * s, 0},
                       {y * x * d + z * s, c + y * y * d, y * z * d - x * s, 0},
                       {z * x * d - y * s, z * y * d + x * s, c + z * z * d, 0}}};
}

enum { OP_SCALE, OP_SHIFT, OP_TURN, OP_MATRIX, OP_TURN_X, OP_TURN_Y, OP_TURN_Z, OPS };
static const int OP_NUMBERS[OPS] = {3, 3, 4, 16, 1, 1, 1};

static AbcPlace place_of(int op, const double *v)
{
    AbcPlace out = AT_HOME;
    for (int i = 0; i < 3 && op == OP_SCALE; i++)
        out.m[i][i] = v[i];
    for (int i = 0; i < 3 && op == OP_SHIFT; i++)
        out.m[i][3] = v[i];
    for (int k = 0; k < 12 && op == OP_MATRIX; k++) // rows times matrix: ours, transposed
        out.m[k / 4][k % 4] = v[k % 4 * 4 + k / 4];
    if (op == OP_TURN)
        return turn(v[0], v[1], v[2], v[3]);
    return op >= OP_TURN_X ? turn(op == OP_TURN_X, op == OP_TURN_Y, op == OP_TURN_Z, v[0]) : out;
}

/// The one sample of a property that does not change, without its digest; no bytes where there is none.
static PeltStatus read_constant(AbcReader *r, const PeltiOgawaGroup *compound, const char *name, PeltiOgawaBlock *out,
                                PeltError *err)
{
    PeltiOgawaFound found;
    PeltiOgawaGroup samples;
    uint64_t where;
    *out = (PeltiOgawaBlock){0};
    PELT_TRY(pelti_ogawa_find(&r->cache->source, compound, name, &found, err));
    if (!found.there || found.count == 0)
        return PELT_OK;
    if (found.last > 0)
        return PELT_FAIL(err, PELT_UNSUPPORTED, "an Xform moves (%s): write points in world space, without transforms", name);
    PELT_TRY(pelti_ogawa_enter(&r->cache->source, found.where, &samples, err));
    PELT_TRY(pelti_ogawa_child(&r->cache->source, &samples, 0, &where, err));
    PELT_TRY(pelti_ogawa_read(&r->cache->source, where, out, err));
    out->used = out->size < sizeof(PeltiOgawaDigest) ? out->size : sizeof(PeltiOgawaDigest);
    return PELT_OK;
}

/// Operations from the outermost in, a byte each, whose upper half is the kind; their numbers one after another.
static PeltStatus apply_ops(PeltiOgawaBlock *ops, PeltiOgawaBlock *values, AbcPlace *place, PeltError *err)
{
    for (uint64_t op; pelti_ogawa_take(ops, 1, &op);) {
        double v[16];
        if (op >> 4 >= OPS)
            return PELT_FAIL(err, PELT_BAD_INPUT, "an Xform has an operation %d that is none", (int)op >> 4);
        for (int k = 0; k < OP_NUMBERS[op >> 4]; k++) {
            uint64_t bits;
            if (!pelti_ogawa_take(values, 8, &bits))
                return PELT_FAIL(err, PELT_BAD_INPUT, "an Xform has fewer numbers than its operations need");
            v[k] = pelti_cache_double(bits);
            if (!(fabs(v[k]) <= 1e15))
                return PELT_FAIL(err, PELT_BAD_INPUT, "an Xform holds %g: numbers go to 1e15", v[k]);
        }
        AbcPlace one = place_of((int)(op >> 4), v);
        *place = times(place, &one);
    }
    return PELT_OK;
}

/// `place` from above becomes that of what is below the Xform.
static PeltStatus read_xform(AbcReader *r, const PeltiOgawaGroup *object, AbcPlace *place, PeltError *err)
{
    PeltiOgawaSource *source = &r->cache->source;
    PeltiOgawaGroup properties, xform;
    PeltiOgawaFound found;
    PeltiOgawaBlock inherits = {0}, ops = {0}, values = {0};
    uint64_t where, yes = 1;
    PELT_TRY(pelti_ogawa_child(source, object, 0, &where, err));
    PELT_TRY(pelti_ogawa_enter(source, where, &properties, err));
    PELT_TRY(pelti_ogawa_find(source, &properties, ".xform", &found, err));
    if (!found.there)
        return PELT_OK;
    PELT_TRY(pelti_ogawa_enter(source, found.where, &xform, err));
    PeltStatus status = read_constant(r, &xform, ".inherits", &inherits, err);
    if (status == PELT_OK && inherits.bytes && pelti_ogawa_take(&inherits, 1, &yes) && !yes)
        *place = AT_HOME;
    status = status == PELT_OK ? read_constant(r, &xform, ".ops", &ops, err) : status;
    status = status == PELT_OK ? read_constant(r, &xform, ".vals", &values, err) : status;
    status = status == PELT_OK ? apply_ops(&ops, &values, place, err) : status;
    pelti_ogawa_release(source, &inherits);
    pelti_ogawa_release(source, &ops);
    pelti_ogawa_release(source, &values);
    return status;
}

// ---- meshes

/// Points of the sample at `index` of those that were kept: where they are, and how many.
static PeltStatus place_sample(const PeltiOgawaSource *source, const PeltiOgawaGroup *samples, uint64_t index, uint64_t *at,
                               uint64_t *count, PeltError *err)
{
    uint64_t where, bytes, digest = sizeof(PeltiOgawaDigest);
    PELT_TRY(pelti_ogawa_child(source, samples, 2 * index, &where, err)); // each with its dimensions behind it
    PELT_TRY(pelti_ogawa_place(source, where, at, &bytes, err));
    bytes = bytes > digest ? bytes - digest : 0;
    if (bytes % sizeof(Vec3))
        return PELT_FAIL(err, PELT_BAD_INPUT, "byte %llu: %llu bytes are no points", (unsigned long long)*at,
                         (unsigned long long)bytes);
    *at += digest;
    *count = bytes / sizeof(Vec3);
    return PELT_OK;
}

static PeltStatus read_mesh(AbcReader *r, const PeltiOgawaGroup *object, const AbcPlace *place, PeltError *err)
{
    PeltiOgawaSource *source = &r->cache->source;
    PeltiOgawaGroup properties, geometry;
    PeltiOgawaFound found;
    uint64_t where, at, count;
    PELT_TRY(pelti_ogawa_child(source, object, 0, &where, err));
    PELT_TRY(pelti_ogawa_enter(source, where, &properties, err));
    PELT_TRY(pelti_ogawa_find(source, &properties, ".geom", &found, err));
    PELT_TRY(pelti_ogawa_enter(source, found.where, &geometry, err));
    PELT_TRY(pelti_ogawa_find(source, &geometry, "P", &found, err));
    if (!found.there || found.count == 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "a mesh without points");
    if (found.kind < PELTI_OGAWA_ARRAY || found.type != PELTI_OGAWA_FLOAT || found.extent != 3)
        return PELT_FAIL(err, PELT_BAD_INPUT, "the points of a mesh are no float triples");
    AbcMesh mesh = {.frame_count = found.count, .first = found.first, .last = found.last, .time = found.time, .place = *place};
    PELT_TRY(pelti_ogawa_enter(source, found.where, &mesh.samples, err));
    if (mesh.samples.count < 2 * (found.last ? found.last - found.first + 2 : 1))
        return PELT_FAIL(err, PELT_BAD_INPUT, "a mesh has fewer samples of points than it says");
    PELT_TRY(place_sample(source, &mesh.samples, 0, &at, &count, err));
    if (count > INT32_MAX)
        return PELT_FAIL(err, PELT_BAD_INPUT, "a mesh of %llu points", (unsigned long long)count);
    mesh.point_count = (int)count;
    mesh.placed = memcmp(place, &AT_HOME, sizeof AT_HOME) != 0;
    return pelti_array_push(&r->cache->meshes, &mesh) ? PELT_OK : pelti_no_memory(err, sizeof mesh);
}

// ---- objects

/// The next object's name and meta data; false: cut short.
static bool next_object(AbcReader *r, PeltiOgawaBlock *headers, char meta[META_BYTES])
{
    char name[4];
    uint64_t index;
    if (!pelti_ogawa_text(headers, 4, name, sizeof name) || !pelti_ogawa_take(headers, 1, &index))
        return false;
    if (index == METAS_MOST) // none of the table
        return pelti_ogawa_text(headers, 4, meta, META_BYTES);
    memcpy(meta, r->metas[index], META_BYTES);
    return true;
}

static PeltStatus read_children(AbcReader *r, const PeltiOgawaGroup *object, const AbcPlace *place, int depth, PeltError *err);

/// An object and what is below it.
static PeltStatus read_object(AbcReader *r, uint64_t where, const char *meta, const AbcPlace *above, int depth, PeltError *err)
{
    PeltiOgawaGroup object;
    AbcPlace place = *above;
    PELT_TRY(pelti_ogawa_enter(&r->cache->source, where, &object, err));
    if (object.count == 0)
        return PELT_OK;
    if (strstr(meta, "schema=AbcGeom_Xform_"))
        PELT_TRY(read_xform(r, &object, &place, err));
    if (strstr(meta, "schema=AbcGeom_PolyMesh_") || strstr(meta, "schema=AbcGeom_SubD_"))
        PELT_TRY(read_mesh(r, &object, &place, err));
    return read_children(r, &object, &place, depth, err);
}

/// A group of an object: its properties, the objects below it, and their names.
static PeltStatus read_children(AbcReader *r, const PeltiOgawaGroup *object, const AbcPlace *place, int depth, PeltError *err)
{
    PeltiOgawaSource *source = &r->cache->source;
    PeltiOgawaBlock headers;
    uint64_t where;
    if (object->count < 3)
        return PELT_OK;
    if (depth == OBJECTS_DEEP)
        return PELT_FAIL(err, PELT_BAD_INPUT, "objects nest deeper than %d", OBJECTS_DEEP);
    PELT_TRY(pelti_ogawa_child(source, object, object->count - 1, &where, err));
    PELT_TRY(pelti_ogawa_read(source, where, &headers, err));
    PeltStatus status = PELT_OK;
    for (uint64_t i = 1; i + 1 < object->count && status == PELT_OK; i++) {
        char meta[META_BYTES];
        if (!next_object(r, &headers, meta))
            status =
                PELT_FAIL(err, PELT_BAD_INPUT, "the names of objects at byte %llu are cut short", (unsigned long long)object->at);
        status = status == PELT_OK ? pelti_ogawa_child(source, object, i, &where, err) : status;
        status = status == PELT_OK ? read_object(r, where, meta, place, depth + 1, err) : status;
    }
    pelti_ogawa_release(source, &headers);
    return status;
}

// ---- the archive

/// The table of meta data: texts with a byte before each; the first is empty and not there.
static PeltStatus read_metas(AbcReader *r, const PeltiOgawaGroup *root, PeltError *err)
{
    PeltiOgawaBlock block;
    uint64_t where;
    PELT_TRY(pelti_ogawa_child(&r->cache->source, root, 5, &where, err));
    PELT_TRY(pelti_ogawa_read(&r->cache->source, where, &block, err));
    for (int i = 1; i < METAS_MOST && pelti_ogawa_text(&block, 1, r->metas[i], META_BYTES); i++)
        ;
    pelti_ogawa_release(&r->cache->source, &block);
    return PELT_OK;
}

/// One time sampling: steps of even length from a start, or all times. `fps`: what the caller says, where it does not.
static void read_sampling(PeltiOgawaBlock *block, uint64_t stored, double step, double fps, PeltiSinkFrames *frames)
{
    uint64_t first, last = 0;
    if (stored == 0 || !pelti_ogawa_take(block, 8, &first))
        return;
    double start = pelti_cache_double(first);
    if (stored == 1 && step > 0 && step < 1e6) {
        frames->fps = 1 / step;
        frames->fps = fabs(frames->fps - rint(frames->fps)) < 1e-6 ? rint(frames->fps) : frames->fps;
        pelti_cache_start(frames, start / step);
    }
    for (uint64_t i = 1; i < stored && i < (uint64_t)frames->frame_count; i++)
        if (!pelti_ogawa_take(block, 8, &last))
            return;
    if (stored >= (uint64_t)frames->frame_count)
        pelti_cache_times(frames, start, pelti_cache_double(last), frames->fps > 0 ? frames->fps : fps);
    frames->fps = frames->fps <= 1e5 ? frames->fps : 0;
}

/// Sampling 0 is that of what has no time.
static PeltStatus read_times(AbcCache *cache, const PeltiOgawaGroup *root, uint64_t wanted, double fps, PeltError *err)
{
    PeltiOgawaBlock block;
    uint64_t where, most, bits, stored;
    cache->head.timeless = wanted == 0 && cache->head.frames.frame_count == 1;
    if (wanted == 0)
        return PELT_OK;
    PELT_TRY(pelti_ogawa_child(&cache->source, root, 4, &where, err));
    PELT_TRY(pelti_ogawa_read(&cache->source, where, &block, err));
    bool there = true;
    for (uint64_t i = 0; there && i <= wanted; i++) {
        there = pelti_ogawa_take(&block, 4, &most) && pelti_ogawa_take(&block, 8, &bits) &&
                pelti_ogawa_take(&block, 4, &stored) && stored <= (block.size - block.used) / 8;
        if (there && i == wanted)
            read_sampling(&block, stored, pelti_cache_double(bits), fps, &cache->head.frames);
        else if (there)
            block.used += 8 * (size_t)stored;
    }
    pelti_ogawa_release(&cache->source, &block);
    return there ? PELT_OK : PELT_FAIL(err, PELT_BAD_INPUT, "there is no time sampling %llu", (unsigned long long)wanted);
}

/// All meshes have as many samples, or one.
static PeltStatus count_frames(AbcCache *cache, uint64_t *time, PeltError *err)
{
    const AbcMesh *meshes = (const AbcMesh *)(const void *)cache->meshes.data;
    uint64_t points = 0, frames = 0, most = cache->source.file.bytes / 16;
    bool still = true;
    *time = 0;
    for (size_t i = 0; i < cache->meshes.count; i++) {
        points += (uint64_t)meshes[i].point_count;
        still = still && meshes[i].last == 0;
        if (meshes[i].frame_count > frames) {
            frames = meshes[i].frame_count;
            *time = meshes[i].time;
        }
    }
    if (points == 0 || points > INT32_MAX)
        return PELT_FAIL(err, PELT_BAD_INPUT, "there is no mesh with points");
    most = still || most < PELTI_CACHE_STILL_MOST ? PELTI_CACHE_STILL_MOST : most;
    if (frames > most || frames > INT32_MAX)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%llu frames are more than a file of this size has", (unsigned long long)frames);
    for (size_t i = 0; i < cache->meshes.count; i++)
        if (meshes[i].frame_count > 1 && meshes[i].frame_count != frames)
            return PELT_FAIL(err, PELT_BAD_INPUT, "mesh %zu has %llu frames, another %llu", i,
                             (unsigned long long)meshes[i].frame_count, (unsigned long long)frames);
    cache->head.frames = (PeltiSinkFrames){.point_count = (int)points, .frame_count = (int)frames};
    return PELT_OK;
}

static PeltStatus open_abc(PeltiCache *head, const PeltiCacheSource *source, PeltError *err)
{
    AbcCache *cache = (AbcCache *)head;
    AbcReader r = {.cache = cache};
    PeltiOgawaGroup root;
    uint64_t where, time;
    pelti_array_init(&cache->meshes, source->allocator, sizeof(AbcMesh));
    PELT_TRY(pelti_ogawa_open(&cache->source, source->path, source->allocator, &root, err));
    if (root.count < 6)
        return PELT_FAIL(err, PELT_BAD_INPUT, "an Ogawa file, but not Alembic");
    r.metas = pelti_pool_take(&head->pool, METAS_MOST + 1, sizeof *r.metas);
    if (!r.metas)
        return pelti_no_memory(err, (METAS_MOST + 1) * sizeof *r.metas);
    PELT_TRY(read_metas(&r, &root, err));
    PELT_TRY(pelti_ogawa_child(&cache->source, &root, 2, &where, err));
    PELT_TRY(read_object(&r, where, "", &AT_HOME, 0, err));
    PELT_TRY(count_frames(cache, &time, err));
    return read_times(cache, &root, time, source->fps, err);
}

static void move_points(const AbcPlace *place, Vec3 *points, int count)
{
    for (int i = 0; i < count; i++) {
        double x = (double)points[i].x, y = (double)points[i].y, z = (double)points[i].z;
        float v[3];
        for (int k = 0; k < 3; k++)
            v[k] = pelti_cache_narrow(place->m[k][0] * x + place->m[k][1] * y + place->m[k][2] * z + place->m[k][3]);
        points[i] = vec3(v[0], v[1], v[2]);
    }
}

static PeltStatus frame_abc(PeltiCache *head, int index, Vec3 *points, PeltError *err)
{
    AbcCache *cache = (AbcCache *)head;
    const AbcMesh *mesh = (const AbcMesh *)(const void *)cache->meshes.data;
    for (size_t i = 0; i < cache->meshes.count; i++, mesh++) {
        uint64_t frame = (uint64_t)index < mesh->last ? (uint64_t)index : mesh->last, at, count;
        uint64_t kept = frame < mesh->first || mesh->last == 0 ? 0 : frame - mesh->first + 1;
        PELT_TRY(place_sample(&cache->source, &mesh->samples, kept, &at, &count, err));
        if (count != (uint64_t)mesh->point_count)
            return PELT_FAIL(err, PELT_BAD_INPUT, "frame %d of mesh %zu has %llu points, the first one %d", index, i,
                             (unsigned long long)count, mesh->point_count);
        PELT_TRY(pelti_source_read(&cache->source.file, at, points, (size_t)count * sizeof *points, err));
        if (mesh->placed)
            move_points(&mesh->place, points, mesh->point_count);
        points += count;
    }
    return PELT_OK;
}

static void close_abc(PeltiCache *head)
{
    AbcCache *cache = (AbcCache *)head;
    pelti_source_close(&cache->source.file);
    pelti_array_release(&cache->meshes);
}

const PeltiCacheKind pelti_cache_abc = {".abc ", sizeof(AbcCache), open_abc, frame_abc, close_abc};
