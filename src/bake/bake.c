/// include/pelt/bake.h: one clip, start to finish.
#include "bake/run.h"
#include "core/clock.h"
#include "math/order.h"

#include <stdlib.h>
#include <string.h>

enum { BAKE_GUARD = 0x0ba4ed0 };

PeltBakeDef pelt_bake_def_default(void)
{
    return (PeltBakeDef){.skin = pelt_skin_def_default(),
                         .fps = 30,
                         .last_frame = -1,
                         .measure = PELT_BAKE_MEASURE_FOR_REPORT,
                         .guard = BAKE_GUARD};
}

/// The clip and the frames that were asked for; a file without clips gives one frame in its own pose.
static PeltStatus choose_frames(PeltiRun *run, PeltError *err)
{
    const PeltBakeDef *def = run->def;
    const PeltiCharacter *who = run->character->who;
    run->clip = who->clip_count ? 0 : -1;
    if (def->clip) {
        run->clip = pelti_clip_find(who, def->clip);
        if (run->clip < 0)
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "there is no clip '%s': `pelt inspect` lists the %d there are", def->clip,
                             who->clip_count);
    }
    if (!(def->fps > 0 && def->fps <= 10000))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "fps must be above 0 and at most 10000, not %g", def->fps);
    int total = run->clip >= 0 ? pelti_clip_frames(&who->clips[run->clip], def->fps) : 1;
    int last = def->last_frame < 0 ? total - 1 : def->last_frame;
    if (def->first_frame < 0 || def->first_frame > last || last >= total)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "frames %d:%d are outside 0:%d", def->first_frame, last, total - 1);
    run->first = def->first_frame;
    run->count = last - def->first_frame + 1;
    return PELT_OK;
}

static PeltStatus open_measure(PeltiRun *run, PeltError *err)
{
    const PeltBakeDef *def = run->def;
    if (def->measure == PELT_BAKE_MEASURE_NEVER || (def->measure == PELT_BAKE_MEASURE_FOR_REPORT && !def->report_path))
        return PELT_OK;
    return pelti_measuring_create(run->character, run->skin->jobs, def->skin.threads, &def->skin.allocator, &run->measure, err);
}

static PeltStatus open_outputs(PeltiRun *run, PeltError *err)
{
    const PeltBakeDef *def = run->def;
    if (def->output_count == 0)
        return PELT_OK;
    PeltiOutputDef out = {
        .who = run->character->who,
        .document = run->character->document,
        .frames = {.point_count = run->character->who->point_count,
                   .frame_count = run->count,
                   .start_frame = run->first,
                   .fps = def->fps},
        .has_normals = pelti_output_wants_normals(def->outputs, def->output_count),
        .clip = run->clip,
        .morph = def->morph_per_frame ? PELTI_MORPH_EACH_FRAME : PELTI_MORPH_PRINCIPAL,
        .jobs = run->skin->jobs,
        .log = &run->log,
        .allocator = &run->pool.allocator,
    };
    if (run->around) {
        out.objects = pelti_around_objects(run->around, &out.object_count);
        out.play_pose = true;
    }
    if (run->clip == run->character->who->clip_count) // "range", which the file does not have
        out.play_pose = true;
    run->plays_pose = out.play_pose;
    run->wants_normals = out.has_normals;
    return pelti_output_open(&out, def->outputs, def->output_count, &run->output, err);
}

/// Folds one frame's numbers into those of the clip.
static void merge_stats(PeltiRun *run, const PeltiStepReport *report)
{
    for (int i = 0; i < report->told.stat_count; i++) {
        const PeltStat *stat = &report->told.stats[i];
        int at = 0;
        while (at < run->stat_count && strcmp(run->stats[at].name, stat->name))
            at++;
        if (at == PELT_MAX_STATS)
            continue;
        if (at == run->stat_count) {
            run->stats[run->stat_count++] = *stat;
            run->stat_frames[at] = 1;
            continue;
        }
        double *value = &run->stats[at].value;
        int frames = ++run->stat_frames[at];
        switch (report->merge[i]) {
        case PELTI_LAST:
            *value = stat->value;
            break;
        case PELTI_MOST:
            *value = fmax(*value, stat->value);
            break;
        case PELTI_LEAST:
            *value = fmin(*value, stat->value);
            break;
        case PELTI_SUM:
            *value += stat->value;
            break;
        case PELTI_MEAN:
            *value += (stat->value - *value) / frames;
            break;
        }
    }
}

static PeltStatus bake_frame(PeltiRun *run, int index, PeltError *err)
{
    const PeltiCharacter *who = run->character->who;
    PeltiRunFrame *record = &run->records[index];
    PeltiStepReport report = {0};
    record->frame = run->first + index;
    const PeltiClip *clip = run->clip >= 0 ? &who->clips[run->clip] : NULL;
    pelti_pose_clip(who, clip, record->frame / run->def->fps, &run->pose);
    const PeltiPose *played = &run->pose;
    if (run->around)
        played = pelti_around_step_skin(run->around, run->skin, &run->pose,
                                        (PeltiAroundFrame){run->def->fps, record->frame, index}, &report, &record->step_ms);
    else
        pelti_skin_step(run->skin, &run->pose, (float)(1 / run->def->fps), &report, &record->step_ms);
    if (run->around)
        PELT_TRY(pelti_around_check(run->around, err));
    record->substep_ms = report.told.substep_ms;
    record->substeps = report.told.substeps;
    record->nonfinite = report.told.nonfinite;
    merge_stats(run, &report);
    if (run->measure)
        pelti_measuring_skin(run->measure, &run->pose, run->skin, &record->quality);
    if (!run->output)
        return PELT_OK;
    const Vec3 *normals = run->wants_normals ? (const Vec3 *)pelt_skin_normals(run->skin) : NULL;
    if (run->around)
        pelti_around_place(run->around, run->output);
    return pelti_output_frame(run->output, run->skin->shown.points, normals, run->plays_pose ? played : NULL, err);
}

static PeltStatus bake_all(PeltiRun *run, PeltError *err)
{
    PeltiProgressSink progress = {run->def->skin.progress, run->def->skin.progress_user};
    PELT_TRY(choose_frames(run, err));
    PELT_TRY(pelti_progress(&progress, "prepare", 0, err));
    PELT_TRY(pelt_skin_create(&run->def->skin, run->character, &run->skin, err));
    run->skin->clock.time_s = run->first / run->def->fps;
    PELT_TRY(open_measure(run, err));
    PeltiAroundScene scene = {run->def->scene_path, run->def->scene};
    if (scene.path && scene.scene)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "a scene is given, and the path of another: put all into one of them");
    if (scene.path || scene.scene)
        PELT_TRY(pelti_around_open(scene, run->skin, run->count, &run->log, &run->around, err));
    PELT_TRY(open_outputs(run, err));
    if (run->def->report_path) // what cannot be written is found here, before the first frame
        PELT_TRY(pelti_file_begin(&run->report, run->def->report_path, err));
    run->pose = pelti_pose_new(&run->pool, run->character->who);
    run->records = PELTI_NEW(&run->pool, PeltiRunFrame, run->count);
    if (run->pool.failed)
        return pelti_no_memory(err, (size_t)run->count * sizeof *run->records);
    for (int i = 0; i < run->count; i++) {
        PELT_TRY(pelti_progress(&progress, "bake", (double)i / run->count, err));
        PELT_TRY(bake_frame(run, i, err));
    }
    pelti_skin_tell_give_way(run->skin, run->first);
    return pelti_progress(&progress, "write", 1, err);
}

/// Everything is on disk, under names of its own, before anything appears: outputs and report together, or nothing.
static PeltStatus publish(PeltiRun *run, double start_ms, PeltError *err)
{
    PeltiProgressSink progress = {run->def->skin.progress, run->def->skin.progress_user};
    if (run->output)
        PELT_TRY(pelti_output_complete(run->output, &progress, &run->written, err));
    run->total_ms = pelti_clock_ms() - start_ms;
    if (run->report.path)
        PELT_TRY(pelti_report_write(run, &run->report, err));
    if (run->output)
        PELT_TRY(pelti_output_commit(run->output, NULL, &run->written, err));
    return run->report.path ? pelti_file_commit(&run->report, err) : PELT_OK;
}

PeltiRunTimes pelti_run_times(const PeltiRun *run)
{
    PeltiRunTimes times = {0};
    PeltiPool work;
    pelti_pool_init(&work, &run->pool.allocator);
    double *sorted = PELTI_NEW(&work, double, run->count);
    if (sorted && run->count) {
        for (int i = 0; i < run->count; i++) {
            sorted[i] = run->records[i].step_ms;
            times.mean += sorted[i] / run->count;
        }
        qsort(sorted, (size_t)run->count, sizeof *sorted, pelti_double_order);
        times.p50 = sorted[run->count / 2];
        times.p95 = sorted[run->count - 1 - (run->count - 1) / 20]; // never below the median
        times.max = sorted[run->count - 1];
    }
    pelti_pool_release(&work);
    return times;
}

static void fill_result(const PeltiRun *run, PeltBakeResult *result)
{
    PeltiRunTimes times = pelti_run_times(run);
    *result = (PeltBakeResult){
        .frames = run->count,
        .prepare_ms = run->skin->prepare_ms,
        .step_mean_ms = times.mean,
        .step_max_ms = times.max,
        .total_ms = run->total_ms,
        .morph_targets = run->written.morph_targets,
        .morph_error = (double)run->written.morph_error_share,
        .warning_count =
            pelti_log_count(&run->log) + pelti_log_count(&run->skin->log) + pelti_log_count(&run->character->who->log),
    };
    if (run->measure) {
        result->quality = pelt_measure_quality(run->measure);
        result->lbs_quality = pelt_measure_lbs_quality(run->measure);
        result->verdict = pelti_run_verdict(run, result->verdict_text, sizeof result->verdict_text);
    }
}

static void tell_warnings(const PeltBakeDef *def, const PeltiLog *log)
{
    for (int i = 0; def->warned && i < pelti_log_count(log); i++)
        def->warned(pelti_log_get(log, i), def->warned_user);
}

PeltStatus pelt_bake(const PeltBakeDef *def, const PeltCharacter *character, PeltBakeResult *result, PeltError *err)
{
    PELT_ASSERT(def->guard == BAKE_GUARD); // start from pelt_bake_def_default
    PeltiRun run = {.def = def, .character = character};
    double start_ms = pelti_clock_ms();
    pelti_pool_init(&run.pool, &def->skin.allocator);
    pelti_log_init(&run.log, &def->skin.allocator);
    PeltStatus status = bake_all(&run, err);
    if (status == PELT_OK)
        status = publish(&run, start_ms, err);
    if (status == PELT_OK && result)
        fill_result(&run, result);
    if (status == PELT_OK) {
        tell_warnings(def, &run.skin->log);
        tell_warnings(def, &run.log);
    }
    pelti_file_abort(&run.report);
    pelti_output_destroy(run.output);
    pelti_around_close(run.around);
    pelt_measure_destroy(run.measure);
    pelt_skin_destroy(run.skin);
    pelti_log_release(&run.log);
    pelti_pool_release(&run.pool);
    return status;
}
