/// --report: what a bake did and what the skin looks like, as JSON (docs/report.md).
#include "bake/run.h"
#include "core/clock.h"
#include "core/file.h"

#include <string.h>

/// Adds key: value, and remembers a refusal of memory; a number that is none becomes null.
static void put(PeltiJson *object, const char *key, PeltiJson *value, bool *ok)
{
    *ok = pelti_json_set(object, key, value) && *ok;
}

static void put_int(PeltiJson *object, const char *key, int64_t value, bool *ok)
{
    put(object, key, pelti_json_new_int(value), ok);
}

static void put_number(PeltiJson *object, const char *key, double value, bool *ok)
{
    if (isfinite(value))
        put(object, key, pelti_json_new_number(value), ok);
    else
        *ok = pelti_json_set_null(object, key) && *ok;
}

static void put_text(PeltiJson *object, const char *key, const char *value, bool *ok)
{
    put(object, key, pelti_json_new_text(value), ok);
}

static PeltiJson *mesh_json(const PeltCharacterInfo *info, bool *ok)
{
    PeltiJson *mesh = pelti_json_new_object();
    put_int(mesh, "vertices", info->point_count, ok);
    put_int(mesh, "welded", info->welded_count, ok);
    put_int(mesh, "triangles", info->triangle_count, ok);
    put_int(mesh, "components", info->component_count, ok);
    put(mesh, "closed", pelti_json_new_bool(info->closed), ok);
    return mesh;
}

static PeltiJson *times_json(const PeltiRun *run, bool *ok)
{
    PeltiTimes times = pelti_run_times(run);
    PeltiJson *json = pelti_json_new_object();
    put_number(json, "mean", times.mean, ok);
    put_number(json, "p50", times.p50, ok);
    put_number(json, "p95", times.p95, ok);
    put_number(json, "max", times.max, ok);
    return json;
}

static PeltiJson *quality_json(const PeltiRun *run, bool *ok)
{
    PeltiQuality q;
    PeltiJson *json = pelti_json_new_object();
    pelti_measure_summary(run->measure, &q);
    put_int(json, "nonfinite", q.nonfinite, ok);
    put_int(json, "self_intersections", q.self_intersections, ok);
    put_int(json, "self_intersections_new", q.self_intersections_new, ok);
    put_int(json, "deep_pairs", q.deep_pairs, ok);
    put_number(json, "pair_depth", q.pair_depth, ok);
    put_number(json, "depth", q.depth, ok);
    put_int(json, "inverted", q.inverted, ok);
    put_number(json, "volume_ratio_min", q.volume_ratio_min, ok);
    put_number(json, "volume_ratio_max", q.volume_ratio_max, ok);
    put_number(json, "stretch_p99", q.stretch_p99, ok);
    put_number(json, "stretch_max", q.stretch_max, ok);
    put_number(json, "loop_error", q.loop_error, ok);
    put_number(json, "jitter", q.jitter, ok);
    put_number(json, "crack", q.crack, ok);
    return json;
}

static PeltiJson *frame_json(const PeltiRun *run, const PeltiFrameRecord *record, bool *ok)
{
    PeltiJson *json = pelti_json_new_object();
    const PeltiFrameMeasure *m = &record->measure;
    put_int(json, "frame", record->frame, ok);
    put_number(json, "step_ms", record->step_ms, ok);
    put_int(json, "substeps", record->substeps, ok);
    if (!run->measure)
        return json;
    put_int(json, "nonfinite", m->nonfinite, ok);
    put_int(json, "self_intersections", m->self_intersections, ok);
    put_int(json, "deep_pairs", m->deep_pairs, ok);
    put_number(json, "depth", m->depth_max, ok);
    put_int(json, "inverted", m->flipped_both, ok);
    put_number(json, "volume_ratio", m->volume_ratio, ok);
    put_number(json, "stretch_p99", m->stretch_p99, ok);
    put_number(json, "jitter", m->jitter_vs_lbs_max, ok);
    return json;
}

static void add_warnings(PeltiJson *list, const PeltiLog *log, bool *ok)
{
    for (int i = 0; i < pelti_log_count(log); i++) {
        PeltiJson *json = pelti_json_new_object();
        put_text(json, "code", pelti_log_get(log, i)->code, ok);
        put_text(json, "text", pelti_log_get(log, i)->text, ok);
        *ok = pelti_json_push(list, json) && *ok;
    }
}

static double substep_ms(const PeltiRun *run)
{
    double sum = 0;
    for (int i = 0; i < run->count; i++)
        sum += run->records[i].substep_ms;
    return run->count ? sum / run->count : 0;
}

static void fill(PeltiJson *root, const PeltiRun *run, bool *ok)
{
    const PeltiCharacter *who = run->character->who;
    PeltCharacterInfo info = pelt_character_info(run->character);
    put_text(root, "pelt", PELT_VERSION_STRING, ok);
    put_text(root, "method", run->skin->method->name, ok);
    put_text(root, "clip", run->clip >= 0 ? who->clips[run->clip].name : "", ok);
    put_number(root, "fps", run->def->fps, ok);
    put_int(root, "frames", run->count, ok);
    put_int(root, "first_frame", run->first, ok);
    put_int(root, "threads", pelti_jobs_threads(run->skin->jobs), ok);
    put_text(root, "weights", run->skin->weight_source, ok);
    put(root, "mesh", mesh_json(&info, ok), ok);
    put_int(root, "bones", info.joint_count, ok);
    put_number(root, "prepare_ms", run->skin->prepare_ms, ok);
    put(root, "step_ms", times_json(run, ok), ok);
    if (run->skin->method->flags & PELTI_DYNAMIC)
        put_number(root, "substep_ms", substep_ms(run), ok);
    put_number(root, "peak_mb", pelti_peak_mb(), ok);
    if (run->measure)
        put(root, "quality", quality_json(run, ok), ok);
    PeltiJson *frames = pelti_json_new_array(), *stats = pelti_json_new_object(), *warnings = pelti_json_new_array();
    for (int i = 0; i < run->count; i++)
        *ok = pelti_json_push(frames, frame_json(run, &run->records[i], ok)) && *ok;
    for (int i = 0; i < run->stat_count; i++)
        put_number(stats, run->stats[i].name, run->stats[i].value, ok);
    add_warnings(warnings, &who->log, ok);
    add_warnings(warnings, &run->skin->log, ok);
    add_warnings(warnings, &run->log, ok);
    put(root, "per_frame", frames, ok);
    put(root, "method_stats", stats, ok);
    if (run->written.morph_targets) {
        PeltiJson *morph = pelti_json_new_object();
        put_int(morph, "targets", run->written.morph_targets, ok);
        put_number(morph, "error", (double)run->written.morph_error_share, ok);
        put(root, "morph", morph, ok);
    }
    put(root, "warnings", warnings, ok);
}

PeltStatus pelti_report_save(const PeltiRun *run, const char *path, PeltError *err)
{
    bool ok = true;
    size_t length = 0;
    PeltiJson *root = pelti_json_new_object();
    fill(root, run, &ok);
    const char *text = ok && root ? pelti_json_serialize(root, true, &length) : NULL;
    PeltStatus status = text ? pelti_file_save(path, text, length, err) : pelti_no_memory(err, 0);
    pelti_json_release(root);
    return status;
}
