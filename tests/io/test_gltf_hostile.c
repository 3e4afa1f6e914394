/// Spoilt files: each is refused with a story or gives a sound character, in bounded time and memory.
#include "check.h"
#include "core/clock.h"
#include "io/gltf.h"
#include "json_text.h"
#include "tiny_gltf.h"

typedef struct Meter { ///< an allocator that counts
    size_t now, peak;
} Meter;

static void *meter_alloc(size_t bytes, void *user)
{
    Meter *meter = user;
    void *memory = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
    if (!memory)
        return NULL;
    meter->now += bytes;
    meter->peak = meter->now > meter->peak ? meter->now : meter->peak;
    return memory;
}

static void meter_free(void *memory, size_t bytes, void *user)
{
    ((Meter *)user)->now -= bytes;
    free(memory);
}

typedef struct Totals {
    int files, sound, bad_input, unsupported;
    double slowest_ms;
    size_t most_bytes;
} Totals;
static Totals g_totals;

static void check_sound(const PeltiCharacter *who)
{
    assert_true(who->point_count > 0 && who->node_count > 0 && who->bone_count > 0 && who->mesh);
    for (int p = 0; p < who->point_count; p++) {
        assert_true(vec3_finite(who->rest_points[p]));
        assert_true(who->point_instance[p] >= 0 && who->point_instance[p] < who->instance_count);
        float sum = 0;
        for (int k = 0; k < who->file_weights.influences; k++) {
            size_t i = (size_t)p * (size_t)who->file_weights.influences + (size_t)k;
            assert_true(who->file_weights.bone[i] >= 0 && who->file_weights.bone[i] < who->bone_count);
            assert_true(who->file_weights.weight[i] >= 0);
            sum += who->file_weights.weight[i];
        }
        CHECK_NEAR(sum, 1, 1e-5);
    }
    for (int t = 0; t < who->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            assert_true(who->point_triangles[t][k] >= 0 && who->point_triangles[t][k] < who->point_count);
    for (int v = 0; v < who->mesh->vertex_count; v++)
        assert_true(vec3_finite(who->mesh->rest[v]));
    for (int s = 0; s < who->segment_count; s++)
        assert_true(vec3_finite(who->segments[s].a) && vec3_finite(who->segments[s].b));
}

/// Poses are finite at, between, before and after keys.
static void check_clips(const PeltiCharacter *who)
{
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiPose pose = pelti_pose_new(&pool, who);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&pool, PeltiNodeMatrix, who->node_count);
    Mat34 *bone = PELTI_NEW(&pool, Mat34, who->bone_count);
    for (int c = -1; c < who->clip_count; c++) {
        const PeltiClip *clip = c < 0 ? NULL : &who->clips[c];
        if (clip) {
            assert_non_null(clip->name);
            assert_true(isfinite(clip->duration_s) && clip->duration_s >= 0);
            for (int k = 0; k < clip->channel_count; k++)
                for (int i = 1; i < clip->channels[k].key_count; i++)
                    assert_true(clip->channels[k].times[i] > clip->channels[k].times[i - 1]);
        }
        for (int i = -1; i <= 5; i++) {
            pelti_pose_clip(who, clip, clip ? (double)clip->duration_s * i / 4 : 0, &pose);
            pelti_pose_bones(who, &pose, node_matrix, bone);
            for (int b = 0; b < who->bone_count; b++)
                for (int k = 0; k < 12; k++)
                    assert_true(isfinite(bone[b].m[k / 4][k % 4]));
        }
    }
    pelti_pool_release(&pool);
}

/// Reads a copy of exactly the file's size, so that a sanitizer sees a step beyond it.
static PeltStatus try_bytes(const void *bytes, size_t size, const char *what, PeltError *err)
{
    void *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    Meter meter = {0};
    PeltAllocator allocator = {meter_alloc, meter_free, &meter};
    PeltiGltf *doc = NULL;
    PeltiCharacter *who = NULL;
    double start_ms = pelti_clock_ms();
    *err = (PeltError){0};
    PeltStatus status = pelti_gltf_open_memory(copy, size, NULL, &allocator, &doc, err);
    if (status == PELT_OK)
        status = pelti_gltf_character(doc, &allocator, &who, err);
    double took_ms = pelti_clock_ms() - start_ms;
    g_totals.files++;
    if (status == PELT_OK) {
        check_sound(who);
        check_clips(who);
        g_totals.sound++;
    } else if (status == PELT_BAD_INPUT || status == PELT_UNSUPPORTED) {
        assert_null(who);
        assert_true(err->text[0] && err->status == status);
        g_totals.bad_input += status == PELT_BAD_INPUT;
        g_totals.unsupported += status == PELT_UNSUPPORTED;
    } else {
        fail_msg("%s: status %d: %s", what, (int)status, err->text);
    }
    pelti_character_destroy(who);
    pelti_gltf_close(doc);
    free(copy);
    assert_int_equal(meter.now, 0); // nothing leaks, whatever happened
    g_totals.slowest_ms = took_ms > g_totals.slowest_ms ? took_ms : g_totals.slowest_ms;
    g_totals.most_bytes = meter.peak > g_totals.most_bytes ? meter.peak : g_totals.most_bytes;
    if (meter.peak > 64 * size + (64u << 20))
        fail_msg("%s: %zu bytes for a file of %zu", what, meter.peak, size);
    return status;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

// ---- cut off, byte by byte

static void truncated_files(void **state)
{
    (void)state;
    size_t size;
    unsigned char *glb = tiny_glb(tiny_make((TinyOptions){0}), &size);
    PeltError err;
    for (size_t keep = 0; keep < size; keep += keep < 64 ? 1 : 61) {
        char what[40];
        snprintf(what, sizeof what, "first %zu bytes", keep);
        assert_int_equal(try_bytes(glb, keep, what, &err), PELT_BAD_INPUT);
    }
    free(glb);
}

// ---- every number of the document replaced by every awkward value

typedef struct Spoiler {
    PeltiJson *root;
    const TinyGltf *tiny;
} Spoiler;

static PeltiJson *awkward(int kind)
{
    switch (kind) {
    case 0:
        return pelti_json_new_int(-1);
    case 1:
        return pelti_json_new_int(0);
    case 2:
        return pelti_json_new_int(3);
    case 3:
        return pelti_json_new_int(1 << 20);
    case 4:
        return pelti_json_new_int(INT32_MAX);
    case 5:
        return pelti_json_new_int((int64_t)UINT32_MAX + 1);
    case 6:
        return pelti_json_new_int(INT64_MAX);
    case 7:
        return pelti_json_new_number(1e300);
    case 8:
        return pelti_json_new_number(0.5);
    case 9:
        return pelti_json_new_text("x");
    case 10:
        return pelti_json_new_array();
    default:
        return pelti_json_new_object();
    }
}
enum { AWKWARD_KINDS = 12 };

static void try_document(Spoiler *spoiler, const char *what)
{
    size_t size;
    PeltError err;
    PeltiArray json = json_text(spoiler->root, false);
    unsigned char *glb = tiny_pack(json.data, json.count, spoiler->tiny->bin, spoiler->tiny->bin_size, &size);
    pelti_array_release(&json);
    try_bytes(glb, size, what, &err);
    free(glb);
}

static void spoil_below(Spoiler *spoiler, const PeltiJsonAt *at);

static PeltStatus spoil_member(const PeltiJsonAt *member, void *user, PeltError *err)
{
    (void)err;
    spoil_below(user, member);
    return PELT_OK;
}

/// Puts each awkward value in place of `at` in turn, then what was there.
static void spoil_here(Spoiler *spoiler, const PeltiJsonAt *at)
{
    PeltiJson *before = pelti_json_keep(at->value);
    for (int kind = 0; kind < AWKWARD_KINDS; kind++) {
        char what[200];
        bool ok = at->key ? pelti_json_set(at->up->value, at->key, awkward(kind))
                          : pelti_json_put(at->up->value, at->index, awkward(kind));
        assert_true(ok);
        snprintf(what, sizeof what, "%s <- awkward %d", PELTI_JSON_PATH(at), kind);
        try_document(spoiler, what);
    }
    assert_true(at->key ? pelti_json_set(at->up->value, at->key, before) : pelti_json_put(at->up->value, at->index, before));
}

static void spoil_below(Spoiler *spoiler, const PeltiJsonAt *at)
{
    PeltError err;
    int count;
    if (pelti_json_object(at, PELTI_REQUIRED, &err) == PELT_OK) {
        pelti_json_each(at, spoil_member, spoiler, &err);
    } else if (pelti_json_array(at, PELTI_REQUIRED, &count, &err) == PELT_OK) {
        for (int i = 0; i < count; i++) {
            PeltiJsonAt item = pelti_json_item(at, i);
            spoil_below(spoiler, &item);
        }
    }
    if (at->up)
        spoil_here(spoiler, at);
}

static void every_value_spoilt(void **state)
{
    (void)state;
    static const TinyOptions kinds[] = {
        {0}, {.targets = true, .sleeve = true, .bad_rows = 3}, {.sparse = true, .two_sets = true, .matrices = true}};
    for (int i = 0; i < 2; i++) {
        TinyGltf *tiny = tiny_make(kinds[i]);
        tiny_print(tiny->json, sizeof tiny->json, &tiny->json_size, "\"buffers\":[{\"byteLength\":%zu}]}", tiny->bin_size);
        Spoiler spoiler = {.tiny = tiny};
        PeltError err;
        assert_int_equal(pelti_json_parse(tiny->json, tiny->json_size, &spoiler.root, &err), PELT_OK);
        PeltiJsonAt root = pelti_json_root(spoiler.root);
        spoil_below(&spoiler, &root);
        try_document(&spoiler, "as it was");
        pelti_json_release(spoiler.root);
        free(tiny);
    }
}

// ---- the binary part: NaN, infinities, noise

static void spoilt_numbers(void **state)
{
    (void)state;
    static const uint32_t odd[] = {0x7fc00000, 0x7f800000, 0xff800000, 0x7f7fffff, 0xff7fffff,
                                   0x00000001, 0x80000000, 0xffffffff, 0};
    size_t size;
    unsigned char *glb = tiny_glb(tiny_make((TinyOptions){.sparse = true, .targets = true, .sleeve = true}), &size);
    uint32_t json_size;
    memcpy(&json_size, glb + 12, 4);
    size_t bin = 28 + json_size;
    PeltError err;
    for (size_t at = bin; at + 4 <= size; at += 20)
        for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
            unsigned char before[4];
            char what[60];
            memcpy(before, glb + at, 4);
            memcpy(glb + at, &odd[k], 4);
            snprintf(what, sizeof what, "bin byte %zu <- %08x", at - bin, odd[k]);
            try_bytes(glb, size, what, &err);
            memcpy(glb + at, before, 4);
        }
    free(glb);
}

static void random_bytes(const unsigned char *bytes, size_t size, int files, uint32_t seed)
{
    unsigned char *copy = malloc(size);
    PeltError err;
    for (int i = 0; i < files; i++) {
        char what[60];
        memcpy(copy, bytes, size);
        uint32_t random = seed + (uint32_t)i;
        int flips = 1 + (int)(next_random(&random) % 8);
        for (int k = 0; k < flips; k++) {
            size_t area = k % 2 && size > 2000 ? 2000 : size; // headers and JSON more often than the rest
            copy[next_random(&random) % area] = (unsigned char)next_random(&random);
        }
        snprintf(what, sizeof what, "random bytes, seed %u", seed + (uint32_t)i);
        try_bytes(copy, size, what, &err);
    }
    free(copy);
}

static void noise(void **state)
{
    (void)state;
    static const TinyOptions kinds[] = {
        {0}, {.sparse = true}, {.quantised = true}, {.two_sets = true, .strided = true}, {.matrices = true}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t size;
        unsigned char *glb = tiny_glb(tiny_make(kinds[i]), &size);
        random_bytes(glb, size, 60, (uint32_t)(1000 * i));
        free(glb);
    }
}

static void spoilt_real_characters(void **state)
{
    (void)state;
    static const char *const names[] = {"RiggedSimple.glb", "RiggedFigure.glb", "SimpleSkin.gltf", "cylinder2.glb",
                                        "RecursiveSkeletons.glb"};
    int found = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = shared_file(names[i]);
        FILE *file = path ? fopen(path, "rb") : NULL;
        if (!file)
            continue;
        found++;
        fseek(file, 0, SEEK_END);
        size_t size = (size_t)ftell(file);
        rewind(file);
        unsigned char *bytes = malloc(size);
        assert_int_equal(fread(bytes, 1, size, file), size);
        fclose(file);
        random_bytes(bytes, size, 20, (uint32_t)(77 * i));
        for (int k = 1; k < 12; k++) {
            PeltError err;
            try_bytes(bytes, size * (size_t)k / 12, "cut off", &err);
        }
        free(bytes);
    }
    if (!found)
        skip();
}

// ---- cases with a name: what exactly is said

/// The tiny document with `from` replaced by `to` (once) in its JSON; returns the status.
static PeltStatus try_replaced(TinyOptions options, const char *from, const char *to, PeltError *err)
{
    TinyGltf *t = tiny_make(options);
    tiny_print(t->json, sizeof t->json, &t->json_size, "\"buffers\":[{\"byteLength\":%zu}]}", t->bin_size);
    char *place = strstr(t->json, from);
    if (!place)
        fail_msg("no %s in the tiny document", from);
    size_t room = t->json_size + strlen(to) + 1, used = 0, size;
    char *json = calloc(1, room);
    tiny_print(json, room, &used, "%.*s%s%s", (int)(place - t->json), t->json, to, place + strlen(from));
    unsigned char *glb = tiny_pack(json, used, t->bin, t->bin_size, &size);
    PeltStatus status = try_bytes(glb, size, to, err);
    free(glb);
    free(json);
    free(t);
    return status;
}

static void refused(const char *from, const char *to, const char *story)
{
    PeltError err;
    assert_int_equal(try_replaced((TinyOptions){0}, from, to, &err), PELT_BAD_INPUT);
    if (!strstr(err.text, story))
        fail_msg("\"%s\" does not say \"%s\"", err.text, story);
}

static void malformed_files_say_what_and_where(void **state)
{
    (void)state;
    refused("\"type\":\"VEC3\",\"count\":54", "\"type\":\"VEC3\",\"count\":2000000", "accessor 0: ");
    refused("\"type\":\"VEC3\",\"count\":54", "\"type\":\"VEC3\",\"count\":55",
            "accessor 0: 12 bytes past the end of bufferView 0");
    refused("\"byteOffset\":0,\"byteLength\":648", "\"byteOffset\":9007199254740992,\"byteLength\":648",
            "past the end of buffer 0");
    refused("\"byteLength\":648", "\"byteLength\":648000", "bufferView 0: ");
    refused("\"children\":[3]", "\"children\":[1]", "cycle");
    refused("\"children\":[3]", "\"children\":[2]", "node 2: is its own child");
    refused("\"children\":[3]", "\"children\":[3,3]", "node 3: has two parents");
    refused("\"children\":[3]", "\"children\":[9]", "nodes[2].children[0]: there is no node 9");
    refused("\"joints\":[1,2]", "\"joints\":[]", "skin 0: has no joints");
    refused("\"joints\":[1,2]", "\"joints\":[1,2,3]", "skin 0: 3 joints but 2 inverse bind matrices");
    refused("\"joints\":[1,2]", "\"joints\":[1]", "joint 1, of 1 joints in skin 0");
    refused("\"version\":\"2.0\"", "\"vrsion\":\"2.0\"", "asset.version: missing");
    refused("\"POSITION\":0", "\"POSITION\":77", "meshes[0].primitives[0].attributes.POSITION: there is no accessor 77");
    refused("\"scene\":0", "\"scene\":3", "there is no scene 3");
    refused("\"nodes\":[0,1]", "\"nodes\":[2,3,7]", "there is no node 7");
    refused("\"mesh\":0,\"skin\":0", "\"mesh\":0,\"skin\":4", "there is no skin 4");
    refused("\"translation\":[0,1,0]", "\"translation\":[0,1e300,0]", "node 2");
    refused("\"scale\":[1,1,1]", "\"scale\":[1,1]", "nodes[1].scale: 3 numbers were expected, not 2");
    refused("\"interpolation\":\"STEP\"", "\"interpolation\":\"STAIRS\"", "STAIRS");
    refused("\"componentType\":5123", "\"componentType\":5124", "5124");
    refused("\"meshes\":[", "\"nomeshes\":[", "mesh");
    refused("\"WEIGHTS_0\"", "\"WEIGHTS_9\"", "WEIGHTS_0: missing");
}

static void oddities_are_mended_and_said(void **state)
{
    (void)state;
    PeltError err;
    assert_int_equal(try_replaced((TinyOptions){0}, "\"joints\":[1,2]", "\"joints\":[1,1]", &err), PELT_OK);
    assert_int_equal(try_replaced((TinyOptions){0}, "\"scale\":[1,1,1]", "\"scale\":[0,0,0]", &err), PELT_OK);
    assert_int_equal(try_replaced((TinyOptions){0}, "\"rotation\":[0,0,0,1]", "\"rotation\":[0,0,0,0]", &err), PELT_OK);
    assert_int_equal(try_replaced((TinyOptions){0},
                                  "\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,\"path\":\"rotation\"}}]",
                                  "\"channels\":[]", &err),
                     PELT_OK);
    assert_int_equal(try_replaced((TinyOptions){0}, "\"indices\":1", "\"mode\":5", &err), PELT_OK);
    assert_int_equal(try_replaced((TinyOptions){0}, "\"indices\":1", "\"mode\":0", &err), PELT_OK);
    assert_int_equal(try_replaced((TinyOptions){0}, "\"mesh\":0,\"skin\":0", "\"mesh\":0", &err), PELT_OK);
    assert_int_equal(try_replaced((TinyOptions){0}, "\"nodes\":[0,1]", "\"nodes\":[0]", &err), PELT_OK);
    assert_int_equal(try_replaced((TinyOptions){0}, "\"nodes\":[0,1]", "\"nodes\":[]", &err), PELT_BAD_INPUT);
}

/// All positions in one place, on one line, and every triangle a point.
static void flat_meshes_are_sound(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        TinyGltf *t = tiny_make((TinyOptions){0});
        for (int v = 0; v < TINY_TUBE && kind < 2; v++) {
            float p[3] = {kind ? (float)v : 0, 0, 0};
            memcpy(t->bin + 12 * v, p, sizeof p);
        }
        if (kind == 2)
            memset(t->bin + 12 * TINY_TUBE, 0, 6 * TINY_TUBE_TRIANGLES);
        size_t size;
        PeltError err;
        unsigned char *glb = tiny_glb(t, &size);
        assert_int_equal(try_bytes(glb, size, "flat", &err), PELT_OK);
        free(glb);
    }
}

static void singular_binds_and_repeated_keys(void **state)
{
    (void)state;
    size_t size;
    PeltError err;
    TinyGltf *t = tiny_make((TinyOptions){0});
    unsigned char *glb = tiny_glb(t, &size);
    const float upper_row[4] = {0, -1, 0, 1}, keys[3] = {0, 0.5f, 1};
    for (size_t at = 0; at + 16 <= size; at++) {
        if (!memcmp(glb + at, upper_row, sizeof upper_row)) { // the second bind matrix: all zero
            unsigned char before[64];
            memcpy(before, glb + at - 48, 64);
            memset(glb + at - 48, 0, 64);
            assert_int_equal(try_bytes(glb, size, "singular bind", &err), PELT_OK);
            memcpy(glb + at - 48, before, 64);
        }
        if (!memcmp(glb + at, keys, sizeof keys)) {
            float same[3] = {0.5f, 0.5f, 0.5f}, falling[3] = {1, 0.5f, 0};
            memcpy(glb + at, same, sizeof same);
            assert_int_equal(try_bytes(glb, size, "keys at one time", &err), PELT_OK);
            memcpy(glb + at, falling, sizeof falling);
            assert_int_equal(try_bytes(glb, size, "falling keys", &err), PELT_BAD_INPUT);
            assert_non_null(strstr(err.text, "comes before"));
            memcpy(glb + at, keys, sizeof keys);
        }
    }
    free(glb);
}

static void sparse_indices_must_rise(void **state)
{
    (void)state;
    TinyGltf *t = tiny_make((TinyOptions){.sparse = true});
    unsigned char *index = t->bin + TINY_TUBE * 12; // 27, 28, ...
    assert_int_equal(index[1], index[0] + 1);
    index[0] = index[1];
    size_t size;
    unsigned char *glb = tiny_glb(t, &size);
    PeltError err;
    assert_int_equal(try_bytes(glb, size, "sparse", &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "sparse index 1 (28) does not rise"));
    free(glb);
}

/// Little text that asks for much: instances by the thousand, counts without data, chains of nodes.
static void swollen_files_are_bounded(void **state)
{
    (void)state;
    PeltError err;
    size_t room = 8u << 20, used = 0, size;
    char *json = malloc(room);
    TinyGltf *t = tiny_make((TinyOptions){0});
    // 60 000 nodes that show the tube: more points than such a file may have
    tiny_print(json, room, &used, "{\"asset\":{\"version\":\"2.0\"},\"bufferViews\":[%s],\"accessors\":[%s],", t->views,
               t->accessors);
    tiny_print(json, room, &used, "\"buffers\":[{\"byteLength\":%zu}],", t->bin_size);
    tiny_print(json, room, &used, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"nodes\":[");
    for (int i = 0; i < 60000; i++)
        tiny_print(json, room, &used, "%s{\"mesh\":0}", i ? "," : "");
    tiny_print(json, room, &used, "]}");
    unsigned char *glb = tiny_pack(json, used, t->bin, t->bin_size, &size);
    assert_int_equal(try_bytes(glb, size, "instances", &err), PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "more than a file of this size"));
    free(glb);
    // a chain of 20 000 nodes, all of them joints
    used = 0;
    tiny_print(json, room, &used, "{\"asset\":{\"version\":\"2.0\"},\"bufferViews\":[%s],\"accessors\":[%s],", t->views,
               t->accessors);
    tiny_print(json, room, &used, "\"buffers\":[{\"byteLength\":%zu}],", t->bin_size);
    tiny_print(
        json, room, &used,
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],\"nodes\":[{\"mesh\":0,\"skin\":0}");
    for (int i = 1; i <= 20000; i++)
        tiny_print(json, room, &used, i < 20000 ? ",{\"children\":[%d]}" : ",{}", i + 1);
    tiny_print(json, room, &used, "],\"skins\":[{\"joints\":[1");
    for (int i = 2; i <= 20000; i++)
        tiny_print(json, room, &used, ",%d", i);
    tiny_print(json, room, &used, "]}]}");
    glb = tiny_pack(json, used, t->bin, t->bin_size, &size);
    assert_int_equal(try_bytes(glb, size, "chain", &err), PELT_OK);
    free(glb);
    free(json);
    free(t);
    assert_int_equal(try_replaced((TinyOptions){0},
                                  "\"bufferView\":0,\"byteOffset\":0,\"componentType\":5126,\"type\":\"VEC3\",\"count\":54",
                                  "\"componentType\":5126,\"type\":\"VEC3\",\"count\":2147483647", &err),
                     PELT_BAD_INPUT);
    assert_non_null(strstr(err.text, "without data"));
}

static int print_totals(void **state)
{
    (void)state;
    printf("hostile files: %d: %d sound, %d refused as malformed, %d unsupported; slowest %.0f ms, most memory %.1f MB\n",
           g_totals.files, g_totals.sound, g_totals.bad_input, g_totals.unsupported, g_totals.slowest_ms,
           (double)g_totals.most_bytes / 1e6);
    return g_totals.files >= 300 && g_totals.slowest_ms < 20000 ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(truncated_files),
        cmocka_unit_test(every_value_spoilt),
        cmocka_unit_test(spoilt_numbers),
        cmocka_unit_test(noise),
        cmocka_unit_test(spoilt_real_characters),
        cmocka_unit_test(malformed_files_say_what_and_where),
        cmocka_unit_test(oddities_are_mended_and_said),
        cmocka_unit_test(flat_meshes_are_sound),
        cmocka_unit_test(singular_binds_and_repeated_keys),
        cmocka_unit_test(sparse_indices_must_rise),
        cmocka_unit_test(swollen_files_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, print_totals);
}
