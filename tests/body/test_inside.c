/// Pieces inside others: what sees no daylight.
#include "boxes.h"

#include "body/inside.h"

/// A tongue in a head, a button on it, a stick that comes out of it: only the first sees no daylight. A head with a side missing
/// hides nothing.
static void what_sees_no_daylight_is_inside(void **state)
{
    (void)state;
    for (int open = 0; open < 2; open++) {
        Boxes *b = new_boxes();
        add_box(b, vec3(0, -0.5f, -0.5f), vec3(2, 0.5f, 0.5f));
        b->triangles -= open ? 2 * SIDE * SIDE : 0;
        const int first[3] = {b->points, b->points + 6 * (SIDE + 1) * (SIDE + 1), b->points + 12 * (SIDE + 1) * (SIDE + 1)};
        add_box(b, vec3(0.5f, -0.1f, -0.1f), vec3(1.5f, 0.1f, 0.1f));
        add_box(b, vec3(1, 0.45f, -0.1f), vec3(1.2f, 0.55f, 0.1f));
        add_box(b, vec3(1.2f, 0.2f, -0.1f), vec3(3, 0.3f, 0.1f));
        PeltiCharacter *who = character_of(b, 3);
        PeltiWeights w = weights_along(who);
        PeltiPieces *pieces = pieces_of(who, &w);
        PeltError err;
        assert_int_equal(pelti_pieces_look_out(who, pieces, &err), PELT_OK);
        assert_false(pelti_piece_is_inside(&pieces->pieces[who->mesh->component[who->mesh->weld[0]]]));
        for (int k = 0; k < 3; k++)
            assert_int_equal(pelti_piece_is_inside(&pieces->pieces[who->mesh->component[who->mesh->weld[first[k]]]]),
                             k == 0 && !open);
        pelti_character_destroy(who);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_sees_no_daylight_is_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
