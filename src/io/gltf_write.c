/// The sink that turns frames into a baked document.
#include "io/gltf_write.h"
#include "geometry/triangles.h"

#include <string.h>

typedef struct GltfSink {
    PeltiSink head;
    PeltiOutputDef def;
    PeltiPool pool;
    PeltiFile file;
    bool is_glb;
    PeltiGltfBake bake;
    PeltiMorphDef morph;
    int all_points;  // the character's, then those of soft objects
    Vec3 *last;      // [all_points] positions of the frame; soft objects' that are no numbers, of one before
    Vec3 *first;     // [points of the character] of frame 0; NULL: it has no morph targets
    Vec3 *turned;    // [all_points] normals of the frame
    Trs *placements; // [frame_count x object_count]
    bool odd;        // some of those were not
    Trs *poses;      // [frame_count x node_count]
    PeltiProgressSink progress;
    PeltiOutputReport report;
} GltfSink;

static PeltStatus take_frame(PeltiSink *head, const Vec3 *points, const Vec3 *normals, PeltError *err)
{
    GltfSink *sink = (GltfSink *)head;
    size_t count = (size_t)head->frames.point_count;
    memcpy(sink->last, points, count * sizeof(Vec3)); // numbers all: the skin's step saw to it
    if (sink->first && head->pushed == 0)
        memcpy(sink->first, points, count * sizeof(Vec3));
    if (sink->def.has_normals)
        memcpy(sink->turned, normals, count * sizeof(Vec3));
    return pelti_morph_frame(&sink->morph, head->pushed, sink->last, sink->turned, err);
}

/// What every frame's points go to: found out before the first.
static PeltStatus plan_targets(GltfSink *sink, PeltError *err)
{
    const PeltiOutputDef *def = &sink->def;
    float share = def->morph_tolerance > 0 ? def->morph_tolerance : 5e-4f;
    PELT_TRY(pelti_gltf_bake_parts(&sink->bake, &sink->pool, err));
    sink->morph = (PeltiMorphDef){.spool = &sink->bake.data,
                                  .frame_count = sink->head.frames.frame_count,
                                  .parts = sink->bake.parts,
                                  .part_count = sink->bake.part_count,
                                  .mode = def->morph,
                                  .tolerance = share * def->who->mesh->diagonal,
                                  .most = def->morph_most > 0 ? def->morph_most : 128,
                                  .jobs = def->jobs};
    pelti_morph_place(&sink->morph);
    return PELT_OK;
}

static PeltStatus make_targets(GltfSink *sink, PeltError *err)
{
    const PeltiOutputDef *def = &sink->def;
    PeltiGltfBake *bake = &sink->bake;
    PELT_TRY(pelti_morph_make(&sink->morph, &sink->pool, &sink->progress, &bake->morph, err));
    if (bake->morph.largest_error > sink->morph.tolerance)
        pelti_warn(def->log, "morph-tolerance",
                   "%d morph targets stay within %.3g of the frames, not %.3g: allow more of them or one a frame",
                   bake->morph.target_count, (double)bake->morph.largest_error, (double)sink->morph.tolerance);
    sink->report.morph_targets = bake->morph.target_count;
    sink->report.morph_error = bake->morph.largest_error;
    sink->report.morph_error_share = bake->morph.largest_error / fmaxf(def->who->mesh->diagonal, 1e-30f);
    sink->report.morph_normal_error_degree = bake->morph.normal_error_degree;
    return PELT_OK;
}

static PeltStatus write_document(GltfSink *sink, PeltiGltfOut *out, PeltError *err)
{
    PeltiGltfBake *bake = &sink->bake;
    PELT_TRY(make_targets(sink, err));
    PELT_TRY(pelti_gltf_bake_own(bake, out, err));
    PELT_TRY(pelti_gltf_bake_meshes(bake, out, err));
    PELT_TRY(pelti_gltf_bake_vrm(bake, out, err));
    PELT_TRY(pelti_gltf_bake_objects(bake, out, err));
    PELT_TRY(pelti_gltf_bake_clips(bake, out, err));
    return pelti_gltf_out_write(out, &sink->file, sink->is_glb, err);
}

static PeltStatus complete(PeltiSink *head, PeltError *err)
{
    GltfSink *sink = (GltfSink *)head;
    PeltiGltfOut out = {0};
    PeltStatus status = pelti_gltf_out_begin(&out, sink->def.document, sink->def.allocator, sink->def.log, err);
    if (status == PELT_OK)
        status = write_document(sink, &out, err);
    pelti_gltf_out_end(&out);
    if (status == PELT_OK && sink->odd)
        pelti_warn(sink->def.log, "morph-not-finite",
                   "some positions of soft objects were no numbers: the .glb shows where they were before");
    return status == PELT_OK ? pelti_file_complete(&sink->file, err) : status;
}

static PeltStatus publish(PeltiSink *head, PeltError *err)
{
    return pelti_file_commit(&((GltfSink *)head)->file, err);
}

static void destroy(PeltiSink *head)
{
    GltfSink *sink = (GltfSink *)head;
    pelti_file_abort(&sink->file);
    pelti_spool_close(&sink->bake.data);
    pelti_pool_release(&sink->pool);
    PeltAllocator allocator = head->allocator;
    pelti_free(&allocator, sink, sizeof *sink);
}

static PeltStatus open_sink(GltfSink *sink, const char *path, PeltError *err)
{
    const PeltiOutputDef *def = &sink->def;
    sink->all_points = sink->head.frames.point_count;
    for (int i = 0; i < def->object_count; i++)
        sink->all_points += def->objects[i].soft ? def->objects[i].vertex_count : 0;
    sink->last = PELTI_NEW(&sink->pool, Vec3, sink->all_points);
    sink->turned = PELTI_NEW(&sink->pool, Vec3, def->has_normals ? sink->all_points : 0);
    sink->placements = PELTI_NEW(&sink->pool, Trs, (size_t)sink->head.frames.frame_count * (size_t)def->object_count);
    if (def->play_pose)
        sink->poses = PELTI_NEW(&sink->pool, Trs, (size_t)sink->head.frames.frame_count * (size_t)def->who->node_count);
    if (def->who->target_count)
        sink->first = PELTI_NEW(&sink->pool, Vec3, sink->head.frames.point_count);
    if (sink->pool.failed)
        return pelti_no_memory(err, (size_t)sink->all_points * sizeof(Vec3));
    sink->bake.first = sink->first;
    sink->bake.poses = sink->poses;
    sink->bake.placements = sink->placements;
    PELT_TRY(plan_targets(sink, err));
    PELT_TRY(pelti_file_begin(&sink->file, path, err));
    return pelti_spool_open(path, &sink->bake.data, err);
}

PeltStatus pelti_gltf_sink(const PeltiOutputDef *def, const char *path, bool is_glb, PeltiSink **out, PeltError *err)
{
    static const PeltiSinkKind kind = {take_frame, complete, publish, destroy};
    *out = NULL;
    if (!def->document)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%s: a glTF result needs the glTF file the character came from", path);
    GltfSink *sink = pelti_alloc(def->allocator, sizeof *sink);
    if (!sink)
        return pelti_no_memory(err, sizeof *sink);
    *sink = (GltfSink){.head = {.kind = &kind, .frames = def->frames}, .def = *def, .is_glb = is_glb};
    sink->bake = (PeltiGltfBake){.def = &sink->def, .data = {-1}};
    if (def->allocator)
        sink->head.allocator = *def->allocator;
    pelti_pool_init(&sink->pool, def->allocator);
    PeltStatus status = open_sink(sink, path, err);
    if (status != PELT_OK) {
        destroy(&sink->head);
        return status;
    }
    *out = &sink->head;
    return PELT_OK;
}

void pelti_gltf_sink_pose(PeltiSink *head, const PeltiPose *pose)
{
    GltfSink *sink = (GltfSink *)head;
    size_t nodes = (size_t)sink->def.who->node_count;
    memcpy(sink->poses + nodes * (size_t)head->pushed, pose->local, nodes * sizeof(Trs));
}

/// Area-weighted normals of one object.
static void smooth_normals(const PeltiOutputObject *object, const Vec3 *points, Vec3 *normals)
{
    memset(normals, 0, (size_t)object->vertex_count * sizeof *normals);
    for (int t = 0; t < object->triangle_count; t++) {
        const int *v = object->triangles[t];
        Vec3 n = pelti_triangle_normal(points, v);
        for (int k = 0; k < 3; k++)
            normals[v[k]] = vec3_add(normals[v[k]], n);
    }
    for (int i = 0; i < object->vertex_count; i++)
        normals[i] = vec3_normalize_or(normals[i], vec3(0, 0, 1));
}

void pelti_gltf_sink_place(PeltiSink *head, const Trs *placements, const Vec3 *soft_points)
{
    GltfSink *sink = (GltfSink *)head;
    size_t objects = (size_t)sink->def.object_count, first = (size_t)head->frames.point_count;
    memcpy(sink->placements + objects * (size_t)head->pushed, placements, objects * sizeof(Trs));
    for (size_t i = 0; i < objects; i++) {
        const PeltiOutputObject *object = &sink->def.objects[i];
        if (!object->soft)
            continue;
        for (int v = 0; v < object->vertex_count; v++, soft_points++) // glTF allows no NaN, and nobody else looks at these
            if (vec3_finite(*soft_points))
                sink->last[first + (size_t)v] = *soft_points;
            else
                sink->odd = true;
        if (sink->def.has_normals)
            smooth_normals(object, sink->last + first, sink->turned + first);
        first += (size_t)object->vertex_count;
    }
}

void pelti_gltf_sink_progress(PeltiSink *head, const PeltiProgressSink *progress)
{
    ((GltfSink *)head)->progress = progress ? *progress : (PeltiProgressSink){0};
}

void pelti_gltf_sink_report(const PeltiSink *head, PeltiOutputReport *report)
{
    const GltfSink *sink = (const GltfSink *)head;
    report->morph_targets = sink->report.morph_targets;
    report->morph_error = sink->report.morph_error;
    report->morph_error_share = sink->report.morph_error_share;
    report->morph_normal_error_degree = sink->report.morph_normal_error_degree;
}
