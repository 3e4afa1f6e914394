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

static bool triangles_cross(const PeltiTouch *t, const Vec3 *x, int a, int b)
{
    const int *s = t->mesh->triangles[a], *u = t->mesh->triangles[b];
    if (pelti_triangles_share(s, u) || pelti_touch_exempt_triangles(t, a, b))
        return false;
    return pelti_triangles_cross(x, s, u);
}

int pelti_touch_patches_cross(const PeltiTouch *t, const TouchSkin *skin, int a, int b, TouchCrossings *out)
{
    const Vec3 *x = skin->x;
    const TouchPatch *p = &t->patches.patch[a], *q = &t->patches.patch[b];
    PeltiBox boxes[TOUCH_PATCH];
    int found = 0;
    for (int k = 0; k < q->triangle_count; k++)
        boxes[k] = triangle_box(x, t->mesh->triangles[q->triangle[k]]);
    for (int i = 0; i < p->triangle_count; i++) {
        PeltiBox box = triangle_box(x, t->mesh->triangles[p->triangle[i]]);
        if (a != b && !pelti_box_overlap(&box, &skin->box[b], 0))
            continue;
        for (int k = a == b ? i + 1 : 0; k < q->triangle_count; k++) {
            if (!pelti_box_overlap(&box, &boxes[k], 0) || !triangles_cross(t, x, p->triangle[i], q->triangle[k]))
                continue;
            found++;
            if (!out)
                return found;
            if (out->count < out->capacity)
                out->list[out->count++] = (PeltiPair){p->triangle[i], q->triangle[k], 1};
        }
    }
    return found;
}

/// A plane lies between two patches, across the line between their boxes' centres and clear of rounding: far cheaper than their
/// triangles one by one, and for patches two steps apart on smooth skin nearly always so.
static bool plane_between(const PeltiTouch *t, const TouchSkin *skin, int a, int b)
{
    const Vec3 *x = skin->x;
    const TouchPatch *p = &t->patches.patch[a], *q = &t->patches.patch[b];
    const PeltiBox *s = &skin->box[a], *u = &skin->box[b];
    Vec3 n = vec3_sub(vec3_add(u->low, u->high), vec3_add(s->low, s->high));
    Vec3 origin = vec3_scale(vec3_add(s->low, s->high), 0.5f);
    float far = -INFINITY, near = INFINITY;
    for (int i = 0; i < p->vertex_count; i++)
        far = larger(far, vec3_dot(n, vec3_sub(x[p->vertex[i]], origin)));
    for (int i = 0; i < q->vertex_count; i++)
        near = lesser(near, vec3_dot(n, vec3_sub(x[q->vertex[i]], origin)));
    return near - far > 1e-5f * vec3_dot(n, n);
}

bool pelti_touch_join_crosses(const PeltiTouch *t, const TouchSkin *skin, const TouchJoin *join, unsigned char *smooth)
{
    *smooth = !pelti_box_overlap(&skin->box[join->a], &skin->box[join->b], t->rest.margin) ||
              pelti_touch_join_smooth(join, skin->shape);
    return !*smooth && (join->a == join->b || !plane_between(t, skin, join->a, join->b)) &&
           pelti_touch_patches_cross(t, skin, join->a, join->b, NULL);
}

static int far_patches_cross(void *context, int a, int b, int worker)
{
    const PeltiTouch *t = context;
    const TouchSkin *skin = &t->scratch.search.skin;
    (void)worker;
    return pelti_touch_patches_steps(&t->patches, a, b) > 2 && !plane_between(t, skin, a, b) &&
           pelti_touch_patches_cross(t, skin, a, b, NULL);
}

static void crossing_joins(void *context, int begin, int end, int worker)
{
    PeltiTouch *t = context;
    TouchSearch *s = &t->scratch.search;
    unsigned char smooth;
    (void)worker;
    for (int k = begin; k < end; k++)
        s->joins_cross[k] = pelti_touch_join_crosses(t, &s->skin, &t->patches.join[k], &smooth);
}

static void skin_range(void *context, int begin, int end, int worker)
{
    PeltiTouch *t = context;
    TouchSkin *skin = &t->scratch.search.skin;
    const Vec3 *x = skin->x;
    (void)worker;
    for (int k = begin; k < end; k++) {
        const TouchPatch *p = &t->patches.patch[k];
        pelti_touch_patch_shape(p, x, &skin->shape[k], NULL);
        PeltiBox box = {x[p->vertex[0]], x[p->vertex[0]]};
        for (int i = 1; i < p->vertex_count; i++)
            pelti_box_take(&box, x[p->vertex[i]]);
        skin->box[k] = box;
    }
}

int pelti_touch_crossings(PeltiTouch *t, const Vec3 *vertices)
{
    return pelti_touch_find_crossings(t, vertices);
}

int pelti_touch_list_crossings(PeltiTouch *t, const TouchSkin *skin, const unsigned char *joins)
{
    int found = 0;
    t->crossings.count = 0;
    for (int k = 0; k < t->patches.join_count; k++)
        if (joins[k])
            found += pelti_touch_patches_cross(t, skin, t->patches.join[k].a, t->patches.join[k].b, &t->crossings);
    return found;
}

/// Every pair of patches is either smooth, or far apart, or its triangles are tested one by one with exact arithmetic.
int pelti_touch_find_crossings(PeltiTouch *t, const Vec3 *x)
{
    TouchSearch *s = &t->scratch.search;
    PeltiPairs *far = &t->scratch.pairs;
    s->skin.x = x;
    pelti_parallel_for(t->jobs, t->patches.count, TOUCH_CHUNK, skin_range, t);
    pelti_parallel_for(t->jobs, t->patches.join_count, 4 * TOUCH_CHUNK, crossing_joins, t);
    pelti_box_tree_refit(s->tree, t->jobs, s->skin.box);
    pelti_box_tree_self_pairs(s->tree, 0, far_patches_cross, t, t->jobs, far);
    int found = pelti_touch_list_crossings(t, &s->skin, s->joins_cross);
    for (int k = 0; k < far->count; k++)
        found += pelti_touch_patches_cross(t, &s->skin, far->pairs[k].a, far->pairs[k].b, &t->crossings);
    return found;
}
