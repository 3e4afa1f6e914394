/// Where a method's skin has triangles inside out, its offset from blending is smoothed before anything is looked at.
/// What blending lays flat comes to lie flat.
#include "geometry/triangles.h"
#include "touch/constants.def"
#include "touch/parts.h"

#include <string.h>

static bool lies_against(const PeltiTouch *t, int k)
{
    Vec3 sum = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        if (t->patches.beside[k][i] >= 0)
            sum = vec3_add(sum, t->look.area[t->patches.beside[k][i]]);
    return vec3_dot(sum, t->look.area[k]) < 0;
}

/// Triangles of patches that are surely flat do not lie against their neighbours.
static void turned_range(void *context, int begin, int end, int worker)
{
    const PeltiTouch *t = context;
    (void)worker;
    for (int p = begin; p < end; p++) {
        const TouchPatch *patch = &t->patches.patch[p];
        for (int i = 0; i < patch->triangle_count; i++)
            t->scratch.turned[patch->triangle[i]] = !t->look.ease[p].flat && lies_against(t, patch->triangle[i]);
    }
}

/// A triangle that lies against its neighbours is inside out if it neither does so at rest nor by blending, and lies against
/// what blending makes of it: where blending folds, its offset says nothing.
static bool inside_out(PeltiTouch *t, const Mat34 *bones, const Vec3 *x, int k)
{
    Vec3 *blend = t->scratch.iron.blend;
    if (pelti_touch_against_neighbours(t->mesh, &t->patches, t->mesh->rest, k) < 0)
        return false;
    for (int n = -1; n < 3; n++) {
        int near = n < 0 ? k : t->patches.beside[k][n];
        for (int i = 0; near >= 0 && i < 3; i++) {
            int v = t->mesh->triangles[near][i];
            blend[v] = pelti_touch_blend(t, bones, v);
        }
    }
    const int *v = t->mesh->triangles[k];
    return pelti_touch_against_neighbours(t->mesh, &t->patches, blend, k) >= 0 &&
           vec3_dot(pelti_triangle_normal(blend, v), pelti_triangle_normal(x, v)) < 0;
}

/// Lists the vertices of triangles that are inside out, if they are not listed yet; returns how many such triangles there are.
static int list_turned(PeltiTouch *t, const Mat34 *bones, const Vec3 *x, int *count)
{
    const unsigned char *turned = t->scratch.turned, *at = turned, *end = turned + t->mesh->triangle_count;
    int found = 0;
    pelti_parallel_for(t->jobs, t->patches.count, 4 * TOUCH_CHUNK, turned_range, t);
    while ((at = memchr(at, 1, (size_t)(end - at)))) {
        int k = (int)(at++ - turned);
        if (!inside_out(t, bones, x, k))
            continue;
        found++;
        for (int i = 0; i < 3; i++) {
            int v = t->mesh->triangles[k][i];
            if (!t->scratch.queued[v])
                t->scratch.queue[(*count)++] = v;
            t->scratch.queued[v] = 1;
        }
    }
    return found;
}

static Vec3 smoothed(const PeltiTouch *t, const Vec3 *offset, int v)
{
    Vec3 sum = {0, 0, 0};
    int degree = t->mesh->ring_start[v + 1] - t->mesh->ring_start[v]; // of a triangle's vertex: two at least
    for (int r = t->mesh->ring_start[v]; r < t->mesh->ring_start[v + 1]; r++)
        sum = vec3_add(sum, offset[t->mesh->ring[r]]);
    return vec3_lerp(offset[v], vec3_scale(sum, 1 / (float)degree), 0.5f);
}

static void smooth(PeltiTouch *t, int count)
{
    const int *list = t->scratch.queue;
    Vec3 *offset = t->scratch.iron.offset, *next = t->scratch.iron.next;
    for (int pass = 0; pass < IRON_PASSES; pass++) {
        for (int i = 0; i < count; i++)
            next[list[i]] = smoothed(t, offset, list[i]);
        for (int i = 0; i < count; i++)
            offset[list[i]] = next[list[i]];
    }
}

/// The triangles of vertices that moved, and those beside them.
static void look_again(PeltiTouch *t, const Vec3 *x, int count)
{
    const PeltiMesh *mesh = t->mesh;
    for (int i = 0; i < count; i++)
        for (int f = mesh->fan_start[t->scratch.queue[i]]; f < mesh->fan_start[t->scratch.queue[i] + 1]; f++) {
            int k = mesh->fan[f];
            t->look.area[k] = pelti_triangle_normal(x, mesh->triangles[k]);
            t->look.ease[t->patches.of[k]].flat = false;
            for (int n = 0; n < 3; n++)
                if (t->patches.beside[k][n] >= 0)
                    t->look.ease[t->patches.of[t->patches.beside[k][n]]].flat = false;
        }
}

/// Returns how many vertices moved; if any, t->scratch.iron.before is what all were.
static int iron(PeltiTouch *t, const Mat34 *bones, Vec3 *x)
{
    const int *list = t->scratch.queue;
    Vec3 *blend = t->scratch.iron.blend, *offset = t->scratch.iron.offset;
    int count = 0;
    memset(t->scratch.queued, 0, (size_t)t->count);
    for (int round = 0; round < IRON_ROUNDS && list_turned(t, bones, x, &count); round++) {
        for (int v = 0; v < t->count && round == 0; v++) {
            t->scratch.iron.before[v] = x[v];
            blend[v] = pelti_touch_blend(t, bones, v);
            offset[v] = vec3_sub(x[v], blend[v]);
        }
        count = pelti_touch_add_rings(t->mesh, &t->scratch, 0, count, IRON_RINGS);
        smooth(t, count);
        for (int i = 0; i < count; i++)
            x[list[i]] = vec3_add(blend[list[i]], offset[list[i]]);
        look_again(t, x, count);
    }
    memset(t->scratch.queued, 0, (size_t)t->count);
    return count;
}

/// Where blending passes through itself the method's offset is what keeps skin apart: ironed it may hook, and stay behind with
/// all that hangs on it for the rest of the clip. So while something stays behind, what crosses more for being ironed is not.
bool pelti_touch_iron(PeltiTouch *t, const Mat34 *bones, Vec3 *x)
{
    const Vec3 *before = t->scratch.iron.before;
    int moved = iron(t, bones, x);
    if (moved > 0 && t->state.behind > 0 && pelti_touch_find_crossings(t, x) > pelti_touch_find_crossings(t, before))
        memcpy(x, before, sizeof *x * (size_t)t->count);
    return moved > 0;
}
