/// Samples of a method: poses settled one by one, kept on disk.
#include "distil/samples.h"
#include "core/clock.h"
#include "core/hash.h"

#include <stdio.h>
#include <string.h>

#include "distil/constants.def"

enum { HEADER_BYTES = 64 };

typedef struct SamplesHeader {
    char magic[8];
    uint64_t key; // of all that a record depends on
    uint64_t record_bytes;
    char rest[HEADER_BYTES - 24];
} SamplesHeader;

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return pelti_hash(hash, text, strlen(text) + 1);
}

/// What a file holds, whatever its name is.
static PeltStatus hash_file(const char *path, uint64_t *hash, PeltError *err)
{
    PeltiSource source;
    unsigned char part[4096];
    PELT_TRY(pelti_source_open(path, &source, err));
    PeltStatus status = PELT_OK;
    for (uint64_t at = 0; at < source.bytes && status == PELT_OK; at += sizeof part) {
        size_t bytes = source.bytes - at < sizeof part ? (size_t)(source.bytes - at) : sizeof part;
        status = pelti_source_read(&source, at, part, bytes, err);
        *hash = status == PELT_OK ? pelti_hash(*hash, part, bytes) : *hash;
    }
    pelti_source_close(&source);
    return status;
}

/// Character, method, settings, rig, seed, held-out poses: the number of poses may grow.
static PeltStatus find_key(const PeltiDistilSamplesDef *def, uint64_t *out, PeltError *err)
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
        PELT_TRY(hash_file(def->skin->rig_path, &key, err));
    if (def->skin->rig)
        key = pelti_distil_rig_key(key, def->skin->rig);
    key = pelti_hash(key, &def->poses->seed, sizeof def->poses->seed);
    key = pelti_hash(key, &def->poses->unseen, sizeof def->poses->unseen);
    *out = pelti_hash(key, &def->held_out, sizeof def->held_out);
    return PELT_OK;
}

static uint64_t points_bytes(const PeltiDistilSamples *samples)
{
    return (uint64_t)samples->who->point_count * sizeof(Vec3);
}

/// Points, and the nodes of the pose they were made in.
static uint64_t record_bytes(const PeltiDistilSamples *samples)
{
    return points_bytes(samples) + (uint64_t)samples->who->node_count * sizeof(Trs);
}

static uint64_t record_at(const PeltiDistilSamples *samples, int record)
{
    return HEADER_BYTES + (uint64_t)(record - samples->first) * record_bytes(samples);
}

static PeltStatus write_record(const PeltiDistilSamples *s, int record, PeltError *err)
{
    uint64_t at = record_at(s, record);
    PELT_TRY(pelti_spool_write(&s->spool, at, s->settle.points, (size_t)points_bytes(s), err));
    return pelti_spool_write(&s->spool, at + points_bytes(s), s->settle.pose.local, (size_t)s->who->node_count * sizeof(Trs),
                             err);
}

static SamplesHeader header_of(const PeltiDistilSamples *s)
{
    return (SamplesHeader){"PELTSM3", s->key, record_bytes(s), {0}};
}

static PeltStatus other_samples(const char *path, PeltError *err)
{
    return PELT_FAIL(err, PELT_BAD_INPUT,
                     "%s: holds samples of another character, method, seed or version: remove it, or name another file", path);
}

/// The first record of a part, and where the next begins.
static int part_start(const PeltiDistilSamples *s, int part, int parts)
{
    return (int)((int64_t)(s->count + s->held_out) * part / parts);
}

/// <path>.part-<part>-<parts>: where a part of the samples of `path` is kept.
static PeltStatus make_part_path(const char *path, int part, int parts, char out[PELTI_DISTIL_SAMPLES_PATH], PeltError *err)
{
    if (snprintf(out, PELTI_DISTIL_SAMPLES_PATH, "%s.part-%d-%d", path, part, parts) >= PELTI_DISTIL_SAMPLES_PATH)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "the path of the samples is too long");
    return PELT_OK;
}

static PeltStatus open_store(PeltiDistilSamples *s, const PeltiDistilSamplesDef *def, PeltError *err)
{
    SamplesHeader header = header_of(s), found;
    uint64_t bytes = 0;
    char part_path[PELTI_DISTIL_SAMPLES_PATH];
    const char *path = def->keep_path;
    s->end = s->count + s->held_out;
    if (!path)
        return pelti_spool_open(def->beside_path, &s->spool, err);
    if (def->parts > 0 && def->part >= 0) {
        PELT_TRY(make_part_path(path, def->part, def->parts, part_path, err));
        path = part_path;
        s->first = s->made = part_start(s, def->part, def->parts);
        s->end = part_start(s, def->part + 1, def->parts);
    }
    PELT_TRY(pelti_spool_named(path, &s->spool, &bytes, err));
    if (bytes < HEADER_BYTES)
        return pelti_spool_write(&s->spool, 0, &header, sizeof header, err);
    PELT_TRY(pelti_spool_read(&s->spool, 0, &found, sizeof found, err));
    if (memcmp(&header, &found, sizeof header) != 0)
        return other_samples(path, err);
    uint64_t whole = (bytes - HEADER_BYTES) / record_bytes(s), most = (uint64_t)(s->end - s->first);
    s->found = (int)(whole < most ? whole : most);
    s->made = s->first + s->found;
    return PELT_OK;
}

/// Records of one part that are next, as many as it has.
static PeltStatus take_part(PeltiDistilSamples *s, const PeltiDistilSamplesDef *def, int part, PeltError *err)
{
    SamplesHeader header = header_of(s), found;
    PeltiSource source;
    char path[PELTI_DISTIL_SAMPLES_PATH];
    int first = part_start(s, part, def->parts);
    size_t points = (size_t)points_bytes(s), nodes = (size_t)(record_bytes(s) - points_bytes(s));
    PELT_TRY(make_part_path(def->keep_path, part, def->parts, path, err));
    PeltError none;
    if (pelti_source_open(path, &source, &none) != PELT_OK)
        return PELT_OK; // not there: its samples are made here
    PeltStatus status = source.bytes < HEADER_BYTES ? PELT_OK : pelti_source_read(&source, 0, &found, sizeof found, err);
    if (status == PELT_OK && source.bytes >= HEADER_BYTES && memcmp(&header, &found, sizeof header) != 0)
        status = other_samples(path, err);
    uint64_t whole = source.bytes < HEADER_BYTES ? 0 : (source.bytes - HEADER_BYTES) / record_bytes(s);
    while (status == PELT_OK && s->made < part_start(s, part + 1, def->parts) && (uint64_t)(s->made - first) < whole) {
        uint64_t at = HEADER_BYTES + (uint64_t)(s->made - first) * record_bytes(s), to = record_at(s, s->made);
        status = pelti_source_read(&source, at, s->points, points, err);
        status = status == PELT_OK ? pelti_source_read(&source, at + points, s->pose.local, nodes, err) : status;
        status = status == PELT_OK ? pelti_spool_write(&s->spool, to, s->points, points, err) : status;
        status = status == PELT_OK ? pelti_spool_write(&s->spool, to + points, s->pose.local, nodes, err) : status;
        s->made += status == PELT_OK;
        s->taken += status == PELT_OK;
    }
    pelti_source_close(&source);
    return status;
}

/// What tasks elsewhere have made, in order, up to the first that is missing.
static PeltStatus take_parts(PeltiDistilSamples *s, const PeltiDistilSamplesDef *def, PeltError *err)
{
    for (int part = 0; part < def->parts && def->part < 0 && def->keep_path; part++)
        if (s->made >= part_start(s, part, def->parts) && s->made < part_start(s, part + 1, def->parts))
            PELT_TRY(take_part(s, def, part, err));
    s->found += s->taken;
    return PELT_OK;
}

/// How far the way from the file's pose, which a method with a memory takes, is free: 1 all of it.
static float free_way(PeltiDistilSamples *s)
{
    int reached = 0;
    pelti_pose_file(s->who, &s->start);
    while (reached < WAY_STATIONS) {
        pelti_pose_blend(s->who, &s->start, &s->pose, (float)(reached + 1) / WAY_STATIONS, &s->station);
        pelti_pose_bones(s->who, &s->station, s->node_matrix, s->bones);
        if (pelti_distil_far_crosses(s->far, s->bones))
            break;
        reached++;
    }
    return (float)reached / WAY_STATIONS;
}

/// The pose of a record, drawn again where far parts of the body would pass through each other; in the end as far as the body
/// lets it.
static void draw_pose(PeltiDistilSamples *s, int record)
{
    float way = 0;
    for (int draw = 0; draw < FAR_TRIES && way < 1; draw++) {
        if (record < s->held_out)
            pelti_distil_pose_held_out(s->poses, (PeltiDistilPoseDraw){record, draw}, &s->pose);
        else
            pelti_distil_pose(s->poses, (PeltiDistilPoseDraw){record - s->held_out, draw}, &s->pose);
        way = free_way(s);
    }
    if (way < 1) {
        pelti_pose_blend(s->who, &s->start, &s->pose, way, &s->station);
        PeltiPose kept = s->pose;
        s->pose = s->station;
        s->station = kept;
    }
}

PeltStatus pelti_distil_samples_skin(PeltiDistilSamples *samples, const PeltiDistilSamplesDef *def, PeltError *err)
{
    return samples->skin ? PELT_OK : pelt_skin_create(def->skin, def->character, &samples->skin, err);
}

static PeltStatus make(PeltiDistilSamples *s, const PeltiDistilSamplesDef *def, PeltError *err)
{
    PeltiProgressSink progress = {def->skin->progress, def->skin->progress_user};
    int wanted = s->end;
    double start_ms = pelti_clock_ms();
    if (s->made < wanted) {
        PELT_TRY(pelti_distil_samples_skin(s, def, err));
        PELT_TRY(pelti_distil_far(s->who, &s->skin->weights.vertices, s->skin->jobs, &s->skin->pool, &s->far, err));
        pelti_distil_settle_init(&s->settle, s->skin, &s->skin->pool);
        if (s->skin->pool.failed)
            return pelti_no_memory(err, (size_t)record_bytes(s));
    }
    for (; s->made < wanted; s->made++) {
        PELT_TRY(pelti_progress(&progress, "sample", (double)(s->made - s->first) / (wanted - s->first), err));
        draw_pose(s, s->made);
        pelti_distil_settle(&s->settle, &s->pose);
        PELT_TRY(write_record(s, s->made, err));
    }
    s->seconds = (pelti_clock_ms() - start_ms) / 1000;
    return PELT_OK;
}

PeltStatus pelti_distil_samples(const PeltiDistilSamplesDef *def, PeltiPool *pool, PeltiDistilSamples *out, PeltError *err)
{
    const PeltiCharacter *who = def->character->who;
    *out = (PeltiDistilSamples){
        .who = who, .poses = def->poses, .count = def->count, .held_out = def->held_out, .spool = {.descriptor = -1}};
    out->pose = pelti_pose_new(pool, who);
    out->start = pelti_pose_new(pool, who);
    out->station = pelti_pose_new(pool, who);
    out->node_matrix = PELTI_NEW(pool, PeltiNodeMatrix, who->node_count);
    out->bones = PELTI_NEW(pool, Mat34, who->bone_count);
    out->joints = PELTI_NEW(pool, PeltiJoint, who->bone_count);
    out->points = PELTI_NEW(pool, Vec3, who->point_count);
    out->vertices = PELTI_NEW(pool, Vec3, who->mesh->vertex_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)record_bytes(out));
    PELT_TRY(find_key(def, &out->key, err));
    PELT_TRY(open_store(out, def, err));
    PELT_TRY(take_parts(out, def, err));
    return make(out, def, err);
}

void pelti_distil_samples_close(PeltiDistilSamples *samples)
{
    if (!samples->who)
        return;
    pelti_spool_close(&samples->spool);
    pelt_skin_destroy(samples->skin);
    samples->skin = NULL;
}

static PeltStatus read_record(PeltiDistilSamples *s, int record, PeltiDistilSample *out, PeltError *err)
{
    PELT_ASSERT(record >= 0 && record < s->made);
    uint64_t at = record_at(s, record);
    pelti_pose_file(s->who, &s->pose);
    PELT_TRY(pelti_spool_read(&s->spool, at, s->points, (size_t)points_bytes(s), err));
    PELT_TRY(pelti_spool_read(&s->spool, at + points_bytes(s), s->pose.local, (size_t)s->who->node_count * sizeof(Trs), err));
    for (int n = 0; n < s->who->node_count; n++)
        s->pose.touched[n] = memcmp(&s->pose.local[n], &s->who->nodes[n].trs, sizeof(Trs)) != 0;
    pelti_pose_bones(s->who, &s->pose, s->node_matrix, s->bones);
    pelti_joints_pose(s->who, &s->pose, s->joints);
    pelti_mesh_gather(s->who->mesh, s->points, s->vertices);
    *out = (PeltiDistilSample){&s->pose, s->bones, s->joints, s->points, s->vertices};
    return PELT_OK;
}

PeltStatus pelti_distil_sample(PeltiDistilSamples *samples, int index, PeltiDistilSample *out, PeltError *err)
{
    return read_record(samples, samples->held_out + index, out, err);
}

PeltStatus pelti_distil_sample_held_out(PeltiDistilSamples *samples, int index, PeltiDistilSample *out, PeltError *err)
{
    return read_record(samples, index, out, err);
}
