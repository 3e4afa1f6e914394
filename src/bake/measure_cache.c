/// pelt_measure_cache: the measures of any point cache, and their report (docs/report.md).
#include "bake/json_put.h"
#include "bake/measuring.h"
#include "bake/run.h"
#include "core/clock.h"
#include "core/file.h"
#include "io/cache.h"

#include <string.h>

enum { MEASURE_GUARD = 0x3ea5c0de };

typedef struct Job {
    const PeltMeasureDef *def;
    const PeltCharacter *character;
    PeltiPool pool;
    PeltiLog log;
    PeltiCache *cache; ///< NULL: not open
    int clip;          ///< -1: the file has none
    double fps;
    int first, count; ///< frames of the clip
    bool posed;       ///< false: a character without clips, and more frames than its one pose: nobody knows the poses
    PeltiPose pose;
    Vec3 *points;
    PeltMeasure *measure;
    PeltQuality *frames; ///< [count]
} Job;

PeltMeasureDef pelt_measure_def_default(void)
{
    return (PeltMeasureDef){.first_frame = -1, .guard = MEASURE_GUARD};
}

static PeltStatus open_cache(Job *job, PeltError *err)
{
    const PeltMeasureDef *def = job->def;
    int points = job->character->who->point_count;
    PeltiCacheSource source = {def->cache_path, job->character->who, def->fps, &job->pool.allocator};
    PELT_TRY(pelti_cache_open(&source, &job->cache, err));
    if (job->cache->frames.point_count != points)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: has %d points a frame, the character %d", def->cache_path,
                         job->cache->frames.point_count, points);
    job->count = job->cache->frames.frame_count;
    job->first = def->first_frame >= 0 ? def->first_frame : job->cache->frames.start_frame;
    job->fps = def->fps > 0 ? def->fps : job->cache->frames.fps > 0 ? job->cache->frames.fps : 30;
    if (def->fps == 0 && job->cache->frames.fps <= 0 && job->character->who->clip_count)
        pelti_warn(&job->log, "fps-unsaid", "%s: does not say how many frames a second it has: 30 taken (--fps)",
                   def->cache_path);
    if (!(def->fps >= 0 && job->fps <= 10000))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "fps must be above 0 and at most 10000, not %g",
                         def->fps != 0 ? def->fps : job->fps);
    return PELT_OK;
}

static PeltStatus choose_clip(Job *job, PeltError *err)
{
    const PeltiCharacter *who = job->character->who;
    const char *clip = job->def->clip;
    job->clip = who->clip_count ? 0 : -1;
    if (clip && (job->clip = pelti_clip_find(who, clip)) < 0)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "there is no clip '%s': `pelt inspect` lists the %d there are", clip,
                         who->clip_count);
    job->posed = job->clip >= 0 || job->count == 1;
    if (job->clip < 0) // no motion: the number of a frame says nothing
        return PELT_OK;
    int total = pelti_clip_frames(&who->clips[job->clip], job->fps);
    if (job->def->first_frame < 0 && job->cache->timeless && total > 1)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: one frame, and nothing says which of the clip's 0:%d it is: say it (--first)",
                         job->def->cache_path, total - 1);
    if (job->first < 0 || job->first > total - job->count)
        return PELT_FAIL(
            err, PELT_BAD_INPUT,
            "%s: has %d frames from %d on, clip '%s' at %g frames a second 0:%d: say which clip, frames a second and "
            "first frame it was made with (--clip, --fps, --first)",
            job->def->cache_path, job->count, job->first, who->clips[job->clip].name, job->fps, total - 1);
    return PELT_OK;
}

static PeltStatus measure_frames(Job *job, PeltError *err)
{
    const PeltiCharacter *who = job->character->who;
    PeltiProgressSink progress = {job->def->progress, job->def->progress_user};
    job->pose = pelti_pose_new(&job->pool, who);
    job->points = PELTI_NEW(&job->pool, Vec3, who->point_count);
    job->frames = PELTI_NEW(&job->pool, PeltQuality, job->count);
    if (job->pool.failed)
        return pelti_no_memory(err, (size_t)job->count * sizeof *job->frames);
    PELT_TRY(pelti_progress(&progress, "prepare", 0, err));
    PELT_TRY(pelti_measuring_create(job->character, NULL, job->def->threads, &job->pool.allocator, &job->measure, err));
    for (int i = 0; i < job->count; i++) {
        PELT_TRY(pelti_progress(&progress, "measure", (double)i / job->count, err));
        PELT_TRY(pelti_cache_frame(job->cache, i, job->points, err));
        pelti_pose_clip(who, job->clip >= 0 ? &who->clips[job->clip] : NULL, (job->first + i) / job->fps, &job->pose);
        pelti_measuring_points(job->measure, job->posed ? &job->pose : NULL, job->points, &job->frames[i]);
    }
    return pelti_progress(&progress, "measure", 1, err);
}

static PeltStatus save_report(const Job *job, PeltError *err)
{
    bool ok = true;
    const PeltiCharacter *who = job->character->who;
    PeltCharacterInfo info = pelt_character_info(job->character);
    PeltiJson *root = pelti_json_new_object(), *frames = pelti_json_new_array(), *warnings = pelti_json_new_array();
    pelti_put_text(root, "pelt", PELT_VERSION_STRING, &ok);
    pelti_put_text(root, "cache", job->def->cache_path, &ok);
    pelti_put_text(root, "clip", job->clip >= 0 ? who->clips[job->clip].name : "", &ok);
    pelti_put_number(root, "fps", job->fps, &ok);
    pelti_put_int(root, "frames", job->count, &ok);
    pelti_put_int(root, "first_frame", job->first, &ok);
    pelti_put_int(root, "threads", pelti_jobs_threads(job->measure->jobs), &ok);
    pelti_put(root, "mesh", pelti_report_mesh(&info, &ok), &ok);
    pelti_put_int(root, "bones", info.joint_count, &ok);
    pelti_put_number(root, "peak_mb", pelti_peak_mb(), &ok);
    char verdict[400];
    PeltVerdict said = pelt_measure_verdict(job->measure, verdict, sizeof verdict);
    pelti_put(root, "quality", pelti_report_measured(job->measure, said, verdict, &ok), &ok);
    for (int i = 0; i < job->count; i++) {
        PeltiJson *frame = pelti_json_new_object();
        pelti_put_int(frame, "frame", job->first + i, &ok);
        pelti_report_frame_quality(frame, &job->frames[i], &ok);
        ok = pelti_json_push(frames, frame) && ok;
    }
    pelti_report_warnings(warnings, &who->log, &ok);
    pelti_report_warnings(warnings, &job->log, &ok);
    pelti_put(root, "per_frame", frames, &ok);
    pelti_put(root, "warnings", warnings, &ok);
    return pelti_json_save(root, ok, &job->pool.allocator, job->def->report_path, err);
}

static PeltStatus run(Job *job, PeltMeasureResult *result, PeltError *err)
{
    if (!job->def->cache_path)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "which cache? Give the path of one that `pelt bake` writes");
    PELT_TRY(open_cache(job, err));
    PELT_TRY(choose_clip(job, err));
    PELT_TRY(measure_frames(job, err));
    if (job->def->report_path)
        PELT_TRY(save_report(job, err));
    for (int i = 0; job->def->warned && i < pelti_log_count(&job->log); i++)
        job->def->warned(pelti_log_get(&job->log, i), job->def->warned_user);
    if (result) {
        *result =
            (PeltMeasureResult){.quality = pelt_measure_quality(job->measure), .lbs = pelt_measure_lbs_quality(job->measure)};
        result->verdict = pelt_quality_verdict(&result->quality, &result->lbs, result->verdict_text, sizeof result->verdict_text);
    }
    return PELT_OK;
}

PeltStatus pelt_measure_cache(const PeltMeasureDef *def, const PeltCharacter *who, PeltMeasureResult *result, PeltError *err)
{
    PELT_ASSERT(def->guard == MEASURE_GUARD); // start from pelt_measure_def_default
    Job job = {.def = def, .character = who};
    pelti_pool_init(&job.pool, &who->allocator);
    pelti_log_init(&job.log, &who->allocator);
    PeltStatus status = run(&job, result, err);
    pelt_measure_destroy(job.measure);
    pelti_cache_close(job.cache);
    pelti_log_release(&job.log);
    pelti_pool_release(&job.pool);
    return status;
}
