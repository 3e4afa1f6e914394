/// A first look at the skin that a method wants: how its patches lie.
/// Most are surely flat, smooth and not drawn out, and then neither their triangles, nor their edges, nor their joins are
/// looked at one by one.
#include "touch/parts.h"

#include <string.h>

static void shape_range(void *context, int begin, int end, int worker)
{
    PeltiTouch *t = context;
    (void)worker;
    for (int k = begin; k < end; k++)
        pelti_touch_patch_shape(&t->patches.patch[k], t->look.x, &t->look.shape[k], t->look.area);
}

typedef struct Easing {
    const TouchPatches *patches;
    const TouchShape *shapes;
    TouchEase *ease;
} Easing;

static void ease_range(void *context, int begin, int end, int worker)
{
    const Easing *e = context;
    (void)worker;
    for (int k = begin; k < end; k++)
        e->ease[k] = pelti_touch_patch_ease(e->patches, e->shapes, k);
}

void pelti_touch_ease(PeltiTouch *t, const TouchShape *shapes, TouchEase *ease)
{
    pelti_parallel_for(t->jobs, t->patches.count, 4 * TOUCH_CHUNK, ease_range, &(Easing){&t->patches, shapes, ease});
}

void pelti_touch_look(PeltiTouch *t, const Vec3 *x)
{
    t->look.x = x;
    pelti_parallel_for(t->jobs, t->patches.count, TOUCH_CHUNK, shape_range, t);
    pelti_touch_ease(t, t->look.shape, t->look.ease);
    t->look.holds = true;
}

void pelti_touch_forget_look(PeltiTouch *t)
{
    t->look.holds = false;
}

bool pelti_touch_take_look(PeltiTouch *t)
{
    TouchLook *look = &t->look;
    TouchBounds *b = &t->bounds;
    TouchShape *shape = look->shape;
    TouchEase *ease = look->ease;
    if (!look->holds || memcmp(look->x, t->moves.plan, sizeof(Vec3) * (size_t)t->count) != 0)
        return false;
    look->shape = b->end.shape, look->ease = b->end_ease; // room for the next look
    b->end.shape = shape, b->end_ease = ease;
    look->holds = false;
    return true;
}

bool pelti_touch_may_be_drawn(const TouchShape *shape, float most)
{
    float square = 0;
    for (int i = 0; i < 9; i++)
        square += shape->linear.m[i / 3][i % 3] * shape->linear.m[i / 3][i % 3];
    return !(sqrtf(square) + shape->strain < 0.999f * most); // 0.999: rounding
}
