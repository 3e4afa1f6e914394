/// Bodies of a scene, rigid and soft, by closed forms: mass, inertia, falling, what forces at contacts do; tetrahedra of a box.
#include "check.h"
#include "contact/soft.h"
#include "contact/soft_mesh.h"

#include <string.h>

typedef struct Body {
    PeltSceneObject def;
    PeltiContactBody body;
    PeltiPool pool;
    PeltiLog log;
    PeltiMesh *mesh;
} Body;

/// A box of 2 x 1 x 0.5, 3 kg, turned by a third of a turn about y.
static void make(Body *b, PeltObjectKind kind)
{
    PeltError err = {0};
    memset(b, 0, sizeof *b);
    pelti_pool_init(&b->pool, NULL);
    pelti_log_init(&b->log, NULL);
    b->def = pelt_scene_object_default();
    b->def.name = "box", b->def.kind = kind, b->def.shape = PELT_SHAPE_BOX;
    b->def.size[0] = 2, b->def.size[1] = 1, b->def.size[2] = 0.5f;
    b->def.mass_kg = 3;
    b->def.position[0] = 5;
    b->def.velocity[0] = 1;
    b->def.rotation[1] = 0.8660254f, b->def.rotation[3] = 0.5f;
    if (pelti_contact_body_init(&b->body, &b->pool, &b->def, &b->mesh, &b->log, &err) != PELT_OK)
        fail_msg("%s", err.text);
}

static void drop(Body *b)
{
    pelti_soft_destroy(b->body.soft);
    pelti_log_release(&b->log);
    pelti_pool_release(&b->pool);
}

static void a_box_has_the_inertia_of_a_box(void **state)
{
    (void)state;
    Body b;
    make(&b, PELT_OBJECT_RIGID);
    CHECK_NEAR(b.body.mass, 3, 1e-6);
    CHECK_NEAR(b.body.inertia[0][0], 3 * (1 * 1 + 0.5 * 0.5) / 12, 1e-5);
    CHECK_NEAR(b.body.inertia[1][1], 3 * (2 * 2 + 0.5 * 0.5) / 12, 1e-5);
    CHECK_NEAR(b.body.inertia[2][2], 3 * (2 * 2 + 1 * 1) / 12.0, 1e-5);
    CHECK_NEAR(b.body.inertia[0][1], 0, 1e-6);
    drop(&b);
}

static void a_body_falls_and_keeps_its_speed(void **state)
{
    (void)state;
    Body b;
    make(&b, PELT_OBJECT_RIGID);
    const double gravity[3] = {0, -10, 0}, h = 0.01;
    double before = b.body.now.at[1];
    for (int i = 0; i < 100; i++) {
        pelti_contact_body_free_step(&b.body, gravity, h);
        memset(b.body.motion.moved, 0, sizeof b.body.motion.moved); // nothing touches it
        pelti_contact_body_end_step(&b.body, h);
    }
    CHECK_NEAR(b.body.now.velocity[1], -10, 1e-9);
    CHECK_NEAR(b.body.now.velocity[0], 1, 1e-9);
    CHECK_NEAR(b.body.now.at[1] - before, -5, 10 * h); // the sum of a step's ends: 5.05
    drop(&b);
}

static void blocks_say_how_a_point_moves_and_taking_is_the_inverse_of_getting(void **state)
{
    (void)state;
    Body b;
    make(&b, PELT_OBJECT_RIGID);
    const double h = 0.02, still[3] = {0, 0, 0}, u[2][3] = {{1e-4, -2e-4, 3e-4}, {2e-4, 1e-4, -1e-4}};
    pelti_contact_body_free_step(&b.body, still, h);
    memset(b.body.motion.moved, 0, sizeof b.body.motion.moved);
    int n = b.mesh->vertex_count;
    Vec3 *before = calloc((size_t)n, sizeof *before), *after = calloc((size_t)n, sizeof *after);
    pelti_contact_body_place(&b.body, before, n);
    double translation[3][3], turn[3][3], point[3] = {(double)before[0].x, (double)before[0].y, (double)before[0].z}, got[2][3];
    pelti_contact_body_blocks(&b.body, point, h, translation, turn);
    pelti_contact_body_take(&b.body, h, u[0], u[1]);
    pelti_contact_body_place(&b.body, after, n);
    pelti_contact_body_get(&b.body, h, got[0], got[1]);
    const double moved[3] = {(double)(after[0].x - before[0].x), (double)(after[0].y - before[0].y),
                             (double)(after[0].z - before[0].z)};
    for (int i = 0; i < 3; i++) {
        double linear = 0;
        for (int k = 0; k < 3; k++)
            linear += translation[i][k] * u[0][k] + turn[i][k] * u[1][k];
        CHECK_NEAR(moved[i], linear, 2e-6);
        CHECK_NEAR(got[0][i], u[0][i], 1e-12);
        CHECK_NEAR(got[1][i], u[1][i], 1e-9);
    }
    free(before);
    free(after);
    drop(&b);
}

static void tetrahedra_fill_the_box_and_its_skin_hangs_in_them(void **state)
{
    (void)state;
    Body b;
    PeltiSoftMesh soft;
    PeltError err = {0};
    const double o[3] = {0, 0, 0}, x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
    CHECK_NEAR(pelti_contact_tet_volume(o, x, y, z), 1.0 / 6, 1e-15);
    CHECK_NEAR(pelti_contact_tet_volume(o, y, x, z), -1.0 / 6, 1e-15);
    make(&b, PELT_OBJECT_SOFT);
    assert_int_equal(pelti_soft_mesh_make(&b.pool, &b.body, b.mesh, &soft, &err), PELT_OK);
    double volume = 0;
    for (int t = 0; t < soft.tet_count; t++) {
        const int *n = soft.tets[t];
        double one = pelti_contact_tet_volume(soft.nodes[n[0]], soft.nodes[n[1]], soft.nodes[n[2]], soft.nodes[n[3]]);
        assert_true(one > 0);
        volume += one;
    }
    CHECK_NEAR(volume, 1, 1e-5); // 2 x 1 x 0.5
    for (int v = 0; v < b.mesh->vertex_count; v++) {
        double sum = 0, at[3] = {0, 0, 0};
        for (int c = 0; c < 4; c++) {
            sum += soft.weight[v][c];
            for (int k = 0; k < 3; k++)
                at[k] += soft.weight[v][c] * soft.nodes[soft.corner[v][c]][k];
        }
        CHECK_NEAR(sum, 1, 1e-12);
        CHECK_NEAR(at[0], b.body.local[v].x, 1e-6);
        CHECK_NEAR(at[1], b.body.local[v].y, 1e-6);
        CHECK_NEAR(at[2], b.body.local[v].z, 1e-6);
    }
    drop(&b);
}

static void a_soft_body_falls_as_a_whole_and_answers_forces_by_its_compliance(void **state)
{
    (void)state;
    Body b;
    PeltError err = {0};
    const double gravity[3] = {0, -10, 0}, h = 0.01;
    double linear[3], c[36], u[2][3];
    make(&b, PELT_OBJECT_SOFT);
    assert_int_equal(pelti_soft_create(&b.pool, &b.body, b.mesh, &b.body.soft, &err), PELT_OK);
    PeltiSoft *soft = b.body.soft;
    for (int i = 0; i < 50; i++) {
        assert_true(pelti_soft_free_step(soft, gravity, h));
        pelti_soft_clear_slots(soft);
        pelti_soft_take(soft, NULL);
        pelti_soft_end_step(soft, h);
    }
    pelti_soft_momentum(soft, linear);
    CHECK_NEAR(linear[0], 3, 1e-4); // 3 kg at 1 unit/s
    CHECK_NEAR(linear[1], -15, 1e-4);
    CHECK_NEAR(linear[2], 0, 1e-4);
    assert_true(pelti_soft_free_step(soft, gravity, h));
    pelti_soft_clear_slots(soft);
    int far = b.mesh->vertex_count - 1;
    assert_int_equal(pelti_soft_slot(soft, 0), 0);
    assert_int_equal(pelti_soft_slot(soft, far), 1);
    assert_int_equal(pelti_soft_slot(soft, 0), 0);
    assert_int_equal(pelti_soft_slot_count(soft), 2);
    pelti_soft_compliance(soft, c);
    for (int i = 0; i < 6; i++) {
        assert_true(c[7 * i] > 0);
        for (int k = 0; k < i; k++)
            CHECK_NEAR(c[6 * i + k], c[6 * k + i], 1e-9 * c[7 * i]);
    }
    const double force[2][3] = {{1, 2, -1}, {0, -1, 3}}, *f = &force[0][0];
    pelti_soft_take(soft, force);
    pelti_soft_moved(soft, u);
    for (int i = 0; i < 6; i++) {
        double by = 0;
        for (int k = 0; k < 6; k++)
            by += c[6 * i + k] * f[k];
        CHECK_NEAR((&u[0][0])[i], by, 1e-9 + 1e-6 * fabs(by));
    }
    drop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_has_the_inertia_of_a_box),
        cmocka_unit_test(a_body_falls_and_keeps_its_speed),
        cmocka_unit_test(blocks_say_how_a_point_moves_and_taking_is_the_inverse_of_getting),
        cmocka_unit_test(tetrahedra_fill_the_box_and_its_skin_hangs_in_them),
        cmocka_unit_test(a_soft_body_falls_as_a_whole_and_answers_forces_by_its_compliance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
