/// Hashes: of files, remembered by size, time and inode, and of all that an entry's result depends on.
#define XXH_INLINE_ALL
#include "batch/batch.h"

#include "io/json.h"
#include "tools/build_key.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

PeltiFingerprint pelti_fingerprint_bytes(PeltiFingerprint seed, const void *bytes, size_t size)
{
    XXH128_hash_t hash = XXH3_128bits_withSeed(bytes, size, seed.high ^ (seed.low * 0x9E3779B97F4A7C15ull));
    return (PeltiFingerprint){hash.high64, hash.low64};
}

void pelti_fingerprint_text(PeltiFingerprint hash, char text[33])
{
    snprintf(text, 33, "%016llx%016llx", (unsigned long long)hash.high, (unsigned long long)hash.low);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const PeltiBatchFile *)a)->path, ((const PeltiBatchFile *)b)->path);
}

static bool unchanged(const PeltiBatchFile *a, const PeltiBatchFile *b)
{
    return a->size == b->size && a->mtime_ns == b->mtime_ns && a->inode == b->inode;
}

static PeltStatus hash_contents(const char *path, PeltiFingerprint *out, PeltError *err)
{
    char block[1 << 16];
    XXH3_state_t *state = XXH3_createState();
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = -1;
    if (!state || file < 0) {
        XXH3_freeState(state);
        return PELT_FAIL(err, PELT_IO, "%s: %s", path, strerror(errno));
    }
    XXH3_128bits_reset(state);
    while ((size = read(file, block, sizeof block)) > 0)
        XXH3_128bits_update(state, block, (size_t)size);
    int problem = errno;
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    close(file);
    *out = (PeltiFingerprint){hash.high64, hash.low64};
    return size < 0 ? PELT_FAIL(err, PELT_IO, "%s: %s", path, strerror(problem)) : PELT_OK;
}

PeltStatus pelti_fingerprint_file(PeltiBatch *batch, const char *path, PeltiBatchFile *out, PeltError *err)
{
    struct stat facts;
    *out = (PeltiBatchFile){.path = path, .size = -1};
    if (stat(path, &facts) != 0)
        return PELT_FAIL(err, PELT_IO, "%s: %s", path, strerror(errno));
    out->size = facts.st_size;
    out->mtime_ns = (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec;
    out->inode = (int64_t)facts.st_ino;
    const PeltiBatchFile *known =
        batch->files.count ? bsearch(out, batch->files.data, batch->files.count, sizeof *out, by_path) : NULL;
    PeltiBatchFile *recent = &batch->recent[XXH3_64bits(path, strlen(path)) % (sizeof batch->recent / sizeof *batch->recent)];
    if (known && unchanged(known, out)) {
        out->hash = known->hash;
        return PELT_OK;
    }
    if (recent->path && !strcmp(recent->path, path) && unchanged(recent, out)) {
        out->hash = recent->hash;
        return PELT_OK;
    }
    PELT_TRY(hash_contents(path, &out->hash, err));
    const char *kept = recent->path && !strcmp(recent->path, path) ? recent->path : pelti_pool_text(&batch->pool, path);
    *recent = *out;
    recent->path = kept;
    return PELT_OK;
}

// ---- what an input refers to ----

typedef struct Mentions {
    PeltiBatch *batch;
    const char *path; // of the text that mentions
    PeltiFingerprint hash;
} Mentions;

/// A text of a .gltf, a rig or a scene that names a file beside it: that file is an input as well.
static PeltStatus take_mention(Mentions *in, const char *text, PeltError *err)
{
    char path[4096];
    struct stat facts;
    const char *slash = strrchr(in->path, '/');
    int folder = slash && text[0] != '/' ? (int)(slash - in->path) + 1 : 0;
    if (!*text || strlen(text) > 1000 || !strncmp(text, "data:", 5))
        return PELT_OK;
    snprintf(path, sizeof path, "%.*s%s", folder, in->path, text);
    if (stat(path, &facts) != 0 || !S_ISREG(facts.st_mode))
        return PELT_OK;
    PeltiBatchFile file;
    PELT_TRY(pelti_fingerprint_file(in->batch, path, &file, err));
    in->hash = pelti_fingerprint_bytes(in->hash, &file.hash, sizeof file.hash);
    return PELT_OK;
}

static PeltStatus visit(const PeltiJsonAt *at, void *user, PeltError *err)
{
    const char *text = pelti_json_text_of(at->value);
    if (text)
        return take_mention(user, text, err);
    for (int i = 0, count = pelti_json_count(at->value); i < count; i++) {
        PeltiJsonAt item = pelti_json_item(at, i);
        PELT_TRY(visit(&item, user, err));
    }
    PeltError not_an_object;
    return pelti_json_object(at, PELTI_REQUIRED, &not_an_object) == PELT_OK ? pelti_json_each(at, visit, user, err) : PELT_OK;
}

static bool is_text(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".gltf") || !strcmp(dot, ".json"));
}

static PeltStatus add_mentioned(PeltiBatch *batch, const char *path, PeltiFingerprint *hash, PeltError *err)
{
    enum { LARGEST = 256 << 20 };
    PeltError ignored;
    struct stat facts;
    PeltiJson *root = NULL;
    FILE *file = stat(path, &facts) == 0 && facts.st_size < LARGEST ? fopen(path, "rb") : NULL;
    char *text = file ? malloc((size_t)facts.st_size + 1) : NULL;
    size_t size = text ? fread(text, 1, (size_t)facts.st_size, file) : 0;
    if (file)
        fclose(file);
    Mentions in = {batch, path, *hash};
    PeltStatus status = PELT_OK;
    if (text && pelti_json_parse(text, size, &root, &ignored) == PELT_OK) { // what cannot be read is the bake's to say
        PeltiJsonAt at = pelti_json_root(root);
        status = visit(&at, &in, err);
    }
    pelti_json_release(root);
    free(text);
    *hash = in.hash;
    return status;
}

/// The library's build, the options in their order, and the bytes of every input: the same key, the same result.
PeltStatus pelti_fingerprint_entry(PeltiBatch *batch, PeltiBatchEntry *entry, PeltError *err)
{
    PeltiFingerprint hash = pelti_fingerprint_bytes((PeltiFingerprint){0}, pelti_tools_build, strlen(pelti_tools_build));
    for (int i = 0; i < entry->argument_count; i++)
        hash = pelti_fingerprint_bytes(hash, entry->arguments[i], strlen(entry->arguments[i]) + 1);
    for (int i = 0; i < entry->input_count; i++) {
        PeltiBatchFile file;
        PELT_TRY(pelti_fingerprint_file(batch, entry->inputs[i], &file, err));
        hash = pelti_fingerprint_bytes(hash, &file.hash, sizeof file.hash);
        if (is_text(entry->inputs[i]))
            PELT_TRY(add_mentioned(batch, entry->inputs[i], &hash, err));
    }
    entry->key = hash;
    return PELT_OK;
}
