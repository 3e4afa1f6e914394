/// Built-in characters written and read again: nothing is lost on the way.
#include "builtin/builtin.h"
#include "io/gltf.h"
#include "io/gltf_make.h"
#include "check.h"

#include <string.h>

static void same_points(const PeltiCharacter *a, const PeltiCharacter *b)
{
    assert_int_equal(a->point_count, b->point_count);
    assert_int_equal(a->triangle_count, b->triangle_count);
    assert_memory_equal(a->point_triangles, b->point_triangles, (size_t)a->triangle_count * sizeof(int[3]));
    for (int p = 0; p < a->point_count; p++) {
        CHECK_NEAR(vec3_distance(a->rest_points[p], b->rest_points[p]), 0, 1e-6);
        for (int k = 0; k < 4; k++) {
            int i = 4 * p + k;
            CHECK_NEAR(a->file_weights.weight[i], b->file_weights.weight[i], 1e-6);
            if (a->file_weights.weight[i] > 0)
                assert_int_equal(a->file_weights.bone[i], b->file_weights.bone[i]);
        }
    }
}

static void same_motion(const PeltiCharacter *a, const PeltiCharacter *b)
{
    assert_int_equal(a->bone_count, b->bone_count);
    assert_int_equal(a->clip_count, b->clip_count);
    for (int n = 0; n < a->bone_count; n++) {
        assert_string_equal(a->nodes[n].name, b->nodes[n].name);
        assert_int_equal(a->bones[n].parent, b->bones[n].parent);
        CHECK_NEAR(vec3_distance(a->bones[n].head, b->bones[n].head), 0, 1e-6);
    }
    for (int c = 0; c < a->clip_count; c++) {
        const PeltiClip *p = &a->clips[c], *q = &b->clips[c];
        assert_string_equal(p->name, q->name);
        assert_int_equal(p->channel_count, q->channel_count);
        for (int i = 0; i < p->channel_count; i++) {
            const PeltiChannel *x = &p->channels[i], *y = &q->channels[i];
            assert_true(x->node == y->node && x->path == y->path && x->key_count == y->key_count);
            size_t width = x->path == PELTI_CHANNEL_ROTATION ? 4 : 3;
            for (size_t k = 0; k < width * (size_t)x->key_count; k++)
                CHECK_NEAR(x->values[k], y->values[k], 1e-6);
        }
    }
}

static void check_round_trip(const char *name, const char *path, bool uv)
{
    PeltiBuiltinOptions options = {.vertices = 1500, .uv = uv};
    PeltiBuiltin made = {0};
    PeltiGltf *document = NULL;
    PeltiCharacter *read = NULL;
    PeltError err = {0};
    if (pelti_builtin_make_all(name, &options, NULL, NULL, &made, &err) != PELT_OK ||
        pelti_gltf_make(&(PeltiGltfMake){.who = made.who, .uv = made.uv}, path, &err) != PELT_OK ||
        pelti_gltf_open(path, NULL, &document, &err) != PELT_OK || pelti_gltf_character(document, NULL, &read, &err) != PELT_OK)
        fail_msg("%s: %s", name, err.text);
    same_points(made.who, read);
    same_motion(made.who, read);
    assert_true(read->mesh->closed && read->file_weights_sane);
    assert_int_equal(pelti_log_count(&read->log), 0);
    pelti_character_destroy(read);
    pelti_gltf_close(document);
    pelti_character_destroy(made.who);
    remove(path);
}

static void a_written_hand_reads_back_the_same(void **state)
{
    (void)state;
    check_round_trip("hand", "made-hand.glb", false);
}

static void so_does_text_and_uv(void **state)
{
    (void)state;
    check_round_trip("cylinder", "made-cylinder.gltf", true);
}

static void other_extensions_are_refused(void **state)
{
    (void)state;
    PeltiBuiltinOptions options = {.vertices = 500};
    PeltiCharacter *who = NULL;
    PeltError err = {0};
    assert_int_equal(pelti_builtin_make("cylinder", &options, NULL, NULL, &who, &err), PELT_OK);
    assert_int_equal(pelti_gltf_make(&(PeltiGltfMake){.who = who}, "made.fbx", &err), PELT_BAD_ARGUMENT);
    assert_int_equal(pelti_gltf_make(&(PeltiGltfMake){.who = who}, "no such folder/made.glb", &err), PELT_IO);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_written_hand_reads_back_the_same),
                                       cmocka_unit_test(so_does_text_and_uv), cmocka_unit_test(other_extensions_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
