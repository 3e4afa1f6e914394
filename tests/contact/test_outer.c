/// Skin that lies within is told from what can be touched.
#include "chain.h"
#include "contact/outer.h"

/// A tube, and another one in it (or beside it, by `aside`), which may be turned inside out.
static PeltiMesh *two_tubes(PeltiPool *pool, float aside, bool turned)
{
    static Vec3 p[2 * TUBE_POINTS];
    static int t[2 * TUBE_TRIANGLES][3], instance[2 * TUBE_POINTS];
    int first = make_tube(4, 1, p, t, 0), count = first + make_tube(3, 0.8f, p, t + first, TUBE_POINTS);
    for (int i = TUBE_POINTS; i < 2 * TUBE_POINTS; i++)
        p[i] = vec3_add(p[i], vec3(0.5f, aside, 0));
    for (int i = first; i < count && turned; i++) {
        int keep = t[i][1];
        t[i][1] = t[i][2], t[i][2] = keep;
    }
    PeltiMesh *mesh;
    PeltiMeshInput def = {.point_count = 2 * TUBE_POINTS,
                          .triangle_count = count,
                          .weld_positions = p,
                          .rest = p,
                          .instance_of_point = instance,
                          .point_triangles = (const int(*)[3])t};
    assert_int_equal(pelti_mesh_build(pool, &def, &mesh, NULL), PELT_OK);
    return mesh;
}

/// Triangles of the first and of the second tube that are called outer.
static void count_outer(float aside, bool turned, int found[2], int *each)
{
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiMesh *mesh = two_tubes(&pool, aside, turned);
    bool *outer = PELTI_NEW(&pool, bool, mesh->triangle_count);
    assert_int_equal(pelti_contact_outer_triangles(mesh, &pool, NULL, outer, NULL), PELT_OK);
    found[0] = found[1] = 0;
    *each = mesh->triangle_count / 2;
    for (int t = 0; t < mesh->triangle_count; t++)
        found[t >= *each] += outer[t];
    pelti_pool_release(&pool);
}

static void what_is_inside_is_not_outer(void **state)
{
    (void)state;
    for (int turned = 0; turned < 2; turned++) { // a body under its clothes, and their inner face
        int found[2], each;
        count_outer(0, turned, found, &each);
        assert_int_equal(found[0], each);
        assert_int_equal(found[1], 0);
    }
}

static void what_stands_beside_is(void **state)
{
    (void)state;
    int found[2], each;
    count_outer(2.5f, false, found, &each);
    assert_int_equal(found[0], each);
    assert_int_equal(found[1], each);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_inside_is_not_outer),
        cmocka_unit_test(what_stands_beside_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
