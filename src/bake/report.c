/// --report: what a bake did and what the skin looks like, as JSON (docs/report.md).
#include "bake/json_put.h"
#include "bake/run.h"
#include "core/clock.h"
#include "core/file.h"

#include <stdio.h>
#include <string.h>

PeltiJson *pelti_report_mesh(const PeltCharacterInfo *info, bool *ok)
{
    PeltiJson *mesh = pelti_json_new_object();
    pelti_put_int(mesh, "vertices", info->point_count, ok);
    pelti_put_int(mesh, "welded", info->welded_count, ok);
    pelti_put_int(mesh, "triangles", info->triangle_count, ok);
    pelti_put_int(mesh, "components", info->component_count, ok);
    pelti_put(mesh, "closed", pelti_json_new_bool(info->closed), ok);
    return mesh;
}

static PeltiJson *times_json(const PeltiRun *run, bool *ok)
{
    PeltiRunTimes times = pelti_run_times(run);
    PeltiJson *json = pelti_json_new_object();
    pelti_put_number(json, "mean", times.mean, ok);
    pelti_put_number(json, "p50", times.p50, ok);
    pelti_put_number(json, "p95", times.p95, ok);
    pelti_put_number(json, "max", times.max, ok);
    return json;
}

static void put_field(PeltiJson *json, const char *name, const PeltQuality *q, const PeltiMeasureField *field, bool *ok)
{
    if (field->is_count)
        pelti_put_int(json, name, pelti_quality_count(q, field), ok);
    else
        pelti_put_number(json, name, pelti_quality_value(q, field), ok);
}

PeltiJson *pelti_report_quality(const PeltQuality *q, bool *ok)
{
    PeltiJson *json = pelti_json_new_object();
    for (const PeltiMeasureField *field = pelti_measure_fields; field->name; field++)
        put_field(json, field->name, q, field, ok);
    return json;
}

void pelti_report_frame_quality(PeltiJson *frame, const PeltQuality *q, bool *ok)
{
    for (const PeltiMeasureField *field = pelti_measure_fields; field->name; field++)
        if (field->frame_name)
            put_field(frame, field->frame_name, q, field, ok);
}

void pelti_report_verdict(PeltiJson *quality, PeltVerdict verdict, const char *text, bool *ok)
{
    pelti_put_text(quality, "verdict", text, ok);
    pelti_put(quality, "verdict_worse", pelti_json_new_bool(verdict == PELT_VERDICT_WORSE), ok);
}

/// lbs is in the clip's pose, so what a scene did with the character is part of the difference.
PeltVerdict pelti_run_verdict(const PeltiRun *run, char *text, size_t size)
{
    PeltVerdict verdict = pelt_measure_verdict(run->measure, text, size);
    size_t length = strlen(text);
    if (run->around)
        snprintf(text + length, size - length, " (beside the character without objects)");
    return verdict;
}

PeltiJson *pelti_report_measured(const PeltMeasure *measure, PeltVerdict verdict, const char *text, bool *ok)
{
    PeltQuality quality = pelt_measure_quality(measure), lbs = pelt_measure_lbs_quality(measure);
    PeltiJson *json = pelti_report_quality(&quality, ok), *components = pelti_json_new_array();
    pelti_report_verdict(json, verdict, text, ok);
    if (lbs.frames)
        pelti_put(json, "lbs", pelti_report_quality(&lbs, ok), ok);
    for (int i = 0; i < pelt_measure_component_count(measure); i++) {
        PeltComponentQuality part = pelt_measure_component(measure, i);
        PeltiJson *one = pelti_json_new_object();
        pelti_put_int(one, "component", part.component, ok);
        pelti_put_int(one, "vertices", part.vertices, ok);
        pelti_put_number(one, "rest_volume", part.rest_volume, ok);
        pelti_put_number(one, "volume_ratio_min", part.ratio_min, ok);
        pelti_put_number(one, "volume_ratio_max", part.ratio_max, ok);
        pelti_put_number(one, "volume_vs_lbs", part.vs_lbs, ok);
        *ok = pelti_json_push(components, one) && *ok;
    }
    pelti_put(json, "components", components, ok);
    return json;
}

static PeltiJson *vector_json(Vec3 v, bool *ok)
{
    PeltiJson *json = pelti_json_new_array();
    const float all[3] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++)
        *ok = pelti_json_push(json, pelti_json_new_number(isfinite(all[k]) ? (double)all[k] : 0)) && *ok;
    return json;
}

/// Contacts of one frame: what was watched and solved, and every point with a force (on `a`, in N).
static PeltiJson *contact_json(const PeltiAround *around, int index, bool *ok)
{
    const PeltiAroundContacts *frame = pelti_around_frame(around, index);
    PeltiJson *json = pelti_json_new_object(), *list = pelti_json_new_array();
    pelti_put_number(json, "ms", frame->ms, ok);
    pelti_put_int(json, "watched", frame->report.contacts, ok);
    pelti_put_int(json, "substeps", frame->report.substeps, ok);
    pelti_put_int(json, "linearisations", frame->report.linearisations, ok);
    pelti_put_int(json, "iterations", frame->report.iterations, ok);
    pelti_put_number(json, "residual", frame->report.change, ok);
    pelti_put(json, "converged", pelti_json_new_bool(frame->report.converged), ok);
    pelti_put_number(json, "depth", frame->report.deepest, ok);
    pelti_put_number(json, "pushed", frame->pushed, ok);
    pelti_put_int(json, "dropped", frame->report.dropped, ok);
    for (int i = 0; i < frame->count; i++) {
        const PeltiContactPoint *p = &pelti_around_points(around)[frame->first + i];
        PeltiJson *point = pelti_json_new_object();
        pelti_put_text(point, "a", p->a, ok);
        pelti_put_text(point, "b", p->b, ok);
        pelti_put(point, "at", vector_json(p->point, ok), ok);
        pelti_put(point, "normal", vector_json(p->normal, ok), ok);
        pelti_put(point, "force", vector_json(p->force, ok), ok);
        pelti_put(point, "slides", pelti_json_new_bool(p->slides), ok);
        *ok = pelti_json_push(list, point) && *ok;
    }
    pelti_put(json, "points", list, ok);
    PeltiJson *objects = pelti_json_new_object();
    for (int i = 0; i < pelti_around_object_count(around); i++)
        pelti_put(objects, pelti_around_object_name(around, i), vector_json(pelti_around_object_at(around, index, i), ok), ok);
    pelti_put(json, "objects", objects, ok);
    return json;
}

static PeltiJson *frame_json(const PeltiRun *run, const PeltiRunFrame *record, bool *ok)
{
    PeltiJson *json = pelti_json_new_object();
    pelti_put_int(json, "frame", record->frame, ok);
    pelti_put_number(json, "step_ms", record->step_ms, ok);
    pelti_put_int(json, "substeps", record->substeps, ok);
    if (run->around)
        pelti_put(json, "contact", contact_json(run->around, (int)(record - run->records), ok), ok);
    if (run->measure)
        pelti_report_frame_quality(json, &record->quality, ok);
    return json;
}

void pelti_report_warnings(PeltiJson *list, const PeltiLog *log, bool *ok)
{
    for (int i = 0; i < pelti_log_count(log); i++) {
        PeltiJson *json = pelti_json_new_object();
        pelti_put_text(json, "code", pelti_log_get(log, i)->code, ok);
        pelti_put_text(json, "text", pelti_log_get(log, i)->text, ok);
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

/// Joints that gave way to the body itself, and how far they turned from the clip at most.
static PeltiJson *give_way_json(const PeltiRun *run, bool *ok)
{
    PeltiJson *list = pelti_json_new_array();
    const PeltiGiveWay *g = run->skin->mends.give_way;
    for (int j = 0; j < pelti_give_way_joint_count(g); j++) {
        PeltiGiveWayJoint gave = pelti_give_way_joint(g, j);
        if (!(gave.steps > 0))
            continue;
        PeltiJson *json = pelti_json_new_object();
        pelti_put_text(json, "joint", gave.joint, ok);
        pelti_put_number(json, "most_deg", gave.most * 57.29578, ok);
        pelti_put_int(json, "frame", run->first + gave.most_step, ok);
        pelti_put_int(json, "frames", gave.steps, ok);
        *ok = pelti_json_push(list, json) && *ok;
    }
    return list;
}

static void put_frame(PeltiJson *json, const char *name, const PeltiRun *run, long step, bool *ok)
{
    if (step >= 0)
        pelti_put_int(json, name, run->first + step, ok);
}

/// Parts that the clip takes through each other, and what was done with them.
static PeltiJson *sides_json(const PeltiRun *run, bool *ok)
{
    PeltiJson *list = pelti_json_new_array();
    const PeltiGiveWay *g = run->skin->mends.give_way;
    for (int i = 0; i < pelti_give_way_side_count(g); i++) {
        PeltiGiveWaySide side = pelti_give_way_side(g, i);
        PeltiJson *json = pelti_json_new_object();
        pelti_put_text(json, "a", side.a, ok);
        pelti_put_text(json, "b", side.b, ok);
        put_frame(json, "from", run, side.first, ok);
        put_frame(json, "to", run, side.last, ok);
        pelti_put_int(json, "frames", side.steps, ok);
        pelti_put_number(json, "most", side.most, ok);
        put_frame(json, "let_go", run, side.let_go, ok);
        put_frame(json, "through", run, side.through, ok);
        *ok = pelti_json_push(list, json) && *ok;
    }
    return list;
}

static void fill(PeltiJson *root, const PeltiRun *run, bool *ok)
{
    const PeltiCharacter *who = run->character->who;
    PeltCharacterInfo info = pelt_character_info(run->character);
    pelti_put_text(root, "pelt", PELT_VERSION_STRING, ok);
    pelti_put_text(root, "method", run->skin->method->name, ok);
    pelti_put_text(root, "clip", run->clip >= 0 ? who->clips[run->clip].name : "", ok);
    pelti_put_number(root, "fps", run->def->fps, ok);
    pelti_put_int(root, "frames", run->count, ok);
    pelti_put_int(root, "first_frame", run->first, ok);
    pelti_put_int(root, "threads", pelti_jobs_threads(run->skin->jobs), ok);
    pelti_put_text(root, "weights", run->skin->weights.source, ok);
    pelti_put(root, "mesh", pelti_report_mesh(&info, ok), ok);
    pelti_put_int(root, "bones", info.joint_count, ok);
    pelti_put_number(root, "prepare_ms", run->skin->prepare_ms, ok);
    pelti_put(root, "step_ms", times_json(run, ok), ok);
    if (run->skin->method->flags & PELTI_METHOD_DYNAMIC)
        pelti_put_number(root, "substep_ms", substep_ms(run), ok);
    pelti_put_number(root, "peak_mb", pelti_peak_mb(), ok);
    if (run->measure) {
        char text[400];
        PeltVerdict verdict = pelti_run_verdict(run, text, sizeof text);
        pelti_put(root, "quality", pelti_report_measured(run->measure, verdict, text, ok), ok);
    }
    PeltiJson *frames = pelti_json_new_array(), *stats = pelti_json_new_object(), *warnings = pelti_json_new_array();
    for (int i = 0; i < run->count; i++)
        *ok = pelti_json_push(frames, frame_json(run, &run->records[i], ok)) && *ok;
    for (int i = 0; i < run->stat_count; i++)
        pelti_put_number(stats, run->stats[i].name, run->stats[i].value, ok);
    pelti_report_warnings(warnings, &who->log, ok);
    pelti_report_warnings(warnings, &run->skin->log, ok);
    pelti_report_warnings(warnings, &run->log, ok);
    pelti_put(root, "per_frame", frames, ok);
    pelti_put(root, "method_stats", stats, ok);
    if (run->skin->mends.give_way) {
        pelti_put(root, "give_way", give_way_json(run, ok), ok);
        pelti_put(root, "give_way_sides", sides_json(run, ok), ok);
    }
    if (run->written.morph_targets) {
        PeltiJson *morph = pelti_json_new_object();
        pelti_put_int(morph, "targets", run->written.morph_targets, ok);
        pelti_put_number(morph, "error", (double)run->written.morph_error_share, ok);
        pelti_put(root, "morph", morph, ok);
    }
    pelti_put(root, "warnings", warnings, ok);
}

PeltStatus pelti_report_write(const PeltiRun *run, PeltiFile *file, PeltError *err)
{
    bool ok = true;
    PeltiJson *root = pelti_json_new_object();
    fill(root, run, &ok);
    PELT_TRY(pelti_json_write(root, ok, &run->pool.allocator, file, err));
    return pelti_file_complete(file, err);
}
