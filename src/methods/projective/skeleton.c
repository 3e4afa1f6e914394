/// Makes bones and joints with a radius [Komaritzan2018 sec. 3.1].
/// A bone is a cylinder from joint centre to joint centre with round ends, a joint a sphere at least as thick: unlike the
/// paper's, cylinders reach into their joints, so there is no neck between them where a base point could fall to the axis.
#include "methods/projective/parts.h"
#include "methods/projective/constants.def"

#include "character/skeleton.h"

#include <stdlib.h>
#include <string.h>

typedef struct Measure {
    const PeltiMesh *mesh;
    const PeltiBoxTree *tree;
    ProjSegment *segments;
    float *depth;  // [segment] least distance to the skin
    float *inside; // [segment] share of samples inside
} Measure;

/// A tip that nothing in the file says is where the chain was taken to end: it may lie outside, or close below the skin, and a
/// bone that thin would let the end of a finger crumple. The segment ends where the skin is still six tenths as far as it was
/// before.
static void trim_tips(void *context, int begin, int end, int worker)
{
    (void)worker;
    Measure *m = context;
    for (int s = begin; s < end; s++) {
        ProjSegment *segment = &m->segments[s];
        float thickest = 0, keep = TIP_LEAST;
        for (int k = 0; segment->leaf_b && k <= SEGMENT_SAMPLES; k++) {
            float t = (float)k / (float)SEGMENT_SAMPLES;
            Vec3 p = vec3_lerp(segment->a, segment->b, t);
            const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
            PeltiNearest hit;
            PeltiNearestQuery query = {
                .triangles = m->mesh->triangles, .points = m->mesh->rest, .point = p, .max_distance = INFINITY};
            if (!pelti_box_tree_nearest(m->tree, &query, &hit) ||
                pelti_box_tree_winding(m->tree, m->mesh->triangles, m->mesh->rest, at) == 0)
                continue;
            thickest = fmaxf(thickest, (float)hit.distance);
            if ((float)hit.distance >= TIP_KEEP * thickest)
                keep = fmaxf(keep, t);
        }
        if (!segment->leaf_b || !(thickest > 0))
            continue;
        segment->b = vec3_lerp(segment->a, segment->b, keep);
        segment->length *= keep;
    }
}

/// A leaf's tip lies near the skin, so only the first three quarters of a leaf say how thick it is.
static void measure_segments(void *context, int begin, int end, int worker)
{
    (void)worker;
    Measure *m = context;
    for (int s = begin; s < end; s++) {
        ProjSegment *segment = &m->segments[s];
        float least = INFINITY;
        int inside = 0, counted = 0;
        float from = segment->leaf_a ? LEAF_END : 0, to = segment->leaf_b ? 1 - LEAF_END : 1;
        for (int k = 0; k < SEGMENT_SAMPLES; k++) {
            float t = from + (to - from) * ((float)k + 0.5f) / (float)SEGMENT_SAMPLES;
            Vec3 p = vec3_lerp(segment->a, segment->b, t);
            PeltiNearest hit;
            PeltiNearestQuery query = {
                .triangles = m->mesh->triangles, .points = m->mesh->rest, .point = p, .max_distance = INFINITY};
            if (!pelti_box_tree_nearest(m->tree, &query, &hit))
                continue;
            const double at[3] = {(double)p.x, (double)p.y, (double)p.z};
            counted++;
            if (pelti_box_tree_winding(m->tree, m->mesh->triangles, m->mesh->rest, at) == 0)
                continue;
            inside++;
            least = fminf(least, (float)hit.distance);
        }
        m->depth[s] = isfinite(least) ? least : 0;
        m->inside[s] = counted ? (float)inside / (float)counted : 0;
    }
}

static bool used_skeleton(const PeltiCharacter *who, int skeleton)
{
    for (int i = 0; i < who->instance_count; i++)
        if (who->instances[i].skin >= 0 && who->instances[i].bone_count > 0 &&
            who->bones[who->instances[i].bones[0]].skeleton == skeleton)
            return true;
    return false;
}

/// By place: the order of joints in the file is no matter. (Segments in one place are alike, but for ends at one joint.)
static int compare_segments(const void *a, const void *b)
{
    const ProjSegment *x = a, *y = b;
    const float p[6] = {x->a.x, x->a.y, x->a.z, x->b.x, x->b.y, x->b.z}, q[6] = {y->a.x, y->a.y, y->a.z, y->b.x, y->b.y, y->b.z};
    for (int k = 0; k < 6; k++)
        if (p[k] != q[k])
            return p[k] < q[k] ? -1 : 1;
    return x->bone - y->bone;
}

/// Candidate segments with ends marked where the skeleton ends.
static int gather(const PeltiCharacter *who, ProjSegment *out)
{
    int count = 0;
    float least = 1e-6f * who->mesh->diagonal; // shorter ones have no direction but that of rounding
    for (int s = 0; s < who->segment_count; s++) {
        const PeltiSkeletonSegment *from = &who->segments[s];
        const PeltiBone *bone = &who->bones[from->bone];
        float length = vec3_distance(from->a, from->b);
        if (bone->is_prop || !(length > least) || !used_skeleton(who, bone->skeleton))
            continue;
        Vec3 axis = vec3_scale(vec3_sub(from->b, from->a), 1 / length);
        out[count++] = (ProjSegment){.bone = from->bone,
                                     .child = from->child,
                                     .skeleton = bone->skeleton,
                                     .a = from->a,
                                     .b = from->b,
                                     .axis = axis,
                                     .length = length};
    }
    qsort(out, (size_t)count, sizeof *out, compare_segments);
    for (int s = 0; s < count; s++) {
        int at_a = 0;
        for (int k = 0; k < count; k++)
            at_a += k != s && (out[k].bone == out[s].bone || out[k].child == out[s].bone);
        out[s].leaf_a = at_a == 0;
        out[s].leaf_b = out[s].child < 0;
    }
    return count;
}

/// Keeps the segments that are inside the skin; where a skeleton has none, all of its own.
static int drop_outside(ProjSegment *segments, float *depth, const float *inside, int count, int *dropped)
{
    int kept = 0;
    *dropped = 0;
    for (int s = 0; s < count; s++) {
        bool any = false;
        for (int k = 0; k < count && !any; k++)
            any = segments[k].skeleton == segments[s].skeleton && inside[k] >= SEGMENT_INSIDE;
        if (any && inside[s] < SEGMENT_INSIDE)
            segments[s].radius = -1;
    }
    for (int s = 0; s < count; s++) {
        if (segments[s].radius < 0) {
            ++*dropped;
            continue;
        }
        depth[kept] = depth[s];
        segments[kept++] = segments[s];
    }
    return kept;
}

static bool share_joint(const ProjSegment *a, const ProjSegment *b)
{
    return a->bone == b->bone || a->child == b->bone || b->child == a->bone || (a->child >= 0 && a->child == b->child);
}

/// 75 % of the distance to the skin; spheres as thick as their thickest bone; then shrink until r1 + r2 + 2 rb <= l, eq. 1.
static void set_radii(const PeltiCharacter *who, ProjSkeleton *k, const float *depth)
{
    float least = BONE_LEAST * who->mesh->diagonal;
    for (int s = 0; s < k->segment_count; s++) {
        ProjSegment *segment = &k->segments[s];
        segment->radius = fmaxf(BONE_SHARE * depth[s], fminf(least, BONE_SHORT * segment->length));
    }
    for (int round = 0; round < RADII_ROUNDS; round++) {
        for (int b = 0; b < who->bone_count; b++)
            k->joint_radius[b] = 0;
        for (int s = 0; s < k->segment_count; s++) {
            ProjSegment *segment = &k->segments[s];
            k->joint_radius[segment->bone] = fmaxf(k->joint_radius[segment->bone], segment->radius);
            if (segment->child >= 0)
                k->joint_radius[segment->child] = fmaxf(k->joint_radius[segment->child], segment->radius);
        }
        bool fits = true;
        for (int s = 0; s < k->segment_count; s++) {
            ProjSegment *segment = &k->segments[s];
            float end = segment->child >= 0 ? k->joint_radius[segment->child] : segment->radius;
            float need = k->joint_radius[segment->bone] + end + 2 * segment->radius;
            if (need <= segment->length * 1.0001f) // rounding: what was scaled to fit, does
                continue;
            float scale = fmaxf(segment->length / need, RADII_SHRINK);
            // the thick neighbour gives way too: its sphere is what does not fit
            for (int n = 0; n < k->segment_count; n++) {
                ProjSegment *other = &k->segments[n];
                if (n != s && share_joint(segment, other) && other->radius > segment->radius &&
                    other->length < RADII_NEIGHBOUR * segment->length)
                    other->radius = fmaxf(other->radius * scale, segment->radius);
            }
            segment->radius *= scale;
            fits = false;
        }
        if (fits)
            break;
    }
    for (int s = 0; s < k->segment_count; s++) { // what still does not fit: spheres are cut, thin bones keep their own radius
        ProjSegment *segment = &k->segments[s];
        float most = fmaxf(SLIDE_MOST * segment->length, segment->radius);
        k->joint_radius[segment->bone] = fminf(k->joint_radius[segment->bone], most);
        if (segment->child >= 0)
            k->joint_radius[segment->child] = fminf(k->joint_radius[segment->child], most);
    }
}

/// Sliding reaches two radii and a half along each bone, but never past its middle.
static void set_zones(const PeltiCharacter *who, ProjSkeleton *k)
{
    for (int b = 0; b < who->bone_count; b++)
        k->zone[b] = SLIDE_ZONE * k->joint_radius[b];
    for (int s = 0; s < k->segment_count; s++) {
        ProjSegment *segment = &k->segments[s];
        float most = SLIDE_MOST * segment->length;
        k->zone[segment->bone] = fminf(k->zone[segment->bone], most);
        if (segment->child >= 0)
            k->zone[segment->child] = fminf(k->zone[segment->child], most);
    }
}

static PeltStatus link_near(ProjSkeleton *k, PeltiPool *pool, PeltError *err)
{
    int total = 0;
    for (int pass = 0; pass < 2; pass++) {
        int used = 0;
        for (int s = 0; s < k->segment_count; s++) {
            int first = used;
            for (int n = 0; n < k->segment_count; n++)
                if (n != s && k->segments[n].skeleton == k->segments[s].skeleton &&
                    share_joint(&k->segments[s], &k->segments[n])) {
                    if (pass)
                        k->near[used] = n;
                    used++;
                }
            k->segments[s].near_first = first;
            k->segments[s].near_count = used - first;
        }
        total = used;
        if (!pass)
            k->near = PELTI_NEW(pool, int, (size_t)total + 1);
        if (pool->failed)
            return pelti_no_memory(err, (size_t)total * sizeof(int));
    }
    return PELT_OK;
}

PeltStatus pelti_proj_skeleton(const ProjSource *source, float thickness, ProjSkeleton *out, PeltError *err)
{
    const PeltiCharacter *who = source->who;
    const PeltiMesh *mesh = who->mesh;
    PeltiPool *pool = source->pool;
    PeltiPool temp;
    pelti_pool_init(&temp, &pool->allocator);
    *out = (ProjSkeleton){0};
    out->segments = PELTI_NEW(pool, ProjSegment, (size_t)who->segment_count + 1);
    out->joint_radius = PELTI_NEW(pool, float, (size_t)who->bone_count + 1);
    out->zone = PELTI_NEW(pool, float, (size_t)who->bone_count + 1);
    Measure m = {.mesh = mesh, .segments = out->segments};
    m.depth = PELTI_NEW(&temp, float, (size_t)who->segment_count + 1);
    m.inside = PELTI_NEW(&temp, float, (size_t)who->segment_count + 1);
    PeltStatus status = PELT_OK;
    PeltiBoxTree *tree = NULL;
    if (pool->failed || temp.failed) {
        status = pelti_no_memory(err, (size_t)who->segment_count * sizeof(ProjSegment));
        goto done;
    }
    PELT_TRY_GOTO(status, pelti_box_tree_build_triangles(&temp, mesh->triangle_count, mesh->triangles, mesh->rest, &tree, err),
                  done);
    m.tree = tree;
    int count = gather(who, out->segments);
    pelti_parallel_for(source->jobs, count, 4, trim_tips, &m);
    pelti_parallel_for(source->jobs, count, 4, measure_segments, &m);
    out->segment_count = drop_outside(out->segments, m.depth, m.inside, count, &out->outside_count);
    if (out->outside_count > 0)
        pelti_warn(source->log, "projective-bones-outside", "%d of %d bone segments lie outside the skin and carry no tissue",
                   out->outside_count, count);
    for (int k = 0; k < out->segment_count; k++)
        m.depth[k] *= thickness;
    set_radii(who, out, m.depth);
    set_zones(who, out);
    status = link_near(out, pool, err);
done:
    pelti_pool_release(&temp);
    return status;
}
