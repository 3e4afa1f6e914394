/// The pose corrector: the built-in hand grasps and holds a ball of 1 500 triangles ([Duriez2008] Fig. 3 and 4), and loses it.
#include "bench.h"
#include "character/builtin.h"
#include "contact/corrector.h"

#include <math.h>
#include <string.h>

typedef struct Grasp {
    PeltiCharacter *hand;
    PeltiWeights weights;
    PeltiCorrector *corrector;
    PeltiPose free, corrected;
    PeltSceneObject objects[2];
    PeltScenePair stays;
    PeltScene scene;
    double held_ms, closing_ms; ///< mean of a frame
    double held_iterations, closing_iterations;
    int held_contacts;
} Grasp;

static void describe(Grasp *g, float friction)
{
    const float at[3] = {-0.163f, -0.063f, -0.0385f}, radius = 0.022f;
    g->objects[0] = g->objects[1] = pelt_scene_object_default();
    PeltSceneObject *ball = &g->objects[0], *peg = &g->objects[1];
    ball->name = "ball", ball->shape = PELT_SHAPE_SPHERE, ball->size[0] = radius, ball->detail = 41, ball->density = 500;
    memcpy(ball->position, at, sizeof at);
    peg->name = "peg", peg->kind = PELT_OBJECT_FIXED;
    memcpy(peg->size, (float[3]){0.012f, 0.2f, 0.012f}, sizeof peg->size);
    memcpy(peg->position, (float[3]){at[0], at[1] - radius - 0.1002f, at[2]}, sizeof peg->position);
    g->stays = (PeltScenePair){"ball", "peg", 0.8f, -1};
    g->scene = pelt_scene_default();
    g->scene.objects = g->objects, g->scene.object_count = 2, g->scene.pairs = &g->stays, g->scene.pair_count = 1;
    g->scene.friction = friction;
}

/// Plays the clip `grasp`; frames 15 to 27 close the hand (or let the ball slip), 45 to 50 hold it.
static bool play(Grasp *g, float friction, bool cold)
{
    const PeltiCharacter *who = g->hand;
    const PeltiWeights *weights = &g->weights;
    describe(g, friction);
    PeltiCorrectorSettings settings = {.cold = cold};
    if (pelti_corrector_create(&g->scene, 1, &who, &weights, &settings, NULL, NULL, &g->corrector, NULL) != PELT_OK)
        return false;
    const PeltiClip *clip = &who->clips[pelti_clip_find(who, "grasp")];
    g->held_ms = g->closing_ms = g->held_iterations = g->closing_iterations = 0;
    g->held_contacts = 0;
    for (int f = 0; f <= 50; f++) {
        PeltiContactReport report;
        pelti_pose_clip(who, clip, f / 30.0, &g->free);
        double start = pelti_clock_ms();
        pelti_corrector_step(g->corrector, &g->free, f ? 1 / 30.0 : 0, &g->corrected, &report);
        double ms = pelti_clock_ms() - start;
        if (f >= 45)
            g->held_ms += ms / 6, g->held_iterations += report.iterations / 6.0, g->held_contacts = report.contacts;
        if (f >= 15 && f <= 27)
            g->closing_ms += ms / 13, g->closing_iterations += report.iterations / 13.0;
    }
    pelti_corrector_destroy(g->corrector);
    return true;
}

void bench_contact(Bench *bench); // in the table of main.c
void bench_contact(Bench *bench)
{
    Grasp g = {0};
    if (pelti_builtin_make("hand", &(PeltiBuiltinOptions){.vertices = 5000}, NULL, NULL, &g.hand, NULL) != PELT_OK ||
        pelti_weights_from_file(g.hand, &g.hand->pool, &g.weights, NULL) != PELT_OK) {
        bench_skip(bench, "grasp", "no memory for the hand");
        pelti_character_destroy(g.hand);
        return;
    }
    g.free = pelti_pose_new(&g.hand->pool, g.hand);
    g.corrected = pelti_pose_new(&g.hand->pool, g.hand);
    for (int cold = 0; cold < 2; cold++) {
        const char *name = cold ? "grasp held, cold start" : "grasp held";
        double best = INFINITY;
        for (int k = 0; k < (bench_quick(bench) ? 1 : 3); k++)
            best = play(&g, 0.6f, cold) ? fmin(best, g.held_ms) : best;
        bench_row(bench, name, best, "ms/frame", cold ? 0 : 5, "1 thread, %d contacts watched, %.0f iterations a frame",
                  g.held_contacts, g.held_iterations);
        bench_row(bench, cold ? "grasp closing, cold start" : "grasp closing", g.closing_ms, "ms/frame", 0,
                  "%.0f iterations a frame", g.closing_iterations);
        if (play(&g, 0.1f, cold))
            bench_row(bench, cold ? "slip, cold start" : "slip", g.closing_ms, "ms/frame", 0,
                      "friction 0.1, %.0f iterations a frame", g.closing_iterations);
    }
    pelti_character_destroy(g.hand);
}
