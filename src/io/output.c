/// Opens a sink for each output and feeds all of them.
#include "io/output.h"

#include "io/gltf_write.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

typedef enum OutputKind {
    KIND_PC2,
    KIND_MDD,
    KIND_NPZ,
    KIND_OBJ,
    KIND_USDA,
    KIND_ABC,
    KIND_GLB,
    KIND_VRM,
    KIND_GLTF,
    KIND_COUNT
} OutputKind; // from .obj on: with normals
static const char *const EXTENSION[KIND_COUNT] = {".pc2", ".mdd", ".npz", ".obj", ".usda", ".abc", ".glb", ".vrm", ".gltf"};

typedef struct OneOutput {
    OutputKind kind;
    const char *path;
    PeltiSink *sink;
} OneOutput;

struct PeltiOutput {
    PeltiPool pool;
    PeltiOutputDef def;
    PeltiObjShape shape;
    OneOutput *each;
    int count;
    bool completed;         ///< all files are, under names of their own
    PeltiOutputReport made; ///< completing them fills what it tells of morph targets, publishing the rest
};

static bool kind_of(const char *path, OutputKind *kind)
{
    size_t length = strlen(path);
    for (int k = 0; k < KIND_COUNT; k++) {
        size_t tail = strlen(EXTENSION[k]);
        if (length > tail && strcasecmp(path + length - tail, EXTENSION[k]) == 0) {
            *kind = (OutputKind)k;
            return true;
        }
    }
    return false;
}

bool pelti_output_wants_normals(const char *const *paths, int path_count)
{
    for (int i = 0; i < path_count; i++) {
        OutputKind kind;
        if (kind_of(paths[i], &kind) && kind >= KIND_OBJ)
            return true;
    }
    return false;
}

/// UVs of all points, where a primitive has them; NULL where none has.
static PeltStatus read_uv(PeltiOutput *output, float (**out)[2], PeltError *err)
{
    const PeltiCharacter *who = output->def.who;
    const PeltiGltf *doc = output->def.document;
    *out = NULL;
    if (!doc)
        return PELT_OK;
    float(*uv)[2] = pelti_pool_take(&output->pool, (size_t)who->point_count, sizeof *uv);
    if (!uv)
        return pelti_no_memory(err, (size_t)who->point_count * sizeof *uv);
    for (int i = 0; i < who->instance_count; i++) {
        const PeltiGltfMesh *mesh = &doc->meshes[who->instances[i].mesh];
        PeltiJson *primitives =
            pelti_json_get(pelti_json_at(pelti_json_get(doc->root, "meshes"), who->instances[i].mesh), "primitives");
        int point = who->instances[i].first_point;
        for (int k = 0; k < mesh->primitive_count; k++) {
            const PeltiGltfPrimitive *primitive = &doc->primitives[mesh->first_primitive + k];
            PeltiJson *attributes = pelti_json_get(pelti_json_at(primitives, k), "attributes");
            int64_t accessor = pelti_json_int_of(pelti_json_get(attributes, "TEXCOORD_0"), -1);
            if (primitive->position < 0)
                continue;
            if (accessor >= 0 && accessor < doc->accessor_count && doc->accessors[accessor].count == primitive->point_count &&
                pelti_gltf_floats(doc, (int)accessor, 2, uv[point], NULL) == PELT_OK)
                *out = uv;
            point += primitive->point_count;
        }
    }
    return PELT_OK;
}

/// Where the nodes of meshes without a skin are in the file's pose; NULL where nothing is left of space there.
static PeltStatus place_groups(PeltiOutput *output, PeltiObjGroup *groups, PeltError *err)
{
    const PeltiCharacter *who = output->def.who;
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&output->pool, PeltiNodeMatrix, who->node_count);
    Mat34 *bones = PELTI_NEW(&output->pool, Mat34, who->bone_count),
          *placements = PELTI_NEW(&output->pool, Mat34, who->instance_count);
    PeltiPose pose = pelti_pose_new(&output->pool, who);
    Mat34 inverse;
    if (!node_matrix || !bones || !placements || !pose.local)
        return pelti_no_memory(err, (size_t)who->node_count * sizeof *node_matrix);
    pelti_pose_file(who, &pose);
    pelti_pose_bones(who, &pose, node_matrix, bones);
    for (int i = 0; i < who->instance_count; i++) {
        for (int k = 0; k < 12; k++)
            placements[i].m[k / 4][k % 4] = (float)node_matrix[who->instances[i].node].m[k / 4][k % 4];
        if (who->instances[i].skin < 0 && pelti_mat34_inverse(placements[i], &inverse))
            groups[i].placement = &placements[i];
    }
    return PELT_OK;
}

static PeltStatus make_shape(PeltiOutput *output, PeltError *err)
{
    const PeltiCharacter *who = output->def.who;
    if (output->shape.groups)
        return PELT_OK;
    PeltiObjGroup *groups = PELTI_NEW(&output->pool, PeltiObjGroup, who->instance_count);
    if (!groups)
        return pelti_no_memory(err, (size_t)who->instance_count * sizeof *groups);
    for (int i = 0; i < who->instance_count; i++)
        groups[i] = (PeltiObjGroup){who->nodes[who->instances[i].node].name, who->instances[i].first_point,
                                    who->instances[i].point_count, NULL};
    PELT_TRY(place_groups(output, groups, err));
    float(*uv)[2];
    PELT_TRY(read_uv(output, &uv, err));
    output->shape = (PeltiObjShape){.triangle_count = who->triangle_count,
                                    .group_count = who->instance_count,
                                    .triangles = (const int(*)[3])who->point_triangles,
                                    .groups = groups,
                                    .uv = (const float(*)[2])uv};
    return PELT_OK;
}

static PeltStatus open_one(PeltiOutput *output, OneOutput *one, PeltError *err)
{
    const PeltiOutputDef *def = &output->def;
    switch (one->kind) {
    case KIND_PC2:
        return pelti_pc2_sink(def->allocator, one->path, &def->frames, &one->sink, err);
    case KIND_MDD:
        return pelti_mdd_sink(def->allocator, one->path, &def->frames, &one->sink, err);
    case KIND_OBJ:
        PELT_TRY(make_shape(output, err));
        return pelti_obj_sink(def->allocator, one->path, &def->frames, &output->shape, &one->sink, err);
    case KIND_NPZ:
        PELT_TRY(make_shape(output, err));
        return pelti_npz_sink(def->allocator, one->path, &def->frames, &output->shape, &one->sink, err);
    case KIND_USDA:
        PELT_TRY(make_shape(output, err));
        return pelti_usd_sink(def->allocator, one->path, &def->frames, &output->shape, &one->sink, err);
    case KIND_ABC:
        PELT_TRY(make_shape(output, err));
        return pelti_abc_sink(def->allocator, one->path, &def->frames, &output->shape, &one->sink, err);
    default:
        return pelti_gltf_sink(def, one->path, one->kind != KIND_GLTF, &one->sink, err);
    }
}

static PeltStatus open_all(PeltiOutput *output, const char *const *paths, PeltError *err)
{
    for (int i = 0; i < output->count; i++) {
        OneOutput *one = &output->each[i];
        one->path = pelti_pool_text(&output->pool, paths[i]);
        if (!one->path)
            return pelti_no_memory(err, strlen(paths[i]));
        if (!kind_of(paths[i], &one->kind))
            return PELT_FAIL(err, PELT_BAD_ARGUMENT,
                             "%s: unknown kind of output; there are .glb .vrm .gltf .pc2 .mdd .npz .obj .usda .abc", paths[i]);
        for (int k = 0; k < i; k++)
            if (strcmp(output->each[k].path, one->path) == 0)
                return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%s is given twice as output", paths[i]);
    }
    for (int i = 0; i < output->count; i++)
        PELT_TRY(open_one(output, &output->each[i], err));
    return PELT_OK;
}

PeltStatus pelti_output_open(const PeltiOutputDef *def, const char *const *paths, int path_count, PeltiOutput **out,
                             PeltError *err)
{
    *out = NULL;
    PeltiOutput *output = pelti_alloc(def->allocator, sizeof *output);
    if (!output)
        return pelti_no_memory(err, sizeof *output);
    *output = (PeltiOutput){.def = *def, .count = path_count};
    pelti_pool_init(&output->pool, def->allocator);
    if (output->def.frames.point_count == 0)
        output->def.frames.point_count = def->who->point_count;
    PELT_ASSERT(output->def.frames.point_count == def->who->point_count && def->frames.fps > 0 && def->frames.frame_count > 0);
    output->each = PELTI_NEW(&output->pool, OneOutput, path_count);
    PeltStatus status = output->each ? open_all(output, paths, err) : pelti_no_memory(err, 0);
    if (status != PELT_OK) {
        output->count = output->each ? path_count : 0;
        pelti_output_destroy(output);
        return status;
    }
    *out = output;
    return PELT_OK;
}

PeltStatus pelti_output_frame(PeltiOutput *output, const Vec3 *points, const Vec3 *normals, const PeltiPose *pose, PeltError *err)
{
    PELT_ASSERT(!output->def.has_normals == !normals && !output->def.play_pose == !pose);
    for (int i = 0; i < output->count; i++) {
        if (pose && output->each[i].kind >= KIND_GLB)
            pelti_gltf_sink_pose(output->each[i].sink, pose);
        PELT_TRY(pelti_sink_frame(output->each[i].sink, points, normals, err));
    }
    return PELT_OK;
}

void pelti_output_place(PeltiOutput *output, const Trs *placements, const Vec3 *soft_points)
{
    for (int i = 0; i < output->count; i++)
        if (output->each[i].kind >= KIND_GLB)
            pelti_gltf_sink_place(output->each[i].sink, placements, soft_points);
}

/// Size of what appeared; a sequence counts each of its files.
static void count_files(const PeltiOutput *output, const OneOutput *one, PeltiOutputReport *report)
{
    struct stat about;
    int files = one->kind == KIND_OBJ ? output->def.frames.frame_count : 1;
    char path[4096];
    for (int i = 0; i < files; i++) {
        snprintf(path, sizeof path, "%s", one->path);
        if (one->kind == KIND_OBJ)
            pelti_obj_path(one->path, output->def.frames.start_frame + i, path, sizeof path);
        report->file_count++;
        if (stat(path, &about) == 0 && S_ISREG(about.st_mode))
            report->bytes += (uint64_t)about.st_size;
    }
}

PeltStatus pelti_output_complete(PeltiOutput *output, const PeltiProgressSink *progress, PeltiOutputReport *report,
                                 PeltError *err)
{
    for (int i = 0; i < output->count; i++) {
        if (output->each[i].kind >= KIND_GLB)
            pelti_gltf_sink_progress(output->each[i].sink, progress);
        PELT_TRY(pelti_sink_complete(output->each[i].sink, err));
        if (output->each[i].kind >= KIND_GLB)
            pelti_gltf_sink_report(output->each[i].sink, &output->made);
    }
    output->completed = true;
    if (report)
        *report = output->made;
    return PELT_OK;
}

PeltStatus pelti_output_commit(PeltiOutput *output, const PeltiProgressSink *progress, PeltiOutputReport *report, PeltError *err)
{
    if (!output->completed)
        PELT_TRY(pelti_output_complete(output, progress, NULL, err));
    for (int i = 0; i < output->count; i++) {
        PELT_TRY(pelti_sink_publish(output->each[i].sink, err));
        count_files(output, &output->each[i], &output->made);
    }
    if (report)
        *report = output->made;
    return PELT_OK;
}

void pelti_output_destroy(PeltiOutput *output)
{
    if (!output)
        return;
    for (int i = 0; i < output->count; i++)
        pelti_sink_destroy(output->each[i].sink);
    PeltAllocator allocator = output->def.allocator ? *output->def.allocator : (PeltAllocator){0};
    pelti_pool_release(&output->pool);
    pelti_free(&allocator, output, sizeof *output);
}
