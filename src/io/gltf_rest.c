/// One rest space for all skins of a skeleton.
/// Each skin of a file has a space of its own, in which its meshes and inverse binds are written: exporters shift, turn and
/// scale it freely from skin to skin. For a joint that two skins share, its place in either must be one place, which says how
/// the second space lies in the first:  to_rest = inverse(rest_to_joint) bind.
#include "io/gltf_parts.h"
#include "math/elementary.h"

#include <string.h>

enum { STEPS_MOST = 4096 }; ///< up the tree in search of a joint above: bounds the time a hostile file can ask for
/// Of the skeleton's extent: binds that agree so far are one bind pose. Far above rounding, for skins that were bound one after
/// another, and less than the shortest bones by which another pose would move a joint; as BINDS_APART; chosen, not measured.
static const double FIT = 0.01;
static const double ROUNDING = 3e-7; ///< of the extent: what float matrices cannot tell apart

/// Size of a space in rest units: diagonal of the box around the heads of a skin's joints.
static double extent_of(const PeltiGltfSkin *skin, double to_rest[3][4])
{
    double low[3] = {0}, high[3] = {0}, sum = 0;
    for (int k = 0, any = 0; k < skin->joint_count; k++) {
        double head[3][4], placed[3][4];
        if (!pelti_gltf_invert(skin->bind[k], head))
            continue;
        mat34_mul_double(to_rest, head, placed);
        for (int i = 0; i < 3; i++) {
            low[i] = any ? fmin(low[i], placed[i][3]) : placed[i][3];
            high[i] = any ? fmax(high[i], placed[i][3]) : placed[i][3];
        }
        any = 1;
    }
    for (int i = 0; i < 3; i++)
        sum += (high[i] - low[i]) * (high[i] - low[i]);
    return sqrt(sum);
}

/// How far two maps take a point of a space apart: the largest difference of columns, directions times the space's reach.
static double difference(double a[3][4], double b[3][4], double reach)
{
    double most = 0;
    for (int j = 0; j < 4; j++) {
        double sum = 0;
        for (int i = 0; i < 3; i++)
            sum += (a[i][j] - b[i][j]) * (a[i][j] - b[i][j]);
        most = fmax(most, sqrt(sum) * (j < 3 ? reach : 1));
    }
    return most;
}

static double scale_of(double m[3][4])
{
    return pelti_cbrt(fabs(pelti_gltf_determinant(m)));
}

/// The new map must keep the size the skin has in the file's pose, or the file means something else.
static bool keeps_size(const PeltiGltfSkin *skin, double to_rest[3][4])
{
    double ratio = scale_of(to_rest) / skin->scale;
    return pelti_gltf_finite(&to_rest[0][0], 12) && ratio > 0.5 && ratio < 2;
}

enum { CANDIDATES = 64 }; ///< shared joints that are asked; more would not know better

/// By the joints it shares with skins placed before: of the maps each of them asks for, the one nearest to all others.
static bool place_by_shared(PeltiGltfReader *reader, PeltiGltfSkin *skin, int index)
{
    double maps[CANDIDATES][3][4], least = INFINITY;
    int count = 0, best = 0, space = -1, apart = 0;
    for (int k = 0; k < skin->joint_count && count < CANDIDATES; k++) {
        const PeltiGltfRest *joint = &reader->rest[skin->joints[k]];
        double joint_to_rest[3][4], rest_to_joint[3][4];
        memcpy(rest_to_joint, joint->rest_to_joint, sizeof rest_to_joint);
        if (joint->space < 0 || (space >= 0 && joint->space != space) || !pelti_gltf_invert(rest_to_joint, joint_to_rest))
            continue;
        space = joint->space;
        mat34_mul_double(joint_to_rest, skin->bind[k], maps[count]);
        count += keeps_size(skin, maps[count]);
    }
    if (count == 0)
        return false;
    double extent = reader->skins[space].extent, reach = extent / skin->scale;
    for (int a = 0; a < count; a++) {
        double sum = 0;
        for (int b = 0; b < count; b++)
            sum += difference(maps[a], maps[b], reach);
        if (sum < least) {
            least = sum;
            best = a;
        }
    }
    for (int a = 0; a < count; a++)
        apart += difference(maps[a], maps[best], reach) > FIT * extent;
    if (apart > 0)
        pelti_warn(&reader->who->log, "bind-differs",
                   "skin %d: %d of %d joints it shares with skin %d are bound elsewhere; at rest its meshes sit where most agree",
                   index, apart, count, space);
    memcpy(skin->to_rest, maps[best], sizeof skin->to_rest);
    skin->space = space;
    return true;
}

/// The first joint of a skin that hangs below a placed joint, and that joint's node; -1: none does.
static int find_above(const PeltiGltfReader *reader, const PeltiGltfSkin *skin, int *above)
{
    int steps = 0;
    for (int k = 0; k < skin->joint_count; k++)
        for (int n = reader->who->nodes[skin->joints[k]].parent; n >= 0 && steps < STEPS_MOST;
             n = reader->who->nodes[n].parent, steps++)
            if (reader->rest[n].space >= 0) {
                *above = n;
                return k;
            }
    return -1;
}

/// Without shared joints: in the same space where the binds say of the joint above what the file's pose says; else as it
/// hangs there in the file's pose.
static bool place_by_tree(PeltiGltfReader *reader, PeltiGltfSkin *skin)
{
    int above = -1, k = find_above(reader, skin, &above);
    double to_above[3][4], joint[3][4], in_file[3][4], at_rest[3][4], m[3][4];
    if (k < 0)
        return false;
    PeltiGltfRest *hold = &reader->rest[above];
    PeltiGltfSkin *first = &reader->skins[hold->space];
    if (!pelti_gltf_invert(reader->node_matrix[above].m, to_above) || !pelti_gltf_invert(skin->bind[k], joint))
        return false;
    mat34_mul_double(to_above, reader->node_matrix[skin->joints[k]].m, in_file);
    mat34_mul_double(first->to_rest, joint, m);
    mat34_mul_double(hold->rest_to_joint, m, at_rest);
    double off =
        pelti_hypot(pelti_hypot(in_file[0][3] - at_rest[0][3], in_file[1][3] - at_rest[1][3]), in_file[2][3] - at_rest[2][3]);
    skin->space = hold->space;
    memcpy(skin->to_rest, first->to_rest, sizeof skin->to_rest);
    if (off <= FIT * first->extent * scale_of(hold->rest_to_joint) && keeps_size(skin, skin->to_rest))
        return true;
    double hold_to_rest[3][4], hanging[3][4];
    if (!pelti_gltf_invert(hold->rest_to_joint, hold_to_rest))
        return false;
    mat34_mul_double(in_file, skin->bind[k], hanging);
    mat34_mul_double(hold_to_rest, hanging, skin->to_rest);
    return keeps_size(skin, skin->to_rest);
}

static void place_first(PeltiGltfSkin *skin, int index)
{
    memset(skin->to_rest, 0, sizeof skin->to_rest);
    for (int i = 0; i < 3; i++)
        skin->to_rest[i][i] = skin->scale;
    skin->space = index;
    skin->is_scaled_only = true;
    skin->extent = extent_of(skin, skin->to_rest);
}

/// A map that differs from the first skin's by rounding only is the same: then one array serves file and rest.
static void snap(PeltiGltfReader *reader, PeltiGltfSkin *skin)
{
    PeltiGltfSkin *first = &reader->skins[skin->space];
    if (difference(skin->to_rest, first->to_rest, first->extent / first->scale) > ROUNDING * first->extent)
        return;
    memcpy(skin->to_rest, first->to_rest, sizeof skin->to_rest);
    skin->scale = first->scale;
    skin->is_scaled_only = true;
}

/// rest_to_bone = bind inverse(to_rest); joints another skin has placed keep that skin's where only rounding differs, so that
/// skins share bones.
static void place_joints(PeltiGltfReader *reader, PeltiGltfSkin *skin, double from_rest[3][4])
{
    double extent = reader->skins[skin->space].extent;
    for (int k = 0; k < skin->joint_count; k++) {
        PeltiGltfRest *joint = &reader->rest[skin->joints[k]];
        double m[3][4];
        if (skin->is_scaled_only)
            for (int i = 0; i < 12; i++)
                m[i / 4][i % 4] = skin->bind[k][i / 4][i % 4] / (i % 4 < 3 ? skin->scale : 1) + 0.0;
        else
            mat34_mul_double(skin->bind[k], from_rest, m);
        bool same = joint->space == skin->space &&
                    difference(m, joint->rest_to_joint, extent) <= ROUNDING * extent * scale_of(joint->rest_to_joint);
        memcpy(skin->rest_to_bone[k], same ? joint->rest_to_joint : m, sizeof m);
        if (joint->space < 0) {
            joint->space = skin->space;
            memcpy(joint->rest_to_joint, m, sizeof m);
        }
    }
}

PeltStatus pelti_gltf_place_skins(PeltiGltfReader *reader, PeltError *err)
{
    reader->rest = PELTI_NEW(&reader->work, PeltiGltfRest, reader->doc->node_count);
    if (!reader->rest)
        return pelti_no_memory(err, (size_t)reader->doc->node_count * sizeof *reader->rest);
    for (int n = 0; n < reader->doc->node_count; n++)
        reader->rest[n].space = -1;
    for (int s = 0; s < reader->doc->skin_count; s++) {
        PeltiGltfSkin *skin = &reader->skins[s];
        double from_rest[3][4];
        if (!skin->used)
            continue;
        bool placed = place_by_shared(reader, skin, s) || place_by_tree(reader, skin);
        if (placed)
            snap(reader, skin);
        if (!placed || !pelti_gltf_invert(skin->to_rest, from_rest)) {
            place_first(skin, s);
            pelti_gltf_invert(skin->to_rest, from_rest);
        }
        place_joints(reader, skin, from_rest);
    }
    return PELT_OK;
}
