/// Triangles that cross, found with exact arithmetic.
#include "geometry/triangles.h"
#include "touch/parts.h"

#include <string.h>

static PeltiBox triangle_box(const Vec3 *x, const int i[3])
{
    PeltiBox box = {x[i[0]], x[i[0]]};
    pelti_box_take(&box, x[i[1]]);
    pelti_box_take(&box, x[i[2]]);
    return box;
}

static bool triangles_cross(const PeltiTouch *t, int a, int b)
{
    const int *s = t->mesh->triangles[a], *u = t->mesh->triangles[b];
    if (pelti_triangles_share(s, u) || pelti_touch_exempt_triangles(t, a, b))
        return false;
    return pelti_triangles_cross(t->search.looks_at, s, u);
}

int pelti_touch_patches_cross(const PeltiTouch *t, int a, int b, PeltiPairs *out)
{
    const TouchPatch *p = &t->patches.patch[a], *q = &t->patches.patch[b];
    PeltiBox boxes[TOUCH_PATCH];
    int found = 0;
    for (int k = 0; k < q->triangle_count; k++)
        boxes[k] = triangle_box(t->search.looks_at, t->mesh->triangles[q->triangle[k]]);
    for (int i = 0; i < p->triangle_count; i++) {
        PeltiBox box = triangle_box(t->search.looks_at, t->mesh->triangles[p->triangle[i]]);
        if (a != b && !pelti_box_overlap(&box, &t->bounds.end_box[b], 0))
            continue;
        for (int k = a == b ? i + 1 : 0; k < q->triangle_count; k++) {
            if (!pelti_box_overlap(&box, &boxes[k], 0) || !triangles_cross(t, p->triangle[i], q->triangle[k]))
                continue;
            found++;
            if (!out)
                return found;
            if (out->count < out->capacity)
                out->pairs[out->count++] = (PeltiPair){p->triangle[i], q->triangle[k], 1};
        }
    }
    return found;
}

/// A plane lies between two patches, across the line between their boxes' centres and clear of rounding: far cheaper than their
/// triangles one by one, and for patches two steps apart on smooth skin nearly always so.
static bool plane_between(const PeltiTouch *t, int a, int b)
{
    const TouchPatch *p = &t->patches.patch[a], *q = &t->patches.patch[b];
    const PeltiBox *s = &t->bounds.end_box[a], *u = &t->bounds.end_box[b];
    Vec3 n = vec3_sub(vec3_add(u->low, u->high), vec3_add(s->low, s->high));
    Vec3 origin = vec3_scale(vec3_add(s->low, s->high), 0.5f);
    float far = -INFINITY, near = INFINITY;
    for (int i = 0; i < p->vertex_count; i++)
        far = larger(far, vec3_dot(n, vec3_sub(t->search.looks_at[p->vertex[i]], origin)));
    for (int i = 0; i < q->vertex_count; i++)
        near = lesser(near, vec3_dot(n, vec3_sub(t->search.looks_at[q->vertex[i]], origin)));
    return near - far > 1e-5f * vec3_dot(n, n);
}

bool pelti_touch_join_crosses(const PeltiTouch *t, const TouchJoin *join, unsigned char *smooth)
{
    *smooth = !pelti_box_overlap(&t->bounds.end_box[join->a], &t->bounds.end_box[join->b], t->rest.margin) ||
              pelti_touch_join_smooth(join, t->bounds.shape_end);
    return !*smooth && (join->a == join->b || !plane_between(t, join->a, join->b)) &&
           pelti_touch_patches_cross(t, join->a, join->b, NULL);
}

static int far_patches_cross(void *context, int a, int b, int worker)
{
    const PeltiTouch *t = context;
    (void)worker;
    return pelti_touch_patches_steps(&t->patches, a, b) > 2 && !plane_between(t, a, b) &&
           pelti_touch_patches_cross(t, a, b, NULL);
}

static void crossing_joins(void *context, int begin, int end, int worker)
{
    PeltiTouch *t = context;
    (void)worker;
    for (int k = begin; k < end; k++) {
        const TouchJoin *join = &t->patches.join[k];
        t->marks.join_crosses[k] = pelti_touch_join_crosses(t, join, &t->marks.join_smooth[k]);
    }
}

static void end_range(void *context, int begin, int end, int worker)
{
    PeltiTouch *t = context;
    const Vec3 *x = t->search.looks_at;
    (void)worker;
    for (int k = begin; k < end; k++) {
        const TouchPatch *p = &t->patches.patch[k];
        pelti_touch_patch_shape(p, x, &t->bounds.shape_end[k], NULL);
        PeltiBox box = {x[p->vertex[0]], x[p->vertex[0]]};
        for (int i = 1; i < p->vertex_count; i++)
            pelti_box_take(&box, x[p->vertex[i]]);
        t->bounds.end_box[k] = box;
    }
}

int pelti_touch_crossings(PeltiTouch *t, const Vec3 *vertices)
{
    return pelti_touch_find_crossings(t, vertices);
}

/// Every pair of patches is either smooth, or far apart, or its triangles are tested one by one with exact arithmetic.
int pelti_touch_find_crossings(PeltiTouch *t, const Vec3 *x)
{
    const TouchPatches *patches = &t->patches;
    t->search.looks_at = x;
    t->bounds.lies = NULL;
    pelti_parallel_for(t->jobs, patches->count, TOUCH_CHUNK, end_range, t);
    pelti_parallel_for(t->jobs, patches->join_count, 4 * TOUCH_CHUNK, crossing_joins, t);
    pelti_box_tree_refit(t->bounds.tree, t->jobs, t->bounds.end_box);
    pelti_box_tree_self_pairs(t->bounds.tree, 0, far_patches_cross, t, t->jobs, &t->search.near_pairs);
    t->search.crossings.count = 0;
    int found = 0;
    for (int k = 0; k < patches->join_count; k++)
        if (t->marks.join_crosses[k])
            found += pelti_touch_patches_cross(t, patches->join[k].a, patches->join[k].b, &t->search.crossings);
    for (int k = 0; k < t->search.near_pairs.count; k++)
        found +=
            pelti_touch_patches_cross(t, t->search.near_pairs.pairs[k].a, t->search.near_pairs.pairs[k].b, &t->search.crossings);
    return found;
}
