/// .usda: a mesh for each of the file's, names USD allows, numbers that come back bit for bit.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "clip.h"

/// Just behind `word`, looked for from `from`.
static const char *behind(const char *from, const char *word)
{
    const char *found = strstr(from, word);
    if (!found)
        fail_msg("no \"%s\"", word);
    return found + strlen(word);
}

/// Reads "(x, y, z)" from here on.
static const char *vector(const char *text, float out[3])
{
    text = behind(text, "(");
    for (int k = 0; k < 3; k++) {
        char *end;
        out[k] = strtof(text, &end);
        assert_ptr_not_equal(end, text);
        text = end + 1;
    }
    return text;
}

static char *write_usd(bool normals, const PeltiObjShape *shape)
{
    PeltiSink *sink;
    PeltError err;
    size_t size;
    assert_int_equal(pelti_usd_sink(NULL, at("clip.usda"), &clip_frames, shape, &sink, &err), PELT_OK);
    clip_write(sink, normals);
    return file_bytes(at("clip.usda"), &size);
}

static void points_come_back_bit_for_bit(void **state)
{
    (void)state;
    char *text = write_usd(true, &clip_shape);
    assert_int_equal(strncmp(text, "#usda 1.0\n", 10), 0);
    behind(text, "startTimeCode = 7\n    endTimeCode = 9\n    timeCodesPerSecond = 24\n");
    const char *mesh = behind(text, "def Mesh \"_3rd_arm_0\"");
    mesh = behind(mesh, "faceVertexIndices = [0, 1, 2]");
    for (int g = 0; g < 2; g++) {
        const PeltiObjGroup *group = &clip_groups[g];
        const char *p = behind(mesh, "point3f[] points.timeSamples = {\n");
        for (int f = 0; f < CLIP_FRAMES; f++) {
            char time[16];
            snprintf(time, sizeof time, "%d: [", 7 + f);
            p = behind(p, time);
            for (int i = 0; i < group->point_count; i++) {
                float x[3];
                Vec3 want = clip_point(f, group->first_point + i);
                p = vector(p, x);
                assert_true(x[0] == want.x && x[1] == want.y && x[2] == want.z);
            }
        }
        p = behind(p, "normal3f[] normals.timeSamples = {\n");
        for (int i = 0; i < group->point_count; i++) {
            float x[3];
            Vec3 want = clip_normal(0, group->first_point + i);
            p = vector(p, x);
            CHECK_NEAR(vec3_distance(vec3(x[0], x[1], x[2]), want), 0, 2e-5);
        }
        if (g == 0) {
            mesh = behind(p, "def Mesh \"Hut__x__1\"");
            behind(mesh, "faceVertexIndices = [0, 1, 799]"); // counted from the mesh' own first point
        }
    }
    test_free(text);
}

static void what_is_not_there_is_not_written(void **state)
{
    (void)state;
    static float uv[CLIP_POINTS][2];
    PeltiObjShape shape = clip_shape;
    char *text = write_usd(false, &shape);
    assert_null(strstr(text, "normals"));
    assert_null(strstr(text, "primvars:st"));
    test_free(text);
    uv[0][0] = 0.25f;
    uv[0][1] = 0.125f;
    shape.uv = (const float(*)[2])uv;
    text = write_usd(false, &shape);
    behind(text, "primvars:st = [(0.25, 0.875)"); // from the lower left corner
    test_free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(points_come_back_bit_for_bit, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_is_not_there_is_not_written, make_folder, remove_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
