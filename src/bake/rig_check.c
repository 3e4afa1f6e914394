/// A rig filled by hand (PeltSkinDef.rig) is checked as hard as the reader checks a file's (io/rig.c, docs/rig.md).
#include "bake/rig_check.h"

#include <string.h>

typedef struct Check {
    const PeltiCharacter *who;
    const char *what, *name; ///< "muscle", its name
    PeltError *err;
} Check;

static PeltStatus is_joint(const Check *c, const char *key, const char *joint)
{
    for (int b = 0; joint && b < c->who->bone_count; b++)
        if (!strcmp(c->who->nodes[c->who->bones[b].node].name, joint))
            return PELT_OK;
    return PELT_FAIL(c->err, PELT_BAD_INPUT, "rig: %s %s: %s: no joint is called '%.60s'", c->what, c->name, key,
                     joint ? joint : "");
}

static PeltStatus within(const Check *c, const char *key, const float *values, int count, double least, double most)
{
    for (int k = 0; k < count; k++)
        if (!((double)values[k] >= least && (double)values[k] <= most)) // NaN too
            return PELT_FAIL(c->err, PELT_BAD_INPUT, "rig: %s %s: %s: %g is outside %g to %g", c->what, c->name, key,
                             (double)values[k], least, most);
    return PELT_OK;
}

static PeltStatus rising(const Check *c, const char *key, const float *values, int count, int stride)
{
    for (int k = 1; k < count; k++)
        if (!(values[k * stride] >= values[(k - 1) * stride]))
            return PELT_FAIL(c->err, PELT_BAD_INPUT, "rig: %s %s: %s: %g comes after %g: they must rise", c->what, c->name, key,
                             (double)values[k * stride], (double)values[(k - 1) * stride]);
    return PELT_OK;
}

static PeltStatus is_list(const Check *c, const char *key, int count, const void *list)
{
    if (count < 0 || (count > 0 && !list))
        return PELT_FAIL(c->err, PELT_BAD_INPUT, "rig: %s %s: %s: %d of them, and no list", c->what, c->name, key, count);
    return PELT_OK;
}

static PeltStatus is_point(const Check *c, int point)
{
    if (point < 0 || point >= c->who->point_count)
        return PELT_FAIL(c->err, PELT_BAD_INPUT, "rig: %s %s: point %d of %d", c->what, c->name, point, c->who->point_count);
    return PELT_OK;
}

static PeltStatus check_operator(const Check *c, const PeltRig *rig, const char *name)
{
    for (int k = 0; name && k < rig->operator_count; k++)
        if (!strcmp(rig->operators[k].name, name))
            return PELT_OK;
    size_t length = name ? strlen(name) : 0;
    if (!name || !strcmp(name, "contact") || !strcmp(name, "bulge") || !strcmp(name, "union") ||
        (length > 5 && !strcmp(name + length - 5, ".json")))
        return PELT_OK;
    return PELT_FAIL(c->err, PELT_BAD_INPUT,
                     "rig: joint %s: operator: \"%.60s\" is none of contact, bulge, union, and no .json file", c->name, name);
}

static PeltStatus check_joint(const PeltiCharacter *who, const PeltRig *rig, const PeltRigJoint *j, PeltError *err)
{
    Check c = {who, "joint", j->joint ? j->joint : "", err};
    PELT_TRY(is_joint(&c, "joint", j->joint));
    PELT_TRY(check_operator(&c, rig, j->operator_name));
    PELT_TRY(is_list(&c, "controller", j->controller_count, j->controller));
    for (int k = 0; k < j->controller_count; k++) {
        PELT_TRY(within(&c, "controller angle", &j->controller[k][0], 1, 0, 180));
        PELT_TRY(within(&c, "controller d", &j->controller[k][1], 1, 0, 1));
    }
    if (j->controller_count)
        PELT_TRY(rising(&c, "controller", j->controller[0], j->controller_count, 2));
    for (int k = 0; k < 2; k++)
        if (k ? j->has_twist_limits : j->has_bend_limits) {
            const float *limits = k ? j->twist_limits_deg : j->bend_limits_deg;
            PELT_TRY(within(&c, "limits", limits, 2, -360, 360));
            PELT_TRY(rising(&c, "limits", limits, 2, 1));
        }
    PELT_TRY(within(&c, "joint_stiffness", &j->joint_stiffness, 1, -1e12, 1e12));
    PELT_TRY(within(&c, "crush", &j->crush, 1, -1e12, 1));
    PELT_TRY(within(&c, "firmness", &j->firmness, 1, -1e12, 1e6));
    PELT_TRY(within(&c, "projection", j->projection, PELT_RIG_LAYERS - 1, -1e12, 1));
    PELT_TRY(rising(&c, "projection", j->projection, PELT_RIG_LAYERS - 1, 1));
    PELT_TRY(within(&c, "layer_stiffness", j->layer_stiffness, PELT_RIG_LAYERS, -1e12, 1));
    return within(&c, "layer_density", j->layer_density, PELT_RIG_LAYERS, -1e12, 1e9);
}

static PeltStatus check_place(const Check *c, const PeltRigPlace *place)
{
    PELT_TRY(is_joint(c, "bone", place->bone));
    PELT_TRY(within(c, "along", &place->along, 1, -10, 10));
    return within(c, "offset", place->offset, 3, -10, 10);
}

static PeltStatus check_muscle(const PeltiCharacter *who, const PeltRigMuscle *m, PeltError *err)
{
    Check c = {who, "muscle", m->name ? m->name : "", err};
    PELT_TRY(check_place(&c, &m->from));
    PELT_TRY(check_place(&c, &m->to));
    PELT_TRY(is_joint(&c, "driver", m->driver));
    PELT_TRY(within(&c, "radius", &m->radius, 1, 1e-6, 1));
    PELT_TRY(within(&c, "angles_deg", m->angles_deg, 2, -360, 360));
    if (!(m->angles_deg[1] > m->angles_deg[0]))
        return PELT_FAIL(err, PELT_BAD_INPUT, "rig: muscle %s: angles_deg: the second must be larger", c.name);
    return within(&c, "swell", &m->swell, 1, 0.1, 10);
}

static PeltStatus check_region(const PeltiCharacter *who, const PeltRigRegion *r, PeltError *err)
{
    Check c = {who, "region", r->name ? r->name : "", err};
    PELT_TRY(is_joint(&c, "bone", r->bone));
    PELT_TRY(is_list(&c, "points", r->point_count, r->points));
    PELT_TRY(is_list(&c, "owners", r->owner_count, r->owners));
    for (int k = 0; k < r->point_count; k++)
        PELT_TRY(is_point(&c, r->points[k]));
    for (int k = 0; k < r->owner_count; k++)
        PELT_TRY(is_joint(&c, "owners", r->owners[k]));
    PELT_TRY(within(&c, "radius", &r->radius, 1, 0, 10));
    PELT_TRY(within(&c, "falloff", &r->falloff, 1, 0, 10));
    if (r->radius > 0)
        PELT_TRY(check_place(&c, &r->centre));
    if (!r->point_count && !r->owner_count && !(r->radius > 0))
        return PELT_FAIL(err, PELT_BAD_INPUT, "rig: region %s: names no points: points, owners or centre and radius are missing",
                         c.name);
    return PELT_OK;
}

static PeltStatus check_anchor(const PeltiCharacter *who, const PeltRigAnchor *a, PeltError *err)
{
    Check c = {who, "anchor", a->name ? a->name : "", err};
    PELT_TRY(is_point(&c, a->point));
    if (a->bone)
        PELT_TRY(is_joint(&c, "bone", a->bone));
    PELT_TRY(within(&c, "falloff", &a->falloff, 1, 0, 10));
    if (a->key_count < 1 || !a->keys)
        return PELT_FAIL(err, PELT_BAD_INPUT, "rig: anchor %s: has no keys", c.name);
    for (int k = 0; k < a->key_count; k++) {
        PELT_TRY(within(&c, "time_s", &a->keys[k].time_s, 1, 0, 1e6));
        PELT_TRY(within(&c, "offset", a->keys[k].offset, 3, -100, 100));
        PELT_TRY(within(&c, "strength", &a->keys[k].strength, 1, 0, 1));
        if (k && !(a->keys[k].time_s > a->keys[k - 1].time_s))
            return PELT_FAIL(err, PELT_BAD_INPUT, "rig: anchor %s: times must rise", c.name);
    }
    return PELT_OK;
}

static PeltStatus check_volume(const PeltiCharacter *who, const PeltRigVolume *v, PeltError *err)
{
    Check c = {who, "volume", v->name ? v->name : "", err};
    PELT_TRY(is_list(&c, "bones", v->bone_count, v->bones));
    if (!v->bone_count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "rig: volume %s: names no bones", c.name);
    for (int k = 0; k < v->bone_count; k++)
        PELT_TRY(is_joint(&c, "bones", v->bones[k]));
    return within(&c, "cut", &v->cut, 1, 0, 1);
}

static PeltStatus check_piece(const PeltiCharacter *who, const PeltRigPiece *p, PeltError *err)
{
    Check c = {who, "piece", p->name ? p->name : "", err};
    bool found = false;
    for (int v = 0; !found && v < who->mesh->vertex_count; v++)
        found = pelti_character_vertex_in_piece(who, v, c.name);
    if (!found)
        return PELT_FAIL(err, PELT_BAD_INPUT, "rig: piece %.60s: the character has none of that name (pelt inspect lists them)",
                         c.name);
    if (p->kind < PELT_PIECE_SKIN || p->kind > PELT_PIECE_INSIDE)
        return PELT_FAIL(err, PELT_BAD_INPUT, "rig: piece %.60s: kind %d is none", c.name, (int)p->kind);
    return p->bone ? is_joint(&c, "bone", p->bone) : PELT_OK;
}

static PeltStatus check_painted(const PeltiCharacter *who, const PeltRigPainted *p, PeltError *err)
{
    Check c = {who, "painted", "", err};
    if (p->what < PELT_PAINT_FIRMNESS || p->what > PELT_PAINT_MUSCLE)
        return PELT_FAIL(err, PELT_BAD_INPUT, "rig: painted: what %d is none", (int)p->what);
    PELT_TRY(is_list(&c, "points", p->count, p->points));
    PELT_TRY(is_list(&c, "values", p->count, p->values));
    for (int k = 0; k < p->count; k++)
        PELT_TRY(is_point(&c, p->points[k]));
    return within(&c, "values", p->values, p->count, 0, p->what == PELT_PAINT_FIRMNESS ? 1e6 : 1);
}

PeltStatus pelti_bake_rig_check(const PeltRig *rig, const PeltiCharacter *who, PeltError *err)
{
    Check c = {who, "it", "", err};
    PELT_TRY(is_list(&c, "joints", rig->joint_count, rig->joints));
    PELT_TRY(is_list(&c, "muscles", rig->muscle_count, rig->muscles));
    PELT_TRY(is_list(&c, "regions", rig->region_count, rig->regions));
    PELT_TRY(is_list(&c, "anchors", rig->anchor_count, rig->anchors));
    PELT_TRY(is_list(&c, "volumes", rig->volume_count, rig->volumes));
    PELT_TRY(is_list(&c, "pieces", rig->piece_count, rig->pieces));
    PELT_TRY(is_list(&c, "operators", rig->operator_count, rig->operators));
    PELT_TRY(is_list(&c, "painted", rig->painted_count, rig->painted));
    for (int k = 0; k < rig->joint_count; k++)
        PELT_TRY(check_joint(who, rig, &rig->joints[k], err));
    for (int k = 0; k < rig->muscle_count; k++)
        PELT_TRY(check_muscle(who, &rig->muscles[k], err));
    for (int k = 0; k < rig->region_count; k++)
        PELT_TRY(check_region(who, &rig->regions[k], err));
    for (int k = 0; k < rig->anchor_count; k++)
        PELT_TRY(check_anchor(who, &rig->anchors[k], err));
    for (int k = 0; k < rig->volume_count; k++)
        PELT_TRY(check_volume(who, &rig->volumes[k], err));
    for (int k = 0; k < rig->piece_count; k++)
        PELT_TRY(check_piece(who, &rig->pieces[k], err));
    for (int k = 0; k < rig->painted_count; k++)
        PELT_TRY(check_painted(who, &rig->painted[k], err));
    return PELT_OK;
}
