/// A bake in a world: the corrector between clip and method, frame by frame, and what the report tells of it.
#include "bake/world.h"

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
    PeltiWorld *node_world;
    Mat34 *bones;
} Other;

struct PeltiBakeWorld {
    PeltiPool pool;
    const PeltiCharacter *who;
    PeltiScene *loaded; ///< NULL: the caller's own
    const PeltScene *scene;
    PeltiCorrector *corrector;
    int other_count, object_count, output_count; ///< outputs: objects, other characters, the ground
    Other *others;
    PeltiPose *free, *corrected; ///< [1 + other_count]
    PeltiOutputObject *outputs;
    Trs *placements;
    Vec3 *soft_points; ///< of all soft objects and other characters
    PeltiContactFrame *frames;
    Vec3 *centres; ///< [frame_count x object_count]
    int frame_count;
    PeltiArray points; ///< of PeltiContactPoint
    int lost;          ///< that were not kept for want of memory
};

static const float palette[][4] = {
    {0.75f, 0.18f, 0.1f, 1}, {0.12f, 0.35f, 0.7f, 1}, {0.8f, 0.55f, 0.08f, 1}, {0.15f, 0.5f, 0.25f, 1}, {0.45f, 0.2f, 0.55f, 1}};
static const float stone[4] = {0.45f, 0.45f, 0.47f, 1}, skin_colour[4] = {0.72f, 0.55f, 0.45f, 1};

// ---- other characters ----

static PeltStatus load_other(PeltiBakeWorld *w, const PeltSceneCharacter *def, Other *other, PeltError *err)
{
    PeltiGltf *document = NULL;
    PELT_TRY(pelti_gltf_open(def->file, &w->pool.allocator, &document, err));
    PeltStatus status = pelti_gltf_character(document, &w->pool.allocator, &other->who, err);
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
    other->x = PELTI_NEW(&w->pool, Vec3, who->mesh->vertex_count);
    other->node_world = PELTI_NEW(&w->pool, PeltiWorld, who->node_count);
    other->bones = PELTI_NEW(&w->pool, Mat34, who->bone_count);
    if (w->pool.failed)
        return pelti_no_memory(err, (size_t)who->mesh->vertex_count * sizeof(Vec3));
    PeltiTrial trial;
    PELT_TRY(pelti_trial_best(who, &w->pool, NULL, &who->log, &trial, err));
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
    const PeltiWeights *weights = &other->weights;
    pelti_pose_bones(other->who, pose, other->node_world, other->bones);
    for (int v = 0; v < other->who->mesh->vertex_count; v++) {
        Vec3 sum = vec3(0, 0, 0);
        for (int k = 0; k < weights->influences; k++) {
            size_t i = (size_t)v * (size_t)weights->influences + (size_t)k;
            if (weights->weight[i] > 0)
                sum = vec3_mad(sum, mat34_apply(other->bones[weights->bone[i]], other->who->mesh->rest[v]), weights->weight[i]);
        }
        other->x[v] = sum;
    }
}

// ---- what a result shows ----

static const Vec3 *smooth_normals(PeltiBakeWorld *w, const PeltiOutputObject *object)
{
    Vec3 *normals = PELTI_NEW(&w->pool, Vec3, object->vertex_count);
    for (int t = 0; normals && t < object->triangle_count; t++) {
        const int *v = object->triangles[t];
        Vec3 a = object->positions[v[0]],
             n = vec3_cross(vec3_sub(object->positions[v[1]], a), vec3_sub(object->positions[v[2]], a));
        for (int k = 0; k < 3; k++)
            normals[v[k]] = vec3_add(normals[v[k]], n);
    }
    for (int i = 0; normals && i < object->vertex_count; i++)
        normals[i] = vec3_normalize_or(normals[i], vec3(0, 1, 0));
    return normals;
}

static PeltStatus add_ground(PeltiBakeWorld *w, PeltError *err)
{
    static const int faces[2][3] = {{0, 1, 2}, {0, 2, 3}};
    const PeltScene *scene = w->scene;
    PeltiOutputObject *o = &w->outputs[w->output_count];
    Vec3 *corners = PELTI_NEW(&w->pool, Vec3, 4);
    if (!corners)
        return pelti_no_memory(err, 4 * sizeof(Vec3));
    float half = 2 * w->who->mesh->diagonal;
    for (int k = 0; k < 4; k++)
        corners[k] = vec3(k == 0 || k == 1 ? -half : half, scene->ground_height, k == 1 || k == 2 ? half : -half);
    *o = (PeltiOutputObject){.name = "ground", .vertex_count = 4, .triangle_count = 2, .positions = corners, .triangles = faces};
    memcpy(o->colour, stone, sizeof stone);
    w->placements[w->output_count++] = trs_identity();
    return PELT_OK;
}

static PeltStatus list_outputs(PeltiBakeWorld *w, PeltError *err)
{
    const PeltScene *scene = w->scene;
    size_t soft = 0;
    for (int i = 0; i < w->object_count; i++) {
        PeltiObjectView v = pelti_corrector_object(w->corrector, i);
        PeltiOutputObject *o = &w->outputs[w->output_count++];
        *o = (PeltiOutputObject){.name = v.name,
                                 .vertex_count = v.vertex_count,
                                 .triangle_count = v.triangle_count,
                                 .positions = v.kind == PELT_OBJECT_SOFT ? v.x : v.rest,
                                 .triangles = v.triangles,
                                 .soft = v.kind == PELT_OBJECT_SOFT};
        memcpy(o->colour, v.kind == PELT_OBJECT_FIXED ? stone : palette[i % 5], sizeof stone);
        PeltShape shape = scene->objects[i].shape;
        if (!o->soft && (shape == PELT_SHAPE_SPHERE || shape == PELT_SHAPE_CAPSULE || shape == PELT_SHAPE_MESH))
            o->normals = smooth_normals(w, o);
        soft += o->soft ? (size_t)v.vertex_count : 0;
    }
    for (int i = 0; i < w->other_count; i++) {
        Other *other = &w->others[i];
        pose_other(other, 0, &w->free[1 + i]);
        place_other(other, &w->free[1 + i]);
        PeltiOutputObject *o = &w->outputs[w->output_count++];
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
        PELT_TRY(add_ground(w, err));
    w->soft_points = PELTI_NEW(&w->pool, Vec3, soft);
    return w->pool.failed ? pelti_no_memory(err, soft * sizeof(Vec3)) : PELT_OK;
}

// ---- open, step ----

static PeltStatus open_world(PeltiBakeWorld *w, PeltiSceneSource source, const PeltSkin *skin, PeltiLog *log, PeltError *err)
{
    if (!source.scene)
        PELT_TRY(pelti_scene_load(source.path, w->who, &w->pool.allocator, &w->loaded, err));
    const PeltScene *scene = w->scene = source.scene ? source.scene : &w->loaded->scene;
    int all = 1 + scene->character_count;
    w->others = PELTI_NEW(&w->pool, Other, scene->character_count);
    w->free = PELTI_NEW(&w->pool, PeltiPose, all);
    w->corrected = PELTI_NEW(&w->pool, PeltiPose, all);
    w->frames = PELTI_NEW(&w->pool, PeltiContactFrame, w->frame_count);
    w->object_count = scene->object_count;
    w->centres = PELTI_NEW(&w->pool, Vec3, (size_t)w->frame_count * (size_t)w->object_count);
    w->outputs = PELTI_NEW(&w->pool, PeltiOutputObject, scene->object_count + all);
    w->placements = PELTI_NEW(&w->pool, Trs, scene->object_count + all);
    const PeltiCharacter **who = PELTI_NEW(&w->pool, const PeltiCharacter *, all);
    const PeltiWeights **weights = PELTI_NEW(&w->pool, const PeltiWeights *, all);
    if (w->pool.failed)
        return pelti_no_memory(err, w->pool.used_bytes);
    who[0] = w->who, weights[0] = &skin->weights.vertices;
    for (int i = 0; i < scene->character_count; i++) {
        w->other_count = i + 1;
        PELT_TRY(load_other(w, &scene->characters[i], &w->others[i], err));
        who[1 + i] = w->others[i].who, weights[1 + i] = &w->others[i].weights;
    }
    for (int i = 0; i < all; i++) {
        w->free[i] = pelti_pose_new(&w->pool, who[i]);
        w->corrected[i] = pelti_pose_new(&w->pool, who[i]);
    }
    if (w->pool.failed)
        return pelti_no_memory(err, w->pool.used_bytes);
    PeltiCorrectorDef corrector = {.scene = scene,
                                   .character_count = all,
                                   .who = who,
                                   .weights = weights,
                                   .settings = {.final = pelti_option_is(&skin->options, "quality", "final")},
                                   .log = log,
                                   .jobs = skin->jobs};
    PELT_TRY(pelti_corrector_create(&corrector, &w->pool.allocator, &w->corrector, err));
    return list_outputs(w, err);
}

PeltStatus pelti_world_open(PeltiSceneSource source, const PeltSkin *skin, int frame_count, PeltiLog *log, PeltiBakeWorld **out,
                            PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, &skin->pool.allocator);
    PeltiBakeWorld *w = PELTI_NEW(&pool, PeltiBakeWorld, 1);
    if (!w) {
        pelti_pool_release(&pool);
        return pelti_no_memory(err, sizeof *w);
    }
    w->pool = pool;
    w->who = skin->character->who;
    w->frame_count = frame_count;
    pelti_array_init(&w->points, &skin->pool.allocator, sizeof(PeltiContactPoint));
    PeltStatus status = open_world(w, source, skin, log, err);
    if (status != PELT_OK) {
        pelti_world_close(w);
        return status;
    }
    *out = w;
    return PELT_OK;
}

void pelti_world_close(PeltiBakeWorld *w)
{
    if (!w)
        return;
    pelti_corrector_destroy(w->corrector);
    for (int i = 0; i < w->other_count; i++)
        pelti_character_destroy(w->others[i].who);
    pelti_scene_destroy(w->loaded);
    pelti_array_release(&w->points);
    PeltiPool pool = w->pool; // it holds w itself
    pelti_pool_release(&pool);
}

static void correct_pose(PeltiBakeWorld *w, PeltiPose *pose, double time_s, double dt_s, int frame_index)
{
    PeltiContactFrame *frame = &w->frames[frame_index];
    double start = pelti_clock_ms();
    pelti_pose_copy(w->who, pose, &w->free[0]);
    for (int i = 0; i < w->other_count; i++)
        pose_other(&w->others[i], time_s, &w->free[1 + i]);
    pelti_corrector_step(w->corrector, w->free, dt_s, w->corrected, &frame->report);
    frame->ms = pelti_clock_ms() - start;
    pelti_pose_copy(w->who, &w->corrected[0], pose);
    for (int i = 0; i < w->other_count; i++)
        place_other(&w->others[i], &w->corrected[1 + i]);
    for (int i = 0; i < w->object_count; i++) {
        PeltiObjectView v = pelti_corrector_object(w->corrector, i);
        Vec3 at = vec3((float)v.centre[0], (float)v.centre[1], (float)v.centre[2]), sum = vec3(0, 0, 0);
        for (int k = 0; k < v.vertex_count && v.kind == PELT_OBJECT_SOFT; k++)
            sum = vec3_mad(sum, v.x[k], 1.0f / (float)v.vertex_count);
        w->centres[(size_t)frame_index * (size_t)w->object_count + (size_t)i] = v.kind == PELT_OBJECT_SOFT ? sum : at;
    }
    frame->first = (int)w->points.count;
    for (int i = 0; i < pelti_corrector_contact_count(w->corrector); i++) {
        PeltiContactPoint p = pelti_corrector_contact(w->corrector, i);
        if (!(vec3_length(p.force) > 0))
            continue;
        if (pelti_array_push(&w->points, &p))
            frame->count++;
        else
            w->lost++;
    }
}

static void push_out(PeltiBakeWorld *w, PeltSkin *skin, int frame_index)
{
    double start = pelti_clock_ms();
    w->frames[frame_index].pushed = pelti_skin_push_out(skin, w->corrector, 0);
    w->frames[frame_index].ms += pelti_clock_ms() - start;
}

void pelti_world_step_skin(PeltiBakeWorld *w, PeltSkin *skin, PeltiPose *pose, PeltiWorldFrame at, PeltiStepReport *report,
                           double *step_ms)
{
    double start = pelti_clock_ms();
    const PeltiPose *gave = pelti_skin_give_way(skin, pose, (float)(1 / at.fps), report);
    double give_ms = pelti_clock_ms() - start;
    if (gave != pose)
        pelti_pose_copy(w->who, gave, pose);
    correct_pose(w, pose, at.frame / at.fps, at.index ? 1 / at.fps : 0, at.index);
    pelti_skin_step_posed(skin, pose, (float)(1 / at.fps), report, step_ms);
    *step_ms += give_ms;
    push_out(w, skin, at.index);
}

const PeltiOutputObject *pelti_world_objects(const PeltiBakeWorld *w, int *count)
{
    *count = w->output_count;
    return w->outputs;
}

void pelti_world_place(PeltiBakeWorld *w, PeltiOutput *output)
{
    size_t soft = 0;
    for (int i = 0; i < w->object_count; i++) {
        PeltiObjectView v = pelti_corrector_object(w->corrector, i);
        if (v.kind == PELT_OBJECT_SOFT) {
            memcpy(w->soft_points + soft, v.x, (size_t)v.vertex_count * sizeof(Vec3));
            soft += (size_t)v.vertex_count;
        }
        w->placements[i] = v.kind == PELT_OBJECT_SOFT ? trs_identity() : trs_from_mat34(v.frame);
    }
    for (int i = 0; i < w->other_count; i++) {
        size_t count = (size_t)w->others[i].who->mesh->vertex_count;
        memcpy(w->soft_points + soft, w->others[i].x, count * sizeof(Vec3));
        soft += count;
        w->placements[w->object_count + i] = trs_identity();
    }
    pelti_output_place(output, w->placements, soft ? w->soft_points : NULL);
}

const PeltiContactFrame *pelti_world_frame(const PeltiBakeWorld *w, int frame_index)
{
    return &w->frames[frame_index];
}

int pelti_world_object_count(const PeltiBakeWorld *w)
{
    return w->object_count;
}

const char *pelti_world_object_name(const PeltiBakeWorld *w, int object)
{
    return w->scene->objects[object].name;
}

Vec3 pelti_world_object_at(const PeltiBakeWorld *w, int frame_index, int object)
{
    return w->centres[(size_t)frame_index * (size_t)w->object_count + (size_t)object];
}

PeltStatus pelti_world_check(const PeltiBakeWorld *w, PeltError *err)
{
    return w->lost ? pelti_no_memory(err, (size_t)w->lost * sizeof(PeltiContactPoint)) : PELT_OK;
}

const PeltiContactPoint *pelti_world_points(const PeltiBakeWorld *w)
{
    return (const PeltiContactPoint *)(const void *)w->points.data;
}

PeltiWorldSurface pelti_world_surface(const PeltiBakeWorld *w, int index)
{
    const PeltiOutputObject *o = &w->outputs[index];
    PeltiWorldSurface s = {o->name, o->vertex_count, o->triangle_count, o->positions, o->triangles, o->colour};
    if (index < w->object_count)
        s.x = pelti_corrector_object(w->corrector, index).x;
    return s;
}
