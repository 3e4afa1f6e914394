/// Fingers driven into each other give way: each stays on its side, by its stiffness, without popping, and rests when held.
#include "fingers.h"

static PeltRigJoint stiff(const char *joint, float stiffness)
{
    PeltRigJoint j = {.joint = joint, .joint_stiffness = stiffness, .crush = -1, .firmness = -1};
    return j;
}

static void the_softer_finger_yields_as_their_stiffness_says(void **state)
{
    (void)state;
    for (int k = 1; k <= 4; k *= 2) { // the same force at the same lever: K_left turn_left = K_right turn_right
        PeltRigJoint joints[] = {stiff("left", 10), stiff("right", 10.0f * (float)k)};
        PeltRig rig = {.joint_count = 2, .joints = joints};
        Fingers f = open_fingers(1, apart, 0, &rig);
        for (int s = 0; s < 8; s++)
            step(&f, 0.17f, 0.17f, 0);
        double ratio = turned(&f, LEFT) / turned(&f, RIGHT);
        assert_true(turned(&f, LEFT) > 0.005);
        if (!(fabs(ratio - k) < 0.1 * k))
            fail_msg("stiffness 1 : %d, turns %g : %g", k, turned(&f, LEFT), turned(&f, RIGHT));
        assert_true(overlap(&f) < 0.03); // the ends are blunt, the axes may come nearer
        close_fingers(&f);
    }
}

static void flesh_takes_its_share_before_joints_move(void **state)
{
    (void)state;
    Fingers hard = open_fingers(1, apart, 0, NULL), soft = open_fingers(1, apart, 0.3f, NULL);
    step(&hard, 0.17f, 0.17f, 0);
    step(&soft, 0.17f, 0.17f, 0);
    assert_true(turned(&hard, LEFT) > 0.005);
    assert_true(turned(&soft, LEFT) == 0 && soft.report.active == 0); // 0.24 deep of the 0.24 and more that it takes
    for (int s = 0; s < 8; s++)
        step(&soft, 0.3f, 0.3f, 0);
    assert_true(turned(&soft, LEFT) > 0.005);
    double deep = overlap(&soft) * (double)soft.who->mesh->diagonal;
    if (!(deep > 0.1 && deep < 0.35)) // crush times both radii, and blunt ends
        fail_msg("pressed by %g", deep);
    close_fingers(&hard);
    close_fingers(&soft);
}

/// Two fingers that lean by 0.3 rad; what a rig says of one of them, below 0: nothing. How far that one turns.
static double turn_of_crush(float common, float left, float right)
{
    PeltRigJoint joints[] = {stiff("left", 10), stiff("right", 10)};
    joints[0].crush = left, joints[1].crush = right;
    PeltRig rig = {.joint_count = 2, .joints = joints};
    Fingers f = open_fingers(1, apart, common, &rig);
    for (int s = 0; s < 8; s++)
        step(&f, 0.3f, 0.3f, 0);
    double turn = turned(&f, LEFT);
    close_fingers(&f);
    return turn;
}

static void a_rig_says_what_flesh_takes(void **state)
{
    (void)state;
    double hard = turn_of_crush(0.15f, 0, 0), plain = turn_of_crush(0, 0.15f, 0.15f), soft = turn_of_crush(0.15f, 0.4f, 0.4f);
    if (!(hard > plain + 0.01 && plain > soft + 0.01 && soft > 0.01))
        fail_msg("crush 0, 0.15, 0.4: turns %g, %g, %g", hard, plain, soft);
    assert_true(plain == turn_of_crush(0.15f, -1, -1)); // as the common one, where a rig says nothing
    double one = turn_of_crush(0, 0.15f, -1);           // each finger's own share counts
    assert_true(one < hard - 0.005 && one > plain + 0.005);
}

static void a_held_pose_rests(void **state)
{
    (void)state;
    Fingers f = open_fingers(1, apart, 0.05f, NULL);
    for (int s = 0; s <= 10; s++)
        step(&f, 0.03f * (float)s, 0.02f * (float)s, 1.0 / 30);
    for (int s = 0; s < 20; s++)
        step(&f, 0.3f, 0.2f, 1.0 / 30);
    Vec3 before = tip(&f, LEFT);
    for (int s = 0; s < 30; s++)
        step(&f, 0.3f, 0.2f, 1.0 / 30);
    double drift = (double)vec3_distance(before, tip(&f, LEFT) /* one second later */) / (double)f.who->mesh->diagonal;
    assert_true(turned(&f, LEFT) > 0.02);
    if (!(drift < 1e-4))
        fail_msg("drifts by %g of the size in a second", drift);
    close_fingers(&f);
}

static void opening_and_closing_does_not_pop(void **state)
{
    (void)state;
    Fingers f = open_fingers(1, apart, 0.05f, NULL);
    Vec3 a = {0}, b = {0}, c;
    double most = 0, fastest = 0;
    for (int s = 0; s <= 120; s++) { // lean by up to 0.35 and back
        float lean = 0.175f * (1 - cosf(6.2831853f * (float)s / 120));
        step(&f, lean, 0.5f * lean, 1.0 / 30);
        c = tip(&f, LEFT);
        if (s > 1) {
            most = fmax(most, (double)vec3_length(vec3_add(vec3_sub(c, vec3_scale(b, 2)), a)));
            fastest = fmax(fastest, (double)vec3_distance(c, b));
        }
        a = b, b = c;
    }
    assert_true(pelti_give_way_joint(f.give_way, LEFT).most > 0.03);
    assert_true(turned(&f, LEFT) < 1e-3); // and comes back
    if (!(most < 1.2 * fastest))          // it stops within a frame at most, never faster than it came
        fail_msg("a second difference of %g at speeds of up to %g a frame", most, fastest);
    close_fingers(&f);
}

static void a_finger_driven_through_another_stays_on_its_side(void **state)
{
    (void)state;
    Fingers f = open_fingers(1, apart, 0.05f, NULL);
    double deepest = 0;
    for (int s = 0; s <= 80; s++) { // 70 degrees across and back
        float lean = 1.2f * sinf(3.1415927f * (float)s / 80);
        step(&f, lean, 0, 1.0 / 30);
        Vec3 l = tip(&f, LEFT), r = tip(&f, RIGHT);
        deepest = fmax(deepest, overlap(&f));
        if (!(l.x < r.x + 0.1f))
            fail_msg("frame %d: tips at %g and %g", s, (double)l.x, (double)r.x);
    }
    if (!(deepest < 0.03))
        fail_msg("%g of the size deep", deepest);
    assert_true(pelti_give_way_joint(f.give_way, LEFT).most > 0.3);
    close_fingers(&f);
}

static void what_a_clip_takes_through_for_good_is_let_go(void **state)
{
    (void)state;
    const float over = 2.2f; // rad: the left finger points down on the far side of the right one, free of it
    Fingers f = open_fingers(1, apart, 0.05f, NULL);
    for (int s = 0; s <= 40; s++)
        step(&f, over * (float)s / 40, 0, 1.0 / 30);
    assert_true(turned(&f, LEFT) > 0.3); // held back at first
    Vec3 before = tip(&f, LEFT);
    double most = 0;
    for (int s = 0; s < 120; s++) {
        step(&f, over, 0, 1.0 / 30);
        most = fmax(most, (double)vec3_distance(before, tip(&f, LEFT)));
        before = tip(&f, LEFT);
    }
    if (!(turned(&f, LEFT) < 0.01 && turned(&f, RIGHT) < 0.01))
        fail_msg("after four seconds joints are still turned by %g and %g", turned(&f, LEFT), turned(&f, RIGHT));
    if (!(most < 0.2 * (double)length)) // nowhere near the 0.5 rad and more at once
        fail_msg("the tip moves by %g in a frame, the finger is %g long", most, (double)length);
    close_fingers(&f);
}

static void units_do_not_matter(void **state)
{
    (void)state;
    Fingers small = open_fingers(1.0f / 128, apart, 0.05f, NULL), large = open_fingers(128, apart, 0.05f, NULL);
    for (int s = 0; s <= 20; s++) {
        step(&small, 0.02f * (float)s, 0.01f * (float)s, 1.0 / 30);
        step(&large, 0.02f * (float)s, 0.01f * (float)s, 1.0 / 30);
        CHECK_NEAR(turned(&small, LEFT), turned(&large, LEFT), 1e-3);
        CHECK_NEAR(turned(&small, RIGHT), turned(&large, RIGHT), 1e-3);
    }
    assert_true(turned(&large, LEFT) > 0.05);
    close_fingers(&small);
    close_fingers(&large);
}

static void what_overlaps_at_rest_is_left_alone(void **state)
{
    (void)state;
    Fingers f = open_fingers(1, 1.5f * radius, 0, NULL); // half inside each other
    step(&f, 0, 0, 0);
    assert_true(f.report.most_turn == 0);
    step(&f, 0.02f, 0.02f, 0);
    assert_true(f.report.most_turn == 0);
    close_fingers(&f);
}

/// How far a finger's tip is from where its clip has it, share of the size.
static double taken(const Fingers *f, int bone)
{
    Vec3 head = f->who->bones[bone].head, up = quat_rotate(f->pose.local[bone].rotation, vec3(0, f->unit * length, 0));
    return (double)(vec3_distance(tip(f, bone), vec3_add(head, up)) / f->who->mesh->diagonal);
}

static void skin_is_taken_no_farther_than_it_may_be(void **state)
{
    (void)state;
    const float most = 0.03f;
    Fingers held = open_with(1, apart, &(PeltiGiveWaySettings){.most_moved = most}), far = open_fingers(1, apart, 0, NULL);
    for (int s = 0; s <= 20; s++) {
        step(&held, 0.02f * (float)s, 0.02f * (float)s, 1.0 / 30);
        step(&far, 0.02f * (float)s, 0.02f * (float)s, 1.0 / 30);
    }
    assert_true(taken(&far, LEFT) > 1.5 * (double)most);
    CHECK_NEAR(taken(&held, LEFT), (double)most, 0.1 * (double)most); // but as far as it may
    CHECK_NEAR(turned(&held, LEFT), turned(&far, LEFT), 1e-9);        // contacts are followed as without a limit
    close_fingers(&held);
    close_fingers(&far);
}

/// What weighing leaves of a turn of the left finger about z where the fingers lean by `lean`.
static double weighed(float lean, double turn)
{
    Fingers f = open_with(1, apart, &(PeltiGiveWaySettings){.weigh = true});
    PeltiGiveWay *g = f.give_way;
    step(&f, lean, lean, 0);
    for (int j = 0; j < g->skin.joint_count; j++)
        memset(g->held_back.turn[j], 0, sizeof(double[3]));
    g->held_back.turn[LEFT][2] = turn;
    pelti_give_way_weigh(g, 0, true);
    double left = g->held_back.turn[LEFT][2];
    close_fingers(&f);
    return left;
}

static void turns_are_shown_only_where_they_help(void **state)
{
    (void)state;
    assert_true(weighed(0.3f, 0.4) == 0.4);  // out of the other finger
    assert_true(weighed(0.3f, -0.05) == 0);  // deeper into it
    assert_true(weighed(0.15f, -0.15) == 0); // into it
    assert_true(weighed(0, 0.2) == 0);       // nothing crosses in the clip's pose: nothing to mend
    assert_true(weighed(0, 1e-3) == 1e-3);   // not worth it
}

/// The offset from the clip's place changes its speed by a bounded amount, and ends where contact puts it.
static void what_is_weighed_is_shown_in_no_haste(void **state)
{
    (void)state;
    Fingers f = open_with(1, apart, &(PeltiGiveWaySettings){.weigh = true}), at_once = open_fingers(1, apart, 0, NULL);
    double size = (double)f.who->mesh->diagonal, most = 0, without = 0;
    Vec3 a = {0}, b = {0}, c, p = {0}, q = {0}, r;
    for (int s = 0; s < 60; s++) { // 5.7 degrees a frame, then still
        float lean = fminf(0.4f, 0.1f * (float)s);
        step(&f, lean, 0.5f * lean, 1.0 / 30);
        step(&at_once, lean, 0.5f * lean, 1.0 / 30);
        Vec3 clip = vec3_add(f.who->bones[LEFT].head, quat_rotate(f.pose.local[LEFT].rotation, vec3(0, length, 0)));
        c = vec3_sub(tip(&f, LEFT), clip), r = vec3_sub(tip(&at_once, LEFT), clip);
        most = fmax(most, (double)vec3_length(vec3_add(vec3_sub(c, vec3_scale(b, 2)), a)) / size);
        without = fmax(without, (double)vec3_length(vec3_add(vec3_sub(r, vec3_scale(q, 2)), p)) / size);
        a = b, b = c, p = q, q = r;
    }
    if (!(most < 0.01 && without > 0.015))
        fail_msg("the offset changes its speed by %g of the size a frame, without calm by %g", most, without);
    assert_true(turned(&f, LEFT) > 0.03);
    CHECK_NEAR(vec3_distance(tip(&f, LEFT), tip(&at_once, LEFT)) / (float)size, 0, 1e-3);
    close_fingers(&f);
    close_fingers(&at_once);
}

enum { STEPS = 400 };

/// Steps in which samples of a finger were known to be clear of the other one, over a closing and opening that does or does not
/// remember it; the turns go to `turns`.
static int count_clear(bool remembers, double turns[2][STEPS])
{
    Fingers f = open_fingers(1, apart, 0.05f, NULL);
    PeltiGiveWay *g = f.give_way;
    int n = g->parts.part_count, clear = 0;
    for (int s = 0; s < STEPS; s++) {
        float lean = 0.2f * sinf(3.1415927f * (float)s / STEPS);
        if (!remembers) {
            memset(g->motion.clear, 0, sizeof(float) * (size_t)(n * n));
            memset(g->motion.placed, 0, sizeof(Mat34) * (size_t)f.who->bone_count);
        }
        step(&f, lean, s % 7 ? lean : 0.9f * lean, 1.0 / 30);
        turns[0][s] = turned(&f, LEFT), turns[1][s] = turned(&f, RIGHT);
        clear += g->motion.clear[LEFT * n + RIGHT] > 0;
    }
    close_fingers(&f);
    return clear;
}

static void what_is_known_to_be_clear_makes_no_difference(void **state)
{
    (void)state;
    double with[2][STEPS], without[2][STEPS], most = 0;
    assert_true(count_clear(true, with) > 10);
    count_clear(false, without);
    for (int s = 0; s < STEPS; s++) {
        most = fmax(most, with[0][s]);
        assert_true(with[0][s] == without[0][s] && with[1][s] == without[1][s]);
    }
    assert_true(most > 0.03);
}

static void a_part_is_as_deep_as_its_tube(void **state)
{
    (void)state;
    PeltiCharacter *who = make_fingers(1, apart);
    PeltiContactPartPiece piece;
    PeltiContactPartField field;
    int first = who->triangle_count / BONES; // of the left finger
    assert_int_equal(
        pelti_contact_part_piece_build(&who->pool, first, who->mesh->triangles + first, who->mesh->rest, &piece, NULL), PELT_OK);
    assert_int_equal(pelti_contact_part_field_layout(&who->pool, &piece, 4000, &field, NULL), PELT_OK);
    pelti_contact_part_field_fill(&piece, &field);
    CHECK_NEAR(pelti_contact_part_winding(&piece, vec3(-apart / 2, length / 2, 0)), 1, 0.08);
    CHECK_NEAR(pelti_contact_part_winding(&piece, vec3(apart / 2, length / 2, 0)), 0, 0.02);
    CHECK_NEAR(field.radius, radius, 0.15f * radius);
    float phi;
    Vec3 g;
    assert_true(pelti_contact_part_field_at(&field, vec3(-apart / 2 + 0.7f * radius, length / 2, 0), &phi, &g));
    CHECK_NEAR(phi, -0.3f * radius, 0.1f * radius);
    assert_true(vec3_dot(vec3_normalize_or(g, vec3(0, 0, 0)), vec3(1, 0, 0)) > 0.95f);
    assert_false(pelti_contact_part_field_at(&field, vec3(100, 0, 0), &phi, &g));
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_is_as_deep_as_its_tube),
        cmocka_unit_test(the_softer_finger_yields_as_their_stiffness_says),
        cmocka_unit_test(flesh_takes_its_share_before_joints_move),
        cmocka_unit_test(a_rig_says_what_flesh_takes),
        cmocka_unit_test(a_held_pose_rests),
        cmocka_unit_test(opening_and_closing_does_not_pop),
        cmocka_unit_test(a_finger_driven_through_another_stays_on_its_side),
        cmocka_unit_test(what_a_clip_takes_through_for_good_is_let_go),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(what_overlaps_at_rest_is_left_alone),
        cmocka_unit_test(skin_is_taken_no_farther_than_it_may_be),
        cmocka_unit_test(what_is_known_to_be_clear_makes_no_difference),
        cmocka_unit_test(turns_are_shown_only_where_they_help),
        cmocka_unit_test(what_is_weighed_is_shown_in_no_haste),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
