/// What a batch remembers: hashes of files, keys of entries, lines of the manifest, and what each says of files that changed.
#define _XOPEN_SOURCE 700
#include "batch/batch.h"
#include "folder.h"

typedef struct Bench {
    PeltBatchDef def;
    PeltiBatch *batch;
    char input[300], output[300], manifest[300];
} Bench;

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void open_bench(Bench *b)
{
    b->def = pelt_batch_def_default();
    b->batch = calloc(1, sizeof *b->batch);
    b->batch->def = &b->def;
    pelti_pool_init(&b->batch->pool, NULL);
    pelti_array_init(&b->batch->entries, NULL, sizeof(PeltiBatchEntry));
    pelti_array_init(&b->batch->files, NULL, sizeof(PeltiBatchFile));
    pelti_array_init(&b->batch->records, NULL, sizeof(PeltiBatchRecord));
    b->batch->folder = folder_path;
    b->batch->manifest = b->batch->own = b->manifest;
}

static void close_bench(Bench *b)
{
    pelti_array_release(&b->batch->entries);
    pelti_array_release(&b->batch->files);
    pelti_array_release(&b->batch->records);
    pelti_pool_release(&b->batch->pool);
    free(b->batch);
}

static void make_bench(Bench *b)
{
    memset(b, 0, sizeof *b);
    snprintf(b->input, sizeof b->input, "%s", at("in.glb"));
    snprintf(b->output, sizeof b->output, "%s", at("out.pc2"));
    snprintf(b->manifest, sizeof b->manifest, "%s", at("jobs.manifest"));
    put(b->input, "a character");
    open_bench(b);
}

static PeltiBatchEntry entry_of(Bench *b)
{
    static const char *arguments[] = {"in.glb", "--method", "lbs", NULL};
    static const char *outputs[1];
    outputs[0] = b->output;
    PeltiBatchEntry entry = {.arguments = arguments,
                             .argument_count = 3,
                             .inputs = {b->input},
                             .input_count = 1,
                             .outputs = outputs,
                             .output_count = 1,
                             .join = -1};
    PeltError err = {0};
    if (pelti_fingerprint_entry(b->batch, &entry, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return entry;
}

static bool same(PeltiFingerprint a, PeltiFingerprint b)
{
    return a.high == b.high && a.low == b.low;
}

static void fingerprints_tell_bytes_and_seeds_apart(void **state)
{
    (void)state;
    PeltiFingerprint none = {0, 0}, a = pelti_fingerprint_bytes(none, "pelt", 4), b = pelti_fingerprint_bytes(none, "pelu", 4);
    char text[33];
    assert_true(same(a, pelti_fingerprint_bytes(none, "pelt", 4)));
    assert_false(same(a, b));
    assert_false(same(a, pelti_fingerprint_bytes(a, "pelt", 4)));
    pelti_fingerprint_text((PeltiFingerprint){0x0123456789abcdefull, 0xfull}, text);
    assert_string_equal(text, "0123456789abcdef000000000000000f");
}

static void a_key_depends_on_what_is_read_and_what_is_asked(void **state)
{
    (void)state;
    Bench b;
    make_bench(&b);
    PeltiBatchEntry first = entry_of(&b), again = entry_of(&b);
    assert_true(same(first.key, again.key));
    const char *others[] = {"in.glb", "--method", "dqs", NULL};
    PeltError err = {0};
    again.arguments = others;
    assert_int_equal(pelti_fingerprint_entry(b.batch, &again, &err), PELT_OK);
    assert_false(same(first.key, again.key));
    put(b.input, "another one");
    assert_false(same(first.key, entry_of(&b).key));
    remove(b.input);
    assert_int_equal(pelti_fingerprint_entry(b.batch, &again, &err), PELT_IO);
    close_bench(&b);
}

static void an_entry_is_done_while_its_files_are_what_they_were(void **state)
{
    (void)state;
    Bench b;
    PeltError err = {0};
    make_bench(&b);
    PeltiBatchEntry entry = entry_of(&b);
    put(b.output, "baked frames");
    assert_int_equal(pelti_manifest_add(b.batch, &entry, &err), PELT_OK);
    FILE *cut = fopen(b.manifest, "ab"); // a line that was cut off in the middle is skipped
    fputs("{\"key\": \"12", cut);
    fclose(cut);
    for (int round = 0; round < 4; round++) {
        close_bench(&b);
        open_bench(&b);
        assert_int_equal(pelti_manifest_read(b.batch, &err), PELT_OK);
        assert_int_equal(b.batch->records.count, 1);
        PeltiBatchEntry other = entry;
        other.key.low ^= 1;
        assert_false(pelti_manifest_done(b.batch, &other));
        assert_int_equal(pelti_manifest_done(b.batch, &entry), round < 2);
        if (round == 0)
            put(b.output, "baked frames"); // copied: another time, the same bytes
        else if (round == 1)
            put(b.output, "baked fRames"); // the same size, other bytes
        else
            put(b.output, "baked");
    }
    close_bench(&b);
}

static void parts_of_shards_are_read_and_merged_into_one(void **state)
{
    (void)state;
    Bench b;
    PeltError err = {0};
    char part[320];
    make_bench(&b);
    PeltiBatchEntry entry = entry_of(&b), second = entry;
    put(b.output, "baked frames");
    snprintf(part, sizeof part, "%s.part-1-2", b.manifest);
    assert_int_equal(pelti_manifest_add(b.batch, &entry, &err), PELT_OK);
    b.batch->own = part;
    second.key.low ^= 1;
    assert_int_equal(pelti_manifest_add(b.batch, &second, &err), PELT_OK);
    assert_int_equal(access(part, F_OK), 0);
    assert_int_equal(pelti_manifest_merge(b.batch, &err), PELT_OK);
    assert_int_not_equal(access(part, F_OK), 0);
    close_bench(&b);
    open_bench(&b);
    assert_int_equal(pelti_manifest_read(b.batch, &err), PELT_OK);
    assert_int_equal(b.batch->records.count, 2);
    assert_true(pelti_manifest_done(b.batch, &entry) && pelti_manifest_done(b.batch, &second));
    close_bench(&b);
}

static void paths_are_taken_from_the_jobs_folder(void **state)
{
    (void)state;
    Bench b;
    make_bench(&b);
    assert_string_equal(pelti_batch_path(b.batch, "in.glb"), b.input);
    assert_string_equal(pelti_batch_path(b.batch, "/elsewhere/in.glb"), "/elsewhere/in.glb");
    assert_string_equal(pelti_batch_format(b.batch, "%d-%s", 7, "x"), "7-x");
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingerprints_tell_bytes_and_seeds_apart),
        cmocka_unit_test_setup_teardown(a_key_depends_on_what_is_read_and_what_is_asked, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(an_entry_is_done_while_its_files_are_what_they_were, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(parts_of_shards_are_read_and_merged_into_one, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(paths_are_taken_from_the_jobs_folder, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
