/// The last word on carried skin is shown where it stays near, less of it the farther it is, and comes back over some steps.
#include "check.h"

#include "bake/carried.h"
#include "builtin/builtin.h"

typedef struct Word {
    PeltiCharacter *who;
    PeltiCarried *carried;
    Vec3 *x;
} Word;

static Word begin(void)
{
    Word w;
    PeltiBuiltinOptions options = {.vertices = 500};
    assert_int_equal(pelti_builtin_make("cylinder", &options, NULL, NULL, &w.who, NULL), PELT_OK);
    assert_int_equal(pelti_carried_create(w.who->mesh, &w.who->pool, &w.carried, NULL), PELT_OK);
    w.x = PELTI_NEW(&w.who->pool, Vec3, w.who->mesh->vertex_count);
    return w;
}

/// How far vertex 7 is shown from where it was asked for, of the size, where the last word leaves it behind by `lag`.
static float shown(Word *w, float lag, bool restart)
{
    const PeltiMesh *mesh = w->who->mesh;
    for (int v = 0; v < mesh->vertex_count; v++)
        w->x[v] = mesh->rest[v];
    pelti_carried_begin(w->carried, w->x);
    w->x[7].z += lag * mesh->diagonal;
    pelti_carried_end(w->carried, lag * mesh->diagonal, restart, w->x);
    CHECK_NEAR(vec3_distance(w->x[8], mesh->rest[8]), 0, 1e-6 * (double)mesh->diagonal);
    return vec3_distance(w->x[7], mesh->rest[7]) / mesh->diagonal;
}

static void a_word_that_stays_near_is_shown_whole(void **state)
{
    (void)state;
    Word w = begin();
    for (int i = 0; i < 5; i++)
        CHECK_NEAR(shown(&w, 0.09f, i == 0), 0.09, 1e-6);
    pelti_character_destroy(w.who);
}

static void a_word_that_leaves_skin_behind_is_shown_the_less_the_farther(void **state)
{
    (void)state;
    Word w = begin();
    float last = 0.1f;
    CHECK_NEAR(shown(&w, 0.101f, true), 0.1, 2e-3); // it goes over without a jump
    for (float lag = 0.2f; lag < 0.9f; lag += 0.1f) {
        float now = shown(&w, lag, true);
        assert_true(now < last);
        last = now;
    }
    assert_true(last < 0.02f);
    for (int i = 1; i < 5; i++) // and comes back
        assert_true(shown(&w, 0.09f, false) < 0.09f);
    shown(&w, 0.09f, false);
    CHECK_NEAR(shown(&w, 0.09f, false), 0.09, 1e-6);
    shown(&w, 0.8f, false);
    CHECK_NEAR(shown(&w, 0.09f, true), 0.09, 1e-6); // led in from rest: nothing was shown before
    pelti_character_destroy(w.who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_that_stays_near_is_shown_whole),
        cmocka_unit_test(a_word_that_leaves_skin_behind_is_shown_the_less_the_farther),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
