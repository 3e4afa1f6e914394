/// Writes a character that came from no file as a glTF document.
#include "io/gltf_make.h"
#include "io/gltf_out.h"

#include <string.h>
#include <strings.h>

typedef struct Maker {
    const PeltiGltfMake *make;
    const PeltiCharacter *who;
    int part_count;
    const PeltiGltfPart *parts;
    int *material; // [part_count]
    PeltiGltfOut out;
} Maker;

static void set(Maker *m, PeltiJson *object, const char *key, PeltiJson *value)
{
    if (!object)
        pelti_json_release(value);
    m->out.ok &= object && pelti_json_set(object, key, value);
}

static void push(Maker *m, PeltiJson *array, PeltiJson *value)
{
    if (!array)
        pelti_json_release(value);
    m->out.ok &= array && pelti_json_push(array, value);
}

/// An empty object or array under a key, for filling.
static PeltiJson *open_object(Maker *m, PeltiJson *parent, const char *key)
{
    set(m, parent, key, pelti_json_new_object());
    return pelti_json_get(parent, key);
}

static PeltiJson *open_array(Maker *m, PeltiJson *parent, const char *key)
{
    set(m, parent, key, pelti_json_new_array());
    return pelti_json_get(parent, key);
}

static PeltiJson *append(Maker *m, const char *list)
{
    int index = pelti_gltf_out_push(&m->out, list, pelti_json_new_object());
    return pelti_json_at(pelti_gltf_out_list(&m->out, list), index);
}

static void set_floats(Maker *m, PeltiJson *object, const char *key, const float *values, int count)
{
    PeltiJson *list = open_array(m, object, key);
    for (int i = 0; i < count; i++)
        push(m, list, pelti_json_new_float(values[i]));
}

/// An accessor with a view of its own. Memory of `bytes` must last until the document is written.
static int add_array(Maker *m, const void *bytes, size_t size, PeltiGltfOutAccessor accessor, int target)
{
    accessor.view = pelti_gltf_out_view(&m->out, pelti_gltf_out_bytes(&m->out, bytes, size), size, 0, target);
    return pelti_gltf_out_accessor(&m->out, &accessor);
}

static void add_nodes(Maker *m)
{
    const PeltiCharacter *who = m->who;
    PeltiJson *nodes = pelti_gltf_out_list(&m->out, "nodes"), *scene = append(m, "scenes"),
              *roots = open_array(m, scene, "nodes");
    set(m, m->out.root, "scene", pelti_json_new_int(0));
    for (int n = 0; n < who->node_count; n++) {
        PeltiJson *node = append(m, "nodes");
        const Trs *trs = &who->nodes[n].trs;
        set(m, node, "name", pelti_json_new_text(who->nodes[n].name));
        if (vec3_length(trs->translation) > 0)
            set_floats(m, node, "translation", &trs->translation.x, 3);
        if (who->nodes[n].parent < 0)
            push(m, roots, pelti_json_new_int(n));
    }
    for (int n = 0; n < who->node_count; n++) {
        PeltiJson *parent = who->nodes[n].parent >= 0 ? pelti_json_at(nodes, who->nodes[n].parent) : NULL;
        if (!parent)
            continue;
        PeltiJson *children = pelti_json_get(parent, "children");
        push(m, children ? children : open_array(m, parent, "children"), pelti_json_new_int(n));
    }
    for (int i = 0; i < who->instance_count; i++) {
        PeltiJson *shown = pelti_json_at(nodes, who->instances[i].node);
        set(m, shown, "mesh", pelti_json_new_int(i));
        set(m, shown, "skin", pelti_json_new_int(0));
    }
}

static PeltStatus add_corners(Maker *m, const PeltiGltfPart *part, PeltiJson *primitive, PeltError *err)
{
    const PeltiCharacter *who = m->who;
    int count = 3 * part->triangle_count;
    bool small = part->point_count < 65535;
    size_t width = small ? sizeof(uint16_t) : sizeof(uint32_t);
    void *corners = pelti_pool_take(&m->out.pool, (size_t)count, width);
    if (!corners)
        return pelti_no_memory(err, (size_t)count * width);
    for (int i = 0; i < count; i++) {
        int point = who->point_triangles[part->first_triangle + i / 3][i % 3] - part->first_point;
        if (small)
            ((uint16_t *)corners)[i] = (uint16_t)point;
        else
            ((uint32_t *)corners)[i] = (uint32_t)point;
    }
    PeltiGltfOutAccessor accessor = {.count = count, .type = "SCALAR", .component = small ? PELTI_GLTF_U16 : PELTI_GLTF_U32};
    set(m, primitive, "indices", pelti_json_new_int(add_array(m, corners, (size_t)count * width, accessor, PELTI_GLTF_CORNERS)));
    return PELT_OK;
}

/// Joints as bytes, and weights: four a vertex.
static PeltStatus add_weights(Maker *m, const PeltiGltfPart *part, PeltiJson *attributes, PeltError *err)
{
    const PeltiCharacter *who = m->who;
    const float *sums = m->make->row_sums;
    int n = part->point_count, influences = who->file_weights.influences;
    unsigned char(*joints)[4] = pelti_pool_take(&m->out.pool, (size_t)n, sizeof *joints);
    float(*weights)[4] = pelti_pool_take(&m->out.pool, (size_t)n, sizeof *weights);
    if (m->out.pool.failed)
        return pelti_no_memory(err, (size_t)n * sizeof *weights);
    for (int p = 0; p < n; p++)
        for (int k = 0; k < 4 && k < influences; k++) {
            int point = part->first_point + p;
            joints[p][k] = (unsigned char)who->file_weights.bone[point * influences + k];
            weights[p][k] = who->file_weights.weight[point * influences + k] * (sums ? sums[point] : 1);
        }
    PeltiGltfOutAccessor accessor = {.count = n, .type = "VEC4", .component = PELTI_GLTF_U8};
    set(m, attributes, "JOINTS_0",
        pelti_json_new_int(add_array(m, joints, (size_t)n * sizeof *joints, accessor, PELTI_GLTF_VERTICES)));
    accessor.component = PELTI_GLTF_F32;
    set(m, attributes, "WEIGHTS_0",
        pelti_json_new_int(add_array(m, weights, (size_t)n * sizeof *weights, accessor, PELTI_GLTF_VERTICES)));
    return PELT_OK;
}

static bool same_material(const PeltiGltfPart *a, const PeltiGltfPart *b)
{
    return strcmp(a->material, b->material) == 0 && memcmp(a->colour, b->colour, sizeof a->colour) == 0;
}

/// Equal ones once. What is worn may be an open shell: seen from both sides.
static int add_material(Maker *m, int index)
{
    const PeltiGltfPart *part = &m->parts[index];
    int number = 0;
    for (int i = 0; i < index; i++) {
        if (same_material(&m->parts[i], part))
            return m->material[i];
        number = m->material[i] >= number ? m->material[i] + 1 : number;
    }
    float colour[4] = {part->colour[0], part->colour[1], part->colour[2], 1};
    PeltiJson *material = append(m, "materials"), *surface = open_object(m, material, "pbrMetallicRoughness");
    set(m, material, "name", pelti_json_new_text(part->material));
    set_floats(m, surface, "baseColorFactor", colour, 4);
    set(m, surface, "metallicFactor", pelti_json_new_int(0));
    set(m, surface, "roughnessFactor", pelti_json_new_float(0.65f));
    if (index > 0)
        set(m, material, "doubleSided", pelti_json_new_bool(true));
    return number;
}

static PeltStatus add_primitive(Maker *m, int index, PeltiJson *primitives, PeltError *err)
{
    const PeltiCharacter *who = m->who;
    const PeltiGltfPart *part = &m->parts[index];
    const Vec3 *points = who->rest_points + part->first_point;
    int n = part->point_count;
    push(m, primitives, pelti_json_new_object());
    PeltiJson *primitive = pelti_json_at(primitives, pelti_json_count(primitives) - 1),
              *attributes = open_object(m, primitive, "attributes");
    Vec3 low = points[0], high = low;
    for (int p = 0; p < n; p++) {
        low = vec3_min(low, points[p]);
        high = vec3_max(high, points[p]);
    }
    PeltiGltfOutAccessor accessor = {
        .count = n, .type = "VEC3", .component = PELTI_GLTF_F32, .bound_count = 3, .low = &low.x, .high = &high.x};
    size_t bytes = (size_t)n * sizeof(Vec3);
    set(m, attributes, "POSITION", pelti_json_new_int(add_array(m, points, bytes, accessor, PELTI_GLTF_VERTICES)));
    accessor.bound_count = 0;
    if (who->file_normals)
        set(m, attributes, "NORMAL",
            pelti_json_new_int(add_array(m, who->file_normals + part->first_point, bytes, accessor, PELTI_GLTF_VERTICES)));
    accessor.type = "VEC2";
    if (m->make->uv && index == 0)
        set(m, attributes, "TEXCOORD_0",
            pelti_json_new_int(add_array(m, m->make->uv, (size_t)n * sizeof *m->make->uv, accessor, PELTI_GLTF_VERTICES)));
    PELT_TRY(add_weights(m, part, attributes, err));
    PELT_TRY(add_corners(m, part, primitive, err));
    m->material[index] = add_material(m, index);
    set(m, primitive, "material", pelti_json_new_int(m->material[index]));
    return PELT_OK;
}

static PeltStatus add_meshes(Maker *m, PeltError *err)
{
    const PeltiCharacter *who = m->who;
    PeltiJson *primitives = NULL;
    m->material = PELTI_NEW(&m->out.pool, int, m->part_count);
    if (!m->material)
        return pelti_no_memory(err, (size_t)m->part_count * sizeof *m->material);
    for (int i = 0; i < m->part_count; i++) {
        if (i == 0 || m->parts[i].instance != m->parts[i - 1].instance) {
            PeltiJson *mesh = append(m, "meshes");
            set(m, mesh, "name", pelti_json_new_text(who->nodes[who->instances[m->parts[i].instance].node].name));
            primitives = open_array(m, mesh, "primitives");
        }
        PELT_TRY(add_primitive(m, i, primitives, err));
    }
    return PELT_OK;
}

/// Inverse bind matrices are column by column.
static PeltStatus add_skin(Maker *m, PeltError *err)
{
    const PeltiCharacter *who = m->who;
    float(*inverse)[4][4] = pelti_pool_take(&m->out.pool, (size_t)who->bone_count, sizeof *inverse);
    if (!inverse)
        return pelti_no_memory(err, (size_t)who->bone_count * sizeof *inverse);
    PeltiJson *skin = append(m, "skins"), *joints = open_array(m, skin, "joints");
    for (int b = 0; b < who->bone_count; b++) {
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 4; r++)
                inverse[b][c][r] = r < 3 ? (float)who->bones[b].rest_to_bone[r][c] : (float)(c == 3);
        push(m, joints, pelti_json_new_int(who->bones[b].node));
    }
    PeltiGltfOutAccessor accessor = {.count = who->bone_count, .type = "MAT4", .component = PELTI_GLTF_F32};
    set(m, skin, "inverseBindMatrices",
        pelti_json_new_int(add_array(m, inverse, (size_t)who->bone_count * sizeof *inverse, accessor, 0)));
    set(m, skin, "skeleton", pelti_json_new_int(who->bones[0].node));
    return PELT_OK;
}

static void add_channel(Maker *m, PeltiJson *animation, const PeltiChannel *channel, int times)
{
    static const char *const path[] = {"translation", "rotation", "scale"};
    PeltiJson *samplers = pelti_json_get(animation, "samplers"), *channels = pelti_json_get(animation, "channels");
    int width = channel->width, index = pelti_json_count(samplers);
    PeltiGltfOutAccessor accessor = {
        .count = channel->key_count, .type = width == 4 ? "VEC4" : "VEC3", .component = PELTI_GLTF_F32};
    int values = add_array(m, channel->values, (size_t)channel->key_count * (size_t)width * sizeof(float), accessor, 0);
    push(m, samplers, pelti_json_new_object());
    push(m, channels, pelti_json_new_object());
    PeltiJson *sampler = pelti_json_at(samplers, index), *item = pelti_json_at(channels, index);
    set(m, sampler, "input", pelti_json_new_int(times));
    set(m, sampler, "output", pelti_json_new_int(values));
    set(m, item, "sampler", pelti_json_new_int(index));
    PeltiJson *target = open_object(m, item, "target");
    set(m, target, "node", pelti_json_new_int(channel->node));
    set(m, target, "path", pelti_json_new_text(path[channel->path]));
}

/// Channels that share their key times share the accessor.
static void add_clips(Maker *m)
{
    const float *shared = NULL;
    int times = -1;
    for (int c = 0; c < m->who->clip_count; c++) {
        const PeltiClip *clip = &m->who->clips[c];
        PeltiJson *animation = append(m, "animations");
        set(m, animation, "name", pelti_json_new_text(clip->name));
        open_array(m, animation, "channels");
        open_array(m, animation, "samplers");
        for (int i = 0; i < clip->channel_count; i++) {
            const PeltiChannel *channel = &clip->channels[i];
            if (channel->times != shared) {
                PeltiGltfOutAccessor accessor = {.count = channel->key_count,
                                                 .type = "SCALAR",
                                                 .component = PELTI_GLTF_F32,
                                                 .bound_count = 1,
                                                 .low = &channel->times[0],
                                                 .high = &channel->times[channel->key_count - 1]};
                shared = channel->times;
                times = add_array(m, shared, (size_t)channel->key_count * sizeof(float), accessor, 0);
            }
            add_channel(m, animation, channel, times);
        }
    }
}

static PeltStatus build(Maker *m, PeltError *err)
{
    add_nodes(m);
    PELT_TRY(add_meshes(m, err));
    PELT_TRY(add_skin(m, err));
    add_clips(m);
    return PELT_OK;
}

PeltStatus pelti_gltf_make(const PeltiGltfMake *make, const char *path, PeltError *err)
{
    const PeltiCharacter *who = make->who;
    const PeltiGltfPart whole = {.material = "skin",
                                 .colour = {0.80f, 0.58f, 0.47f},
                                 .point_count = who->point_count,
                                 .triangle_count = who->triangle_count};
    PELT_ASSERT(who->bone_count < 256 && (make->parts || who->instance_count == 1));
    const char *dot = strrchr(path, '.');
    bool glb = dot && strcasecmp(dot, ".glb") == 0;
    if (!glb && !(dot && strcasecmp(dot, ".gltf") == 0))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%s: a character is written to .glb or .gltf", path);
    Maker m = {
        .make = make, .who = who, .part_count = make->parts ? make->part_count : 1, .parts = make->parts ? make->parts : &whole};
    PeltiFile file = {0};
    PeltStatus status = pelti_gltf_out_begin(&m.out, NULL, &who->pool.allocator, NULL, err);
    if (status == PELT_OK)
        status = build(&m, err);
    if (status == PELT_OK)
        status = pelti_file_begin(&file, path, err);
    if (status == PELT_OK)
        status = pelti_gltf_out_write(&m.out, &file, glb, err);
    if (status == PELT_OK)
        status = pelti_file_commit(&file, err);
    else
        pelti_file_abort(&file);
    pelti_gltf_out_end(&m.out);
    return status;
}
