// VRM, an avatar's glTF: its expressions name morph targets by number. A baked mesh has other targets, which an expression must
// not play: it loses those binds and keeps the others. All else (spring bones, constraints, looks) stays as it is.
#include "io/gltf_write.h"

#include <string.h>

typedef struct Binds {
    PeltiGltfBake *bake;
    int dropped;
} Binds;

/// VRM 0.x names the mesh, VRM 1.0 the node.
static bool is_baked(const Binds *b, const PeltiJson *bind)
{
    int mesh = (int)pelti_json_int_of(pelti_json_get(bind, "mesh"), -1),
        node = (int)pelti_json_int_of(pelti_json_get(bind, "node"), -1);
    for (int i = 0; i < b->bake->baked_count; i++) {
        const PeltiInstance *instance = &b->bake->def->who->instances[b->bake->baked[i].instance];
        if (instance->mesh == mesh || instance->node == node)
            return true;
    }
    return false;
}

static void filter(Binds *b, PeltiJson *expression, const char *key)
{
    PeltiJson *old = pelti_json_get(expression, key), *kept = old ? pelti_json_new_array() : NULL;
    if (!kept)
        return;
    for (int i = 0; i < pelti_json_count(old); i++) {
        if (is_baked(b, pelti_json_at(old, i)))
            b->dropped++;
        else
            b->bake->out->ok &= pelti_json_push(kept, pelti_json_keep(pelti_json_at(old, i)));
    }
    b->bake->out->ok &= pelti_json_set(expression, key, kept);
}

static PeltStatus filter_expression(const PeltiJsonAt *member, void *user, PeltError *err)
{
    (void)err;
    filter(user, member->value, "morphTargetBinds");
    return PELT_OK;
}

PeltStatus pelti_gltf_bake_vrm(PeltiGltfBake *bake, PeltError *err)
{
    Binds binds = {.bake = bake};
    PeltiJsonAt root = pelti_json_root(bake->out->root), extensions = pelti_json_member(&root, "extensions"),
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
                   "%d morph targets of VRM expressions are baked into the mesh: the expressions no longer play them",
                   binds.dropped);
    return bake->out->ok ? PELT_OK : pelti_no_memory(err, 0);
}
