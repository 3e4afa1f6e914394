/// Opens a document: container, version, extensions.
#define _DEFAULT_SOURCE // madvise
#include "io/gltf.h"
#include "io/gltf_parts.h"

#include <string.h>
#include <sys/mman.h>

enum { GLB_MAGIC = 0x46546c67, GLB_JSON = 0x4e4f534a, GLB_BIN = 0x004e4942, GLB_HEADER = 12, GLB_CHUNK_HEADER = 8 };

static uint32_t read_u32(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/// Finds the two chunks that count; others are skipped as the format asks.
static PeltStatus read_chunks(PeltiGltf *doc, const char **json, size_t *json_size, PeltError *err)
{
    uint32_t version = read_u32(doc->file + 4), length = read_u32(doc->file + 8);
    if (version != 2)
        return PELT_FAIL(err, version == 1 ? PELT_UNSUPPORTED : PELT_BAD_INPUT,
                         "binary glTF version %u: only 2 is read (npx gltf-pipeline -i OLD.glb -o NEW.glb converts 1.0)",
                         version);
    if (length < GLB_HEADER)
        return PELT_FAIL(err, PELT_BAD_INPUT, "the header says the file has %u bytes", length);
    if (length > doc->file_size)
        return PELT_FAIL(err, PELT_BAD_INPUT, "the file is cut off: its header says %u bytes, it has %zu", length,
                         doc->file_size);
    for (size_t at = GLB_HEADER; length - at >= GLB_CHUNK_HEADER;) {
        size_t size = read_u32(doc->file + at), kind = read_u32(doc->file + at + 4);
        const unsigned char *data = doc->file + at + GLB_CHUNK_HEADER;
        if (size > length - at - GLB_CHUNK_HEADER)
            return PELT_FAIL(err, PELT_BAD_INPUT, "chunk at byte %zu: %zu bytes past the end of the file", at,
                             size - (length - at - GLB_CHUNK_HEADER));
        if (!*json && kind != GLB_JSON)
            return PELT_FAIL(err, PELT_BAD_INPUT, "chunk at byte %zu: the first chunk must be JSON", at);
        if (!*json) {
            *json = (const char *)data;
            *json_size = size;
        } else if (kind == GLB_BIN && !doc->bin) {
            doc->bin = data;
            doc->bin_size = size;
        }
        at += GLB_CHUNK_HEADER + size;
    }
    return *json ? PELT_OK : PELT_FAIL(err, PELT_BAD_INPUT, "a binary glTF without a JSON chunk");
}

/// Extensions that leave points, nodes and clips as they are, so that a file that requires them can be read all the same.
static bool harmless(const char *name)
{
    static const char *const known[] = {"KHR_mesh_quantization",
                                        "KHR_texture_transform",
                                        "KHR_texture_basisu",
                                        "KHR_lights_punctual",
                                        "KHR_xmp",
                                        "KHR_xmp_json_ld",
                                        "EXT_texture_webp",
                                        "EXT_texture_avif",
                                        "MSFT_texture_dds",
                                        "MSFT_packing_normalRoughnessMetallic",
                                        "EXT_lights_image_based"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i]))
            return true;
    return !strncmp(name, "KHR_materials_", 14);
}

bool pelti_gltf_is_packing(const char *name)
{
    return !strcmp(name, "KHR_draco_mesh_compression") || !strcmp(name, "EXT_meshopt_compression") ||
           !strcmp(name, "KHR_meshopt_compression");
}

static PeltStatus check_extensions(const PeltiGltf *doc, const PeltiJsonAt *root, PeltError *err)
{
    PeltiJsonAt list = pelti_json_member(root, "extensionsRequired");
    int count;
    PELT_TRY(pelti_json_array(&list, PELTI_OPTIONAL, &count, err));
    for (int i = 0; i < count; i++) {
        PeltiJsonAt item = pelti_json_item(&list, i);
        const char *name = NULL;
        PELT_TRY(pelti_json_string(&item, PELTI_REQUIRED, &name, err));
        bool packed = pelti_gltf_is_packing(name);
        if (harmless(name) || (packed && doc->is_packed))
            continue;
        return PELT_FAIL(err, PELT_UNSUPPORTED, "requires the extension %.80s: %s: npx @gltf-transform/cli copy IN.glb OUT.glb",
                         name, packed ? "unpack the file with" : "export without it, or try");
    }
    return PELT_OK;
}

static PeltStatus check_version(const PeltiJsonAt *root, PeltError *err)
{
    PeltiJsonAt asset = pelti_json_member(root, "asset"), version = pelti_json_member(&asset, "version"),
                least = pelti_json_member(&asset, "minVersion");
    const char *text = "", *wanted = "2.0";
    PELT_TRY(pelti_json_string(&version, PELTI_REQUIRED, &text, err));
    PELT_TRY(pelti_json_string(&least, PELTI_OPTIONAL, &wanted, err));
    if (strncmp(text, "2.", 2))
        return PELT_FAIL(err, PELT_UNSUPPORTED,
                         "glTF version %.16s: only 2.0 is read (npx gltf-pipeline -i OLD.gltf -o NEW.gltf "
                         "converts 1.0)",
                         text);
    if (strcmp(wanted, "2.0"))
        return PELT_FAIL(err, PELT_UNSUPPORTED, "needs at least glTF version %.16s: only 2.0 is read", wanted);
    return PELT_OK;
}

static PeltStatus read_document(PeltiGltf *doc, PeltError *err)
{
    const char *json = NULL;
    size_t json_size = 0;
    if (!doc->file || doc->file_size == 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "the file is empty");
    doc->is_glb = doc->file_size >= 4 && read_u32(doc->file) == GLB_MAGIC;
    if (doc->is_glb && doc->file_size < GLB_HEADER)
        return PELT_FAIL(err, PELT_BAD_INPUT, "the file is cut off: %zu bytes", doc->file_size);
    if (doc->is_glb) {
        PELT_TRY(read_chunks(doc, &json, &json_size, err));
    } else {
        json = (const char *)doc->file;
        json_size = doc->file_size;
    }
    while (json_size > 0 && json[json_size - 1] == 0) // some writers pad with zeros instead of spaces
        json_size--;
    PELT_TRY(pelti_json_parse(json, json_size, &doc->root, err));
    PeltiJsonAt root = pelti_json_root(doc->root);
    PELT_TRY(pelti_json_object(&root, PELTI_REQUIRED, err));
    PELT_TRY(check_version(&root, err));
    PELT_TRY(check_extensions(doc, &root, err));
    PELT_TRY(pelti_gltf_read_buffers(doc, err));
    return pelti_gltf_read_tables(doc, err);
}

static PeltiGltf *create(const PeltAllocator *allocator)
{
    PeltiGltf *doc = pelti_alloc(allocator, sizeof *doc);
    if (!doc)
        return NULL;
    memset(doc, 0, sizeof *doc);
    pelti_pool_init(&doc->pool, allocator);
    return doc;
}

/// Reads what `doc` has been pointed at; on failure nothing of it stays.
static PeltStatus finish_open(PeltiGltf *doc, PeltiGltf **out, PeltError *err)
{
    PeltStatus status = read_document(doc, err);
    if (status != PELT_OK) {
        pelti_gltf_close(doc);
        return status;
    }
    *out = doc;
    return PELT_OK;
}

PeltStatus pelti_gltf_open_memory(const void *bytes, size_t size, const char *folder, const PeltAllocator *allocator,
                                  PeltiGltf **out, PeltError *err)
{
    *out = NULL;
    PeltiGltf *doc = create(allocator);
    if (!doc)
        return pelti_no_memory(err, sizeof *doc);
    doc->file = bytes;
    doc->file_size = size;
    doc->folder = pelti_pool_text(&doc->pool, folder);
    if (doc->pool.failed) {
        pelti_gltf_close(doc);
        return pelti_no_memory(err, 0);
    }
    return finish_open(doc, out, err);
}

static PeltStatus open_file(const char *path, bool is_packed, const PeltAllocator *allocator, PeltiGltf **out, PeltError *err)
{
    *out = NULL;
    PeltiGltf *doc = create(allocator);
    if (!doc)
        return pelti_no_memory(err, sizeof *doc);
    doc->is_packed = is_packed;
    doc->path = pelti_pool_text(&doc->pool, path);
    const char *slash = strrchr(path, '/');
    doc->folder = pelti_pool_text(&doc->pool, slash ? path : ".");
    void *bytes = NULL;
    PeltStatus status =
        doc->pool.failed ? pelti_no_memory(err, strlen(path)) : pelti_gltf_map_file(path, &bytes, &doc->file_size, err);
    if (status != PELT_OK) {
        pelti_gltf_close(doc);
        return status;
    }
    if (slash)
        doc->folder[slash == path ? 1 : slash - path] = 0;
    doc->file = bytes;
    doc->mapped = bytes != NULL;
    return finish_open(doc, out, err);
}

PeltStatus pelti_gltf_open(const char *path, const PeltAllocator *allocator, PeltiGltf **out, PeltError *err)
{
    return open_file(path, false, allocator, out, err);
}

PeltStatus pelti_gltf_open_packed(const char *path, const PeltAllocator *allocator, PeltiGltf **out, PeltError *err)
{
    return open_file(path, true, allocator, out, err);
}

void pelti_gltf_close(PeltiGltf *doc)
{
    if (!doc)
        return;
    PeltAllocator allocator = doc->pool.allocator;
    pelti_gltf_release_buffers(doc);
    pelti_json_release(doc->root);
    if (doc->mapped)
        munmap((void *)(uintptr_t)doc->file, doc->file_size);
    pelti_pool_release(&doc->pool);
    pelti_free(&allocator, doc, sizeof *doc);
}

void pelti_gltf_forget_pages(const PeltiGltf *doc)
{
    if (doc->mapped)
        madvise((void *)(uintptr_t)doc->file, doc->file_size, MADV_DONTNEED);
    for (int b = 0; b < doc->buffer_count; b++)
        if (doc->buffers[b].map)
            madvise(doc->buffers[b].map, doc->buffers[b].map_size, MADV_DONTNEED);
}
