/// From a document to a character: nodes, instances, points, triangles.
#include "character/pose_math.h"
#include "character/skeleton.h"
#include "io/gltf_parts.h"

#include <stdio.h>
#include <string.h>

/// Beyond this a square no longer fits a float by a safe margin.
static const double COORDINATE_MOST = 1e15;

// ---- nodes

static PeltStatus read_transform(const PeltiJsonAt *item, int index, PeltiNode *node, PeltError *err)
{
    PeltiJsonAt matrix = pelti_json_member(item, "matrix"), translation = pelti_json_member(item, "translation"),
                rotation = pelti_json_member(item, "rotation"), scale = pelti_json_member(item, "scale");
    double m[16], t[3] = {0}, r[4] = {0, 0, 0, 1}, s[3] = {1, 1, 1};
    PELT_TRY(pelti_json_doubles(&matrix, PELTI_OPTIONAL, 16, m, err));
    PELT_TRY(pelti_json_doubles(&translation, PELTI_OPTIONAL, 3, t, err));
    PELT_TRY(pelti_json_doubles(&rotation, PELTI_OPTIONAL, 4, r, err));
    PELT_TRY(pelti_json_doubles(&scale, PELTI_OPTIONAL, 3, s, err));
    node->has_matrix = matrix.value != NULL;
    Mat34 nearest = mat34_identity();
    for (int i = 0; node->has_matrix && i < 3; i++)
        for (int j = 0; j < 4; j++) {
            node->matrix[i][j] = m[4 * j + i];
            nearest.m[i][j] = (float)m[4 * j + i];
            if (!(fabs(m[4 * j + i]) <= COORDINATE_MOST))
                return PELT_FAIL(err, PELT_BAD_INPUT, "node %d: its matrix holds %g: numbers go to %g", index, m[4 * j + i],
                                 COORDINATE_MOST);
        }
    for (int i = 0; i < 3; i++)
        if (!(fabs(t[i]) <= COORDINATE_MOST && fabs(s[i]) <= COORDINATE_MOST && fabs(r[i]) <= COORDINATE_MOST) ||
            !(fabs(r[3]) <= COORDINATE_MOST))
            return PELT_FAIL(err, PELT_BAD_INPUT, "node %d: its transform holds numbers beyond %g", index, COORDINATE_MOST);
    double length = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]), f = length > 0 ? 1 / length : 0;
    node->trs.translation = vec3((float)t[0], (float)t[1], (float)t[2]);
    node->trs.rotation = quat_normalize((Quat){(float)(r[0] * f), (float)(r[1] * f), (float)(r[2] * f), (float)(r[3] * f)});
    node->trs.scale = vec3((float)s[0], (float)s[1], (float)s[2]);
    if (node->has_matrix)
        node->trs = trs_from_mat34(nearest);
    return PELT_OK;
}

const char *pelti_gltf_name(PeltiPool *pool, const PeltiJsonAt *item, const char *format, int index)
{
    char text[32];
    const char *name = pelti_json_text_of(pelti_json_get(item->value, "name"));
    snprintf(text, sizeof text, format, index);
    return pelti_pool_text(pool, name && *name ? name : text);
}

static PeltStatus read_nodes(PeltiGltfReader *reader, PeltError *err)
{
    PeltiCharacter *who = reader->who;
    PeltiJsonAt list = pelti_json_member(&reader->root, "nodes");
    who->node_count = reader->doc->node_count;
    who->nodes = PELTI_NEW(&who->pool, PeltiNode, who->node_count);
    if (!who->nodes)
        return pelti_no_memory(err, (size_t)who->node_count * sizeof(PeltiNode));
    for (int n = 0; n < who->node_count; n++) {
        PeltiJsonAt item = pelti_json_item(&list, n);
        who->nodes[n].parent = reader->doc->nodes[n].parent;
        who->nodes[n].name = pelti_gltf_name(&who->pool, &item, "node %d", n);
        if (!who->nodes[n].name)
            return pelti_no_memory(err, 0);
        PELT_TRY(read_transform(&item, n, &who->nodes[n], err));
    }
    return PELT_OK;
}

static PeltStatus place_nodes(PeltiGltfReader *reader, PeltError *err)
{
    PeltiCharacter *who = reader->who;
    PeltiPose pose = pelti_pose_new(&reader->work, who);
    reader->node_matrix = PELTI_NEW(&reader->work, PeltiNodeMatrix, who->node_count);
    if (reader->work.failed)
        return pelti_no_memory(err, (size_t)who->node_count * sizeof(PeltiNodeMatrix));
    pelti_pose_file(who, &pose);
    for (int k = 0; k < who->node_count; k++)
        pelti_pose_node_matrix(who, &pose, reader->doc->node_order[k], reader->node_matrix);
    for (int n = 0; n < who->node_count; n++)
        for (int k = 0; k < 12; k++)
            if (!(fabs(reader->node_matrix[n].m[k / 4][k % 4]) <= COORDINATE_MOST))
                return PELT_FAIL(err, PELT_BAD_INPUT, "node %d (\"%.60s\"): its place in the world is not finite", n,
                                 who->nodes[n].name);
    return PELT_OK;
}

// ---- instances

/// Meshes in file order, for each the live nodes that show it in node order.
static PeltStatus list_instances(PeltiGltfReader *reader, PeltError *err)
{
    const PeltiGltf *doc = reader->doc;
    PeltiCharacter *who = reader->who;
    int *start = PELTI_NEW(&reader->work, int, doc->mesh_count + 1), count = 0;
    if (!start)
        return pelti_no_memory(err, 0);
    for (int n = 0; n < doc->node_count; n++)
        if (doc->nodes[n].live && doc->nodes[n].mesh >= 0) {
            start[doc->nodes[n].mesh + 1]++;
            count++;
        }
    who->instances = PELTI_NEW(&who->pool, PeltiInstance, count);
    if (!who->instances)
        return pelti_no_memory(err, (size_t)count * sizeof(PeltiInstance));
    for (int m = 0; m < doc->mesh_count; m++)
        start[m + 1] += start[m];
    for (int n = 0; n < doc->node_count; n++)
        if (doc->nodes[n].live && doc->nodes[n].mesh >= 0)
            who->instances[start[doc->nodes[n].mesh]++] =
                (PeltiInstance){.node = n, .mesh = doc->nodes[n].mesh, .skin = doc->nodes[n].skin};
    who->instance_count = count;
    return PELT_OK;
}

static int corner_count(const PeltiGltf *doc, const PeltiGltfPrimitive *primitive)
{
    return primitive->indices >= 0 ? doc->accessors[primitive->indices].count : primitive->point_count;
}

static int triangle_count(const PeltiGltf *doc, const PeltiGltfPrimitive *primitive)
{
    int corners = corner_count(doc, primitive);
    if (primitive->position < 0 || primitive->mode < 4)
        return 0;
    return primitive->mode == 4 ? corners / 3 : corners > 2 ? corners - 2 : 0;
}

static PeltStatus count_points(PeltiGltfReader *reader, PeltError *err)
{
    const PeltiGltf *doc = reader->doc;
    PeltiCharacter *who = reader->who;
    size_t points = 0, triangles = 0;
    for (int i = 0; i < who->instance_count; i++) {
        PeltiInstance *instance = &who->instances[i];
        const PeltiGltfMesh *mesh = &doc->meshes[instance->mesh];
        instance->first_point = (int)points;
        instance->point_count = mesh->point_count;
        points += (size_t)mesh->point_count;
        for (int p = 0; p < mesh->primitive_count; p++)
            triangles += (size_t)triangle_count(doc, &doc->primitives[mesh->first_primitive + p]);
        if (points > doc->point_limit || triangles > 2 * doc->point_limit)
            return PELT_FAIL(
                err, PELT_BAD_INPUT,
                "node %d (\"%.60s\"): the scene now has %zu points and %zu triangles, more than a file of this size may "
                "(%zu points)",
                instance->node, who->nodes[instance->node].name, points, triangles, doc->point_limit);
    }
    if (points == 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "the scene shows no mesh: there is nothing to skin");
    if (triangles == 0)
        pelti_warn(&who->log, "no-triangles", "the scene has points but no triangles");
    who->point_count = (int)points;
    who->triangle_count = (int)triangles;
    return PELT_OK;
}

// ---- points and triangles

static PeltStatus check_coordinates(const PeltiGltfPrimitive *primitive, const Vec3 *points, PeltError *err)
{
    bool good = true;
    for (int i = 0; i < primitive->point_count; i++) {
        float most = fmaxf(fmaxf(fabsf(points[i].x), fabsf(points[i].y)), fabsf(points[i].z));
        bool number = points[i].x == points[i].x && points[i].y == points[i].y && points[i].z == points[i].z; // fmaxf hides NaN
        good = good && number && most <= (float)COORDINATE_MOST;
    }
    for (int i = 0; !good && i < primitive->point_count; i++)
        if (!(fabs((double)points[i].x) <= COORDINATE_MOST && fabs((double)points[i].y) <= COORDINATE_MOST &&
              fabs((double)points[i].z) <= COORDINATE_MOST))
            return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: vertex %d is at (%g, %g, %g): coordinates go to %g",
                             primitive->position, i, (double)points[i].x, (double)points[i].y, (double)points[i].z,
                             COORDINATE_MOST);
    return PELT_OK;
}

/// Corners as they come, moved to the instance's points; every one is in range afterwards.
static PeltStatus shift_corners(const PeltiGltfPrimitive *primitive, uint32_t *corners, int count, int first_point,
                                PeltError *err)
{
    uint32_t most = 0;
    for (int i = 0; i < count; i++)
        most = corners[i] > most ? corners[i] : most;
    if (count > 0 && most >= (uint32_t)primitive->point_count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: index %u, of %d vertices in accessor %d", primitive->indices, most,
                         primitive->point_count, primitive->position);
    for (int i = 0; i < count; i++)
        corners[i] += (uint32_t)first_point;
    return PELT_OK;
}

/// Strips and fans, wound as glTF 2.0, 3.7.2.1 says.
static void unroll(const uint32_t *corner, int triangles, int mode, int (*out)[3])
{
    for (int i = 0; i < triangles; i++) {
        out[i][0] = (int)corner[mode == 5 ? i : 0];
        out[i][1] = (int)corner[mode == 5 ? i + 1 + i % 2 : i + 1];
        out[i][2] = (int)corner[mode == 5 ? i + 2 - i % 2 : i + 2];
    }
}

static PeltStatus read_triangles(PeltiGltfReader *reader, const PeltiGltfPrimitive *primitive, int first_point, int (*out)[3],
                                 PeltError *err)
{
    int triangles = triangle_count(reader->doc, primitive), corners = corner_count(reader->doc, primitive);
    if (triangles == 0)
        return PELT_OK;
    bool list = primitive->mode == 4;
    if (list)
        corners = 3 * triangles;
    PeltAllocator *allocator = &reader->work.allocator;
    size_t bytes = (size_t)corners * sizeof(uint32_t);
    uint32_t *corner = list ? (uint32_t *)&out[0][0] : pelti_alloc(allocator, bytes); // a list is decoded in place
    if (!corner)
        return pelti_no_memory(err, bytes);
    PeltStatus status = PELT_OK;
    if (primitive->indices >= 0)
        status = pelti_gltf_indices_of(reader->doc, (PeltiGltfSpan){primitive->indices, 1, 0, corners}, corner, err);
    else
        for (int i = 0; i < corners; i++)
            corner[i] = (uint32_t)i;
    if (status == PELT_OK)
        status = shift_corners(primitive, corner, corners, first_point, err);
    if (status == PELT_OK && !list)
        unroll(corner, triangles, primitive->mode, out);
    if (!list)
        pelti_free(allocator, corner, bytes);
    return status;
}

/// Bind positions in the rest space of the skeleton, world units.
static void place_points(PeltiGltfReader *reader, const PeltiInstance *instance)
{
    const Vec3 *from = reader->positions + instance->first_point;
    Vec3 *to = reader->who->rest_points + instance->first_point;
    double m[3][4];
    pelti_gltf_to_rest(reader, instance, m);
    for (int i = 0; from != to && i < instance->point_count; i++) {
        double x = (double)from[i].x, y = (double)from[i].y, z = (double)from[i].z;
        to[i] = vec3((float)(m[0][0] * x + m[0][1] * y + m[0][2] * z + m[0][3]),
                     (float)(m[1][0] * x + m[1][1] * y + m[1][2] * z + m[1][3]),
                     (float)(m[2][0] * x + m[2][1] * y + m[2][2] * z + m[2][3]));
    }
}

/// Rest positions are the file's own where every skin has scale 1: then one array serves both.
static bool rest_is_as_in_file(const PeltiGltfReader *reader)
{
    for (int i = 0; i < reader->who->instance_count; i++) {
        const PeltiInstance *instance = &reader->who->instances[i];
        if (instance->skin < 0 || reader->skins[instance->skin].scale != 1 || !reader->skins[instance->skin].is_scaled_only)
            return false;
    }
    return true;
}

/// Positions, rest, triangles.
static PeltStatus read_points(PeltiGltfReader *reader, PeltError *err)
{
    const PeltiGltf *doc = reader->doc;
    PeltiCharacter *who = reader->who;
    who->rest_points = PELTI_NEW(&who->pool, Vec3, who->point_count);
    who->point_instance = PELTI_NEW(&who->pool, int, who->point_count);
    who->point_triangles = pelti_pool_take(&who->pool, (size_t)who->triangle_count, sizeof *who->point_triangles);
    reader->positions = rest_is_as_in_file(reader) ? who->rest_points : PELTI_NEW(&reader->work, Vec3, who->point_count);
    if (who->pool.failed || reader->work.failed)
        return pelti_no_memory(err, (size_t)who->point_count * sizeof(Vec3));
    int triangle = 0;
    for (int i = 0; i < who->instance_count; i++) {
        const PeltiInstance *instance = &who->instances[i];
        const PeltiGltfMesh *mesh = &doc->meshes[instance->mesh];
        int point = instance->first_point;
        for (int p = 0; p < mesh->primitive_count; p++) {
            const PeltiGltfPrimitive *primitive = &doc->primitives[mesh->first_primitive + p];
            if (primitive->position < 0)
                continue;
            PELT_TRY(pelti_gltf_floats(doc, primitive->position, 3, &reader->positions[point].x, err));
            PELT_TRY(check_coordinates(primitive, reader->positions + point, err));
            PELT_TRY(read_triangles(reader, primitive, point, who->point_triangles + triangle, err));
            triangle += triangle_count(doc, primitive);
            point += primitive->point_count;
        }
        for (int k = 0; k < instance->point_count; k++)
            who->point_instance[instance->first_point + k] = i;
        place_points(reader, instance);
    }
    for (int p = 0; p < who->point_count; p++)
        if (!vec3_finite(who->rest_points[p]))
            return PELT_FAIL(err, PELT_BAD_INPUT, "node %d: its mesh is too large for the world",
                             who->instances[who->point_instance[p]].node);
    return PELT_OK;
}

// ---- all of it

/// VRM 0.x characters look along -z; since 1.0 (VRMC_vrm) they look along +z like all of glTF.
static void read_facing(PeltiGltfReader *reader)
{
    PeltiJsonAt extensions = pelti_json_member(&reader->root, "extensions"), vrm = pelti_json_member(&extensions, "VRM");
    reader->who->faces_back = vrm.value != NULL;
}

static PeltStatus read_character(PeltiGltfReader *reader, PeltError *err)
{
    read_facing(reader);
    PELT_TRY(read_nodes(reader, err));
    PELT_TRY(place_nodes(reader, err));
    PELT_TRY(list_instances(reader, err));
    PELT_TRY(count_points(reader, err));
    PELT_TRY(pelti_gltf_read_skins(reader, err));
    PELT_TRY(pelti_gltf_place_skins(reader, err));
    PELT_TRY(pelti_gltf_read_bones(reader, err));
    PELT_TRY(read_points(reader, err));
    PELT_TRY(pelti_gltf_read_normals(reader, err));
    PELT_TRY(pelti_gltf_read_targets(reader, err));
    PELT_TRY(pelti_gltf_read_weights(reader, err));
    PELT_TRY(pelti_gltf_read_clips(reader, err));
    pelti_gltf_forget_pages(reader->doc); // all that is needed is copied: the rest of the work has the memory
    return PELT_OK;
}

static PeltStatus read_skeleton(PeltiGltfReader *reader, PeltError *err)
{
    PELT_TRY(read_nodes(reader, err));
    PELT_TRY(place_nodes(reader, err));
    PELT_TRY(pelti_gltf_read_clips(reader, err));
    return pelti_skeleton_order(reader->who, err);
}

/// What the helper program could not take along, as the character's own warnings.
static void repeat_notes(const PeltiGltf *doc, PeltiLog *log)
{
    for (const char *line = doc->notes; line && *line;) {
        size_t length = strcspn(line, "\n"), code = strcspn(line, ":");
        char name[48];
        if (code + 2 < length && code < sizeof name) {
            snprintf(name, sizeof name, "%.*s", (int)code, line);
            pelti_warn(log, name, "%.*s", (int)(length - code - 2), line + code + 2);
        }
        line += length + (line[length] == '\n');
    }
}

typedef enum ReadExtent { DECODE, FINISH, SKELETON } ReadExtent;

static PeltStatus create(const PeltiGltf *doc, const PeltAllocator *allocator, ReadExtent extent, PeltiCharacter **out,
                         PeltError *err)
{
    *out = NULL;
    PeltiCharacter *who = pelti_character_create(allocator);
    if (!who)
        return pelti_no_memory(err, sizeof *who);
    PeltiGltfReader reader = {.doc = doc, .who = who, .root = pelti_json_root(doc->root), .budget = doc->point_limit * 64};
    pelti_pool_init(&reader.work, allocator);
    repeat_notes(doc, &who->log);
    PeltStatus status = extent == SKELETON ? read_skeleton(&reader, err) : read_character(&reader, err);
    if (status == PELT_OK && extent == FINISH)
        status = pelti_character_finish(who, reader.positions, err);
    pelti_pool_release(&reader.work);
    if (status != PELT_OK) {
        pelti_character_destroy(who);
        return status;
    }
    *out = who;
    return PELT_OK;
}

PeltStatus pelti_gltf_character(const PeltiGltf *doc, const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err)
{
    return create(doc, allocator, FINISH, out, err);
}

PeltStatus pelti_gltf_decode(const PeltiGltf *doc, const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err)
{
    return create(doc, allocator, DECODE, out, err);
}

PeltStatus pelti_gltf_motion(const PeltiGltf *doc, const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err)
{
    bool shows = false;
    for (int n = 0; n < doc->node_count; n++)
        shows = shows || (doc->nodes[n].live && doc->nodes[n].skin >= 0);
    if (shows && create(doc, allocator, FINISH, out, NULL) == PELT_OK)
        return PELT_OK;
    return create(doc, allocator, SKELETON, out, err);
}
