/// Compressed glTF: KHR_draco_mesh_compression a primitive, EXT_meshopt_compression (and its KHR name) a buffer view.
/// What is unpacked goes behind the file's own bytes; accessors and views are pointed there, and the extensions taken out.
#include "import.h"

#include "draco.h"

#ifdef PELT_HAVE_MESHOPT
#include <meshoptimizer.h>
#endif
#include <string.h>

typedef struct Unpack {
    const PeltiGltf *doc;
    PeltiGltfOut *out;
} Unpack;

#if !defined(PELT_HAVE_DRACO) || !defined(PELT_HAVE_MESHOPT)
static PeltStatus not_built(const char *extension, const char *package, PeltError *err)
{
    return PELT_FAIL(err, PELT_UNSUPPORTED,
                     "requires the extension %s, which this build cannot read (it was made without %s): unpack the file with "
                     "npx @gltf-transform/cli copy IN.glb OUT.glb",
                     extension, package);
}
#endif

/// Bytes that last as long as the document that is written.
static void *take(Unpack *u, size_t count, size_t size, PeltError *err)
{
    void *bytes = pelti_pool_take(&u->out->pool, count, size);
    if (!bytes)
        pelti_no_memory(err, count * size);
    return bytes;
}

#ifdef PELT_HAVE_DRACO

/// A copy of accessor `index` over `bytes`; the new accessor's index.
typedef struct Unpacked {
    int count, component;
    const void *bytes;
    size_t size;
    int target;
} Unpacked;

/// A copy of accessor `index` over other bytes; its index.
static int replace_accessor(Unpack *u, int index, Unpacked now)
{
    PeltiJson *accessor = pelti_json_copy(pelti_json_at(pelti_json_get(u->doc->root, "accessors"), index));
    int view = pelti_gltf_out_view(u->out, pelti_gltf_out_bytes(u->out, now.bytes, now.size), now.size, 0, now.target);
    bool ok = accessor != NULL;
    ok = ok && pelti_json_set(accessor, "bufferView", pelti_json_new_int(view));
    ok = ok && pelti_json_set(accessor, "componentType", pelti_json_new_int(now.component));
    ok = ok && pelti_json_set(accessor, "count", pelti_json_new_int(now.count));
    if (accessor) {
        pelti_json_remove(accessor, "byteOffset");
        pelti_json_remove(accessor, "sparse");
    }
    u->out->ok &= ok;
    return pelti_gltf_out_push(u->out, "accessors", accessor);
}

typedef struct Attributes {
    Unpack *unpack;
    const ImportDraco *mesh;
    PeltiJson *attributes; ///< of the primitive that is written
} Attributes;

static PeltStatus unpack_attribute(const PeltiJsonAt *member, void *user, PeltError *err)
{
    Attributes *a = user;
    Unpack *u = a->unpack;
    int64_t id = 0;
    PELT_TRY(pelti_json_int(member, PELTI_REQUIRED, 0, INT32_MAX, &id, err));
    int index = (int)pelti_json_int_of(pelti_json_get(a->attributes, member->key), -1);
    if (index < 0 || index >= u->doc->accessor_count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "the primitive has no attribute %.60s for the packed one", member->key);
    const PeltiGltfAccessor *accessor = &u->doc->accessors[index];
    int points = import_draco_points(a->mesh), width = pelti_gltf_component_size(accessor->type) * accessor->components;
    int padded = (width + 3) & ~3; // elements start at multiples of four
    char *packed = take(u, (size_t)points, (size_t)width, err), *values = take(u, (size_t)points, (size_t)padded, err);
    if (!packed || !values)
        return pelti_no_memory(err, (size_t)points * (size_t)padded);
    if (!import_draco_values(a->mesh, (unsigned)id, accessor->type, accessor->components, packed))
        return PELT_FAIL(err, PELT_BAD_INPUT, "the packed attribute %.60s is not what accessor %d says", member->key, index);
    for (int p = 0; p < points; p++)
        memcpy(values + (size_t)p * (size_t)padded, packed + (size_t)p * (size_t)width, (size_t)width);
    size_t size = (size_t)points * (size_t)padded;
    int fresh = replace_accessor(u, index, (Unpacked){points, accessor->type, values, size, PELTI_GLTF_VERTICES});
    PeltiJson *views = pelti_json_get(u->out->root, "bufferViews");
    u->out->ok &= pelti_json_set(pelti_json_at(views, pelti_json_count(views) - 1), "byteStride", pelti_json_new_int(padded));
    u->out->ok &= pelti_json_set(a->attributes, member->key, pelti_json_new_int(fresh));
    return PELT_OK;
}

static PeltStatus unpack_arrays(Unpack *u, const PeltiJsonAt *extension, PeltiJson *primitive, const ImportDraco *mesh,
                                PeltError *err)
{
    PeltiJsonAt names = pelti_json_member(extension, "attributes");
    Attributes attributes = {u, mesh, pelti_json_get(primitive, "attributes")};
    PELT_TRY(pelti_json_each(&names, unpack_attribute, &attributes, err));
    int index = (int)pelti_json_int_of(pelti_json_get(primitive, "indices"), -1), count = 3 * import_draco_triangles(mesh);
    uint32_t *corners = take(u, (size_t)count, sizeof *corners, err);
    if (!corners)
        return pelti_no_memory(err, (size_t)count * sizeof *corners);
    if (index < 0 || index >= u->doc->accessor_count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "a packed primitive without indices");
    import_draco_corners(mesh, corners);
    int fresh = replace_accessor(u, index,
                                 (Unpacked){count, PELTI_GLTF_U32, corners, (size_t)count * sizeof *corners, PELTI_GLTF_CORNERS});
    u->out->ok &= pelti_json_set(primitive, "indices", pelti_json_new_int(fresh));
    return PELT_OK;
}

static PeltStatus unpack_draco(Unpack *u, const PeltiJsonAt *extension, PeltiJson *primitive, PeltError *err)
{
    PeltiJsonAt view_at = pelti_json_member(extension, "bufferView");
    char why[200] = "";
    int view = 0;
    PELT_TRY(pelti_json_index(&view_at, PELTI_REQUIRED, u->doc->view_count, "bufferView", &view, err));
    const PeltiGltfView *from = &u->doc->views[view];
    if (!u->doc->buffers[from->buffer].bytes)
        return PELT_FAIL(err, PELT_BAD_INPUT, "bufferView %d: its buffer has no bytes", view);
    ImportDraco *mesh = import_draco_open(u->doc->buffers[from->buffer].bytes + from->offset, from->size, why, sizeof why);
    if (!mesh)
        return PELT_FAIL(err, PELT_BAD_INPUT, "bufferView %d: no Draco mesh: %s", view, why);
    PeltStatus status = unpack_arrays(u, extension, primitive, mesh, err);
    import_draco_close(mesh);
    return status;
}

#else

static PeltStatus unpack_draco(Unpack *u, const PeltiJsonAt *extension, PeltiJson *primitive, PeltError *err)
{
    (void)u;
    (void)extension;
    (void)primitive;
    return not_built("KHR_draco_mesh_compression", "libdraco", err);
}

#endif

static void remove_extension(PeltiJson *object, const char *name)
{
    PeltiJson *extensions = pelti_json_get(object, "extensions");
    pelti_json_remove(extensions, name);
    if (pelti_json_is_empty(extensions))
        pelti_json_remove(object, "extensions");
}

static PeltStatus unpack_meshes(Unpack *u, PeltError *err)
{
    static const char name[] = "KHR_draco_mesh_compression";
    PeltiJsonAt root = pelti_json_root(u->doc->root), meshes = pelti_json_member(&root, "meshes");
    for (int m = 0; m < u->doc->mesh_count; m++) {
        PeltiJsonAt mesh = pelti_json_item(&meshes, m), primitives = pelti_json_member(&mesh, "primitives");
        PeltiJson *written = pelti_json_get(pelti_json_at(pelti_json_get(u->out->root, "meshes"), m), "primitives");
        for (int p = 0; p < u->doc->meshes[m].primitive_count; p++) {
            PeltiJsonAt primitive = pelti_json_item(&primitives, p), all = pelti_json_member(&primitive, "extensions"),
                        extension = pelti_json_member(&all, name);
            if (!extension.value)
                continue;
            PELT_TRY(unpack_draco(u, &extension, pelti_json_at(written, p), err));
            remove_extension(pelti_json_at(written, p), name);
        }
    }
    return PELT_OK;
}

#ifdef PELT_HAVE_MESHOPT

/// A view as its extension describes it.
typedef struct PackedView {
    int buffer;
    size_t offset, size, count, stride;
    const char *mode, *filter;
} PackedView;

static PeltStatus read_packed_view(const Unpack *u, const PeltiJsonAt *extension, PackedView *v, PeltError *err)
{
    PeltiJsonAt buffer = pelti_json_member(extension, "buffer"), offset = pelti_json_member(extension, "byteOffset"),
                size = pelti_json_member(extension, "byteLength"), stride = pelti_json_member(extension, "byteStride"),
                count = pelti_json_member(extension, "count"), mode = pelti_json_member(extension, "mode"),
                filter = pelti_json_member(extension, "filter");
    *v = (PackedView){.mode = "ATTRIBUTES", .filter = "NONE"};
    PELT_TRY(pelti_json_index(&buffer, PELTI_REQUIRED, u->doc->buffer_count, "buffer", &v->buffer, err));
    PELT_TRY(pelti_json_size(&offset, PELTI_OPTIONAL, &v->offset, err));
    PELT_TRY(pelti_json_size(&size, PELTI_REQUIRED, &v->size, err));
    PELT_TRY(pelti_json_size(&stride, PELTI_REQUIRED, &v->stride, err));
    PELT_TRY(pelti_json_size(&count, PELTI_REQUIRED, &v->count, err));
    PELT_TRY(pelti_json_string(&mode, PELTI_REQUIRED, &v->mode, err));
    PELT_TRY(pelti_json_string(&filter, PELTI_OPTIONAL, &v->filter, err));
    const PeltiGltfBuffer *from = &u->doc->buffers[v->buffer];
    if (!from->bytes || v->offset > from->size || v->size > from->size - v->offset)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%zu packed bytes at %zu of buffer %d are not there", v->size, v->offset,
                         v->buffer);
    bool attributes = !strcmp(v->mode, "ATTRIBUTES");
    if (v->stride == 0 || v->stride > 256 || (attributes ? v->stride % 4 != 0 : v->stride != 2 && v->stride != 4) ||
        v->count > u->doc->point_limit * 3)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%zu packed elements of %zu bytes cannot be", v->count, v->stride);
    return PELT_OK;
}

static PeltStatus decode_view(const PackedView *v, const unsigned char *from, void *to, PeltError *err)
{
    int failed = 1;
    if (!strcmp(v->mode, "ATTRIBUTES"))
        failed = meshopt_decodeVertexBuffer(to, v->count, v->stride, from, v->size);
    else if (!strcmp(v->mode, "TRIANGLES") && v->count % 3 == 0)
        failed = meshopt_decodeIndexBuffer(to, v->count, v->stride, from, v->size);
    else if (!strcmp(v->mode, "INDICES"))
        failed = meshopt_decodeIndexSequence(to, v->count, v->stride, from, v->size);
    int known = strcmp(v->mode, "ATTRIBUTES") != 0; // version 0 for vertices, 1 for indices; the low half of the first byte tells
    if (failed && v->size && (from[0] & 0xf) > known)
        return PELT_FAIL(err, PELT_UNSUPPORTED,
                         "packed bytes (%.20s) are of version %d of the codec, which the library here does not know: unpack the "
                         "file with npx @gltf-transform/cli copy IN.glb OUT.glb",
                         v->mode, from[0] & 0xf);
    if (failed)
        return PELT_FAIL(err, PELT_BAD_INPUT, "packed bytes (%.20s) do not unpack: they are damaged", v->mode);
    if (!strcmp(v->filter, "OCTAHEDRAL") && (v->stride == 4 || v->stride == 8))
        meshopt_decodeFilterOct(to, v->count, v->stride);
    else if (!strcmp(v->filter, "QUATERNION") && v->stride == 8)
        meshopt_decodeFilterQuat(to, v->count, v->stride);
    else if (!strcmp(v->filter, "EXPONENTIAL"))
        meshopt_decodeFilterExp(to, v->count, v->stride);
    else if (strcmp(v->filter, "NONE") != 0)
        return PELT_FAIL(
            err, PELT_UNSUPPORTED,
            "packed bytes use the filter %.20s, which is not known here: unpack the file with npx @gltf-transform/cli copy "
            "IN.glb OUT.glb",
            v->filter);
    return PELT_OK;
}

static PeltStatus unpack_view(Unpack *u, const PeltiJsonAt *extension, PeltiJson *view, PeltError *err)
{
    PackedView v;
    PELT_TRY(read_packed_view(u, extension, &v, err));
    unsigned char *bytes = take(u, v.count + 1, v.stride, err);
    if (!bytes)
        return pelti_no_memory(err, v.count * v.stride);
    PELT_TRY(decode_view(&v, u->doc->buffers[v.buffer].bytes + v.offset, bytes, err));
    uint64_t offset = pelti_gltf_out_bytes(u->out, bytes, v.count * v.stride);
    u->out->ok &= pelti_json_set(view, "buffer", pelti_json_new_int(0)) &&
                  pelti_json_set(view, "byteOffset", pelti_json_new_int((int64_t)offset)) &&
                  pelti_json_set(view, "byteLength", pelti_json_new_int((int64_t)(v.count * v.stride)));
    return PELT_OK;
}

#else

static PeltStatus unpack_view(Unpack *u, const PeltiJsonAt *extension, PeltiJson *view, PeltError *err)
{
    (void)u;
    (void)view;
    return not_built(extension->key, "libmeshoptimizer", err);
}

#endif

static PeltStatus unpack_views(Unpack *u, PeltError *err)
{
    static const char *const names[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
    PeltiJsonAt root = pelti_json_root(u->doc->root), views = pelti_json_member(&root, "bufferViews");
    for (int i = 0; i < 2 * u->doc->view_count; i++) {
        PeltiJsonAt view = pelti_json_item(&views, i / 2), all = pelti_json_member(&view, "extensions"),
                    extension = pelti_json_member(&all, names[i % 2]);
        PeltiJson *written = pelti_json_at(pelti_json_get(u->out->root, "bufferViews"), i / 2);
        if (!extension.value)
            continue;
        PeltStatus status = unpack_view(u, &extension, written, err);
        if (status != PELT_OK) {
            if (status == PELT_BAD_INPUT)
                pelti_error_prefix(err, "bufferView %d", i / 2);
            return status;
        }
        remove_extension(written, names[i % 2]);
    }
    return PELT_OK;
}

/// Buffers that only stood for what an extension would fill; every view lies in buffer 0 by now.
static void drop_empty_buffers(Unpack *u)
{
    PeltiJson *list = pelti_json_get(u->out->root, "buffers"), *kept = pelti_json_new_array();
    PeltiJson *views = pelti_json_get(u->out->root, "bufferViews");
    for (int i = 0; i < pelti_json_count(views); i++)
        if (pelti_json_int_of(pelti_json_get(pelti_json_at(views, i), "buffer"), 0) != 0) {
            pelti_json_release(kept); // something else lies there
            return;
        }
    u->out->ok &= kept && pelti_json_push(kept, pelti_json_keep(pelti_json_at(list, 0)));
    u->out->ok &= pelti_json_set(u->out->root, "buffers", kept);
}

static void forget_names(Unpack *u, const char *key)
{
    PeltiJson *list = pelti_json_get(u->out->root, key), *kept = pelti_json_new_array();
    if (!list || !kept) {
        pelti_json_release(kept);
        return;
    }
    for (int i = 0; i < pelti_json_count(list); i++) {
        const char *name = pelti_json_text_of(pelti_json_at(list, i));
        if (name && !pelti_gltf_is_packing(name))
            u->out->ok &= pelti_json_push(kept, pelti_json_keep(pelti_json_at(list, i)));
    }
    if (pelti_json_count(kept) > 0) {
        u->out->ok &= pelti_json_set(u->out->root, key, kept);
    } else {
        pelti_json_release(kept);
        pelti_json_remove(u->out->root, key);
    }
}

PeltStatus import_packed(const char *path, FILE *to, PeltError *err)
{
    PeltiGltf *doc = NULL;
    PeltiGltfOut out = {0};
    PeltiLog log;
    pelti_log_init(&log, NULL);
    PELT_TRY(pelti_gltf_open_packed(path, NULL, &doc, err));
    PeltStatus status = pelti_gltf_out_begin(&out, doc, NULL, &log, err);
    Unpack unpack = {doc, &out};
    if (status == PELT_OK)
        status = unpack_views(&unpack, err);
    if (status == PELT_OK)
        status = unpack_meshes(&unpack, err);
    if (status == PELT_OK) {
        drop_empty_buffers(&unpack);
        forget_names(&unpack, "extensionsUsed");
        forget_names(&unpack, "extensionsRequired");
        status = import_write(&out, to, err);
    }
    import_note("origin", "glTF 2.0, unpacked");
    for (int i = 0; i < pelti_log_count(&log); i++)
        import_note(pelti_log_get(&log, i)->code, "%s", pelti_log_get(&log, i)->text);
    pelti_gltf_out_end(&out);
    pelti_gltf_close(doc);
    pelti_log_release(&log);
    return status;
}
