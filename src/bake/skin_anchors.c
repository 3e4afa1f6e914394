/// include/pelt/skin.h: anchors moved by a host.
#include "bake/objects.h"

PeltStatus pelt_skin_anchor_add(PeltSkin *skin, int point, float falloff, int *anchor, PeltError *err)
{
    const PeltRigAnchor rig = {.point = point, .falloff = falloff};
    *anchor = -1;
    if (point < 0 || point >= skin->character->who->point_count)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "anchor: point %d of %d", point, skin->character->who->point_count);
    if (!(falloff >= 0 && falloff <= 10))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "anchor: falloff %g is outside 0 to 10 (shares of the size)", (double)falloff);
    return pelti_anchors_add(&skin->added.anchors, &rig, anchor, err);
}

int pelt_skin_anchor_find(const PeltSkin *skin, const char *name)
{
    return pelti_anchors_find(&skin->added.anchors, name);
}

static bool is_pull(const PeltSkin *skin, int anchor, Vec3 v, float strength)
{
    PELT_ASSERT(pelti_anchors_has(&skin->added.anchors, anchor));
    return vec3_finite(v) && strength >= 0 && strength <= 1;
}

/// Anchors live in the character's own space, a host speaks its own.
static Mat34 own_from_host(const PeltSkin *skin)
{
    Mat34 own = mat34_identity();
    mat34_inverse(pelti_bake_host_from_own(skin->character), &own); // a turn and a unit: there is one
    return own;
}

void pelt_skin_anchor_pull(PeltSkin *skin, int anchor, const float offset[3], float strength)
{
    Vec3 v = mat34_apply_vector(own_from_host(skin), vec3(offset[0], offset[1], offset[2]));
    if (is_pull(skin, anchor, v, strength))
        pelti_anchors_pull(&skin->added.anchors, anchor, v, strength);
}

void pelt_skin_anchor_hold(PeltSkin *skin, int anchor, const float at[3], float strength)
{
    Vec3 v = mat34_apply(own_from_host(skin), vec3(at[0], at[1], at[2]));
    if (is_pull(skin, anchor, v, strength))
        pelti_anchors_hold(&skin->added.anchors, anchor, v, strength);
}

void pelt_skin_anchor_let_go(PeltSkin *skin, int anchor)
{
    PELT_ASSERT(pelti_anchors_has(&skin->added.anchors, anchor));
    pelti_anchors_let_go(&skin->added.anchors, anchor);
}
