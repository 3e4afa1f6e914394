/// Limbs that were held on their side or let go are told of with when and how far; those that only touch are not.
#include "fingers.h"

static const double dt = 1.0 / 30;

static void what_is_held_on_its_side_is_told(void **state)
{
    (void)state;
    Fingers f = open_fingers(1, apart, 0.05f, NULL);
    int from = -1, to = -1;
    for (int s = 0; s <= 80; s++) { // 70 degrees across and back
        float lean = 1.2f * sinf(3.1415927f * (float)s / 80);
        step(&f, lean, 0, dt);
        if (lean > 0.6f) { // the tip is past the other finger by then, that finger being `apart` away
            from = from < 0 ? s : from;
            to = s;
        }
    }
    assert_int_equal(pelti_give_way_side_count(f.give_way), 1);
    PeltiGiveWaySide side = pelti_give_way_side(f.give_way, 0);
    assert_true(!strcmp(side.a, "left") ? !strcmp(side.b, "right") : !strcmp(side.a, "right") && !strcmp(side.b, "left"));
    if (!(labs(side.first - from) < 5 && labs(side.last - to) < 5 && side.steps == side.last - side.first + 1))
        fail_msg("held in steps %ld to %ld, %ld of them; through the other in the clip from %d to %d", side.first, side.last,
                 side.steps, from, to);
    assert_true(side.let_go < 0 && side.through < 0);                                                 // it came back in time
    double size = (double)f.who->mesh->diagonal, most = (double)(length * sinf(1.2f) - apart) / size; // of the tip, at the turn
    if (!(side.most > 0.5 * most && side.most < 2 * most))
        fail_msg("the clip is %g of the size beyond, told %g", most, side.most);
    close_fingers(&f);
}

static void what_is_let_go_is_told(void **state)
{
    (void)state;
    Fingers f = open_fingers(1, apart, 0.05f, NULL);
    for (int s = 0; s <= 160; s++) // the left finger is taken to the far side of the right one and stays there
        step(&f, 2.2f * fminf(1, (float)s / 40), 0, dt);
    assert_true(turned(&f, LEFT) < 0.01);
    assert_int_equal(pelti_give_way_side_count(f.give_way), 1);
    PeltiGiveWaySide side = pelti_give_way_side(f.give_way, 0);
    if (!(side.first > 5 && side.first < 25 && side.let_go > 40 && side.through > side.let_go && side.through < 100))
        fail_msg("held from %ld to %ld, let go in %ld, through in %ld", side.first, side.last, side.let_go, side.through);
    assert_true(side.last <= side.through);
    close_fingers(&f);
}

static void what_only_touches_is_not_told(void **state)
{
    (void)state;
    Fingers f = open_fingers(1, apart, 0, NULL);
    for (int s = 0; s <= 20; s++)
        step(&f, 0.01f * (float)s, 0.01f * (float)s, dt); // pressed by less than a finger's depth
    assert_true(turned(&f, LEFT) > 0.02);
    assert_int_equal(pelti_give_way_side_count(f.give_way), 0);
    close_fingers(&f);
}

static void a_start_in_the_midst_is_told(void **state)
{
    (void)state;
    Fingers f = open_fingers(1, apart, 0.05f, NULL);
    step(&f, 0.75f, 0, 0); // begins past the middle: led back to where the finger comes from
    assert_int_equal(pelti_give_way_side_count(f.give_way), 1);
    assert_true(pelti_give_way_side(f.give_way, 0).first == 0 && pelti_give_way_side(f.give_way, 0).steps == 1);
    close_fingers(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_held_on_its_side_is_told),
        cmocka_unit_test(what_is_let_go_is_told),
        cmocka_unit_test(what_only_touches_is_not_told),
        cmocka_unit_test(a_start_in_the_midst_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
