/// Hulls of the skin around bones, and planes between bones that share no joint.
#include "shared_tube.h"

static void a_hull_is_the_skin_around_its_bone(void **state)
{
    (void)state;
    const ProjPairs *pairs = &tube.p->contacts.pairs;
    for (int s = 0; s < tube.p->skeleton.segment_count; s++)
        for (int k = 0; k < 16; k++) {
            float angle = 0.3926991f * (float)k;
            Vec3 n = vec3(0, cosf(angle), sinf(angle));
            CHECK_NEAR(pelti_proj_hull_radius(&pairs->hulls[s], &pairs->rest[s], 0.5f, n), 0.35, 0.01);
        }
    ProjHull cone = {.most = 2}; // a radius that grows along and differs around
    for (int i = 0; i < PROJ_HULL_ALONG; i++)
        for (int j = 0; j < PROJ_HULL_AROUND; j++)
            cone.radius[i][j] = 1 + (float)i / (PROJ_HULL_ALONG - 1);
    cone.cap[0] = 0.5f, cone.cap[1] = 3;
    const ProjPlace *at = &pairs->rest[0];
    CHECK_NEAR(pelti_proj_hull_radius(&cone, at, 0.25f, at->side1), 1.25, 1e-5);
    CHECK_NEAR(pelti_proj_hull_radius(&cone, at, 1, at->side2), 2, 1e-5);
    CHECK_NEAR(pelti_proj_hull_radius(&cone, at, 0, vec3_scale(at->axis, -1)), 0.5, 1e-5); // off its ends: the caps
    CHECK_NEAR(pelti_proj_hull_radius(&cone, at, 1, at->axis), 3, 1e-5);
}

static void places_go_with_their_bones(void **state)
{
    (void)state;
    tube_pose(&tube, turn_about(vec3(0, 0, 0), vec3(0, 1, 0), 0.7f), 1.1f, 0.4f);
    for (int s = 0; s < tube.p->skeleton.segment_count; s++) {
        const ProjSegment *segment = &tube.p->skeleton.segments[s];
        ProjPlace now = pelti_proj_place(segment, tube.bones);
        CHECK_NEAR(vec3_distance(now.a, mat34_apply(tube.bones[segment->bone], segment->a)), 0, 1e-6);
        CHECK_NEAR(now.length, segment->length, 1e-5);
        CHECK_NEAR(vec3_distance(vec3_mad(now.a, now.axis, now.length), now.b), 0, 1e-5);
        CHECK_NEAR(vec3_dot(now.axis, now.side1), 0, 1e-5);
        CHECK_NEAR(vec3_dot(vec3_cross(now.axis, now.side1), now.side2), 1, 1e-5);
    }
}

/// Folded to a U and farther, the first and the last bone come near: planes lie between them, each side keeps to its own.
static void planes_lie_between_bones_that_meet(void **state)
{
    (void)state;
    Projective *p = tube.p;
    ProjPairs *pairs = &p->contacts.pairs;
    tube_pose(&tube, mat34_identity(), 0, 0);
    tube_step(&tube, 0, true);
    for (int i = 0; i < p->count; i++)
        assert_true(!(pairs->depth[i] > 0)); // straight: nothing meets
    for (int k = 1; k <= 10; k++) {
        tube_pose(&tube, mat34_identity(), 0.19f * (float)k, 0.19f * (float)k);
        tube_step(&tube, 1.0f / 30, false);
    }
    int cut = 0;
    for (int i = 0; i < p->count; i++) {
        const float *n = pairs->plane[i];
        int bone = p->skeleton.segments[pelti_proj_segment(&p->feet[p->system.order[i]])].bone;
        if (!isfinite(pairs->depth[i]) || bone == 1)
            continue;
        cut++;
        CHECK_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-4);
        Vec3 own = mat34_apply(tube.bones[bone], vec3((float)bone + 0.5f, 0, 0));
        int other_bone = bone ? 0 : 2;
        Vec3 other = mat34_apply(tube.bones[other_bone], vec3((float)other_bone + 0.5f, 0, 0));
        assert_true(vec3_dot(vec3_sub(own, other), vec3(n[0], n[1], n[2])) > 0); // it faces its own side
    }
    assert_true(cut > 20); // skin that is far before a plane is not given one
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_hull_is_the_skin_around_its_bone),
                                       cmocka_unit_test(places_go_with_their_bones),
                                       cmocka_unit_test(planes_lie_between_bones_that_meet)};
    return cmocka_run_group_tests(tests, open_tube, close_tube);
}
