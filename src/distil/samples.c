/// Samples of a method: poses settled one by one, kept on disk.
#include "distil/samples.h"
#include "core/clock.h"
#include "core/hash.h"

#include <string.h>

#include "distil/constants.def"

enum { HEADER_BYTES = 64 };

typedef struct Header {
    char magic[8];
    uint64_t key; // of all that a record depends on
    uint64_t record_bytes;
    char rest[HEADER_BYTES - 24];
} Header;

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return pelti_hash(hash, text, strlen(text) + 1);
}

/// Character, method, settings, seed, held-out poses: the number of poses may grow.
static uint64_t key_of(const PeltiSamplesDef *def)
{
    const PeltiCharacter *who = def->character->who;
    uint64_t key = hash_text(PELTI_HASH_START, pelt_version());
    key = pelti_hash(key, who->rest_points, (size_t)who->point_count * sizeof *who->rest_points);
    for (int b = 0; b < who->bone_count; b++)
        key = pelti_hash(key, who->bones[b].rest_to_bone, sizeof who->bones[b].rest_to_bone);
    key = pelti_hash(key, def->poses->joints, (size_t)def->poses->joint_count * sizeof *def->poses->joints);
    key = hash_text(key, def->skin->method);
    for (int i = 0; i < def->skin->setting_count; i++)
        key = hash_text(key, def->skin->settings[i]);
    if (def->skin->rig_path)
        key = hash_text(key, def->skin->rig_path);
    key = pelti_hash(key, &def->poses->seed, sizeof def->poses->seed);
    key = pelti_hash(key, &def->poses->unseen, sizeof def->poses->unseen);
    return pelti_hash(key, &def->held_out, sizeof def->held_out);
}

static uint64_t points_bytes(const PeltiSamples *samples)
{
    return (uint64_t)samples->who->point_count * sizeof(Vec3);
}

/// Points, and the nodes of the pose they were made in.
static uint64_t record_bytes(const PeltiSamples *samples)
{
    return points_bytes(samples) + (uint64_t)samples->who->node_count * sizeof(Trs);
}

static uint64_t record_at(const PeltiSamples *samples, int record)
{
    return HEADER_BYTES + (uint64_t)record * record_bytes(samples);
}

static PeltStatus write_record(const PeltiSamples *s, int record, const PeltiPose *pose, PeltError *err)
{
    uint64_t at = record_at(s, record);
    PELT_TRY(pelti_spool_write(&s->spool, at, s->skin->points, (size_t)points_bytes(s), err));
    return pelti_spool_write(&s->spool, at + points_bytes(s), pose->local, (size_t)s->who->node_count * sizeof(Trs), err);
}

static PeltStatus open_store(PeltiSamples *s, const PeltiSamplesDef *def, PeltError *err)
{
    Header header = {"PELTSMP", key_of(def), record_bytes(s), {0}}, found;
    uint64_t bytes = 0;
    if (!def->keep_path)
        return pelti_spool_open(def->beside_path, &s->spool, err);
    PELT_TRY(pelti_spool_named(def->keep_path, &s->spool, &bytes, err));
    if (bytes < HEADER_BYTES)
        return pelti_spool_write(&s->spool, 0, &header, sizeof header, err);
    PELT_TRY(pelti_spool_read(&s->spool, 0, &found, sizeof found, err));
    if (memcmp(&header, &found, sizeof header) != 0)
        return PELT_FAIL(err, PELT_BAD_INPUT,
                         "%s: holds samples of another character, method, seed or version: remove it, or name another file",
                         def->keep_path);
    uint64_t whole = (bytes - HEADER_BYTES) / record_bytes(s), most = (uint64_t)s->count + (uint64_t)s->held_out;
    s->made = s->found = (int)(whole < most ? whole : most);
    return PELT_OK;
}

const PeltiPose *pelti_distil_settle(PeltSkin *skin, const PeltiPose *pose, Vec3 *last)
{
    PeltiStepReport report = {0};
    int points = skin->character->who->point_count;
    float still = HELD_STILL * skin->character->who->mesh->diagonal;
    double ms;
    skin->restart = true;
    pose = pelti_skin_give_way(skin, pose, 1 / 30.0f, &report);
    pelti_skin_step_posed(skin, pose, 1 / 30.0f, &report, &ms);
    for (int step = 0; step < HELD_STEPS && (skin->method->flags & PELTI_DYNAMIC); step++) {
        float most = 0;
        memcpy(last, skin->points, (size_t)points * sizeof *last);
        pelti_skin_step_posed(skin, pose, 1 / 30.0f, &report, &ms);
        for (int p = 0; p < points; p++)
            most = fmaxf(most, vec3_distance(last[p], skin->points[p]));
        if (most < still)
            break;
    }
    return pose;
}

/// In the pose, or on the way there from the file's pose, which a method with a memory takes.
static bool crosses_on_the_way(PeltiSamples *s)
{
    enum { STATIONS = 4 };
    pelti_pose_file(s->who, &s->start);
    for (int i = STATIONS; i > 0; i--) {
        pelti_pose_blend(s->who, &s->start, &s->pose, (float)i / STATIONS, &s->station);
        pelti_pose_bones(s->who, &s->station, s->world, s->bones);
        if (pelti_distil_far_crosses(s->far, s->bones))
            return true;
    }
    return false;
}

/// The pose of a record, drawn again where far parts of the body would pass through each other.
static void draw_pose(PeltiSamples *s, int record)
{
    enum { APART = 1000000 }; // draws are numbers of the sequences that no record has; a multiple of a round of kinds
    for (int draw = 0; draw < FAR_TRIES; draw++) {
        if (record < s->held_out)
            pelti_distil_pose_held_out(s->poses, record + draw * APART, &s->pose);
        else
            pelti_distil_pose(s->poses, record - s->held_out + draw * APART, &s->pose);
        if (!crosses_on_the_way(s))
            break;
        s->redrawn++;
    }
}

PeltStatus pelti_distil_samples_skin(PeltiSamples *samples, const PeltiSamplesDef *def, PeltError *err)
{
    return samples->skin ? PELT_OK : pelt_skin_create(def->skin, def->character, &samples->skin, err);
}

static PeltStatus make(PeltiSamples *s, const PeltiSamplesDef *def, PeltError *err)
{
    PeltiProgress progress = {def->skin->progress, def->skin->progress_user};
    int wanted = s->count + s->held_out;
    double start_ms = pelti_clock_ms();
    if (s->made < wanted) {
        PELT_TRY(pelti_distil_samples_skin(s, def, err));
        PELT_TRY(pelti_distil_far(s->who, &s->skin->weights, s->skin->jobs, &s->skin->pool, &s->far, err));
    }
    for (; s->made < wanted; s->made++) {
        PELT_TRY(pelti_progress(&progress, "sample", (double)s->made / wanted, err));
        draw_pose(s, s->made);
        PELT_TRY(write_record(s, s->made, pelti_distil_settle(s->skin, &s->pose, s->last), err));
    }
    s->seconds = (pelti_clock_ms() - start_ms) / 1000;
    return PELT_OK;
}

PeltStatus pelti_distil_samples(const PeltiSamplesDef *def, PeltiPool *pool, PeltiSamples *out, PeltError *err)
{
    const PeltiCharacter *who = def->character->who;
    *out = (PeltiSamples){
        .who = who, .poses = def->poses, .count = def->count, .held_out = def->held_out, .spool = {.descriptor = -1}};
    out->pose = pelti_pose_new(pool, who);
    out->start = pelti_pose_new(pool, who);
    out->station = pelti_pose_new(pool, who);
    out->world = PELTI_NEW(pool, PeltiWorld, who->node_count);
    out->bones = PELTI_NEW(pool, Mat34, who->bone_count);
    out->joints = PELTI_NEW(pool, PeltiJoint, who->bone_count);
    out->points = PELTI_NEW(pool, Vec3, who->point_count);
    out->last = PELTI_NEW(pool, Vec3, who->point_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)record_bytes(out));
    PELT_TRY(open_store(out, def, err));
    return make(out, def, err);
}

void pelti_distil_samples_close(PeltiSamples *samples)
{
    if (!samples->who)
        return;
    pelti_spool_close(&samples->spool);
    pelt_skin_destroy(samples->skin);
    samples->skin = NULL;
}

static PeltStatus read_record(PeltiSamples *s, int record, PeltiSample *out, PeltError *err)
{
    PELT_ASSERT(record >= 0 && record < s->made);
    uint64_t at = record_at(s, record);
    pelti_pose_file(s->who, &s->pose);
    PELT_TRY(pelti_spool_read(&s->spool, at, s->points, (size_t)points_bytes(s), err));
    PELT_TRY(pelti_spool_read(&s->spool, at + points_bytes(s), s->pose.local, (size_t)s->who->node_count * sizeof(Trs), err));
    for (int n = 0; n < s->who->node_count; n++)
        s->pose.touched[n] = memcmp(&s->pose.local[n], &s->who->nodes[n].trs, sizeof(Trs)) != 0;
    pelti_pose_bones(s->who, &s->pose, s->world, s->bones);
    pelti_joints_pose(s->who, &s->pose, s->joints);
    *out = (PeltiSample){&s->pose, s->bones, s->joints, s->points};
    return PELT_OK;
}

PeltStatus pelti_distil_sample(PeltiSamples *samples, int index, PeltiSample *out, PeltError *err)
{
    return read_record(samples, samples->held_out + index, out, err);
}

PeltStatus pelti_distil_sample_held_out(PeltiSamples *samples, int index, PeltiSample *out, PeltError *err)
{
    return read_record(samples, index, out, err);
}
