/// One bake into every kind of cache: each gives the frames of the .pc2 back, and `pelt measure` the measures of the bake.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "bake/objects.h"
#include "folder.h"
#include "io/cache.h"
#include "tiny_gltf.h"

#include <pelt/make.h>
#include <pelt/pelt.h>

#include <string.h>

enum { KINDS = 8, FIRST = 12, LAST = 17 };
static const char *const NAMES[KINDS] = {"a.pc2", "a.mdd", "a.npz", "a.obj", "a.usda", "a.abc", "a.glb", "a.gltf"};
enum { PLACED = 5, MORPHED = 6 }; // from these on: through a matrix; through targets
static const double FPS[KINDS] = {0, 25, 25, 0, 25, 25, 25, 25};

static PeltBakeResult bake_all(const PeltCharacter *who, const char *clip, bool each_frame)
{
    static char paths[KINDS][512];
    const char *outputs[KINDS];
    PeltError err;
    PeltBakeResult result;
    PeltBakeDef def = pelt_bake_def_default();
    for (int k = 0; k < KINDS; k++) {
        snprintf(paths[k], sizeof paths[k], "%s", at(NAMES[k]));
        outputs[k] = paths[k];
    }
    def.skin.method = "dqs";
    def.clip = clip;
    def.fps = 25;
    def.first_frame = FIRST;
    def.last_frame = LAST;
    def.outputs = outputs;
    def.output_count = KINDS;
    def.morph_per_frame = each_frame;
    def.measure = PELT_BAKE_MEASURE_ALWAYS;
    OK(pelt_bake(&def, who, &result, &err));
    return result;
}

/// Largest distance between two caches.
static double compare(const PeltCharacter *who, PeltiCache *a, PeltiCache *b)
{
    PeltError err;
    size_t count = (size_t)who->who->point_count;
    double most = 0;
    Vec3 *p = test_malloc(count * sizeof *p), *q = test_malloc(count * sizeof *q);
    assert_int_equal(a->frames.frame_count, b->frames.frame_count);
    assert_int_equal(a->frames.point_count, b->frames.point_count);
    assert_int_equal(a->frames.start_frame, b->frames.start_frame);
    for (int f = 0; f < a->frames.frame_count; f++) {
        OK(pelti_cache_frame(a, f, p, &err));
        OK(pelti_cache_frame(b, f, q, &err));
        if (memcmp(p, q, count * sizeof *p) != 0)
            for (size_t i = 0; i < count; i++)
                most = fmax(most, fmax(1e-30, (double)vec3_length(vec3_sub(p[i], q[i]))));
    }
    test_free(p);
    test_free(q);
    return most;
}

static void same_quality(const PeltQuality *a, const PeltQuality *b, const char *cache)
{
    double x, y;
    const char *name;
    for (int i = 0; (name = pelt_quality_item(a, i, &x)); i++) {
        pelt_quality_item(b, i, &y);
        if (!(x == y || (isnan(x) && isnan(y))))
            fail_msg("%s: %s: %.17g and %.17g", cache, name, x, y);
    }
    assert_int_equal(a->frames, b->frames);
}

static PeltMeasureResult measure(const PeltCharacter *who, const char *name, const char *clip)
{
    PeltError err;
    PeltMeasureResult result;
    PeltMeasureDef def = pelt_measure_def_default();
    def.cache_path = at(name);
    def.clip = clip;
    def.fps = !strcmp(name, "a.pc2") || !strcmp(name, "a.obj") ? 25 : 0; // the others say
    OK(pelt_measure_cache(&def, who, &result, &err));
    return result;
}

static void try_all(const PeltCharacter *who, const char *clip, bool each_frame)
{
    PeltError err;
    PeltiCache *pc2, *other;
    PeltBakeResult baked = bake_all(who, clip, each_frame);
    double size = (double)who->who->mesh->diagonal;
    OK(pelti_cache_open(&(PeltiCacheSource){.path = at(NAMES[0]), .who = who->who}, &pc2, &err));
    assert_int_equal(pc2->frames.start_frame, FIRST);
    assert_int_equal(pc2->frames.frame_count, LAST - FIRST + 1);
    for (int k = 0; k < KINDS; k++) {
        OK(pelti_cache_open(&(PeltiCacheSource){.path = at(NAMES[k]), .who = who->who}, &other, &err));
        CHECK_NEAR(other->frames.fps, FPS[k], 0);
        double most = compare(who, pc2, other) / size;
        pelti_cache_close(other);
        printf("%s: farthest %.3g of the size\n", NAMES[k], most);
        CHECK_NEAR(most, 0, k < PLACED ? 0 : 4e-7 + (k >= MORPHED ? 1.01 * baked.morph_error : 0));
        PeltMeasureResult measured = measure(who, NAMES[k], clip);
        if (k < PLACED)
            same_quality(&measured.quality, &baked.quality, NAMES[k]);
        if (k < PLACED)
            same_quality(&measured.lbs, &baked.lbs_quality, NAMES[k]);
        assert_int_equal(measured.quality.frames, baked.quality.frames);
        CHECK_NEAR(measured.quality.volume_ratio_min, baked.quality.volume_ratio_min, 1e-3);
        CHECK_NEAR(measured.quality.stretch_p99, baked.quality.stretch_p99, 2e-2);
        assert_int_equal(measured.verdict, pelt_quality_verdict(&baked.quality, &baked.lbs_quality, NULL, 0));
    }
    pelti_cache_close(pc2);
}

static void a_built_in_character(void **state)
{
    (void)state;
    PeltError err;
    PeltCharacter *who;
    PeltMakeDef def = pelt_make_def_default();
    def.name = "arm";
    def.vertices = 700;
    OK(pelt_make_file(&def, at("arm.glb"), NULL, &err));
    OK(pelt_character_load(at("arm.glb"), NULL, &who, &err));
    try_all(who, "bend", false);
    try_all(who, "bend", true);
    pelt_character_destroy(who);
}

/// A tube with a skin and a box that hangs on a joint, at another scale.
static void a_character_whose_hat_hangs_on_a_joint(void **state)
{
    (void)state;
    PeltError err;
    PeltCharacter *who;
    size_t bytes;
    unsigned char *glb = tiny_glb(tiny_make((TinyOptions){.scale = 3, .targets = true}), &bytes);
    OK(pelt_character_load_memory(glb, bytes, NULL, &who, &err));
    try_all(who, "bend", false);
    try_all(who, "bend", true);
    pelt_character_destroy(who);
    free(glb);
}

/// What a cache is not for is said in a line, by its number of points or its frames.
static void a_cache_of_another_character_is_refused(void **state)
{
    (void)state;
    PeltError err = {0};
    PeltCharacter *who, *other;
    size_t bytes[2];
    unsigned char *glb[2] = {tiny_glb(tiny_make((TinyOptions){0}), &bytes[0]),
                             tiny_glb(tiny_make((TinyOptions){.sleeve = true}), &bytes[1])};
    OK(pelt_character_load_memory(glb[0], bytes[0], NULL, &who, &err));
    OK(pelt_character_load_memory(glb[1], bytes[1], NULL, &other, &err));
    bake_all(who, "bend", false);
    for (int k = 0; k < KINDS; k++) {
        PeltMeasureDef def = pelt_measure_def_default();
        def.cache_path = at(NAMES[k]);
        assert_int_equal(pelt_measure_cache(&def, other, NULL, &err), PELT_BAD_INPUT);
        assert_non_null(strstr(err.text, "points a frame"));
        def.first_frame = 1000;
        assert_int_equal(pelt_measure_cache(&def, who, NULL, &err), PELT_BAD_INPUT);
        assert_non_null(strstr(err.text, "--first"));
    }
    pelt_character_destroy(who);
    pelt_character_destroy(other);
    free(glb[0]);
    free(glb[1]);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(a_built_in_character), IN_FOLDER(a_character_whose_hat_hangs_on_a_joint),
                                       IN_FOLDER(a_cache_of_another_character_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
