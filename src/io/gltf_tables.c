/// Reads a document's tables (views, accessors, meshes, nodes) and checks every index and span.
#include "io/gltf.h"
#include "io/gltf_parts.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { POINTS_FREE = 1 << 21, INFLUENCE_SETS_MOST = 16 };

typedef struct TableList { ///< of the document, and where it goes
    const char *key;
    int *count;
    size_t size; ///< of an item
    void *items; ///< of a pointer to room for them
} TableList;

/// The length of the list, and zeroed room for what is read from it.
static PeltStatus begin_list(PeltiGltf *doc, const PeltiJsonAt *root, TableList to, PeltiJsonAt *list, PeltError *err)
{
    *list = pelti_json_member(root, to.key);
    PELT_TRY(pelti_json_array(list, PELTI_OPTIONAL, to.count, err));
    void *room = pelti_pool_take(&doc->pool, (size_t)*to.count, to.size);
    if (!room)
        return pelti_no_memory(err, (size_t)*to.count * to.size);
    memcpy(to.items, &room, sizeof room);
    return PELT_OK;
}

// ---- buffer views and accessors

static PeltStatus read_view(PeltiGltf *doc, const PeltiJsonAt *item, PeltiGltfView *view, PeltError *err)
{
    PeltiJsonAt buffer = pelti_json_member(item, "buffer"), offset = pelti_json_member(item, "byteOffset"),
                length = pelti_json_member(item, "byteLength"), stride_at = pelti_json_member(item, "byteStride");
    int64_t stride = 0;
    PELT_TRY(pelti_json_index(&buffer, PELTI_REQUIRED, doc->buffer_count, "buffer", &view->buffer, err));
    PELT_TRY(pelti_json_size(&offset, PELTI_OPTIONAL, &view->offset, err));
    PELT_TRY(pelti_json_size(&length, PELTI_REQUIRED, &view->size, err));
    PELT_TRY(pelti_json_int(&stride_at, PELTI_OPTIONAL, 0, 1 << 20, &stride, err));
    view->stride = (int)stride;
    return PELT_OK;
}

static PeltStatus read_component(const PeltiJsonAt *at, PeltiGltfComponent *out, PeltError *err)
{
    int64_t type = 0;
    PELT_TRY(pelti_json_int(at, PELTI_REQUIRED, PELTI_GLTF_I8, PELTI_GLTF_F32, &type, err));
    if (type == 5124)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: 5124 is not a component type of glTF", PELTI_JSON_PATH(at));
    *out = (PeltiGltfComponent)type;
    return PELT_OK;
}

static PeltStatus read_shape(const PeltiJsonAt *at, PeltiGltfAccessor *accessor, PeltError *err)
{
    static const struct {
        const char *name;
        int components, columns;
    } shapes[] = {{"SCALAR", 1, 1}, {"VEC2", 2, 1}, {"VEC3", 3, 1}, {"VEC4", 4, 1},
                  {"MAT2", 4, 2},   {"MAT3", 9, 3}, {"MAT4", 16, 4}};
    const char *name = "";
    PELT_TRY(pelti_json_string(at, PELTI_REQUIRED, &name, err));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!strcmp(name, shapes[i].name)) {
            accessor->components = shapes[i].components;
            accessor->columns = shapes[i].columns;
            return PELT_OK;
        }
    return PELT_FAIL(err, PELT_BAD_INPUT, "%s: \"%.20s\" is not a type of glTF", PELTI_JSON_PATH(at), name);
}

typedef struct ViewSpan { ///< `count` elements of `element` bytes, `stride` apart, behind `offset` in a view
    int view;
    size_t offset;
    int count;
    size_t element, stride;
} ViewSpan;

/// Do they fit in the view and in its buffer?
static PeltStatus check_span(const PeltiGltf *doc, int accessor, ViewSpan span, PeltError *err)
{
    const PeltiGltfView *view = &doc->views[span.view];
    size_t buffer_size = doc->buffers[view->buffer].size;
    if (span.count == 0)
        return PELT_OK;
    size_t last =
        span.offset + (size_t)(span.count - 1) * span.stride + span.element; // offset < 2^53, count < 2^31, stride <= 2^20: fits
    if (last > view->size || view->offset > buffer_size || last > buffer_size - view->offset) {
        size_t end = view->offset + last;
        if (end > buffer_size)
            return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: %zu bytes past the end of buffer %d", accessor, end - buffer_size,
                             view->buffer);
        return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: %zu bytes past the end of bufferView %d", accessor, last - view->size,
                         span.view);
    }
    return PELT_OK;
}

static PeltStatus read_sparse(PeltiGltf *doc, const PeltiJsonAt *sparse, int index, PeltError *err)
{
    PeltiGltfAccessor *accessor = &doc->accessors[index];
    PELT_TRY(pelti_json_object(sparse, PELTI_REQUIRED, err));
    PeltiJsonAt count_at = pelti_json_member(sparse, "count"), indices = pelti_json_member(sparse, "indices"),
                values = pelti_json_member(sparse, "values");
    PeltiJsonAt index_view = pelti_json_member(&indices, "bufferView"), index_offset = pelti_json_member(&indices, "byteOffset"),
                index_type = pelti_json_member(&indices, "componentType"), value_view = pelti_json_member(&values, "bufferView"),
                value_offset = pelti_json_member(&values, "byteOffset");
    int64_t count = 0;
    PELT_TRY(pelti_json_int(&count_at, PELTI_REQUIRED, 0, accessor->count, &count, err));
    PELT_TRY(pelti_json_index(&index_view, PELTI_REQUIRED, doc->view_count, "bufferView", &accessor->sparse_index_view, err));
    PELT_TRY(pelti_json_size(&index_offset, PELTI_OPTIONAL, &accessor->sparse_index_offset, err));
    PELT_TRY(read_component(&index_type, &accessor->sparse_index_type, err));
    PELT_TRY(pelti_json_index(&value_view, PELTI_REQUIRED, doc->view_count, "bufferView", &accessor->sparse_value_view, err));
    PELT_TRY(pelti_json_size(&value_offset, PELTI_OPTIONAL, &accessor->sparse_value_offset, err));
    PeltiGltfComponent type = accessor->sparse_index_type;
    if (type != PELTI_GLTF_U8 && type != PELTI_GLTF_U16 && type != PELTI_GLTF_U32)
        return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: sparse indices must be unsigned whole numbers", index);
    size_t index_size = (size_t)pelti_gltf_component_size(type), element = pelti_gltf_element_size(accessor);
    PELT_TRY(check_span(
        doc, index, (ViewSpan){accessor->sparse_index_view, accessor->sparse_index_offset, (int)count, index_size, index_size},
        err));
    PELT_TRY(check_span(
        doc, index, (ViewSpan){accessor->sparse_value_view, accessor->sparse_value_offset, (int)count, element, element}, err));
    accessor->sparse_count = (int)count;
    return PELT_OK;
}

static PeltStatus read_accessor(PeltiGltf *doc, const PeltiJsonAt *item, int index, PeltError *err)
{
    PeltiGltfAccessor *accessor = &doc->accessors[index];
    PeltiJsonAt view = pelti_json_member(item, "bufferView"), offset = pelti_json_member(item, "byteOffset"),
                count_at = pelti_json_member(item, "count"), component = pelti_json_member(item, "componentType"),
                normalized = pelti_json_member(item, "normalized"), type = pelti_json_member(item, "type"),
                sparse = pelti_json_member(item, "sparse");
    int64_t count = 0;
    accessor->view = -1;
    PELT_TRY(pelti_json_index(&view, PELTI_OPTIONAL, doc->view_count, "bufferView", &accessor->view, err));
    PELT_TRY(pelti_json_size(&offset, PELTI_OPTIONAL, &accessor->offset, err));
    PELT_TRY(pelti_json_int(&count_at, PELTI_REQUIRED, 0, INT_MAX, &count, err));
    PELT_TRY(read_component(&component, &accessor->type, err));
    PELT_TRY(pelti_json_bool(&normalized, PELTI_OPTIONAL, &accessor->normalized, err));
    PELT_TRY(read_shape(&type, accessor, err));
    accessor->count = (int)count;
    if (accessor->view >= 0) {
        size_t element = pelti_gltf_element_size(accessor), stride = (size_t)doc->views[accessor->view].stride;
        if (stride && stride < element)
            return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: elements of %zu bytes in bufferView %d, whose byteStride is %zu",
                             index, element, accessor->view, stride);
        PELT_TRY(check_span(
            doc, index, (ViewSpan){accessor->view, accessor->offset, accessor->count, element, stride ? stride : element}, err));
    } else if ((size_t)count > doc->point_limit) {
        return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: %d elements without data, at most %zu in this file", index,
                         accessor->count, doc->point_limit);
    }
    return sparse.value ? read_sparse(doc, &sparse, index, err) : PELT_OK;
}

static PeltStatus check_views(const PeltiGltf *doc, PeltError *err)
{
    for (int i = 0; i < doc->view_count; i++) {
        const PeltiGltfView *view = &doc->views[i];
        size_t size = doc->buffers[view->buffer].size;
        if (view->offset > size || view->size > size - view->offset)
            return PELT_FAIL(err, PELT_BAD_INPUT, "bufferView %d: %zu bytes past the end of buffer %d", i,
                             view->offset + view->size - size, view->buffer);
    }
    return PELT_OK;
}

static PeltStatus read_accessors(PeltiGltf *doc, const PeltiJsonAt *root, PeltError *err)
{
    PeltiJsonAt list;
    size_t bytes = 0, sparse = 0;
    for (int i = 0; i < doc->buffer_count; i++)
        bytes += doc->buffers[i].bytes ? doc->buffers[i].size : 0;
    doc->point_limit = POINTS_FREE + (doc->is_packed ? 16 * bytes : bytes / 4); // compressed: two bits of a point, at best
    PELT_TRY(begin_list(doc, root, (TableList){"bufferViews", &doc->view_count, sizeof *doc->views, &doc->views}, &list, err));
    for (int i = 0; i < doc->view_count; i++) {
        PeltiJsonAt item = pelti_json_item(&list, i);
        PELT_TRY(read_view(doc, &item, &doc->views[i], err));
    }
    PELT_TRY(begin_list(doc, root, (TableList){"accessors", &doc->accessor_count, sizeof *doc->accessors, &doc->accessors}, &list,
                        err));
    for (int i = 0; i < doc->accessor_count; i++) {
        PeltiJsonAt item = pelti_json_item(&list, i);
        PELT_TRY(read_accessor(doc, &item, i, err));
    }
    PELT_TRY(check_views(doc, err));
    for (int i = 0; i < doc->accessor_count; i++) {
        sparse += (size_t)doc->accessors[i].sparse_count;
        if (sparse > doc->point_limit * 8) // many accessors over the same bytes
            return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: more sparse elements than a file of this size can hold", i);
        if (doc->accessors[i].sparse_count)
            PELT_TRY(pelti_gltf_check_sparse(doc, i, err));
    }
    return PELT_OK;
}

// ---- meshes

static PeltStatus read_sets(PeltiGltf *doc, const PeltiJsonAt *attributes, PeltiGltfPrimitive *primitive, PeltError *err)
{
    int joints[INFLUENCE_SETS_MOST], weights[INFLUENCE_SETS_MOST], count = 0;
    for (;; count++) {
        char joints_key[24], weights_key[24];
        snprintf(joints_key, sizeof joints_key, "JOINTS_%d", count);
        snprintf(weights_key, sizeof weights_key, "WEIGHTS_%d", count);
        PeltiJsonAt joints_at = pelti_json_member(attributes, joints_key),
                    weights_at = pelti_json_member(attributes, weights_key);
        if (!joints_at.value)
            break;
        if (count == INFLUENCE_SETS_MOST)
            return PELT_FAIL(err, PELT_UNSUPPORTED, "%s: more than %d influences a vertex", PELTI_JSON_PATH(&joints_at),
                             4 * INFLUENCE_SETS_MOST);
        PELT_TRY(pelti_json_index(&joints_at, PELTI_REQUIRED, doc->accessor_count, "accessor", &joints[count], err));
        PELT_TRY(pelti_json_index(&weights_at, PELTI_REQUIRED, doc->accessor_count, "accessor", &weights[count], err));
    }
    int *kept = PELTI_NEW(&doc->pool, int, 2 * count);
    if (!kept)
        return pelti_no_memory(err, 0);
    memcpy(kept, joints, (size_t)count * sizeof(int));
    memcpy(kept + count, weights, (size_t)count * sizeof(int));
    primitive->set_count = count;
    primitive->joints = kept;
    primitive->weights = kept + count;
    return PELT_OK;
}

static PeltStatus read_primitive(PeltiGltf *doc, const PeltiJsonAt *item, PeltiGltfPrimitive *primitive, PeltError *err)
{
    PeltiJsonAt attributes = pelti_json_member(item, "attributes"), position = pelti_json_member(&attributes, "POSITION"),
                normal = pelti_json_member(&attributes, "NORMAL"), indices = pelti_json_member(item, "indices"),
                mode_at = pelti_json_member(item, "mode");
    int64_t mode = 4;
    primitive->position = primitive->normal = primitive->indices = -1;
    PELT_TRY(pelti_json_object(&attributes, PELTI_REQUIRED, err));
    PELT_TRY(pelti_json_index(&position, PELTI_OPTIONAL, doc->accessor_count, "accessor", &primitive->position, err));
    PELT_TRY(pelti_json_index(&normal, PELTI_OPTIONAL, doc->accessor_count, "accessor", &primitive->normal, err));
    PELT_TRY(pelti_json_index(&indices, PELTI_OPTIONAL, doc->accessor_count, "accessor", &primitive->indices, err));
    PELT_TRY(pelti_json_int(&mode_at, PELTI_OPTIONAL, 0, 6, &mode, err));
    primitive->mode = (int)mode;
    primitive->point_count = primitive->position >= 0 ? doc->accessors[primitive->position].count : 0;
    return read_sets(doc, &attributes, primitive, err);
}

static PeltStatus read_primitive_targets(PeltiGltf *doc, const PeltiJsonAt *item, PeltiGltfPrimitive *primitive, PeltError *err)
{
    PeltiJsonAt list = pelti_json_member(item, "targets");
    PELT_TRY(pelti_json_array(&list, PELTI_OPTIONAL, &primitive->target_count, err));
    int *targets = PELTI_NEW(&doc->pool, int, primitive->target_count);
    if (!targets)
        return pelti_no_memory(err, (size_t)primitive->target_count * sizeof *targets);
    for (int t = 0; t < primitive->target_count; t++) {
        PeltiJsonAt target = pelti_json_item(&list, t), position = pelti_json_member(&target, "POSITION");
        targets[t] = -1;
        PELT_TRY(pelti_json_index(&position, PELTI_OPTIONAL, doc->accessor_count, "accessor", &targets[t], err));
    }
    primitive->targets = targets;
    return PELT_OK;
}

static PeltStatus read_mesh(PeltiGltf *doc, const PeltiJsonAt *item, int index, int *next, PeltError *err)
{
    PeltiGltfMesh *mesh = &doc->meshes[index];
    PeltiJsonAt list = pelti_json_member(item, "primitives");
    PELT_TRY(pelti_json_array(&list, PELTI_REQUIRED, &mesh->primitive_count, err));
    mesh->first_primitive = *next;
    size_t points = 0;
    for (int i = 0; i < mesh->primitive_count; i++) {
        PeltiJsonAt primitive = pelti_json_item(&list, i);
        PELT_TRY(read_primitive(doc, &primitive, &doc->primitives[*next], err));
        PELT_TRY(read_primitive_targets(doc, &primitive, &doc->primitives[*next], err));
        if (doc->primitives[*next].target_count > mesh->target_count)
            mesh->target_count = doc->primitives[*next].target_count;
        points += (size_t)doc->primitives[(*next)++].point_count;
        if (points > doc->point_limit)
            return PELT_FAIL(err, PELT_BAD_INPUT, "mesh %d: more than %zu points, which a file of this size cannot hold", index,
                             doc->point_limit);
    }
    mesh->point_count = (int)points;
    return PELT_OK;
}

static PeltStatus read_meshes(PeltiGltf *doc, const PeltiJsonAt *root, PeltError *err)
{
    PeltiJsonAt list;
    PELT_TRY(begin_list(doc, root, (TableList){"meshes", &doc->mesh_count, sizeof *doc->meshes, &doc->meshes}, &list, err));
    for (int i = 0; i < doc->mesh_count; i++)
        doc->primitive_count += pelti_json_count(pelti_json_get(pelti_json_at(list.value, i), "primitives"));
    doc->primitives = PELTI_NEW(&doc->pool, PeltiGltfPrimitive, doc->primitive_count);
    if (!doc->primitives)
        return pelti_no_memory(err, (size_t)doc->primitive_count * sizeof *doc->primitives);
    for (int i = 0, next = 0; i < doc->mesh_count; i++) {
        PeltiJsonAt item = pelti_json_item(&list, i);
        PELT_TRY(read_mesh(doc, &item, i, &next, err));
    }
    return PELT_OK;
}

// ---- nodes

static PeltStatus read_children(PeltiGltf *doc, const PeltiJsonAt *node, int index, PeltError *err)
{
    PeltiJsonAt list = pelti_json_member(node, "children");
    int count;
    PELT_TRY(pelti_json_array(&list, PELTI_OPTIONAL, &count, err));
    for (int i = 0; i < count; i++) {
        PeltiJsonAt item = pelti_json_item(&list, i);
        int child = -1;
        PELT_TRY(pelti_json_index(&item, PELTI_REQUIRED, doc->node_count, "node", &child, err));
        if (child == index)
            return PELT_FAIL(err, PELT_BAD_INPUT, "node %d: is its own child", index);
        if (doc->nodes[child].parent >= 0)
            return PELT_FAIL(err, PELT_BAD_INPUT, "node %d: has two parents, nodes %d and %d", child, doc->nodes[child].parent,
                             index);
        doc->nodes[child].parent = index;
    }
    return PELT_OK;
}

/// Parents first: each pass over a chain of unplaced ancestors places it from its top. Every node is placed once.
static PeltStatus order_nodes(PeltiGltf *doc, PeltError *err)
{
    enum { NEW, WAITING, PLACED };
    PeltiPool work;
    pelti_pool_init(&work, &doc->pool.allocator);
    int count = doc->node_count, placed = 0;
    doc->node_order = PELTI_NEW(&doc->pool, int, count);
    char *state = PELTI_NEW(&work, char, count);
    int *chain = PELTI_NEW(&work, int, count);
    PeltStatus status = doc->pool.failed || work.failed ? pelti_no_memory(err, (size_t)count * sizeof(int)) : PELT_OK;
    for (int n = 0; status == PELT_OK && n < count; n++) {
        int length = 0, up = n;
        for (; up >= 0 && state[up] == NEW; up = doc->nodes[up].parent) {
            state[up] = WAITING;
            chain[length++] = up;
        }
        if (up >= 0 && state[up] == WAITING) {
            status = PELT_FAIL(err, PELT_BAD_INPUT, "node %d: the node tree has a cycle through it", up);
            break;
        }
        while (length > 0) {
            state[chain[--length]] = PLACED;
            doc->node_order[placed++] = chain[length];
        }
    }
    pelti_pool_release(&work);
    return status;
}

/// Nodes of the default scene, and what hangs below them.
static PeltStatus find_live(PeltiGltf *doc, const PeltiJsonAt *root, PeltError *err)
{
    PeltiJsonAt scenes = pelti_json_member(root, "scenes"), scene_at = pelti_json_member(root, "scene");
    int count, scene = 0, node_count;
    PELT_TRY(pelti_json_array(&scenes, PELTI_OPTIONAL, &count, err));
    if (count > 0) {
        PELT_TRY(pelti_json_index(&scene_at, PELTI_OPTIONAL, count, "scene", &scene, err));
        PeltiJsonAt item = pelti_json_item(&scenes, scene), list = pelti_json_member(&item, "nodes");
        PELT_TRY(pelti_json_array(&list, PELTI_OPTIONAL, &node_count, err));
        for (int i = 0; i < node_count; i++) {
            PeltiJsonAt node = pelti_json_item(&list, i);
            int index = -1;
            PELT_TRY(pelti_json_index(&node, PELTI_REQUIRED, doc->node_count, "node", &index, err));
            doc->nodes[index].live = true;
        }
    }
    for (int k = 0; k < doc->node_count; k++) {
        PeltiGltfNode *node = &doc->nodes[doc->node_order[k]];
        node->live = node->live || count == 0 || (node->parent >= 0 && doc->nodes[node->parent].live);
    }
    return PELT_OK;
}

static PeltStatus read_nodes(PeltiGltf *doc, const PeltiJsonAt *root, PeltError *err)
{
    PeltiJsonAt list;
    PELT_TRY(begin_list(doc, root, (TableList){"nodes", &doc->node_count, sizeof *doc->nodes, &doc->nodes}, &list, err));
    for (int i = 0; i < doc->node_count; i++)
        doc->nodes[i] = (PeltiGltfNode){-1, -1, -1, false};
    for (int i = 0; i < doc->node_count; i++) {
        PeltiJsonAt item = pelti_json_item(&list, i), mesh = pelti_json_member(&item, "mesh"),
                    skin = pelti_json_member(&item, "skin");
        PELT_TRY(pelti_json_object(&item, PELTI_REQUIRED, err));
        PELT_TRY(pelti_json_index(&mesh, PELTI_OPTIONAL, doc->mesh_count, "mesh", &doc->nodes[i].mesh, err));
        PELT_TRY(pelti_json_index(&skin, PELTI_OPTIONAL, doc->skin_count, "skin", &doc->nodes[i].skin, err));
        PELT_TRY(read_children(doc, &item, i, err));
    }
    PELT_TRY(order_nodes(doc, err));
    return find_live(doc, root, err);
}

PeltStatus pelti_gltf_read_tables(PeltiGltf *doc, PeltError *err)
{
    PeltiJsonAt root = pelti_json_root(doc->root), skins = pelti_json_member(&root, "skins"),
                clips = pelti_json_member(&root, "animations");
    PELT_TRY(read_accessors(doc, &root, err));
    PELT_TRY(read_meshes(doc, &root, err));
    PELT_TRY(pelti_json_array(&skins, PELTI_OPTIONAL, &doc->skin_count, err));
    PELT_TRY(pelti_json_array(&clips, PELTI_OPTIONAL, &doc->clip_count, err));
    return read_nodes(doc, &root, err);
}
