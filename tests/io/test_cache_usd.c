/// .usda as a cache: ours, and text that others might write.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "caches.h"

static void save_text(const char *text)
{
    caches_save("a.usda", text, strlen(text));
}

static void a_bake_is_read_to_the_last_bit(void **state)
{
    (void)state;
    CachesClip c = caches_clip(tiny_make((TinyOptions){.sleeve = true}), 1);
    caches_write(&c, "a.usda", (PeltiOutputDef){0});
    caches_expect(&c, "a.usda", 0, CACHES_FPS);
    caches_end(&c);
}

/// Prims in prims, strings and comments with brackets, what is not shown, a mesh that stands still.
static void meshes_are_found_wherever_they_stand(void **state)
{
    (void)state;
    PeltError err;
    Vec3 back[4];
    save_text("#usda 1.0\n(\n    doc = \"\"\"a ) and \"more\" }\"\"\"\n    customLayerData = {\n        string a = \")\"\n    }\n"
              "    framesPerSecond = 48\n    startTimeCode = 3 # not 4\n)\n\n"
              "def Scope \"Looks\" { }\n"
              "over \"ghost\"\n{\n    point3f[] points = [(9, 9, 9)]\n}\n"
              "class Mesh \"kind\" (\n    doc = \"}\"\n)\n{\n    point3f[] points = [(9, 9, 9)]\n}\n"
              "def Xform \"a\" (\n    kind = \"component\"\n)\n{\n    token visibility\n    rel proxyPrim = </b>\n"
              "    def Mesh \"still\"\n    {\n        int[] faceVertexCounts = [3]\n"
              "        point3f[] points = [(1, 2, 3), # one\n            (-4.5, 5e0, 6)] (\n            doc = \"]\"\n        )\n"
              "        def GeomSubset \"some\"\n        {\n            int[] points = [1]\n        }\n"
              "        variantSet \"v\" = {\n            \"x\" {\n                point3f[] points = [(9, 9, 9)]\n            }\n"
              "        }\n    }\n"
              "    def Mesh \"moves\"\n    {\n        point3f[] points = [(0, 0, 0)]\n"
              "        point3f[] points.timeSamples = { 4: [(7, 8, 9), (0, 0, 0)], 6: [(1, 1, 1), (2, 2, 2)], }\n"
              "        point3f[] points = None\n    }\n}\n");
    PeltiCache *cache = caches_open("a.usda", NULL);
    assert_int_equal(cache->frames.point_count, 4);
    assert_int_equal(cache->frames.frame_count, 2);
    assert_int_equal(cache->frames.start_frame, 2); // steps of two codes
    CHECK_NEAR(cache->frames.fps, 24, 0);
    const Vec3 points[2][4] = {{{1, 2, 3}, {-4.5f, 5, 6}, {7, 8, 9}, {0, 0, 0}},
                               {{1, 2, 3}, {-4.5f, 5, 6}, {1, 1, 1}, {2, 2, 2}}};
    for (int f = 1; f >= 0; f--) {
        OK(pelti_cache_frame(cache, f, back, &err));
        assert_memory_equal(back, points[f], sizeof back);
    }
    pelti_cache_close(cache);
    save_text("#usda 1.0\n(\n    startTimeCode = 3\n)\ndef Mesh \"m\"\n{\n    point3f[] points = [(1, 2, 3)]\n}\n");
    cache = caches_open("a.usda", NULL);
    assert_int_equal(cache->frames.frame_count, 1);
    assert_int_equal(cache->frames.start_frame, 3);
    pelti_cache_close(cache);
}

static void what_cannot_be_read_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *text, *story;
        PeltStatus status;
    } cases[] = {
        {"def Mesh \"m\" {\n point3f[] points = [(1, 2, nan)]\n}\n", "line 3: 'nan)]'", PELT_BAD_INPUT},
        {"def Mesh \"m\" {\n point3f[] points = [(1, 2)]\n}\n", "line 3", PELT_BAD_INPUT},
        {"def Mesh \"m\" {\n point3f[] points = None\n}\n", "a list of points", PELT_BAD_INPUT},
        {"def Mesh \"m\" {\n point3f[] points.timeSamples = { }\n}\n", "no samples", PELT_BAD_INPUT},
        {"def Mesh \"m\" {\n point3f[] points.timeSamples = { 1: [(0,0,0)], 2: [(0,0,0)], 4: [(0,0,0)] }\n}\n", "evenly",
         PELT_BAD_INPUT},
        {"def Mesh \"m\" {\n point3f[] points.timeSamples = { 1: [(0,0,0)], 1: [(0,0,0)] }\n}\n", "evenly", PELT_BAD_INPUT},
        {"def Mesh \"m\" {\n point3f[] points.timeSamples = { 1: [(0,0,0)], 2: [(0,0,0)] }\n}\ndef Mesh \"n\" {\n point3f[] "
         "points.timeSamples = { 2: [(0,0,0)], 3: [(0,0,0)] }\n}\n",
         "other times", PELT_BAD_INPUT},
        {"def Mesh \"m\" {\n double3 xformOp:translate = (1, 0, 0)\n point3f[] points = [(1, 2, 3)]\n}\n", "xformOp:translate",
         PELT_UNSUPPORTED},
        {"def Xform \"x\" {\n matrix4d xformOp:transform.timeSamples = { 1: ((1,0,0,0)) }\n}\n", "xformOp:transform",
         PELT_UNSUPPORTED},
        {"def Mesh \"m\" {\n point3f[] points = [(1, 2, 3)]\n", "do not end", PELT_BAD_INPUT},
        {"def Mesh \"m\" {\n point3f[] points = [(1, 2, 3)\n}\n", "'}'", PELT_BAD_INPUT},
        {"def Mesh {\n}\n", "the name of a prim", PELT_BAD_INPUT},
        {"def Mesh \"m\n", "does not end", PELT_BAD_INPUT},
        {"def Mesh \"m\" {\n}\n", "no Mesh with points", PELT_BAD_INPUT},
        {"def Sphere \"m\" {\n}\n", "no Mesh with points", PELT_BAD_INPUT},
        {"}\n", "a prim or a property", PELT_BAD_INPUT},
        {"(\n doc = \"x\n", "does not end", PELT_BAD_INPUT},
        {"(\n upAxis = \"Y\"\n", "\")\"", PELT_BAD_INPUT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        snprintf(text, sizeof text, "#usda 1.0\n%s", cases[i].text);
        save_text(text);
        caches_refused("a.usda", NULL, cases[i].status, cases[i].story);
    }
    save_text("PXR-USDC and bytes");
    caches_refused("a.usda", NULL, PELT_UNSUPPORTED, "usdcat");
    save_text("def Mesh");
    caches_refused("a.usda", NULL, PELT_BAD_INPUT, "#usda 1.0");
    save_text("");
    caches_refused("a.usda", NULL, PELT_BAD_INPUT, "#usda 1.0");
    PeltError err;
    Vec3 back[2];
    save_text("#usda 1.0\ndef Mesh \"m\" {\n point3f[] points.timeSamples = { 1: [(0,0,0)], 2: [(0,0,0), (1,1,1)], 3: [(0,0,x)] "
              "}\n}\n");
    PeltiCache *cache = caches_open("a.usda", NULL);
    OK(pelti_cache_frame(cache, 0, back, &err));
    for (int f = 1; f < 3; f++) {
        assert_int_equal(pelti_cache_frame(cache, f, back, &err), PELT_BAD_INPUT);
        assert_non_null(strstr(err.text, "a.usda: line 3"));
    }
    pelti_cache_close(cache);
}

static void prims_may_nest_but_not_for_ever(void **state)
{
    (void)state;
    static char text[8192] = "#usda 1.0\n";
    for (int i = 0; i < 300; i++)
        strcat(text, "def \"a\" {\n");
    save_text(text);
    caches_refused("a.usda", NULL, PELT_BAD_INPUT, "nest");
}

static void a_spoiled_one_is_refused_or_read(void **state)
{
    (void)state;
    CachesClip c = caches_clip(tiny_make((TinyOptions){0}), -1);
    caches_write(&c, "a.usda", (PeltiOutputDef){.frames = {.frame_count = 2}});
    caches_spoil("a.usda", TEST_WORK(19, 61));
    caches_end(&c);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(a_bake_is_read_to_the_last_bit), IN_FOLDER(meshes_are_found_wherever_they_stand),
                                       IN_FOLDER(what_cannot_be_read_is_said), IN_FOLDER(prims_may_nest_but_not_for_ever),
                                       IN_FOLDER(a_spoiled_one_is_refused_or_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
