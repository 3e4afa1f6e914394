/// A document being written: JSON edited, one buffer of pieces.
#include "io/gltf_out.h"

#include "io/gltf_parts.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

typedef struct BufferPiece {
    const void *bytes; // NULL: of the spool
    const PeltiSpool *spool;
    uint64_t from; // offset in the spool
    uint64_t size;
} BufferPiece;

typedef struct MappedFile {
    void *bytes;
    size_t size;
} MappedFile;

/// Says that memory was refused, once, at the end.
static bool note(PeltiGltfOut *out, bool good)
{
    out->ok &= good;
    return good;
}

PeltiJson *pelti_gltf_out_list(PeltiGltfOut *out, const char *name)
{
    PeltiJson *list = pelti_json_get(out->root, name);
    if (!list) {
        note(out, pelti_json_set(out->root, name, pelti_json_new_array()));
        list = pelti_json_get(out->root, name);
    }
    return list;
}

int pelti_gltf_out_push(PeltiGltfOut *out, const char *name, PeltiJson *item)
{
    PeltiJson *list = pelti_gltf_out_list(out, name);
    int index = pelti_json_count(list);
    if (!list)
        pelti_json_release(item);
    note(out, list && pelti_json_push(list, item));
    return index;
}

static void pad(PeltiGltfOut *out)
{
    static const char zeros[4];
    BufferPiece piece = {.bytes = zeros, .size = -out->bytes & 3};
    if (piece.size && note(out, pelti_array_push(&out->pieces, &piece)))
        out->bytes += piece.size;
}

static uint64_t add_piece(PeltiGltfOut *out, BufferPiece piece)
{
    pad(out);
    uint64_t offset = out->bytes;
    if (piece.size && note(out, pelti_array_push(&out->pieces, &piece)))
        out->bytes += piece.size;
    return offset;
}

uint64_t pelti_gltf_out_bytes(PeltiGltfOut *out, const void *bytes, size_t size)
{
    return add_piece(out, (BufferPiece){.bytes = bytes, .size = size});
}

uint64_t pelti_gltf_out_spool(PeltiGltfOut *out, const PeltiSpool *spool, uint64_t from, uint64_t size)
{
    return add_piece(out, (BufferPiece){.spool = spool, .from = from, .size = size});
}

int pelti_gltf_out_view(PeltiGltfOut *out, uint64_t offset, uint64_t size, int stride, int target)
{
    PeltiJson *view = pelti_json_new_object();
    bool ok = view && pelti_json_set(view, "buffer", pelti_json_new_int(0));
    ok = ok && pelti_json_set(view, "byteOffset", pelti_json_new_int((int64_t)offset));
    ok = ok && pelti_json_set(view, "byteLength", pelti_json_new_int((int64_t)size));
    if (stride)
        ok = ok && pelti_json_set(view, "byteStride", pelti_json_new_int(stride));
    if (target)
        ok = ok && pelti_json_set(view, "target", pelti_json_new_int(target));
    note(out, ok);
    return pelti_gltf_out_push(out, "bufferViews", view);
}

PeltiJson *pelti_gltf_out_floats(const float *values, int count)
{
    PeltiJson *list = pelti_json_new_array();
    for (int i = 0; list && i < count; i++)
        if (!pelti_json_push(list, pelti_json_new_float(values[i]))) {
            pelti_json_release(list);
            return NULL;
        }
    return list;
}

static PeltiJson *sparse_part(const PeltiGltfOutAccessor *a)
{
    PeltiJson *json = pelti_json_new_object();
    bool ok = json && pelti_json_set(json, "count", pelti_json_new_int(a->sparse_count)) &&
              pelti_json_set(json, "indices", pelti_json_new_object()) && pelti_json_set(json, "values", pelti_json_new_object());
    PeltiJson *indices = pelti_json_get(json, "indices"), *values = pelti_json_get(json, "values");
    ok = ok && pelti_json_set(indices, "bufferView", pelti_json_new_int(a->sparse_index_view)) &&
         pelti_json_set(indices, "componentType", pelti_json_new_int(a->sparse_index_component)) &&
         pelti_json_set(values, "bufferView", pelti_json_new_int(a->sparse_value_view));
    if (ok)
        return json;
    pelti_json_release(json);
    return NULL;
}

int pelti_gltf_out_accessor(PeltiGltfOut *out, const PeltiGltfOutAccessor *a)
{
    PeltiJson *json = pelti_json_new_object();
    bool ok = json != NULL;
    if (a->view >= 0)
        ok = ok && pelti_json_set(json, "bufferView", pelti_json_new_int(a->view));
    if (a->offset)
        ok = ok && pelti_json_set(json, "byteOffset", pelti_json_new_int((int64_t)a->offset));
    ok = ok && pelti_json_set(json, "componentType", pelti_json_new_int(a->component));
    ok = ok && pelti_json_set(json, "count", pelti_json_new_int(a->count));
    ok = ok && pelti_json_set(json, "type", pelti_json_new_text(a->type));
    if (a->bound_count) {
        ok = ok && pelti_json_set(json, "min", pelti_gltf_out_floats(a->low, a->bound_count));
        ok = ok && pelti_json_set(json, "max", pelti_gltf_out_floats(a->high, a->bound_count));
    }
    if (a->sparse_count)
        ok = ok && pelti_json_set(json, "sparse", sparse_part(a));
    note(out, ok);
    return pelti_gltf_out_push(out, "accessors", json);
}

/// All buffers that have bytes become buffer 0; those an extension is to fill keep a place of their own behind it.
static PeltStatus merge_buffers(PeltiGltfOut *out, const PeltiGltf *doc, PeltError *err)
{
    uint64_t *start = PELTI_NEW(&out->pool, uint64_t, doc->buffer_count);
    int *index = PELTI_NEW(&out->pool, int, doc->buffer_count);
    PeltiJson *kept = pelti_json_new_array(), *old = pelti_json_get(doc->root, "buffers");
    if (!start || !index || !kept) {
        pelti_json_release(kept);
        return pelti_no_memory(err, 64);
    }
    PeltiJson *first =
        doc->buffer_count > 0 && doc->buffers[0].bytes ? pelti_json_copy(pelti_json_at(old, 0)) : pelti_json_new_object();
    if (first)
        pelti_json_remove(first, "uri");
    note(out, pelti_json_push(kept, first));
    for (int i = 0; i < doc->buffer_count; i++) {
        if (doc->buffers[i].bytes) {
            start[i] = pelti_gltf_out_bytes(out, doc->buffers[i].bytes, doc->buffers[i].size);
        } else {
            index[i] = pelti_json_count(kept);
            note(out, pelti_json_push(kept, pelti_json_copy(pelti_json_at(old, i))));
        }
    }
    for (int i = 0; i < doc->view_count; i++) {
        PeltiJson *view = pelti_json_at(pelti_json_get(out->root, "bufferViews"), i);
        int buffer = doc->views[i].buffer;
        if (buffer != index[buffer])
            note(out, pelti_json_set(view, "buffer", pelti_json_new_int(index[buffer])));
        if (start[buffer])
            note(out, pelti_json_set(view, "byteOffset", pelti_json_new_int((int64_t)(start[buffer] + doc->views[i].offset))));
    }
    note(out, pelti_json_set(out->root, "buffers", kept));
    return PELT_OK;
}

/// Kinds of picture a glTF file may hold, by how they begin.
static const char *picture_type(const unsigned char *bytes, size_t size)
{
    if (size > 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
        return "image/png";
    if (size > 3 && memcmp(bytes, "\xff\xd8\xff", 3) == 0)
        return "image/jpeg";
    if (size > 12 && memcmp(bytes, "RIFF", 4) == 0 && memcmp(bytes + 8, "WEBP", 4) == 0)
        return "image/webp";
    return size > 12 && memcmp(bytes, "\xabKTX 20\xbb", 8) == 0 ? "image/ktx2" : NULL;
}

/// A file beside the document, mapped until the result is written.
static const unsigned char *load_beside(PeltiGltfOut *out, const PeltiGltf *doc, const char *uri, size_t *size, PeltError *why)
{
    MappedFile map = {0};
    if (pelti_gltf_map_uri(doc, uri, &out->pool, &map.bytes, &map.size, why) != PELT_OK)
        return NULL;
    if (map.bytes && !pelti_array_push(&out->maps, &map)) {
        munmap(map.bytes, map.size);
        out->ok = false;
        map.bytes = NULL;
    }
    *size = map.size;
    return map.bytes;
}

static void embed_images(PeltiGltfOut *out, const PeltiGltf *doc, PeltiLog *log)
{
    PeltiJson *images = pelti_json_get(out->root, "images");
    for (int i = 0; i < pelti_json_count(images); i++) {
        PeltiJson *image = pelti_json_at(images, i);
        const char *uri = pelti_json_text_of(pelti_json_get(image, "uri"));
        if (!uri || strncmp(uri, "data:", 5) == 0)
            continue;
        size_t size = 0;
        PeltError why = {.text = "it is empty"};
        const unsigned char *bytes = load_beside(out, doc, uri, &size, &why);
        const char *type = bytes ? picture_type(bytes, size) : NULL;
        if (!type) {
            pelti_warn(log, "image-left-out", "image %d (%.60s) is not put into the result: %.140s", i, uri,
                       bytes ? "it is of no kind glTF knows" : why.text);
            continue;
        }
        int view = pelti_gltf_out_view(out, pelti_gltf_out_bytes(out, bytes, size), size, 0, 0);
        pelti_json_remove(image, "uri");
        note(out, pelti_json_set(image, "bufferView", pelti_json_new_int(view)));
        note(out, pelti_json_set(image, "mimeType", pelti_json_new_text(type)));
    }
}

/// What every document has; false: memory was refused.
static bool fill_empty(PeltiJson *root)
{
    bool ok = pelti_json_set(root, "asset", pelti_json_new_object());
    PeltiJson *asset = pelti_json_get(root, "asset");
    ok = ok && pelti_json_set(asset, "version", pelti_json_new_text("2.0"));
    ok = ok && pelti_json_set(asset, "generator", pelti_json_new_text("pelt " PELT_VERSION_STRING));
    ok = ok && pelti_json_set(root, "buffers", pelti_json_new_array());
    return ok && pelti_json_push(pelti_json_get(root, "buffers"), pelti_json_new_object());
}

PeltStatus pelti_gltf_out_begin(PeltiGltfOut *out, const PeltiGltf *doc, const PeltAllocator *allocator, PeltiLog *log,
                                PeltError *err)
{
    *out = (PeltiGltfOut){.ok = true};
    pelti_pool_init(&out->pool, allocator);
    pelti_array_init(&out->pieces, allocator, sizeof(BufferPiece));
    pelti_array_init(&out->maps, allocator, sizeof(MappedFile));
    out->root = doc ? pelti_json_copy(doc->root) : pelti_json_new_object();
    if (!out->root || (!doc && !fill_empty(out->root)))
        return pelti_no_memory(err, 0);
    if (!doc)
        return PELT_OK;
    PELT_TRY(merge_buffers(out, doc, err));
    embed_images(out, doc, log);
    return PELT_OK;
}

void pelti_gltf_out_end(PeltiGltfOut *out)
{
    pelti_json_release(out->root);
    for (size_t i = 0; i < out->maps.count; i++)
        munmap(((MappedFile *)out->maps.data)[i].bytes, ((MappedFile *)out->maps.data)[i].size);
    pelti_array_release(&out->maps);
    pelti_array_release(&out->pieces);
    pelti_pool_release(&out->pool);
    *out = (PeltiGltfOut){0};
}

/// Where the buffer's bytes go: straight to the file, or as base64.
typedef struct Stream {
    PeltiFile *file;
    bool base64;
    unsigned char held[3];
    int held_count;
} Stream;

static void encode(const unsigned char *in, int count, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)in[0] << 16 | (count > 1 ? (uint32_t)in[1] << 8 : 0) | (count > 2 ? in[2] : 0);
    for (int i = 0; i < 4; i++)
        out[i] = i <= count ? digits[bits >> (18 - 6 * i) & 63] : '=';
}

static PeltStatus stream(Stream *s, const unsigned char *bytes, size_t size, PeltError *err)
{
    if (!s->base64)
        return pelti_file_write(s->file, bytes, size, err);
    char text[4096];
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        s->held[s->held_count++] = bytes[i];
        if (s->held_count < 3)
            continue;
        encode(s->held, 3, text + used);
        used += 4;
        s->held_count = 0;
        if (used == sizeof text) {
            PELT_TRY(pelti_file_write(s->file, text, used, err));
            used = 0;
        }
    }
    return pelti_file_write(s->file, text, used, err);
}

static PeltStatus stream_pieces(const PeltiGltfOut *out, Stream *s, PeltError *err)
{
    unsigned char buffer[1 << 15];
    for (size_t i = 0; i < out->pieces.count; i++) {
        const BufferPiece *piece = (const BufferPiece *)out->pieces.data + i;
        if (piece->bytes) {
            PELT_TRY(stream(s, piece->bytes, (size_t)piece->size, err));
            continue;
        }
        for (uint64_t at = 0; at < piece->size; at += sizeof buffer) {
            size_t count = piece->size - at < sizeof buffer ? (size_t)(piece->size - at) : sizeof buffer;
            PELT_TRY(pelti_spool_read(piece->spool, piece->from + at, buffer, count, err));
            PELT_TRY(stream(s, buffer, count, err));
        }
    }
    if (s->held_count == 0)
        return PELT_OK;
    char text[4];
    encode(s->held, s->held_count, text);
    return pelti_file_write(s->file, text, 4, err);
}

static PeltStatus write_word(PeltiFile *file, uint32_t word, PeltError *err)
{
    unsigned char bytes[4] = {(unsigned char)word, (unsigned char)(word >> 8), (unsigned char)(word >> 16),
                              (unsigned char)(word >> 24)};
    return pelti_file_write(file, bytes, 4, err);
}

static PeltStatus write_glb(PeltiGltfOut *out, PeltiFile *file, const PeltiArray *text, PeltError *err)
{
    uint64_t json = ((uint64_t)text->count + 3) & ~(uint64_t)3, total = 12 + 8 + json + (out->bytes ? 8 + out->bytes : 0);
    if (total > UINT32_MAX)
        return PELT_FAIL(err, PELT_UNSUPPORTED,
                         "the result has %llu bytes and a .glb ends at 4 GiB: write fewer frames or targets, or a .pc2",
                         (unsigned long long)total);
    const uint32_t head[5] = {0x46546C67, 2, (uint32_t)total, (uint32_t)json, 0x4E4F534A}; // "glTF", "JSON"
    for (int i = 0; i < 5; i++)
        PELT_TRY(write_word(file, head[i], err));
    PELT_TRY(pelti_file_write(file, text->data, text->count, err));
    PELT_TRY(pelti_file_write(file, "   ", (size_t)(json - text->count), err));
    if (!out->bytes)
        return PELT_OK;
    PELT_TRY(write_word(file, (uint32_t)out->bytes, err));
    PELT_TRY(write_word(file, 0x004E4942, err)); // "BIN"
    return stream_pieces(out, &(Stream){.file = file}, err);
}

static bool print_anew(PeltiGltfOut *out, bool pretty, PeltiArray *text)
{
    text->count = 0;
    return pelti_json_print(out->root, pretty, text) && out->ok;
}

/// In the text of a .gltf a word that occurs nowhere else stands for the buffer, whose bytes are streamed in its place.
static PeltStatus write_text(PeltiGltfOut *out, PeltiFile *file, PeltiArray *text, PeltError *err)
{
    char word[40] = "";
    bool ok = print_anew(out, true, text);
    for (int n = 0; ok && (!word[0] || strstr(text->data, word)); n++)
        snprintf(word, sizeof word, "@pelt buffer %d@", n);
    if (out->bytes) {
        PeltiJson *first = pelti_json_at(pelti_json_get(out->root, "buffers"), 0);
        note(out, pelti_json_set(first, "uri", pelti_json_new_text(word)));
        ok = ok && print_anew(out, true, text);
    }
    const char *place = ok && out->bytes ? strstr(text->data, word) : NULL;
    if (!ok || (out->bytes && !place))
        return pelti_no_memory(err, text->count);
    if (!place)
        return pelti_file_write(file, text->data, text->count, err);
    static const char scheme[] = "data:application/octet-stream;base64,";
    PELT_TRY(pelti_file_write(file, text->data, (size_t)(place - text->data), err));
    PELT_TRY(pelti_file_write(file, scheme, sizeof scheme - 1, err));
    PELT_TRY(stream_pieces(out, &(Stream){.file = file, .base64 = true}, err));
    place += strlen(word);
    return pelti_file_write(file, place, text->count - (size_t)(place - text->data), err);
}

/// The one buffer's length; no buffer at all where there are no bytes.
static void finish_buffer(PeltiGltfOut *out)
{
    PeltiJson *buffers = pelti_json_get(out->root, "buffers");
    if (out->bytes == 0 && pelti_json_count(buffers) == 1)
        pelti_json_remove(out->root, "buffers");
    else
        note(out, pelti_json_set(pelti_json_at(buffers, 0), "byteLength", pelti_json_new_int((int64_t)out->bytes)));
}

PeltStatus pelti_gltf_out_write(PeltiGltfOut *out, PeltiFile *file, bool is_glb, PeltError *err)
{
    pad(out);
    finish_buffer(out);
    if (!out->ok)
        return pelti_no_memory(err, 0);
    PeltiArray text;
    pelti_array_init(&text, &out->pool.allocator, 1);
    PeltStatus status;
    if (!is_glb)
        status = write_text(out, file, &text, err);
    else
        status = print_anew(out, false, &text) ? write_glb(out, file, &text, err) : pelti_no_memory(err, text.count);
    pelti_array_release(&text);
    return status;
}
