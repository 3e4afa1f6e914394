/// Refuses the n-th allocation, for every n until reading succeeds: each time a clean failure and nothing left behind.
#include "check.h"
#include "io/gltf.h"
#include "tiny_gltf.h"

typedef struct Miser {
    int left;   ///< allocations still granted; < 0: all
    int living; ///< blocks not freed yet
    int asked;
} Miser;

static void *miser_alloc(size_t bytes, void *user)
{
    Miser *miser = user;
    miser->asked++;
    if (miser->left == 0)
        return NULL;
    miser->left -= miser->left > 0;
    miser->living++;
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}

static void miser_free(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    ((Miser *)user)->living--;
    free(memory);
}

static PeltStatus read_with(Miser *miser, const void *bytes, size_t size, PeltError *err)
{
    PeltAllocator allocator = {miser_alloc, miser_free, miser};
    PeltiGltf *doc = NULL;
    PeltiCharacter *who = NULL;
    *err = (PeltError){0};
    PeltStatus status = pelti_gltf_open_memory(bytes, size, NULL, &allocator, &doc, err);
    if (status == PELT_OK)
        status = pelti_gltf_character(doc, &allocator, &who, err);
    assert_true((status == PELT_OK) == (who != NULL));
    pelti_character_destroy(who);
    pelti_gltf_close(doc);
    return status;
}

static void refuse_each(const void *bytes, size_t size, const char *name)
{
    PeltError err;
    for (int n = 0; n < 100000; n++) {
        Miser miser = {.left = n};
        PeltStatus status = read_with(&miser, bytes, size, &err);
        assert_int_equal(miser.living, 0);
        if (status == PELT_OK && miser.asked <= n) { // nothing was refused
            printf("%s: %d allocations, each refused once\n", name, n);
            assert_true(n > 5);
            return;
        }
        if (status != PELT_OK) { // a warning may be dropped for want of memory; anything else must fail as such
            assert_int_equal(status, PELT_FAILED);
            assert_non_null(strstr(err.text, "memory"));
        }
    }
    fail_msg("%s: never read", name);
}

static void tiny_characters(void **state)
{
    (void)state;
    static const TinyOptions kinds[] = {{0},
                                        {.targets = true, .sleeve = true, .bad_rows = 5},
                                        {.sparse = true, .two_sets = true},
                                        {.matrices = true},
                                        {.no_weights = true, .scale = 2}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t size;
        unsigned char *glb = tiny_glb(tiny_make(kinds[i]), &size);
        refuse_each(glb, size, "tiny.glb");
        free(glb);
        char *text = tiny_embedded(tiny_make(kinds[i]), &size);
        refuse_each(text, size, "tiny.gltf");
        free(text);
    }
}

/// Large enough that nearly every array is an allocation of its own.
static void real_characters(void **state)
{
    (void)state;
    static const char *const names[] = {"hand.glb", "makehuman-cc0-noweights.glb"};
    static unsigned char bytes[4 << 20];
    int found = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = shared_file(names[i]);
        FILE *file = path ? fopen(path, "rb") : NULL;
        if (!file)
            continue;
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        refuse_each(bytes, size, names[i]);
        found++;
    }
    if (!found)
        skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tiny_characters), cmocka_unit_test(real_characters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
