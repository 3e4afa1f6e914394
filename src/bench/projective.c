/// Projective skinning at the sizes of [Komaritzan2018] Table 1, on built-in characters.
/// One simulation step of ten iterations in a walk (the cylinder: a bend), with what the paper took and what the issue wants
/// beside it.
#include "bench/bench.h"
#include "builtin/builtin.h"
#include "methods/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Scene {
    const char *character, *clip;
    int vertices;       ///< wanted
    const char *set[4]; ///< options: key, value, ...; NULL: no more
    int threads, steps; ///< of the clip that are timed
    double from_s;      ///< of the clip
    double frame_s;     ///< from pose to pose; 0: one step of the simulation
} Scene;

typedef struct Timing {
    int points, simulated, tets;
    double prepare_ms, step_ms; ///< best step of the simulation
    double shown_ms;            ///< best whole step: the simulation and its output
    double mean_ms;             ///< of whole steps
    double local_ns, solve_ms, fill, contacts;
} Timing;

static double stat_of(const PeltiStepReport *report, const char *name)
{
    for (int k = 0; k < report->told.stat_count; k++)
        if (!strcmp(report->told.stats[k].name, name))
            return report->told.stats[k].value;
    return NAN;
}

static void play(const PeltiMethod *method, void *state, PeltiCharacter *who, const Scene *scene, Timing *out)
{
    Vec3 *points = PELTI_NEW(&who->pool, Vec3, who->point_count);
    Mat34 *bones = PELTI_NEW(&who->pool, Mat34, who->bone_count);
    PeltiJoint *joints = PELTI_NEW(&who->pool, PeltiJoint, who->bone_count);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&who->pool, PeltiNodeMatrix, who->node_count);
    PeltiPose pose = pelti_pose_new(&who->pool, who);
    int clip = pelti_clip_find(who, scene->clip);
    out->step_ms = out->shown_ms = out->local_ns = out->solve_ms = INFINITY;
    double dt = scene->frame_s > 0 ? scene->frame_s : 1 / 120.0;
    for (int s = 0; !who->pool.failed && clip >= 0 && s <= scene->steps; s++) {
        PeltiStepReport report = {0};
        pelti_pose_clip(who, &who->clips[clip], scene->from_s + s * dt, &pose);
        pelti_pose_bones(who, &pose, node_matrix, bones);
        pelti_joints_pose(who, &pose, joints);
        PeltiStepInput in = {.pose = &pose, .bones = bones, .joints = joints, .dt_s = s ? (float)dt : 0, .restart = !s};
        double start = pelti_clock_ms();
        method->step(state, &in, points, NULL);
        double shown = pelti_clock_ms() - start;
        if (!s)
            continue;
        out->shown_ms = fmin(out->shown_ms, shown);
        out->mean_ms += shown / scene->steps;
        if (scene->frame_s > 0)
            continue;
        in.dt_s = 1 / 120.0f; // the same pose again, for the numbers: they cost time that is not the step's
        method->step(state, &in, points, &report);
        out->step_ms = fmin(out->step_ms, stat_of(&report, "substep_best_ms"));
        out->local_ns = fmin(out->local_ns, stat_of(&report, "local_ns_per_tet"));
        out->solve_ms = fmin(out->solve_ms, stat_of(&report, "solve_step_ms"));
        out->fill = stat_of(&report, "factor_fill");
        out->simulated = (int)stat_of(&report, "simulated_vertices");
        out->tets = (int)stat_of(&report, "tetrahedra");
        out->contacts = fmax(out->contacts, stat_of(&report, "contacts"));
    }
}

static bool measure(PeltiCharacter *who, const Scene *scene, Timing *out)
{
    const PeltiMethod *method = pelti_method_find("projective");
    PeltiOptions options;
    PeltiJobs *jobs = pelti_jobs_create(scene->threads);
    void *state = NULL;
    *out = (Timing){.points = who->point_count};
    pelti_options_init(&options, method->options);
    bool good = pelti_options_set(&options, "iterations", "10", NULL) == PELT_OK; // as in the paper
    for (int k = 0; k + 1 < 4 && scene->set[k]; k += 2)
        good = good && pelti_options_set(&options, scene->set[k], scene->set[k + 1], NULL) == PELT_OK;
    PeltiMethodPrepare in = {.who = who, .options = &options, .weights = &who->file_weights, .jobs = jobs};
    double start = pelti_clock_ms();
    good = good && method->prepare(&in, &state, NULL) == PELT_OK;
    out->prepare_ms = pelti_clock_ms() - start;
    if (good) {
        play(method, state, who, scene, out);
        method->destroy(state);
    }
    pelti_jobs_destroy(jobs);
    return good && isfinite(out->shown_ms);
}

static PeltiCharacter *make(PeltiBench *bench, const char *character, int vertices)
{
    PeltiCharacter *who = NULL;
    if (pelti_builtin_make(character, &(PeltiBuiltinOptions){.vertices = vertices}, NULL, NULL, &who, NULL) != PELT_OK)
        pelti_bench_skip(bench, character, "no memory for the character");
    return who;
}

/// Arithmetic a step cannot do without: ten iterations of gradient, rotation and sum a tetrahedron, and two triangular solves of
/// three columns over the fill of the factor.
static double step_flops(const Timing *t)
{
    enum { ITERATIONS = 10, GRADIENT = 54, ROTATION = 60, SUM = 54, SOLVES = 2 * 3 * 2 };
    return ITERATIONS * ((double)t->tets * (GRADIENT + ROTATION + SUM) + t->fill * SOLVES);
}

/// The authors' later code took 20.3 ms with two threads and 30.1 with one at 4 651 vertices; the paper's column t_sim used six
/// cores.
typedef struct PaperCharacter {
    const char *name, *character, *clip;
    int vertices;
    double paper_ms, wanted_two, wanted_one;
} PaperCharacter;

static void table_row(PeltiBench *bench, const PaperCharacter *row)
{
    char name[72];
    PeltiCharacter *who = NULL;
    if (!pelti_bench_wants(bench, "%s, 1 thread", row->name) && !pelti_bench_wants(bench, "%s, 2 threads", row->name) &&
        !pelti_bench_wants(bench, "local step, 1 thread"))
        return;
    if (!(who = make(bench, row->character, row->vertices)))
        return;
    for (int threads = 1; threads <= 2 && threads <= pelti_bench_threads(bench); threads++) {
        Scene scene = {
            row->character, row->clip, row->vertices, {"collisions", "off"}, threads, pelti_bench_quick(bench) ? 10 : 60, 0.5, 0};
        Timing t;
        snprintf(name, sizeof name, "%s, %d thread%s", row->name, threads, threads > 1 ? "s" : "");
        if (!pelti_bench_wants(bench, "%s", name) && (threads > 1 || !pelti_bench_wants(bench, "local step, 1 thread")))
            continue;
        if (!measure(who, &scene, &t)) {
            pelti_bench_skip(bench, row->name, "could not be prepared");
            break;
        }
        pelti_bench_row(
            bench, name,
            (PeltiBenchFigure){.value = t.step_ms, .unit = "ms/step", .limit = threads > 1 ? row->wanted_two : row->wanted_one},
            "%d vertices, %d tets, local %.1f ns a tet and iteration, solves %.2f ms, prepare %.0f ms", t.simulated, t.tets,
            t.local_ns, t.solve_ms, t.prepare_ms);
        pelti_bench_paper(bench, row->paper_ms);
        pelti_bench_bound(bench, t.step_ms, threads, step_flops(&t), 0);
        if (threads == 1 && row->wanted_one > 0)
            pelti_bench_row(bench, "local step, 1 thread", (PeltiBenchFigure){.value = t.local_ns, .unit = "ns/tet", .limit = 12},
                            "the authors' later code: 48 to 63");
    }
    pelti_character_destroy(who);
}

static const char *const kinds[] = {"off", "joints", "all", "pairs"};

static bool wants_kind(const PeltiBench *bench, const char *clip, const char *kind, int threads)
{
    return pelti_bench_wants(bench, "%s, collisions=%s, %d threads", clip, kind, threads) ||
           pelti_bench_wants(bench, "%s, a frame in contact, collisions=%s, %d threads", clip, kind, threads) ||
           (!strcmp(clip, "walk") && pelti_bench_wants(bench, "prepare, collisions=%s, %d threads", kind, threads));
}

/// What contacts cost: in a walk, and in a crouch that drives hands through thighs.
static void collisions(PeltiBench *bench, PeltiCharacter *who, const char *clip)
{
    int threads = pelti_bench_threads(bench) < 2 ? 1 : 2, steps = pelti_bench_quick(bench) ? 10 : 60;
    double off = NAN, off_frame = NAN;
    bool wanted = false;
    for (int k = 0; k < 4; k++)
        wanted = wanted || wants_kind(bench, clip, kinds[k], threads);
    if (!wanted)
        return;
    for (int k = 0; k < 4; k++) {
        if (k && !wants_kind(bench, clip, kinds[k], threads))
            continue;
        Scene scene = {"biped", clip, 4650, {"collisions", kinds[k]}, threads, steps, 0.5, 0};
        char name[72];
        Timing t, frame;
        if (!measure(who, &scene, &t))
            continue;
        scene.frame_s = 1 / 30.0;
        scene.steps = steps / 3;
        if (!measure(who, &scene, &frame))
            continue;
        off = k ? off : t.step_ms;
        off_frame = k ? off_frame : frame.mean_ms;
        snprintf(name, sizeof name, "%s, collisions=%s, %d threads", clip, kinds[k], threads);
        pelti_bench_row(bench, name, (PeltiBenchFigure){.value = t.step_ms, .unit = "ms/step", .limit = k ? 1.1 * off : 0},
                        "%+.0f %%, %.0f planes watched; a frame of 1/30 s %.1f ms (%+.0f %%)", 100 * (t.step_ms / off - 1),
                        t.contacts, frame.mean_ms, 100 * (frame.mean_ms / off_frame - 1));
        pelti_bench_bound(bench, t.step_ms, threads, step_flops(&t), 0);
        if (k && strcmp(clip, "walk")) {
            snprintf(name, sizeof name, "%s, a frame in contact, collisions=%s, %d threads", clip, kinds[k], threads);
            pelti_bench_row(bench, name,
                            (PeltiBenchFigure){.value = 100 * (frame.mean_ms / off_frame - 1), .unit = "% more", .limit = 30},
                            "a frame of 1/30 s %.1f ms, %.1f without contacts", frame.mean_ms, off_frame);
        }
        snprintf(name, sizeof name, "prepare, collisions=%s, %d threads", kinds[k], threads);
        if (!strcmp(clip, "walk"))
            pelti_bench_row(bench, name, (PeltiBenchFigure){.value = t.prepare_ms, .unit = "ms", .limit = k ? 5000 : 500},
                            "%d vertices", t.simulated);
    }
}

/// Cost a vertex beside the fill of the factor.
static void scaling(PeltiBench *bench)
{
    static const int sizes[] = {2000, 5000, 10000, 20000, 50000};
    for (int k = 0; k < (pelti_bench_quick(bench) ? 3 : 5); k++) {
        char name[72];
        snprintf(name, sizeof name, "%d simulated vertices, 1 thread", sizes[k]);
        if (!pelti_bench_wants(bench, "%s", name))
            continue;
        PeltiCharacter *who = make(bench, "biped", sizes[k]);
        Scene scene = {"biped", "walk", sizes[k], {"collisions", "off"}, 1, pelti_bench_quick(bench) ? 5 : 20, 0.5, 0};
        Timing t;
        if (who && measure(who, &scene, &t)) {
            pelti_bench_row(bench, name, (PeltiBenchFigure){.value = 1000 * t.step_ms / t.simulated, .unit = "us/vtx"},
                            "%d vertices, %.2f ms a step, fill %.1f a vertex, solves %.2f us a vertex", t.simulated, t.step_ms,
                            t.fill / t.simulated, 1000 * t.solve_ms / t.simulated);
            pelti_bench_bound(bench, t.step_ms, 1, step_flops(&t), 0);
        }
        pelti_character_destroy(who);
    }
}

void pelti_bench_projective(PeltiBench *bench); // in the table of main.c
void pelti_bench_projective(PeltiBench *bench)
{
    static const PaperCharacter rows[] = {
        {"cylinder, Table 1: 800 vertices", "cylinder", "bend", 800, 3.8, 0, 0},
        {"biped low, Table 1: 1760 vertices", "biped", "walk", 1760, 8.5, 0, 0},
        {"biped mid, Table 1: 3010 vertices", "biped", "walk", 3010, 14.7, 0, 0},
        {"biped high, Table 1: 4316 vertices", "biped", "walk", 4316, 23, 0, 0},
        {"biped, 4651 vertices", "biped", "walk", 4651, 20.3, 4, 7},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        table_row(bench, &rows[k]);
    PeltiCharacter *who = make(bench, "biped", 4650);
    if (who) {
        collisions(bench, who, "walk");
        collisions(bench, who, "bend");
    }
    pelti_character_destroy(who);
    scaling(bench);
}
