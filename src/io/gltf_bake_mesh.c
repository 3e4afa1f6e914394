/// Turns skinned meshes of a document into morphing ones.
/// Their positions are in world space, so the node that shows one must not move it: it stands at the root of its scenes without a
/// transform. A mesh that several nodes show is copied for each.
#include "io/gltf_write.h"

#include <stdio.h>
#include <string.h>

PeltStatus pelti_gltf_bake_parts(PeltiGltfBake *bake, PeltiPool *pool, PeltError *err)
{
    const PeltiCharacter *who = bake->def->who;
    const PeltiGltf *doc = bake->def->document;
    int part_count = 0;
    for (int i = 0; i < who->instance_count; i++)
        part_count += who->instances[i].skin >= 0 ? doc->meshes[who->instances[i].mesh].primitive_count : 0;
    bake->baked = PELTI_NEW(pool, PeltiGltfBaked, who->instance_count);
    bake->parts = PELTI_NEW(pool, PeltiMorphPart, part_count + bake->def->object_count);
    bake->object_nodes = PELTI_NEW(pool, int, bake->def->object_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)part_count * sizeof(PeltiMorphPart));
    PeltiJson *meshes = pelti_json_get(doc->root, "meshes");
    for (int i = 0; i < who->instance_count; i++) {
        const PeltiInstance *instance = &who->instances[i];
        if (instance->skin < 0)
            continue;
        PeltiGltfBaked *baked = &bake->baked[bake->baked_count++];
        *baked = (PeltiGltfBaked){.instance = i, .node = -1, .first_part = bake->part_count};
        const PeltiGltfMesh *mesh = &doc->meshes[instance->mesh];
        PeltiJson *primitives = pelti_json_get(pelti_json_at(meshes, instance->mesh), "primitives");
        int point = instance->first_point;
        for (int k = 0; k < mesh->primitive_count; k++) {
            const PeltiGltfPrimitive *primitive = &doc->primitives[mesh->first_primitive + k];
            if (primitive->position < 0)
                continue;
            PeltiJson *attributes = pelti_json_get(pelti_json_at(primitives, k), "attributes");
            bake->parts[bake->part_count++] =
                (PeltiMorphPart){.first_point = point,
                                 .point_count = primitive->point_count,
                                 .has_normals = bake->def->has_normals && pelti_json_get(attributes, "NORMAL") != NULL};
            point += primitive->point_count;
        }
        baked->part_count = bake->part_count - baked->first_part;
    }
    bake->first_soft_part = bake->part_count;
    int point = who->point_count; // soft objects' points follow the character's
    for (int i = 0; i < bake->def->object_count; i++)
        if (bake->def->objects[i].soft) {
            bake->parts[bake->part_count++] = (PeltiMorphPart){
                .first_point = point, .point_count = bake->def->objects[i].vertex_count, .has_normals = bake->def->has_normals};
            point += bake->def->objects[i].vertex_count;
        }
    return PELT_OK;
}

/// The accessor of one array of a part; positions have bounds.
static int add_accessor(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part, int view, int target,
                        bool normals)
{
    PeltiGltfOutAccessor accessor = {.view = view,
                                     .offset = pelti_morph_offset(part, target, normals) - part->offset,
                                     .count = part->point_count,
                                     .type = "VEC3",
                                     .component = PELTI_GLTF_F32};
    if (!normals) {
        const PeltiMorphBounds *bounds =
            &bake->morph.bounds[(size_t)(part - bake->parts) * (size_t)(bake->morph.target_count + 1) + (size_t)(target + 1)];
        accessor.bound_count = 3;
        accessor.low = &bounds->low.x;
        accessor.high = &bounds->high.x;
    }
    return pelti_gltf_out_accessor(out, &accessor);
}

bool pelti_gltf_bake_arrays(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part, int view, int target,
                            PeltiJson *attributes)
{
    bool ok = pelti_json_set(attributes, "POSITION", pelti_json_new_int(add_accessor(bake, out, part, view, target, false)));
    if (part->has_normals)
        ok &= pelti_json_set(attributes, "NORMAL", pelti_json_new_int(add_accessor(bake, out, part, view, target, true)));
    return ok;
}

/// What belonged to the old shape: influences, and tangents, which viewers derive anew from normals and UVs.
static void drop_old_attributes(const PeltiGltfBake *bake, PeltiJson *primitive)
{
    PeltiJson *attributes = pelti_json_get(primitive, "attributes");
    if (pelti_json_get(attributes, "TANGENT")) {
        pelti_json_remove(attributes, "TANGENT");
        pelti_warn(bake->def->log, "tangents-dropped",
                   "tangents of the file's pose are left out of the glTF result: viewers derive them");
    }
    pelti_gltf_out_drop_influences(primitive);
}

/// Of frame 0 and all targets.
static uint64_t arrays_bytes(const PeltiGltfBake *bake, const PeltiMorphPart *part)
{
    return pelti_morph_offset(part, bake->morph.target_count, false) - part->offset;
}

int pelti_gltf_bake_view(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part)
{
    return pelti_gltf_out_view(out, part->at, arrays_bytes(bake, part), sizeof(Vec3), PELTI_GLTF_VERTICES);
}

bool pelti_gltf_bake_targets(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part, int view,
                             PeltiJson *primitive)
{
    PeltiJson *targets = pelti_json_new_array();
    bool ok = targets && pelti_gltf_bake_own_targets(bake, out, part, targets);
    int own = pelti_json_count(targets);
    for (int k = 0; ok && k < bake->morph.target_count; k++)
        ok = pelti_json_push(targets, pelti_json_new_object()) &&
             pelti_gltf_bake_arrays(bake, out, part, view, k, pelti_json_at(targets, own + k));
    if (ok && pelti_json_count(targets) > 0)
        return pelti_json_set(primitive, "targets", targets);
    pelti_json_remove(primitive, "targets");
    pelti_json_release(targets);
    return ok;
}

static bool edit_primitive(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part, PeltiJson *primitive)
{
    PeltiJson *attributes = pelti_json_get(primitive, "attributes");
    int view = pelti_gltf_bake_view(bake, out, part);
    drop_old_attributes(bake, primitive);
    return pelti_gltf_bake_arrays(bake, out, part, view, -1, attributes) &&
           pelti_gltf_bake_targets(bake, out, part, view, primitive);
}

bool pelti_gltf_bake_weights(PeltiJson *mesh, int count)
{
    pelti_json_remove(mesh, "weights");
    if (count == 0)
        return true;
    bool ok = pelti_json_set(mesh, "weights", pelti_json_new_array());
    for (int k = 0; ok && k < count; k++)
        ok = pelti_json_push(pelti_json_get(mesh, "weights"), pelti_json_new_int(0));
    return ok;
}

static bool edit_mesh(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiGltfBaked *baked, PeltiJson *mesh)
{
    const PeltiGltf *doc = bake->def->document;
    const PeltiGltfMesh *facts = &doc->meshes[bake->def->who->instances[baked->instance].mesh];
    PeltiJson *old = pelti_json_get(mesh, "primitives"), *kept = pelti_json_new_array();
    bool ok = kept != NULL;
    int part = baked->first_part;
    for (int k = 0; ok && k < facts->primitive_count; k++) {
        if (doc->primitives[facts->first_primitive + k].position < 0)
            continue; // draws nothing, and cannot have targets
        PeltiJson *primitive = pelti_json_at(old, k);
        ok = edit_primitive(bake, out, &bake->parts[part++], primitive) && pelti_json_push(kept, pelti_json_keep(primitive));
    }
    if (!ok) {
        pelti_json_release(kept);
        return false;
    }
    return pelti_json_set(mesh, "primitives", kept) && pelti_gltf_bake_own_names(bake, baked, pelti_json_get(mesh, "extras")) &&
           pelti_gltf_bake_weights(mesh, pelti_gltf_bake_own_count(bake, baked) + bake->morph.target_count);
}

/// Does anything but the mesh depend on the node's place: children, a camera, a skin, a clip, an extension?
static bool stands_for_more(const PeltiGltf *doc, int index)
{
    PeltiJson *node = pelti_json_at(pelti_json_get(doc->root, "nodes"), index);
    if (pelti_json_count(pelti_json_get(node, "children")) > 0 || pelti_json_get(node, "camera") ||
        pelti_json_get(node, "extensions"))
        return true;
    PeltiJson *skins = pelti_json_get(doc->root, "skins"), *clips = pelti_json_get(doc->root, "animations");
    for (int i = 0; i < pelti_json_count(skins); i++) {
        PeltiJson *skin = pelti_json_at(skins, i);
        if (pelti_gltf_out_lists(pelti_json_get(skin, "joints"), index) ||
            pelti_json_int_of(pelti_json_get(skin, "skeleton"), -1) == index)
            return true;
    }
    for (int i = 0; i < pelti_json_count(clips); i++) {
        PeltiJson *channels = pelti_json_get(pelti_json_at(clips, i), "channels");
        for (int k = 0; k < pelti_json_count(channels); k++) {
            PeltiJson *target = pelti_json_get(pelti_json_at(channels, k), "target");
            const char *path = pelti_json_text_of(pelti_json_get(target, "path"));
            if (pelti_json_int_of(pelti_json_get(target, "node"), -1) == index && path && strcmp(path, "weights") != 0)
                return true;
        }
    }
    return false;
}

/// Takes a node out of its parent's children; an empty list is not allowed to stay.
static bool leave_parent(PeltiJson *parent, int index)
{
    PeltiJson *old = pelti_json_get(parent, "children"), *kept = pelti_json_new_array();
    bool ok = kept != NULL;
    for (int i = 0; ok && i < pelti_json_count(old); i++)
        if (pelti_json_int_of(pelti_json_at(old, i), -1) != index)
            ok = pelti_json_push(kept, pelti_json_keep(pelti_json_at(old, i)));
    if (ok && pelti_json_count(kept) > 0)
        return pelti_json_set(parent, "children", kept);
    if (ok)
        pelti_json_remove(parent, "children");
    pelti_json_release(kept);
    return ok;
}

/// Every scene that shows the tree of `old_node` shows `node` at its root.
static bool enter_scenes(const PeltiGltfBake *bake, PeltiGltfOut *out, int old_node, int node)
{
    const PeltiGltf *doc = bake->def->document;
    int top = old_node;
    while (doc->nodes[top].parent >= 0)
        top = doc->nodes[top].parent;
    PeltiJson *scenes = pelti_json_get(out->root, "scenes");
    bool ok = true;
    for (int i = 0; i < pelti_json_count(scenes); i++) {
        PeltiJson *roots = pelti_json_get(pelti_json_at(scenes, i), "nodes");
        if (pelti_gltf_out_lists(roots, top) && !pelti_gltf_out_lists(roots, node))
            ok &= pelti_json_push(roots, pelti_json_new_int(node));
    }
    return ok;
}

static bool place_node(const PeltiGltfBake *bake, PeltiGltfOut *out, PeltiGltfBaked *baked, int mesh)
{
    const PeltiGltf *doc = bake->def->document;
    int index = bake->def->who->instances[baked->instance].node, parent = doc->nodes[index].parent;
    PeltiJson *nodes = pelti_json_get(out->root, "nodes"), *node = pelti_json_at(nodes, index);
    pelti_json_remove(node, "skin");
    pelti_json_remove(node, "weights");
    bool ok = true;
    if (stands_for_more(doc, index)) {
        const char *name = pelti_json_text_of(pelti_json_get(node, "name"));
        char text[160] = "baked";
        if (name)
            snprintf(text, sizeof text, "%.120s_baked", name);
        pelti_json_remove(node, "mesh");
        PeltiJson *fresh = pelti_json_new_object();
        ok = fresh && pelti_json_set(fresh, "name", pelti_json_new_text(text));
        baked->node = pelti_gltf_out_push(out, "nodes", fresh);
        node = pelti_json_at(nodes, baked->node);
    } else {
        const char *placing[] = {"matrix", "translation", "rotation", "scale"};
        for (int i = 0; i < 4; i++)
            pelti_json_remove(node, placing[i]);
        baked->node = index;
        if (parent >= 0)
            ok = leave_parent(pelti_json_at(nodes, parent), index);
    }
    return ok && node && pelti_json_set(node, "mesh", pelti_json_new_int(mesh)) && enter_scenes(bake, out, index, baked->node);
}

PeltStatus pelti_gltf_bake_meshes(PeltiGltfBake *bake, PeltiGltfOut *out, PeltError *err)
{
    const PeltiGltf *doc = bake->def->document;
    for (int i = 0; i < bake->part_count; i++) {
        PeltiMorphPart *part = &bake->parts[i];
        part->at = pelti_gltf_out_spool(out, &bake->data, part->offset, arrays_bytes(bake, part));
    }
    int *users = pelti_gltf_out_mesh_users(out, doc);
    bool ok = users != NULL;
    for (int i = 0; ok && i < bake->baked_count; i++) {
        PeltiGltfBaked *baked = &bake->baked[i];
        if (baked->part_count == 0)
            continue;
        int mesh = pelti_gltf_out_own_mesh(out, doc, users, bake->def->who->instances[baked->instance].mesh);
        ok = mesh >= 0 && edit_mesh(bake, out, baked, pelti_json_at(pelti_json_get(out->root, "meshes"), mesh)) &&
             place_node(bake, out, baked, mesh);
    }
    out->ok &= ok;
    return ok ? PELT_OK : pelti_no_memory(err, 0);
}
