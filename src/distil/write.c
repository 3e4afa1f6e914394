/// The files of a distilled skin: poses of every clip through the rules, then io writes.
#include "distil/write.h"
#include "math/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { KEYS_PER_SECOND = 30 };
/// Cosine, 0.8 degrees: an axis nearer to a coordinate axis is that axis, which is all that engines' rules can name. Files round
/// axes by far less, and a rule about one that is so far off is not seen; chosen, not measured.
static const float ALONG = 0.9999f;
/// Rad: a joint turned less is in its bind pose. Many times what float quaternions round, and less than a millimetre at the end
/// of an arm; chosen, not measured.
static const float STILL = 1e-3f;

/// A helper has the bind of its driver, so that at rest its node is where its driver's is:
/// local = rest_to_parent [turn | at - turn head] driver_to_rest.
static Trs helper_local(const PeltiDistilSkin *distilled, int helper, const PeltiHelperPose *pose)
{
    const PeltiHelper *rule = &distilled->helpers[helper];
    PeltiBone *parent = &distilled->who->bones[rule->parent], *driver = &distilled->who->bones[rule->driver];
    Mat3 turn = quat_to_mat3(pose->turn);
    Vec3 shift = vec3_sub(pose->at, mat3_apply(turn, rule->head));
    Mat34 motion = mat34_from(turn, shift), out;
    double in_rest[3][4], moved[3][4], local[3][4];
    for (int i = 0; i < 12; i++)
        in_rest[i / 4][i % 4] = (double)motion.m[i / 4][i % 4];
    mat34_mul_double(in_rest, driver->bone_to_rest, moved);
    mat34_mul_double(parent->rest_to_bone, moved, local);
    for (int i = 0; i < 12; i++)
        out.m[i / 4][i % 4] = (float)local[i / 4][i % 4];
    return trs_from_mat34(out);
}

typedef struct Writer {
    const PeltiDistilWriteDef *def;
    const PeltiDistilSkin *distilled;
    const PeltiCharacter *who;
    PeltiPool pool;
    PeltiPose pose;
    PeltiJoint *joints; ///< [bone_count]
    PeltiDistilDriven driven;
    PeltiReskinJoint *helpers;
    PeltiReskinTarget *targets;
    PeltiReskinClip *clips;
} Writer;

static void drive(Writer *w, Trs *helpers)
{
    pelti_joints_pose(w->who, &w->pose, w->joints);
    pelti_distil_drive(w->distilled, w->joints, &w->driven);
    for (int h = 0; h < w->distilled->helper_count; h++)
        helpers[h] = helper_local(w->distilled, h, &w->driven.helpers[h]);
}

// ---- keys

/// Keys at `fps`, at the clip's end and where the file's own weights have theirs.
static float *choose_times(Writer *w, const PeltiClip *clip, int *count)
{
    double fps = w->def->fps > 0 ? w->def->fps : KEYS_PER_SECOND;
    int grid = (int)ceil((double)clip->duration_s * fps), most = grid + 1, kept = 0, used = 0;
    for (int c = 0; c < clip->channel_count; c++)
        most += clip->channels[c].path == PELTI_CHANNEL_MORPH ? clip->channels[c].key_count : 0;
    float *times = PELTI_NEW(&w->pool, float, most);
    *count = 0;
    if (!times)
        return NULL;
    for (int f = 0; f < grid; f++)
        times[used++] = (float)(f / fps);
    times[used++] = clip->duration_s;
    for (int c = 0; c < clip->channel_count; c++)
        for (int k = 0; clip->channels[c].path == PELTI_CHANNEL_MORPH && k < clip->channels[c].key_count; k++)
            times[used++] = clip->channels[c].times[k];
    qsort(times, (size_t)used, sizeof *times, pelti_float_order);
    for (int i = 0; i < used; i++)
        if (kept == 0 || times[i] > times[kept - 1])
            times[kept++] = times[i];
    *count = kept;
    return times;
}

static PeltStatus play_clip(Writer *w, int index, PeltError *err)
{
    const PeltiClip *clip = &w->who->clips[index];
    PeltiReskinClip *curves = &w->clips[index];
    size_t helpers = (size_t)w->distilled->helper_count, correctives = (size_t)w->distilled->corrective_count,
           morphs = (size_t)w->who->target_count;
    curves->times = choose_times(w, clip, &curves->key_count);
    size_t keys = (size_t)curves->key_count;
    Trs *locals = PELTI_NEW(&w->pool, Trs, keys * helpers);
    float *targets = PELTI_NEW(&w->pool, float, keys *correctives), *morph = PELTI_NEW(&w->pool, float, keys *morphs);
    if (w->pool.failed)
        return pelti_no_memory(err, keys * helpers * sizeof(Trs));
    for (size_t k = 0; k < keys; k++) {
        pelti_pose_clip(w->who, clip, (double)curves->times[k], &w->pose);
        drive(w, locals + k * helpers);
        memcpy(targets + k * correctives, w->driven.correctives, correctives * sizeof(float));
        memcpy(morph + k * morphs, w->pose.morph, morphs * sizeof(float));
    }
    curves->joints = locals;
    curves->targets = targets;
    curves->morph = morph;
    return PELT_OK;
}

// ---- joints

/// "X", "Y" or "Z" where the axis is one of them, either way round; NULL else.
static const char *axis_name(Vec3 axis)
{
    static const char *const names[3] = {"X", "Y", "Z"};
    const float along[3] = {fabsf(axis.x), fabsf(axis.y), fabsf(axis.z)};
    for (int i = 0; i < 3; i++)
        if (along[i] > ALONG)
            return names[i];
    return NULL;
}

/// Avatars' engines know shares of turns against the file's pose, and no pushes: the rule is theirs too where that pose is the
/// bind pose of the driver.
static void link_joint(const Writer *w, const PeltiHelper *rule, PeltiReskinJoint *out)
{
    const PeltiBone *driver = &w->who->bones[rule->driver];
    Vec3 still = pelti_distil_rotation_vector(w->joints[rule->driver].turn);
    if (vec3_length(still) > STILL || vec3_length(rule->offset) > 0)
        return;
    out->source = driver->node;
    out->share = rule->fraction;
    if (rule->kind == PELTI_HELPER_TURN) {
        out->link = PELTI_RESKIN_TURN;
        return;
    }
    out->axis = axis_name(quat_rotate(driver->bind_turn, rule->axis)); // rest space -> the driver's own axes
    out->link = out->axis ? PELTI_RESKIN_ROLL : PELTI_RESKIN_FREE;
}

static PeltStatus make_joints(Writer *w, PeltError *err)
{
    int count = w->distilled->helper_count;
    Trs *locals = PELTI_NEW(&w->pool, Trs, count);
    w->helpers = PELTI_NEW(&w->pool, PeltiReskinJoint, count);
    if (w->pool.failed)
        return pelti_no_memory(err, (size_t)count * sizeof *w->helpers);
    pelti_pose_file(w->who, &w->pose);
    drive(w, locals);
    for (int h = 0; h < count; h++) {
        const PeltiHelper *rule = &w->distilled->helpers[h];
        w->helpers[h] = (PeltiReskinJoint){.name = rule->name, .parent = w->who->bones[rule->parent].node, .local = locals[h]};
        memcpy(w->helpers[h].rest_to_bone, w->who->bones[rule->driver].rest_to_bone, sizeof w->helpers[h].rest_to_bone);
        link_joint(w, rule, &w->helpers[h]);
    }
    return PELT_OK;
}

static PeltStatus prepare(Writer *w, PeltError *err)
{
    const PeltiDistilSkin *d = w->distilled;
    w->pose = pelti_pose_new(&w->pool, w->who);
    w->joints = PELTI_NEW(&w->pool, PeltiJoint, w->who->bone_count);
    w->driven = pelti_distil_driven_new(&w->pool, d);
    w->targets = PELTI_NEW(&w->pool, PeltiReskinTarget, d->corrective_count);
    w->clips = PELTI_NEW(&w->pool, PeltiReskinClip, w->who->clip_count);
    if (w->pool.failed)
        return pelti_no_memory(err, (size_t)w->who->bone_count * sizeof(PeltiJoint));
    for (int c = 0; c < d->corrective_count; c++)
        w->targets[c] = (PeltiReskinTarget){d->correctives[c].name,
                                            {d->correctives[c].count, d->correctives[c].points, d->correctives[c].offsets}};
    PELT_TRY(make_joints(w, err));
    for (int c = 0; c < w->who->clip_count; c++)
        PELT_TRY(play_clip(w, c, err));
    return PELT_OK;
}

// ---- files

static PeltStatus write_rules(Writer *w, const PeltiReskinResult *result, PeltiFile *file, PeltError *err)
{
    PELT_TRY(pelti_json_write(pelti_distil_rules(w->def, result), true, w->def->allocator, file, err));
    return pelti_file_write(file, "\n", 1, err);
}

static PeltStatus write_both(Writer *w, bool is_glb, PeltiFile *model, PeltiFile *rules, PeltError *err)
{
    const PeltiDistilSkin *d = w->distilled;
    PeltiReskin reskin = {.document = w->def->document,
                          .who = w->who,
                          .weights = d->weights,
                          .joint_count = d->helper_count,
                          .target_count = d->corrective_count,
                          .joints = w->helpers,
                          .targets = w->targets,
                          .clips = w->clips,
                          .log = w->def->log,
                          .allocator = w->def->allocator};
    PeltiReskinResult result;
    PELT_TRY(pelti_gltf_reskin(&reskin, model, is_glb, &w->pool, &result, err));
    PELT_TRY(write_rules(w, &result, rules, err));
    PELT_TRY(pelti_file_complete(model, err));
    PELT_TRY(pelti_file_complete(rules, err));
    PELT_TRY(pelti_file_commit(rules, err));
    return pelti_file_commit(model, err);
}

PeltStatus pelti_distil_write(const PeltiDistilWriteDef *def, PeltError *err)
{
    const char *dot = strrchr(def->path, '.');
    bool glb = dot && strcasecmp(dot, ".glb") == 0;
    if (!glb && !(dot && strcasecmp(dot, ".gltf") == 0))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%s: a distilled character is written to .glb or .gltf", def->path);
    Writer w = {.def = def, .distilled = def->distilled, .who = def->distilled->who};
    PeltiFile model = {0}, rules = {0};
    pelti_pool_init(&w.pool, def->allocator);
    size_t size = strlen(def->path) + sizeof ".drivers.json";
    char *beside = PELTI_NEW(&w.pool, char, size);
    PeltStatus status = beside ? PELT_OK : pelti_no_memory(err, size);
    if (beside)
        snprintf(beside, size, "%.*s.drivers.json", (int)(dot - def->path), def->path);
    if (status == PELT_OK)
        status = pelti_file_begin(&model, def->path, err);
    if (status == PELT_OK)
        status = pelti_file_begin(&rules, beside, err);
    if (status == PELT_OK)
        status = prepare(&w, err);
    if (status == PELT_OK)
        status = write_both(&w, glb, &model, &rules, err);
    pelti_file_abort(&model);
    pelti_file_abort(&rules);
    pelti_pool_release(&w.pool);
    return status;
}
