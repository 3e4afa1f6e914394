/// What a bake with --scene has around the character.
/// The corrector stands between clip and method, frame by frame; the report tells of it.
#include "bake/around.h"

#include "body/trial.h"
#include "core/clock.h"
#include "io/scene.h"

#include <stdlib.h>
#include <string.h>

typedef struct Other { ///< another character of the scene
    PeltiCharacter *who;
    PeltiWeights weights;
    const PeltiClip *clip;
    Trs place;
    Vec3 *x; ///< [vertex_count] as it lies now
    PeltiNodeMatrix *node_matrix;
    Mat34 *bones;
} Other;

struct PeltiAround {
    PeltiPool pool;
    const PeltiCharacter *who;
    PeltiIoScene *loaded; ///< NULL: the caller's own
    const PeltScene *scene;
    PeltiCorrector *corrector;
    int other_count, object_count, output_count; ///< outputs: objects, other characters, the ground
    Other *others;
    PeltiPose *free, *corrected; ///< [1 + other_count]
    PeltiOutputObject *outputs;
    Trs *placements;
    Vec3 *soft_points; ///< of all soft objects and other characters
    PeltiAroundContacts *frames;
    Vec3 *centres; ///< [frame_count x object_count]
    int frame_count;
    PeltiArray points; ///< of PeltiContactPoint
    int lost;          ///< that were not kept for want of memory
};

static const float palette[][4] = {
    {0.75f, 0.18f, 0.1f, 1}, {0.12f, 0.35f, 0.7f, 1}, {0.8f, 0.55f, 0.08f, 1}, {0.15f, 0.5f, 0.25f, 1}, {0.45f, 0.2f, 0.55f, 1}};
static const float stone[4] = {0.45f, 0.45f, 0.47f, 1}, skin_colour[4] = {0.72f, 0.55f, 0.45f, 1};

// ---- other characters ----

static PeltStatus load_other(PeltiAround *a, const PeltSceneCharacter *def, Other *other, PeltError *err)
{
    PeltiGltf *document = NULL;
    PELT_TRY(pelti_gltf_open(def->file, &a->pool.allocator, &document, err));
    PeltStatus status = pelti_gltf_character(document, &a->pool.allocator, &other->who, err);
    pelti_gltf_close(document);
    if (status != PELT_OK) {
        pelti_error_prefix(err, "%s", def->file);
        return status;
    }
    PeltiCharacter *who = other->who;
    int clip = def->clip ? pelti_clip_find(who, def->clip) : who->clip_count ? 0 : -1;
    if (def->clip && clip < 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "character %s: %s has no clip %s", def->name, def->file, def->clip);
    other->clip = clip >= 0 ? &who->clips[clip] : NULL;
    other->place = trs_identity();
    other->place.translation = vec3(def->position[0], def->position[1], def->position[2]);
    other->place.rotation = quat_normalize((Quat){def->rotation[0], def->rotation[1], def->rotation[2], def->rotation[3]});
    other->x = PELTI_NEW(&a->pool, Vec3, who->mesh->vertex_count);
    other->node_matrix = PELTI_NEW(&a->pool, PeltiNodeMatrix, who->node_count);
    other->bones = PELTI_NEW(&a->pool, Mat34, who->bone_count);
    if (a->pool.failed)
        return pelti_no_memory(err, (size_t)who->mesh->vertex_count * sizeof(Vec3));
    PeltiTrial trial;
    PELT_TRY(pelti_trial_best(who, &a->pool, NULL, &who->log, &trial, err));
    other->weights = trial.weights;
    return PELT_OK;
}

/// The clip's pose, with every root moved to where the scene puts the character.
static void pose_other(const Other *other, double time_s, PeltiPose *out)
{
    pelti_pose_clip(other->who, other->clip, time_s, out);
    Mat34 place = mat34_from_trs(other->place);
    for (int n = 0; n < other->who->node_count; n++) {
        const PeltiNode *node = &other->who->nodes[n];
        if (node->parent >= 0)
            continue;
        Mat34 local = mat34_from_trs(out->local[n]);
        if (node->has_matrix && !out->touched[n])
            for (int i = 0; i < 12; i++)
                (&local.m[0][0])[i] = (float)(&node->matrix[0][0])[i];
        out->local[n] = trs_from_mat34(mat34_mul(place, local));
        out->touched[n] = true;
    }
}

static void place_other(Other *other, const PeltiPose *pose)
{
    pelti_pose_bones(other->who, pose, other->node_matrix, other->bones);
    for (int v = 0; v < other->who->mesh->vertex_count; v++)
        other->x[v] = pelti_weights_blend(&other->weights, v, other->bones, other->who->mesh->rest[v]);
}

// ---- what a result shows ----

static const Vec3 *smooth_normals(PeltiAround *a, const PeltiOutputObject *object)
{
    Vec3 *normals = PELTI_NEW(&a->pool, Vec3, object->vertex_count);
    for (int t = 0; normals && t < object->triangle_count; t++) {
        const int *v = object->triangles[t];
        Vec3 corner = object->positions[v[0]],
             n = vec3_cross(vec3_sub(object->positions[v[1]], corner), vec3_sub(object->positions[v[2]], corner));
        for (int k = 0; k < 3; k++)
            normals[v[k]] = vec3_add(normals[v[k]], n);
    }
    for (int i = 0; normals && i < object->vertex_count; i++)
        normals[i] = vec3_normalize_or(normals[i], vec3(0, 1, 0));
    return normals;
}

static PeltStatus add_ground(PeltiAround *a, PeltError *err)
{
    static const int faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const PeltScene *scene = a->scene;
    PeltiOutputObject *o = &a->outputs[a->output_count];
    Vec3 *corners = PELTI_NEW(&a->pool, Vec3, 4);
    if (!corners)
        return pelti_no_memory(err, 4 * sizeof(Vec3));
    float half = 2 * a->who->mesh->diagonal;
    for (int k = 0; k < 4; k++)
        corners[k] = vec3(k == 0 || k == 1 ? -half : half, scene->ground_height, k == 1 || k == 2 ? half : -half);
    *o = (PeltiOutputObject){.name = "ground", .vertex_count = 4, .triangle_count = 2, .positions = corners, .triangles = faces};
    memcpy(o->colour, stone, sizeof stone);
    a->placements[a->output_count++] = trs_identity();
    return PELT_OK;
}

static PeltStatus list_outputs(PeltiAround *a, PeltError *err)
{
    const PeltScene *scene = a->scene;
    size_t soft = 0;
    for (int i = 0; i < a->object_count; i++) {
        PeltiCorrectorView v = pelti_corrector_object(a->corrector, i);
        PeltiOutputObject *o = &a->outputs[a->output_count++];
        *o = (PeltiOutputObject){.name = v.name,
                                 .vertex_count = v.vertex_count,
                                 .triangle_count = v.triangle_count,
                                 .positions = v.kind == PELT_OBJECT_SOFT ? v.x : v.rest,
                                 .triangles = v.triangles,
                                 .soft = v.kind == PELT_OBJECT_SOFT};
        memcpy(o->colour, v.kind == PELT_OBJECT_FIXED ? stone : palette[i % 5], sizeof stone);
        PeltShape shape = scene->objects[i].shape;
        if (!o->soft && (shape == PELT_SHAPE_SPHERE || shape == PELT_SHAPE_CAPSULE || shape == PELT_SHAPE_MESH))
            o->normals = smooth_normals(a, o);
        soft += o->soft ? (size_t)v.vertex_count : 0;
    }
    for (int i = 0; i < a->other_count; i++) {
        Other *other = &a->others[i];
        pose_other(other, 0, &a->free[1 + i]);
        place_other(other, &a->free[1 + i]);
        PeltiOutputObject *o = &a->outputs[a->output_count++];
        *o = (PeltiOutputObject){.name = scene->characters[i].name,
                                 .vertex_count = other->who->mesh->vertex_count,
                                 .triangle_count = other->who->mesh->triangle_count,
                                 .positions = other->x,
                                 .triangles = other->who->mesh->triangles,
                                 .soft = true};
        memcpy(o->colour, skin_colour, sizeof skin_colour);
        soft += (size_t)o->vertex_count;
    }
    if (scene->has_ground)
        PELT_TRY(add_ground(a, err));
    a->soft_points = PELTI_NEW(&a->pool, Vec3, soft);
    return a->pool.failed ? pelti_no_memory(err, soft * sizeof(Vec3)) : PELT_OK;
}

// ---- open, step ----

static PeltStatus open_around(PeltiAround *a, PeltiAroundScene source, const PeltSkin *skin, PeltiLog *log, PeltError *err)
{
    if (!source.scene)
        PELT_TRY(pelti_scene_load(source.path, a->who, &a->pool.allocator, &a->loaded, err));
    const PeltScene *scene = a->scene = source.scene ? source.scene : &a->loaded->scene;
    int all = 1 + scene->character_count;
    a->others = PELTI_NEW(&a->pool, Other, scene->character_count);
    a->free = PELTI_NEW(&a->pool, PeltiPose, all);
    a->corrected = PELTI_NEW(&a->pool, PeltiPose, all);
    a->frames = PELTI_NEW(&a->pool, PeltiAroundContacts, a->frame_count);
    a->object_count = scene->object_count;
    a->centres = PELTI_NEW(&a->pool, Vec3, (size_t)a->frame_count * (size_t)a->object_count);
    a->outputs = PELTI_NEW(&a->pool, PeltiOutputObject, scene->object_count + all);
    a->placements = PELTI_NEW(&a->pool, Trs, scene->object_count + all);
    const PeltiCharacter **who = PELTI_NEW(&a->pool, const PeltiCharacter *, all);
    const PeltiWeights **weights = PELTI_NEW(&a->pool, const PeltiWeights *, all);
    if (a->pool.failed)
        return pelti_no_memory(err, a->pool.used_bytes);
    who[0] = a->who, weights[0] = &skin->weights.vertices;
    for (int i = 0; i < scene->character_count; i++) {
        a->other_count = i + 1;
        PELT_TRY(load_other(a, &scene->characters[i], &a->others[i], err));
        who[1 + i] = a->others[i].who, weights[1 + i] = &a->others[i].weights;
    }
    for (int i = 0; i < all; i++) {
        a->free[i] = pelti_pose_new(&a->pool, who[i]);
        a->corrected[i] = pelti_pose_new(&a->pool, who[i]);
    }
    if (a->pool.failed)
        return pelti_no_memory(err, a->pool.used_bytes);
    PeltiCorrectorDef corrector = {.scene = scene,
                                   .character_count = all,
                                   .who = who,
                                   .weights = weights,
                                   .settings = {.final = pelti_option_is(&skin->options, "quality", "final")},
                                   .log = log,
                                   .jobs = skin->jobs};
    PELT_TRY(pelti_corrector_create(&corrector, &a->pool.allocator, &a->corrector, err));
    return list_outputs(a, err);
}

PeltStatus pelti_around_open(PeltiAroundScene source, const PeltSkin *skin, int frame_count, PeltiLog *log, PeltiAround **out,
                             PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, &skin->pool.allocator);
    PeltiAround *a = PELTI_NEW(&pool, PeltiAround, 1);
    if (!a) {
        pelti_pool_release(&pool);
        return pelti_no_memory(err, sizeof *a);
    }
    a->pool = pool;
    a->who = skin->character->who;
    a->frame_count = frame_count;
    pelti_array_init(&a->points, &skin->pool.allocator, sizeof(PeltiContactPoint));
    PeltStatus status = open_around(a, source, skin, log, err);
    if (status != PELT_OK) {
        pelti_around_close(a);
        return status;
    }
    *out = a;
    return PELT_OK;
}

void pelti_around_close(PeltiAround *a)
{
    if (!a)
        return;
    pelti_corrector_destroy(a->corrector);
    for (int i = 0; i < a->other_count; i++)
        pelti_character_destroy(a->others[i].who);
    pelti_scene_destroy(a->loaded);
    pelti_array_release(&a->points);
    PeltiPool pool = a->pool; // it holds a itself
    pelti_pool_release(&pool);
}

/// From `pose` to `a->corrected`.
static void correct_pose(PeltiAround *a, const PeltiPose *pose, double time_s, double dt_s, int frame_index)
{
    PeltiAroundContacts *frame = &a->frames[frame_index];
    double start = pelti_clock_ms();
    pelti_pose_copy(a->who, pose, &a->free[0]);
    for (int i = 0; i < a->other_count; i++)
        pose_other(&a->others[i], time_s, &a->free[1 + i]);
    pelti_corrector_step(a->corrector, a->free, dt_s, a->corrected, &frame->report);
    frame->ms = pelti_clock_ms() - start;
    for (int i = 0; i < a->other_count; i++)
        place_other(&a->others[i], &a->corrected[1 + i]);
    for (int i = 0; i < a->object_count; i++) {
        PeltiCorrectorView v = pelti_corrector_object(a->corrector, i);
        Vec3 at = vec3((float)v.centre[0], (float)v.centre[1], (float)v.centre[2]), sum = vec3(0, 0, 0);
        for (int k = 0; k < v.vertex_count && v.kind == PELT_OBJECT_SOFT; k++)
            sum = vec3_mad(sum, v.x[k], 1.0f / (float)v.vertex_count);
        a->centres[(size_t)frame_index * (size_t)a->object_count + (size_t)i] = v.kind == PELT_OBJECT_SOFT ? sum : at;
    }
    frame->first = (int)a->points.count;
    for (int i = 0; i < pelti_corrector_contact_count(a->corrector); i++) {
        PeltiContactPoint p = pelti_corrector_contact(a->corrector, i);
        if (!(vec3_length(p.force) > 0))
            continue;
        if (pelti_array_push(&a->points, &p))
            frame->count++;
        else
            a->lost++;
    }
}

const PeltiPose *pelti_around_step_skin(PeltiAround *a, PeltSkin *skin, const PeltiPose *pose, PeltiAroundFrame at,
                                        PeltiStepReport *report, double *step_ms)
{
    double start = pelti_clock_ms();
    const PeltiPose *gave = pelti_skin_give_way(skin, pose, (float)(1 / at.fps), report);
    double give_ms = pelti_clock_ms() - start;
    correct_pose(a, gave, at.frame / at.fps, at.index ? 1 / at.fps : 0, at.index);
    PeltiSkinAmong among = {.corrector = a->corrector};
    pelti_skin_step_among(skin, &among, &a->corrected[0], (float)(1 / at.fps), report, step_ms);
    *step_ms += give_ms - among.ms;
    a->frames[at.index].pushed = among.pushed;
    a->frames[at.index].ms += among.ms;
    return &a->corrected[0];
}

const PeltiOutputObject *pelti_around_objects(const PeltiAround *a, int *count)
{
    *count = a->output_count;
    return a->outputs;
}

void pelti_around_place(PeltiAround *a, PeltiOutput *output)
{
    size_t soft = 0;
    for (int i = 0; i < a->object_count; i++) {
        PeltiCorrectorView v = pelti_corrector_object(a->corrector, i);
        if (v.kind == PELT_OBJECT_SOFT) {
            memcpy(a->soft_points + soft, v.x, (size_t)v.vertex_count * sizeof(Vec3));
            soft += (size_t)v.vertex_count;
        }
        a->placements[i] = v.kind == PELT_OBJECT_SOFT ? trs_identity() : trs_from_mat34(v.frame);
    }
    for (int i = 0; i < a->other_count; i++) {
        size_t count = (size_t)a->others[i].who->mesh->vertex_count;
        memcpy(a->soft_points + soft, a->others[i].x, count * sizeof(Vec3));
        soft += count;
        a->placements[a->object_count + i] = trs_identity();
    }
    pelti_output_place(output, a->placements, soft ? a->soft_points : NULL);
}

const PeltiAroundContacts *pelti_around_frame(const PeltiAround *a, int frame_index)
{
    return &a->frames[frame_index];
}

int pelti_around_object_count(const PeltiAround *a)
{
    return a->object_count;
}

const char *pelti_around_object_name(const PeltiAround *a, int object)
{
    return a->scene->objects[object].name;
}

Vec3 pelti_around_object_at(const PeltiAround *a, int frame_index, int object)
{
    return a->centres[(size_t)frame_index * (size_t)a->object_count + (size_t)object];
}

PeltStatus pelti_around_check(const PeltiAround *a, PeltError *err)
{
    return a->lost ? pelti_no_memory(err, (size_t)a->lost * sizeof(PeltiContactPoint)) : PELT_OK;
}

const PeltiContactPoint *pelti_around_points(const PeltiAround *a)
{
    return (const PeltiContactPoint *)(const void *)a->points.data;
}

PeltiAroundSurface pelti_around_surface(const PeltiAround *a, int index)
{
    const PeltiOutputObject *o = &a->outputs[index];
    PeltiAroundSurface s = {o->name, o->vertex_count, o->triangle_count, o->positions, o->triangles, o->colour};
    if (index < a->object_count)
        s.x = pelti_corrector_object(a->corrector, index).x;
    return s;
}
