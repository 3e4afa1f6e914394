/// Which bones carry a field and which vertices each owns.
#include "field/part.h"

#include "character/joints.h"
#include "field/constants.def"

/// Marks bones that some clip (or the file's own pose) turns (MOVES_TURN) or shifts (MOVES_SHIFT) against their parent.
static void mark_pose(const PeltiCharacter *who, const PeltiJoint *joints, bool *moves)
{
    for (int b = 0; b < who->bone_count; b++) {
        if (who->bones[b].parent < 0 || moves[b])
            continue;
        Mat3 m = mat3_mul(quat_to_mat3(joints[b].turn), joints[b].stretch);
        float cosine = 0.5f * (m.m[0][0] + m.m[1][1] + m.m[2][2] - 1);
        float shift = vec3_distance(joints[b].head, who->bones[b].head);
        moves[b] = !(cosine > MOVES_TURN) || shift > MOVES_SHIFT * who->mesh->diagonal;
    }
}

static PeltStatus find_moving(const PeltiCharacter *who, bool *moves, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &who->pool.allocator);
    PeltiPose pose = pelti_pose_new(&work, who);
    PeltiJoint *joints = PELTI_NEW(&work, PeltiJoint, who->bone_count);
    PeltStatus status = work.failed ? pelti_no_memory(err, sizeof(PeltiJoint) * (size_t)who->bone_count) : PELT_OK;
    for (int c = 0; c < who->clip_count && status == PELT_OK; c++)
        for (int k = 0; k <= CLIP_SAMPLES; k++) {
            pelti_pose_clip(who, &who->clips[c], (double)who->clips[c].duration_s * k / CLIP_SAMPLES, &pose);
            pelti_joints_pose(who, &pose, joints);
            mark_pose(who, joints, moves);
        }
    pelti_pool_release(&work);
    return status;
}

/// The bone whose part carries bone b: itself, or the nearest ancestor that moves.
static int carrier(const PeltiCharacter *who, const bool *moves, int b)
{
    while (!moves[b] && who->bones[b].parent >= 0)
        b = who->bones[b].parent;
    return b;
}

static void number_parts(const PeltiCharacter *who, const int *size, const bool *moves, PeltiPartition *out)
{
    int *of_bone = out->bone_part;
    for (int b = 0; b < who->bone_count; b++)
        of_bone[b] = -1;
    out->part_count = 0;
    for (int b = 0; b < who->bone_count; b++) // carriers with skin
        if (size[b] > 0) {
            out->part_size[out->part_count] = size[b];
            out->small[out->part_count] = size[b] < FEWEST;
            out->part_bone[out->part_count] = b;
            of_bone[b] = out->part_count++;
        }
    for (int p = 0; p < out->part_count; p++) {
        int b = who->bones[out->part_bone[p]].parent;
        while (b >= 0 && (size[carrier(who, moves, b)] == 0))
            b = who->bones[b].parent;
        out->part_parent[p] = b < 0 ? -1 : of_bone[carrier(who, moves, b)];
    }
    for (int b = 0; b < who->bone_count; b++) { // bones without skin of their own look to their ancestors
        int a = b;
        while (a >= 0 && size[carrier(who, moves, a)] == 0)
            a = who->bones[a].parent;
        if (of_bone[b] < 0)
            of_bone[b] = a < 0 ? -1 : of_bone[carrier(who, moves, a)];
    }
}

PeltStatus pelti_partition(PeltiPool *pool, const PeltiCharacter *who, const PeltiWeights *weights, bool join_still,
                           PeltiPartition *out, PeltError *err)
{
    int bones = who->bone_count, vertices = who->mesh->vertex_count;
    out->part_bone = PELTI_NEW(pool, int, bones);
    out->part_parent = PELTI_NEW(pool, int, bones);
    out->part_size = PELTI_NEW(pool, int, bones);
    out->small = PELTI_NEW(pool, bool, bones);
    out->bone_part = PELTI_NEW(pool, int, bones);
    out->vertex_part = PELTI_NEW(pool, int, vertices);
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    bool *moves = PELTI_NEW(&work, bool, bones);
    int *size = PELTI_NEW(&work, int, bones), *owner = PELTI_NEW(&work, int, vertices);
    PeltStatus status =
        pool->failed || work.failed ? pelti_no_memory(err, sizeof(int) * (size_t)(vertices + 6 * bones)) : PELT_OK;
    if (status == PELT_OK) {
        bool all = !join_still || who->clip_count == 0;
        for (int b = 0; b < bones; b++)
            moves[b] = all || who->bones[b].is_prop;
        if (!all)
            status = find_moving(who, moves, err);
    }
    if (status == PELT_OK) {
        for (int v = 0; v < vertices; v++) {
            owner[v] = carrier(who, moves, weights->bone[(size_t)v * (size_t)weights->influences]);
            size[owner[v]]++;
        }
        number_parts(who, size, moves, out);
        for (int v = 0; v < vertices; v++)
            out->vertex_part[v] = out->bone_part[owner[v]];
    }
    pelti_pool_release(&work);
    return status;
}
