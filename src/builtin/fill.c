/// Fills a character from a body, its skin and its pieces.
#include "builtin/fill.h"
#include "builtin/random.h"
#include "character/skeleton.h"

#include <stdlib.h>
#include <string.h>

// ---- vertices in the order of a space-filling curve: neighbours in space are neighbours in memory ----

typedef struct MortonVertex {
    uint64_t key;
    int vertex;
} MortonVertex;

static int compare_places(const void *a, const void *b)
{
    const MortonVertex *p = a, *q = b;
    return p->key != q->key ? (p->key > q->key) - (p->key < q->key) : p->vertex - q->vertex;
}

static uint64_t spread(uint64_t x) // 21 bits to every third
{
    x = (x | x << 32) & 0x1f00000000ffffull;
    x = (x | x << 16) & 0x1f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

static void sort_places(const PeltiRemeshSurface *s, MortonVertex *places)
{
    Vec3 low = s->position[0], high = low;
    for (int v = 0; v < s->vertex_count; v++) {
        low = vec3_min(low, s->position[v]);
        high = vec3_max(high, s->position[v]);
    }
    Vec3 size = vec3_sub(high, low);
    float scale = 65535 / fmaxf(size.x, fmaxf(size.y, size.z));
    for (int v = 0; v < s->vertex_count; v++) {
        Vec3 q = vec3_scale(vec3_sub(s->position[v], low), scale);
        places[v] = (MortonVertex){spread((uint64_t)q.x) | spread((uint64_t)q.y) << 1 | spread((uint64_t)q.z) << 2, v};
    }
    qsort(places, (size_t)s->vertex_count, sizeof *places, compare_places);
}

static int compare_triangles(const void *a, const void *b)
{
    const int *p = a, *q = b;
    for (int i = 0; i < 3; i++)
        if (p[i] != q[i])
            return p[i] - q[i];
    return 0;
}

/// Points, normals, triangles and weights in curve order; each triangle starts with its lowest corner.
PeltStatus pelti_fill_skin(PeltiCharacter *who, const PeltiRemeshSurface *s, const PeltiInfluences *influences, PeltiPool *work,
                           PeltError *err)
{
    int n = s->vertex_count;
    MortonVertex *places = PELTI_NEW(work, MortonVertex, n);
    int *number = PELTI_NEW(work, int, n), *bone = PELTI_NEW(&who->pool, int, (size_t)n *PELTI_BUILTIN_INFLUENCES);
    float *weight = PELTI_NEW(&who->pool, float, (size_t)n *PELTI_BUILTIN_INFLUENCES);
    who->point_count = n;
    who->triangle_count = s->triangle_count;
    who->rest_points = PELTI_NEW(&who->pool, Vec3, n);
    who->file_normals = PELTI_NEW(&who->pool, Vec3, n);
    who->point_instance = PELTI_NEW(&who->pool, int, n);
    who->point_triangles = pelti_pool_take(&who->pool, (size_t)s->triangle_count, sizeof *who->point_triangles);
    if (who->pool.failed || work->failed)
        return pelti_no_memory(err, (size_t)n * sizeof *places);
    sort_places(s, places);
    for (int i = 0; i < n; i++) {
        int v = places[i].vertex;
        number[v] = i;
        who->rest_points[i] = s->position[v];
        who->file_normals[i] = s->normal[v];
        for (int k = 0; k < PELTI_BUILTIN_INFLUENCES; k++) {
            bone[i * PELTI_BUILTIN_INFLUENCES + k] = influences[v].bone[k];
            weight[i * PELTI_BUILTIN_INFLUENCES + k] = influences[v].weight[k];
        }
    }
    for (int t = 0; t < s->triangle_count; t++) {
        int c[3] = {number[s->corner[3 * t]], number[s->corner[3 * t + 1]], number[s->corner[3 * t + 2]]};
        int first = c[0] < c[1] ? (c[0] < c[2] ? 0 : 2) : c[1] < c[2] ? 1 : 2;
        for (int i = 0; i < 3; i++)
            who->point_triangles[t][i] = c[(first + i) % 3];
    }
    qsort(who->point_triangles, (size_t)s->triangle_count, sizeof *who->point_triangles, compare_triangles);
    who->file_weights = (PeltiWeights){PELTI_BUILTIN_INFLUENCES, bone, weight};
    return PELT_OK;
}

static PeltStatus forget_weights(PeltiCharacter *who, PeltError *err)
{
    size_t count = (size_t)who->point_count * PELTI_BUILTIN_INFLUENCES;
    float *weight = PELTI_NEW(&who->pool, float, count);
    who->file_weights.bone = PELTI_NEW(&who->pool, int, count);
    who->file_weights.weight = weight;
    if (who->pool.failed)
        return pelti_no_memory(err, count * sizeof *weight);
    for (int p = 0; p < who->point_count; p++)
        weight[p * PELTI_BUILTIN_INFLUENCES] = 1;
    return PELT_OK;
}

/// A larger copy of an array of the character; the pool keeps the old one until the character goes.
static void *grown(PeltiCharacter *who, const void *old, size_t old_count, size_t count, size_t size)
{
    void *fresh = pelti_pool_take(&who->pool, count, size);
    if (fresh && old_count > 0)
        memcpy(fresh, old, old_count * size);
    return fresh;
}

PeltStatus pelti_fill_pieces(PeltiCharacter *who, const PeltiWear *pieces, bool one_mesh, PeltError *err)
{
    enum { K = PELTI_BUILTIN_INFLUENCES };
    size_t old = (size_t)who->point_count, more = pieces->points.count, n = old + more;
    const PeltiWearPoint *from = (const PeltiWearPoint *)(void *)pieces->points.data;
    const int(*corner)[3] = (const int(*)[3])(void *)pieces->triangles.data;
    if (more == 0)
        return PELT_OK;
    Vec3 *points = grown(who, who->rest_points, old, n, sizeof *points);
    Vec3 *normals = grown(who, who->file_normals, old, n, sizeof *normals);
    int *instance = grown(who, who->point_instance, old, n, sizeof *instance);
    int *bone = grown(who, who->file_weights.bone, old * K, n * K, sizeof *bone);
    float *weight = grown(who, who->file_weights.weight, old * K, n * K, sizeof *weight);
    size_t triangles = (size_t)who->triangle_count, count = triangles + pieces->triangles.count;
    int(*all)[3] = grown(who, who->point_triangles, triangles, count, sizeof *all);
    if (who->pool.failed)
        return pelti_no_memory(err, n * sizeof *points);
    for (size_t p = 0; p < more; p++) {
        points[old + p] = from[p].position;
        normals[old + p] = from[p].normal;
        memcpy(&bone[(old + p) * K], from[p].weights.bone, sizeof from[p].weights.bone);
        memcpy(&weight[(old + p) * K], from[p].weights.weight, sizeof from[p].weights.weight);
    }
    for (int i = 0; i < pieces->piece_count && !one_mesh; i++)
        for (int p = 0; p < pieces->pieces[i].point_count; p++)
            instance[old + (size_t)(pieces->pieces[i].first_point + p)] = i + 1;
    for (size_t t = 0; t < pieces->triangles.count; t++)
        for (int i = 0; i < 3; i++)
            all[triangles + t][i] = (int)old + corner[t][i];
    who->rest_points = points;
    who->file_normals = normals;
    who->point_instance = instance;
    who->point_triangles = all;
    who->point_count = (int)n;
    who->triangle_count = (int)count;
    who->file_weights = (PeltiWeights){K, bone, weight};
    return PELT_OK;
}

PeltStatus pelti_fill_parts(const PeltiFigure *body, const PeltiWear *pieces, bool one_mesh, PeltiFillSkin skin,
                            PeltiBuiltin *made, PeltError *err)
{
    PeltiCharacter *who = made->who;
    PeltiBuiltinPart *parts = PELTI_NEW(&who->pool, PeltiBuiltinPart, pieces->piece_count + 1);
    if (!parts)
        return pelti_no_memory(err, sizeof *parts);
    parts[0] = (PeltiBuiltinPart){.name = pelti_pool_text(&who->pool, body->name),
                                  .material = "skin",
                                  .colour = {0.80f, 0.58f, 0.47f},
                                  .point_count = skin.points,
                                  .triangle_count = skin.triangles};
    for (int i = 0; i < pieces->piece_count; i++) {
        const PeltiWearPiece *piece = &pieces->pieces[i];
        parts[i + 1] = (PeltiBuiltinPart){.name = piece->name,
                                          .material = piece->material,
                                          .colour = {piece->colour[0], piece->colour[1], piece->colour[2]},
                                          .instance = one_mesh ? 0 : i + 1,
                                          .first_point = skin.points + piece->first_point,
                                          .point_count = piece->point_count,
                                          .first_triangle = skin.triangles + piece->first_triangle,
                                          .triangle_count = piece->triangle_count};
    }
    made->part_count = pieces->piece_count + 1;
    made->parts = parts;
    return PELT_OK;
}

/// Nodes 0 ... are the joints, unrotated at rest; those after them show the meshes.
PeltStatus pelti_fill_skeleton(PeltiCharacter *who, const PeltiFigure *body, const PeltiBuiltin *made, PeltError *err)
{
    int n = body->bone_count, shown = made->parts[made->part_count - 1].instance + 1;
    int *bones = PELTI_NEW(&who->pool, int, n);
    who->node_count = n + shown;
    who->bone_count = n;
    who->instance_count = shown;
    who->skin_count = 1;
    who->nodes = PELTI_NEW(&who->pool, PeltiNode, n + shown);
    who->bones = PELTI_NEW(&who->pool, PeltiBone, n);
    who->instances = PELTI_NEW(&who->pool, PeltiInstance, shown);
    if (who->pool.failed)
        return pelti_no_memory(err, (size_t)n * sizeof *who->nodes);
    for (int b = 0; b < n; b++) {
        const PeltiFigureBone *from = &body->bones[b];
        Trs trs = trs_identity();
        trs.translation = from->parent < 0 ? from->head : vec3_sub(from->head, body->bones[from->parent].head);
        who->nodes[b] = (PeltiNode){.name = pelti_pool_text(&who->pool, from->name), .parent = from->parent, .trs = trs};
        who->bones[b] = (PeltiBone){.node = b,
                                    .rest_to_bone = {{1, 0, 0, -(double)from->head.x},
                                                     {0, 1, 0, -(double)from->head.y},
                                                     {0, 0, 1, -(double)from->head.z}}};
        bones[b] = b;
    }
    for (int i = 0; i < made->part_count; i++) {
        const PeltiBuiltinPart *part = &made->parts[i];
        PeltiInstance *instance = &who->instances[part->instance];
        instance->point_count += part->point_count;
        if (i > 0 && part->instance == 0)
            continue;
        *instance = (PeltiInstance){.node = n + part->instance,
                                    .mesh = part->instance,
                                    .first_point = part->first_point,
                                    .point_count = part->point_count,
                                    .bone_count = n,
                                    .bones = bones,
                                    .scale = 1};
        who->nodes[instance->node] = (PeltiNode){.name = part->name, .parent = -1, .trs = trs_identity()};
    }
    return who->pool.failed ? pelti_no_memory(err, 64) : PELT_OK;
}

/// Each point of the skin to the bone whose segment is nearest, of the whole body; pieces to the bone they go with most.
static PeltStatus one_joint(PeltiCharacter *who, const PeltiFigure *body, int skin_points, PeltError *err)
{
    enum { K = PELTI_BUILTIN_INFLUENCES };
    const int *before = who->file_weights.bone;
    PELT_TRY(forget_weights(who, err));
    int *bone = grown(who, before, 0, (size_t)who->point_count * K, sizeof *bone);
    if (!bone)
        return pelti_no_memory(err, (size_t)who->point_count * K * sizeof *bone);
    for (int p = 0; p < who->point_count; p++) {
        float least = INFINITY;
        bone[p * K] = before[p * K];
        for (int b = 0; b < body->bone_count && p < skin_points; b++) {
            float d = pelti_skeleton_segment_distance2(who->rest_points[p], body->bones[b].head, body->bones[b].tail, NULL);
            if (d < least) {
                least = d;
                bone[p * K] = b;
            }
        }
    }
    who->file_weights.bone = bone;
    return PELT_OK;
}

PeltiPainting pelti_painting_draw(uint64_t seed)
{
    PeltiRandom r = pelti_random(seed, "painting");
    float draw = seed ? pelti_random_unit(&r) : 0;
    return draw < 0.7f   ? PELTI_PAINT_SMOOTH
           : draw < 0.8f ? PELTI_PAINT_ONE_JOINT
           : draw < 0.9f ? PELTI_PAINT_UNNORMALISED
                         : PELTI_PAINT_MISSING;
}

PeltStatus pelti_fill_painting(const PeltiFigure *body, PeltiPainting painting, uint64_t seed, int skin_points,
                               PeltiBuiltin *made, PeltError *err)
{
    PeltiCharacter *who = made->who;
    if (painting == PELTI_PAINT_NONE)
        return forget_weights(who, err);
    if (painting == PELTI_PAINT_ONE_JOINT)
        return one_joint(who, body, skin_points, err);
    if (painting == PELTI_PAINT_SMOOTH)
        return PELT_OK;
    PeltiRandom r = pelti_random(seed, "row sums");
    float *sums = PELTI_NEW(&who->pool, float, who->point_count);
    if (!sums)
        return pelti_no_memory(err, (size_t)who->point_count * sizeof *sums);
    for (int p = 0; p < who->point_count; p++)
        sums[p] =
            painting == PELTI_PAINT_UNNORMALISED ? pelti_random_between(&r, 0.77f, 1) : (float)!pelti_random_chance(&r, 0.02f);
    made->row_sums = sums;
    return PELT_OK;
}

void pelti_fill_unit(PeltiCharacter *who, uint64_t seed)
{
    PeltiRandom r = pelti_random(seed, "unit");
    const float scale = 100;
    if (!seed || !pelti_random_chance(&r, 1 / 6.0f))
        return;
    for (int p = 0; p < who->point_count; p++)
        who->rest_points[p] = vec3_scale(who->rest_points[p], scale);
    for (int n = 0; n < who->node_count; n++)
        who->nodes[n].trs.translation = vec3_scale(who->nodes[n].trs.translation, scale);
    for (int b = 0; b < who->bone_count; b++)
        for (int i = 0; i < 3; i++)
            who->bones[b].rest_to_bone[i][3] *= (double)scale;
    for (int c = 0; c < who->clip_count; c++)
        for (int i = 0; i < who->clips[c].channel_count; i++) {
            const PeltiChannel *channel = &who->clips[c].channels[i];
            float *values = (float *)(uintptr_t)channel->values; // in the character's own pool, not yet finished
            for (int k = 0; k < 3 * channel->key_count && channel->path == PELTI_CHANNEL_TRANSLATION; k++)
                values[k] *= scale;
        }
}
