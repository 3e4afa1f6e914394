/// What implicit skinning prepares: which skin the field speaks of, at which value, and settings in their units.
#include "check.h"

#include "builtin/builtin.h"
#include "character/weights.h"
#include "methods/implicit/implicit.h"

extern const PeltiMethod pelti_method_implicit;

static void the_field_speaks_of_most_skin_at_rest(void **state)
{
    (void)state;
    PeltiBuiltinOptions make = {.vertices = 600};
    static PeltiOptions options;
    PeltiCharacter *who;
    PeltiWeights weights;
    void *made = NULL;
    assert_int_equal(pelti_builtin_make("cylinder", &make, NULL, NULL, &who, NULL), PELT_OK);
    assert_int_equal(pelti_weights_from_file(who, &who->pool, &weights, NULL), PELT_OK);
    pelti_options_init(&options, pelti_method_implicit.options);
    PeltiMethodPrepare in = {.who = who, .options = &options, .weights = &weights};
    assert_int_equal(pelti_implicit_prepare(&in, &made, NULL), PELT_OK);
    Implicit *m = made;
    int projected = 0, n = who->mesh->vertex_count;
    double off = 0;
    for (int v = 0; v < n; v++) {
        float value;
        Vec3 gradient;
        if (!m->rest.projected[v])
            continue;
        projected++;
        pelti_implicit_field(m, m->rest.skeleton[v], who->mesh->rest[v], &value, &gradient);
        CHECK_NEAR(value, m->rest.iso[v], 0);                  // its own value is the one at rest
        assert_true(vec3_dot(gradient, m->now.normal[v]) < 0); // the field falls outwards
        off += fabs((double)m->rest.iso[v] - 0.5);
    }
    assert_true(projected > n * 3 / 4);
    CHECK_NEAR(off / projected, 0, 0.05); // a fit of the skin: about one half
    pelti_options_set(&options, "stop-angle", "60", NULL);
    pelti_options_set(&options, "operator", "contact", NULL);
    pelti_implicit_retune(m, &options);
    CHECK_NEAR(m->set.cos_stop, 0.5, 1e-5);
    assert_true(m->set.contact);
    pelti_implicit_destroy(m);
    pelti_implicit_destroy(NULL);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_field_speaks_of_most_skin_at_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
