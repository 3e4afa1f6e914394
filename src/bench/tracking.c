/// Implicit skin: Table 1 of [Vaillant2014] beside ours.
/// Built-in characters play the clip that bends every joint, cut so that the fastest joint turns by the step of the row; times
/// are means over the frames played, settled in the first one.
#include "bench/bench.h"
#include "builtin/builtin.h"
#include "io/gltf.h"
#include "math/order.h"
#include "methods/method.h"
#include "methods/tracking/tracking.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 80 };

typedef struct Subject {
    PeltiCharacter *who;
    PeltiWeights weights;
    PeltiPose pose;
    PeltiNodeMatrix *node_matrix;
    Vec3 *points;
    Mat34 *frames;      ///< [MOST_FRAMES x bone_count]
    PeltiJoint *joints; ///< the same
    int frame_count;
} Subject;

typedef struct Played {
    double mean_ms, median_ms, most_ms, prepare_ms;
    double stage_ms[4];                              ///< means
    double virtual_frames, relaxations, evaluations; ///< means of a frame
    double residual_p99, field_mb;
} Played;

static bool set_up(Subject *s)
{
    if (pelti_weights_from_file(s->who, &s->who->pool, &s->weights, NULL) != PELT_OK)
        return false;
    s->pose = pelti_pose_new(&s->who->pool, s->who);
    s->node_matrix = PELTI_NEW(&s->who->pool, PeltiNodeMatrix, s->who->node_count);
    s->points = PELTI_NEW(&s->who->pool, Vec3, s->who->point_count);
    s->frames = PELTI_NEW(&s->who->pool, Mat34, (size_t)s->who->bone_count * MOST_FRAMES);
    s->joints = PELTI_NEW(&s->who->pool, PeltiJoint, (size_t)s->who->bone_count * MOST_FRAMES);
    return !s->who->pool.failed;
}

static bool make_subject(Subject *s, const char *name, int vertices, PeltiJobs *jobs)
{
    *s = (Subject){0};
    return pelti_builtin_make(name, &(PeltiBuiltinOptions){.vertices = vertices}, jobs, NULL, &s->who, NULL) == PELT_OK &&
           set_up(s);
}

static Mat34 *frame_at(const Subject *s, int frame)
{
    return s->frames + (size_t)frame * (size_t)s->who->bone_count;
}

static PeltiStepInput input_at(const Subject *s, int frame)
{
    return (PeltiStepInput){.pose = &s->pose,
                            .bones = frame_at(s, frame),
                            .joints = s->joints + (size_t)frame * (size_t)s->who->bone_count,
                            .dt_s = 1.0f / 30,
                            .restart = frame == 0};
}

static void keep_pose(Subject *s, int frame)
{
    pelti_pose_bones(s->who, &s->pose, s->node_matrix, frame_at(s, frame));
    pelti_joints_pose(s->who, &s->pose, s->joints + (size_t)frame * (size_t)s->who->bone_count);
}

static void pose_at(Subject *s, const PeltiClip *clip, double time_s, int frame)
{
    pelti_pose_clip(s->who, clip, time_s, &s->pose);
    keep_pose(s, frame);
}

/// Frames of the clip's first half from `from_s` on, each a turn of `step_rad` of the fastest joint after the last.
static void cut_clip(Subject *s, double step_rad, double from_s, int most)
{
    int found = pelti_clip_find(s->who, "bend");
    const PeltiClip *clip = &s->who->clips[found < 0 ? 0 : found];
    double time = from_s, end = 0.5 * (double)clip->duration_s, width = 0.02;
    pose_at(s, clip, time, 0);
    for (s->frame_count = 1; s->frame_count < most && time < end; s->frame_count++) {
        Mat34 *last = frame_at(s, s->frame_count - 1), *next = frame_at(s, s->frame_count);
        for (int k = 0; k < 12; k++) { // the turn grows nearly in proportion to the time
            pose_at(s, clip, time + width, s->frame_count);
            double turn = (double)pelti_pose_largest_turn(s->who, last, next);
            width *= fmin(fmax(step_rad / fmax(turn, 1e-9), 0.2), 5);
        }
        width = fmin(width, end - time + 1e-9);
        pose_at(s, clip, time + width, s->frame_count);
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
    pose_at(s, clip, 0, 0);
    Quat start = s->pose.local[node].rotation;
    pelti_pose_clip(s->who, clip, 0.5 * (double)clip->duration_s, &s->pose);
    Quat end = s->pose.local[node].rotation;
    float whole = quat_angle(quat_mul(quat_conjugate(start), end));
    pelti_pose_clip(s->who, clip, 0, &s->pose);
    for (s->frame_count = 0; s->frame_count < count; s->frame_count++) {
        float angle = step_rad * (float)s->frame_count, share = whole > 0 ? fminf(angle / whole, 1) : 0;
        s->pose.local[node].rotation = quat_slerp(start, end, share);
        s->pose.touched[node] = true;
        keep_pose(s, s->frame_count);
    }
}

static double stat_of(const PeltiStepReport *report, const char *name)
{
    for (int k = 0; k < report->told.stat_count; k++)
        if (!strcmp(report->told.stats[k].name, name))
            return report->told.stats[k].value;
    return 0;
}

static void *prepare(Subject *s, const char *method, PeltiJobs *jobs, double *took_ms)
{
    static PeltiOptions options;
    const PeltiMethod *m = pelti_method_find(method);
    void *state = NULL;
    pelti_options_init(&options, m->options);
    PeltiMethodPrepare in = {.who = s->who, .options = &options, .weights = &s->weights, .jobs = jobs};
    double start = pelti_clock_ms();
    if (m->prepare(&in, &state, NULL) != PELT_OK)
        return NULL;
    *took_ms = pelti_clock_ms() - start;
    return state;
}

static bool play(Subject *s, const char *method, int threads, Played *out)
{
    static const char *const stages[4] = {"fields_ms", "project_ms", "relax_ms", "smooth_ms"};
    *out = (Played){0};
    const PeltiMethod *m = pelti_method_find(method);
    PeltiJobs *jobs = pelti_jobs_create(threads);
    void *state = prepare(s, method, jobs, &out->prepare_ms);
    double n = s->frame_count - 1, each[MOST_FRAMES];
    for (int f = 0; f < s->frame_count && state; f++) {
        PeltiStepReport report = {0};
        PeltiStepInput in = input_at(s, f);
        double start = pelti_clock_ms();
        m->step(state, &in, s->points, &report);
        double ms = pelti_clock_ms() - start;
        if (f == 0)
            continue;
        each[f - 1] = ms;
        out->mean_ms += ms / n;
        out->most_ms = fmax(out->most_ms, ms);
        for (int k = 0; k < 4; k++)
            out->stage_ms[k] += stat_of(&report, stages[k]) / n;
        out->virtual_frames += stat_of(&report, "virtual_frames") / n;
        out->relaxations += stat_of(&report, "relaxations") / n;
        out->evaluations += stat_of(&report, "evaluations") / n;
        out->residual_p99 = fmax(out->residual_p99, stat_of(&report, "iso_residual_p99"));
        out->field_mb = stat_of(&report, "field_mb");
    }
    if (state) {
        qsort(each, (size_t)n, sizeof *each, pelti_double_order);
        out->median_ms = each[(int)(n / 2)];
        m->destroy(state);
    }
    pelti_jobs_destroy(jobs);
    return state != NULL;
}

/// Arithmetic of a step of the relaxation, a vertex: its seven neighbours' Laplacian, and two triangular solves of three columns
/// over a factor of some twenty entries a row.
enum { RELAX_FLOPS = 7 * 3 * 2 + 2 * 20 * 3 * 2 };

// ---- Table 1 ----

typedef struct PaperTurn {
    double step_rad, tracking_ms, implicit_ms; ///< [Vaillant2014] Table 1, on a graphics card
    double wanted_ms;                          ///< what we aim at
} PaperTurn;

/// Whether any row of a character at this step is asked for.
static bool wants_row(const PeltiBench *bench, const char *label, double step_rad)
{
    static const char *const rows[] = {"1 thread", "2 threads", "implicit"};
    bool wanted = step_rad == 0.05 &&
                  (pelti_bench_wants(bench, "%s, prepare", label) || pelti_bench_wants(bench, "%s, fields, operators", label));
    for (int k = 0; k < 3; k++)
        wanted = wanted || pelti_bench_wants(bench, "%s, %g rad, %s", label, step_rad, rows[k]);
    return wanted;
}

static void row_of_table(PeltiBench *bench, Subject *s, const char *label, const PaperTurn *paper)
{
    bool slow = paper->step_rad < 0.01, quick = pelti_bench_quick(bench);
    double vertices = s->who->mesh->vertex_count;
    if (!wants_row(bench, label, paper->step_rad))
        return;
    cut_clip(s, paper->step_rad, slow ? 0.4 : 0, slow ? (quick ? 15 : 41) : MOST_FRAMES);
    for (int threads = quick ? 2 : 1; threads <= 2 && threads <= pelti_bench_threads(bench); threads++) {
        char name[72];
        Played p, i;
        if (threads < 2 && !pelti_bench_wants(bench, "%s, %g rad, 1 thread", label, paper->step_rad))
            continue;
        if (!play(s, "tracking", threads, &p) || !play(s, "implicit", threads, &i))
            return;
        snprintf(name, sizeof name, "%s, %g rad, %d thread%s", label, paper->step_rad, threads, threads > 1 ? "s" : "");
        pelti_bench_row(bench, name,
                        (PeltiBenchFigure){.value = p.mean_ms, .unit = "ms", .limit = threads == 2 ? paper->wanted_ms : 0},
                        "median %.1f, worst %.0f (fields %.1f, project %.1f, relax %.1f, smooth %.1f); virtual frames %.1f, "
                        "relaxations %.1f, "
                        "evaluations %.1f a vertex; residual p99 %.0e",
                        p.median_ms, p.most_ms, p.stage_ms[0], p.stage_ms[1], p.stage_ms[2], p.stage_ms[3], p.virtual_frames,
                        p.relaxations, p.evaluations / vertices, p.residual_p99);
        pelti_bench_paper(bench, paper->tracking_ms);
        pelti_bench_bound(bench, p.mean_ms, threads,
                          p.evaluations * PELTI_BENCH_FIELD_FLOPS + p.relaxations * vertices * RELAX_FLOPS, 0);
        if (threads < 2)
            continue;
        snprintf(name, sizeof name, "%s, %g rad, implicit", label, paper->step_rad);
        pelti_bench_row(bench, name, (PeltiBenchFigure){.value = i.mean_ms, .unit = "ms"},
                        "tracking takes %.2f times as long (paper %.1f, wanted 1.5)", p.mean_ms / i.mean_ms,
                        paper->tracking_ms / paper->implicit_ms);
        pelti_bench_paper(bench, paper->implicit_ms);
        if (paper->step_rad != 0.05)
            continue;
        snprintf(name, sizeof name, "%s, prepare", label);
        pelti_bench_row(bench, name, (PeltiBenchFigure){.value = p.prepare_ms * 1e-3, .unit = "s", .limit = 3},
                        "%g vertices, %d bones", vertices, s->who->bone_count);
        snprintf(name, sizeof name, "%s, fields, operators", label);
        pelti_bench_row(bench, name, (PeltiBenchFigure){.value = p.field_mb * 1.048576, .unit = "MB", .limit = 30}, "%s",
                        "grids of value and gradient, operator tables");
    }
}

#define ONE_JOINT "biped 13.3k/52, 0.05 rad, %s alone"

static void one_joint(PeltiBench *bench, Subject *s)
{
    static const char *const joints[] = {"LeftLowerArm", "RightUpperLeg", "Spine", "LeftIndexProximal"};
    Played all, one;
    bool wanted = false;
    for (size_t k = 0; k < sizeof joints / sizeof *joints; k++)
        wanted = wanted || pelti_bench_wants(bench, ONE_JOINT, joints[k]);
    if (!wanted)
        return;
    cut_clip(s, 0.05, 0, MOST_FRAMES);
    if (!play(s, "tracking", pelti_bench_threads(bench), &all))
        return;
    for (size_t k = 0; k < sizeof joints / sizeof *joints; k++) {
        char name[72];
        if (!pelti_bench_wants(bench, ONE_JOINT, joints[k]))
            continue;
        turn_joint(s, joints[k], 0.05f, 12);
        snprintf(name, sizeof name, ONE_JOINT, joints[k]);
        if (play(s, "tracking", pelti_bench_threads(bench), &one))
            pelti_bench_row(bench, name, (PeltiBenchFigure){.value = one.mean_ms, .unit = "ms", .limit = 0.25 * all.mean_ms},
                            "%.2f of all joints (%.1f ms); %.1f evals/vtx", one.mean_ms / all.mean_ms, all.mean_ms,
                            one.evaluations / s->who->mesh->vertex_count);
    }
}

static void table_of_paper(PeltiBench *bench)
{
    static const struct {
        const char *label, *name;
        int vertices;
        PaperTurn rows[3];
    } table[] = {
        {"biped 13.3k/52 (Jeff 13.3k/45)", "biped", 13640, {{0.5, 100, 30, 0}, {0.05, 50, 30, 12}, {0.005, 24, 20, 0}}},
        {"biped 16.4k/52 (Armadillo 16.4k/43)", "biped", 16820, {{0.05, 70, 23, 15}}},
        {"hand 31.7k/21 (Hand 31.7k/21)", "hand", 32150, {{0.5, 650, 83, 0}, {0.05, 220, 83, 45}}},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        Subject s;
        PeltiJobs *jobs = pelti_jobs_create(pelti_bench_threads(bench));
        bool wanted = k == 0; // one joint's rows are of the first
        for (int r = 0; r < 3 && table[k].rows[r].step_rad > 0; r++)
            wanted = wanted || wants_row(bench, table[k].label, table[k].rows[r].step_rad);
        if (!wanted || (pelti_bench_quick(bench) && k > 0))
            s.who = NULL;
        else if (make_subject(&s, table[k].name, table[k].vertices, jobs))
            for (int r = 0; r < 3 && table[k].rows[r].step_rad > 0; r++)
                if (!pelti_bench_quick(bench) || table[k].rows[r].step_rad == 0.05)
                    row_of_table(bench, &s, table[k].label, &table[k].rows[r]);
        if (k == 0)
            one_joint(bench, &s);
        pelti_character_destroy(s.who);
        pelti_jobs_destroy(jobs);
    }
}

// ---- parts of it ----

typedef struct Saved { ///< what a relaxation changes
    Vec3 *x, *normal;
    unsigned char *contact, *must_look;
    int *other;
    float *residual, *drift;
} Saved;

static void copy_state(const Saved *from, const Saved *to, size_t n)
{
    memcpy(to->x, from->x, n * sizeof(Vec3));
    memcpy(to->normal, from->normal, n * sizeof(Vec3));
    memcpy(to->contact, from->contact, n);
    memcpy(to->must_look, from->must_look, n);
    memcpy(to->other, from->other, n * sizeof(int));
    memcpy(to->residual, from->residual, n * sizeof(float));
    memcpy(to->drift, from->drift, n * sizeof(float));
}

/// Time until the energy is within 1 % of `goal`; at most `most` calls of `steps` steps.
static double time_to_energy(Tracking *t, bool fast, int steps, int most, double goal, int *taken)
{
    double ms = 0;
    t->set.fast = fast;
    t->set.iterations = steps;
    for (*taken = 0; *taken < most * steps && pelti_tracking_energy(t) > 1.01 * goal; *taken += steps) {
        double start = pelti_clock_ms();
        pelti_tracking_relax(t);
        ms += pelti_clock_ms() - start;
    }
    return *taken < most * steps ? ms : INFINITY;
}

/// A bend of 0.5 rad in one go: the relaxation alone, both solvers from the same start.
static void compare_solvers(PeltiBench *bench, const char *name, int vertices)
{
    Subject s;
    double ignored;
    int sweeps, steps;
    Tracking *t = NULL;
    char label[72];
    snprintf(label, sizeof label, "%s %.1fk, fast solver against Jacobi", name, vertices * 1e-3);
    if (!pelti_bench_wants(bench, "%s", label))
        return;
    PeltiJobs *jobs = pelti_jobs_create(pelti_bench_threads(bench));
    if (make_subject(&s, name, vertices, jobs) && (t = prepare(&s, "tracking", jobs, &ignored)) != NULL) {
        int n = s.who->mesh->vertex_count;
        PeltiPool *pool = &s.who->pool;
        cut_clip(&s, 0.5, 0, 2);
        t->set.subdivide = false;
        t->set.tolerance = 0;
        const PeltiMethod *m = pelti_method_find("tracking");
        PeltiStepInput in = input_at(&s, 0);
        m->step(t, &in, s.points, NULL);
        t->set.iterations = 0;
        in = input_at(&s, 1);
        m->step(t, &in, s.points, NULL);
        Saved live = {t->surface.x,     t->surface.normal,   t->surface.contact, t->surface.must_look,
                      t->surface.other, t->surface.residual, t->surface.drift};
        Saved kept = {PELTI_NEW(pool, Vec3, n),          PELTI_NEW(pool, Vec3, n), PELTI_NEW(pool, unsigned char, n),
                      PELTI_NEW(pool, unsigned char, n), PELTI_NEW(pool, int, n),  PELTI_NEW(pool, float, n),
                      PELTI_NEW(pool, float, n)};
        copy_state(&live, &kept, (size_t)n);
        double before = pelti_tracking_energy(t);
        t->set.fast = false;
        t->set.iterations = 10000;
        pelti_tracking_relax(t);
        double goal = pelti_tracking_energy(t);
        copy_state(&kept, &live, (size_t)n);
        double slow = time_to_energy(t, false, 10, 1000, goal, &sweeps);
        copy_state(&kept, &live, (size_t)n);
        double fast = time_to_energy(t, true, 2, 100, goal, &steps);
        pelti_bench_row(bench, label, (PeltiBenchFigure){.value = slow / fast, .unit = "x", .limit = 8},
                        "%.1f ms, %d steps against %.0f ms, %d sweeps; energy %.4g before, %.4g after 10^4 sweeps", fast, steps,
                        slow, sweeps, before, goal);
    }
    pelti_method_find("tracking")->destroy(t);
    pelti_character_destroy(s.who);
    pelti_jobs_destroy(jobs);
}

static void cost_per_vertex(PeltiBench *bench)
{
    static const int sizes[] = {5000, 13640, 30000, 100000};
    double first = 0;
    for (size_t k = 0; k < (pelti_bench_quick(bench) ? 2 : sizeof sizes / sizeof *sizes); k++) {
        Subject s;
        Played p;
        char name[72];
        snprintf(name, sizeof name, "biped %.1fk, 0.05 rad, a vertex", sizes[k] * 1e-3);
        if (!pelti_bench_wants(bench, "%s", name))
            continue;
        PeltiJobs *jobs = pelti_jobs_create(pelti_bench_threads(bench));
        if (make_subject(&s, "biped", sizes[k], jobs)) {
            cut_clip(&s, 0.05, 0, 22);
            if (play(&s, "tracking", pelti_bench_threads(bench), &p)) {
                double cost = p.mean_ms * 1e6 / s.who->mesh->vertex_count;
                first = first > 0 ? first : cost;
                pelti_bench_row(bench, name, (PeltiBenchFigure){.value = cost, .unit = "ns", .limit = 1.25 * first},
                                "%d vertices, %.2f of the smallest mesh's cost (wanted 0.75 to 1.25); %.1f ms",
                                s.who->mesh->vertex_count, cost / first, p.mean_ms);
            }
        }
        pelti_character_destroy(s.who);
        pelti_jobs_destroy(jobs);
    }
}

static void real_human(PeltiBench *bench)
{
    char path[1024];
    Subject s = {0};
    PeltiGltf *doc = NULL;
    Played p;
    PeltError err = {0};
    if (!pelti_bench_wants(bench, "human 13.4k/163, 0.05 rad") && !pelti_bench_wants(bench, "human 13.4k/163, prepare") &&
        !pelti_bench_wants(bench, "human 13.4k/163, fields, operators"))
        return;
    snprintf(path, sizeof path, "%s/makehuman-cc0.glb", pelti_bench_data(bench) ? pelti_bench_data(bench) : "");
    if (!pelti_bench_data(bench))
        pelti_bench_skip(bench, "human 13.4k/163", "give --data DIR with makehuman-cc0.glb");
    else if (pelti_gltf_open(path, NULL, &doc, &err) != PELT_OK || pelti_gltf_character(doc, NULL, &s.who, &err) != PELT_OK)
        pelti_bench_skip(bench, "human 13.4k/163", err.text);
    else if (set_up(&s)) {
        cut_clip(&s, 0.05, 0, MOST_FRAMES);
        if (play(&s, "tracking", pelti_bench_threads(bench), &p)) {
            pelti_bench_row(bench, "human 13.4k/163, 0.05 rad", (PeltiBenchFigure){.value = p.mean_ms, .unit = "ms"},
                            "median %.1f, worst %.0f (fields %.1f, project %.1f, relax %.1f, smooth %.1f); residual p99 %.0e",
                            p.median_ms, p.most_ms, p.stage_ms[0], p.stage_ms[1], p.stage_ms[2], p.stage_ms[3], p.residual_p99);
            pelti_bench_row(bench, "human 13.4k/163, prepare",
                            (PeltiBenchFigure){.value = p.prepare_ms * 1e-3, .unit = "s", .limit = 8}, "%s", "");
            pelti_bench_row(bench, "human 13.4k/163, fields, operators",
                            (PeltiBenchFigure){.value = p.field_mb * 1.048576, .unit = "MB", .limit = 60}, "%s", "");
        }
    }
    pelti_character_destroy(s.who);
    pelti_gltf_close(doc);
}

void pelti_bench_tracking(PeltiBench *bench)
{
    table_of_paper(bench);
    compare_solvers(bench, pelti_bench_quick(bench) ? "arm" : "biped", pelti_bench_quick(bench) ? 2000 : 5000);
    cost_per_vertex(bench);
    real_human(bench);
}
