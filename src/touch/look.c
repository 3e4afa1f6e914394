/// A first look at the skin that a method wants: how its patches lie.
/// Most are surely flat, smooth and not drawn out, and then neither their triangles, nor their edges, nor their joins are
/// looked at one by one.
#include "touch/parts.h"

typedef struct Look {
    PeltiTouch *t;
    const Vec3 *x;
} Look;

static void shape_range(void *context, int begin, int end, int worker)
{
    const Look *look = context;
    PeltiTouch *t = look->t;
    (void)worker;
    for (int k = begin; k < end; k++)
        pelti_touch_patch_shape(&t->patches.patch[k], look->x, &t->bounds.shape_end[k], t->scratch.area);
}

static void ease_range(void *context, int begin, int end, int worker)
{
    PeltiTouch *t = context;
    (void)worker;
    for (int k = begin; k < end; k++)
        t->bounds.ease[k] = pelti_touch_patch_ease(&t->patches, t->bounds.shape_end, k);
}

void pelti_touch_ease(PeltiTouch *t)
{
    pelti_parallel_for(t->jobs, t->patches.count, 4 * TOUCH_CHUNK, ease_range, t);
}

void pelti_touch_look(PeltiTouch *t, const Vec3 *x)
{
    pelti_parallel_for(t->jobs, t->patches.count, TOUCH_CHUNK, shape_range, &(Look){t, x});
    pelti_touch_ease(t);
    t->bounds.lies = x;
}

void pelti_touch_forget_look(PeltiTouch *t)
{
    t->bounds.lies = NULL;
}

bool pelti_touch_may_be_drawn(const TouchShape *shape, float most)
{
    float square = 0;
    for (int i = 0; i < 9; i++)
        square += shape->linear.m[i / 3][i % 3] * shape->linear.m[i / 3][i % 3];
    return !(sqrtf(square) + shape->strain < 0.999f * most); // 0.999: rounding
}
