/// The rig of a skin: --rig and `--set joint.NAME.key=value`, or one filled by hand, with the operator files it names.
#include "bake/objects.h"
#include "bake/rig_check.h"
#include "bake/slice.h"
#include "io/operator.h"

#include <stdio.h>
#include <string.h>

static bool is_file(const char *operator_name)
{
    size_t length = operator_name ? strlen(operator_name) : 0;
    return length > 5 && !strcmp(operator_name + length - 5, ".json");
}

/// Beside the rig's file, unless the path is absolute or there is none.
static PeltStatus read_operator(const char *rig_path, const char *name, PeltOperator *out, PeltError *err)
{
    char path[4096];
    const char *slash = rig_path && name[0] != '/' ? strrchr(rig_path, '/') : NULL;
    int folder = slash ? (int)(slash - rig_path) + 1 : 0;
    if (snprintf(path, sizeof path, "%.*s%s", folder, folder ? rig_path : "", name) >= (int)sizeof path)
        return PELT_FAIL(err, PELT_BAD_INPUT, "rig: the path of operator %.60s is too long", name);
    return pelt_operator_load(path, out, err);
}

static PeltStatus read_operators(PeltSkin *skin, const char *rig_path, PeltError *err)
{
    const PeltRig *rig = skin->added.artist.rig;
    int most = rig->joint_count + rig->operator_count, count = 0;
    const char **names = PELTI_NEW(&skin->pool, const char *, most);
    PeltOperator *operators = PELTI_NEW(&skin->pool, PeltOperator, most);
    if (skin->pool.failed)
        return pelti_no_memory(err, sizeof(PeltOperator) * (size_t)most);
    for (int k = 0; k < rig->operator_count; k++, count++) {
        operators[count] = rig->operators[k];
        names[count] = rig->operators[k].name;
        PELT_TRY(pelti_bake_sound(&operators[count], err));
    }
    for (int k = 0; k < rig->joint_count; k++) {
        const char *name = rig->joints[k].operator_name;
        bool known = !is_file(name);
        for (int i = 0; i < count && !known; i++)
            known = !strcmp(names[i], name);
        if (known)
            continue;
        PELT_TRY(read_operator(rig_path, name, &operators[count], err));
        names[count++] = name;
    }
    skin->added.artist.operator_count = count;
    skin->added.artist.operator_names = names;
    skin->added.artist.operators = operators;
    return PELT_OK;
}

static void say_unused(PeltSkin *skin)
{
    const PeltRig *rig = skin->added.artist.rig;
    const struct {
        unsigned part;
        int count;
        const char *name;
    } parts[] = {{PELTI_METHOD_RIG_JOINTS, rig->joint_count, "joints"},
                 {PELTI_METHOD_RIG_MUSCLES, rig->muscle_count, "muscles"},
                 {PELTI_METHOD_RIG_REGIONS, rig->region_count, "regions"},
                 {PELTI_METHOD_RIG_VOLUMES, rig->volume_count, "volumes"},
                 {PELTI_METHOD_RIG_PAINTED, rig->painted_count, "painted flesh"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].count && !(skin->method->rig_parts & parts[i].part))
            pelti_warn(&skin->log, "rig-unused", "the method %s does nothing with the rig's %s", skin->method->name,
                       parts[i].name);
}

PeltStatus pelti_skin_rig(PeltSkin *skin, const PeltSkinDef *def, PeltError *err)
{
    const char **settings = PELTI_NEW(&skin->pool, const char *, def->setting_count);
    int count = 0;
    if (!settings)
        return pelti_no_memory(err, sizeof(char *) * (size_t)def->setting_count);
    for (int k = 0; k < def->setting_count; k++)
        if (pelti_io_rig_is_setting(def->settings[k]))
            settings[count++] = def->settings[k];
    if (!def->rig_path && !def->rig && !count)
        return PELT_OK;
    if (def->rig && (def->rig_path || count))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "a rig is given, and %s beside it: put all into one of them",
                         def->rig_path ? "the path of another" : settings[0]);
    if (def->rig) {
        PELT_TRY(pelti_bake_rig_check(def->rig, skin->character->who, err));
        skin->added.artist.rig = def->rig;
    } else {
        PELT_TRY(pelti_io_rig_load((PeltiIoRigSource){def->rig_path, settings, count}, skin->character->who,
                                   &skin->pool.allocator, &skin->added.loaded_rig, err));
        skin->added.artist.rig = &skin->added.loaded_rig->rig;
    }
    say_unused(skin);
    for (int k = 0, anchor; k < skin->added.artist.rig->anchor_count; k++)
        PELT_TRY(pelti_anchors_add(&skin->added.anchors, &skin->added.artist.rig->anchors[k], &anchor, err));
    return read_operators(skin, def->rig_path, err);
}
