/// Bone heat against its closed form in one dimension, and on tubes, clothes and broken surfaces.
#include "chain.h"

#include "core/hash.h"

#include <string.h>

static int count_code(const PeltiLog *log, const char *code)
{
    int n = 0;
    for (int i = 0; i < pelti_log_count(log); i++)
        n += !strcmp(pelti_log_get(log, i)->code, code);
    return n;
}

static PeltiWeights automatic(PeltiCharacter *who, PeltiJobs *jobs)
{
    PeltiWeights w = {0};
    PeltError err = {0};
    if (pelti_weights_automatic(who, &who->pool, jobs, &who->log, &w, &err) != PELT_OK)
        fail_msg("%s", err.text);
    check_sane(who, &w);
    return w;
}

static Vec3 tube_p[TUBE_POINTS * 2 + 8];
static int tube_t[TUBE_TRIANGLES * 2 + 8][3];

static void two_bones_share_a_tube(void **state)
{
    (void)state;
    int triangles = make_tube(4, 0.4f, tube_p, tube_t, 0), points[] = {TUBE_POINTS};
    PeltiCharacter *who =
        make_chain((ChainBones){2, 0, 2}, 1, points, (ChainSkin){TUBE_POINTS, tube_p, triangles, (const int(*)[3])tube_t});
    assert_true(who->mesh->closed);
    PeltiWeights w = automatic(who, NULL);
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        float x = who->mesh->rest[v].x, w1 = weight_of(&w, v, 1);
        if (x < 1)
            assert_true(w1 < 0.045f);
        if (x > 3)
            assert_true(w1 > 0.955f);
        if (x == 2)
            CHECK_NEAR(w1, 0.5, 0.02);
        for (int r = who->mesh->ring_start[v]; r < who->mesh->ring_start[v + 1]; r++) { // smooth and monotone along the tube
            int u = who->mesh->ring[r];
            assert_true(fabsf(weight_of(&w, u, 1) - w1) < 0.3f);
            if (who->mesh->rest[u].x > x + 0.01f && x >= 0 && who->mesh->rest[u].x <= 4)
                assert_true(weight_of(&w, u, 1) >= w1 - 1e-4f);
        }
    }
    assert_int_equal(pelti_log_count(&who->log), 0);
    pelti_character_destroy(who);
}

static void along_one_dimension_the_heat_equation_has_a_closed_form(void **state)
{
    (void)state;
    // Far from the ends w'' = 2 w / d^2 with d the radius (distance to the axis) and 2 the strength of the heat: past the middle
    // 1 - w = exp(-sqrt(2) (x - 2) / d) / 2
    int triangles = make_tube(4, 0.4f, tube_p, tube_t, 0), points[] = {TUBE_POINTS};
    PeltiCharacter *who =
        make_chain((ChainBones){2, 0, 2}, 1, points, (ChainSkin){TUBE_POINTS, tube_p, triangles, (const int(*)[3])tube_t});
    PeltiWeights w = automatic(who, NULL);
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        float x = who->mesh->rest[v].x;
        if (x >= 2 && x <= 3.3f)
            CHECK_NEAR(weight_of(&w, v, 1), 1 - 0.5f * expf(-sqrtf(2) * (x - 2) / 0.4f), 0.02);
    }
    pelti_character_destroy(who);
}

static void clothes_see_the_bones_through_the_body(void **state)
{
    (void)state;
    int body = make_tube(4, 0.4f, tube_p, tube_t, 0), points[] = {TUBE_POINTS, TUBE_POINTS};
    int total = body + make_tube(4, 0.5f, tube_p, tube_t + body, TUBE_POINTS);
    PeltiCharacter *who =
        make_chain((ChainBones){2, 0, 2}, 2, points, (ChainSkin){TUBE_POINTS * 2, tube_p, total, (const int(*)[3])tube_t});
    PeltiWeights w = automatic(who, NULL);
    assert_int_equal(count_code(&who->log, "weights-component-unseen"), 0);
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        float x = who->mesh->rest[v].x, d = who->mesh->vertex_instance[v] ? 0.5f : 0.4f;
        if (x >= 2 && x <= 3)
            CHECK_NEAR(weight_of(&w, v, 1), 1 - 0.5f * expf(-sqrtf(2) * (x - 2) / d), 0.02);
    }
    pelti_character_destroy(who);
}

static void broken_surfaces_still_get_weights(void **state)
{
    (void)state;
    int n = make_tube(4, 0.4f, tube_p, tube_t, 0), points[] = {TUBE_POINTS + 4};
    int p = TUBE_POINTS;
    tube_p[p] = vec3(9, 9, 9);     // in no triangle
    tube_p[p + 1] = vec3(1, 2, 0); // a zero-area triangle, a component of its own
    tube_p[p + 2] = vec3(1, 3, 0);
    tube_p[p + 3] = vec3(1, 4, 0);
    int extra[3][3] = {{p + 1, p + 2, p + 3}, {0, AROUND, 5 * AROUND}, {0, AROUND, 9 * AROUND + 3}}; // and two fins
    memcpy(tube_t[n], extra, sizeof extra);
    n -= 12; // some triangles of the tube are missing: a hole
    memmove(tube_t[n], extra, sizeof extra);
    PeltiCharacter *who =
        make_chain((ChainBones){3, 0, 2}, 1, points, (ChainSkin){TUBE_POINTS + 4, tube_p, n + 3, (const int(*)[3])tube_t});
    automatic(who, NULL);
    assert_true(who->mesh->border_edge_count > 0 && who->mesh->nonmanifold_edge_count > 0);
    assert_true(count_code(&who->log, "weights-vertex-unused") == 1);
    pelti_character_destroy(who);
}

static void bones_outside_are_named_and_the_mesh_still_moves(void **state)
{
    (void)state;
    int n = make_tube(4, 0.4f, tube_p, tube_t, 0), points[] = {TUBE_POINTS};
    PeltiCharacter *who =
        make_chain((ChainBones){3, 20, 2}, 1, points, (ChainSkin){TUBE_POINTS, tube_p, n, (const int(*)[3])tube_t});
    PeltiWeights w = automatic(who, NULL);
    assert_int_equal(count_code(&who->log, "weights-component-unseen"), 1);
    assert_int_equal(count_code(&who->log, "weights-bone-unreached"), 2);
    CHECK_NEAR(weight_of(&w, 0, 0), 1, 1e-4);
    pelti_character_destroy(who);
}

static void one_bone_or_none_or_nothing_at_all(void **state)
{
    (void)state;
    int n = make_tube(4, 0.4f, tube_p, tube_t, 0), points[] = {TUBE_POINTS};
    PeltiCharacter *who =
        make_chain((ChainBones){1, 1, 2}, 1, points, (ChainSkin){TUBE_POINTS, tube_p, n, (const int(*)[3])tube_t});
    PeltiWeights w = automatic(who, NULL);
    for (int v = 0; v < who->mesh->vertex_count; v++)
        CHECK_NEAR(weight_of(&w, v, 0), 1, 0);
    pelti_character_destroy(who);
    who = make_chain((ChainBones){0, 1, 2}, 1, points, (ChainSkin){TUBE_POINTS, tube_p, n, (const int(*)[3])tube_t});
    PeltError err = {0};
    assert_int_equal(pelti_weights_automatic(who, &who->pool, NULL, &who->log, &w, &err), PELT_OK);
    assert_int_equal(count_code(&who->log, "weights-no-bones"), 1);
    pelti_character_destroy(who);
    int none[] = {0};
    who = make_chain((ChainBones){2, 0, 2}, 1, none, (ChainSkin){0, tube_p, 0, (const int(*)[3])tube_t});
    assert_int_equal(pelti_weights_automatic(who, &who->pool, NULL, &who->log, &w, &err), PELT_OK);
    pelti_character_destroy(who);
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        int n = make_tube(4, 0.4f, tube_p, tube_t, 0), points[] = {TUBE_POINTS};
        PeltiCharacter *who =
            make_chain((ChainBones){7, 0, 0.5f}, 1, points, (ChainSkin){TUBE_POINTS, tube_p, n, (const int(*)[3])tube_t});
        PeltiJobs *jobs = i ? pelti_jobs_create(i * 2) : NULL;
        PeltiWeights w = automatic(who, jobs);
        size_t count = (size_t)who->mesh->vertex_count * (size_t)w.influences;
        hash[i] = pelti_hash(pelti_hash(PELTI_HASH_START, w.bone, count * sizeof(int)), w.weight, count * sizeof(float));
        pelti_jobs_destroy(jobs);
        pelti_character_destroy(who);
    }
    assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_bones_share_a_tube),
        cmocka_unit_test(along_one_dimension_the_heat_equation_has_a_closed_form),
        cmocka_unit_test(clothes_see_the_bones_through_the_body),
        cmocka_unit_test(broken_surfaces_still_get_weights),
        cmocka_unit_test(bones_outside_are_named_and_the_mesh_still_moves),
        cmocka_unit_test(one_bone_or_none_or_nothing_at_all),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
