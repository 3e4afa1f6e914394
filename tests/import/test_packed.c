/// Compressed glTF gives the character of the plain file, bit for bit where the compression loses nothing.
#include "tiny_gltf.h"
#include "check.h"
#include "json_text.h"

#include <pelt/pelt.h>

#ifdef PELT_HAVE_MESHOPT
#include <meshoptimizer.h>
#endif
#include <unistd.h>

static const char PACKED[] = "packed-tiny.glb";

static void save(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_true(file && fwrite(bytes, 1, size, file) == size);
    fclose(file);
}

static void same_character(const PeltCharacter *a, const PeltCharacter *b)
{
    PeltCharacterInfo p = pelt_character_info(a), q = pelt_character_info(b);
    int count, other;
    assert_int_equal(p.point_count, q.point_count);
    assert_int_equal(p.joint_count, q.joint_count);
    assert_int_equal(p.influences, q.influences);
    assert_memory_equal(pelt_character_rest(a), pelt_character_rest(b), (size_t)p.point_count * 3 * sizeof(float));
    const int *s = pelt_character_triangles(a, &count), *t = pelt_character_triangles(b, &other);
    assert_int_equal(count, other);
    for (int i = 0; i < count; i++) { // the codec may turn a triangle's first corner
        int k = 0;
        while (k < 3 && t[3 * i + k] != s[3 * i])
            k++;
        for (int j = 0; j < 3; j++)
            assert_int_equal(s[3 * i + j], t[3 * i + (k + j) % 3]);
    }
}

#ifdef PELT_HAVE_MESHOPT

typedef struct Packer {
    PeltiJson *root;
    unsigned char bin[1 << 17];
    size_t used;
} Packer;

/// Packs a view of `count` elements of `stride` bytes and says so in its extension.
static void pack_view(Packer *p, const unsigned char *bin, int index, size_t count, size_t stride, bool triangles)
{
    PeltiJson *view = pelti_json_at(pelti_json_get(p->root, "bufferViews"), index);
    size_t offset = (size_t)pelti_json_int_of(pelti_json_get(view, "byteOffset"), 0);
    p->used = (p->used + 3) & ~(size_t)3;
    size_t room = sizeof p->bin - p->used, packed;
    if (triangles) {
        unsigned int corners[3000];
        for (size_t i = 0; i < count; i++)
            corners[i] = stride == 2 ? ((const uint16_t *)(const void *)(bin + offset))[i] : bin[offset + i];
        packed = meshopt_encodeIndexBuffer(p->bin + p->used, room, corners, count);
    } else {
        packed = meshopt_encodeVertexBuffer(p->bin + p->used, room, bin + offset, count, stride);
    }
    assert_true(packed > 0);
    char text[300];
    PeltiJson *extension = NULL;
    snprintf(text, sizeof text,
             "{\"EXT_meshopt_compression\":{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"byteStride\":%zu,\"count\":%zu,"
             "\"mode\":\"%s\"}}",
             p->used, packed, stride, count, triangles ? "TRIANGLES" : "ATTRIBUTES");
    assert_int_equal(pelti_json_parse(text, strlen(text), &extension, NULL), PELT_OK);
    assert_true(pelti_json_set(view, "extensions", extension));
    assert_true(pelti_json_set(view, "buffer", pelti_json_new_int(1))); // which has no bytes
    p->used += packed;
}

/// The tiny character with positions, weights, joints and the tube's triangles packed.
static void write_packed(const char *path, const unsigned char *glb)
{
    static Packer packer;
    uint32_t json_size;
    memcpy(&json_size, glb + 12, 4);
    const unsigned char *bin = glb + 28 + json_size;
    uint32_t bin_size;
    memcpy(&bin_size, glb + 20 + json_size, 4);
    memcpy(packer.bin, bin, bin_size); // what stays plain stays where it is
    packer.used = bin_size;
    assert_int_equal(pelti_json_parse((const char *)glb + 20, json_size, &packer.root, NULL), PELT_OK);
    PeltiJson *accessors = pelti_json_get(packer.root, "accessors"), *extra = NULL;
    int packed = 0;
    for (int i = 0; i < pelti_json_count(accessors); i++) {
        PeltiJson *a = pelti_json_at(accessors, i);
        const char *type = pelti_json_text_of(pelti_json_get(a, "type"));
        int component = (int)pelti_json_int_of(pelti_json_get(a, "componentType"), 0);
        size_t count = (size_t)pelti_json_int_of(pelti_json_get(a, "count"), 0);
        int view = (int)pelti_json_int_of(pelti_json_get(a, "bufferView"), -1);
        bool corners = component == 5123 && !strcmp(type, "SCALAR");
        if (count < TINY_TUBE || view < 0 || (!corners && strcmp(type, "VEC3") && strcmp(type, "VEC4")))
            continue;
        size_t width = corners ? 2 : (size_t)(type[3] - '0') * (component == 5126 ? 4 : 1);
        pack_view(&packer, bin, view, count, width, corners);
        packed++;
    }
    assert_int_equal(packed, 4);
    char text[200];
    snprintf(text, sizeof text,
             "[{\"byteLength\":%zu},{\"byteLength\":65536,\"extensions\":{\"EXT_meshopt_compression\":{\"fallback\":true}}}]",
             packer.used);
    assert_int_equal(pelti_json_parse(text, strlen(text), &extra, NULL), PELT_OK);
    assert_true(pelti_json_set(packer.root, "buffers", extra));
    static const char names[] = "[\"EXT_meshopt_compression\"]";
    assert_int_equal(pelti_json_parse(names, sizeof names - 1, &extra, NULL), PELT_OK);
    assert_true(pelti_json_set(packer.root, "extensionsRequired", extra));
    size_t size;
    PeltiArray json = json_text(packer.root, false);
    unsigned char *out = tiny_pack(json.data, json.count, packer.bin, packer.used, &size);
    pelti_array_release(&json);
    save(path, out, size);
    free(out);
    pelti_json_release(packer.root);
}

/// The same bytes under the extension's newer name: as many letters, so nothing else moves.
static void rename_extension(const char *path)
{
    static char bytes[1 << 18];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    int found = 0;
    for (size_t i = 0; i + 23 <= size; i++)
        if (!memcmp(bytes + i, "EXT_meshopt_compression", 23)) {
            memcpy(bytes + i, "KHR", 3);
            found++;
        }
    assert_int_equal(found, 6); // four views, the buffer that stands for them, and what the file requires
    save(path, bytes, size);
}

static void meshopt_files_are_the_plain_ones(void **state)
{
    (void)state;
    size_t size;
    PeltError err = {0};
    PeltCharacter *plain, *packed;
    unsigned char *glb = tiny_glb(tiny_make((TinyOptions){0}), &size);
    write_packed(PACKED, glb);
    assert_int_equal(pelt_character_load_memory(glb, size, NULL, &plain, &err), PELT_OK);
    if (pelt_character_load(PACKED, NULL, &packed, &err) != PELT_OK)
        fail_msg("%s", err.text);
    same_character(packed, plain);
    pelt_character_destroy(packed);
    rename_extension(PACKED);
    if (pelt_character_load(PACKED, NULL, &packed, &err) != PELT_OK)
        fail_msg("%s", err.text);
    same_character(packed, plain);
    pelt_character_destroy(packed);
    pelt_character_destroy(plain);
    free(glb);
}

static void damaged_packed_files_are_refused_with_a_sentence(void **state)
{
    (void)state;
    size_t size;
    unsigned char *glb = tiny_glb(tiny_make((TinyOptions){0}), &size), byte;
    write_packed(PACKED, glb);
    free(glb);
    FILE *file = fopen(PACKED, "r+b");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long end = ftell(file);
    int refused = 0;
    for (int i = 1; i <= 12; i++) {
        long at = end - 100 * i;
        PeltCharacter *who = NULL;
        PeltError err = {0};
        fseek(file, at, SEEK_SET);
        assert_int_equal(fread(&byte, 1, 1, file), 1);
        unsigned char bad = (unsigned char)~byte;
        fseek(file, at, SEEK_SET);
        assert_int_equal(fwrite(&bad, 1, 1, file), 1);
        fflush(file);
        if (pelt_character_load(PACKED, NULL, &who, &err) != PELT_OK) {
            refused++;
            assert_true(strlen(err.text) > 10);
        }
        pelt_character_destroy(who);
        fseek(file, at, SEEK_SET);
        assert_int_equal(fwrite(&byte, 1, 1, file), 1);
    }
    fclose(file);
    assert_true(refused > 0);
    unlink(PACKED);
}

#endif

/// The reader that is not there, one that crashes, one that says nothing: each a sentence, never a crash here.
static void a_helper_that_fails_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *program, *words;
        PeltStatus status;
    } cases[] = {{"/nonexistent/pelt-import", "pelt-import", PELT_UNSUPPORTED},
                 {"/bin/false", "without a word", PELT_BAD_INPUT},
                 {"./crash.sh", "another program's reader", PELT_BAD_INPUT},
                 {"/bin/true", "empty", PELT_BAD_INPUT}};
    const char *before = getenv("PELT_IMPORT");
    char *own = strdup(before ? before : "");
    save("nothing.fbx", "; FBX nothing", 13);
    save("crash.sh", "#!/bin/sh\nkill -SEGV $$\n", 24);
    assert_int_equal(system("chmod +x crash.sh"), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        PeltCharacter *who = NULL;
        PeltError err = {0};
        setenv("PELT_IMPORT", cases[i].program, 1);
        assert_int_equal(pelt_character_load("nothing.fbx", NULL, &who, &err), cases[i].status);
        assert_non_null(strstr(err.text, cases[i].words));
    }
    setenv("PELT_IMPORT", own, 1);
    free(own);
    unlink("nothing.fbx");
    unlink("crash.sh");
}

static void draco_files_are_read(void **state)
{
    (void)state;
#ifdef PELT_HAVE_DRACO
    const char *path = shared_file("corpus/CesiumMan-draco/CesiumMan-draco.gltf");
    PeltError err = {0};
    PeltCharacter *who;
    if (!path)
        skip();
    if (pelt_character_load(path, NULL, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    PeltCharacterInfo info = pelt_character_info(who);
    assert_int_equal(info.triangle_count, 4672); // as the accessors of the file say
    assert_true(info.closed && info.weights_sane);
    pelt_character_destroy(who);
#else
    lacks("this build reads no Draco");
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef PELT_HAVE_MESHOPT
        cmocka_unit_test(meshopt_files_are_the_plain_ones),
        cmocka_unit_test(damaged_packed_files_are_refused_with_a_sentence),
#endif
        cmocka_unit_test(a_helper_that_fails_is_told),
        cmocka_unit_test(draco_files_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
