/// Keeps the file's own morph targets in a baked mesh.
/// They come first, so that their numbers, and with them the expressions of a VRM, stay; their weights are 0, since what the
/// clip plays of them is in the frames. A baked mesh is the skin of frame 0 in world space: offsets are turned and scaled as the
/// skin around the point is, from rest to there.
#include "io/gltf_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct PeltiGltfOwn {
    Vec3 *base, *moved;           // [vertex_count] of frame 0; with one target
    Vec3 *rest_normals, *normals; // [vertex_count] at rest; of frame 0
    Vec3 *moved_normals;          // [vertex_count]
} PeltiGltfOwn;

/// The motion of a vertex' ring, and of its normal where the ring is flat.
static Mat3 turn_of(const PeltiGltfBake *bake, int v)
{
    const PeltiMesh *mesh = bake->def->who->mesh;
    const PeltiGltfOwn *own = bake->own;
    Mat3 sum = {{{0}}};
    float before = 0, after = 0;
    for (int i = mesh->ring_start[v]; i <= mesh->ring_start[v + 1]; i++) {
        bool last = i == mesh->ring_start[v + 1];
        Vec3 from = last ? own->rest_normals[v] : vec3_sub(mesh->rest[mesh->ring[i]], mesh->rest[v]);
        Vec3 to = last ? own->normals[v] : vec3_sub(own->base[mesh->ring[i]], own->base[v]);
        float share = last ? fmaxf(before, 1e-30f) : 1;
        for (int k = 0; k < 9; k++)
            sum.m[k / 3][k % 3] += share * (&to.x)[k / 3] * (&from.x)[k % 3];
        before += last ? 0 : vec3_dot(from, from);
        after += last ? 0 : vec3_dot(to, to);
    }
    return mat3_scale(mat3_polar(mat3_scale(sum, 1 / fmaxf(before, 1e-30f)), NULL), before > 0 ? sqrtf(after / before) : 1);
}

PeltStatus pelti_gltf_bake_own(PeltiGltfBake *bake, PeltiGltfOut *out, PeltError *err)
{
    const PeltiMesh *mesh = bake->def->who->mesh;
    PeltiPool *pool = &out->pool;
    if (!bake->first)
        return PELT_OK;
    bake->own = PELTI_NEW(pool, PeltiGltfOwn, 1);
    Vec3 *all = PELTI_NEW(pool, Vec3, (size_t)5 * (size_t)mesh->vertex_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)5 * (size_t)mesh->vertex_count * sizeof *all);
    size_t n = (size_t)mesh->vertex_count;
    *bake->own = (PeltiGltfOwn){all, all + n, all + 2 * n, all + 3 * n, all + 4 * n};
    pelti_mesh_gather(mesh, bake->first, bake->own->base);
    memcpy(bake->own->moved, bake->own->base, n * sizeof *all);
    pelti_mesh_normals(mesh, mesh->rest, bake->own->rest_normals);
    pelti_mesh_normals(mesh, bake->own->base, bake->own->normals);
    return PELT_OK;
}

int pelti_gltf_bake_own_count(const PeltiGltfBake *bake, const PeltiGltfBaked *baked)
{
    return bake->own ? bake->def->who->instances[baked->instance].target_count : 0;
}

/// Offsets of the part's points that the target moves; all of the target's vertices are in `moved` then.
static bool carry(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part, const PeltiTarget *target,
                  PeltiGltfOutOffsets *offsets)
{
    const PeltiMesh *mesh = bake->def->who->mesh;
    int end = part->first_point + part->point_count;
    *offsets = (PeltiGltfOutOffsets){.points = PELTI_NEW(&out->pool, uint32_t, part->point_count),
                                     .moves = PELTI_NEW(&out->pool, Vec3, part->point_count)};
    if (out->pool.failed)
        return false;
    for (int i = 0; i < target->count; i++) {
        int p = target->points[i], v = mesh->weld[p];
        Vec3 move = mat3_apply(turn_of(bake, v), target->offsets[i]);
        bake->own->moved[v] = vec3_add(bake->own->base[v], move);
        if (p >= part->first_point && p < end) {
            offsets->points[offsets->count] = (uint32_t)(p - part->first_point);
            offsets->moves[offsets->count++] = move;
        }
    }
    return true;
}

/// How the normals of a part turn where `moved` stands.
static bool turn_normals(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part, PeltiGltfOutOffsets *offsets)
{
    const PeltiMesh *mesh = bake->def->who->mesh;
    *offsets = (PeltiGltfOutOffsets){.points = PELTI_NEW(&out->pool, uint32_t, part->point_count),
                                     .moves = PELTI_NEW(&out->pool, Vec3, part->point_count)};
    if (out->pool.failed)
        return false;
    pelti_mesh_normals(mesh, bake->own->moved, bake->own->moved_normals);
    for (int p = 0; p < part->point_count; p++) {
        int v = mesh->weld[part->first_point + p];
        Vec3 turn = vec3_sub(bake->own->moved_normals[v], bake->own->normals[v]);
        if (vec3_dot(turn, turn) > 1e-12f) {
            offsets->points[offsets->count] = (uint32_t)p;
            offsets->moves[offsets->count++] = turn;
        }
    }
    return true;
}

static bool push_target(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part, const PeltiTarget *target,
                        PeltiJson *targets)
{
    const PeltiMesh *mesh = bake->def->who->mesh;
    PeltiGltfOutOffsets places, normals = {0};
    PeltiJson *json = pelti_json_new_object();
    bool ok = pelti_json_push(targets, json) && carry(bake, out, part, target, &places);
    if (ok && part->has_normals && places.count > 0)
        ok = turn_normals(bake, out, part, &normals);
    for (int i = 0; i < target->count; i++) {
        int v = mesh->weld[target->points[i]];
        bake->own->moved[v] = bake->own->base[v];
    }
    if (!ok)
        return false;
    ok = pelti_json_set(json, "POSITION", pelti_json_new_int(pelti_gltf_out_offsets(out, part->point_count, &places)));
    if (part->has_normals)
        ok &= pelti_json_set(json, "NORMAL", pelti_json_new_int(pelti_gltf_out_offsets(out, part->point_count, &normals)));
    return ok;
}

bool pelti_gltf_bake_own_targets(const PeltiGltfBake *bake, PeltiGltfOut *out, const PeltiMorphPart *part, PeltiJson *targets)
{
    const PeltiCharacter *who = bake->def->who;
    int index = (int)(part - bake->parts);
    bool ok = true;
    for (int i = 0; i < bake->baked_count; i++) {
        const PeltiGltfBaked *baked = &bake->baked[i];
        if (index < baked->first_part || index >= baked->first_part + baked->part_count)
            continue;
        for (int k = 0; ok && k < pelti_gltf_bake_own_count(bake, baked); k++)
            ok = push_target(bake, out, part, &who->targets[who->instances[baked->instance].first_target + k], targets);
    }
    return ok;
}

bool pelti_gltf_bake_own_names(const PeltiGltfBake *bake, const PeltiGltfBaked *baked, PeltiJson *extras)
{
    PeltiJson *old = pelti_json_get(extras, "targetNames"), *names = old ? pelti_json_new_array() : NULL;
    int own = pelti_gltf_bake_own_count(bake, baked);
    bool ok = !old || names;
    for (int i = 0; names && ok && i < own + bake->morph.target_count; i++) {
        char text[32];
        snprintf(text, sizeof text, i < own ? "%d" : "bake %d", i < own ? i : i - own);
        PeltiJson *name =
            i < own && i < pelti_json_count(old) ? pelti_json_keep(pelti_json_at(old, i)) : pelti_json_new_text(text);
        ok = pelti_json_push(names, name);
    }
    if (names && ok)
        return pelti_json_set(extras, "targetNames", names);
    pelti_json_release(names);
    return ok;
}
