/// The table of a scene's keys.
#include "io/scene.h"

#include "core/text.h"
#include "io/form.h"
#include "io/scene_object.h"

#include <stddef.h>
#include <string.h>

#define AT(type, member) offsetof(type, member)

enum { OBJECTS_MOST = 4096 };

static PeltStatus read_ground(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const PeltiFormField fields[] = {
        {.key = "height", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltScene, ground_height), .least = -1e9, .most = 1e9},
        {0},
    };
    PeltScene *scene = target;
    if (pelti_json_bool(at, PELTI_REQUIRED, &scene->has_ground, NULL) == PELT_OK)
        return PELT_OK;
    scene->has_ground = true;
    return pelti_form_fill(form, at, fields, scene, err);
}

static PeltStatus read_objects(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltScene *scene = target;
    int count;
    if (pelti_json_array(at, PELTI_REQUIRED, &count, NULL) == PELT_OK && count > OBJECTS_MOST)
        return pelti_form_fail(form, at, err, "%d objects, at most %d are handled", count, OBJECTS_MOST);
    return pelti_scene_objects(form, at, &scene->object_count, &scene->objects, err);
}

static PeltStatus read_pairs(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const PeltiFormField fields[] = {
        {.key = "a", .kind = PELTI_FORM_TEXT, .offset = AT(PeltScenePair, a), .required = true},
        {.key = "b", .kind = PELTI_FORM_TEXT, .offset = AT(PeltScenePair, b), .required = true},
        {.key = "friction", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltScenePair, friction), .most = 100},
        {.key = "restitution", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltScenePair, restitution), .most = 1},
        {0},
    };
    static const PeltScenePair initial = {.friction = -1, .restitution = -1};
    PeltScene *scene = target;
    return pelti_form_list(form, at, (PeltiFormItem){fields, &initial, sizeof initial}, &scene->pair_count, &scene->pairs, err);
}

static PeltStatus read_joints(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const PeltiFormField fields[] = {
        {.key = "joint", .kind = PELTI_FORM_TEXT, .offset = AT(PeltSceneJoint, joint), .required = true},
        {.key = "character", .kind = PELTI_FORM_TEXT, .offset = AT(PeltSceneJoint, character)},
        {.key = "stiffness", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltSceneJoint, stiffness), .least = 1e-9, .most = 1e12},
        {.key = "rigid", .kind = PELTI_FORM_BOOL, .offset = AT(PeltSceneJoint, rigid)},
        {0},
    };
    static const PeltSceneJoint initial = {0};
    PeltScene *scene = target;
    return pelti_form_list(form, at, (PeltiFormItem){fields, &initial, sizeof initial}, &scene->joint_count, &scene->joints, err);
}

static PeltStatus read_characters(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    static const PeltiFormField fields[] = {
        {.key = "name", .kind = PELTI_FORM_TEXT, .offset = AT(PeltSceneCharacter, name), .required = true},
        {.key = "file",
         .kind = PELTI_FORM_CUSTOM,
         .offset = AT(PeltSceneCharacter, file),
         .required = true,
         .read = pelti_scene_path},
        {.key = "clip", .kind = PELTI_FORM_TEXT, .offset = AT(PeltSceneCharacter, clip)},
        {.key = "position",
         .kind = PELTI_FORM_FLOATS,
         .offset = AT(PeltSceneCharacter, position),
         .count = 3,
         .least = -1e9,
         .most = 1e9},
        {.key = "rotation", .kind = PELTI_FORM_CUSTOM, .offset = AT(PeltSceneCharacter, rotation), .read = pelti_scene_rotation},
        {0},
    };
    static const PeltSceneCharacter initial = {.rotation = {0, 0, 0, 1}};
    PeltScene *scene = target;
    return pelti_form_list(form, at, (PeltiFormItem){fields, &initial, sizeof initial}, &scene->character_count,
                           &scene->characters, err);
}

static const PeltiFormField scene_fields[] = {
    {.key = "version", .kind = PELTI_FORM_CUSTOM, .read = pelti_form_version},
    {.key = "gravity", .kind = PELTI_FORM_FLOATS, .offset = AT(PeltScene, gravity), .count = 3, .least = -1e6, .most = 1e6},
    {.key = "ground", .kind = PELTI_FORM_CUSTOM, .read = read_ground},
    {.key = "friction", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltScene, friction), .most = 100},
    {.key = "restitution", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltScene, restitution), .most = 1},
    {.key = "alarm_distance", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltScene, alarm_distance), .most = 1e9},
    {.key = "joint_stiffness", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltScene, joint_stiffness), .least = 1e-9, .most = 1e9},
    {.key = "root_stiffness", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltScene, root_stiffness), .most = 1e12},
    {.key = "joint_damping", .kind = PELTI_FORM_FLOAT, .offset = AT(PeltScene, joint_damping_s), .most = 1e3},
    {.key = "objects", .kind = PELTI_FORM_CUSTOM, .read = read_objects},
    {.key = "characters", .kind = PELTI_FORM_CUSTOM, .read = read_characters},
    {.key = "pairs", .kind = PELTI_FORM_CUSTOM, .read = read_pairs},
    {.key = "joints", .kind = PELTI_FORM_CUSTOM, .read = read_joints},
    {0},
};

// ---- names that go together

/// Everything that touches: "character" (the input file's), "ground", then objects and characters of the scene.
static const char *touching_at(const void *list, int index)
{
    const PeltScene *scene = list;
    if (index < 2)
        return index ? "ground" : "character";
    index -= 2;
    if (index < scene->object_count)
        return scene->objects[index].name;
    index -= scene->object_count;
    return index < scene->character_count ? scene->characters[index].name : NULL;
}

static int find_touching(const PeltScene *scene, const char *name, int below)
{
    const char *known;
    for (int i = 0; i < below && (known = touching_at(scene, i)) != NULL; i++)
        if (!strcmp(known, name))
            return i;
    return -1;
}

static PeltStatus check_known(PeltiForm *form, const PeltiJsonAt *item, const char *key, const char *name, const PeltScene *scene,
                              PeltError *err)
{
    if (find_touching(scene, name, INT32_MAX) >= 0)
        return PELT_OK;
    PeltiJsonAt at = pelti_json_member(item, key);
    const char *nearest = pelti_text_nearest(name, touching_at, scene);
    return pelti_form_fail(form, &at, err, "there is no \"%.60s\" in the scene%s%.60s%s", name,
                           nearest ? "; did you mean \"" : "", nearest ? nearest : "", nearest ? "\"?" : "");
}

static PeltStatus check_names(PeltiForm *form, const PeltiJsonAt *root, const PeltScene *scene, PeltError *err)
{
    PeltiJsonAt objects = pelti_json_member(root, "objects"), characters = pelti_json_member(root, "characters"),
                pairs = pelti_json_member(root, "pairs"), joints = pelti_json_member(root, "joints");
    for (int i = 0; i < scene->object_count + scene->character_count; i++) {
        bool object = i < scene->object_count;
        PeltiJsonAt item = pelti_json_item(object ? &objects : &characters, object ? i : i - scene->object_count),
                    name = pelti_json_member(&item, "name");
        if (find_touching(scene, touching_at(scene, i + 2), i + 2) >= 0)
            return pelti_form_fail(form, &name, err, "the name \"%.60s\" is taken", touching_at(scene, i + 2));
    }
    for (int i = 0; i < scene->pair_count; i++) {
        PeltiJsonAt item = pelti_json_item(&pairs, i);
        PELT_TRY(check_known(form, &item, "a", scene->pairs[i].a, scene, err));
        PELT_TRY(check_known(form, &item, "b", scene->pairs[i].b, scene, err));
    }
    for (int i = 0; i < scene->joint_count; i++) {
        PeltiJsonAt item = pelti_json_item(&joints, i), joint = pelti_json_member(&item, "joint");
        const char *character = scene->joints[i].character;
        if (character)
            PELT_TRY(check_known(form, &item, "character", character, scene, err));
        if (scene->character_count == 0 || (character && !strcmp(character, "character")))
            PELT_TRY(pelti_form_check_bone(form, &joint, scene->joints[i].joint, err));
    }
    return PELT_OK;
}

PeltStatus pelti_scene_load(const char *path, const PeltiCharacter *who, const PeltAllocator *allocator, PeltiIoScene **out,
                            PeltError *err)
{
    *out = NULL;
    PeltiForm form;
    PeltScene scene = pelt_scene_default();
    PeltStatus status = pelti_form_open(&form, path, allocator, err);
    form.who = who;
    PeltiJsonAt root = pelti_json_root(form.root);
    if (status == PELT_OK)
        status = pelti_form_fill(&form, &root, scene_fields, &scene, err);
    if (status == PELT_OK)
        status = check_names(&form, &root, &scene, err);
    PeltiIoScene *made = status == PELT_OK ? pelti_alloc(allocator, sizeof *made) : NULL;
    if (status == PELT_OK && !made)
        status = pelti_no_memory(err, sizeof *made);
    if (made)
        *made = (PeltiIoScene){.scene = scene};
    pelti_form_close(&form, made ? &made->pool : NULL);
    *out = made;
    return status;
}

void pelti_scene_destroy(PeltiIoScene *scene)
{
    if (!scene)
        return;
    PeltAllocator allocator = scene->pool.allocator;
    pelti_pool_release(&scene->pool);
    pelti_free(&allocator, scene, sizeof *scene);
}
