/// pelt_render on real and generated characters: files appear, decode, do not depend on threads, and refusals are clean.
#include "check.h"

#include "core/hash.h"
#include "pictures.h"

#include <pelt/tools.h>

#include <string.h>

static char g_path[2][80];
static unsigned char g_bytes[4 << 20];

static size_t load(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return 0;
    size_t size = fread(g_bytes, 1, sizeof g_bytes, f);
    fclose(f);
    return size;
}

static PeltCharacter *hand(void)
{
    const char *path = shared_file("hand.glb");
    if (!path)
        skip();
    PeltCharacter *who;
    PeltError err;
    assert_int_equal(pelt_character_load(path, NULL, &who, &err), PELT_OK);
    return who;
}

static PeltRenderDef small(void)
{
    PeltRenderDef def = pelt_render_def_default();
    def.skin.method = "lbs";
    def.width = 160;
    def.height = 120;
    def.samples = 1;
    def.frame = 20;
    return def;
}

static PeltiImage draw(const PeltRenderDef *def, const PeltCharacter *who)
{
    PeltError err = {0};
    PeltRenderResult result;
    if (pelt_render(def, who, g_path[0], &result, &err) != PELT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(load(g_path[0]), result.bytes);
    assert_int_equal(result.frames, 1);
    PeltiImage image;
    assert_int_equal(png_decode(g_bytes, result.bytes, &image, &err), PELT_OK);
    assert_int_equal(image.width, def->width);
    return image;
}

static uint64_t hash(const PeltRenderDef *def, const PeltCharacter *who)
{
    PeltiImage image = draw(def, who);
    uint64_t h = pelti_hash(PELTI_HASH_START, image.rgba, (size_t)image.width * (size_t)image.height * 4);
    pelti_image_release(&image);
    return h;
}

static void each_option_changes_the_picture_and_threads_do_not(void **state)
{
    (void)state;
    PeltCharacter *who = hand();
    uint64_t seen[16];
    int count = 0;
    for (int i = 0; i < 13; i++) {
        PeltRenderDef def = small();
        def.colour = i == 1 ? "stretch" : i == 2 ? "weights" : i == 3 ? "part" : i == 4 ? "contact" : "clay";
        def.wire = i == 5;
        def.inside = i == 6;
        def.background = i == 7 ? "dark" : i == 8 ? "none" : "light";
        def.camera = i == 9 ? "front" : "three-quarter";
        def.frame = i == 10 ? 33 : 20;
        def.rest = i == 11;
        def.title = i == 12 ? "hand" : NULL;
        def.skin.threads = 1;
        uint64_t one = hash(&def, who);
        def.skin.threads = 3;
        if (i % TEST_WORK(1, 4) == 0)
            assert_true(hash(&def, who) == one);
        for (int k = 0; k < count; k++)
            if (seen[k] == one)
                fail_msg("pictures %d and %d are the same", k, i);
        seen[count++] = one;
    }
    pelt_character_destroy(who);
}

static void a_cache_shows_the_positions_that_were_baked(void **state)
{
    (void)state;
    PeltCharacter *who = hand();
    PeltError err;
    PeltBakeDef bake = pelt_bake_def_default();
    const char *outputs[1] = {g_path[1]};
    bake.skin.method = "lbs";
    bake.outputs = outputs;
    bake.output_count = 1;
    bake.measure = PELT_BAKE_MEASURE_NEVER;
    assert_int_equal(pelt_bake(&bake, who, NULL, &err), PELT_OK);
    PeltRenderDef def = small();
    uint64_t direct = hash(&def, who);
    def.cache_path = g_path[1];
    assert_true(hash(&def, who) == direct); // as long as the clip: the same camera, too
    def.colour = "distance";
    assert_true(hash(&def, who) != direct);
    def.frame = 1000;
    assert_int_equal(pelt_render(&def, who, g_path[0], NULL, &err), PELT_BAD_ARGUMENT);
    def.cache_path = "/nowhere/none.pc2";
    assert_int_equal(pelt_render(&def, who, g_path[0], NULL, &err), PELT_IO);
    pelt_character_destroy(who);
}

static void positions_of_your_own_are_drawn(void **state)
{
    (void)state;
    PeltCharacter *who = hand();
    PeltError err;
    PeltRenderDef def = small();
    def.rest = 1;
    uint64_t rest = hash(&def, who);
    assert_int_equal(pelt_render_positions(&def, who, pelt_character_rest(who), g_path[0], NULL, &err), PELT_OK);
    size_t size = load(g_path[0]);
    PeltiImage image;
    assert_int_equal(png_decode(g_bytes, size, &image, &err), PELT_OK);
    def.samples = 1;
    assert_true(pelti_hash(PELTI_HASH_START, image.rgba, (size_t)image.width * (size_t)image.height * 4) == rest);
    pelti_image_release(&image);
    pelt_character_destroy(who);
}

static void moving_pictures_hold_the_frames_asked_for(void **state)
{
    (void)state;
    PeltCharacter *who = hand();
    PeltError err;
    PeltRenderDef def = small();
    def.frame = -1;
    def.first_frame = 10;
    def.last_frame = 14;
    char path[96];
    snprintf(path, sizeof path, "%s.webp", g_path[0]);
    PeltRenderResult result;
    assert_int_equal(pelt_render(&def, who, path, &result, &err), PELT_OK);
    assert_int_equal(result.frames, 5);
    size_t size = load(path);
    int width, height, frames;
    assert_int_equal(webp_info(g_bytes, size, &width, &height, &frames, &err), PELT_OK);
    assert_int_equal(width, 160);
    assert_int_equal(frames, 5);
    unlink(path);
    pelt_character_destroy(who);
}

static int stop_soon(const char *stage, double share, void *user)
{
    (void)user;
    return strcmp(stage, "render") == 0 && share > 0.3;
}

static void refusals_leave_no_file(void **state)
{
    (void)state;
    PeltCharacter *who = hand();
    PeltError err;
    unlink(g_path[0]);
    for (int i = 0; i < 12; i++) {
        PeltRenderDef def = small();
        const char *path = g_path[0];
        def.width = i == 0 ? 0 : 160;
        def.height = i == 1 ? 1 << 20 : 120;
        def.camera = i == 2 ? "sideways" : "front";
        def.colour = i == 3 ? "pink" : "clay";
        def.background = i == 4 ? NULL : "light";
        def.section = i == 5 ? "z" : i == 6 ? "w=1" : NULL; // lbs has no field
        def.forces = i == 7;                                // lbs has none: it does not give way unless asked to
        def.frame = i == 8 ? 100000 : 3;
        def.clip = i == 9 ? "no such clip" : NULL;
        def.skin.method = i == 10 ? "magic" : "lbs";
        path = i == 11 ? "picture.jpg" : path;
        err.text[0] = 0;
        if (pelt_render(&def, who, path, NULL, &err) != PELT_BAD_ARGUMENT)
            fail_msg("case %d was not refused", i);
        assert_true(strlen(err.text) > 10);
        assert_int_not_equal(access(path, F_OK), 0);
    }
    PeltRenderDef def = small();
    def.frame = -1;
    def.skin.progress = stop_soon;
    char path[96];
    snprintf(path, sizeof path, "%s.webp", g_path[0]);
    def.last_frame = 8;
    assert_int_equal(pelt_render(&def, who, path, NULL, &err), PELT_FAILED); // cancelled
    assert_int_not_equal(access(path, F_OK), 0);
    pelt_character_destroy(who);
}

int main(void)
{
    snprintf(g_path[0], sizeof g_path[0], "/tmp/pelt-render-%ld.png", (long)getpid());
    snprintf(g_path[1], sizeof g_path[1], "/tmp/pelt-render-%ld.pc2", (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_option_changes_the_picture_and_threads_do_not),
        cmocka_unit_test(a_cache_shows_the_positions_that_were_baked),
        cmocka_unit_test(positions_of_your_own_are_drawn),
        cmocka_unit_test(moving_pictures_hold_the_frames_asked_for),
        cmocka_unit_test(refusals_leave_no_file),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(g_path[0]);
    unlink(g_path[1]);
    return failed;
}
