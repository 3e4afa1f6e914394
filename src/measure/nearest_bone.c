/// For each triangle the bone whose motion it is compared with.
#include "measure/parts.h"

#include <stdlib.h>

typedef struct Segment {
    int bone;
    Vec3 a, b;
    double middle[3], half; // a ball around it
} Segment;

/// The joint of the instance's skin that is the nearest ancestor of joint `joint`; -1: none.
static int parent_joint(const PeltiCharacter *who, const PeltiInstance *instance, const int *joint_of_node, int joint)
{
    int node = who->nodes[who->bones[instance->bones[joint]].node].parent;
    while (node >= 0 && joint_of_node[node] < 0)
        node = who->nodes[node].parent;
    return node >= 0 ? joint_of_node[node] : -1;
}

static int owner(const PeltiCharacter *who, const PeltiInstance *instance, int point)
{
    return who->file_weights.influences > 0 ? who->file_weights.bone[(size_t)point * (size_t)who->file_weights.influences]
                                            : instance->bones[0];
}

/// End of a leaf bone: as far as the points it owns reach (90 %), in the direction of their mean; else half its parent's
/// length straight on. The reference's choice, so that triangles near the ends get the same bone.
static Vec3 leaf_tip(const PeltiCharacter *who, const PeltiInstance *instance, int bone, const Vec3 *parent_head, float *work)
{
    Vec3 head = who->bones[bone].head;
    double mean[3] = {0, 0, 0};
    int count = 0, last = instance->first_point + instance->point_count;
    for (int p = instance->first_point; p < last; p++)
        if (owner(who, instance, p) == bone) {
            Vec3 d = vec3_sub(who->rest_points[p], head);
            mean[0] += (double)d.x, mean[1] += (double)d.y, mean[2] += (double)d.z;
            count++;
        }
    if (count >= 4) {
        Vec3 direction = vec3((float)(mean[0] / count), (float)(mean[1] / count), (float)(mean[2] / count));
        float length = vec3_length(direction);
        if (length > 1e-9f) {
            direction = vec3_scale(direction, 1 / length);
            int n = 0;
            for (int p = instance->first_point; p < last; p++)
                if (owner(who, instance, p) == bone)
                    work[n++] = vec3_dot(vec3_sub(who->rest_points[p], head), direction);
            return vec3_mad(head, direction, fmaxf(0, (float)pelti_measure_percentile(work, n, 90)));
        }
    }
    return parent_head ? vec3_mad(head, vec3_sub(head, *parent_head), 0.5f) : head;
}

static int skin_segments(const PeltiCharacter *who, const PeltiInstance *instance, int *joint_of_node, float *work, Segment *out)
{
    int count = 0;
    for (int j = 0; j < instance->bone_count; j++)
        joint_of_node[who->bones[instance->bones[j]].node] = j;
    for (int j = 0; j < instance->bone_count; j++) {
        int bone = instance->bones[j], parent = parent_joint(who, instance, joint_of_node, j);
        bool leaf = true;
        for (int c = 0; c < instance->bone_count; c++)
            if (c != j && parent_joint(who, instance, joint_of_node, c) == j) {
                leaf = false;
                out[count++] = (Segment){.bone = bone, .a = who->bones[bone].head, .b = who->bones[instance->bones[c]].head};
            }
        if (leaf) {
            const Vec3 *parent_head = parent >= 0 ? &who->bones[instance->bones[parent]].head : NULL;
            out[count++] =
                (Segment){.bone = bone, .a = who->bones[bone].head, .b = leaf_tip(who, instance, bone, parent_head, work)};
        }
    }
    for (int j = 0; j < instance->bone_count; j++)
        joint_of_node[who->bones[instance->bones[j]].node] = -1;
    return count;
}

static double segment_squared(const Segment *s, const double p[3])
{
    double d[3] = {(double)s->b.x - (double)s->a.x, (double)s->b.y - (double)s->a.y, (double)s->b.z - (double)s->a.z};
    double e[3] = {p[0] - (double)s->a.x, p[1] - (double)s->a.y, p[2] - (double)s->a.z};
    double length2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], t = 0, sum = 0;
    if (length2 > 1e-20)
        t = fmin(fmax((e[0] * d[0] + e[1] * d[1] + e[2] * d[2]) / length2, 0), 1);
    for (int k = 0; k < 3; k++)
        sum += (e[k] - t * d[k]) * (e[k] - t * d[k]);
    return sum;
}

/// A ball around each segment: what is farther than another segment as a whole need not be looked at closely.
static void enclose_segments(Segment *segments, int count)
{
    for (int s = 0; s < count; s++) {
        Segment *one = &segments[s];
        one->middle[0] = ((double)one->a.x + (double)one->b.x) / 2;
        one->middle[1] = ((double)one->a.y + (double)one->b.y) / 2;
        one->middle[2] = ((double)one->a.z + (double)one->b.z) / 2;
        one->half = sqrt(pelti_measure_squared_distance(one->a, one->b)) / 2;
    }
}

/// `*last`: the segment that was nearest to the triangle before, a good guess that leaves few to look at.
static int nearest_segment(const Segment *segments, int count, const double p[3], int *last)
{
    double best = INFINITY, reach = count ? sqrt(segment_squared(&segments[*last], p)) * (1 + 1e-9) : 0;
    int bone = -1;
    for (int s = 0; s < count; s++) {
        const Segment *one = &segments[s];
        double x = p[0] - one->middle[0], y = p[1] - one->middle[1], z = p[2] - one->middle[2];
        double beyond = (reach + one->half) * (1 + 1e-9);
        if (x * x + y * y + z * z > beyond * beyond)
            continue;
        double d = segment_squared(one, p);
        if (d < best - 1e-18)
            best = d, bone = one->bone, *last = s;
    }
    return bone;
}

PeltStatus pelti_measure_nearest_bones(PeltiMeasure *m, PeltError *err)
{
    const PeltiCharacter *who = m->who;
    const PeltiMesh *mesh = m->mesh;
    PeltiPool work;
    pelti_pool_init(&work, &m->pool.allocator);
    int most = 1;
    for (int i = 0; i < who->instance_count; i++)
        most = who->instances[i].bone_count > most ? who->instances[i].bone_count : most;
    Segment *segments = PELTI_NEW(&work, Segment, 2 * (size_t)most);
    float *values = PELTI_NEW(&work, float, who->point_count + 1);
    int *joint_of_node = PELTI_NEW(&work, int, who->node_count + 1), *start = PELTI_NEW(&work, int, who->instance_count + 2);
    int *by_instance = PELTI_NEW(&work, int, mesh->triangle_count + 1);
    if (work.failed) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, (size_t)who->point_count * sizeof(float));
    }
    for (int n = 0; n < who->node_count; n++)
        joint_of_node[n] = -1;
    for (int t = 0; t < mesh->triangle_count; t++)
        start[mesh->vertex_instance[mesh->triangles[t][0]] + 2]++;
    for (int i = 2; i < who->instance_count + 2; i++)
        start[i] += start[i - 1];
    for (int t = 0; t < mesh->triangle_count; t++)
        by_instance[start[mesh->vertex_instance[mesh->triangles[t][0]] + 1]++] = t;
    for (int i = 0; i < who->instance_count; i++) {
        const PeltiInstance *instance = &who->instances[i];
        bool skinned = instance->skin >= 0 && instance->bone_count > 0;
        int first = 0; // the first instance of a skin stands for all that share it
        while (first < i && who->instances[first].skin != instance->skin)
            first++;
        int count = skinned ? skin_segments(who, &who->instances[first], joint_of_node, values, segments) : 0;
        int last = 0;
        enclose_segments(segments, count);
        m->rest.has_skin |= skinned;
        for (int k = start[i]; k < start[i + 1]; k++) {
            const int *t = mesh->triangles[by_instance[k]];
            Vec3 a = mesh->rest[t[0]], b = mesh->rest[t[1]], c = mesh->rest[t[2]];
            double middle[3] = {((double)a.x + (double)b.x + (double)c.x) / 3, ((double)a.y + (double)b.y + (double)c.y) / 3,
                                ((double)a.z + (double)b.z + (double)c.z) / 3};
            m->rest.triangle_bone[by_instance[k]] = nearest_segment(segments, count, middle, &last);
        }
    }
    pelti_pool_release(&work);
    return PELT_OK;
}
