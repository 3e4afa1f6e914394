/// Poses to learn from fold as bodies do.
#include "check.h"

#include "bake/objects.h"
#include "distil/poses.h"

#include <pelt/make.h>

#include <string.h>

static int node_of(const PeltiCharacter *who, const char *name)
{
    for (int n = 0; n < who->node_count; n++)
        if (strcmp(who->nodes[n].name, name) == 0)
            return n;
    fail_msg("no node %s", name);
    return -1;
}

/// A crouch turns both thighs deep, forwards, and the spine towards them: of 1 000 poses whose joints draw their sides one by one
/// four do.
static void folds_close_as_bodies_do(void **state)
{
    (void)state;
    PeltMakeDef make = pelt_make_def_default();
    PeltCharacter *character = NULL;
    PeltiDistilPoses poses;
    PeltiPool pool;
    make.name = "biped";
    make.vertices = 1000;
    assert_int_equal(pelt_make_character(&make, &character, NULL), PELT_OK);
    const PeltiCharacter *who = character->who;
    pelti_pool_init(&pool, NULL);
    PeltiDistilPosesDef def = {who, 1, pelti_clip_find(who, "bend"), NULL};
    assert_int_equal(pelti_distil_poses(&def, &pool, &poses, NULL), PELT_OK);
    PeltiPose pose = pelti_pose_new(&pool, who);
    int left = node_of(who, "LeftUpperLeg"), right = node_of(who, "RightUpperLeg"), spine = node_of(who, "Spine"), crouches = 0;
    for (int i = 0; i < 1000; i++) {
        pelti_distil_pose(&poses, (PeltiDistilPoseDraw){i, 0}, &pose);
        float one = pelti_distil_away(who, &pose, left).x, two = pelti_distil_away(who, &pose, right).x;
        crouches += one < -1 && two < -1 && pelti_distil_away(who, &pose, spine).x > 0.15f;
    }
    assert_in_range(crouches, 8, 100);
    pelti_pool_release(&pool);
    pelt_character_destroy(character);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(folds_close_as_bodies_do)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
