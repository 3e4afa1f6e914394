/// Lays layers on projection segments, with masses, stiffness, joint distances [Deul2013 sec. 3, 4.4] and areas [Meyer2003].
#include "character/skeleton.h"
#include "math/elementary.h"
#include "methods/layered/flesh.h"
#include "methods/layered/constants.def"

#include <pelt/rig.h>

#include <string.h>

// ---- what the rig says ----

static float firmer(float stiffness, float firmness)
{
    return 1 - pelti_powf(1 - fminf(stiffness, STIFFEST), firmness);
}

static void take_joint(PeltiFleshBone *bone, const PeltRigJoint *joint)
{
    const float usual_density = 1000; // kg per unit^3, of flesh in metres
    for (int l = 0; l < PELTI_LAYERS; l++) {
        if (l > 0 && joint->projection[l - 1] >= 0)
            bone->projection[l] = joint->projection[l - 1];
        if (joint->layer_stiffness[l] >= 0)
            bone->stiffness[l] = joint->layer_stiffness[l];
        if (joint->layer_density[l] > 0)
            bone->density[l] = joint->layer_density[l] / usual_density;
        if (joint->firmness >= 0)
            bone->stiffness[l] = firmer(bone->stiffness[l], joint->firmness);
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
            flesh->rest.around[b].volume = first;
            flesh->rest.around[b].cut = 0;
        }
        for (int b = 0; first >= 0 && b < flesh->who->bone_count; b++) {
            int parent = flesh->who->bones[b].parent;
            if (parent >= 0 && flesh->rest.around[parent].volume == first && flesh->rest.around[b].volume != first)
                flesh->rest.around[b].cut = rig->volumes[i].cut;
        }
    }
}

static void take_rig(PeltiFlesh *flesh, const PeltiMethodPrepare *in)
{
    const PeltRig *rig = in->artist.rig;
    for (int b = 0; b < flesh->who->bone_count; b++) {
        PeltiFleshBone *bone = &flesh->rest.around[b];
        const PeltRigJoint *joint = pelt_rig_joint(rig, flesh->who->nodes[flesh->who->bones[b].node].name);
        *bone = (PeltiFleshBone){.density = {1, 1, 1, 1}, .volume = b, .cut = flesh->set.cut};
        memcpy(bone->projection, flesh->set.projection, sizeof bone->projection);
        memcpy(bone->stiffness, flesh->set.stiffness, sizeof bone->stiffness);
        if (joint)
            take_joint(bone, joint);
    }
    take_volumes(flesh, rig, in->log);
}

enum { PROJECTION, STIFFNESS, DENSITY };

/// What is painted, or the mean over the bones that move a slot, by weight.
static float around(const PeltiFlesh *flesh, int slot, int layer, int what)
{
    float sum = 0, total = 0;
    const PeltiFleshPaint *paint = flesh->rest.paint ? &flesh->rest.paint[slot] : NULL;
    if (paint && what != DENSITY && (what == PROJECTION ? paint->projection : paint->stiffness)[layer] >= 0)
        return (what == PROJECTION ? paint->projection : paint->stiffness)[layer];
    for (int k = 0; k < flesh->weights.influences; k++) {
        size_t i = (size_t)slot * (size_t)flesh->weights.influences + (size_t)k;
        const PeltiFleshBone *bone = &flesh->rest.around[flesh->weights.bone[i]];
        if (!(flesh->weights.weight[i] > 0))
            continue;
        sum += flesh->weights.weight[i] * (what == PROJECTION  ? bone->projection
                                           : what == STIFFNESS ? bone->stiffness
                                                               : bone->density)[layer];
        total += flesh->weights.weight[i];
    }
    const float *usual = what == PROJECTION ? flesh->set.projection : flesh->set.stiffness;
    return total > 0 ? sum / total : what == DENSITY ? 1 : usual[layer];
}

/// Layers of the painted thicknesses, the others as thick as the bones have them; together they leave some of the way to the
/// bone.
static void stack_layers(const PeltiFlesh *flesh, int slot, const float thickness[PELTI_LAYERS - 1],
                         float projection[PELTI_LAYERS])
{
    float thick[PELTI_LAYERS - 1], sum = 0;
    for (int l = 0; l < PELTI_LAYERS - 1; l++) {
        thick[l] = thickness[l] >= 0 ? thickness[l] : around(flesh, slot, l + 1, PROJECTION) - around(flesh, slot, l, PROJECTION);
        thick[l] = fmaxf(thick[l], PAINT_LEAST);
        sum += thick[l];
    }
    projection[0] = 0;
    for (int l = 0; l < PELTI_LAYERS - 1; l++)
        projection[l + 1] = projection[l] + thick[l] * fminf(1, PAINT_MOST / sum);
}

/// From what is painted on points to what holds at slots.
static PeltStatus take_paint(PeltiFlesh *flesh, const PeltRig *rig, PeltError *err)
{
    if (!rig || !rig->painted_count)
        return PELT_OK;
    typedef float Numbers[PELT_PAINT_MUSCLE + 1]; // by PeltRigPaint; below 0: not painted
    PeltiPool work;
    pelti_pool_init(&work, &flesh->pool.allocator);
    Numbers *said = PELTI_NEW(&work, Numbers, flesh->n);
    PeltiFleshPaint *paint = PELTI_NEW(&flesh->pool, PeltiFleshPaint, flesh->n);
    for (int s = 0; said && s < flesh->n; s++)
        for (int k = 0; k <= PELT_PAINT_MUSCLE; k++)
            said[s][k] = -1;
    for (int i = 0; said && i < rig->painted_count; i++)
        for (int k = 0; k < rig->painted[i].count; k++)
            said[flesh->paths.slot[flesh->mesh->weld[rig->painted[i].points[k]]]][rig->painted[i].what] =
                rig->painted[i].values[k];
    for (int s = 0; said && paint && s < flesh->n; s++) {
        const float *thickness = said[s] + PELT_PAINT_SKIN, firmness = said[s][PELT_PAINT_FIRMNESS];
        for (int l = 0; l < PELTI_LAYERS; l++) {
            paint[s].projection[l] = -1;
            paint[s].stiffness[l] = firmness >= 0 ? firmer(flesh->set.stiffness[l], firmness) : -1;
        }
        if (thickness[0] >= 0 || thickness[1] >= 0 || thickness[2] >= 0)
            stack_layers(flesh, s, thickness, paint[s].projection);
    }
    pelti_pool_release(&work);
    flesh->rest.paint = paint;
    return said && paint ? PELT_OK : pelti_no_memory(err, (size_t)flesh->n * sizeof *paint);
}

// ---- layers ----

static PeltStatus place_layers(PeltiFlesh *flesh, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &flesh->pool.allocator);
    Vec3 *feet = PELTI_NEW(&work, Vec3, flesh->n);
    PeltStatus status =
        feet ? pelti_layered_feet_find(flesh, &work, feet, err) : pelti_no_memory(err, sizeof(Vec3) * (size_t)flesh->n);
    for (int s = 0; status == PELT_OK && s < flesh->n; s++) {
        int v = flesh->paths.vertex[s];
        flesh->rest.depth[s] = fmaxf(vec3_distance(flesh->mesh->rest[v], feet[v]), DEPTH_LEAST * flesh->rest.size);
        for (int l = 0; l < PELTI_LAYERS; l++)
            pelti_flesh_set_lane(
                flesh->match.rest, s, l,
                vec3_sub(vec3_lerp(flesh->mesh->rest[v], feet[v], around(flesh, s, l, PROJECTION)), flesh->rest.centre));
    }
    float *length = PELTI_NEW(&work, float, flesh->n);
    if (status == PELT_OK && length) {
        pelti_mesh_edge_lengths(flesh->mesh, flesh->mesh->rest, length);
        for (int s = 0; s < flesh->n; s++) // above rounding, where all edges of a vertex have no length
            flesh->rest.edge[s] = fmaxf(length[flesh->paths.vertex[s]], 1e-5f * flesh->rest.size);
    }
    pelti_pool_release(&work);
    return status == PELT_OK && !length ? pelti_no_memory(err, sizeof(float) * (size_t)flesh->n) : status;
}

/// Voronoi area of each particle in its layer, with the share of an obtuse triangle split 1/2, 1/4, 1/4 ([Meyer2003]).
static void add_areas(const PeltiFlesh *flesh, int layer, float *area)
{
    for (int t = 0; t < flesh->mesh->triangle_count; t++) {
        const int *v = flesh->rest.triangles[t];
        Vec3 p[3];
        float cotangent[3], squared[3];
        for (int k = 0; k < 3; k++)
            p[k] = pelti_flesh_lane(flesh->match.rest, v[k], layer);
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
    PeltiLayeredMatch *match = &flesh->match;
    for (int l = 0; l < PELTI_LAYERS; l++)
        add_areas(flesh, l, match->mass);
    double sum = 0, area = 0;
    for (int s = 0; s < flesh->n; s++) {
        float gap[PELTI_LAYERS + 1] = {0};
        for (int l = 1; l < PELTI_LAYERS; l++)
            gap[l] = vec3_distance(pelti_flesh_lane(match->rest, s, l - 1), pelti_flesh_lane(match->rest, s, l));
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
        match->mass[i] = fminf(fmaxf(m, MASS_LEAST), MASS_MOST);
        flesh->rest.inverse_mass[i] = 1 / match->mass[i];
        match->moment[i] = 0.2f * match->mass[i] * 0.25f * edge2; // (1/5) m r^2, r half an edge: area per vertex ~ edge^2
    }
}

/// A share taken once a step, as one of every iteration.
static float each_iteration(const PeltiFlesh *flesh, float share)
{
    int iterations = flesh->set.elasticity / flesh->set.match_every;
    return 1 - pelti_powf(1 - fminf(share, STIFFEST), FIRM_ITERATIONS / (float)(iterations > 1 ? iterations : 1));
}

/// s of Table 1, and how hard the outer layers hang on their bones themselves. Flesh of depth D over a bone follows its bends
/// over lengths of about D, but regions bend only over their own radius R = omega edges: where a mesh is coarse for a part (a
/// finger of eight vertices around), the skin would be a stiff shell that straightens it. A beam on an elastic bed bends over the
/// length (EI / k)^(1/4): with a bed that grows like (R / D)^4 it follows over D again, and where R is small there is none.
static void set_stiffness(PeltiFlesh *flesh)
{
    for (int s = 0; s < flesh->n; s++) {
        float ratio = BED_RADIUS * (float)flesh->set.omega * flesh->rest.edge[s] / flesh->rest.depth[s],
              bed = ratio * ratio * ratio * ratio;
        for (int l = 0; l < PELTI_LAYERS; l++) {
            size_t i = (size_t)s * PELTI_LAYERS + (size_t)l;
            flesh->match.stiffness[i] = each_iteration(flesh, around(flesh, s, l, STIFFNESS));
            flesh->hold.pull[i] =
                flesh->set.coupling * (l == PELTI_LAYER_BONE ? 1 : each_iteration(flesh, BED_SHARE * bed / (1 + bed)));
        }
    }
}

/// A particle belongs to a joint when it lies beside it: nearer along the bone than a share of its own distance to the axis.
/// Joints are heads of bones that hang on a bone which also moves the vertex.
static void find_joints(PeltiFlesh *flesh)
{
    for (int s = 0; s < flesh->n; s++) {
        Vec3 p = flesh->mesh->rest[flesh->paths.vertex[s]];
        float reach = vec3_distance(p, pelti_layered_feet_on_bones(flesh, s, p)), best = INFINITY;
        flesh->hold.joint[s] = -1;
        for (int k = 0; k < flesh->weights.influences; k++) {
            size_t i = (size_t)s * (size_t)flesh->weights.influences + (size_t)k;
            const PeltiBone *bone = &flesh->who->bones[flesh->weights.bone[i]];
            float d = vec3_distance(p, bone->head), along = sqrtf(fmaxf(0, d * d - reach * reach));
            if (flesh->weights.weight[i] < JOINT_WEIGHT || bone->parent < 0 || bone->is_prop || along > BESIDE_JOINT * reach ||
                d >= best)
                continue;
            best = d;
            flesh->hold.joint[s] = flesh->weights.bone[i];
        }
    }
}

void pelti_layered_layers_lengths(PeltiFlesh *flesh)
{
    for (int s = 0; s < flesh->n; s++) {
        Vec3 skin = pelti_flesh_lane(flesh->match.rest, s, PELTI_LAYER_SKIN),
             bone = pelti_flesh_lane(flesh->match.rest, s, PELTI_LAYER_BONE);
        float depth = vec3_distance(skin, bone) / around(flesh, s, PELTI_LAYER_BONE, PROJECTION);
        int joint = flesh->hold.joint[s];
        Vec3 head = joint < 0 ? vec3(0, 0, 0) : mat34_apply(flesh->stretch.used[joint], flesh->who->bones[joint].head);
        for (int l = 0; l < PELTI_LAYER_BONE; l++) {
            size_t i = (size_t)s * PELTI_LAYERS + (size_t)l;
            Vec3 x = vec3_add(pelti_flesh_lane(flesh->match.rest, s, l), flesh->rest.centre);
            flesh->hold.reach[i] = depth * (1 - around(flesh, s, l, PROJECTION));
            flesh->hold.joint_least[i] = joint < 0 ? 0 : flesh->set.joint_keep * vec3_distance(x, head);
        }
    }
}

static bool take_arrays(PeltiFlesh *flesh)
{
    PeltiPool *pool = &flesh->pool;
    size_t lanes = (size_t)flesh->match.padded * PELTI_LAYERS + 16;
    int bones = flesh->who->bone_count + 1;
    for (int k = 0; k < 3; k++) {
        flesh->moving.before[k] = PELTI_NEW(pool, float, lanes);
        flesh->moving.velocity[k] = PELTI_NEW(pool, float, lanes);
        flesh->moving.goal[k] = PELTI_NEW(pool, float, lanes);
        flesh->moving.goal_before[k] = PELTI_NEW(pool, float, lanes);
    }
    flesh->rest.inverse_mass = PELTI_NEW(pool, float, lanes);
    flesh->hold.joint = PELTI_NEW(pool, int, flesh->n);
    flesh->rest.depth = PELTI_NEW(pool, float, flesh->n);
    flesh->rest.edge = PELTI_NEW(pool, float, flesh->n);
    flesh->hold.pull = PELTI_NEW(pool, float, lanes);
    flesh->hold.reach = PELTI_NEW(pool, float, lanes);
    flesh->scratch.shorten = PELTI_NEW(pool, Vec3, flesh->n);
    flesh->scratch.too_long = PELTI_NEW(pool, int, flesh->n);
    flesh->hold.joint_least = PELTI_NEW(pool, float, lanes);
    flesh->skeleton.head = PELTI_NEW(pool, Vec3, bones);
    flesh->skeleton.carry = PELTI_NEW(pool, Mat34, bones);
    flesh->skeleton.linear = PELTI_NEW(pool, Mat3, bones);
    flesh->skeleton.fold = PELTI_NEW(pool, Vec3, bones);
    flesh->scratch.bones = PELTI_NEW(pool, Mat34, bones);
    flesh->scratch.blend = PELTI_NEW(pool, Mat34, bones);
    flesh->skeleton.rotation = PELTI_NEW(pool, Mat3, bones);
    flesh->skeleton.turn = PELTI_NEW(pool, Mat3, bones);
    flesh->rest.around = PELTI_NEW(pool, PeltiFleshBone, bones);
    flesh->rest.triangles = pelti_pool_take(pool, (size_t)flesh->mesh->triangle_count, 3 * sizeof(int));
    PeltiArena measure = {0};
    pelti_motion_in(&measure, flesh->who);
    char *block = pelti_pool_take(pool, measure.used, 1);
    if (pool->failed)
        return false;
    PeltiArena arena = {.base = block};
    flesh->skeleton.motion = pelti_motion_in(&arena, flesh->who);
    pelti_motion_start(&flesh->skeleton.motion);
    return true;
}

PeltStatus pelti_layered_layers_build(PeltiFlesh *flesh, const PeltiMethodPrepare *in, PeltError *err)
{
    const PeltiMesh *mesh = flesh->mesh;
    PeltiPool *pool = &flesh->pool;
    flesh->n = mesh->vertex_count;
    flesh->rest.size = mesh->diagonal > 0 ? mesh->diagonal : 1;
    flesh->rest.centre = vec3_lerp(mesh->low, mesh->high, 0.5f);
    PELT_TRY(pelti_layered_paths_build(pool, mesh, flesh->set.omega, &flesh->paths, err));
    PELT_TRY(pelti_layered_match_new(pool, &flesh->paths, pelti_jobs_threads(flesh->jobs), &flesh->match, err));
    flesh->weights.influences = in->weights->influences;
    size_t entries = (size_t)flesh->n * (size_t)flesh->weights.influences;
    flesh->weights.bone = PELTI_NEW(pool, int, entries);
    flesh->weights.weight = PELTI_NEW(pool, float, entries);
    if (!take_arrays(flesh))
        return pelti_no_memory(err, pool->used_bytes);
    for (int s = 0; s < flesh->n; s++)
        for (int k = 0; k < flesh->weights.influences; k++) {
            size_t to = (size_t)s * (size_t)flesh->weights.influences + (size_t)k;
            size_t from = (size_t)flesh->paths.vertex[s] * (size_t)flesh->weights.influences + (size_t)k;
            flesh->weights.weight[to] = in->weights->weight[from] > 0 ? in->weights->weight[from] : 0;
            flesh->weights.bone[to] =
                flesh->weights.weight[to] > 0 ? in->weights->bone[from] : 0; // a bone with no weight may be any number
        }
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            flesh->rest.triangles[t][k] = flesh->paths.slot[mesh->triangles[t][k]];
    take_rig(flesh, in);
    PELT_TRY(take_paint(flesh, in->artist.rig, err));
    PELT_TRY(place_layers(flesh, err));
    set_masses(flesh);
    set_stiffness(flesh);
    find_joints(flesh);
    pelti_layered_match_prepare(&flesh->match);
    PELT_TRY(pelti_layered_stretch_build(flesh, err));
    pelti_layered_layers_lengths(flesh);
    return PELT_OK;
}
