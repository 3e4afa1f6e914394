/// Writes objects of a scene into a result: rigid ones are nodes that move, soft ones morph in world space as the skin does.
#include "io/gltf_write.h"

#include <string.h>

static bool set_colour(PeltiJson *material, const float *colour)
{
    bool ok = pelti_json_set(material, "pbrMetallicRoughness", pelti_json_new_object());
    PeltiJson *pbr = pelti_json_get(material, "pbrMetallicRoughness");
    ok = ok && pelti_json_set(pbr, "baseColorFactor", pelti_json_new_array());
    for (int i = 0; ok && i < 4; i++)
        ok = pelti_json_push(pelti_json_get(pbr, "baseColorFactor"), pelti_json_new_float(fminf(fmaxf(colour[i], 0), 1)));
    ok = ok && pelti_json_set(pbr, "metallicFactor", pelti_json_new_int(0));
    return ok && (colour[3] >= 1 || pelti_json_set(material, "alphaMode", pelti_json_new_text("BLEND")));
}

/// Appends {"name": name} to a list of the root; the new item is `*out`.
static int push_named(PeltiGltfOut *out, const char *list, const char *name, PeltiJson **item)
{
    int index = pelti_gltf_out_push(out, list, pelti_json_new_object());
    *item = pelti_json_at(pelti_json_get(out->root, list), index);
    out->ok &= *item && pelti_json_set(*item, "name", pelti_json_new_text(name));
    return index;
}

static int add_corners(PeltiGltfOut *out, const PeltiOutputObject *object)
{
    int count = 3 * object->triangle_count;
    size_t bytes = (size_t)count * sizeof(uint32_t); // an int that is not negative has the same bytes
    int view = pelti_gltf_out_view(out, pelti_gltf_out_bytes(out, object->triangles, bytes), bytes, 0, PELTI_GLTF_CORNERS);
    return pelti_gltf_out_accessor(
        out, &(PeltiGltfOutAccessor){.view = view, .count = count, .type = "SCALAR", .component = PELTI_GLTF_U32});
}

static int add_vectors(PeltiGltfOut *out, const Vec3 *values, int count, bool bounds)
{
    size_t bytes = (size_t)count * sizeof(Vec3);
    int view = pelti_gltf_out_view(out, pelti_gltf_out_bytes(out, values, bytes), bytes, 0, PELTI_GLTF_VERTICES);
    PeltiGltfOutAccessor accessor = {.view = view, .count = count, .type = "VEC3", .component = PELTI_GLTF_F32};
    Vec3 low = values[0], high = values[0];
    for (int i = 1; bounds && i < count; i++) {
        low = vec3_min(low, values[i]);
        high = vec3_max(high, values[i]);
    }
    if (bounds) {
        accessor.bound_count = 3;
        accessor.low = &low.x;
        accessor.high = &high.x;
    }
    return pelti_gltf_out_accessor(out, &accessor);
}

static bool fill_primitive(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiOutputObject *object,
                           const PeltiMorphPart *part, PeltiJson *primitive)
{
    bool ok = pelti_json_set(primitive, "attributes", pelti_json_new_object());
    PeltiJson *attributes = pelti_json_get(primitive, "attributes"), *material;
    if (part) {
        int view = pelti_gltf_bake_view(bake, out, part);
        ok = ok && pelti_gltf_bake_arrays(bake, out, part, view, -1, attributes) &&
             pelti_gltf_bake_targets(bake, out, part, view, primitive);
    } else {
        ok = ok && pelti_json_set(attributes, "POSITION",
                                  pelti_json_new_int(add_vectors(out, object->positions, object->vertex_count, true)));
        if (object->normals)
            ok = ok && pelti_json_set(attributes, "NORMAL",
                                      pelti_json_new_int(add_vectors(out, object->normals, object->vertex_count, false)));
    }
    ok = ok && pelti_json_set(primitive, "indices", pelti_json_new_int(add_corners(out, object)));
    int index = push_named(out, "materials", object->name, &material);
    return ok && set_colour(material, object->colour) && pelti_json_set(primitive, "material", pelti_json_new_int(index));
}

/// The default scene shows it; a file without scenes shows every node.
static bool enter_scene(PeltiGltfOut *out, int node)
{
    int64_t scene = pelti_json_int_of(pelti_json_get(out->root, "scene"), 0);
    PeltiJson *json = pelti_json_at(pelti_json_get(out->root, "scenes"), (int)scene);
    if (!json)
        return true;
    if (!pelti_json_get(json, "nodes") && !pelti_json_set(json, "nodes", pelti_json_new_array()))
        return false;
    return pelti_json_push(pelti_json_get(json, "nodes"), pelti_json_new_int(node));
}

/// Where it is in the first frame, for viewers that play nothing.
static bool set_placement(PeltiJson *node, const Trs *trs)
{
    Quat q = quat_normalize(trs->rotation);
    const float translation[3] = {trs->translation.x, trs->translation.y, trs->translation.z}, rotation[4] = {q.x, q.y, q.z, q.w};
    bool ok =
        pelti_json_set(node, "translation", pelti_json_new_array()) && pelti_json_set(node, "rotation", pelti_json_new_array());
    for (int i = 0; ok && i < 3; i++)
        ok = pelti_json_push(pelti_json_get(node, "translation"), pelti_json_new_float(translation[i]));
    for (int i = 0; ok && i < 4; i++)
        ok = pelti_json_push(pelti_json_get(node, "rotation"), pelti_json_new_float(rotation[i]));
    return ok;
}

PeltStatus pelti_gltf_bake_objects(PeltiGltfBake *bake, PeltiGltfOut *out, PeltError *err)
{
    const PeltiMorphPart *part = bake->parts + bake->first_soft_part;
    bool ok = true;
    for (int i = 0; ok && i < bake->def->object_count; i++) {
        const PeltiOutputObject *object = &bake->def->objects[i];
        PELT_ASSERT(object->vertex_count > 0 && object->triangle_count > 0);
        PeltiJson *mesh, *node, *primitive;
        int mesh_index = push_named(out, "meshes", object->name, &mesh);
        ok = pelti_json_set(mesh, "primitives", pelti_json_new_array()) &&
             pelti_json_push(pelti_json_get(mesh, "primitives"), pelti_json_new_object());
        primitive = pelti_json_at(pelti_json_get(mesh, "primitives"), 0);
        ok = ok && fill_primitive(bake, out, object, object->soft ? part++ : NULL, primitive);
        bake->object_nodes[i] = push_named(out, "nodes", object->name, &node);
        ok = ok &&
             (object->soft ? pelti_gltf_bake_weights(mesh, bake->morph.target_count) : set_placement(node, &bake->placements[i]));
        ok = ok && pelti_json_set(node, "mesh", pelti_json_new_int(mesh_index)) && enter_scene(out, bake->object_nodes[i]);
    }
    out->ok &= ok;
    return out->ok ? PELT_OK : pelti_no_memory(err, 0);
}
