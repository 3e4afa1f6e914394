/// Things that start deep inside a hand leave it, within a bound of work in every frame, and the hand keeps its shape.
#include "hand.h"
#include "contact/corrector_parts.h"
#include "contact/constants.def"

#include <string.h>

static int make_hand(void **state)
{
    (void)state;
    return make_hand_of(1500);
}

typedef struct Start {
    const char *joint; ///< the thing starts here
    float radius;
    PeltObjectKind kind;
} Start;

static Vec3 joint_place(const char *name)
{
    for (int b = 0; b < hand->bone_count; b++)
        if (strcmp(hand->nodes[hand->bones[b].node].name, name) == 0)
            return hand->bones[b].head;
    fail_msg("no joint %s", name);
    return vec3(0, 0, 0);
}

static double depth_in(const PeltiCorrector *c, Vec3 centre, float radius) ///< of the skin in the ball, or of the ball in it
{
    double deepest = 0;
    for (int v = 0; v < hand->mesh->vertex_count; v++)
        deepest = fmax(deepest, (double)(radius - vec3_distance(c->things.surfaces[0].before[v], centre)));
    return deepest;
}

/// Frames at 1/30 s without gravity; the depth at the end over that at the start.
static double play(const Start *start, int frames)
{
    PeltSceneObject thing = pelt_scene_object_default();
    thing.name = "thing", thing.kind = start->kind, thing.shape = PELT_SHAPE_SPHERE, thing.size[0] = start->radius;
    thing.detail = 24, thing.density = 500;
    PeltScene scene = pelt_scene_default();
    scene.objects = &thing, scene.object_count = 1;
    memset(scene.gravity, 0, sizeof scene.gravity);
    Vec3 at = joint_place(start->joint);
    memcpy(thing.position, (float[3]){at.x, at.y, at.z}, sizeof thing.position);
    PeltiCorrectorDef def = {.scene = &scene,
                             .character_count = 1,
                             .who = (const PeltiCharacter *const[]){hand},
                             .weights = (const PeltiWeights *const[]){&weights}};
    PeltiCorrector *c;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiPose free = pelti_pose_new(&pool, hand), corrected = pelti_pose_new(&pool, hand);
    pelti_pose_file(hand, &free);
    assert_int_equal(pelti_corrector_create(&def, NULL, &c, NULL), PELT_OK);
    double before = 0, now = 0, farthest = 0;
    PeltiContactReport report = {0};
    for (int f = 0; f <= frames; f++) {
        pelti_corrector_step(c, &free, f ? 1 / 30.0 : 0, &corrected, &report);
        PeltiCorrectorView view = pelti_corrector_object(c, 0);
        for (int k = 0; k < 3; k++)
            assert_true(isfinite(view.centre[k]) && fabs(view.velocity[k]) < 0.5);
        for (int v = 0; v < hand->mesh->vertex_count; v++)
            assert_true(vec3_finite(c->things.surfaces[0].before[v]));
        // the last sweep and Newton step that were begun are brought to their end
        if (!(report.work <= WORK_INSIDE + 2 * CORRECTOR_MOST_CONTACTS + 10 * 3000))
            fail_msg("frame %d: %ld visits", f, report.work);
        now = depth_in(c, vec3((float)view.centre[0], (float)view.centre[1], (float)view.centre[2]), start->radius);
        before = f == 0 ? now : before;
        for (int j = 0; j < c->things.skins[0].joint_count; j++)
            for (int k = 0; k < 3; k++)
                farthest = fmax(farthest, fabs(c->things.skins[0].joints[j].turn[k]));
    }
    if (start->kind == PELT_OBJECT_RIGID && !(farthest < 0.3))
        fail_msg("%s: a joint turned by %g", start->joint, farthest);
    assert_true(report.converged);                // at the end the laws hold, however the first frames were cut short
    assert_true(before > ESCAPE_DEEP * c->alarm); // deep, or this tests nothing
    pelti_corrector_destroy(c);
    pelti_pool_release(&pool);
    return now / before;
}

static void leaves(void **state)
{
    (void)state;
    const Start starts[] = {{"Hand", 0.045f, PELT_OBJECT_RIGID},
                            {"MiddleProximal", 0.02f, PELT_OBJECT_RIGID},
                            {"MiddleMetacarpal", 0.05f, PELT_OBJECT_RIGID},
                            {"IndexIntermediate", 0.018f, PELT_OBJECT_RIGID},
                            {"RingProximal", 0.03f, PELT_OBJECT_RIGID}};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        double left = play(&starts[i], 30);
        if (!(left < 0.02))
            fail_msg("%s, radius %g: %g of the depth is left", starts[i].joint, (double)starts[i].radius, left);
    }
}

/// What stands fast is left by the hand as far as its joints let it; work is bounded all the same.
static void fixed_is_bounded(void **state)
{
    (void)state;
    double left = play(&(Start){"MiddleIntermediate", 0.02f, PELT_OBJECT_FIXED}, 30);
    if (!(left < 0.1))
        fail_msg("%g of the depth is left", left);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves), cmocka_unit_test(fixed_is_bounded)};
    return cmocka_run_group_tests(tests, make_hand, drop_hand);
}
