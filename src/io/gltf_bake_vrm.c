/// Keeps a VRM, an avatar's glTF, sound when it is baked: its expressions name morph targets by number.
/// A baked mesh has its own ones first, so numbers stay; the node that shows it may be another. All else (spring bones,
/// constraints, looks) stays as it is.
#include "io/gltf_write.h"

#include <string.h>

typedef struct Binds {
    const PeltiGltfBake *bake;
    PeltiGltfOut *out;
    int dropped;
} Binds;

/// VRM 0.x names the mesh, VRM 1.0 the node. NULL: nothing that is baked.
static const PeltiGltfBaked *baked_of(const Binds *b, const PeltiJson *bind)
{
    int mesh = (int)pelti_json_int_of(pelti_json_get(bind, "mesh"), -1),
        node = (int)pelti_json_int_of(pelti_json_get(bind, "node"), -1);
    for (int i = 0; i < b->bake->baked_count; i++) {
        const PeltiInstance *instance = &b->bake->def->who->instances[b->bake->baked[i].instance];
        if (instance->mesh == mesh || instance->node == node)
            return &b->bake->baked[i];
    }
    return NULL;
}

/// A number that the file has no target for would play one of the bake.
static void filter(Binds *b, PeltiJson *expression, const char *key)
{
    PeltiJson *old = pelti_json_get(expression, key), *kept = old ? pelti_json_new_array() : NULL;
    if (!kept)
        return;
    for (int i = 0; i < pelti_json_count(old); i++) {
        PeltiJson *bind = pelti_json_at(old, i);
        const PeltiGltfBaked *baked = baked_of(b, bind);
        if (baked && pelti_json_int_of(pelti_json_get(bind, "index"), -1) >= pelti_gltf_bake_own_count(b->bake, baked)) {
            b->dropped++;
            continue;
        }
        if (baked && baked->node >= 0 && pelti_json_get(bind, "node"))
            b->out->ok &= pelti_json_set(bind, "node", pelti_json_new_int(baked->node));
        b->out->ok &= pelti_json_push(kept, pelti_json_keep(bind));
    }
    b->out->ok &= pelti_json_set(expression, key, kept);
}

static PeltStatus filter_expression(const PeltiJsonAt *member, void *user, PeltError *err)
{
    (void)err;
    filter(user, member->value, "morphTargetBinds");
    return PELT_OK;
}

PeltStatus pelti_gltf_bake_vrm(const PeltiGltfBake *bake, PeltiGltfOut *out, PeltError *err)
{
    Binds binds = {.bake = bake, .out = out};
    PeltiJsonAt root = pelti_json_root(out->root), extensions = pelti_json_member(&root, "extensions"),
                old = pelti_json_member(&extensions, "VRM"), fresh = pelti_json_member(&extensions, "VRMC_vrm"),
                expressions = pelti_json_member(&fresh, "expressions");
    PeltiJson *groups = pelti_json_get(pelti_json_get(old.value, "blendShapeMaster"), "blendShapeGroups");
    for (int i = 0; i < pelti_json_count(groups); i++)
        filter(&binds, pelti_json_at(groups, i), "binds");
    static const char *const lists[] = {"preset", "custom"};
    for (int i = 0; i < 2; i++) {
        PeltiJsonAt list = pelti_json_member(&expressions, lists[i]);
        if (list.value)
            PELT_TRY(pelti_json_each(&list, filter_expression, &binds, err));
    }
    if (binds.dropped)
        pelti_warn(bake->def->log, "vrm-expressions",
                   "%d morph targets of VRM expressions are none that their mesh has: the expressions no longer ask for them",
                   binds.dropped);
    return out->ok ? PELT_OK : pelti_no_memory(err, 0);
}
