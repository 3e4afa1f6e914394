/// The built-in hand closes on an object, lifts it sideways off a peg and keeps it by friction alone.
/// Gravity pulls along the tunnel of the fingers, so that nothing else holds it. No attachment anywhere.
#include "hand.h"
#include "contact/corrector_parts.h"
#include "contact_laws.h"

#include <string.h>

static int make_hand(void **state)
{
    (void)state;
    return make_hand_of(3000);
}

typedef struct Grasp {
    float mu, stiffness;
    bool cold, soft, final;
    bool given; ///< another hand holds the ball until this one has closed on it
    // what came of it
    double held_slip; ///< along gravity, from the end of the lift to the end
    double fallen;    ///< how far it is below the hand's grip at the end
    double depth;     ///< deepest vertex of the skin in the (analytic) ball
    long iterations;  ///< of the frames in which it is held
    int contacts;     ///< most watched
    double turned;    ///< most correction of a joint, rad
    double push;      ///< largest force of a contact, N
    double residual;  ///< of the contact laws, worst of all frames
} Grasp;

static const float radius = 0.022f, edge = 0.036f;
static const Vec3 start = {0.012f, 0.088f, -0.0385f};

/// Fingers of the fist clip, thumb as at rest; lifted by 0.1 along +x in the second second.
static void pose_at(double time, PeltiPose *out, PeltiPose *open)
{
    const PeltiClip *fist = &hand->clips[pelti_clip_find(hand, "fist")];
    pelti_pose_clip(hand, fist, 0.6 * fmin(time, 1), out);
    pelti_pose_clip(hand, fist, 0, open);
    for (int n = 0; n < hand->node_count; n++) {
        if (strstr(hand->nodes[n].name, "Thumb"))
            out->local[n] = open->local[n];
        if (strcmp(hand->nodes[n].name, "Forearm") == 0)
            out->local[n].translation.x += (float)(0.1 * fmin(fmax(time - 1.3, 0), 1));
    }
}

static Vec3 middle_of(const PeltiCorrector *c)
{
    PeltiCorrectorView v = pelti_corrector_object(c, 0);
    Vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < v.vertex_count; i++)
        sum = vec3_mad(sum, v.x[i], 1.0f / (float)v.vertex_count);
    return sum;
}

static double deepest(const PeltiCharacter *who, const PeltiPose *pose, PeltiNodeMatrix *node_matrix, Mat34 *bones, Vec3 centre)
{
    double depth = 0;
    pelti_pose_bones(who, pose, node_matrix, bones);
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        Vec3 x = vec3(0, 0, 0);
        for (int k = 0; k < weights.influences; k++)
            x = vec3_mad(x, mat34_apply(bones[weights.bone[v * weights.influences + k]], who->mesh->rest[v]),
                         weights.weight[v * weights.influences + k]);
        depth = fmax(depth, (double)(radius - vec3_distance(x, centre)));
    }
    return depth;
}

static void run(Grasp *g, int frames)
{
    PeltSceneObject o[2] = {pelt_scene_object_default(), pelt_scene_object_default()};
    o[0].name = "thing", o[0].shape = PELT_SHAPE_SPHERE, o[0].size[0] = radius, o[0].detail = 40, o[0].density = 500;
    memcpy(o[0].position, (float[3]){start.x, start.y, start.z}, sizeof o[0].position);
    if (g->soft) {
        o[0].kind = PELT_OBJECT_SOFT, o[0].shape = PELT_SHAPE_BOX, o[0].detail = 4, o[0].young_modulus_pa = 1e5f;
        o[0].size[0] = o[0].size[1] = o[0].size[2] = edge;
    }
    float peg = 0.2f;
    o[1].name = "peg", o[1].kind = PELT_OBJECT_FIXED, o[1].size[0] = peg, o[1].size[1] = o[1].size[2] = 0.012f;
    memcpy(o[1].position, (float[3]){start.x - (g->soft ? edge / 2 : radius) - peg / 2 - 2e-4f, start.y, start.z},
           sizeof o[1].position);
    PeltScenePair stays = {"thing", "peg", 0.8f, -1};
    PeltScene scene = pelt_scene_default();
    scene.objects = o, scene.object_count = 2, scene.pairs = &stays, scene.pair_count = 1;
    scene.gravity[0] = -9.81f, scene.gravity[1] = 0;
    scene.friction = g->mu, scene.joint_stiffness = g->stiffness;
    PeltiCorrector *c = NULL;
    PeltError err = {0};
    PeltiCorrectorDef def = {.scene = &scene,
                             .character_count = 1,
                             .who = (const PeltiCharacter *const[]){hand},
                             .weights = (const PeltiWeights *const[]){&weights},
                             .settings = {.cold = g->cold, .final = g->final}};
    if (pelti_corrector_create(&def, NULL, &c, &err) != PELT_OK)
        fail_msg("%s", err.text);
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiPose free = pelti_pose_new(&pool, hand), open = pelti_pose_new(&pool, hand), corrected = pelti_pose_new(&pool, hand);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&pool, PeltiNodeMatrix, hand->node_count);
    Mat34 *bones = PELTI_NEW(&pool, Mat34, hand->bone_count);
    float held = 0;
    for (int f = 0; f <= frames; f++) {
        PeltiContactReport report;
        pose_at(f / 30.0, &free, &open);
        if (g->given && f < 36)
            pelti_corrector_hold(c, 0, (Trs){start, {0, 0, 0, 1}, {1, 1, 1}});
        else if (g->given && f == 36)
            pelti_corrector_let_go(c, 0);
        pelti_corrector_step(c, &free, f ? 1 / 30.0 : 0, &corrected, &report);
        Vec3 at = middle_of(c);
        if (!g->soft && f)
            g->residual = fmax(g->residual, system_residual(&c->linear.system, c->size));
        if (!g->soft)
            g->depth = fmax(g->depth, deepest(hand, &corrected, node_matrix, bones, at));
        for (int k = 0; k < pelti_corrector_contact_count(c); k++)
            g->push = fmax(g->push, (double)vec3_length(pelti_corrector_contact(c, k).force));
        g->contacts = report.contacts > g->contacts ? report.contacts : g->contacts;
        if (f == 75)
            held = at.x;
        if (f > 75)
            g->iterations += report.iterations;
        for (int n = 0; n < hand->node_count; n++)
            g->turned = fmax(g->turned,
                             (double)quat_angle(quat_mul(corrected.local[n].rotation, quat_conjugate(free.local[n].rotation))));
        g->held_slip = fabs((double)(at.x - held));
        g->fallen = (double)(start.x + 0.1f - at.x);
    }
    pelti_pool_release(&pool);
    pelti_corrector_destroy(c);
}

static void a_ball_is_lifted_and_held_by_friction(void **state)
{
    (void)state;
    Grasp g = {.mu = 0.6f, .stiffness = 1};
    run(&g, 75 + 150);
    double size = (double)hand->mesh->diagonal;
    if (!(g.fallen < 0.02 && g.held_slip < 0.001 && g.depth < 0.002 * size && g.contacts >= 60 && g.turned > 0.02))
        fail_msg("%g below the grip, slipped %g in five seconds, depth %g of the size, %d contacts, turned %g", g.fallen,
                 g.held_slip, g.depth / size, g.contacts, g.turned);
}

/// A ball that is held from outside does not yield. The fingers do, by their own springs: no joint stiffens against what will be
/// let go, or the ball would shoot out from between them.
static void a_ball_that_is_handed_over_is_kept(void **state)
{
    (void)state;
    Grasp free = {.mu = 0.6f, .stiffness = 1}, given = {.mu = 0.6f, .stiffness = 1, .given = true};
    run(&free, 75);
    run(&given, 75 + 30);
    if (!(given.fallen < 0.02 && given.held_slip < 0.001 && given.push < 3 * free.push))
        fail_msg("%g below the grip, slipped %g, pushed by %g N (%g N where nobody helps)", given.fallen, given.held_slip,
                 given.push, free.push);
}

static void the_same_ball_falls_when_friction_is_low(void **state)
{
    (void)state;
    Grasp g = {.mu = 0.1f, .stiffness = 1};
    run(&g, 75);
    assert_true(g.fallen > 0.3);
}

static void a_warm_start_saves_iterations_while_it_is_held(void **state)
{
    (void)state;
    Grasp warm = {.mu = 0.6f, .stiffness = 1}, cold = warm;
    cold.cold = true;
    run(&warm, 75 + 30);
    run(&cold, 75 + 30);
    assert_true(cold.fallen < 0.02);
    if (!(2 * warm.iterations <= cold.iterations))
        fail_msg("%ld iterations warm, %ld cold", warm.iterations, cold.iterations);
}

/// A ball of the test's own, so that it can be dented: rings about y.
enum { AROUND = 40, RINGS = 19, BALL_VERTICES = AROUND * RINGS + 2, BALL_TRIANGLES = 2 * AROUND * RINGS };
static float ball_vertices[BALL_VERTICES][3];
static int ball_triangles[BALL_TRIANGLES][3];

static void make_ball(void)
{
    int n = 0, low = BALL_VERTICES - 2, high = low + 1;
    for (int r = 0; r < RINGS; r++)
        for (int k = 0; k < AROUND; k++) {
            float a = 6.2831853f * (float)k / AROUND, b = 3.14159265f * (float)(r + 1) / (RINGS + 1);
            float *p = ball_vertices[r * AROUND + k];
            p[0] = radius * sinf(b) * cosf(a), p[1] = -radius * cosf(b), p[2] = -radius * sinf(b) * sinf(a);
        }
    memcpy(ball_vertices[low], (float[3]){0, -radius, 0}, sizeof(float[3]));
    memcpy(ball_vertices[high], (float[3]){0, radius, 0}, sizeof(float[3]));
    for (int k = 0; k < AROUND; k++) {
        int next = (k + 1) % AROUND, last = (RINGS - 1) * AROUND;
        memcpy(ball_triangles[n++], (int[3]){low, next, k}, sizeof(int[3]));
        memcpy(ball_triangles[n++], (int[3]){high, last + k, last + next}, sizeof(int[3]));
        for (int r = 0; r + 1 < RINGS; r++) {
            int a = r * AROUND + k, b = r * AROUND + next;
            memcpy(ball_triangles[n++], (int[3]){a, b, b + AROUND}, sizeof(int[3]));
            memcpy(ball_triangles[n++], (int[3]){a, b + AROUND, a + AROUND}, sizeof(int[3]));
        }
    }
}

/// Closes the hand on the ball, held in place; where the forces are. Returns how many.
static int close_on_ball(Vec3 *at, float *force, int most)
{
    PeltSceneObject o = pelt_scene_object_default();
    o.kind = PELT_OBJECT_FIXED, o.shape = PELT_SHAPE_MESH, o.vertices = (const float(*)[3])ball_vertices;
    o.vertex_count = BALL_VERTICES, o.triangles = (const int(*)[3])ball_triangles, o.triangle_count = BALL_TRIANGLES;
    memcpy(o.position, (float[3]){start.x, start.y, start.z}, sizeof o.position);
    PeltScene scene = pelt_scene_default();
    scene.objects = &o, scene.object_count = 1;
    PeltiCorrector *c = NULL;
    PeltError err = {0};
    PeltiCorrectorDef def = {.scene = &scene,
                             .character_count = 1,
                             .who = (const PeltiCharacter *const[]){hand},
                             .weights = (const PeltiWeights *const[]){&weights}};
    if (pelti_corrector_create(&def, NULL, &c, &err) != PELT_OK)
        fail_msg("%s", err.text);
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiPose free = pelti_pose_new(&pool, hand), open = pelti_pose_new(&pool, hand), corrected = pelti_pose_new(&pool, hand);
    for (int f = 0; f <= 36; f++) {
        pose_at(f / 30.0, &free, &open);
        pelti_corrector_step(c, &free, f ? 1 / 30.0 : 0, &corrected, NULL);
    }
    int count = 0;
    for (int i = 0; i < pelti_corrector_contact_count(c) && count < most; i++) {
        PeltiContactPoint p = pelti_corrector_contact(c, i);
        if (vec3_length(p.force) > 1e-4f)
            force[count] = vec3_length(p.force), at[count++] = p.point;
    }
    pelti_pool_release(&pool);
    pelti_corrector_destroy(c);
    return count;
}

/// Contact is on the meshes, not on stand-ins: where a finger pushed, a dent of two millimetres leaves nothing to push at.
static void a_dent_changes_what_is_touched(void **state)
{
    (void)state;
    Vec3 before[256], after[256];
    float force[256], force_after[256];
    make_ball();
    int count = close_on_ball(before, force, 256), strongest = 0;
    assert_true(count >= 3);
    for (int i = 0; i < count; i++)
        strongest = force[i] > force[strongest] ? i : strongest;
    Vec3 at = vec3_sub(before[strongest], start);
    for (int v = 0; v < BALL_VERTICES; v++) {
        float *p = ball_vertices[v], near = vec3_distance(vec3(p[0], p[1], p[2]), at);
        for (int k = 0; k < 3 && near < 0.008f; k++)
            p[k] *= 1 - 0.002f / radius * fminf(1, 2 - near / 0.004f);
    }
    int count_after = close_on_ball(after, force_after, 256), same = 0;
    float nearest = INFINITY;
    for (int i = 0; i < count_after; i++) {
        nearest = fminf(nearest, vec3_distance(after[i], before[strongest]));
        for (int k = 0; k < count; k++)
            same += vec3_distance(after[i], before[k]) < 5e-4f;
    }
    if (!(nearest > 1.5e-3f && same < count))
        fail_msg("%d contacts, then %d, %d the same; nearest to the dent %g", count, count_after, same, (double)nearest);
}

static void contact_laws_hold_in_every_frame(void **state)
{
    (void)state;
    Grasp fast = {.mu = 0.6f, .stiffness = 1}, final = fast;
    final.final = true;
    run(&fast, 75);
    run(&final, 75);
    if (!(fast.residual < 1e-4 && final.residual < 1e-6))
        fail_msg("residual %g, final %g", fast.residual, final.residual);
}

static void a_soft_cube_is_squeezed_and_lifted(void **state)
{
    (void)state;
    Grasp g = {.mu = 0.8f, .stiffness = 1, .soft = true};
    run(&g, 75 + 30);
    if (!(g.fallen < 0.02 && g.held_slip < 0.002))
        fail_msg("%g below the grip, slipped %g", g.fallen, g.held_slip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_ball_is_lifted_and_held_by_friction),
                                       cmocka_unit_test(a_ball_that_is_handed_over_is_kept),
                                       cmocka_unit_test(the_same_ball_falls_when_friction_is_low),
                                       cmocka_unit_test(a_warm_start_saves_iterations_while_it_is_held),
                                       cmocka_unit_test(a_dent_changes_what_is_touched),
                                       cmocka_unit_test(contact_laws_hold_in_every_frame),
                                       cmocka_unit_test(a_soft_cube_is_squeezed_and_lifted)};
    return cmocka_run_group_tests(tests, make_hand, drop_hand);
}
