/// Normals of a skin turn with the surface, and sharp edges stay sharp.
#include "check.h"

#include "bake/normals.h"
#include "builtin/builtin.h"

/// Normals of a skin that turns as a whole turn with it; given ones keep their angle to the surface.
static void normals_turn_with_the_surface(void **state)
{
    (void)state;
    PeltiCharacter *who;
    PeltiBuiltinOptions options = {.vertices = 500};
    assert_int_equal(pelti_builtin_make("cylinder", &options, NULL, NULL, &who, NULL), PELT_OK);
    PeltiPool *pool = &who->pool;
    int count = who->point_count;
    Vec3 *given = PELTI_NEW(pool, Vec3, count), *moved = PELTI_NEW(pool, Vec3, who->mesh->vertex_count),
         *out = PELTI_NEW(pool, Vec3, count);
    for (int p = 0; p < count; p++) // a third has none: it gets the smooth one
        given[p] = p % 3 ? vec3_normalize_or(vec3(sinf((float)p), cosf((float)p), 0.3f), vec3(0, 1, 0)) : vec3(0, 0, 0);
    who->file_normals = given;
    PeltiNormals maker;
    assert_int_equal(pelti_normals_create(&maker, who, pool, NULL), PELT_OK);
    Mat3 turn = quat_to_mat3(quat_axis_angle(vec3_normalize_or(vec3(1, 2, 3), vec3(0, 1, 0)), 1.1f));
    for (int v = 0; v < who->mesh->vertex_count; v++)
        moved[v] = vec3_add(mat3_apply(turn, who->mesh->rest[v]), vec3(5, -2, 1));
    Vec3 *smooth = PELTI_NEW(pool, Vec3, who->mesh->vertex_count);
    pelti_mesh_normals(who->mesh, who->mesh->rest, smooth);
    pelti_normals_make(&maker, NULL, moved, out);
    for (int p = 0; p < count; p++) {
        Vec3 expected = mat3_apply(turn, p % 3 ? given[p] : smooth[who->mesh->weld[p]]);
        CHECK_NEAR(vec3_distance(out[p], expected), 0, 1e-3);
    }
    who->file_normals = NULL; // nobody has one: all get the smooth one
    assert_int_equal(pelti_normals_create(&maker, who, pool, NULL), PELT_OK);
    pelti_normals_make(&maker, NULL, moved, out);
    for (int p = 0; p < count; p++)
        CHECK_NEAR(vec3_distance(out[p], mat3_apply(turn, smooth[who->mesh->weld[p]])), 0, 1e-3);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(normals_turn_with_the_surface)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
