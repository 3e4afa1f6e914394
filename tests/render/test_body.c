/// Surfaces gathered for rays: meshes as they are, rods and arrows as closed solids, broken ones left out.
#include "check.h"
#include "shapes.h"

#include "render/body.h"

static double volume(const PeltiRenderBody *b)
{
    const Vec3 *x = (const Vec3 *)b->positions.data;
    const int(*t)[3] = (const int(*)[3])b->triangles.data;
    double sum = 0;
    for (size_t k = 0; k < b->triangles.count; k++)
        sum += (double)vec3_dot(x[t[k][0]], vec3_cross(x[t[k][1]], x[t[k][2]])) / 6;
    return sum;
}

static void normals_and_values_are_the_meshes(void **state)
{
    (void)state;
    Shape ball = shape_sphere(vec3(0, 0, 0), 1, 32);
    float *values = malloc(sizeof(float) * (size_t)ball.vertex_count);
    for (int v = 0; v < ball.vertex_count; v++)
        values[v] = 2 + 4 * ball.x[v].y;
    PeltiRenderSceneMesh mesh = shape_mesh(&ball);
    mesh.values = values;
    mesh.low = -2, mesh.high = 6;
    PeltiRenderScene scene;
    pelti_render_scene_init(&scene);
    scene.mesh_count = 1;
    scene.meshes = &mesh;
    PeltiRenderBody body;
    assert_int_equal(pelti_render_body_create(&scene, false, 0.01f, &body, NULL), PELT_OK);
    assert_int_equal(body.positions.count, ball.vertex_count);
    CHECK_NEAR(volume(&body), 4.18879, 0.15);
    for (int v = ball.vertex_count / 4; v < ball.vertex_count * 3 / 4; v++) {
        CHECK_NEAR(vec3_dot(((const Vec3 *)body.normals.data)[v], ball.x[v]), 1, 0.01); // outward, unit
        CHECK_NEAR(((const float *)body.values.data)[v], 0.5 + 0.5 * (double)ball.x[v].y, 1e-5);
    }
    pelti_render_body_release(&body);
    ball.x[40] = vec3(NAN, 0, 0); // its triangles are left out, the others stay
    mesh.flat = true;
    assert_int_equal(pelti_render_body_create(&scene, false, 0.01f, &body, NULL), PELT_OK);
    assert_true((int)body.triangles.count < ball.triangle_count && (int)body.triangles.count >= ball.triangle_count - 12);
    assert_int_equal(body.positions.count, 3 * body.triangles.count); // flat: no corner is shared
    pelti_render_body_release(&body);
    assert_int_equal(pelti_render_body_create(&scene, true, 0.01f, &body, NULL), PELT_OK);
    assert_int_equal(body.triangles.count, 0); // nothing is see-through
    assert_null(body.rays);
    pelti_render_body_release(&body);
    pelti_render_scene_release(&scene);
    free(values);
    shape_free(&ball);
}

static void rods_and_arrows_are_closed_solids(void **state)
{
    (void)state;
    PeltiRenderScene scene;
    PeltiRenderBody body;
    pelti_render_scene_init(&scene);
    pelti_array_push(&scene.lines, &(PeltiRenderSceneLine){.a = {0, 0, 0}, .b = {3, 0, 0}, .radius = 0.5f});
    assert_int_equal(pelti_render_body_create(&scene, false, 0.01f, &body, NULL), PELT_OK);
    double capsule = 3.14159265 * 0.25 * 3 + 4.18879 * 0.125;
    CHECK_NEAR(volume(&body) / capsule, 1, 0.06); // facets are a little inside
    pelti_render_body_release(&body);
    scene.lines.count = 0;
    pelti_array_push(&scene.points, &(PeltiRenderScenePoint){.at = {1, 2, 3}}); // no radius: three pixels
    assert_int_equal(pelti_render_body_create(&scene, false, 0.1f, &body, NULL), PELT_OK);
    for (size_t v = 0; v < body.positions.count; v++)
        CHECK_NEAR(vec3_distance(((const Vec3 *)body.positions.data)[v], vec3(1, 2, 3)), 0.3, 1e-5);
    pelti_render_body_release(&body);
    scene.points.count = 0;
    pelti_array_push(&scene.arrows, &(PeltiRenderSceneArrow){.from = {0, 0, 0}, .to = {0, 2, 0}, .radius = 0.05f});
    pelti_array_push(&scene.arrows, &(PeltiRenderSceneArrow){.from = {0, 0, 0}, .to = {NAN, 2, 0}, .radius = 0.05f});
    assert_int_equal(pelti_render_body_create(&scene, false, 0.01f, &body, NULL), PELT_OK);
    float tip = 0, widest = 0;
    for (size_t v = 0; v < body.positions.count; v++) {
        Vec3 x = ((const Vec3 *)body.positions.data)[v];
        assert_true(vec3_finite(x));
        tip = fmaxf(tip, x.y);
        widest = fmaxf(widest, sqrtf(x.x * x.x + x.z * x.z));
    }
    CHECK_NEAR(tip, 2, 1e-6);
    assert_true(widest > 0.1f && widest < 0.2f && volume(&body) > 3.1 * 0.0025 * 1.5);
    pelti_render_body_release(&body);
    pelti_render_scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(normals_and_values_are_the_meshes),
                                       cmocka_unit_test(rods_and_arrows_are_closed_solids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
