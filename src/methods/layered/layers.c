// Layers along projection segments, masses, stiffness and joint distances ([Deul2013] sec. 3, 4.4).
#include "character/skeleton.h"
#include "geometry/ray.h"
#include "math/elementary.h"
#include "methods/layered/flesh.h"

#include <pelt/rig.h>

#include <string.h>

// ---- what the rig says ----

static void take_joint(PeltiFleshBone *bone, const PeltRigJoint *joint)
{
    const float usual_density = 1000; // kg per unit^3, of flesh in metres
    const float usual_joint = 10;     // N m / rad
    if (joint->joint_stiffness >= 0)
        bone->joint_stiffness = joint->joint_stiffness / usual_joint;
    for (int l = 0; l < PELTI_LAYERS; l++) {
        if (l > 0 && joint->projection[l - 1] >= 0)
            bone->projection[l] = joint->projection[l - 1];
        if (joint->layer_stiffness[l] >= 0)
            bone->stiffness[l] = joint->layer_stiffness[l];
        if (joint->layer_density[l] > 0)
            bone->density[l] = joint->layer_density[l] / usual_density;
        if (joint->firmness >= 0)
            bone->stiffness[l] = 1 - pelti_powf(1 - fminf(bone->stiffness[l], 0.999f), joint->firmness);
    }
}

static int find_bone(const PeltiCharacter *who, const char *name)
{
    for (int b = 0; b < who->bone_count; b++)
        if (!strcmp(who->nodes[who->bones[b].node].name, name))
            return b;
    return -1;
}

/// Bones named together are one sub-volume, which reaches some way into the bones that hang on it.
static void take_volumes(PeltiFlesh *flesh, const PeltRig *rig, PeltiLog *log)
{
    for (int i = 0; rig && i < rig->volume_count; i++) {
        int first = -1;
        for (int k = 0; k < rig->volumes[i].bone_count; k++) {
            int b = find_bone(flesh->who, rig->volumes[i].bones[k]);
            if (b < 0) {
                pelti_warn(log, "rig-bone-unknown", "volume \"%s\": the character has no bone \"%s\"", rig->volumes[i].name,
                           rig->volumes[i].bones[k]);
                continue;
            }
            first = first < 0 ? b : first;
            flesh->around[b].volume = first;
            flesh->around[b].cut = 0;
        }
        for (int b = 0; first >= 0 && b < flesh->who->bone_count; b++) {
            int parent = flesh->who->bones[b].parent;
            if (parent >= 0 && flesh->around[parent].volume == first && flesh->around[b].volume != first)
                flesh->around[b].cut = rig->volumes[i].cut;
        }
    }
}

static void take_rig(PeltiFlesh *flesh, const PeltiPrepare *in)
{
    const PeltRig *rig = (const PeltRig *)in->options->rig;
    for (int b = 0; b < flesh->who->bone_count; b++) {
        PeltiFleshBone *bone = &flesh->around[b];
        const PeltRigJoint *joint = pelt_rig_joint(rig, flesh->who->nodes[flesh->who->bones[b].node].name);
        *bone = (PeltiFleshBone){.density = {1, 1, 1, 1}, .volume = b, .cut = flesh->set.cut, .joint_stiffness = 1};
        memcpy(bone->projection, flesh->set.projection, sizeof bone->projection);
        memcpy(bone->stiffness, flesh->set.stiffness, sizeof bone->stiffness);
        if (joint)
            take_joint(bone, joint);
    }
    take_volumes(flesh, rig, in->log);
}

enum { PROJECTION, STIFFNESS, DENSITY };

/// Mean over the bones that move a slot, by weight.
static float around(const PeltiFlesh *flesh, int slot, int layer, int what)
{
    float sum = 0, total = 0;
    for (int k = 0; k < flesh->influences; k++) {
        size_t i = (size_t)slot * (size_t)flesh->influences + (size_t)k;
        const PeltiFleshBone *bone = &flesh->around[flesh->bone[i]];
        if (!(flesh->weight[i] > 0))
            continue;
        sum += flesh->weight[i] * (what == PROJECTION  ? bone->projection
                                   : what == STIFFNESS ? bone->stiffness
                                                       : bone->density)[layer];
        total += flesh->weight[i];
    }
    const float *usual = what == PROJECTION ? flesh->set.projection : flesh->set.stiffness;
    return total > 0 ? sum / total : what == DENSITY ? 1 : usual[layer];
}

// ---- layers ----

/// Nearest point to p on a bone's segments.
static Vec3 nearest_on_bone(const PeltiCharacter *who, int bone, Vec3 p)
{
    Vec3 at = who->bones[bone].head;
    float best = INFINITY;
    for (int s = 0; s < who->bones[bone].segment_count; s++) {
        const PeltiSegment *segment = &who->segments[who->bones[bone].segment_first + s];
        float t, d = pelti_segment_distance2(p, segment->a, segment->b, &t);
        if (d < best) {
            best = d;
            at = vec3_lerp(segment->a, segment->b, t);
        }
    }
    return at;
}

/// End of the projection segment. The paper takes the bone "depending on the skinning weights"; the weighted mean of the
/// nearest points of all influences is the same away from joints and does not tear the inner layers where the bone changes.
static Vec3 foot_point(const PeltiFlesh *flesh, int slot, Vec3 p)
{
    Vec3 sum = {0, 0, 0};
    float total = 0;
    for (int k = 0; k < flesh->influences; k++) {
        float w = flesh->weight[(size_t)slot * (size_t)flesh->influences + (size_t)k];
        if (!(w > 0))
            continue;
        sum = vec3_mad(sum, nearest_on_bone(flesh->who, flesh->bone[(size_t)slot * (size_t)flesh->influences + (size_t)k], p), w);
        total += w;
    }
    return total > 0 ? vec3_scale(sum, 1 / total) : p;
}

/// Mean over the ring, several times: `value` is left smoothed, `other` is scratch.
static void smooth_points(const PeltiMesh *mesh, Vec3 *value, Vec3 *other, int passes)
{
    for (int pass = 0; pass < passes; pass++) {
        for (int v = 0; v < mesh->vertex_count; v++) {
            Vec3 sum = value[v];
            int first = mesh->ring_start[v], last = mesh->ring_start[v + 1];
            for (int r = first; r < last; r++)
                sum = vec3_add(sum, value[mesh->ring[r]]);
            other[v] = vec3_scale(sum, 1 / (float)(last - first + 1));
        }
        memcpy(value, other, sizeof *value * (size_t)mesh->vertex_count);
    }
}

/// Half the way through the flesh below each vertex, along its normal; INFINITY where the ray leaves.
static void half_thickness(const PeltiMesh *mesh, const PeltiBoxTree *tree, const Vec3 *normals, float *half)
{
    for (int v = 0; v < mesh->vertex_count; v++) {
        PeltiRay ray = {mesh->rest[v], 1e-4f * mesh->diagonal, vec3_scale(normals[v], -1), INFINITY};
        PeltiHit hit;
        half[v] = pelti_box_tree_first_hit(tree, mesh->triangles, mesh->rest, &ray, &hit) ? 0.5f * hit.distance : INFINITY;
    }
}

/// Feet of all vertices. Where the bone is much farther than the middle of the flesh (a hand's fingers that have no bones of
/// their own, an ear) the segment would leave the body: there the foot is the middle of the flesh. The change from one to the
/// other is smoothed, so that layers do not tear.
static PeltStatus find_feet(PeltiFlesh *flesh, PeltiPool *work, Vec3 *feet, PeltError *err)
{
    const PeltiMesh *mesh = flesh->mesh;
    const float near_ratio = 1.5f, far_ratio = 2.5f; // distance to the bone over half the thickness
    Vec3 *normals = PELTI_NEW(work, Vec3, mesh->vertex_count), *moved = PELTI_NEW(work, Vec3, mesh->vertex_count);
    Vec3 *scratch = PELTI_NEW(work, Vec3, mesh->vertex_count);
    float *half = PELTI_NEW(work, float, mesh->vertex_count);
    PeltiBoxTree *tree;
    if (work->failed)
        return pelti_no_memory(err, sizeof(Vec3) * 3 * (size_t)mesh->vertex_count);
    PELT_TRY(pelti_box_tree_build_triangles(work, mesh->triangle_count, mesh->triangles, mesh->rest, &tree, err));
    pelti_mesh_normals(mesh, mesh->rest, normals);
    half_thickness(mesh, tree, normals, half);
    for (int v = 0; v < mesh->vertex_count; v++) { // how far the foot moves away from the bone, as a vector
        feet[v] = foot_point(flesh, flesh->paths.slot[v], mesh->rest[v]);
        float ratio = vec3_distance(feet[v], mesh->rest[v]) / fmaxf(half[v], 1e-6f * flesh->size);
        float t = fminf(fmaxf((ratio - near_ratio) / (far_ratio - near_ratio), 0), 1);
        Vec3 middle = half[v] < INFINITY ? vec3_mad(mesh->rest[v], normals[v], -half[v]) : feet[v];
        moved[v] = vec3_scale(vec3_sub(middle, feet[v]), t * t * (3 - 2 * t));
    }
    smooth_points(mesh, moved, scratch, 4);
    for (int v = 0; v < mesh->vertex_count; v++)
        feet[v] = vec3_add(feet[v], moved[v]);
    return PELT_OK;
}

static PeltStatus place_layers(PeltiFlesh *flesh, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &flesh->pool.allocator);
    Vec3 *feet = PELTI_NEW(&work, Vec3, flesh->n);
    PeltStatus status = feet ? find_feet(flesh, &work, feet, err) : pelti_no_memory(err, sizeof(Vec3) * (size_t)flesh->n);
    for (int s = 0; status == PELT_OK && s < flesh->n; s++) {
        int v = flesh->paths.vertex[s];
        flesh->depth[s] = fmaxf(vec3_distance(flesh->mesh->rest[v], feet[v]), 1e-4f * flesh->size);
        for (int l = 0; l < PELTI_LAYERS; l++)
            pelti_set_lane(flesh->match.rest, s, l,
                           vec3_sub(vec3_lerp(flesh->mesh->rest[v], feet[v], around(flesh, s, l, PROJECTION)), flesh->centre));
    }
    float *length = PELTI_NEW(&work, float, flesh->n);
    if (status == PELT_OK && length) {
        pelti_mesh_edge_lengths(flesh->mesh, flesh->mesh->rest, length);
        for (int s = 0; s < flesh->n; s++)
            flesh->edge[s] = fmaxf(length[flesh->paths.vertex[s]], 1e-5f * flesh->size);
    }
    pelti_pool_release(&work);
    return status == PELT_OK && !length ? pelti_no_memory(err, sizeof(float) * (size_t)flesh->n) : status;
}

/// Voronoi area of each particle in its layer, with the share of an obtuse triangle split 1/2, 1/4, 1/4 ([Meyer2003]).
static void add_areas(const PeltiFlesh *flesh, int layer, float *area)
{
    for (int t = 0; t < flesh->mesh->triangle_count; t++) {
        const int *v = flesh->triangles[t];
        Vec3 p[3];
        float cotangent[3], squared[3];
        for (int k = 0; k < 3; k++)
            p[k] = pelti_lane(flesh->match.rest, v[k], layer);
        float twice = vec3_length(vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0])));
        if (!(twice > 0))
            continue;
        int obtuse = -1;
        for (int k = 0; k < 3; k++) {
            Vec3 a = vec3_sub(p[(k + 1) % 3], p[k]), b = vec3_sub(p[(k + 2) % 3], p[k]), c = vec3_sub(b, a);
            cotangent[k] = vec3_dot(a, b) / twice;
            squared[k] = vec3_dot(c, c); // of the side opposite corner k
            if (cotangent[k] < 0)
                obtuse = k;
        }
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            float share =
                obtuse >= 0 ? twice / (obtuse == k ? 4 : 8) : (squared[i] * cotangent[i] + squared[j] * cotangent[j]) / 8;
            area[(size_t)v[k] * PELTI_LAYERS + (size_t)layer] += share;
        }
    }
}

/// m = A h rho with h half the way to each neighbouring layer; scaled to a mean of 1 (only ratios matter), and kept within a
/// factor of the mean, so that no particle of a sliver is thrown about.
static void set_masses(PeltiFlesh *flesh)
{
    size_t lanes = (size_t)flesh->n * PELTI_LAYERS;
    PeltiMatch *match = &flesh->match;
    for (int l = 0; l < PELTI_LAYERS; l++)
        add_areas(flesh, l, match->mass);
    double sum = 0, area = 0;
    for (int s = 0; s < flesh->n; s++) {
        float gap[PELTI_LAYERS + 1] = {0};
        for (int l = 1; l < PELTI_LAYERS; l++)
            gap[l] = vec3_distance(pelti_lane(match->rest, s, l - 1), pelti_lane(match->rest, s, l));
        for (int l = 0; l < PELTI_LAYERS; l++) {
            float *m = &match->mass[(size_t)s * PELTI_LAYERS + (size_t)l];
            area += l == 0 ? (double)*m : 0;
            *m *= 0.5f * (gap[l] + gap[l + 1]) * around(flesh, s, l, DENSITY);
            sum += (double)*m;
        }
    }
    float mean = (float)(sum / fmax(1, (double)lanes)), edge2 = (float)(area / fmax(1, flesh->n));
    for (size_t i = 0; i < lanes; i++) {
        float m = mean > 0 ? match->mass[i] / mean : 1;
        match->mass[i] = fminf(fmaxf(m, 0.05f), 20.0f);
        flesh->inverse_mass[i] = 1 / match->mass[i];
        match->moment[i] = 0.2f * match->mass[i] * 0.25f * edge2; // (1/5) m r^2, r half an edge: area per vertex ~ edge^2
    }
}

/// s of Table 1, rescaled so that a step pulls as hard for any number of iterations. Spread over all 20 (reference 1) flesh
/// lags behind its bones by centimetres; s in every iteration (reference 20) undoes contacts faster than they are solved.
static void set_stiffness(PeltiFlesh *flesh)
{
    const float reference = 6;
    int iterations = flesh->set.elasticity / flesh->set.match_every;
    for (size_t i = 0; i < (size_t)flesh->n * PELTI_LAYERS; i++) {
        float s = fminf(around(flesh, (int)(i / PELTI_LAYERS), (int)(i % PELTI_LAYERS), STIFFNESS), 0.999f);
        flesh->match.stiffness[i] = 1 - pelti_powf(1 - s, reference / (float)(iterations > 1 ? iterations : 1));
    }
}

/// A particle belongs to a joint when it lies beside it: nearer along the bone than a share of its own distance to the axis.
/// Joints are heads of bones that hang on a bone which also moves the vertex.
static void find_joints(PeltiFlesh *flesh)
{
    const float beside = 0.8f, least_weight = 0.05f;
    for (int s = 0; s < flesh->n; s++) {
        Vec3 p = flesh->mesh->rest[flesh->paths.vertex[s]];
        float reach = vec3_distance(p, foot_point(flesh, s, p)), best = INFINITY;
        flesh->joint[s] = -1;
        for (int k = 0; k < flesh->influences; k++) {
            size_t i = (size_t)s * (size_t)flesh->influences + (size_t)k;
            const PeltiBone *bone = &flesh->who->bones[flesh->bone[i]];
            float d = vec3_distance(p, bone->head), along = sqrtf(fmaxf(0, d * d - reach * reach));
            if (flesh->weight[i] < least_weight || bone->parent < 0 || bone->is_prop || along > beside * reach || d >= best)
                continue;
            best = d;
            flesh->joint[s] = flesh->bone[i];
        }
        for (int l = 0; flesh->joint[s] >= 0 && l < PELTI_BONE_LAYER; l++) {
            Vec3 x = vec3_add(pelti_lane(flesh->match.rest, s, l), flesh->centre);
            flesh->joint_least[(size_t)s * PELTI_LAYERS + (size_t)l] =
                flesh->set.joint_keep * vec3_distance(x, flesh->who->bones[flesh->joint[s]].head);
        }
    }
}

static bool take_arrays(PeltiFlesh *flesh)
{
    PeltiPool *pool = &flesh->pool;
    size_t lanes = (size_t)flesh->match.padded * PELTI_LAYERS + 16;
    int bones = flesh->who->bone_count + 1;
    for (int k = 0; k < 3; k++) {
        flesh->before[k] = PELTI_NEW(pool, float, lanes);
        flesh->velocity[k] = PELTI_NEW(pool, float, lanes);
        flesh->goal[k] = PELTI_NEW(pool, float, lanes);
        flesh->goal_before[k] = PELTI_NEW(pool, float, lanes);
    }
    flesh->inverse_mass = PELTI_NEW(pool, float, lanes);
    flesh->joint = PELTI_NEW(pool, int, flesh->n);
    flesh->shown = PELTI_NEW(pool, Vec3, flesh->n);
    flesh->depth = PELTI_NEW(pool, float, flesh->n);
    flesh->edge = PELTI_NEW(pool, float, flesh->n);
    flesh->joint_least = PELTI_NEW(pool, float, lanes);
    flesh->joint_now = PELTI_NEW(pool, Vec3, bones);
    flesh->joint_fold = PELTI_NEW(pool, Vec3, bones);
    flesh->bones = PELTI_NEW(pool, Mat34, bones);
    flesh->bones_last = PELTI_NEW(pool, Mat34, bones);
    flesh->bones_blend = PELTI_NEW(pool, Mat34, bones);
    flesh->around = PELTI_NEW(pool, PeltiFleshBone, bones);
    flesh->turn = PELTI_NEW(pool, Vec3, bones);
    flesh->turn_sum = PELTI_NEW(pool, Vec3, bones);
    flesh->turn_lever = PELTI_NEW(pool, float, bones);
    flesh->turn_weight = PELTI_NEW(pool, float, bones);
    flesh->turn_chain = PELTI_NEW(pool, Mat34, bones);
    flesh->bones_turned = PELTI_NEW(pool, Mat34, bones);
    flesh->triangles = pelti_pool_take(pool, (size_t)flesh->mesh->triangle_count, 3 * sizeof(int));
    PeltiArena measure = {0};
    pelti_motion_in(&measure, flesh->who);
    char *block = pelti_pool_take(pool, measure.used, 1);
    if (pool->failed)
        return false;
    PeltiArena arena = {.base = block};
    flesh->motion = pelti_motion_in(&arena, flesh->who);
    pelti_motion_order(&flesh->motion);
    return true;
}

PeltStatus pelti_layers_build(PeltiFlesh *flesh, const PeltiPrepare *in, PeltError *err)
{
    const PeltiMesh *mesh = flesh->mesh;
    PeltiPool *pool = &flesh->pool;
    flesh->n = mesh->vertex_count;
    flesh->size = mesh->diagonal > 0 ? mesh->diagonal : 1;
    flesh->centre = vec3_lerp(mesh->low, mesh->high, 0.5f);
    PELT_TRY(pelti_paths_build(pool, mesh, flesh->set.omega, &flesh->paths, err));
    PELT_TRY(pelti_match_new(pool, &flesh->paths, &flesh->match, err));
    flesh->influences = in->weights->influences;
    size_t entries = (size_t)flesh->n * (size_t)flesh->influences;
    flesh->bone = PELTI_NEW(pool, int, entries);
    flesh->weight = PELTI_NEW(pool, float, entries);
    if (!take_arrays(flesh))
        return pelti_no_memory(err, pool->used_bytes);
    for (int s = 0; s < flesh->n; s++)
        for (int k = 0; k < flesh->influences; k++) {
            size_t to = (size_t)s * (size_t)flesh->influences + (size_t)k;
            size_t from = (size_t)flesh->paths.vertex[s] * (size_t)flesh->influences + (size_t)k;
            flesh->weight[to] = in->weights->weight[from] > 0 ? in->weights->weight[from] : 0;
            flesh->bone[to] = flesh->weight[to] > 0 ? in->weights->bone[from] : 0; // a bone with no weight may be any number
        }
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            flesh->triangles[t][k] = flesh->paths.slot[mesh->triangles[t][k]];
    take_rig(flesh, in);
    PELT_TRY(place_layers(flesh, err));
    set_masses(flesh);
    set_stiffness(flesh);
    find_joints(flesh);
    pelti_match_prepare(&flesh->match);
    return PELT_OK;
}
