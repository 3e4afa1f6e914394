/// The manifest: a JSON object a line, one for every entry that was done, appended the moment it is.
/// What was cut off in the middle is skipped when read; of two lines with one key the later holds. Shards keep parts of it
/// beside it, merged later.
#include "batch/batch.h"

#include "io/json.h"
#include "tools/build_key.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- reading ----

static bool read_hash(const char *text, PeltiFingerprint *out)
{
    char half[17] = "";
    if (!text || strlen(text) != 32 || strspn(text, "0123456789abcdef") != 32)
        return false;
    memcpy(half, text, 16);
    out->high = strtoull(half, NULL, 16);
    out->low = strtoull(text + 16, NULL, 16);
    return true;
}

static bool read_one_file(PeltiBatch *batch, PeltiJson *json, PeltiBatchFile *out)
{
    const char *path = pelti_json_text_of(pelti_json_get(json, "path"));
    if (!path || !read_hash(pelti_json_text_of(pelti_json_get(json, "hash")), &out->hash))
        return false;
    out->path = pelti_pool_text(&batch->pool, path);
    out->size = pelti_json_int_of(pelti_json_get(json, "size"), -1);
    out->mtime_ns = pelti_json_int_of(pelti_json_get(json, "mtime_ns"), -1);
    out->inode = pelti_json_int_of(pelti_json_get(json, "inode"), -1);
    return out->path != NULL;
}

static void read_record(PeltiBatch *batch, PeltiJson *json)
{
    PeltiBatchRecord record = {0};
    PeltiJson *outputs = pelti_json_get(json, "outputs"), *inputs = pelti_json_get(json, "inputs");
    PeltiBatchFile file;
    if (!read_hash(pelti_json_text_of(pelti_json_get(json, "key")), &record.key))
        return;
    record.outputs = PELTI_NEW(&batch->pool, PeltiBatchFile, pelti_json_count(outputs));
    for (int i = 0; record.outputs && i < pelti_json_count(outputs); i++)
        if (read_one_file(batch, pelti_json_at(outputs, i), &record.outputs[record.output_count]))
            record.output_count++;
    for (int i = 0; i < pelti_json_count(inputs); i++)
        if (read_one_file(batch, pelti_json_at(inputs, i), &file))
            pelti_array_push(&batch->files, &file);
    pelti_array_push(&batch->records, &record);
}

static PeltStatus read_lines(PeltiBatch *batch, const char *path, PeltError *err)
{
    FILE *file = fopen(path, "rb");
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    if (!file)
        return errno == ENOENT ? PELT_OK : PELT_FAIL(err, PELT_IO, "%s: %s", path, strerror(errno));
    while ((size = getline(&line, &room, file)) > 0) {
        PeltiJson *json = NULL;
        PeltError cut;
        if (pelti_json_parse(line, (size_t)size, &json, &cut) == PELT_OK)
            read_record(batch, json);
        pelti_json_release(json);
    }
    free(line);
    fclose(file);
    return PELT_OK;
}

static int compare_keys(PeltiFingerprint a, PeltiFingerprint b)
{
    return a.high != b.high ? (a.high < b.high ? -1 : 1) : a.low != b.low ? (a.low < b.low ? -1 : 1) : 0;
}

static int by_key(const void *a, const void *b)
{
    return compare_keys(((const PeltiBatchRecord *)a)->key, ((const PeltiBatchRecord *)b)->key);
}

static int by_path_and_time(const void *a, const void *b)
{
    const PeltiBatchFile *p = a, *q = b;
    int order = strcmp(p->path, q->path);
    return order ? order : (p->mtime_ns > q->mtime_ns) - (p->mtime_ns < q->mtime_ns);
}

/// Of several facts about a path only the newest is kept, so that a search finds that one.
static void keep_newest(PeltiBatch *batch)
{
    PeltiBatchFile *files = (void *)batch->files.data;
    size_t kept = 0;
    qsort(files, batch->files.count, sizeof *files, by_path_and_time);
    for (size_t i = 0; i < batch->files.count; i++) {
        if (kept && !strcmp(files[kept - 1].path, files[i].path))
            kept--;
        files[kept++] = files[i];
    }
    batch->files.count = kept;
}

static PeltStatus each_part(PeltiBatch *batch, PeltStatus (*visit)(PeltiBatch *, const char *, PeltError *), PeltError *err)
{
    glob_t found = {0};
    char *pattern = pelti_batch_format(batch, "%s.part-*", batch->manifest);
    PeltStatus status = pattern ? PELT_OK : pelti_no_memory(err, 1);
    if (pattern && glob(pattern, 0, NULL, &found) == 0)
        for (size_t i = 0; status == PELT_OK && i < found.gl_pathc; i++)
            status = visit(batch, found.gl_pathv[i], err);
    globfree(&found);
    return status;
}

PeltStatus pelti_manifest_read(PeltiBatch *batch, PeltError *err)
{
    batch->records.count = batch->files.count = 0;
    PELT_TRY(read_lines(batch, batch->manifest, err));
    PELT_TRY(each_part(batch, read_lines, err));
    if (batch->records.failed || batch->files.failed || batch->pool.failed)
        return pelti_no_memory(err, batch->records.count * sizeof(PeltiBatchRecord));
    if (batch->records.count)
        qsort(batch->records.data, batch->records.count, batch->records.size, by_key);
    if (batch->files.count)
        keep_newest(batch);
    return PELT_OK;
}

// ---- judging ----

/// The file is what it was when it was made. Same size but another time or inode: copied or damaged, its bytes tell.
static bool is_whole(PeltiBatch *batch, const PeltiBatchFile *made)
{
    struct stat facts;
    PeltiBatchFile now;
    PeltError err;
    if (stat(made->path, &facts) != 0 || facts.st_size != made->size)
        return false;
    int64_t mtime = (int64_t)facts.st_mtim.tv_sec * 1000000000 + facts.st_mtim.tv_nsec;
    if (!batch->def->verify && mtime == made->mtime_ns && (int64_t)facts.st_ino == made->inode)
        return true;
    return pelti_fingerprint_file(batch, made->path, &now, &err) == PELT_OK && now.hash.high == made->hash.high &&
           now.hash.low == made->hash.low;
}

bool pelti_manifest_done(PeltiBatch *batch, const PeltiBatchEntry *entry)
{
    const PeltiBatchRecord *records = (const void *)batch->records.data;
    size_t low = 0, high = batch->records.count;
    while (low < high) { // the first of those with this key
        size_t middle = low + (high - low) / 2;
        if (compare_keys(records[middle].key, entry->key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < batch->records.count && compare_keys(records[low].key, entry->key) == 0; low++) {
        bool whole = records[low].output_count == entry->output_count;
        for (int k = 0; whole && k < records[low].output_count; k++)
            whole = is_whole(batch, &records[low].outputs[k]);
        if (whole)
            return true;
    }
    return false;
}

// ---- writing ----

static PeltiJson *file_json(const PeltiBatchFile *file)
{
    char hash[33];
    PeltiJson *json = pelti_json_new_object();
    pelti_fingerprint_text(file->hash, hash);
    bool ok = json && pelti_json_set(json, "path", pelti_json_new_text(file->path));
    ok = ok && pelti_json_set(json, "size", pelti_json_new_int(file->size));
    ok = ok && pelti_json_set(json, "mtime_ns", pelti_json_new_int(file->mtime_ns));
    ok = ok && pelti_json_set(json, "inode", pelti_json_new_int(file->inode));
    ok = ok && pelti_json_set(json, "hash", pelti_json_new_text(hash));
    if (ok)
        return json;
    pelti_json_release(json);
    return NULL;
}

static PeltStatus add_files(PeltiBatch *batch, PeltiJson *line, const char *name, const char *const *paths, int count,
                            PeltError *err)
{
    PeltiJson *list = pelti_json_new_array();
    for (int i = 0; i < count; i++) {
        PeltiBatchFile file;
        PeltStatus status = pelti_fingerprint_file(batch, paths[i], &file, err);
        if (status == PELT_OK && !pelti_json_push(list, file_json(&file)))
            status = pelti_no_memory(err, 1);
        if (status != PELT_OK) {
            pelti_json_release(list);
            return status;
        }
    }
    return pelti_json_set(line, name, list) ? PELT_OK : pelti_no_memory(err, 1);
}

static PeltStatus describe(PeltiBatch *batch, const PeltiBatchEntry *entry, PeltiJson *line, PeltError *err)
{
    char key[33];
    pelti_fingerprint_text(entry->key, key);
    PeltiJson *arguments = pelti_json_new_array();
    bool ok = arguments != NULL;
    for (int i = 0; ok && i < entry->argument_count; i++)
        ok = pelti_json_push(arguments, pelti_json_new_text(entry->arguments[i]));
    ok = pelti_json_set(line, "arguments", arguments) && ok;
    ok = ok && pelti_json_set(line, "key", pelti_json_new_text(key));
    ok = ok && pelti_json_set(line, "build", pelti_json_new_text(pelti_tools_build));
    if (!ok)
        return pelti_no_memory(err, 1);
    PELT_TRY(add_files(batch, line, "inputs", entry->inputs, entry->input_count, err));
    return add_files(batch, line, "outputs", entry->outputs, entry->output_count, err);
}

/// One write at the end of the file, under a lock: lines of several processes do not mix. A line that was cut off before gets
/// its end first.
static PeltStatus append(const char *path, const char *text, size_t size, PeltError *err)
{
    char last = '\n';
    int file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0)
        return PELT_FAIL(err, PELT_IO, "%s: %s", path, strerror(errno));
    flock(file, LOCK_EX);
    off_t end = lseek(file, 0, SEEK_END);
    bool ok = end <= 0 || pread(file, &last, 1, end - 1) == 1;
    ok = ok && (last == '\n' || write(file, "\n", 1) == 1);
    ok = ok && write(file, text, size) == (ssize_t)size;
    int problem = errno;
    if (!ok && end >= 0 && ftruncate(file, end) != 0) // half a line is skipped by readers: no harm
        problem = errno;
    close(file);
    return ok ? PELT_OK : PELT_FAIL(err, PELT_IO, "%s: %s", path, strerror(problem));
}

PeltStatus pelti_manifest_add(PeltiBatch *batch, const PeltiBatchEntry *entry, PeltError *err)
{
    PeltiJson *line = pelti_json_new_object();
    PeltStatus status = line ? describe(batch, entry, line, err) : pelti_no_memory(err, 1);
    PeltiArray text;
    pelti_array_init(&text, NULL, 1);
    if (status == PELT_OK && !(pelti_json_print(line, false, &text) && pelti_array_append(&text, "\n", 1)))
        status = pelti_no_memory(err, text.count);
    if (status == PELT_OK)
        status = append(batch->own, text.data, text.count, err);
    pelti_array_release(&text);
    pelti_json_release(line);
    return status;
}

// ---- merging ----

static PeltStatus copy_lines(const char *from, PeltiFile *to, PeltError *err)
{
    FILE *file = fopen(from, "rb");
    char *line = NULL;
    size_t room = 0;
    ssize_t size;
    PeltStatus status = PELT_OK;
    while (file && status == PELT_OK && (size = getline(&line, &room, file)) > 0)
        if (line[size - 1] == '\n')
            status = pelti_file_write(to, line, (size_t)size, err);
    free(line);
    if (file)
        fclose(file);
    return status;
}

static PeltStatus append_part(PeltiBatch *batch, const char *path, PeltError *err)
{
    return copy_lines(path, &batch->merging, err);
}

static PeltStatus remove_part(PeltiBatch *batch, const char *path, PeltError *err)
{
    (void)batch;
    return unlink(path) == 0 || errno == ENOENT ? PELT_OK : PELT_FAIL(err, PELT_IO, "%s: %s", path, strerror(errno));
}

static PeltStatus count_part(PeltiBatch *batch, const char *path, PeltError *err)
{
    (void)path;
    (void)err;
    batch->part_count++;
    return PELT_OK;
}

PeltStatus pelti_manifest_merge(PeltiBatch *batch, PeltError *err)
{
    PeltiFile *file = &batch->merging;
    batch->part_count = 0;
    PELT_TRY(each_part(batch, count_part, err));
    if (!batch->part_count)
        return PELT_OK;
    PELT_TRY(pelti_file_begin(file, batch->manifest, err));
    PeltStatus status = copy_lines(batch->manifest, file, err);
    status = status == PELT_OK ? each_part(batch, append_part, err) : status;
    if (status != PELT_OK) {
        pelti_file_abort(file);
        return status;
    }
    PELT_TRY(pelti_file_commit(file, err));
    return each_part(batch, remove_part, err);
}
