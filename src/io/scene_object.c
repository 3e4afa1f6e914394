/// The table of an object's keys, and its mesh.
#include "io/scene_object.h"

#include "io/mesh.h"

#include <stddef.h>
#include <string.h>

/// An object with the measures its shape may have, before they are put together.
typedef struct ObjectForm {
    PeltSceneObject object;
    float radius, length, width, angle_deg, box[3]; ///< < 0: not given
    float turn_deg_s[3];
} ObjectForm;

#define AT(member)        offsetof(ObjectForm, member)
#define OBJECT_AT(member) offsetof(ObjectForm, object.member)

PeltStatus pelti_scene_path(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    const char *name = NULL, *slash = strrchr(form->path, '/');
    if (pelti_json_string(at, PELTI_REQUIRED, &name, NULL) != PELT_OK || !*name)
        return pelti_form_fail(form, at, err, "the name of a file was expected");
    size_t folder = slash && *name != '/' ? (size_t)(slash - form->path) + 1 : 0;
    char *path = PELTI_NEW(&form->pool, char, folder + strlen(name) + 1);
    if (!path)
        return pelti_no_memory(err, folder + strlen(name));
    memcpy(path, form->path, folder);
    memcpy(path + folder, name, strlen(name) + 1);
    memcpy(target, &path, sizeof path);
    return PELT_OK;
}

PeltStatus pelti_scene_rotation(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    const float degree = 0.01745329252f;
    float v[4];
    int count = pelti_json_count(at->value);
    if (count != 3 && count != 4)
        return pelti_form_fail(form, at, err, "three angles in degrees or a quaternion x, y, z, w was expected");
    PELT_TRY(pelti_form_floats(form, at, &(PeltiFormField){.count = count, .least = -1e6, .most = 1e6}, v, err));
    Quat q = {v[0], v[1], v[2], count == 4 ? v[3] : 0};
    if (count == 3)
        q = quat_mul(quat_axis_angle(vec3(0, 0, 1), v[2] * degree),
                     quat_mul(quat_axis_angle(vec3(0, 1, 0), v[1] * degree), quat_axis_angle(vec3(1, 0, 0), v[0] * degree)));
    if (!(quat_dot(q, q) > 1e-12f))
        return pelti_form_fail(form, at, err, "a quaternion of length 0");
    q = quat_normalize(q);
    memcpy(target, &q, sizeof q);
    return PELT_OK;
}

_Static_assert(sizeof(PeltObjectKind) == sizeof(int) && sizeof(PeltShape) == sizeof(int), "choices are written as int");
static const char *const kinds[] = {
    [PELT_OBJECT_FIXED] = "fixed", [PELT_OBJECT_RIGID] = "rigid", [PELT_OBJECT_SOFT] = "soft", NULL};
static const char *const shapes[] = {[PELT_SHAPE_MESH] = "mesh",
                                     [PELT_SHAPE_SPHERE] = "sphere",
                                     [PELT_SHAPE_BOX] = "box",
                                     [PELT_SHAPE_CAPSULE] = "capsule",
                                     [PELT_SHAPE_CYLINDER] = "cylinder",
                                     [PELT_SHAPE_SLOPE] = "slope",
                                     NULL};

static const PeltiFormField object_fields[] = {
    {.key = "name", .kind = PELTI_FORM_TEXT, .offset = OBJECT_AT(name), .required = true},
    {.key = "kind", .kind = PELTI_FORM_CHOICE, .offset = OBJECT_AT(kind), .choices = kinds},
    {.key = "shape", .kind = PELTI_FORM_CHOICE, .offset = OBJECT_AT(shape), .required = true, .choices = shapes},
    {.key = "radius", .kind = PELTI_FORM_FLOAT, .offset = AT(radius), .least = 1e-9, .most = 1e9},
    {.key = "length", .kind = PELTI_FORM_FLOAT, .offset = AT(length), .least = 1e-9, .most = 1e9},
    {.key = "width", .kind = PELTI_FORM_FLOAT, .offset = AT(width), .least = 1e-9, .most = 1e9},
    {.key = "angle", .kind = PELTI_FORM_FLOAT, .offset = AT(angle_deg), .least = 0.01, .most = 89},
    {.key = "size", .kind = PELTI_FORM_FLOATS, .offset = AT(box), .count = 3, .least = 1e-9, .most = 1e9},
    {.key = "detail", .kind = PELTI_FORM_INT, .offset = OBJECT_AT(detail), .least = 3, .most = 512},
    {.key = "file", .kind = PELTI_FORM_CUSTOM, .offset = OBJECT_AT(file), .read = pelti_scene_path},
    {.key = "scale", .kind = PELTI_FORM_FLOAT, .offset = OBJECT_AT(scale), .least = 1e-9, .most = 1e9},
    {.key = "position", .kind = PELTI_FORM_FLOATS, .offset = OBJECT_AT(position), .count = 3, .least = -1e9, .most = 1e9},
    {.key = "rotation", .kind = PELTI_FORM_CUSTOM, .offset = OBJECT_AT(rotation), .read = pelti_scene_rotation},
    {.key = "velocity", .kind = PELTI_FORM_FLOATS, .offset = OBJECT_AT(velocity), .count = 3, .least = -1e6, .most = 1e6},
    {.key = "angular_velocity", .kind = PELTI_FORM_FLOATS, .offset = AT(turn_deg_s), .count = 3, .least = -1e6, .most = 1e6},
    {.key = "mass", .kind = PELTI_FORM_FLOAT, .offset = OBJECT_AT(mass_kg), .least = 1e-9, .most = 1e12},
    {.key = "density", .kind = PELTI_FORM_FLOAT, .offset = OBJECT_AT(density), .least = 1e-9, .most = 1e12},
    {.key = "young_modulus", .kind = PELTI_FORM_FLOAT, .offset = OBJECT_AT(young_modulus_pa), .least = 1e-3, .most = 1e15},
    {.key = "poisson_ratio", .kind = PELTI_FORM_FLOAT, .offset = OBJECT_AT(poisson_ratio), .most = 0.49},
    {.key = "damping", .kind = PELTI_FORM_FLOAT, .offset = OBJECT_AT(damping), .most = 1e3},
    {.key = "friction", .kind = PELTI_FORM_FLOAT, .offset = OBJECT_AT(friction), .most = 100},
    {.key = "restitution", .kind = PELTI_FORM_FLOAT, .offset = OBJECT_AT(restitution), .most = 1},
    {0},
};

/// A measure must be there exactly if the shape has it.
static PeltStatus check_measure(PeltiForm *form, const PeltiJsonAt *item, const char *key, PeltShape shape, bool wanted,
                                PeltError *err)
{
    PeltiJsonAt at = pelti_json_member(item, key);
    if (wanted && !at.value)
        return pelti_form_fail(form, &at, err, "is missing: a %s has one", shapes[shape]);
    if (!wanted && at.value)
        return pelti_form_fail(form, &at, err, "a %s has none", shapes[shape]);
    return PELT_OK;
}

static PeltStatus take_measures(PeltiForm *form, const PeltiJsonAt *item, ObjectForm *from, PeltError *err)
{
    PeltSceneObject *object = &from->object;
    PeltShape shape = object->shape;
    bool round = shape == PELT_SHAPE_SPHERE || shape == PELT_SHAPE_CAPSULE || shape == PELT_SHAPE_CYLINDER;
    bool long_one = shape == PELT_SHAPE_CAPSULE || shape == PELT_SHAPE_CYLINDER || shape == PELT_SHAPE_SLOPE;
    PELT_TRY(check_measure(form, item, "radius", shape, round, err));
    PELT_TRY(check_measure(form, item, "length", shape, long_one, err));
    PELT_TRY(check_measure(form, item, "width", shape, shape == PELT_SHAPE_SLOPE, err));
    PELT_TRY(check_measure(form, item, "angle", shape, shape == PELT_SHAPE_SLOPE, err));
    PELT_TRY(check_measure(form, item, "size", shape, shape == PELT_SHAPE_BOX, err));
    PELT_TRY(check_measure(form, item, "file", shape, shape == PELT_SHAPE_MESH, err));
    float size[3] = {from->radius, from->length, 0};
    if (shape == PELT_SHAPE_SLOPE)
        memcpy(size, (float[3]){from->length, from->width, from->angle_deg}, sizeof size);
    if (shape == PELT_SHAPE_SPHERE)
        size[1] = 0;
    memcpy(object->size, shape == PELT_SHAPE_BOX ? from->box : size, sizeof size);
    for (int k = 0; k < 3; k++)
        object->angular_velocity[k] = from->turn_deg_s[k] * 0.01745329252f;
    return PELT_OK;
}

static PeltStatus take_mesh(PeltiForm *form, const PeltiJsonAt *item, PeltSceneObject *object, PeltError *err)
{
    PeltiIoMesh shape;
    PeltiJsonAt at = pelti_json_member(item, "file");
    PeltError cause = {0};
    PeltStatus status = pelti_io_mesh_load(&form->pool, object->file, &shape, &cause);
    if (status != PELT_OK) {
        pelti_form_fail(form, &at, err, "%.300s", cause.text);
        if (err)
            err->status = status;
        return status;
    }
    if (shape.triangle_count == 0)
        return pelti_form_fail(form, &at, err, "%.200s has no triangles", object->file);
    object->vertex_count = shape.vertex_count;
    object->vertices = (const float(*)[3])shape.vertices;
    object->triangle_count = shape.triangle_count;
    object->triangles = (const int(*)[3])shape.triangles;
    object->tetrahedron_count = shape.tetrahedron_count;
    object->tetrahedra = (const int(*)[4])shape.tetrahedra;
    return PELT_OK;
}

PeltStatus pelti_scene_objects(PeltiForm *form, const PeltiJsonAt *at, int *count, const PeltSceneObject **objects,
                               PeltError *err)
{
    ObjectForm initial = {.object = pelt_scene_object_default()}, *forms;
    PELT_TRY(pelti_form_list(form, at, (PeltiFormItem){object_fields, &initial, sizeof initial}, count, &forms, err));
    PeltSceneObject *made = PELTI_NEW(&form->pool, PeltSceneObject, *count);
    if (!made)
        return pelti_no_memory(err, (size_t)*count * sizeof *made);
    for (int i = 0; i < *count; i++) {
        PeltiJsonAt item = pelti_json_item(at, i);
        PELT_TRY(take_measures(form, &item, &forms[i], err));
        made[i] = forms[i].object;
        if (made[i].shape == PELT_SHAPE_MESH)
            PELT_TRY(take_mesh(form, &item, &made[i], err));
    }
    *objects = made;
    return PELT_OK;
}
