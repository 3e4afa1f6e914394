/// include/pelt/character.h: characters and poses for users of the library.
#include "bake/objects.h"
#include "io/import.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

PeltStatus pelti_bake_character_wrap(PeltiCharacter *who, PeltiGltf *document, const PeltAllocator *allocator,
                                     PeltCharacter **out, PeltError *err)
{
    PeltCharacter *character = pelti_alloc(allocator, sizeof *character);
    if (!character) {
        pelti_character_destroy(who);
        pelti_gltf_close(document);
        return pelti_no_memory(err, sizeof *character);
    }
    *character = (PeltCharacter){.who = who, .document = document};
    if (allocator)
        character->allocator = *allocator;
    *out = character;
    return PELT_OK;
}

PeltStatus pelti_bake_from_document(PeltiGltf *document, const PeltAllocator *allocator, PeltCharacter **out, PeltError *err)
{
    PeltiCharacter *who = NULL;
    PeltStatus status = pelti_gltf_character(document, allocator, &who, err);
    if (status != PELT_OK) {
        pelti_gltf_close(document);
        return status;
    }
    return pelti_bake_character_wrap(who, document, allocator, out, err);
}

/// Files people have that hold no character Pelt reads, each with what to do about it.
static PeltStatus refuse_known(const char *path, PeltError *err)
{
    static const struct {
        const char *end, *what;
    } known[] = {{".bvh", "motion without a skin: play it on a character with --motion"},
                 {".abc", "Alembic, points without a skeleton, not a character: `pelt render CHARACTER --cache` shows it"},
                 {".usda", "USD, whose characters Pelt does not read: export .glb"},
                 {".usd", "USD, which Pelt does not read: export .glb"},
                 {".usdz", "USD, which Pelt does not read: export .glb"},
                 {".obj", "a mesh without a skeleton: export .glb or .fbx with its armature"},
                 {".pc2", "a point cache, not a character: `pelt render CHARACTER --cache` shows it"},
                 {".mdd", "a point cache, not a character: `pelt render CHARACTER --cache` shows it"},
                 {".npz", "points for Python, not a character: `pelt render CHARACTER --cache` shows it"},
                 {".blend", "Blender's own file: File > Export > glTF 2.0, or the add-on (docs/blender.md)"},
                 {".max", "3ds Max's own file: export .fbx"},
                 {".ma", "Maya's own file: export .fbx"},
                 {".mb", "Maya's own file: export .fbx"}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof known / sizeof *known; i++)
        if (!strcasecmp(dot, known[i].end) && access(path, R_OK) == 0)
            return PELT_FAIL(err, PELT_UNSUPPORTED, "this is %s", known[i].what);
    return PELT_OK;
}

// Plain glTF as it is; what needs another's reader through the helper program. Where there is none, the first story stands: it
// tells how to convert the file.
PeltStatus pelti_bake_open(const char *path, const PeltAllocator *allocator, PeltiGltf **document, PeltError *err)
{
    bool foreign = pelti_import_is_foreign(path), found;
    PELT_TRY(refuse_known(path, err));
    PeltError own;
    PeltStatus status = PELT_UNSUPPORTED;
    if (!foreign)
        status = pelti_gltf_open(path, allocator, document, err);
    if (status != PELT_UNSUPPORTED)
        return status;
    status = pelti_import(path, allocator, &found, document, &own);
    if (status == PELT_OK || (!found && !foreign))
        return status == PELT_OK ? PELT_OK : PELT_UNSUPPORTED;
    if (err)
        *err = own;
    if (!found)
        return PELT_FAIL(err, PELT_UNSUPPORTED,
                         "FBX and Collada are read by the program pelt-import, which is not here: install it beside "
                         "pelt, or convert the file to .glb (Blender: File > Export > glTF 2.0)");
    return status;
}

PeltStatus pelt_character_load(const char *path, const PeltAllocator *allocator, PeltCharacter **out, PeltError *err)
{
    PeltiGltf *document = NULL;
    *out = NULL;
    PeltStatus status = pelti_bake_open(path, allocator, &document, err);
    if (status == PELT_OK)
        status = pelti_bake_from_document(document, allocator, out, err);
    if (status != PELT_OK && status != PELT_IO)
        pelti_error_prefix(err, "%s", path);
    return status;
}

PeltStatus pelt_character_load_memory(const void *bytes, size_t size, const PeltAllocator *allocator, PeltCharacter **out,
                                      PeltError *err)
{
    PeltiGltf *document = NULL;
    *out = NULL;
    PELT_TRY(pelti_gltf_open_memory(bytes, size, NULL, allocator, &document, err));
    return pelti_bake_from_document(document, allocator, out, err);
}

void pelt_character_destroy(PeltCharacter *character)
{
    if (!character)
        return;
    PeltAllocator allocator = character->allocator;
    pelti_character_destroy(character->who);
    pelti_gltf_close(character->document);
    pelti_free(&allocator, character, sizeof *character);
}

static int count_joints(const PeltiCharacter *who)
{
    int joints = 0;
    for (int b = 0; b < who->bone_count; b++)
        joints += !who->bones[b].is_prop && !who->bones[b].is_repeat;
    return joints;
}

/// Most influences of non-zero weight at a point.
static int count_influences(const PeltiWeights *w, int point_count)
{
    int most = 0;
    for (int p = 0; p < point_count; p++) {
        int used = 0;
        for (int k = 0; k < w->influences; k++)
            used += w->weight[(size_t)p * (size_t)w->influences + (size_t)k] > 0;
        most = used > most ? used : most;
    }
    return most;
}

PeltCharacterInfo pelt_character_info(const PeltCharacter *character)
{
    const PeltiCharacter *who = character->who;
    const PeltiMesh *mesh = who->mesh;
    int meshes = 0;
    for (int i = 0; i < who->instance_count; i++)
        meshes = who->instances[i].mesh >= meshes ? who->instances[i].mesh + 1 : meshes;
    PeltCharacterInfo info = {
        .point_count = who->point_count,
        .welded_count = mesh->vertex_count,
        .triangle_count = mesh->triangle_count,
        .component_count = mesh->component_count - mesh->unused_vertex_count,
        .border_edge_count = mesh->border_edge_count,
        .nonmanifold_edge_count = mesh->nonmanifold_edge_count,
        .closed = mesh->closed,
        .node_count = who->node_count,
        .joint_count = count_joints(who),
        .mesh_count = meshes,
        .skin_count = who->skin_count,
        .clip_count = who->clip_count,
        .influences = count_influences(&who->file_weights, who->point_count),
        .weights_sane = who->file_weights_sane,
        .size = mesh->diagonal,
        .low = {mesh->low.x, mesh->low.y, mesh->low.z},
        .high = {mesh->high.x, mesh->high.y, mesh->high.z},
    };
    return info;
}

const char *pelt_character_node_name(const PeltCharacter *character, int node)
{
    return node >= 0 && node < character->who->node_count ? character->who->nodes[node].name : NULL;
}

int pelt_character_node_parent(const PeltCharacter *character, int node)
{
    return node >= 0 && node < character->who->node_count ? character->who->nodes[node].parent : -1;
}

int pelt_character_node_find(const PeltCharacter *character, const char *name)
{
    for (int n = 0; n < character->who->node_count; n++)
        if (!strcmp(character->who->nodes[n].name, name))
            return n;
    return -1;
}

int pelt_character_joint_node(const PeltCharacter *character, int joint)
{
    const PeltiCharacter *who = character->who;
    for (int b = 0; b < who->bone_count; b++)
        if (!who->bones[b].is_prop && !who->bones[b].is_repeat && joint-- == 0)
            return who->bones[b].node;
    return -1;
}

static const PeltiClip *clip_of(const PeltCharacter *character, int clip)
{
    return clip >= 0 && clip <= character->who->clip_count ? &character->who->clips[clip] : NULL;
}

const char *pelt_character_clip_name(const PeltCharacter *character, int clip)
{
    const PeltiClip *c = clip_of(character, clip);
    return c ? c->name : NULL;
}

double pelt_character_clip_seconds(const PeltCharacter *character, int clip)
{
    const PeltiClip *c = clip_of(character, clip);
    return c ? (double)c->duration_s : 0;
}

int pelt_character_clip_find(const PeltCharacter *character, const char *name_or_index)
{
    return pelti_clip_find(character->who, name_or_index);
}

int pelt_character_clip_frames(const PeltCharacter *character, int clip, double fps)
{
    const PeltiClip *c = clip_of(character, clip);
    return c ? pelti_clip_frames(c, fps) : 1;
}

const int *pelt_character_triangles(const PeltCharacter *character, int *count)
{
    *count = character->who->triangle_count;
    return character->who->point_triangles ? character->who->point_triangles[0] : NULL;
}

const float *pelt_character_rest(const PeltCharacter *character)
{
    return &character->who->rest_points[0].x;
}

int pelt_character_warning_count(const PeltCharacter *character)
{
    return pelti_log_count(&character->who->log);
}

const PeltWarning *pelt_character_warning(const PeltCharacter *character, int index)
{
    return index >= 0 && index < pelti_log_count(&character->who->log) ? pelti_log_get(&character->who->log, index) : NULL;
}

// ---- poses ----

PeltStatus pelt_pose_create(const PeltCharacter *character, PeltPose **out, PeltError *err)
{
    *out = NULL;
    PeltPose *pose = pelti_alloc(&character->allocator, sizeof *pose);
    if (!pose)
        return pelti_no_memory(err, sizeof *pose);
    *pose = (PeltPose){.character = character};
    pelti_pool_init(&pose->pool, &character->allocator);
    pose->pose = pelti_pose_new(&pose->pool, character->who);
    pose->node_matrix_scratch = PELTI_NEW(&pose->pool, PeltiNodeMatrix, character->who->node_count);
    pose->joint = PELTI_NEW(&pose->pool, int, character->who->node_count);
    pose->given = PELTI_NEW(&pose->pool, Mat34, character->who->node_count);
    if (pose->pool.failed) {
        pelt_pose_destroy(pose);
        return pelti_no_memory(err, (size_t)character->who->node_count * sizeof(Trs));
    }
    pelti_pose_file(character->who, &pose->pose);
    for (int n = 0; n < character->who->node_count; n++)
        pose->joint[n] = -1;
    for (int j = 0, node; (node = pelt_character_joint_node(character, j)) >= 0; j++)
        pose->joint[node] = j;
    *out = pose;
    return PELT_OK;
}

void pelt_pose_destroy(PeltPose *pose)
{
    if (!pose)
        return;
    pelti_pool_release(&pose->pool);
    PeltAllocator allocator = pose->character->allocator;
    pelti_free(&allocator, pose, sizeof *pose);
}

void pelt_pose_reset(PeltPose *pose)
{
    pelti_pose_file(pose->character->who, &pose->pose);
}

void pelt_pose_from_clip(PeltPose *pose, int clip, double time_s)
{
    pelti_pose_clip(pose->character->who, clip_of(pose->character, clip), time_s, &pose->pose);
}

PeltTransform pelt_pose_get(const PeltPose *pose, int node)
{
    PELT_ASSERT(node >= 0 && node < pose->character->who->node_count);
    Trs t = pose->pose.local[node];
    return (PeltTransform){{t.translation.x, t.translation.y, t.translation.z},
                           {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w},
                           {t.scale.x, t.scale.y, t.scale.z}};
}

void pelt_pose_set(PeltPose *pose, int node, PeltTransform local)
{
    PELT_ASSERT(node >= 0 && node < pose->character->who->node_count);
    const float *t = local.translation, *r = local.rotation, *s = local.scale;
    Trs trs = {vec3(t[0], t[1], t[2]), quat_normalize((Quat){r[0], r[1], r[2], r[3]}), vec3(s[0], s[1], s[2])};
    PELT_ASSERT(vec3_finite(trs.translation) && vec3_finite(trs.scale));
    pose->pose.local[node] = trs;
    pose->pose.touched[node] = true;
}

// ---- morph targets ----

static const PeltiInstance *shown_by(const PeltiCharacter *who, int node)
{
    for (int i = 0; i < who->instance_count; i++)
        if (who->instances[i].node == node)
            return &who->instances[i];
    return NULL;
}

int pelt_character_morph_count(const PeltCharacter *character, int node)
{
    const PeltiInstance *shown = shown_by(character->who, node);
    return shown ? shown->target_count : 0;
}

static float *weight_of(const PeltPose *pose, int node, int target)
{
    const PeltiInstance *shown = shown_by(pose->character->who, node);
    return shown && target >= 0 && target < shown->target_count ? &pose->pose.morph[shown->first_target + target] : NULL;
}

float pelt_pose_morph(const PeltPose *pose, int node, int target)
{
    const float *weight = weight_of(pose, node, target);
    return weight ? *weight : 0;
}

void pelt_pose_set_morph(PeltPose *pose, int node, int target, float weight)
{
    float *place = weight_of(pose, node, target);
    if (place && isfinite(weight))
        *place = weight;
}
