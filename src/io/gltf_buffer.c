/// Buffers of a document: the chunk of a .glb, mapped files, data URIs.
#define _XOPEN_SOURCE 700 // realpath
#include "io/gltf.h"
#include "io/gltf_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

PeltStatus pelti_gltf_map_file(const char *path, void **bytes, size_t *size, PeltError *err)
{
    *bytes = NULL;
    *size = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe must not make us wait
    if (file < 0)
        return PELT_FAIL(err, PELT_IO, "cannot open %.300s: %s", path, strerror(errno));
    struct stat facts = {0};
    PeltStatus status = PELT_OK;
    if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
        status = PELT_FAIL(err, PELT_IO, "cannot read %.300s: %s", path,
                           S_ISDIR(facts.st_mode) ? "it is a folder" : "it is not a regular file");
    } else if (facts.st_size > 0) {
        void *map = mmap(NULL, (size_t)facts.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (map == MAP_FAILED) {
            status = PELT_FAIL(err, PELT_IO, "cannot map %.300s: %s", path, strerror(errno));
        } else {
            *bytes = map;
            *size = (size_t)facts.st_size;
        }
    }
    close(file);
    return status;
}

static int hex_value(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Undoes %41 in place; returns the new length. A lone % stays.
static size_t percent_decode(char *text, size_t length)
{
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '%' && i + 2 < length && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
            text[used++] = (char)(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
            i += 2;
        } else {
            text[used++] = text[i];
        }
    }
    return used;
}

static int base64_value(unsigned char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/// Decodes to `out`, which has room for three bytes for every four characters. False: not base64.
static bool base64_decode(const char *text, size_t length, unsigned char *out, size_t *size)
{
    signed char table[256];
    for (int c = 0; c < 256; c++)
        table[c] = (signed char)base64_value((unsigned char)c);
    uint32_t bits = 0;
    int held = 0;
    *size = 0;
    while (length > 0 && text[length - 1] == '=')
        length--;
    for (size_t i = 0; i < length; i++) {
        int value = table[(unsigned char)text[i]];
        if (value < 0)
            return false;
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out[(*size)++] = (unsigned char)(bits >> held);
        }
    }
    return length % 4 != 1;
}

static PeltStatus read_data_uri(PeltiGltf *doc, int index, const char *uri, PeltiGltfBuffer *buffer, size_t *have, PeltError *err)
{
    const char *comma = strchr(uri, ',');
    if (!comma)
        return PELT_FAIL(err, PELT_BAD_INPUT, "buffer %d: a data URI without a comma", index);
    size_t length = strlen(comma + 1);
    bool base64 = comma - uri >= 7 && memcmp(comma - 7, ";base64", 7) == 0;
    unsigned char *bytes = PELTI_NEW(&doc->pool, unsigned char, base64 ? length / 4 * 3 + 3 : length + 1);
    if (!bytes)
        return pelti_no_memory(err, length);
    buffer->bytes = bytes;
    if (base64)
        return base64_decode(comma + 1, length, bytes, have)
                   ? PELT_OK
                   : PELT_FAIL(err, PELT_BAD_INPUT, "buffer %d: its data URI is not base64", index);
    memcpy(bytes, comma + 1, length);
    *have = percent_decode((char *)bytes, length);
    return PELT_OK;
}

/// Relative, and no step up: what is asked of every name in a file from a stranger.
static bool stays_below(const char *name)
{
    if (!*name || *name == '/')
        return false;
    size_t scheme = strcspn(name, ":/");
    if (name[scheme] == ':') // "file:", "http:"
        return false;
    for (const char *step = name; step; step = strchr(step, '/')) {
        step += *step == '/';
        if (!strncmp(step, "..", 2) && (step[2] == '/' || !step[2]))
            return false;
    }
    return true;
}

PeltStatus pelti_gltf_map_uri(const PeltiGltf *doc, const char *uri, PeltiPool *pool, void **bytes, size_t *size, PeltError *err)
{
    size_t length = strlen(uri);
    char *name = pelti_pool_text(pool, uri);
    if (!name)
        return pelti_no_memory(err, length);
    length = percent_decode(name, length);
    name[length] = 0;
    if (memchr(name, 0, length) || !stays_below(name))
        return PELT_FAIL(err, PELT_BAD_INPUT, "\"%.200s\" is not a file below the folder of the glTF file", uri);
    if (!doc->folder)
        return PELT_FAIL(err, PELT_BAD_INPUT, "lies in another file (%.200s), which was not given", uri);
    char *joined = PELTI_NEW(pool, char, strlen(doc->folder) + length + 2);
    if (!joined)
        return pelti_no_memory(err, length);
    sprintf(joined, "%s/%s", doc->folder, name);
    char *folder = realpath(doc->folder, NULL), *path = folder ? realpath(joined, NULL) : NULL; // links resolved
    PeltStatus status = PELT_OK;
    size_t folder_length = folder ? strlen(folder) : 0;
    if (!path)
        status = PELT_FAIL(err, PELT_IO, "cannot open %.200s: %s", name, strerror(errno));
    else if (strncmp(path, folder, folder_length) != 0 || (path[folder_length] != '/' && strcmp(folder, "/") != 0))
        status = PELT_FAIL(err, PELT_BAD_INPUT, "%.200s is a link that leaves the folder of the glTF file", name);
    else
        status = pelti_gltf_map_file(path, bytes, size, err);
    free(path);
    free(folder);
    return status;
}

static PeltStatus read_file_uri(PeltiGltf *doc, int index, const char *uri, PeltiGltfBuffer *buffer, size_t *have, PeltError *err)
{
    PeltStatus status = pelti_gltf_map_uri(doc, uri, &doc->pool, &buffer->map, &buffer->map_size, err);
    if (status != PELT_OK) {
        pelti_error_prefix(err, "buffer %d", index);
        return status;
    }
    buffer->bytes = buffer->map ? buffer->map : (const void *)"";
    *have = buffer->map_size;
    return PELT_OK;
}

static PeltStatus read_buffer(PeltiGltf *doc, const PeltiJsonAt *item, int index, PeltError *err)
{
    PeltiGltfBuffer *buffer = &doc->buffers[index];
    PeltiJsonAt length = pelti_json_member(item, "byteLength"), uri_at = pelti_json_member(item, "uri");
    const char *uri = NULL;
    size_t have = 0;
    PELT_TRY(pelti_json_size(&length, PELTI_REQUIRED, &buffer->size, err));
    PELT_TRY(pelti_json_string(&uri_at, PELTI_OPTIONAL, &uri, err));
    if (!uri) {
        if (index > 0 || !doc->bin) // nothing here: only an extension could tell; reading from it fails
            return PELT_OK;
        buffer->bytes = doc->bin;
        have = doc->bin_size;
    } else if (!strncmp(uri, "data:", 5)) {
        PELT_TRY(read_data_uri(doc, index, uri, buffer, &have, err));
    } else {
        PELT_TRY(read_file_uri(doc, index, uri, buffer, &have, err));
    }
    if (buffer->size > have)
        return PELT_FAIL(err, PELT_BAD_INPUT, "buffer %d: cut off: byteLength is %zu, there are %zu bytes", index, buffer->size,
                         have);
    return PELT_OK;
}

PeltStatus pelti_gltf_read_buffers(PeltiGltf *doc, PeltError *err)
{
    PeltiJsonAt root = pelti_json_root(doc->root), list = pelti_json_member(&root, "buffers");
    int count;
    PELT_TRY(pelti_json_array(&list, PELTI_OPTIONAL, &count, err));
    doc->buffers = PELTI_NEW(&doc->pool, PeltiGltfBuffer, count);
    if (!doc->buffers)
        return pelti_no_memory(err, (size_t)count * sizeof *doc->buffers);
    doc->buffer_count = count;
    for (int i = 0; i < count; i++) {
        PeltiJsonAt item = pelti_json_item(&list, i);
        PELT_TRY(pelti_json_object(&item, PELTI_REQUIRED, err));
        PELT_TRY(read_buffer(doc, &item, i, err));
    }
    return PELT_OK;
}

void pelti_gltf_release_buffers(PeltiGltf *doc)
{
    for (int i = 0; i < doc->buffer_count; i++)
        if (doc->buffers[i].map)
            munmap(doc->buffers[i].map, doc->buffers[i].map_size);
}
