/// A piece is what the rig says it is.
#include "boxes.h"

/// What a rig says of a piece counts for more than how it looks: two boxes of skin and a button.
static void a_rig_says_what_a_piece_is(void **state)
{
    (void)state;
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.3f, -0.3f), vec3(3, 0.3f, 0.3f));
    int second = b->points;
    add_box(b, vec3(1.0f, 0.29f, -0.2f), vec3(2.0f, 0.5f, 0.2f));
    PeltiCharacter *who = character_of(b, 3);
    PeltiWeights w = weights_along(who), bound = w;
    int c = who->mesh->component[who->mesh->weld[second]], other = 1 - c;
    char name[32];
    snprintf(name, sizeof name, "component %d", c);
    PeltRigPiece says = {.name = name};
    PeltRig rig = {.piece_count = 1, .pieces = &says};
    PeltiPieces pieces;
    PeltError err;
    bool changed;
    const struct Case {
        PeltRigKind says;
        PeltiPieceKind kind;
        bool in_body, sewn, changed;
    } cases[] = {{PELT_PIECE_SKIN, PELTI_PIECE_SKIN, true, false, false},
                 {PELT_PIECE_SHELL, PELTI_PIECE_SHELL, true, false, false},
                 {PELT_PIECE_INSIDE, PELTI_PIECE_SKIN, false, false, false},
                 {PELT_PIECE_THING, PELTI_PIECE_RIGID, false, true, false},
                 {PELT_PIECE_RIGID, PELTI_PIECE_RIGID, false, false, true}};
    for (int i = 0; i < 5; i++) {
        says.kind = cases[i].says;
        bound = w;
        assert_int_equal(pelti_pieces_bind(who, &rig, &who->pool, &bound, &changed, &err), PELT_OK);
        assert_int_equal(changed, cases[i].changed);
        assert_int_equal(pelti_pieces_judge(who, &bound, &rig, &who->pool, &pieces, &err), PELT_OK);
        assert_int_equal(pieces.pieces[c].kind, cases[i].kind);
        assert_int_equal(pieces.pieces[c].in_body, cases[i].in_body);
        assert_int_equal(pieces.pieces[c].sewn, cases[i].sewn);
        assert_true(pieces.pieces[c].said && !pieces.pieces[other].said);
        assert_int_equal(pieces.pieces[other].kind, PELTI_PIECE_SKIN);
    }
    says.bone = who->nodes[who->bones[2].node].name; // and by a bone's name
    bound = w;
    assert_int_equal(pelti_pieces_bind(who, &rig, &who->pool, &bound, &changed, &err), PELT_OK);
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        bool ours = who->mesh->component[v] == c;
        assert_int_equal(bound.bone[4 * v], ours ? 2 : w.bone[4 * v]);
        CHECK_NEAR(bound.weight[4 * v], ours ? 1 : w.weight[4 * v], 0);
    }
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rig_says_what_a_piece_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
