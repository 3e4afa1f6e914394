/// Reading glTF: however a character is stored it is the same, odd things are mended as docs/files.md says, the rest is refused.
#include "character/skeleton.h"
#include "check.h"
#include "io/gltf.h"
#include "tiny_gltf.h"

#include <sys/stat.h>

typedef struct Read {
    unsigned char *bytes;
    PeltiGltf *doc;
    PeltiCharacter *who;
} Read;

static Read read_bytes(unsigned char *bytes, size_t size)
{
    Read r = {.bytes = bytes};
    PeltError err = {0};
    if (pelti_gltf_open_memory(bytes, size, NULL, NULL, &r.doc, &err) != PELT_OK ||
        pelti_gltf_character(r.doc, NULL, &r.who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return r;
}

static Read read_tiny(TinyOptions options)
{
    size_t size;
    unsigned char *glb = tiny_glb(tiny_make(options), &size);
    return read_bytes(glb, size);
}

static void end_read(Read *r)
{
    pelti_character_destroy(r->who);
    pelti_gltf_close(r->doc);
    free(r->bytes);
}

/// Linear blending of the file's weights at a time of a clip: enough to know that bones, rest and weights belong together.
static void pose_points(const PeltiCharacter *who, const PeltiClip *clip, double time_s, Vec3 *out)
{
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiPose pose = pelti_pose_new(&pool, who);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&pool, PeltiNodeMatrix, who->node_count);
    Mat34 *bone = PELTI_NEW(&pool, Mat34, who->bone_count);
    pelti_pose_clip(who, clip, time_s, &pose);
    pelti_pose_bones(who, &pose, node_matrix, bone);
    int n = who->file_weights.influences;
    for (int p = 0; p < who->point_count; p++) {
        out[p] = vec3(0, 0, 0);
        for (int k = 0; k < n; k++)
            out[p] = vec3_mad(out[p], mat34_apply(bone[who->file_weights.bone[p * n + k]], who->rest_points[p]),
                              who->file_weights.weight[p * n + k]);
    }
    pelti_pool_release(&pool);
}

static void check_near_points(const Vec3 *a, const Vec3 *b, int count, double tolerance)
{
    for (int i = 0; i < count; i++)
        CHECK_NEAR(vec3_distance(a[i], b[i]), 0, tolerance);
}

static void the_tiny_character_is_read_whole(void **state)
{
    (void)state;
    Read r = read_tiny((TinyOptions){0});
    const PeltiCharacter *who = r.who;
    assert_int_equal(who->point_count, TINY_POINTS);
    assert_int_equal(who->triangle_count, TINY_TUBE_TRIANGLES + TINY_BOX_TRIANGLES);
    assert_int_equal(who->node_count, 4);
    assert_int_equal(who->instance_count, 2);
    assert_int_equal(who->bone_count, 3); // two joints and the box
    assert_true(who->bones[2].is_prop && who->bones[2].node == 3);
    assert_int_equal(who->file_weights.influences, 4);
    assert_true(who->file_weights_sane);
    assert_int_equal(who->clip_count, 3);
    assert_string_equal(who->clips[0].name, "bend");
    assert_string_equal(who->clips[2].name, "anim2");
    CHECK_NEAR(who->clips[2].duration_s, 3, 0);
    assert_string_equal(who->nodes[2].name, "upper");
    for (int v = 0; v < TINY_TUBE; v++) {
        float p[3];
        tiny_tube_point(v, p);
        CHECK_NEAR(vec3_distance(who->rest_points[v], vec3(p[0], p[1], p[2])), 0, 1e-7);
    }
    assert_int_equal(pelti_log_count(&who->log), 0);
    end_read(&r);
}

static void the_upper_joint_bends_what_it_owns_and_its_box(void **state)
{
    (void)state;
    Read r = read_tiny((TinyOptions){0});
    Vec3 x[TINY_POINTS];
    pose_points(r.who, &r.who->clips[0], 1.0, x);
    // the tube's end, (.25, 2, 0), turned by 90 degrees about z at (0, 1, 0)
    CHECK_NEAR(vec3_distance(x[TINY_TUBE - TINY_SIDES], vec3(-1, 1.25f, 0)), 0, 1e-6);
    CHECK_NEAR(vec3_distance(x[0], vec3(0.25f, 0, 0)), 0, 1e-6);
    // the box' first corner, (-.125, -.125, -.125) + (0, 1.25, 0) from the joint
    CHECK_NEAR(vec3_distance(x[TINY_TUBE], vec3(-1.125f, 1 - 0.125f, -0.125f)), 0, 1e-6);
    pose_points(r.who, &r.who->clips[1], 0.75, x); // STEP holds the middle key
    CHECK_NEAR(vec3_distance(x[0], vec3(0.25f, 1, 0)), 0, 1e-6);
    pose_points(r.who, &r.who->clips[2], 2, x); // cubic through 0 (tangent 1) and 2 (tangent 1), two seconds apart
    CHECK_NEAR(x[0].x - 0.25f, 1, 1e-6);
    end_read(&r);
}

static void every_way_of_storing_it_gives_the_same_character(void **state)
{
    (void)state;
    static const TinyOptions ways[] = {
        {.strided = true}, {.sparse = true}, {.two_sets = true}, {.quantised = true}, {.no_scene = true}};
    Read plain = read_tiny((TinyOptions){0});
    Vec3 expected[TINY_POINTS], x[TINY_POINTS];
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        Read r = read_tiny(ways[i]);
        double tolerance = ways[i].quantised ? 5e-3 : 1e-6; // weights in 1/255, positions in 1/32767
        assert_int_equal(r.who->point_count, TINY_POINTS);
        assert_int_equal(r.who->file_weights.influences, ways[i].two_sets ? 5 : 4);
        check_near_points(r.who->rest_points, plain.who->rest_points, TINY_POINTS, ways[i].quantised ? 1e-4 : 1e-7);
        pose_points(plain.who, &plain.who->clips[0], 0.6, expected);
        pose_points(r.who, &r.who->clips[0], 0.6, x);
        check_near_points(x, expected, TINY_POINTS, tolerance);
        end_read(&r);
    }
    end_read(&plain);
}

static void a_gltf_with_a_data_uri_is_the_same_as_a_glb(void **state)
{
    (void)state;
    size_t size;
    char *text = tiny_embedded(tiny_make((TinyOptions){0}), &size);
    Read r = read_bytes((unsigned char *)text, size), plain = read_tiny((TinyOptions){0});
    check_near_points(r.who->rest_points, plain.who->rest_points, TINY_POINTS, 0);
    assert_false(r.doc->is_glb);
    end_read(&r);
    end_read(&plain);
}

static void matrices_stand_for_the_same_transforms(void **state)
{
    (void)state;
    Read r = read_tiny((TinyOptions){.matrices = true}), plain = read_tiny((TinyOptions){0});
    Vec3 x[TINY_POINTS], expected[TINY_POINTS];
    assert_int_equal(r.who->clip_count, 0);
    pose_points(r.who, NULL, 0, x);
    pose_points(plain.who, NULL, 0, expected);
    check_near_points(x, expected, TINY_POINTS, 1e-6);
    end_read(&r);
    end_read(&plain);
}

static void rest_space_has_world_units(void **state)
{
    (void)state;
    Read r = read_tiny((TinyOptions){.scale = 100}), plain = read_tiny((TinyOptions){0});
    Vec3 x[TINY_POINTS];
    CHECK_NEAR(r.who->instances[0].scale, 100, 1e-4);
    for (int p = 0; p < TINY_POINTS; p++) // the box below the joint too
        CHECK_NEAR(vec3_distance(r.who->rest_points[p], vec3_scale(plain.who->rest_points[p], 100)), 0, 1e-3);
    pose_points(r.who, NULL, 0, x); // and the file's pose is the rest pose here
    check_near_points(x, r.who->rest_points, TINY_POINTS, 1e-3);
    end_read(&r);
    end_read(&plain);
}

static void skins_of_one_skeleton_share_one_rest_space_and_its_bones(void **state)
{
    (void)state;
    Read r = read_tiny((TinyOptions){.sleeve = true}), plain = read_tiny((TinyOptions){0});
    const PeltiCharacter *who = r.who;
    assert_int_equal(who->instance_count, 3);
    assert_int_equal(who->bone_count, plain.who->bone_count); // no joint twice
    assert_int_equal(who->instances[2].bones[0], who->instances[0].bones[1]);
    CHECK_NEAR(who->instances[2].scale, 100, 1e-3);
    check_near_points(who->rest_points, plain.who->rest_points, TINY_POINTS, 0);
    check_near_points(who->rest_points + TINY_POINTS, plain.who->rest_points, TINY_TUBE, 1e-5);
    // what the format says of a point of the sleeve that follows the upper joint alone: world * bind * position
    Vec3 x[TINY_POINTS + TINY_TUBE], expected[TINY_POINTS];
    pose_points(who, &who->clips[0], 0.6, x);
    pose_points(plain.who, &plain.who->clips[0], 0.6, expected);
    check_near_points(x, expected, TINY_POINTS, 0);
    for (int v = 0; v < TINY_TUBE; v++) { // its joints are listed the other way round: weights are mirrored
        float at[3];
        tiny_tube_point(v, at);
        if (at[1] > 1.3f) // all on joint 1 of its list, the root, which does not move
            CHECK_NEAR(vec3_distance(x[TINY_POINTS + v], vec3(at[0], at[1], at[2])), 0, 1e-5);
    }
    end_read(&r);
    end_read(&plain);
}

static void without_weights_all_is_on_the_first_joint(void **state)
{
    (void)state;
    Read r = read_tiny((TinyOptions){.no_weights = true});
    assert_false(r.who->file_weights_sane);
    assert_string_equal(pelti_log_get(&r.who->log, 0)->code, "weights-missing");
    for (int p = 0; p < TINY_TUBE; p++) {
        assert_int_equal(r.who->file_weights.bone[4 * p], r.who->instances[0].bones[0]);
        CHECK_NEAR(r.who->file_weights.weight[4 * p], 1, 0);
    }
    end_read(&r);
    Read binds = read_tiny((TinyOptions){.no_binds = true}); // identity binds, as the format says
    CHECK_NEAR(binds.who->bones[1].rest_to_bone[1][3], 0, 0);
    end_read(&binds);
}

static bool has_warning(const PeltiCharacter *who, const char *code)
{
    for (int i = 0; i < pelti_log_count(&who->log); i++)
        if (!strcmp(pelti_log_get(&who->log, i)->code, code))
            return true;
    return false;
}

static void sums_other_than_one_are_shares(void **state)
{
    (void)state;
    Read r = read_tiny((TinyOptions){.sum = 0.77}), plain = read_tiny((TinyOptions){0});
    assert_true(r.who->file_weights_sane && has_warning(r.who, "weights-sum"));
    for (int i = 0; i < TINY_POINTS * 4; i++) {
        assert_int_equal(r.who->file_weights.bone[i], plain.who->file_weights.bone[i]);
        CHECK_NEAR(r.who->file_weights.weight[i], plain.who->file_weights.weight[i], 1e-6);
    }
    end_read(&r);
    end_read(&plain);
}

static void rows_nobody_can_use_are_mended_from_their_neighbours(void **state)
{
    (void)state;
    Read plain = read_tiny((TinyOptions){0}), r = read_tiny((TinyOptions){.bad_rows = 5});
    const PeltiWeightsBad *rows = &r.who->bad_rows;
    assert_true(r.who->file_weights_sane && has_warning(r.who, "weights-mended"));
    assert_int_equal(rows->not_finite, 2);
    assert_int_equal(rows->negative, 2);
    assert_int_equal(rows->absent, 1);
    assert_int_equal(rows->from_neighbours, 5);
    for (int p = 0; p < TINY_TUBE; p++) {
        float upper = 0, wanted = 0, sum = 0;
        bool bad = p / TINY_SIDES == TINY_RINGS / 2 && p % TINY_SIDES < 5;
        for (int k = 0; k < 4; k++) {
            int i = 4 * p + k;
            sum += r.who->file_weights.weight[i];
            upper += r.who->file_weights.bone[i] == 1 ? r.who->file_weights.weight[i] : 0;
            wanted += plain.who->file_weights.bone[i] == 1 ? plain.who->file_weights.weight[i] : 0;
        }
        CHECK_NEAR(sum, 1, 1e-6);
        CHECK_NEAR(upper, wanted, bad ? 0.1 : 1e-6); // the ramp is even around the bad rows: the mean of neighbours is near it
    }
    end_read(&r);
    Read none = read_tiny((TinyOptions){.bad_rows = TINY_TUBE}); // nothing to mend from: automatic weights
    assert_false(none.who->file_weights_sane);
    assert_int_equal(none.who->bad_rows.from_neighbours + none.who->bad_rows.from_bone, 0);
    end_read(&none);
    end_read(&plain);
}

static void pieces_without_a_good_row_follow_the_nearest_bone(void **state)
{
    (void)state;
    Read r = read_tiny((TinyOptions){.sleeve = true, .bare_sleeve = true});
    assert_true(r.who->file_weights_sane && has_warning(r.who, "weights-missing"));
    assert_int_equal(r.who->bad_rows.absent, TINY_TUBE);
    assert_int_equal(r.who->bad_rows.from_bone, TINY_TUBE);
    for (int v = 0; v < TINY_TUBE; v++) {
        float at[3];
        tiny_tube_point(v, at);
        size_t row = (size_t)(TINY_POINTS + v) * (size_t)r.who->file_weights.influences;
        CHECK_NEAR(r.who->file_weights.weight[row], 1, 0);
        if (fabsf(at[1] - 1) > 0.1f) // the joints meet at y = 1
            assert_int_equal(r.who->file_weights.bone[row], at[1] > 1);
    }
    end_read(&r);
}

static void any_skeleton_has_a_range_of_motion(void **state)
{
    (void)state;
    for (int matrices = 0; matrices < 2; matrices++) { // nodes given by matrices are moved as well, and keep their place
        Read r = read_tiny((TinyOptions){.matrices = matrices});
        const PeltiCharacter *who = r.who;
        int range = pelti_clip_find(who, "range");
        assert_int_equal(range, who->clip_count); // behind the file's own, which are counted without it
        const PeltiClip *clip = &who->clips[range];
        Vec3 still[TINY_POINTS], x[TINY_POINTS];
        float most = 0;
        pose_points(who, NULL, 0, still);
        pose_points(who, clip, 0, x);
        check_near_points(x, still, TINY_POINTS, 1e-6);
        pose_points(who, clip, (double)clip->duration_s, x);
        check_near_points(x, still, TINY_POINTS, 1e-6);
        for (int k = 1; k < 60; k++) {
            pose_points(who, clip, (double)clip->duration_s * k / 60, x);
            for (int p = 0; p < TINY_POINTS; p++) {
                float moved = vec3_distance(x[p], still[p]);
                assert_true(vec3_finite(x[p]) && moved < 1); // a joint of no known name: a little
                most = fmaxf(most, moved);
            }
        }
        assert_true(most > 0.2f);
        end_read(&r);
    }
}

static void an_old_vrm_faces_the_other_way(void **state)
{
    (void)state;
    static const char *const names[] = {"VRM", "VRMC_vrm"}; // 0.x, 1.0
    for (int i = 0; i < 2; i++) {
        TinyGltf *t = tiny_make((TinyOptions){0});
        char extension[80];
        size_t length = (size_t)snprintf(extension, sizeof extension, "\"extensions\":{\"%s\":{}},", names[i]), size;
        memmove(t->json + 1 + length, t->json + 1, t->json_size);
        memcpy(t->json + 1, extension, length);
        t->json_size += length;
        unsigned char *glb = tiny_glb(t, &size);
        Read r = read_bytes(glb, size);
        assert_int_equal(r.who->faces_back, i == 0);
        end_read(&r);
    }
}

static void bones_that_carry_something_move_it(void **state)
{
    (void)state;
    Read r = read_tiny((TinyOptions){0});
    bool moves[3] = {false, false, true}; // the box, which hangs on the upper joint, which hangs on the root
    pelti_skeleton_moves(r.who, moves);
    assert_true(moves[0] && moves[1]);
    bool end[3] = {true, false, false}; // nothing hangs on the others
    pelti_skeleton_moves(r.who, end);
    assert_false(end[1] || end[2]);
    end_read(&r);
}

static void accessors_decode_every_component_type(void **state)
{
    (void)state;
    const struct {
        int type;
        char bytes[13];
        float plain, normal;
    } cases[] = {{5120, "\x81\x81\x81", -127, -1},
                 {5120, "\x80\x80\x80", -128, -1},
                 {5121, "\xff\xff\xff", 255, 1},
                 {5122, "\x01\x80\x01\x80\x01\x80", -32767, -1},
                 {5123, "\xff\xff\xff\xff\xff\xff", 65535, 1},
                 {5125, "\x07\0\0\0\x07\0\0\0\x07\0\0", 7, 7 / 4294967295.0f},
                 {5126, "\0\0\x80?\0\0\x80?\0\0\x80?", 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int normal = 0; normal < 2; normal++) {
            TinyGltf *t = tiny_make((TinyOptions){0});
            int view = tiny_view(t, cases[i].bytes, 12, 0);
            t->json_size = 0;
            tiny_accessor(t, (TinyAt){view, 0}, cases[i].type, "VEC3", 1, normal ? ",\"normalized\":true" : "");
            tiny_print(t->json, sizeof t->json, &t->json_size,
                       "{\"asset\":{\"version\":\"2.0\"},\"bufferViews\":[%s],\"accessors\":[%s],", t->views, t->accessors);
            int last = t->accessor_count - 1;
            size_t size;
            unsigned char *glb = tiny_glb(t, &size);
            PeltiGltf *doc;
            PeltError err;
            float v[3];
            assert_int_equal(pelti_gltf_open_memory(glb, size, NULL, NULL, &doc, &err), PELT_OK);
            assert_int_equal(pelti_gltf_floats(doc, last, 3, v, &err), PELT_OK);
            for (int k = 0; k < 3; k++)
                CHECK_NEAR(v[k], normal ? cases[i].normal : cases[i].plain, 1e-7);
            uint32_t whole[3];
            bool is_unsigned = cases[i].type == 5121 || cases[i].type == 5123 || cases[i].type == 5125;
            assert_int_equal(pelti_gltf_indices_of(doc, (PeltiGltfSpan){last, 3, 0, 1}, whole, &err),
                             is_unsigned ? PELT_OK : PELT_BAD_INPUT);
            assert_int_equal(pelti_gltf_floats(doc, last, 4, v, &err), PELT_BAD_INPUT);
            pelti_gltf_close(doc);
            free(glb);
        }
}

static void strips_fans_and_lists_unroll_as_the_format_says(void **state)
{
    (void)state;
    static const struct {
        int mode, indexed, count;
        int expected[4][3];
    } cases[] = {{5, 1, 4, {{5, 4, 3}, {4, 2, 3}, {3, 2, 1}, {2, 0, 1}}}, // odd ones swap their last two corners
                 {6, 1, 4, {{5, 4, 3}, {5, 3, 2}, {5, 2, 1}, {5, 1, 0}}},
                 {4, 0, 2, {{0, 1, 2}, {3, 4, 5}}},
                 {5, 0, 4, {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {3, 5, 4}}},
                 {1, 1, 0, {{0}}}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TinyGltf *t = calloc(1, sizeof *t);
        const float p[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 2, 0}, {1, 2, 1}};
        const uint8_t index[6] = {5, 4, 3, 2, 1, 0};
        tiny_floats(t, &p[0][0], "VEC3", 3, 6);
        tiny_accessor(t, (TinyAt){tiny_view(t, index, sizeof index, 0), 0}, 5121, "SCALAR", 6, "");
        tiny_print(t->json, sizeof t->json, &t->json_size,
                   "{\"asset\":{\"version\":\"2.0\"},\"bufferViews\":[%s],\"accessors\":[%s],\"nodes\":[{\"mesh\":0}],"
                   "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},%s\"mode\":%d}]}],",
                   t->views, t->accessors, cases[i].indexed ? "\"indices\":1," : "", cases[i].mode);
        size_t size;
        unsigned char *glb = tiny_glb(t, &size);
        Read r = read_bytes(glb, size);
        assert_int_equal(r.who->triangle_count, cases[i].count);
        for (int k = 0; k < cases[i].count; k++)
            assert_memory_equal(r.who->point_triangles[k], cases[i].expected[k], sizeof cases[i].expected[k]);
        end_read(&r);
    }
}

// ---- files beside the document

static char g_folder[64];

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", g_folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

/// Writes sub/x.gltf whose buffer is `uri` and opens it.
static PeltStatus open_with(const char *uri, PeltError *err)
{
    TinyGltf *t = tiny_make((TinyOptions){0});
    size_t size;
    char path[200], *text = tiny_gltf(t, uri, &size);
    write_file("sub/x.gltf", text, size);
    free(text);
    snprintf(path, sizeof path, "%s/sub/x.gltf", g_folder);
    PeltiGltf *doc;
    PeltStatus status = pelti_gltf_open(path, NULL, &doc, err);
    pelti_gltf_close(doc);
    return status;
}

static void buffers_come_from_the_files_folder_only(void **state)
{
    (void)state;
    char path[200];
    PeltError err;
    snprintf(g_folder, sizeof g_folder, "pelt-test-gltf-%d", (int)getpid());
    snprintf(path, sizeof path, "%s/sub", g_folder);
    assert_int_equal(mkdir(g_folder, 0700), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    TinyGltf *t = tiny_make((TinyOptions){0});
    write_file("outside.bin", t->bin, t->bin_size);
    write_file("sub/a b.bin", t->bin, t->bin_size);
    write_file("sub/short.bin", t->bin, t->bin_size - 1);
    free(t);
    snprintf(path, sizeof path, "%s/sub/link.bin", g_folder);
    assert_int_equal(symlink("../outside.bin", path), 0);
    assert_int_equal(open_with("a%20b.bin", &err), PELT_OK);
    assert_int_equal(open_with("./a b.bin", &err), PELT_OK);
    assert_int_equal(open_with("none.bin", &err), PELT_IO);
    assert_int_equal(open_with("short.bin", &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "buffer 0: cut off"));
    assert_int_equal(open_with("../outside.bin", &err), PELT_BAD_INPUT);
    assert_int_equal(open_with("%2e%2e/outside.bin", &err), PELT_BAD_INPUT);
    assert_int_equal(open_with("x/../../outside.bin", &err), PELT_BAD_INPUT);
    assert_int_equal(open_with("link.bin", &err), PELT_BAD_INPUT);
    assert_int_equal(open_with("/etc/hostname", &err), PELT_BAD_INPUT);
    assert_int_equal(open_with("file:///etc/hostname", &err), PELT_BAD_INPUT);
    assert_int_equal(open_with("http://example.org/x.bin", &err), PELT_BAD_INPUT);
    assert_int_equal(open_with("a%00b.bin", &err), PELT_BAD_INPUT);
    assert_int_equal(open_with("", &err), PELT_BAD_INPUT);
    assert_int_equal(open_with(".", &err), PELT_BAD_INPUT);
    assert_int_equal(open_with("data:;base64,???", &err), PELT_BAD_INPUT);
    static const char *const made[] = {"sub/x.gltf", "sub/a b.bin", "sub/short.bin", "sub/link.bin", "outside.bin"};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        snprintf(path, sizeof path, "%s/%s", g_folder, made[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/sub", g_folder);
    rmdir(path);
    rmdir(g_folder);
}

static void a_file_that_cannot_be_read_is_an_io_failure(void **state)
{
    (void)state;
    PeltError err;
    PeltiGltf *doc;
    assert_int_equal(pelti_gltf_open("no such file.glb", NULL, &doc, &err), PELT_IO);
    assert_null(doc);
    assert_int_equal(pelti_gltf_open("/", NULL, &doc, &err), PELT_IO);
    assert_int_equal(pelti_gltf_open("/dev/null", NULL, &doc, &err), PELT_IO);
}

static void required_extensions_are_judged(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        PeltStatus status;
        const char *cure;
    } cases[] = {{"KHR_mesh_quantization", PELT_OK, NULL},
                 {"KHR_texture_transform", PELT_OK, NULL},
                 {"KHR_materials_unlit", PELT_OK, NULL},
                 {"KHR_draco_mesh_compression", PELT_UNSUPPORTED, "npx @gltf-transform/cli copy"},
                 {"EXT_meshopt_compression", PELT_UNSUPPORTED, "npx @gltf-transform/cli copy"},
                 {"ACME_secret", PELT_UNSUPPORTED, "ACME_secret"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        TinyGltf *t = tiny_make((TinyOptions){0});
        tiny_print(t->json, sizeof t->json, &t->json_size, "\"extensionsRequired\":[\"%s\"],", cases[i].name);
        size_t size;
        unsigned char *glb = tiny_glb(t, &size);
        PeltiGltf *doc;
        PeltError err;
        assert_int_equal(pelti_gltf_open_memory(glb, size, NULL, NULL, &doc, &err), cases[i].status);
        if (cases[i].cure)
            assert_non_null(strstr(err.text, cases[i].cure));
        pelti_gltf_close(doc);
        free(glb);
    }
}

// ---- real characters

static void shared_characters_have_the_counts_their_list_states(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int points, welded, triangles, joints, clips;
    } cases[] = {{"makehuman-cc0.glb", 14517, 13380, 26756, 163, 3},
                 {"makehuman-cc0-noweights.glb", 14517, 13380, 26756, 163, 3},
                 {"arm.glb", 8311, 8311, 16618, 5, 3},
                 {"hand.glb", 4780, 4780, 9556, 25, 2},
                 {"cylinder2.glb", 3202, 3202, 6400, 2, 2},
                 {"RiggedSimple.glb", 160, 96, 188, 2, 1},
                 {"RiggedFigure.glb", 370, 130, 256, 19, 1},
                 {"RecursiveSkeletons.glb", 3360, 3360, 6384, 840, 1},
                 {"SimpleSkin.gltf", 10, 10, 8, 2, 1}};
    int read = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = shared_file(cases[i].name);
        if (!path)
            continue;
        PeltError err = {0};
        PeltiGltf *doc;
        PeltiCharacter *who = NULL;
        if (pelti_gltf_open(path, NULL, &doc, &err) != PELT_OK || pelti_gltf_character(doc, NULL, &who, &err) != PELT_OK)
            fail_msg("%s: %s", cases[i].name, err.text);
        pelti_gltf_close(doc); // the character stands alone
        assert_int_equal(who->point_count, cases[i].points);
        assert_int_equal(who->mesh->vertex_count, cases[i].welded);
        assert_int_equal(who->triangle_count, cases[i].triangles);
        assert_int_equal(who->bone_count, cases[i].joints);
        assert_int_equal(who->clip_count, cases[i].clips);
        assert_int_equal(who->file_weights_sane, strstr(cases[i].name, "noweights") == NULL);
        pelti_character_destroy(who);
        read++;
    }
    if (!read)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tiny_character_is_read_whole),
        cmocka_unit_test(the_upper_joint_bends_what_it_owns_and_its_box),
        cmocka_unit_test(every_way_of_storing_it_gives_the_same_character),
        cmocka_unit_test(a_gltf_with_a_data_uri_is_the_same_as_a_glb),
        cmocka_unit_test(matrices_stand_for_the_same_transforms),
        cmocka_unit_test(rest_space_has_world_units),
        cmocka_unit_test(skins_of_one_skeleton_share_one_rest_space_and_its_bones),
        cmocka_unit_test(without_weights_all_is_on_the_first_joint),
        cmocka_unit_test(pieces_without_a_good_row_follow_the_nearest_bone),
        cmocka_unit_test(any_skeleton_has_a_range_of_motion),
        cmocka_unit_test(an_old_vrm_faces_the_other_way),
        cmocka_unit_test(bones_that_carry_something_move_it),
        cmocka_unit_test(sums_other_than_one_are_shares),
        cmocka_unit_test(rows_nobody_can_use_are_mended_from_their_neighbours),
        cmocka_unit_test(accessors_decode_every_component_type),
        cmocka_unit_test(strips_fans_and_lists_unroll_as_the_format_says),
        cmocka_unit_test(buffers_come_from_the_files_folder_only),
        cmocka_unit_test(a_file_that_cannot_be_read_is_an_io_failure),
        cmocka_unit_test(required_extensions_are_judged),
        cmocka_unit_test(shared_characters_have_the_counts_their_list_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
