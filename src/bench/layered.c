/// Multi-layer skinning: Table 1 of [Deul2013] on built-in characters of the same size.
/// Then shape matching alone, the cost over omega of fast and of plain sums, and cost per particle over the size of the mesh.
#include "bench/bench.h"
#include "builtin/builtin.h"
#include "bench/layered_plain.h"
#include "methods/layered/flesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern const PeltiMethod pelti_method_layered;

typedef struct Body {
    PeltiCharacter *who;
    PeltiWeights weights;
    PeltiOptions options;
    PeltiFlesh *flesh;
    PeltiPose pose;
    PeltiNodeMatrix *node_matrix;
    Mat34 *bones;
    PeltiJoint *joints;
    const PeltiClip *clip;
} Body;

static void body_release(Body *body)
{
    if (body->flesh)
        pelti_method_layered.destroy(body->flesh);
    pelti_character_destroy(body->who);
    *body = (Body){0};
}

/// A built-in character of about `vertices` vertices: what is asked is met within 10 %, so it is asked again.
static PeltiCharacter *make_near(const char *name, int vertices, PeltiJobs *jobs)
{
    PeltiCharacter *best = NULL;
    double ask = vertices;
    for (int k = 0; k < 4; k++) {
        PeltiCharacter *who = NULL;
        PeltiBuiltinOptions options = {.vertices = (int)ask};
        if (pelti_builtin_make(name, &options, jobs, NULL, &who, NULL) != PELT_OK)
            return best;
        int count = who->mesh->vertex_count, off = abs(count - vertices);
        bool better = !best || off < abs(best->mesh->vertex_count - vertices);
        pelti_character_destroy(better ? best : who);
        best = better ? who : best;
        if (off * 200 < vertices)
            break;
        ask *= (double)vertices / count;
    }
    return best;
}

static bool body_make(Body *body, const char *name, int vertices, const char *clip, const char *const *settings)
{
    PeltiJobs *jobs = pelti_jobs_create(0);
    PeltError err = {0};
    void *state = NULL;
    *body = (Body){.who = make_near(name, vertices, jobs)};
    pelti_jobs_destroy(jobs);
    if (!body->who || pelti_weights_from_file(body->who, &body->who->pool, &body->weights, &err) != PELT_OK)
        return false;
    int at = pelti_clip_find(body->who, clip);
    body->clip = at >= 0 ? &body->who->clips[at] : NULL;
    body->pose = pelti_pose_new(&body->who->pool, body->who);
    body->node_matrix = PELTI_NEW(&body->who->pool, PeltiNodeMatrix, body->who->node_count);
    body->bones = PELTI_NEW(&body->who->pool, Mat34, body->who->bone_count);
    body->joints = PELTI_NEW(&body->who->pool, PeltiJoint, body->who->bone_count);
    pelti_options_init(&body->options, pelti_method_layered.options);
    for (; settings && *settings; settings += 2)
        if (pelti_options_set(&body->options, settings[0], settings[1], &err) != PELT_OK)
            return false;
    PeltiMethodPrepare in = {.who = body->who,
                             .options = &body->options,
                             .weights = &body->weights,
                             .jobs = pelti_jobs_create(2)}; // the most asked for
    bool ready = body->clip && !body->who->pool.failed && pelti_method_layered.prepare(&in, &state, &err) == PELT_OK;
    pelti_jobs_destroy(in.jobs);
    if (!ready)
        return false;
    body->flesh = state;
    body->flesh->jobs = NULL;
    return true;
}

static void pose_at(Body *body, double time_s)
{
    pelti_pose_clip(body->who, body->clip, time_s, &body->pose);
    pelti_pose_bones(body->who, &body->pose, body->node_matrix, body->bones);
    pelti_joints_pose(body->who, &body->pose, body->joints);
}

/// Settles at `first` (frames of 1/30 s), plays on to `last`; the best time of a step of 5 ms within a frame.
static double play(Body *body, PeltiJobs *jobs, int first, int last)
{
    double best = INFINITY;
    body->flesh->jobs = jobs;
    pelti_flesh_rest(body->flesh);
    pose_at(body, first / 30.0);
    pelti_flesh_settle(body->flesh, body->bones, body->joints);
    for (int f = first + 1; f <= last; f++) {
        pose_at(body, f / 30.0);
        double start = pelti_clock_ms();
        int steps = pelti_flesh_move(body->flesh, body->bones, body->joints, 1 / 30.0f);
        best = fmin(best, (pelti_clock_ms() - start) / steps);
    }
    return best;
}

static void match_once(void *context)
{
    PeltiFlesh *flesh = context;
    pelti_layered_match_iterate(&flesh->match, flesh->jobs, pelti_layered_couple_hold, flesh);
}

static void volume_once(void *context)
{
    pelti_layered_volume_project(context);
}

static double runs_each(const PeltiFlesh *flesh)
{
    return (double)flesh->paths.run_start[flesh->n] / flesh->n;
}

/// Arithmetic of one iteration: 12 sums twice over the runs (an addition and a subtraction each), 12 prefix sums twice, and some
/// 250 for terms, the rotation and the goal of each particle.
static double match_flops(const PeltiFlesh *flesh)
{
    return flesh->n * (double)PELTI_LAYERS * (runs_each(flesh) * 12 * 2 * 2 + 12 * 2 + 250);
}

// ---- Table 1 ----

typedef struct Model {
    const char *name, *character, *clip;
    int vertices, iterations, first;
    struct {
        double elasticity_ms, volume_ms, total_ms;
    } paper;                        ///< four cores of 2011
    double step_limit, match_limit; ///< wanted of us, two threads; 0: none
    const char *settings[17];
} Model;

#define BIG_MAN                                                                                                                  \
    {                                                                                                                            \
        "iterations", "15", "fat", "0.25", "muscle", "0.55", "bone", "0.8", "skin-firmness", "0.7", "fat-firmness", "0.6",       \
            "muscle-firmness", "0.9", "bone-firmness", "0.95"                                                                    \
    }
static const Model MODELS[] = {
    {"arm",
     "arm",
     "bend",
     2916,
     20,
     24,
     {68.4, 1.8, 77.5},
     0,
     0,
     {"iterations", "20", "fat", "0.15", "muscle", "0.45", "bone", "0.8", "skin-firmness", "0.8", "fat-firmness", "0.6",
      "muscle-firmness", "0.7", "bone-firmness", "0.8"}},
    {"hand",
     "hand",
     "fist",
     5404,
     15,
     24,
     {131.7, 3.7, 144.1},
     0,
     0,
     {"iterations", "15", "fat", "0.1", "muscle", "0.5", "bone", "0.8", "skin-firmness", "0.8", "fat-firmness", "0.8",
      "muscle-firmness", "0.9", "bone-firmness", "0.9"}},
    {"body, walk", "biped", "walk", 8570, 15, 6, {172.6, 4.8, 191.8}, 18, 0.8, BIG_MAN},
    {"body, squat", "biped", "bend", 8570, 15, 24, {172.6, 4.8, 191.8}, 24, 0.8, BIG_MAN},
};

static bool wants_model(const PeltiBench *bench, const char *name)
{
    static const char *const rows[] = {"step, 1 thread", "step, 2 threads", "shape matching iteration, 1 thread",
                                       "shape matching iteration, 2 threads", "volume loop"};
    bool wanted = false;
    for (int k = 0; k < 5; k++)
        wanted = wanted || pelti_bench_wants(bench, "%s %s", name, rows[k]);
    return wanted;
}

static void time_model(PeltiBench *bench, const Model *model)
{
    Body body;
    char label[72];
    if (!wants_model(bench, model->name))
        return;
    if (!body_make(&body, model->character, model->vertices, model->clip, model->settings)) {
        pelti_bench_skip(bench, model->name, "not enough memory");
        body_release(&body);
        return;
    }
    PeltiFlesh *flesh = body.flesh;
    for (int threads = 1; threads <= 2 && threads <= pelti_bench_threads(bench); threads++) {
        const char *many = threads > 1 ? "s" : "";
        if (!pelti_bench_wants(bench, "%s step, %d thread%s", model->name, threads, many) &&
            !pelti_bench_wants(bench, "%s shape matching iteration, %d thread%s", model->name, threads, many))
            continue;
        PeltiJobs *jobs = pelti_jobs_create(threads);
        double limit = threads == 2 ? model->step_limit : 0;
        double ms = play(&body, jobs, model->first, model->first + (pelti_bench_quick(bench) ? 2 : 6));
        snprintf(label, sizeof label, "%s step, %d thread%s", model->name, threads, many);
        pelti_bench_row(bench, label, (PeltiBenchFigure){.value = ms, .unit = "ms", .limit = limit},
                        "%d vertices, %d iterations, %d contacts, sub-volumes within %.2g %%, %.1f runs a region", flesh->n,
                        model->iterations, flesh->collide.contacts.count,
                        100 * pelti_layered_volume_worst(&flesh->volume, flesh->match.x), runs_each(flesh));
        pelti_bench_paper(bench, model->paper.total_ms);
        pelti_bench_bound(bench, ms, threads, model->iterations * match_flops(flesh), 0);
        ms = pelti_bench_best_ms(match_once, flesh, pelti_bench_quick(bench) ? 5 : 20, 5);
        snprintf(label, sizeof label, "%s shape matching iteration, %d thread%s", model->name, threads, many);
        pelti_bench_row(bench, label,
                        (PeltiBenchFigure){.value = ms, .unit = "ms", .limit = threads == 2 ? model->match_limit : 0},
                        "4 x %d particles, omega 2; all %d take %.1f ms", flesh->n, model->iterations, ms * model->iterations);
        pelti_bench_paper(bench, model->paper.elasticity_ms / model->iterations);
        pelti_bench_bound(bench, ms, threads, match_flops(flesh), 0);
        pelti_jobs_destroy(jobs);
    }
    flesh->jobs = NULL;
    double ms = 4 * pelti_bench_best_ms(volume_once, flesh, 5, 4);
    snprintf(label, sizeof label, "%s volume loop", model->name);
    pelti_bench_row(bench, label, (PeltiBenchFigure){.value = ms, .unit = "ms"}, "1 thread, 4 iterations over %d sub-volumes",
                    flesh->volume.part_count);
    pelti_bench_paper(bench, model->paper.volume_ms);
    body_release(&body);
}

// ---- fast against plain sums ----

static void fast_once(void *context)
{
    pelti_layered_match_iterate(context, NULL, NULL, NULL);
}

static void plain_once(void *context)
{
    pelti_bench_plain_iterate(context);
}

static bool wants_omega(const PeltiBench *bench, int omega)
{
    return pelti_bench_wants(bench, "shape matching, omega %d, fast sums", omega) ||
           pelti_bench_wants(bench, "shape matching, omega %d, plain sums", omega);
}

static void time_omega(PeltiBench *bench, const Body *body, int omega)
{
    PeltiPool pool;
    PeltiLayeredPaths paths;
    PeltiLayeredMatch match;
    BenchPlain plain;
    char label[72];
    if (!wants_omega(bench, omega))
        return;
    pelti_pool_init(&pool, NULL);
    bool made = pelti_layered_paths_build(&pool, body->who->mesh, omega, &paths, NULL) == PELT_OK &&
                pelti_layered_match_new(&pool, &paths, 1, &match, NULL) == PELT_OK;
    for (int s = 0; made && s < paths.slot_count; s++) { // the same layers and masses, in this omega's order
        int from = body->flesh->paths.slot[paths.vertex[s]];
        for (int l = 0; l < PELTI_LAYERS; l++) {
            size_t to = (size_t)s * PELTI_LAYERS + (size_t)l, at = (size_t)from * PELTI_LAYERS + (size_t)l;
            pelti_flesh_set_lane(match.rest, s, l, pelti_flesh_lane(body->flesh->match.rest, from, l));
            match.mass[to] = body->flesh->match.mass[at];
            match.moment[to] = body->flesh->match.moment[at];
            match.stiffness[to] = body->flesh->match.stiffness[at];
        }
    }
    if (!made || (pelti_layered_match_prepare(&match), !pelti_bench_plain_build(&pool, &match, &plain))) {
        pelti_bench_skip(bench, "omega", "not enough memory");
        pelti_pool_release(&pool);
        return;
    }
    int n = paths.slot_count, repeats = pelti_bench_quick(bench) ? 3 : 25;
    double fast = pelti_bench_best_ms(fast_once, &match, repeats, 2), slow = pelti_bench_best_ms(plain_once, &plain, repeats, 2);
    snprintf(label, sizeof label, "shape matching, omega %d, fast sums", omega);
    pelti_bench_row(bench, label, (PeltiBenchFigure){.value = fast, .unit = "ms"},
                    "1 thread, 4 x %d particles, %.1f runs a region, %.2f times faster", n, (double)paths.run_start[n] / n,
                    slow / fast);
    snprintf(label, sizeof label, "shape matching, omega %d, plain sums", omega);
    pelti_bench_row(bench, label, (PeltiBenchFigure){.value = slow, .unit = "ms"}, "%.1f particles a region and layer",
                    (double)plain.member_start[n] / n);
    pelti_pool_release(&pool);
}

// ---- cost over the size of the mesh ----

static void time_size(PeltiBench *bench, int vertices, double *first)
{
    static const char *const settings[] = {"iterations", "15", NULL};
    Body body;
    char label[72];
    snprintf(label, sizeof label, "step, cost per particle, %d vertices", vertices);
    if (!pelti_bench_wants(bench, "%s", label))
        return;
    if (!body_make(&body, "biped", vertices, "bend", settings)) {
        pelti_bench_skip(bench, label, "not enough memory");
        body_release(&body);
        return;
    }
    PeltiJobs *jobs = pelti_jobs_create(pelti_bench_threads(bench) < 2 ? 1 : 2);
    body.flesh->jobs = jobs;
    double best = INFINITY;
    for (int f = 0; f <= (vertices > 20000 ? 3 : 10); f++) { // from the bind pose into the clip's first frames
        pose_at(&body, f / 30.0);
        double start = pelti_clock_ms();
        int steps = pelti_flesh_move(body.flesh, body.bones, body.joints, 1 / 30.0f);
        best = fmin(best, (pelti_clock_ms() - start) / steps);
    }
    double each = best * 1e6 / (body.flesh->n * (double)PELTI_LAYERS);
    double limit = *first > 0 ? 1.5 * *first : 0; // within 20 % of the middle: the largest 1.2 / 0.8 times the least
    *first = *first > 0 ? *first : each;
    pelti_bench_row(bench, label, (PeltiBenchFigure){.value = each, .unit = "ns", .limit = limit},
                    "%d threads, %d vertices, %.1f ms a step, 15 iterations; %.2f times the first", pelti_jobs_threads(jobs),
                    body.flesh->n, best, each / *first);
    pelti_jobs_destroy(jobs);
    body_release(&body);
}

// ---- time step against iterations ----

enum { SWEEP_FRAMES = 31 };

/// Plays the first second of the clip; skin of every frame into `skin` [SWEEP_FRAMES x n]. Returns ms for that second.
static double play_sweep(double step_ms, int iterations, PeltiJobs *jobs, Vec3 **skin, int *n, double *volume)
{
    char step[32], count[32];
    const char *settings[] = {"step", step, "iterations", count, NULL};
    Body body;
    snprintf(step, sizeof step, "%g", step_ms);
    snprintf(count, sizeof count, "%d", iterations);
    if (!body_make(&body, "arm", 1500, "bend", settings)) {
        body_release(&body);
        return NAN;
    }
    *n = body.flesh->n;
    *skin = calloc((size_t)*n * SWEEP_FRAMES, sizeof(Vec3));
    body.flesh->jobs = jobs;
    double ms = 0;
    *volume = 0;
    for (int f = 0; *skin && f < SWEEP_FRAMES; f++) {
        pose_at(&body, f / 30.0);
        double start = pelti_clock_ms();
        if (f)
            pelti_flesh_move(body.flesh, body.bones, body.joints, 1 / 30.0f);
        else
            pelti_flesh_settle(body.flesh, body.bones, body.joints);
        pelti_flesh_show(body.flesh, *skin + (size_t)f * (size_t)*n);
        ms += f ? pelti_clock_ms() - start : 0;
        *volume = fmax(*volume, pelti_layered_volume_worst(&body.flesh->volume, body.flesh->match.x));
        for (int v = 0; v < *n; v++)
            (*skin)[(size_t)f * (size_t)*n + (size_t)v] =
                vec3_scale((*skin)[(size_t)f * (size_t)*n + (size_t)v], 1 / body.flesh->rest.size);
    }
    body_release(&body);
    return *skin ? ms : NAN;
}

void pelti_bench_layered_steps(PeltiBench *bench); // in the table of main.c
void pelti_bench_layered_steps(PeltiBench *bench)
{
    static const double steps[] = {2.5, 5, 10, 20};
    static const int iterations[] = {5, 10, 20, 40};
    PeltiJobs *jobs = pelti_jobs_create(pelti_bench_threads(bench) < 2 ? 1 : 2);
    Vec3 *truth = NULL, *skin = NULL;
    int n = 0;
    double volume = 0, fine_ms = play_sweep(1.25, 40, jobs, &truth, &n, &volume);
    if (truth)
        pelti_bench_row(bench, "1.25 ms, 40 iterations", (PeltiBenchFigure){.value = fine_ms, .unit = "ms/s"},
                        "off by 0 of the size, sub-volumes within %.2g", volume);
    for (int s = 0; truth && s < 4; s++)
        for (int i = 0; i < 4; i++) {
            char label[72];
            double ms = play_sweep(steps[s], iterations[i], jobs, &skin, &n, &volume), sum = 0;
            for (int v = 0; skin && v < n * SWEEP_FRAMES; v++)
                sum += (double)vec3_distance(skin[v], truth[v]) / (n * (double)SWEEP_FRAMES);
            snprintf(label, sizeof label, "%g ms, %d iterations", steps[s], iterations[i]);
            pelti_bench_row(bench, label, (PeltiBenchFigure){.value = ms, .unit = "ms/s"},
                            "off by %.6f of the size, sub-volumes within %.2g", sum, volume);
            free(skin);
            skin = NULL;
        }
    free(truth);
    pelti_jobs_destroy(jobs);
}

void pelti_bench_layered(PeltiBench *bench); // in the table of main.c
void pelti_bench_layered(PeltiBench *bench)
{
    static const char *const settings[] = {NULL};
    Body body;
    double first = 0;
    bool omegas = false;
    for (int omega = 1; omega <= 6; omega++)
        omegas = omegas || wants_omega(bench, omega);
    for (size_t i = 0; i < sizeof MODELS / sizeof *MODELS; i++)
        time_model(bench, &MODELS[i]);
    if (omegas && body_make(&body, "biped", 8570, "bend", settings))
        for (int omega = 1; omega <= 6; omega++)
            time_omega(bench, &body, omega);
    if (omegas)
        body_release(&body);
    for (int vertices = 3000; vertices <= (pelti_bench_quick(bench) ? 12000 : 48000); vertices *= 2)
        time_size(bench, vertices, &first);
}
