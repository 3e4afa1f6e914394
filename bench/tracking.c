/// Implicit skin: Table 1 of [Vaillant2014] beside ours. Built-in characters play the clip that bends every joint, cut so that
/// the fastest joint turns by the step of the row; times are means over the frames played, settled in the first one.
#include "bench.h"
#include "character/builtin.h"
#include "methods/method.h"
#include "methods/tracking/tracking.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FRAMES = 80 };

typedef struct Subject {
    PeltiCharacter *who;
    PeltiWeights weights;
    PeltiPose pose;
    PeltiWorld *world;
    Vec3 *points;
    Mat34 *frames; ///< [MOST_FRAMES x bone_count]
    int frame_count;
} Subject;

typedef struct Played {
    double mean_ms, most_ms, prepare_ms;
    double virtual_frames, relaxations, evaluations; ///< means of a frame
    double contacts, crossings, residual_p99, field_mb;
} Played;

static bool make_subject(Subject *s, const char *name, int vertices, PeltiJobs *jobs)
{
    *s = (Subject){0};
    if (pelti_builtin_make(name, &(PeltiBuiltinOptions){.vertices = vertices}, jobs, NULL, &s->who, NULL) != PELT_OK ||
        pelti_weights_from_file(s->who, &s->who->pool, &s->weights, NULL) != PELT_OK)
        return false;
    s->pose = pelti_pose_new(&s->who->pool, s->who);
    s->world = PELTI_NEW(&s->who->pool, PeltiWorld, s->who->node_count);
    s->points = PELTI_NEW(&s->who->pool, Vec3, s->who->point_count);
    s->frames = PELTI_NEW(&s->who->pool, Mat34, (size_t)s->who->bone_count * MOST_FRAMES);
    return !s->who->pool.failed;
}

static Mat34 *frame_at(const Subject *s, int frame)
{
    return s->frames + (size_t)frame * (size_t)s->who->bone_count;
}

static void pose_at(Subject *s, const PeltiClip *clip, double time_s, Mat34 *out)
{
    pelti_pose_clip(s->who, clip, time_s, &s->pose);
    pelti_pose_bones(s->who, &s->pose, s->world, out);
}

/// Frames of the clip's first half from `from_s` on, each a turn of `step_rad` of the fastest joint after the last.
static void cut_clip(Subject *s, double step_rad, double from_s, int most)
{
    int found = pelti_clip_find(s->who, "bend");
    const PeltiClip *clip = &s->who->clips[found < 0 ? 0 : found];
    double time = from_s, end = 0.5 * (double)clip->duration_s, width = 0.02;
    pose_at(s, clip, time, frame_at(s, 0));
    for (s->frame_count = 1; s->frame_count < most && time < end; s->frame_count++) {
        Mat34 *last = frame_at(s, s->frame_count - 1), *next = frame_at(s, s->frame_count);
        for (int k = 0; k < 12; k++) { // the turn grows nearly in proportion to the time
            pose_at(s, clip, time + width, next);
            double turn = (double)pelti_pose_largest_turn(s->who, last, next);
            width *= fmin(fmax(step_rad / fmax(turn, 1e-9), 0.2), 5);
        }
        width = fmin(width, end - time + 1e-9);
        pose_at(s, clip, time + width, next);
        time += width;
    }
}

/// One joint turns to and fro by `step_rad` a frame, its children with it, about the axis in which it bends.
static void turn_joint(Subject *s, const char *joint, float step_rad, int count)
{
    int bone = 0, found = pelti_clip_find(s->who, "bend");
    for (int b = 0; b < s->who->bone_count; b++)
        if (!strcmp(s->who->nodes[s->who->bones[b].node].name, joint))
            bone = b;
    int node = s->who->bones[bone].node;
    const PeltiClip *clip = &s->who->clips[found < 0 ? 0 : found];
    pose_at(s, clip, 0, frame_at(s, 0));
    Quat start = s->pose.local[node].rotation;
    pelti_pose_clip(s->who, clip, 0.5 * (double)clip->duration_s, &s->pose);
    Quat end = s->pose.local[node].rotation;
    float whole = quat_angle(quat_mul(quat_conjugate(start), end));
    pelti_pose_clip(s->who, clip, 0, &s->pose);
    for (s->frame_count = 0; s->frame_count < count; s->frame_count++) {
        float angle = step_rad * (float)s->frame_count, share = whole > 0 ? fminf(angle / whole, 1) : 0;
        s->pose.local[node].rotation = quat_slerp(start, end, share);
        s->pose.touched[node] = true;
        pelti_pose_bones(s->who, &s->pose, s->world, frame_at(s, s->frame_count));
    }
}

static double stat_of(const PeltiStepReport *report, const char *name)
{
    for (int k = 0; k < report->stat_count; k++)
        if (!strcmp(report->stats[k].name, name))
            return report->stats[k].value;
    return 0;
}

static void *prepare(Subject *s, const char *method, PeltiJobs *jobs, double *took_ms)
{
    static PeltiOptions options;
    const PeltiMethod *m = pelti_method_find(method);
    void *state = NULL;
    pelti_options_init(&options, m->options);
    PeltiPrepare in = {.who = s->who, .options = &options, .weights = &s->weights, .jobs = jobs};
    double start = pelti_clock_ms();
    if (m->prepare(&in, &state, NULL) != PELT_OK)
        return NULL;
    *took_ms = pelti_clock_ms() - start;
    return state;
}

static bool play(Subject *s, const char *method, int threads, int passes, Played *out)
{
    *out = (Played){.mean_ms = INFINITY};
    const PeltiMethod *m = pelti_method_find(method);
    PeltiJobs *jobs = pelti_jobs_create(threads);
    void *state = prepare(s, method, jobs, &out->prepare_ms);
    for (int pass = 0; pass < passes && state; pass++) {
        double sum = 0, most = 0, n = s->frame_count - 1;
        Played p = {.prepare_ms = out->prepare_ms};
        for (int f = 0; f < s->frame_count; f++) {
            PeltiStepReport report = {0};
            PeltiStepInput in = {.pose = &s->pose, .bones = frame_at(s, f), .dt_s = 1.0f / 30, .restart = f == 0};
            double start = pelti_clock_ms();
            m->step(state, &in, s->points, &report);
            double ms = pelti_clock_ms() - start;
            if (f == 0)
                continue;
            sum += ms;
            most = fmax(most, ms);
            p.virtual_frames += stat_of(&report, "virtual_frames") / n;
            p.relaxations += stat_of(&report, "relaxations") / n;
            p.evaluations += stat_of(&report, "evaluations") / n;
            p.contacts = fmax(p.contacts, stat_of(&report, "contact_vertices"));
            p.crossings = fmax(p.crossings, stat_of(&report, "crossings_left"));
            p.residual_p99 = fmax(p.residual_p99, stat_of(&report, "iso_residual_p99"));
            p.field_mb = stat_of(&report, "field_mb");
        }
        if (sum / n < out->mean_ms) {
            p.mean_ms = sum / n;
            p.most_ms = most;
            *out = p;
        }
    }
    if (state)
        m->destroy(state);
    pelti_jobs_destroy(jobs);
    return state != NULL;
}

// ---- Table 1 ----

typedef struct PaperRow {
    double step_rad, tracking_ms, implicit_ms; ///< [Vaillant2014] Table 1, on a graphics card
    double wanted_ms;                          ///< what we aim at
} PaperRow;

static void row_of_table(Bench *bench, Subject *s, const char *label, const PaperRow *paper)
{
    cut_clip(s, paper->step_rad, paper->step_rad < 0.01 ? 0.4 : 0,
             paper->step_rad < 0.01 ? (bench_quick(bench) ? 15 : 41) : MOST_FRAMES);
    for (int threads = bench_quick(bench) ? 2 : 1; threads <= 2 && threads <= bench_threads(bench); threads++) {
        char name[72];
        Played p, i;
        if (!play(s, "tracking", threads, bench_quick(bench) ? 1 : 2, &p) || !play(s, "implicit", threads, 1, &i))
            return;
        snprintf(name, sizeof name, "%s, %g rad, %d thread%s", label, paper->step_rad, threads, threads > 1 ? "s" : "");
        bench_row(bench, name, p.mean_ms, "ms", threads == 2 ? paper->wanted_ms : 0,
                  "paper %g; worst frame %.0f; %.1f x implicit (%.1f ms; paper %g); vf %.1f, relax %.1f, %.1f evals/vtx; p99 "
                  "%.0e, %g crossings",
                  paper->tracking_ms, p.most_ms, p.mean_ms / i.mean_ms, i.mean_ms, paper->implicit_ms, p.virtual_frames,
                  p.relaxations, p.evaluations / s->who->mesh->vertex_count, p.residual_p99, p.crossings);
        if (threads == 2 && paper->step_rad == 0.05) {
            snprintf(name, sizeof name, "%s, prepare", label);
            bench_row(bench, name, p.prepare_ms * 1e-3, "s", 3, "%d vertices, %d bones", s->who->mesh->vertex_count,
                      s->who->bone_count);
            snprintf(name, sizeof name, "%s, fields and operators", label);
            bench_row(bench, name, p.field_mb * 1.048576, "MB", 30, "%s", "value and gradient grids, operator tables");
        }
    }
}

static void one_joint(Bench *bench, Subject *s)
{
    static const char *const joints[] = {"LeftLowerArm", "RightUpperLeg", "Spine", "LeftIndexProximal"};
    Played all, one;
    cut_clip(s, 0.05, 0, MOST_FRAMES);
    if (!play(s, "tracking", bench_threads(bench), 1, &all))
        return;
    for (size_t k = 0; k < sizeof joints / sizeof *joints; k++) {
        char name[72];
        turn_joint(s, joints[k], 0.05f, 12);
        snprintf(name, sizeof name, "biped 13.3k/52, 0.05 rad, %s alone", joints[k]);
        if (play(s, "tracking", bench_threads(bench), 1, &one))
            bench_row(bench, name, one.mean_ms, "ms", 0.25 * all.mean_ms, "%.2f of all joints (%.1f ms); %.1f evals/vtx",
                      one.mean_ms / all.mean_ms, all.mean_ms, one.evaluations / s->who->mesh->vertex_count);
    }
}

static void table_of_paper(Bench *bench)
{
    static const struct {
        const char *label, *name;
        int vertices;
        PaperRow rows[3];
    } table[] = {
        {"biped 13.3k/52 (Jeff 13.3k/45)", "biped", 13640, {{0.5, 100, 30, 0}, {0.05, 50, 30, 12}, {0.005, 24, 20, 0}}},
        {"biped 16.4k/52 (Armadillo 16.4k/43)", "biped", 16820, {{0.05, 70, 23, 15}}},
        {"hand 31.7k/21 (Hand 31.7k/21)", "hand", 32150, {{0.5, 650, 83, 0}, {0.05, 220, 83, 45}}},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        Subject s;
        PeltiJobs *jobs = pelti_jobs_create(bench_threads(bench));
        if (make_subject(&s, table[k].name, table[k].vertices, jobs))
            for (int r = 0; r < 3 && table[k].rows[r].step_rad > 0; r++)
                row_of_table(bench, &s, table[k].label, &table[k].rows[r]);
        if (k == 0)
            one_joint(bench, &s);
        pelti_character_destroy(s.who);
        pelti_jobs_destroy(jobs);
    }
}

void bench_tracking(Bench *bench); // in the table of main.c
void bench_tracking(Bench *bench)
{
    table_of_paper(bench);
}
