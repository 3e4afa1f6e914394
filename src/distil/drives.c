/// The dictionary of drives: how far joints turn, and ramps on the way there.
#include "distil/drives.h"
#include "math/eigen.h"

#include <string.h>

#include "distil/constants.def"

enum { RAMP_PARTS = 5, FAR_HALF = 2, SIDES = 6 }; // FAR_HALF: which part is the far half

typedef struct TurnReach {
    double moments[9];
    Vec3 axis[3];
    float most[6]; // towards and away from each axis, rad
} TurnReach;

static PeltStatus each_turn(PeltiDistilModel *model, TurnReach *reach, void (*visit)(TurnReach *reach, Vec3 turn), PeltError *err)
{
    PeltiDistilSample sample;
    for (int i = 0; i < model->samples->count; i++) {
        PELT_TRY(pelti_distil_sample(model->samples, i, &sample, err));
        for (int b = 0; b < model->who->bone_count; b++)
            visit(&reach[b], pelti_distil_rotation_vector(sample.joints[b].turn));
    }
    return PELT_OK;
}

static void add_moments(TurnReach *reach, Vec3 turn)
{
    const double x[3] = {(double)turn.x, (double)turn.y, (double)turn.z};
    for (int i = 0; i < 9; i++)
        reach->moments[i] += x[i / 3] * x[i % 3];
}

static void widen(TurnReach *reach, Vec3 turn)
{
    for (int a = 0; a < 3; a++) {
        float along = vec3_dot(turn, reach->axis[a]);
        reach->most[2 * a] = fmaxf(reach->most[2 * a], along);
        reach->most[2 * a + 1] = fmaxf(reach->most[2 * a + 1], -along);
    }
}

static PeltStatus find_reach(PeltiDistilModel *model, PeltiPool *pool, TurnReach *reach, PeltError *err)
{
    PELT_TRY(each_turn(model, reach, add_moments, err));
    for (int b = 0; b < model->who->bone_count; b++) {
        double values[3];
        PELT_TRY(pelti_eigen_symmetric(&pool->allocator, 3, reach[b].moments, values, err));
        for (int a = 0; a < 3; a++) {
            const double *row = reach[b].moments + (size_t)3 * (size_t)a;
            reach[b].axis[a] = vec3_normalize_or(vec3((float)row[0], (float)row[1], (float)row[2]), vec3(1, 0, 0));
        }
    }
    return each_turn(model, reach, widen, err);
}

/// A ramp over a part of the way to one side.
static PeltiDistilDrive ramp(const TurnReach *reach, int bone, int side, float from, float to)
{
    float sign = side % 2 ? -1 : 1, most = reach[bone].most[side];
    return (PeltiDistilDrive){
        .joint = bone, .axis = vec3_scale(reach[bone].axis[side / 2], sign), .from = from * most, .to = to * most};
}

typedef struct DrivesMaking {
    PeltiDistilModel *model;
    PeltiDistilDrives *out;
    const TurnReach *reach;
    int *first;     // [bone_count x SIDES] drive all the way to that side, its parts behind it; -1: the joint does not turn there
    bool *together; // [bone_count x bone_count] some vertex hears both
} DrivesMaking;

static void find_together(const DrivesMaking *making)
{
    const PeltiCharacter *who = making->out->who;
    for (int i = 0; i < who->mesh->vertex_count; i++) {
        const PeltiDistilModelVertex *v = &making->model->vertices[i];
        for (int n = 0; n < v->near_count; n++)
            for (int m = 0; m < v->near_count; m++)
                making->together[v->near[n] * who->bone_count + v->near[m]] = true;
    }
}

/// Ramps of a joint: to each side in parts, which together make any polyline with a corner every quarter. With fewer a bulge
/// could not come and go within a bend, and each more costs a drive: a list of shapes, not one number to tune.
static void add_ramps(const DrivesMaking *making, int bone)
{
    static const float parts[RAMP_PARTS][2] = {{0, 1}, {0, 0.5f}, {0.5f, 1}, {0.25f, 0.75f}, {0.75f, 1}};
    PeltiDistilModel *model = making->model;
    for (int side = 0; side < SIDES; side++) {
        if (making->reach[bone].most[side] <= DRIVE_LEAST)
            continue;
        making->first[bone * SIDES + side] = model->drive_count;
        for (int p = 0; p < RAMP_PARTS; p++)
            model->drives[model->drive_count++] = ramp(making->reach, bone, side, parts[p][0], parts[p][1]);
    }
}

static void add(const DrivesMaking *making, int bone, int one, int two)
{
    PeltiDistilDrives *out = making->out;
    if (out->count[bone] == PELTI_BASIS_MOST)
        return;
    out->all[out->total++] = (PeltiDistilBasis){{one, two}};
    out->count[bone]++;
}

/// Products of one of the joint's first sides and one of another joint's; then of the far halves of their strongest axes: where
/// two folds are deep at once. None where no vertex would hear both.
static void add_pairs(const DrivesMaking *making, int bone, int other, int sides)
{
    if (!making->together[bone * making->out->who->bone_count + other])
        return;
    const int *one = making->first + (long)bone * SIDES, *two = making->first + (long)other * SIDES;
    for (int i = 0; i < sides; i++)
        for (int k = 0; k < sides; k++)
            if (one[i] >= 0 && two[k] >= 0)
                add(making, bone, one[i], two[k]);
    for (int i = 0; i < 4; i++)
        for (int far = 1; far < 4; far++)
            if (one[i / 2] >= 0 && two[i % 2] >= 0)
                add(making, bone, one[i / 2] + (far & 1 ? FAR_HALF : 0), two[i % 2] + (far & 2 ? FAR_HALF : 0));
}

/// A ramp by itself; squared if it begins at rest and the method is one that blending leaves in second order only: a slope at
/// rest would make poses near it worse, whichever they are.
static void add_ramp(const DrivesMaking *making, int bone, int drive)
{
    bool square = making->model->moved_by.influences > 0 && !(making->model->drives[drive].from > 0);
    add(making, bone, drive, square ? drive : -1);
}

/// The joint's own ramps, products of two of its sides, and of a side of it and one of its parent, of those beside it (thigh and
/// spine, both thighs) and of its parent's parent, first axes first.
static void add_functions(const DrivesMaking *making, int bone)
{
    const PeltiCharacter *who = making->out->who;
    int parent = who->bones[bone].parent;
    const int *own = making->first + (long)bone * SIDES;
    for (int side = 0; side < SIDES; side++)
        for (int p = 0; p < RAMP_PARTS && own[side] >= 0; p++)
            add_ramp(making, bone, own[side] + p);
    for (int side = 0; side < SIDES; side++)
        for (int other = (side / 2 + 1) * 2; other < SIDES; other++)
            if (own[side] >= 0 && own[other] >= 0)
                add(making, bone, own[side], own[other]);
    add_pairs(making, bone, parent, SIDES);
    for (int b = 0; b < who->bone_count; b++)
        if (b != bone && who->bones[b].parent == parent)
            add_pairs(making, bone, b, 4);
    if (who->bones[parent].parent >= 0)
        add_pairs(making, bone, who->bones[parent].parent, 4);
}

static bool may_drive(const PeltiCharacter *who, int b)
{
    return who->bones[b].parent >= 0 && !who->bones[b].is_prop && !who->bones[b].is_repeat;
}

PeltStatus pelti_distil_drives(PeltiDistilModel *model, PeltiPool *pool, PeltiDistilDrives *out, PeltError *err)
{
    const PeltiCharacter *who = model->who;
    size_t bones = (size_t)who->bone_count;
    TurnReach *reach = PELTI_NEW(pool, TurnReach, bones);
    *out = (PeltiDistilDrives){.who = who,
                               .first = PELTI_NEW(pool, int, bones),
                               .count = PELTI_NEW(pool, int, bones),
                               .all = PELTI_NEW(pool, PeltiDistilBasis, bones * PELTI_BASIS_MOST)};
    DrivesMaking making = {model, out, reach, PELTI_NEW(pool, int, bones *SIDES), PELTI_NEW(pool, bool, bones *bones)};
    model->drives = PELTI_NEW(model->pool, PeltiDistilDrive, bones * SIDES * RAMP_PARTS);
    model->driven.drives = PELTI_NEW(model->pool, float, bones *SIDES *RAMP_PARTS);
    if (pool->failed || model->pool->failed)
        return pelti_no_memory(err, bones * PELTI_BASIS_MOST * sizeof *out->all);
    PELT_TRY(find_reach(model, pool, reach, err));
    memset(making.first, 0xff, bones * SIDES * sizeof *making.first);
    find_together(&making);
    model->drive_count = 0;
    for (int b = 0; b < who->bone_count; b++)
        if (may_drive(who, b))
            add_ramps(&making, b);
    for (int b = 0; b < who->bone_count; b++) {
        out->first[b] = out->total;
        if (may_drive(who, b))
            add_functions(&making, b);
    }
    return PELT_OK;
}
