/// The dictionary of drives: how far joints turn, and ramps on the way there.
#include "distil/drives.h"
#include "math/eigen.h"

#include "distil/constants.def"

typedef struct Reach {
    double moments[9];
    Vec3 axis[3];
    float most[6]; // towards and away from each axis, rad
} Reach;

static PeltStatus each_turn(PeltiModel *model, Reach *reach, void (*visit)(Reach *reach, Vec3 turn), PeltError *err)
{
    PeltiSample sample;
    for (int i = 0; i < model->samples->count; i++) {
        PELT_TRY(pelti_distil_sample(model->samples, i, &sample, err));
        for (int b = 0; b < model->who->bone_count; b++)
            visit(&reach[b], pelti_distil_rotation_vector(sample.joints[b].turn));
    }
    return PELT_OK;
}

static void add_moments(Reach *reach, Vec3 turn)
{
    const double x[3] = {(double)turn.x, (double)turn.y, (double)turn.z};
    for (int i = 0; i < 9; i++)
        reach->moments[i] += x[i / 3] * x[i % 3];
}

static void widen(Reach *reach, Vec3 turn)
{
    for (int a = 0; a < 3; a++) {
        float along = vec3_dot(turn, reach->axis[a]);
        reach->most[2 * a] = fmaxf(reach->most[2 * a], along);
        reach->most[2 * a + 1] = fmaxf(reach->most[2 * a + 1], -along);
    }
}

static PeltStatus find_reach(PeltiModel *model, PeltiPool *pool, Reach *reach, PeltError *err)
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
static PeltiDrive ramp(const Reach *reach, int bone, int side, float from, float to)
{
    float sign = side % 2 ? -1 : 1, most = reach[bone].most[side];
    return (PeltiDrive){.joint = bone,
                        .kind = PELTI_DRIVE_RAMP,
                        .axis = vec3_scale(reach[bone].axis[side / 2], sign),
                        .from = from * most,
                        .to = to * most};
}

static void add(PeltiDrives *drives, int bone, PeltiDrive one, const PeltiDrive *two)
{
    if (drives->count[bone] == PELTI_DRIVES_MOST)
        return;
    PeltiCorrective *to = &drives->all[drives->total++];
    drives->count[bone]++;
    *to = (PeltiCorrective){.drive_count = two ? 2 : 1, .drives = {one}};
    if (two)
        to->drives[1] = *two;
}

static void add_ramps(PeltiDrives *drives, const Reach *reach, int bone)
{
    static const float parts[][2] = {{0, 1}, {0, 0.5f}, {0.5f, 1}, {0.25f, 0.75f}, {0.75f, 1}};
    for (int side = 0; side < 6; side++)
        for (int p = 0; p < 5 && reach[bone].most[side] > DRIVE_LEAST; p++)
            add(drives, bone, ramp(reach, bone, side, parts[p][0], parts[p][1]), NULL);
}

/// Two sides of the same joint, and of the joint and its parent, first axes first.
static void add_products(PeltiDrives *drives, const Reach *reach, int bone)
{
    int parent = drives->who->bones[bone].parent;
    for (int side = 0; side < 6; side++)
        for (int other = (side / 2 + 1) * 2; other < 6; other++) {
            PeltiDrive two = ramp(reach, bone, other, 0, 1);
            if (reach[bone].most[side] > DRIVE_LEAST && reach[bone].most[other] > DRIVE_LEAST)
                add(drives, bone, ramp(reach, bone, side, 0, 1), &two);
        }
    if (parent < 0 || drives->who->bones[parent].parent < 0)
        return;
    for (int side = 0; side < 4; side++)
        for (int other = 0; other < 4; other++) {
            PeltiDrive two = ramp(reach, parent, other, 0, 1);
            if (reach[bone].most[side] > DRIVE_LEAST && reach[parent].most[other] > DRIVE_LEAST)
                add(drives, bone, ramp(reach, bone, side, 0, 1), &two);
        }
}

PeltStatus pelti_distil_drives(PeltiModel *model, PeltiPool *pool, PeltiDrives *out, PeltError *err)
{
    const PeltiCharacter *who = model->who;
    size_t bones = (size_t)who->bone_count;
    Reach *reach = PELTI_NEW(pool, Reach, bones);
    *out = (PeltiDrives){.who = who,
                         .first = PELTI_NEW(pool, int, bones),
                         .count = PELTI_NEW(pool, int, bones),
                         .all = PELTI_NEW(pool, PeltiCorrective, bones * PELTI_DRIVES_MOST)};
    if (pool->failed)
        return pelti_no_memory(err, bones * PELTI_DRIVES_MOST * sizeof *out->all);
    PELT_TRY(find_reach(model, pool, reach, err));
    for (int b = 0; b < who->bone_count; b++) {
        out->first[b] = out->total;
        if (who->bones[b].parent < 0 || who->bones[b].is_prop || who->bones[b].is_repeat)
            continue;
        add_ramps(out, reach, b);
        add_products(out, reach, b);
    }
    return PELT_OK;
}
