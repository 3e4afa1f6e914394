/// Samples the skin of a part for the fit of its field, with a cap at each joint [Vaillant2013].
#include "field/part.h"

#include "character/skeleton.h"
#include "field/constants.def"
#include "field/sample.h"
#include "math/elementary.h"

#include <string.h>

enum { MOST_SEGMENTS = 256, MOST_CAPS = 48 };

typedef struct Cap {
    Vec3 joint, out;  ///< out: unit, away from the part along the bone
    float length;     ///< of the segment
    float near, ring; ///< distance of the nearest vertex of the part, mean distance of its border with the neighbour
} Cap;

typedef struct PartBones {
    int segment_count, cap_count;
    struct {
        Vec3 a, b;
    } segment[MOST_SEGMENTS];
    Cap cap[MOST_CAPS];
} PartBones;

static void add_cap(PartBones *shape, Vec3 joint, Vec3 from)
{
    float length = vec3_distance(joint, from);
    if (shape->cap_count < MOST_CAPS && length > 0)
        shape->cap[shape->cap_count++] = (Cap){joint, vec3_scale(vec3_sub(joint, from), 1 / length), length, INFINITY, 0};
}

/// Segments of all bones of the part; a cap where another part begins.
static void find_shape(const PeltiCharacter *who, const PeltiPartition *partition, int part, PartBones *shape)
{
    int root = partition->part_bone[part];
    Vec3 head = who->bones[root].head, longest = head;
    float best = 0;
    for (int s = 0; s < who->segment_count; s++) {
        const PeltiSkeletonSegment *segment = &who->segments[s];
        int bone = segment->bone, child = segment->child;
        if (partition->bone_part[bone] != part || shape->segment_count == MOST_SEGMENTS)
            continue;
        shape->segment[shape->segment_count].a = segment->a;
        shape->segment[shape->segment_count++].b = segment->b;
        if (child >= 0 && partition->bone_part[child] != part && partition->bone_part[child] >= 0)
            add_cap(shape, segment->b, segment->a);
        if (bone == root && vec3_distance(segment->a, segment->b) > best) {
            best = vec3_distance(segment->a, segment->b);
            longest = segment->b;
        }
    }
    if (partition->part_parent[part] >= 0)
        add_cap(shape, head, longest);
    if (!shape->segment_count) {
        shape->segment[0].a = shape->segment[0].b = head;
        shape->segment_count = 1;
    }
}

static float bone_distance(const PartBones *shape, Vec3 p)
{
    float best = INFINITY;
    for (int s = 0; s < shape->segment_count; s++)
        best = fminf(best, pelti_skeleton_segment_distance2(p, shape->segment[s].a, shape->segment[s].b, NULL));
    return sqrtf(best);
}

/// The component that holds most of the part's vertices: clothes over a body, or eyes in a head, are not sampled with it.
static int main_component(const PeltiMesh *mesh, const PeltiPartition *partition, int part, int *tally)
{
    int best = -1;
    memset(tally, 0, sizeof(int) * (size_t)mesh->component_count);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (partition->vertex_part[v] == part && mesh->fan_start[v + 1] > mesh->fan_start[v]) {
            int c = mesh->component[v];
            tally[c]++;
            if (best < 0 || tally[c] > tally[best])
                best = c;
        }
    return best;
}

/// Radii at the caps: nearest vertex of the part, and the mean over its border.
static void measure_caps(const PeltiMesh *mesh, const PeltiPartition *partition, int part, int count, const int *members,
                         PartBones *shape)
{
    for (int c = 0; c < shape->cap_count; c++) {
        Cap *cap = &shape->cap[c];
        double sum = 0;
        int border = 0;
        for (int k = 0; k < count; k++) {
            int v = members[k];
            float d = vec3_distance(mesh->rest[v], cap->joint);
            cap->near = fminf(cap->near, d);
            bool edge = false;
            for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++)
                edge = edge || partition->vertex_part[mesh->ring[e]] != part;
            if (edge && d < cap->length) {
                sum += (double)d;
                border++;
            }
        }
        cap->ring = border ? (float)(sum / border) : cap->near;
    }
}

/// Samples beyond a joint, or nearer to it along the bone than JOINT_MARGIN, would bend the field's end.
static bool beyond_joint(const PartBones *shape, Vec3 p)
{
    for (int c = 0; c < shape->cap_count; c++) {
        const Cap *cap = &shape->cap[c];
        Vec3 u = vec3_sub(p, cap->joint);
        if (vec3_dot(u, cap->out) > -JOINT_MARGIN * cap->length && vec3_length(u) < JOINT_AROUND * cap->ring)
            return true;
    }
    return false;
}

static int gather(const PeltiMesh *mesh, const PeltiPartition *partition, int part, int component, const PartBones *drop,
                  int *members)
{
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; v++)
        if (partition->vertex_part[v] == part && mesh->component[v] == component && mesh->fan_start[v + 1] > mesh->fan_start[v] &&
            !(drop && beyond_joint(drop, mesh->rest[v])))
            members[count++] = v;
    return count;
}

static void stand_in(const PeltiCharacter *who, const PartBones *shape, int count, const int *members, PeltiPartSamples *out)
{
    double sum = 0;
    for (int k = 0; k < count; k++)
        sum += (double)bone_distance(shape, who->mesh->rest[members[k]]);
    float radius = count ? (float)(sum / count) : 0;
    pelti_part_capsule(shape->segment[0].a, shape->segment[0].b, fmaxf(radius, CAPSULE_THINNEST * who->mesh->diagonal), out);
}

/// Median distance of the samples from the bone.
static float middle_distance(const PartBones *shape, const PeltiPartSamples *samples)
{
    float sorted[PELTI_PART_SAMPLES] = {0};
    for (int k = 0; k < samples->count; k++) {
        float d = bone_distance(shape, samples->point[k]);
        int at = k;
        for (; at > 0 && sorted[at - 1] > d; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = d;
    }
    return sorted[samples->count / 2];
}

/// Round ends: a point as far beyond each joint as the skin is from it. One that would lie too near to another sample
/// is left out: the two would ask the fit for different normals at one place.
static void add_caps(const PartBones *shape, PeltiPartSamples *out)
{
    int skin = out->count;
    float spacing = INFINITY;
    for (int a = 0; a < skin; a++)
        for (int b = a + 1; b < skin; b++)
            spacing = fminf(spacing, vec3_distance(out->point[a], out->point[b]));
    for (int c = 0; c < shape->cap_count; c++) {
        const Cap *cap = &shape->cap[c];
        Vec3 p = vec3_mad(cap->joint, cap->out, cap->near);
        float nearest = INFINITY;
        for (int k = 0; k < out->count; k++)
            nearest = fminf(nearest, vec3_distance(p, out->point[k]));
        if (nearest < CAP_SPACING * spacing || nearest < CAP_NEAR * cap->near)
            continue;
        out->point[out->count] = p;
        out->normal[out->count++] = cap->out;
    }
}

/// Samples of the skin's vertices `members`, and how far they are from the bone.
static void pick_samples(const PeltiPartSkin *skin, const PartBones *shape, PeltiSampleDisk *disk, float *distance,
                         PeltiPartSamples *out)
{
    int picked[PELTI_PART_SAMPLES];
    out->count = pelti_sample_disk(disk, distance, picked);
    for (int k = 0; k < out->count; k++) {
        out->point[k] = disk->points[picked[k]];
        out->normal[k] = skin->normals[picked[k]];
        out->radius = fmaxf(out->radius, bone_distance(shape, out->point[k]));
    }
}

static Vec3 longest_axis(const PartBones *shape, Vec3 axis)
{
    float longest = 0;
    for (int s = 0; s < shape->segment_count; s++) {
        Vec3 u = vec3_sub(shape->segment[s].b, shape->segment[s].a);
        if (vec3_length(u) > longest) {
            longest = vec3_length(u);
            axis = vec3_scale(u, 1 / longest);
        }
    }
    return axis;
}

/// Beyond these distances from the bone the field says nothing; `out->radius` is that of the farthest sample yet.
static void set_guard(const PartBones *shape, PeltiPartSamples *out)
{
    float middle = middle_distance(shape, out);
    out->guard.count = shape->segment_count < PELTI_GUARD_SEGMENTS ? shape->segment_count : PELTI_GUARD_SEGMENTS;
    out->guard.radius =
        out->radius > GUARD_UNEVEN * middle ? fminf(GUARD_MOST * out->radius, GUARD_MIDDLE * middle) : GUARD_MOST * out->radius;
    for (int s = 0; s < out->guard.count; s++) {
        out->guard.a[s] = shape->segment[s].a;
        out->guard.b[s] = shape->segment[s].b;
    }
}

/// Vertices of the part's main component that its joints leave to it, or all of them where those are too few; measures the caps.
static int find_members(const PeltiPartSkin *skin, int part, int *tally, PartBones *shape, int *members)
{
    const PeltiMesh *mesh = skin->who->mesh;
    const PeltiPartition *partition = skin->partition;
    int component = main_component(mesh, partition, part, tally);
    int count = component < 0 ? 0 : gather(mesh, partition, part, component, NULL, members);
    measure_caps(mesh, partition, part, count, members, shape);
    int kept = component < 0 ? 0 : gather(mesh, partition, part, component, shape, members);
    if (2 * kept < count || kept < FEWEST)
        kept = component < 0 ? 0 : gather(mesh, partition, part, component, NULL, members);
    return kept;
}

static int wanted_samples(const PeltiPartSkin *skin, const PartBones *shape, int members)
{
    int most = PELTI_PART_SAMPLES - shape->cap_count, wanted = skin->wanted;
    if (members > TYPICAL)
        wanted = (int)((float)wanted * sqrtf((float)members / (float)TYPICAL));
    return wanted < most ? wanted : most;
}

PeltStatus pelti_part_samples(const PeltiPartSkin *skin, int part, PeltiPartSamples *out, PeltError *err)
{
    const PeltiCharacter *who = skin->who;
    const PeltiMesh *mesh = who->mesh;
    PeltiPool work;
    pelti_pool_init(&work, &who->pool.allocator);
    int *members = PELTI_NEW(&work, int, mesh->vertex_count), *tally = PELTI_NEW(&work, int, mesh->component_count + 1);
    float *distance = PELTI_NEW(&work, float, mesh->vertex_count);
    PartBones *shape = PELTI_NEW(&work, PartBones, 1);
    if (work.failed) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, 12 * (size_t)mesh->vertex_count);
    }
    *out = (PeltiPartSamples){.axis = {0, 0, 1}};
    find_shape(who, skin->partition, part, shape);
    int count = find_members(skin, part, tally, shape, members);
    if (count < FEWEST) {
        stand_in(who, shape, count, members, out);
    } else {
        PeltiSampleDisk disk = {.candidate_count = count,
                                .candidates = members,
                                .points = mesh->rest,
                                .wanted = wanted_samples(skin, shape, count),
                                .least = LEAST_SPACING * mesh->diagonal,
                                .start = who->bones[skin->partition->part_bone[part]].head};
        pick_samples(skin, shape, &disk, distance, out);
        add_caps(shape, out);
        out->axis = longest_axis(shape, out->axis);
        set_guard(shape, out);
        out->radius = fmaxf(REACH * out->radius, SUPPORT_LEAST * mesh->diagonal);
    }
    pelti_pool_release(&work);
    return PELT_OK;
}

void pelti_part_capsule(Vec3 a, Vec3 b, float radius, PeltiPartSamples *out)
{
    enum { AROUND = 6, RINGS = 4 };
    Vec3 u = vec3_sub(b, a);
    *out = (PeltiPartSamples){.radius = radius, .capsule = true};
    Vec3 axis = out->axis = vec3_normalize_or(u, vec3(0, 0, 1)), side = vec3_orthogonal(axis), third = vec3_cross(axis, side);
    for (int ring = -1; ring <= RINGS; ring++) { // half rings on the two domes, RINGS along the tube
        bool dome = ring < 0 || ring == RINGS;
        float t = ring < 0 ? 0 : ring >= RINGS ? 1 : (float)ring / (RINGS - 1), tilt = dome ? 0.70710678f : 0;
        if (vec3_length(u) < CAPSULE_SPHERE * radius && ring > 0 && ring < RINGS)
            continue; // a sphere needs one ring
        for (int k = 0; k < AROUND; k++) {
            float angle = 6.2831853f * ((float)k + 0.5f * (float)(ring & 1)) / AROUND;
            Vec3 n = vec3_add(vec3_scale(side, pelti_cosf(angle)), vec3_scale(third, pelti_sinf(angle)));
            n = vec3_add(vec3_scale(n, dome ? 0.70710678f : 1), vec3_scale(axis, ring < 0 ? -tilt : tilt));
            out->point[out->count] = vec3_mad(vec3_mad(a, u, t), n, radius);
            out->normal[out->count++] = n;
        }
    }
    for (int end = 0; end < 2; end++) {
        out->normal[out->count] = vec3_scale(axis, end ? 1 : -1);
        out->point[out->count] = vec3_mad(end ? b : a, out->normal[out->count], radius);
        out->count++;
    }
}
