/// Text formats of shapes: faces become fans, tetrahedra are turned the right way and get their outside.
/// Faces count from the front or the back.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "folder.h"

#include "io/mesh_text.h"

static PeltiPool pool;
static PeltiIoMesh shape;
static PeltError err;

static PeltStatus load(PeltiIoMeshParse parse, const char *text)
{
    FILE *f = fopen(at("shape.txt"), "wb");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    pelti_pool_release(&pool);
    pelti_pool_init(&pool, NULL);
    shape = (PeltiIoMesh){0};
    err = (PeltError){0};
    return pelti_io_mesh_load_text(&pool, at("shape.txt"), parse, &shape, &err);
}

static void faces_become_fans(void **state)
{
    (void)state;
    assert_int_equal(load(pelti_io_mesh_obj, "# a square\no thing\nv 0 0 0\nv 1 0 0\r\nv 1 1 0 0.5\nvt 0 0\nv 0 1e0 0\n"
                                             "f 1/1/1 2//3 3 4\nf -4 -1 -2\n"),
                     PELT_OK);
    assert_int_equal(shape.vertex_count, 4);
    assert_int_equal(shape.triangle_count, 3);
    const int expected[3][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 2}};
    assert_memory_equal(shape.triangles, expected, sizeof expected);
    CHECK_NEAR(shape.vertices[3][1], 1, 0);
}

static double volume(const int *t)
{
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = (double)(shape.vertices[t[i + 1]][k] - shape.vertices[t[0]][k]);
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

/// Two tetrahedra that share a face, the second one the wrong way around: six faces are outside, and enclose what they do.
static void check_two_tetrahedra(void)
{
    assert_int_equal(shape.vertex_count, 5);
    assert_int_equal(shape.tetrahedron_count, 2);
    assert_int_equal(shape.triangle_count, 6);
    double inside = 0, outside = 0;
    for (int k = 0; k < 2; k++) {
        assert_true(volume(shape.tetrahedra[k]) > 0);
        inside += volume(shape.tetrahedra[k]);
    }
    for (int k = 0; k < 6; k++) {
        const float *a = shape.vertices[shape.triangles[k][0]], *b = shape.vertices[shape.triangles[k][1]],
                    *c = shape.vertices[shape.triangles[k][2]];
        outside += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                            a[2] * (b[0] * c[1] - b[1] * c[0]));
    }
    CHECK_NEAR(outside, inside, 1e-6); // by the divergence theorem, outward
    CHECK_NEAR(inside, 2, 1e-6);
}

static void tetrahedra_are_turned_and_their_outside_found(void **state)
{
    (void)state;
    assert_int_equal(load(pelti_io_mesh_medit,
                          "MeshVersionFormatted 1\nDimension 3\nVertices\n5\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n"
                          "0 0 -1 1\nTetrahedra 2\n1 2 3 4 0\n1 2 3 5 0\nEnd\n"),
                     PELT_OK);
    check_two_tetrahedra();
    assert_int_equal(load(pelti_io_mesh_gmsh,
                          "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                          "5 0 0 -1\n$EndNodes\n$Elements\n3\n1 15 2 0 1 1\n2 4 2 0 1 1 2 3 4\n3 4 2 0 1 1 2 3 5\n"
                          "$EndElements\n"),
                     PELT_OK);
    check_two_tetrahedra();
    assert_int_equal(
        load(pelti_io_mesh_gmsh,
             "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 5 1 5\n3 1 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n"
             "0 0 -1\n$EndNodes\n$Elements\n1 2 1 2\n3 1 4 2\n1 1 2 3 4\n2 1 2 3 5\n$EndElements\n"),
        PELT_OK);
    check_two_tetrahedra();
}

static void what_is_wrong_is_said_with_its_line(void **state)
{
    (void)state;
    static const struct {
        PeltiIoMeshParse parse;
        PeltStatus status;
        const char *text, *says;
    } cases[] = {
        {pelti_io_mesh_obj, PELT_BAD_INPUT, "v 0 0 0\nv 1 0 0\nf 1 2\n", "line 3: a face of 2 corners"},
        {pelti_io_mesh_obj, PELT_BAD_INPUT, "v 0 0 0\nv 1 0 nan\n", "line 2"},
        {pelti_io_mesh_obj, PELT_BAD_INPUT, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "vertex 4, of 3"},
        {pelti_io_mesh_obj, PELT_BAD_INPUT, "v 0 0 0\nf -2 1 1\n", "line 2"},
        {pelti_io_mesh_obj, PELT_BAD_INPUT, "nothing\n", "no mesh"},
        {pelti_io_mesh_medit, PELT_BAD_INPUT, "Vertices 4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n1 1 0 0\nTetrahedra 1\n1 2 3 4 0\n",
         "no volume"},
        {pelti_io_mesh_gmsh, PELT_UNSUPPORTED, "$MeshFormat\n4.1 1 8\n", "ASCII"},
        {pelti_io_mesh_gmsh, PELT_UNSUPPORTED, "$MeshFormat\n2.2 0 8\n$Nodes\n2\n1 0 0 0\n7 0 0 0\n", "node 7 where 2"},
        {pelti_io_mesh_gmsh, PELT_BAD_INPUT, "$Nodes\n0\n", "MeshFormat"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(load(cases[k].parse, cases[k].text), cases[k].status);
        if (!strstr(err.text, cases[k].says))
            fail_msg("\"%s\" does not say \"%s\"", err.text, cases[k].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(faces_become_fans, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(tetrahedra_are_turned_and_their_outside_found, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_said_with_its_line, make_folder, remove_folder)};
    pelti_pool_init(&pool, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    pelti_pool_release(&pool);
    return failed;
}
