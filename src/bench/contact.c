/// The pose corrector, tried on the built-in hand [Duriez2008].
/// It grasps and holds a ball of 1 520 triangles ([Duriez2008] Fig. 3), loses it, grasps an irregular object of
/// 1 500 (Fig. 4), and lets out what starts deep inside it. The scenes are those of examples/scenes.
#include "bench/bench.h"
#include "builtin/builtin.h"
#include "contact/corrector.h"
#include "math/elementary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TOY_AROUND = 25, TOY_RINGS = 30, TOY_VERTICES = TOY_AROUND * TOY_RINGS + 2, TOY_TRIANGLES = 2 * TOY_AROUND * TOY_RINGS };

typedef struct Grasp {
    PeltiCharacter *hand;
    PeltiWeights weights;
    PeltiCorrector *corrector;
    PeltiJobs *jobs;
    PeltiPose free, corrected;
    PeltSceneObject objects[2];
    PeltScenePair pairs[2];
    PeltScene scene;
    float toy[TOY_VERTICES][3];
    int toy_triangles[TOY_TRIANGLES][3];
    double mean_ms, most_ms, held_ms, closing_ms; ///< of a frame
    double held_iterations, closing_iterations, held_contacts, closing_contacts;
    double rose;
} Grasp;

/// A bumpy bottle, as irregular as a toy: 25 around, 30 rings, 8 cm high.
static void make_toy(Grasp *g)
{
    int n = 0, low = TOY_VERTICES - 2, high = low + 1;
    for (int r = 0; r < TOY_RINGS; r++)
        for (int k = 0; k < TOY_AROUND; k++) {
            float a = 6.2831853f * ((float)k + 0.5f * (float)(r % 2)) / TOY_AROUND, h = (float)r / (TOY_RINGS - 1);
            float radius =
                0.019f + 0.004f * pelti_sinf(9 * h) + 0.004f * pelti_sinf(3 * a + 5 * h) * pelti_sinf(7 * h) - 0.008f * h * h;
            memcpy(g->toy[r * TOY_AROUND + k], (float[3]){radius * pelti_sinf(a), 0.08f * h, radius * pelti_cosf(a)},
                   sizeof g->toy[0]);
        }
    memcpy(g->toy[low], (float[3]){0, 0, 0}, sizeof g->toy[0]);
    memcpy(g->toy[high], (float[3]){0, 0.0805f, 0}, sizeof g->toy[0]);
    for (int k = 0; k < TOY_AROUND; k++) {
        int next = (k + 1) % TOY_AROUND, last = (TOY_RINGS - 1) * TOY_AROUND;
        memcpy(g->toy_triangles[n++], (int[3]){low, next, k}, sizeof(int[3]));
        memcpy(g->toy_triangles[n++], (int[3]){high, last + k, last + next}, sizeof(int[3]));
        for (int r = 0; r + 1 < TOY_RINGS; r++) {
            int a = r * TOY_AROUND + k, b = r * TOY_AROUND + next, c = a + TOY_AROUND, d = b + TOY_AROUND;
            memcpy(g->toy_triangles[n++], r % 2 ? (int[3]){a, b, d} : (int[3]){a, b, c}, sizeof(int[3]));
            memcpy(g->toy_triangles[n++], r % 2 ? (int[3]){a, d, c} : (int[3]){b, d, c}, sizeof(int[3]));
        }
    }
}

static void describe(Grasp *g, float friction, bool toy, float alarm)
{
    g->objects[0] = g->objects[1] = pelt_scene_object_default();
    PeltSceneObject *thing = &g->objects[0], *peg = &g->objects[1];
    float side = toy ? 0.01f : 0.007f, bottom = toy ? -0.106f : -0.088f, depth = toy ? -0.046f : -0.0385f;
    thing->name = "thing", thing->density = 500;
    if (toy) {
        thing->shape = PELT_SHAPE_MESH, thing->vertices = (const float(*)[3])g->toy, thing->vertex_count = TOY_VERTICES;
        thing->triangles = (const int(*)[3])g->toy_triangles, thing->triangle_count = TOY_TRIANGLES;
    } else {
        thing->shape = PELT_SHAPE_SPHERE, thing->size[0] = 0.025f, thing->detail = 40;
    }
    memcpy(thing->position, (float[3]){-0.163f, toy ? bottom : -0.063f, depth}, sizeof thing->position);
    peg->name = "peg", peg->kind = PELT_OBJECT_FIXED;
    memcpy(peg->size, (float[3]){side, 0.2f, side}, sizeof peg->size);
    memcpy(peg->position, (float[3]){-0.163f, bottom - 0.1002f, depth}, sizeof peg->position);
    g->pairs[0] = (PeltScenePair){"thing", "peg", 0.8f, -1};
    g->pairs[1] = (PeltScenePair){"character", "peg", 0, -1};
    g->scene = pelt_scene_default();
    g->scene.objects = g->objects, g->scene.object_count = 2, g->scene.pairs = g->pairs, g->scene.pair_count = 2;
    g->scene.friction = friction, g->scene.joint_stiffness = 2, g->scene.alarm_distance = alarm;
}

/// Plays the clip `grasp`; frames 15 to 27 close the hand (or let the thing slip), 45 to 50 hold it.
static bool play(Grasp *g, bool cold)
{
    const PeltiCharacter *who = g->hand;
    const PeltiWeights *weights = &g->weights;
    PeltiCorrectorDef def = {
        .scene = &g->scene, .character_count = 1, .who = &who, .weights = &weights, .settings = {.cold = cold}, .jobs = g->jobs};
    if (pelti_corrector_create(&def, NULL, &g->corrector, NULL) != PELT_OK)
        return false;
    const PeltiClip *clip = &who->clips[pelti_clip_find(who, "grasp")];
    double start_at = pelti_corrector_object(g->corrector, 0).centre[1];
    g->mean_ms = g->most_ms = g->held_ms = g->closing_ms = g->held_iterations = g->closing_iterations = 0;
    g->held_contacts = g->closing_contacts = 0;
    for (int f = 0; f <= 50; f++) {
        PeltiContactReport report;
        pelti_pose_clip(who, clip, f / 30.0, &g->free);
        double start = pelti_clock_ms();
        pelti_corrector_step(g->corrector, &g->free, f ? 1 / 30.0 : 0, &g->corrected, &report);
        double ms = pelti_clock_ms() - start;
        g->mean_ms += ms / 51;
        g->most_ms = fmax(g->most_ms, ms);
        if (f >= 45)
            g->held_ms += ms / 6, g->held_iterations += report.iterations / 6.0, g->held_contacts += report.contacts / 6.0;
        if (f >= 15 && f <= 27) {
            g->closing_ms += ms / 13, g->closing_iterations += report.iterations / 13.0;
            g->closing_contacts += report.contacts / 13.0;
        }
    }
    g->rose = pelti_corrector_object(g->corrector, 0).centre[1] - start_at;
    pelti_corrector_destroy(g->corrector);
    return true;
}

/// The best of a few runs, whole and by part.
static bool play_best(PeltiBench *bench, Grasp *g, bool cold)
{
    double mean = INFINITY, most = INFINITY, held = INFINITY, closing = INFINITY;
    for (int k = 0; k < (pelti_bench_quick(bench) ? 1 : 3); k++) {
        if (!play(g, cold))
            return false;
        mean = fmin(mean, g->mean_ms), most = fmin(most, g->most_ms);
        held = fmin(held, g->held_ms), closing = fmin(closing, g->closing_ms);
    }
    g->mean_ms = mean, g->most_ms = most, g->held_ms = held, g->closing_ms = closing;
    return true;
}

/// Arithmetic the solver cannot do without: each contact's force to the four joints of a finger and their motion back, once an
/// iteration.
static double sweep_flops(double contacts, double iterations)
{
    return iterations * contacts * 2 * (2 * 3 * 4 * 3);
}

static void pelti_bench_warm_start(PeltiBench *bench, Grasp *g)
{
    for (int cold = 0; cold < 2; cold++) {
        const char *start = cold ? ", cold start" : "";
        bool slip = pelti_bench_wants(bench, "slip%s", start);
        if (!slip && !pelti_bench_wants(bench, "grasp closing%s", start) && !pelti_bench_wants(bench, "grasp held%s", start) &&
            (cold || !pelti_bench_wants(bench, "grasp, whole clip")))
            continue;
        describe(g, 0.6f, false, 0);
        if (!play_best(bench, g, cold))
            continue;
        if (!cold)
            pelti_bench_row(bench, "grasp, whole clip", (PeltiBenchFigure){.value = g->mean_ms, .unit = "ms/frame", .limit = 5},
                            "%d threads, ball of 1520 triangles, most %.1f ms, rose by %.3f", pelti_jobs_threads(g->jobs),
                            g->most_ms, g->rose);
        if (!cold)
            pelti_bench_paper(bench, 50);
        pelti_bench_row(bench, cold ? "grasp closing, cold start" : "grasp closing",
                        (PeltiBenchFigure){.value = g->closing_ms, .unit = "ms/frame"},
                        "%.0f contacts watched, %.0f iterations a frame", g->closing_contacts, g->closing_iterations);
        pelti_bench_bound(bench, g->closing_ms, pelti_jobs_threads(g->jobs),
                          sweep_flops(g->closing_contacts, g->closing_iterations), 0);
        pelti_bench_row(bench, cold ? "grasp held, cold start" : "grasp held",
                        (PeltiBenchFigure){.value = g->held_ms, .unit = "ms/frame", .limit = cold ? 0 : 5},
                        "%.0f contacts watched, %.0f iterations a frame", g->held_contacts, g->held_iterations);
        pelti_bench_bound(bench, g->held_ms, pelti_jobs_threads(g->jobs), sweep_flops(g->held_contacts, g->held_iterations), 0);
        describe(g, 0.1f, false, 0);
        if (slip && play_best(bench, g, cold))
            pelti_bench_row(
                bench, cold ? "slip, cold start" : "slip", (PeltiBenchFigure){.value = g->closing_ms, .unit = "ms/frame"},
                "friction 0.1, %.0f contacts watched, %.0f iterations a frame", g->closing_contacts, g->closing_iterations);
    }
}

/// More contacts of the same grasp, by watching farther: cost may grow as contacts times the joints they share.
static void pelti_bench_contacts(PeltiBench *bench, Grasp *g)
{
    static const float alarms[] = {0, 0.003f, 0.006f};
    double first = 0;
    for (int k = 0; k < 3; k++) {
        char name[48];
        describe(g, 0.6f, false, alarms[k]);
        if (!play_best(bench, g, false))
            continue;
        snprintf(name, sizeof name, "held, %.0f contacts", g->held_contacts);
        double each = 1000 * g->held_ms / g->held_contacts;
        first = k == 0 ? each : first;
        pelti_bench_row(bench, name,
                        (PeltiBenchFigure){.value = g->held_ms, .unit = "ms/frame", .limit = g->held_contacts >= 500 ? 40 : 0},
                        "%.1f us a contact (%.2f of the first), most of the clip %.1f ms", each, each / first, g->most_ms);
        pelti_bench_bound(bench, g->held_ms, pelti_jobs_threads(g->jobs), sweep_flops(g->held_contacts, g->held_iterations), 0);
    }
}

/// Places where a ball starts deep inside the hand, with its centre at a joint.
typedef struct Inside {
    const char *joint;
    float radius;
    PeltObjectKind kind;
} Inside;

enum { INSIDE_FRAMES = 60 };

typedef struct Leaving {
    double ms[INSIDE_FRAMES + 1]; ///< of a frame, the least of a few runs; the first one places the skin
    int free_at;                  ///< frame from which on less than 2 % of the depth is left
    bool converged;               ///< the last frame
} Leaving;

/// How deep any point of the hand is in a ball.
static double depth_inside(const Grasp *g, Vec3 centre, float radius)
{
    const PeltiCharacter *who = g->hand;
    PeltiPool pool;
    double deepest = 0;
    pelti_pool_init(&pool, NULL);
    Mat34 *bones = PELTI_NEW(&pool, Mat34, who->bone_count);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&pool, PeltiNodeMatrix, who->node_count);
    if (!pool.failed) {
        pelti_pose_bones(who, &g->corrected, node_matrix, bones);
        for (int v = 0; v < who->mesh->vertex_count; v++) {
            Vec3 p = pelti_weights_blend(&g->weights, v, bones, who->mesh->rest[v]);
            deepest = fmax(deepest, (double)(radius - vec3_distance(p, centre)));
        }
    }
    pelti_pool_release(&pool);
    return deepest;
}

static bool leave(Grasp *g, const Inside *start, Leaving *out)
{
    const PeltiCharacter *who = g->hand;
    const PeltiWeights *weights = &g->weights;
    PeltSceneObject *ball = &g->objects[0];
    *ball = pelt_scene_object_default();
    ball->name = "ball", ball->kind = start->kind, ball->shape = PELT_SHAPE_SPHERE, ball->size[0] = start->radius;
    ball->detail = 40, ball->density = 500;
    for (int b = 0; b < who->bone_count; b++)
        if (!strcmp(who->nodes[who->bones[b].node].name, start->joint))
            memcpy(ball->position, &who->bones[b].head, sizeof ball->position);
    g->scene = pelt_scene_default();
    g->scene.objects = g->objects, g->scene.object_count = 1;
    memset(g->scene.gravity, 0, sizeof g->scene.gravity);
    PeltiCorrectorDef def = {.scene = &g->scene, .character_count = 1, .who = &who, .weights = &weights, .jobs = g->jobs};
    if (pelti_corrector_create(&def, NULL, &g->corrector, NULL) != PELT_OK)
        return false;
    double first = 0;
    out->free_at = 0;
    pelti_pose_file(who, &g->free);
    for (int f = 0; f <= INSIDE_FRAMES; f++) {
        PeltiContactReport report;
        double began = pelti_clock_ms();
        pelti_corrector_step(g->corrector, &g->free, f ? 1 / 30.0 : 0, &g->corrected, &report);
        out->ms[f] = fmin(out->ms[f], pelti_clock_ms() - began);
        const double *at = pelti_corrector_object(g->corrector, 0).centre;
        double depth = depth_inside(g, vec3((float)at[0], (float)at[1], (float)at[2]), start->radius);
        first = f ? first : depth;
        out->free_at = depth > 0.02 * first ? f + 1 : out->free_at;
        out->converged = report.converged;
    }
    pelti_corrector_destroy(g->corrector);
    return true;
}

/// A start in deep overlap: no frame may take long, and after some the two are apart. What stands fast is left as far as joints
/// let the hand.
static void pelti_bench_deep(PeltiBench *bench, Grasp *g)
{
    static const Inside starts[] = {{"Hand", 0.045f, PELT_OBJECT_RIGID},
                                    {"MiddleProximal", 0.02f, PELT_OBJECT_RIGID},
                                    {"MiddleMetacarpal", 0.05f, PELT_OBJECT_RIGID},
                                    {"MiddleIntermediate", 0.02f, PELT_OBJECT_FIXED}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        Leaving l;
        char name[72], when[48];
        double most = 0, mean = 0;
        snprintf(name, sizeof name, "deep start, %s ball of %.0f mm at %s",
                 starts[i].kind == PELT_OBJECT_FIXED ? "fixed" : "free", 2000 * (double)starts[i].radius, starts[i].joint);
        if (!pelti_bench_wants(bench, "%s", name))
            continue;
        for (int f = 0; f <= INSIDE_FRAMES; f++)
            l.ms[f] = INFINITY;
        bool good = true;
        for (int k = 0; k < (pelti_bench_quick(bench) ? 1 : 3) && good; k++)
            good = leave(g, &starts[i], &l);
        if (!good)
            continue;
        for (int f = 0; f <= INSIDE_FRAMES; f++)
            most = fmax(most, l.ms[f]), mean += l.ms[f] / (INSIDE_FRAMES + 1);
        snprintf(when, sizeof when, l.free_at > INSIDE_FRAMES ? "never free" : "free after %d frames", l.free_at);
        pelti_bench_row(bench, name, (PeltiBenchFigure){.value = most, .unit = "ms", .limit = 15},
                        "the longest frame; %s of 1/30 s, %s, the first %.1f ms, mean %.1f", when,
                        l.converged ? "converged" : "not converged", l.ms[0], mean);
    }
}

void pelti_bench_contact(PeltiBench *bench); // in the table of main.c
void pelti_bench_contact(PeltiBench *bench)
{
    static Grasp g;
    memset(&g, 0, sizeof g);
    if (pelti_builtin_make("hand", &(PeltiBuiltinOptions){.vertices = 5000}, NULL, NULL, &g.hand, NULL) != PELT_OK ||
        pelti_weights_from_file(g.hand, &g.hand->pool, &g.weights, NULL) != PELT_OK) {
        pelti_bench_skip(bench, "grasp", "no memory for the hand");
        pelti_character_destroy(g.hand);
        return;
    }
    g.free = pelti_pose_new(&g.hand->pool, g.hand);
    g.corrected = pelti_pose_new(&g.hand->pool, g.hand);
    g.jobs = pelti_jobs_create(pelti_bench_threads(bench));
    make_toy(&g);
    pelti_bench_warm_start(bench, &g);
    describe(&g, 0.8f, true, 0);
    if (pelti_bench_wants(bench, "irregular object, whole clip") && play_best(bench, &g, false)) {
        pelti_bench_row(bench, "irregular object, whole clip",
                        (PeltiBenchFigure){.value = g.mean_ms, .unit = "ms/frame", .limit = 5},
                        "1500 triangles, %.0f contacts watched closing, %.0f held, most %.1f ms, rose by %.3f",
                        g.closing_contacts, g.held_contacts, g.most_ms, g.rose);
        pelti_bench_paper(bench, 50);
    }
    pelti_bench_contacts(bench, &g);
    pelti_bench_deep(bench, &g);
    pelti_jobs_destroy(g.jobs);
    pelti_character_destroy(g.hand);
}
