/// Scene files: every key is read, schema and reader have the same keys, mistakes name the line.
#include "check.h"
#include "io/scene.h"
#include "io/mesh.h"
#include "schema_keys.h"

#include <sys/stat.h>

static char g_folder[64];

static const char *in_folder(const char *name)
{
    static char path[4][160];
    static int turn;
    char *p = path[turn++ & 3];
    snprintf(p, 160, "%s/%s", g_folder, name);
    return p;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

static const char *const tetra_obj = "# a tetrahedron\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 0 0 1\nf 1 3 2\nf 1/1 2/2 4/3\n"
                                     "f 1//1 4//1 3//1\nf -3 -2 -1\n";
static const char *const two_tets_mesh = "MeshVersionFormatted 2\nDimension 3\nVertices\n5\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
                                         "1 1 1 0\nTetrahedra\n2\n1 2 3 4 1\n2 3 4 5 1\nEnd\n";
static const char *const two_tets_msh2 =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n"
    "$EndNodes\n$Elements\n3\n1 15 2 0 1 1\n2 4 2 0 1 1 2 3 4\n3 4 2 0 1 2 3 4 5\n$EndElements\n";
static const char *const two_tets_msh4 = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 5 1 5\n0 1 0 1\n1\n0 0 0\n3 1 0 "
                                         "4\n2\n3\n4\n5\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
                                         "$Elements\n2 3 1 3\n0 1 15 1\n1 1\n3 1 4 2\n2 1 2 3 4\n3 2 3 4 5\n$EndElements\n";

static const char *const every_key =
    "{\n\"version\": 1,\n\"gravity\": [0, -9.81, 0],\n\"ground\": {\"height\": -1},\n\"friction\": 0.5,\n\"restitution\": 0.1,\n"
    "\"alarm_distance\": 0.01,\n\"joint_stiffness\": 2,\n\"root_stiffness\": 100,\n\"joint_damping\": 0.05,\n"
    "\"objects\": [\n"
    "{\"name\": \"ball\", \"shape\": \"sphere\", \"radius\": 0.1, \"detail\": 32, \"mass\": 0.4, \"position\": [0, 1, 0],\n"
    " \"rotation\": [0, 0, 90], \"velocity\": [1, 2, 3], \"angular_velocity\": [0, 180, 0], \"friction\": 0.9, \"restitution\": "
    "0.2},\n"
    "{\"name\": \"hill\", \"kind\": \"fixed\", \"shape\": \"slope\", \"length\": 2, \"width\": 1, \"angle\": 30},\n"
    "{\"name\": \"jelly\", \"kind\": \"soft\", \"shape\": \"box\", \"size\": [1, 2, 3], \"density\": 900, \"young_modulus\": "
    "5e4,\n"
    " \"poisson_ratio\": 0.4, \"damping\": 0.01},\n"
    "{\"name\": \"stone\", \"shape\": \"mesh\", \"file\": \"tetra.obj\", \"scale\": 2}\n],\n"
    "\"characters\": [{\"name\": \"friend\", \"file\": \"friend.glb\", \"clip\": \"wave\", \"position\": [1, 0, 0], "
    "\"rotation\": [0, 0, 0, 1]}],\n"
    "\"pairs\": [{\"a\": \"ball\", \"b\": \"ground\", \"friction\": 1, \"restitution\": 0}],\n"
    "\"joints\": [{\"joint\": \"wrist\", \"character\": \"friend\", \"stiffness\": 10, \"rigid\": false}]\n}\n";

static int set_up(void **state)
{
    (void)state;
    snprintf(g_folder, sizeof g_folder, "pelt-test-scene-%d", (int)getpid());
    if (mkdir(g_folder, 0700) != 0)
        return 1;
    write_text("tetra.obj", tetra_obj);
    write_text("two.mesh", two_tets_mesh);
    write_text("two.msh", two_tets_msh2);
    write_text("four.msh", two_tets_msh4);
    write_text("all.json", every_key);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    static const char *const names[] = {"tetra.obj", "two.mesh", "two.msh", "four.msh", "all.json",
                                        "x.json",    "x.obj",    "x.msh",   "x.mesh"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(in_folder(names[i]));
    return rmdir(g_folder);
}

static void every_key_is_read(void **state)
{
    (void)state;
    PeltError err = {0};
    PeltiIoScene *file;
    if (pelti_scene_load(in_folder("all.json"), NULL, NULL, &file, &err) != PELT_OK)
        fail_msg("%s", err.text);
    const PeltScene *s = &file->scene;
    assert_true(s->has_ground);
    CHECK_NEAR(s->ground_height, -1, 0);
    CHECK_NEAR(s->friction, 0.5, 0);
    CHECK_NEAR(s->joint_stiffness, 2, 0);
    assert_int_equal(s->object_count, 4);
    const PeltSceneObject *ball = &s->objects[0], *hill = &s->objects[1], *jelly = &s->objects[2], *stone = &s->objects[3];
    assert_int_equal(ball->kind, PELT_OBJECT_RIGID);
    assert_int_equal(ball->shape, PELT_SHAPE_SPHERE);
    CHECK_NEAR(ball->size[0], 0.1f, 0);
    CHECK_NEAR(ball->angular_velocity[1], 3.14159265, 1e-6);
    CHECK_NEAR(ball->rotation[2], 0.70710678, 1e-6);
    CHECK_NEAR(ball->mass_kg, 0.4f, 0);
    assert_int_equal(hill->kind, PELT_OBJECT_FIXED);
    CHECK_NEAR(hill->size[2], 30, 0);
    CHECK_NEAR(hill->friction, -1, 0);
    assert_int_equal(jelly->kind, PELT_OBJECT_SOFT);
    CHECK_NEAR(jelly->size[2], 3, 0);
    CHECK_NEAR(jelly->poisson_ratio, 0.4f, 0);
    assert_int_equal(stone->vertex_count, 4);
    assert_int_equal(stone->triangle_count, 4);
    CHECK_NEAR(stone->scale, 2, 0);
    assert_int_equal(s->character_count, 1);
    assert_string_equal(s->characters[0].file, in_folder("friend.glb"));
    assert_string_equal(s->pairs[0].b, "ground");
    CHECK_NEAR(s->joints[0].stiffness, 10, 0);
    pelti_scene_destroy(file);
}

static void schema_and_reader_have_the_same_keys(void **state)
{
    (void)state;
    check_same_keys(PELT_SOURCE_DIR "/docs/schema/scene.schema.json", in_folder("all.json"), NULL);
}

static void mistakes_name_the_line_and_the_key(void **state)
{
    (void)state;
    static const struct {
        const char *text, *story;
        PeltStatus status;
    } cases[] = {
        {"{\"objcts\": []}", "objcts: unknown key; did you mean \"objects\"?", PELT_BAD_INPUT},
        {"{\"objects\": [\n{\"name\": \"b\", \"shape\": \"sfere\"}]}", ":2: objects[0].shape: \"sfere\" is none of",
         PELT_BAD_INPUT},
        {"{\"objects\": [{\"name\": \"b\", \"shape\": \"sphere\"}]}", "objects[0].radius: is missing: a sphere has one",
         PELT_BAD_INPUT},
        {"{\"objects\": [{\"name\": \"b\", \"shape\": \"box\", \"size\": [1,1,1], \"radius\": 1}]}", "radius: a box has none",
         PELT_BAD_INPUT},
        {"{\"objects\": [{\"name\": \"b\", \"shape\": \"box\", \"size\": [1,1,1], \"mass\": -1}]}",
         "objects[0].mass: -1 is not within", PELT_BAD_INPUT},
        {"{\"objects\": [{\"name\": \"b\", \"shape\": \"box\", \"size\": [1,0,1]}]}", "objects[0].size[1]: 0 is not within",
         PELT_BAD_INPUT},
        {"{\"objects\": [{\"name\": \"b\", \"shape\": \"mesh\", \"file\": \"none.obj\"}]}", "objects[0].file: cannot open",
         PELT_IO},
        {"{\"objects\": [{\"name\": \"b\", \"shape\": \"mesh\", \"file\": \"none.stl\"}]}", ".msh and .mesh", PELT_UNSUPPORTED},
        {"{\"objects\": [{\"name\": \"ground\", \"shape\": \"sphere\", \"radius\": 1}]}", "the name \"ground\" is taken",
         PELT_BAD_INPUT},
        {"{\"objects\": [{\"name\": \"b\", \"shape\": \"sphere\", \"radius\": 1}, {\"name\": \"b\", \"shape\": \"sphere\", "
         "\"radius\": 1}]}",
         "objects[1].name: the name \"b\" is taken", PELT_BAD_INPUT},
        {"{\"pairs\": [{\"a\": \"grund\", \"b\": \"character\"}]}", "did you mean \"ground\"?", PELT_BAD_INPUT},
        {"{\"gravity\": [0, \"x\", 0]}", "gravity[1]: a number was expected", PELT_BAD_INPUT},
        {"{\"gravity\": [0, NaN, 0]}", "JSON line 1, column 17", PELT_BAD_INPUT},
        {"{\"ground\": 3}", "ground: an object was expected", PELT_BAD_INPUT},
        {"{\"objects\": [{\"name\": \"b\", \"shape\": \"sphere\", \"radius\": 1, \"rotation\": [0,0,0,0]}]}",
         "a quaternion of length 0", PELT_BAD_INPUT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PeltError err = {0};
        PeltiIoScene *scene;
        write_text("x.json", cases[i].text);
        assert_int_equal(pelti_scene_load(in_folder("x.json"), NULL, NULL, &scene, &err), cases[i].status);
        assert_int_equal(err.status, cases[i].status);
        assert_null(scene);
        if (!strstr(err.text, cases[i].story) || !strstr(err.text, "x.json"))
            fail_msg("\"%s\" does not say \"%s\"", err.text, cases[i].story);
    }
}

static void ten_thousand_objects_are_refused(void **state)
{
    (void)state;
    size_t room = 1 << 20, used = 0;
    char *text = malloc(room);
    used += (size_t)snprintf(text, room, "{\"objects\": [");
    for (int i = 0; i < 10000; i++)
        used += (size_t)snprintf(text + used, room - used, "%s{\"name\": \"o%d\", \"shape\": \"sphere\", \"radius\": 1}",
                                 i ? "," : "", i);
    snprintf(text + used, room - used, "]}");
    write_text("x.json", text);
    free(text);
    PeltError err;
    PeltiIoScene *scene;
    assert_int_equal(pelti_scene_load(in_folder("x.json"), NULL, NULL, &scene, &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "at most 4096"));
}

// ---- shapes

static double volume_of(const PeltiIoMesh *shape)
{
    double sum = 0;
    for (int t = 0; t < shape->triangle_count; t++) {
        const float *a = shape->vertices[shape->triangles[t][0]], *b = shape->vertices[shape->triangles[t][1]],
                    *c = shape->vertices[shape->triangles[t][2]];
        sum += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                        a[2] * (b[0] * c[1] - b[1] * c[0]));
    }
    return sum / 6;
}

static void tetrahedra_bring_their_outside(void **state)
{
    (void)state;
    static const char *const names[] = {"two.mesh", "two.msh", "four.msh"};
    for (int i = 0; i < 3; i++) {
        PeltiPool pool;
        PeltiIoMesh shape;
        PeltError err = {0};
        pelti_pool_init(&pool, NULL);
        if (pelti_io_mesh_load(&pool, in_folder(names[i]), &shape, &err) != PELT_OK)
            fail_msg("%s", err.text);
        assert_int_equal(shape.tetrahedron_count, 2);
        assert_int_equal(shape.triangle_count, 6); // eight faces, two of them shared
        CHECK_NEAR(volume_of(&shape), 1.0 / 6 + 1.0 / 3, 1e-6);
        pelti_pool_release(&pool);
    }
    PeltiPool pool;
    PeltiIoMesh shape;
    PeltError err;
    pelti_pool_init(&pool, NULL);
    assert_int_equal(pelti_io_mesh_load(&pool, in_folder("tetra.obj"), &shape, &err), PELT_OK);
    CHECK_NEAR(volume_of(&shape), 1.0 / 6, 1e-6);
    pelti_pool_release(&pool);
}

static void spoilt_shapes_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
    } cases[] = {{"x.obj", ""},
                 {"x.obj", "v 0 0 0\n"},
                 {"x.obj", "v 0 0 nan\nf 1 1 1\n"},
                 {"x.obj", "v 0 0 0\nf 1 2 3\n"},
                 {"x.obj", "v 0 0 0\nf 1 1 -2\n"},
                 {"x.obj", "v 0 0 0\nf 1 1\n"},
                 {"x.obj", "v 0 0 0\nf 0 0 0\n"},
                 {"x.obj", "v 0 0\n"},
                 {"x.mesh", "Vertices\n3\n0 0 0 0\n"},
                 {"x.mesh", "Vertices\n2000000000\n"},
                 {"x.mesh", "Vertices\n1\n0 0 0 0\nTetrahedra\n1\n1 1 1 1 0\n"},
                 {"x.mesh", "Vertices\n1\n0 0 0 0\nTetrahedra\n1\n1 2 3 4 0\n"},
                 {"x.msh", "hello"},
                 {"x.msh", "$MeshFormat\n2.2 1 8\n"},
                 {"x.msh", "$MeshFormat\n2.2 0 8\n$Nodes\n1\n7 0 0 0\n"},
                 {"x.msh", "$MeshFormat\n4.1 0 8\n$Nodes\n2000000000 1 1 1\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PeltiPool pool;
        PeltiIoMesh shape;
        PeltError err = {0};
        pelti_pool_init(&pool, NULL);
        write_text(cases[i].name, cases[i].text);
        PeltStatus status = pelti_io_mesh_load(&pool, in_folder(cases[i].name), &shape, &err);
        if (status != PELT_BAD_INPUT && status != PELT_UNSUPPORTED)
            fail_msg("accepted: %s", cases[i].text);
        assert_non_null(strstr(err.text, cases[i].name));
        pelti_pool_release(&pool);
    }
    // cut off anywhere: refused or a shape, never more
    for (int f = 0; f < 4; f++) {
        const char *from = f == 0 ? tetra_obj : f == 1 ? two_tets_mesh : f == 2 ? two_tets_msh2 : two_tets_msh4;
        const char *name = f == 0 ? "x.obj" : f == 1 ? "x.mesh" : "x.msh";
        for (size_t keep = 0; keep < strlen(from); keep += 3) {
            char part[1024];
            PeltiPool pool;
            PeltiIoMesh shape;
            PeltError err = {0};
            snprintf(part, sizeof part, "%.*s", (int)keep, from);
            write_text(name, part);
            pelti_pool_init(&pool, NULL);
            PeltStatus status = pelti_io_mesh_load(&pool, in_folder(name), &shape, &err);
            assert_true(status == PELT_OK || status == PELT_BAD_INPUT);
            for (int t = 0; status == PELT_OK && t < shape.triangle_count; t++)
                for (int k = 0; k < 3; k++)
                    assert_true(shape.triangles[t][k] >= 0 && shape.triangles[t][k] < shape.vertex_count);
            pelti_pool_release(&pool);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_read),
        cmocka_unit_test(schema_and_reader_have_the_same_keys),
        cmocka_unit_test(mistakes_name_the_line_and_the_key),
        cmocka_unit_test(ten_thousand_objects_are_refused),
        cmocka_unit_test(tetrahedra_bring_their_outside),
        cmocka_unit_test(spoilt_shapes_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
