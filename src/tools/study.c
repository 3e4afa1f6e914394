/// Runs methods over a clip, keeps frames and finds the worst.
#include "tools/study.h"

#include "core/clock.h"
#include "core/file.h"
#include "core/hash.h"
#include "tools/build_key.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t point_total(const PeltiStudy *study)
{
    return (size_t)study->frame_count * (size_t)study->character->who->point_count;
}

static void pose_at(const PeltiStudy *study, int frame, PeltiPose *pose)
{
    const PeltiCharacter *who = study->character->who;
    pelti_pose_clip(who, study->clip >= 0 ? &who->clips[study->clip] : NULL, frame / study->fps, pose);
}

void pelti_study_pose(PeltiStudy *study, int frame)
{
    pose_at(study, frame, &study->pose);
}

static PeltStatus choose_clip(PeltiStudy *study, const char *clip, PeltError *err)
{
    const PeltiCharacter *who = study->character->who;
    study->clip = who->clip_count ? 0 : -1;
    if (clip && (study->clip = pelti_clip_find(who, clip)) < 0)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "there is no clip '%s': `pelt inspect` lists the %d there are", clip,
                         who->clip_count);
    if (!(study->fps > 0 && study->fps <= 1000))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "fps must be above 0 and at most 1000, not %g", study->fps);
    study->clip_name = study->clip >= 0 ? who->clips[study->clip].name : "";
    study->frame_count = study->clip >= 0 ? pelti_clip_frames(&who->clips[study->clip], study->fps) : 1;
    return PELT_OK;
}

/// What a part depends on: this build of the program, the figure, its motion and the sampling. Poses say more than names.
static void make_key(PeltiStudy *study)
{
    const PeltiCharacter *who = study->character->who;
    uint64_t key = pelti_hash(PELTI_HASH_START, pelti_tools_build, strlen(pelti_tools_build));
    key = pelti_hash(key, who->rest_points, (size_t)who->point_count * sizeof(Vec3));
    key = pelti_hash(key, who->point_triangles, (size_t)who->triangle_count * sizeof(int[3]));
    key = pelti_hash(key, &study->fps, sizeof study->fps);
    key = pelti_hash(key, study->lbs, point_total(study) * sizeof(Vec3));
    study->key = key;
}

static PeltStatus blend_linearly(PeltiStudy *study, PeltError *err)
{
    size_t points = (size_t)study->character->who->point_count;
    PELT_TRY(pelti_guide_create(&study->guide, study->character, false, study->threads, err));
    if (study->guide.chosen) {
        study->near = PELTI_NEW(&study->pool, Vec3, point_total(study));
        if (!study->near)
            return pelti_no_memory(err, point_total(study) * sizeof(Vec3));
    }
    for (int f = 0; f < study->frame_count; f++) {
        pelti_study_pose(study, f);
        pelti_guide_step(&study->guide, &study->pose);
        memcpy(study->lbs + (size_t)f * points, study->guide.lbs->shown.points, points * sizeof(Vec3));
        if (study->near)
            memcpy(study->near + (size_t)f * points, study->guide.chosen->shown.points, points * sizeof(Vec3));
    }
    return PELT_OK;
}

static PeltStatus set_up(PeltiStudy *study, const char *clip, PeltError *err)
{
    const PeltiCharacter *who = study->character->who;
    PELT_TRY(choose_clip(study, clip, err));
    if (point_total(study) > (size_t)20 << 20)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%d frames of %d points are too many to keep side by side: choose a lower --fps",
                         study->frame_count, who->point_count);
    study->jobs = pelti_jobs_create(study->threads);
    study->pose = pelti_pose_new(&study->pool, who);
    study->lbs = PELTI_NEW(&study->pool, Vec3, point_total(study));
    if (!study->jobs || study->pool.failed)
        return pelti_no_memory(err, point_total(study) * sizeof(Vec3));
    PELT_TRY(blend_linearly(study, err));
    make_key(study);
    return pelti_measuring_create(study->character, study->jobs, study->threads, NULL, &study->measuring, err);
}

PeltStatus pelti_study_create(const PeltiStudyDef *def, PeltiStudy *out, PeltError *err)
{
    *out = (PeltiStudy){.character = def->character,
                        .file = def->file,
                        .fps = def->fps,
                        .threads = def->threads,
                        .parts = def->parts,
                        .progress = def->progress};
    pelti_pool_init(&out->pool, NULL);
    PeltStatus status = set_up(out, def->clip, err);
    if (status != PELT_OK)
        pelti_study_release(out);
    return status;
}

void pelti_study_release(PeltiStudy *study)
{
    pelti_guide_release(&study->guide);
    pelt_measure_destroy(study->measuring);
    pelti_jobs_destroy(study->jobs);
    pelti_pool_release(&study->pool);
    *study = (PeltiStudy){0};
}

const Vec3 *pelti_study_points(const PeltiStudy *study, int method, int frame)
{
    return study->methods[method].points + (size_t)frame * (size_t)study->character->who->point_count;
}

// ---- finished parts ----

static void part_path(const PeltiStudy *study, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s-%016" PRIx64, study->parts, name, study->key);
}

bool pelti_study_recall(const PeltiStudy *study, const char *name, PeltiArray *bytes)
{
    char path[1024], block[1 << 14];
    if (!study->parts)
        return false;
    part_path(study, name, path, sizeof path);
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0;)
        pelti_array_append(bytes, block, got);
    bool good = !ferror(file) && !bytes->failed && bytes->count > 0;
    fclose(file);
    return good;
}

/// Parts only save time: one that cannot be written is made again next time.
void pelti_study_keep(const PeltiStudy *study, const char *name, const void *data, size_t bytes)
{
    char path[1024];
    if (!study->parts)
        return;
    part_path(study, name, path, sizeof path);
    (void)pelti_file_save(path, data, bytes, NULL);
}

static void keep_method(const PeltiStudy *study, const PeltiStudyMethod *method)
{
    PeltiArray bytes;
    pelti_array_init(&bytes, NULL, 1);
    pelti_array_append(&bytes, method, sizeof *method);
    pelti_array_append(&bytes, method->frames, (size_t)study->frame_count * sizeof *method->frames);
    pelti_array_append(&bytes, method->points, point_total(study) * sizeof(Vec3));
    if (!bytes.failed)
        pelti_study_keep(study, method->name, bytes.data, bytes.count);
    pelti_array_release(&bytes);
}

static bool recall_method(const PeltiStudy *study, PeltiStudyMethod *method)
{
    PeltiArray bytes;
    pelti_array_init(&bytes, NULL, 1);
    size_t frames = (size_t)study->frame_count * sizeof *method->frames, points = point_total(study) * sizeof(Vec3);
    bool good = pelti_study_recall(study, method->name, &bytes) && bytes.count == sizeof *method + frames + points;
    PeltiStudyMethod kept;
    if (good)
        memcpy(&kept, bytes.data, sizeof kept);
    if (good && strncmp(kept.name, method->name, sizeof kept.name) == 0 && kept.status == PELT_OK) {
        memcpy(method->frames, bytes.data + sizeof kept, frames);
        memcpy(method->points, bytes.data + sizeof kept + frames, points);
        method->prepare_ms = kept.prepare_ms;
        method->quality = kept.quality;
        method->verdict = kept.verdict;
        memcpy(method->verdict_text, kept.verdict_text, sizeof method->verdict_text);
        method->resumed = true;
    } else
        good = false;
    pelti_array_release(&bytes);
    return good;
}

// ---- running a method ----

static void look_for(const float *values, int count, bool largest, PeltiStudyPlace *place)
{
    *place = (PeltiStudyPlace){-1, largest ? -INFINITY : INFINITY};
    for (int v = 0; v < count; v++)
        if (largest ? values[v] > place->value : values[v] < place->value)
            *place = (PeltiStudyPlace){v, values[v]};
}

/// What a method is run with: the study's own, or another's for a method that runs beside others.
typedef struct Runner {
    PeltMeasure *measuring;
    PeltiPose *pose;
    const PeltiProgressSink *progress;
    int threads;
} Runner;

static void measure_frame(const PeltiStudy *study, const Runner *runner, const PeltSkin *skin, int f, PeltiStudyFrame *out)
{
    const PeltiMesh *mesh = study->character->who->mesh;
    size_t first = (size_t)f * (size_t)study->character->who->point_count;
    const Vec3 *lbs = study->lbs + first, *near = study->near ? study->near + first : NULL;
    const PeltiMeasure *measure = runner->measuring->measure;
    pelti_measuring_skin(runner->measuring, runner->pose, skin, &out->measure);
    look_for(pelti_measure_stretch(measure), mesh->vertex_count, true, &out->stretched);
    look_for(pelti_measure_stretch(measure), mesh->vertex_count, false, &out->folded);
    look_for(pelti_measure_depth(measure), mesh->vertex_count, true, &out->deepest);
    if (!(out->deepest.value > 0))
        out->deepest = (PeltiStudyPlace){-1, 0};
    out->away = (PeltiStudyPlace){-1, 0};
    for (int v = 0; v < mesh->vertex_count; v++) {
        float away = pelti_measuring_flown(skin->shown.points, lbs, near, mesh->first_point[v]) / fmaxf(mesh->diagonal, 1e-30f);
        if (away > out->away.value)
            out->away = (PeltiStudyPlace){v, away};
    }
}

static PeltStatus run_frames(PeltiStudy *study, const Runner *runner, PeltiStudyMethod *method, PeltSkin *skin, PeltError *err)
{
    int points = study->character->who->point_count;
    pelt_measure_restart(runner->measuring);
    for (int f = 0; f < study->frame_count; f++) {
        PELT_TRY(pelti_progress(runner->progress, method->name, (double)f / study->frame_count, err));
        pose_at(study, f, runner->pose);
        pelti_skin_step(skin, runner->pose, (float)(1 / study->fps), &(PeltiStepReport){0}, &method->frames[f].step_ms);
        memcpy(method->points + (size_t)f * (size_t)points, skin->shown.points, (size_t)points * sizeof(Vec3));
        measure_frame(study, runner, skin, f, &method->frames[f]);
    }
    method->quality = pelt_measure_quality(runner->measuring);
    if (!runner->measuring->lbs_is_judged) {
        study->lbs_quality = pelt_measure_lbs_quality(runner->measuring);
        runner->measuring->lbs_is_judged = true;
    }
    method->verdict =
        pelt_quality_verdict(&method->quality, &study->lbs_quality, method->verdict_text, sizeof method->verdict_text);
    return PELT_OK;
}

static PeltStatus run_method(PeltiStudy *study, const Runner *runner, PeltiStudyMethod *method, PeltError *err)
{
    if (recall_method(study, method))
        return PELT_OK;
    PELT_TRY(pelti_progress(runner->progress, method->name, 0, err));
    PeltSkinDef def = pelt_skin_def_default();
    def.method = method->name;
    def.threads = runner->threads;
    PeltSkin *skin;
    PeltError story = {0};
    method->status = pelt_skin_create(&def, study->character, &skin, &story);
    if (method->status != PELT_OK) {
        snprintf(method->why, sizeof method->why, "%.250s", story.text);
        return PELT_OK;
    }
    method->prepare_ms = skin->prepare_ms;
    PeltStatus status = run_frames(study, runner, method, skin, err);
    pelt_skin_destroy(skin);
    PELT_TRY(status);
    keep_method(study, method);
    return PELT_OK;
}

PeltStatus pelti_study_add(PeltiStudy *study, const char *name, PeltError *err)
{
    if (study->method_count == PELTI_STUDY_METHODS)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "more than %d methods", PELTI_STUDY_METHODS);
    if (!pelti_method_find(name))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "there is no method '%s': `pelt methods` lists them", name);
    PeltiStudyMethod *method = &study->methods[study->method_count];
    snprintf(method->name, sizeof method->name, "%s", name);
    method->points = PELTI_NEW(&study->pool, Vec3, point_total(study));
    method->frames = PELTI_NEW(&study->pool, PeltiStudyFrame, study->frame_count);
    if (study->pool.failed)
        return pelti_no_memory(err, point_total(study) * sizeof(Vec3));
    study->method_count++;
    return PELT_OK;
}

PeltStatus pelti_study_run(PeltiStudy *study, const char *name, PeltError *err)
{
    PELT_TRY(pelti_study_add(study, name, err));
    Runner own = {study->measuring, &study->pose, &study->progress, study->threads};
    return run_method(study, &own, &study->methods[study->method_count - 1], err);
}

PeltStatus pelti_study_run_beside(PeltiStudy *study, int method, const PeltiProgressSink *progress, PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiPose pose = pelti_pose_new(&pool, study->character->who);
    Runner beside = {.pose = &pose, .progress = progress, .threads = 1};
    PeltStatus status = pool.failed ? pelti_no_memory(err, 0) : PELT_OK;
    if (status == PELT_OK)
        status = pelti_measuring_create(study->character, NULL, 1, NULL, &beside.measuring, err);
    if (status == PELT_OK) {
        beside.measuring->lbs_is_judged = study->measuring->lbs_is_judged;
        status = run_method(study, &beside, &study->methods[method], err);
    }
    pelt_measure_destroy(beside.measuring);
    pelti_pool_release(&pool);
    return status;
}
