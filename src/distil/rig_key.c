/// A hash of all that a rig says which was handed by pointer, for the key of samples that are kept.
/// Field by field, since structs have gaps.
#include "distil/samples.h"
#include "core/hash.h"

#include <string.h>

#define ADD(hash, value) pelti_hash(hash, &(value), sizeof(value))

static uint64_t add_text(uint64_t hash, const char *text)
{
    return text ? pelti_hash(hash, text, strlen(text) + 1) : ADD(hash, text);
}

static uint64_t add_texts(uint64_t hash, const char *const *texts, int count)
{
    hash = ADD(hash, count);
    for (int i = 0; i < count; i++)
        hash = add_text(hash, texts[i]);
    return hash;
}

/// A list of numbers with its length.
static uint64_t add_list(uint64_t hash, const void *list, int count, size_t size)
{
    hash = ADD(hash, count);
    return count > 0 ? pelti_hash(hash, list, (size_t)count * size) : hash;
}

static uint64_t add_place(uint64_t hash, const PeltRigPlace *place)
{
    hash = add_text(hash, place->bone);
    hash = ADD(hash, place->along);
    return ADD(hash, place->offset);
}

static uint64_t add_joint(uint64_t hash, const PeltRigJoint *joint)
{
    hash = add_text(hash, joint->joint);
    hash = add_text(hash, joint->operator_name);
    hash = add_list(hash, joint->controller, joint->controller_count, sizeof *joint->controller);
    hash = ADD(hash, joint->has_bend_limits);
    hash = ADD(hash, joint->has_twist_limits);
    hash = ADD(hash, joint->bend_limits_deg);
    hash = ADD(hash, joint->twist_limits_deg);
    hash = ADD(hash, joint->joint_stiffness);
    hash = ADD(hash, joint->crush);
    hash = ADD(hash, joint->firmness);
    hash = ADD(hash, joint->projection);
    hash = ADD(hash, joint->layer_stiffness);
    return ADD(hash, joint->layer_density);
}

static uint64_t add_muscle(uint64_t hash, const PeltRigMuscle *muscle)
{
    hash = add_text(hash, muscle->name);
    hash = add_place(add_place(hash, &muscle->from), &muscle->to);
    hash = ADD(hash, muscle->radius);
    hash = add_text(hash, muscle->driver);
    hash = ADD(hash, muscle->angles_deg);
    return ADD(hash, muscle->swell);
}

static uint64_t add_region(uint64_t hash, const PeltRigRegion *region)
{
    hash = add_text(add_text(hash, region->name), region->bone);
    hash = add_list(hash, region->points, region->point_count, sizeof *region->points);
    hash = add_texts(hash, region->owners, region->owner_count);
    hash = ADD(hash, region->radius);
    hash = add_place(hash, &region->centre);
    return ADD(hash, region->falloff);
}

static uint64_t add_anchor(uint64_t hash, const PeltRigAnchor *anchor)
{
    hash = add_text(add_text(hash, anchor->name), anchor->bone);
    hash = ADD(hash, anchor->point);
    hash = ADD(hash, anchor->falloff);
    return add_list(hash, anchor->keys, anchor->key_count, sizeof *anchor->keys);
}

static uint64_t add_volume(uint64_t hash, const PeltRigVolume *volume)
{
    hash = add_texts(add_text(hash, volume->name), volume->bones, volume->bone_count);
    return ADD(hash, volume->cut);
}

static uint64_t add_piece(uint64_t hash, const PeltRigPiece *piece)
{
    hash = add_text(add_text(hash, piece->name), piece->bone);
    return ADD(hash, piece->kind);
}

static uint64_t add_operator(uint64_t hash, const PeltOperator *op)
{
    hash = add_text(hash, op->name);
    hash = add_list(hash, op->open, op->control_count, sizeof *op->open);
    hash = add_list(hash, op->closed, op->control_count, sizeof *op->closed);
    hash = ADD(hash, op->reach);
    return add_list(hash, op->controller, op->point_count, sizeof *op->controller);
}

static uint64_t add_painted(uint64_t hash, const PeltRigPainted *painted)
{
    hash = ADD(hash, painted->what);
    hash = add_list(hash, painted->points, painted->count, sizeof *painted->points);
    return add_list(hash, painted->values, painted->count, sizeof *painted->values);
}

uint64_t pelti_distil_rig_key(uint64_t hash, const PeltRig *rig)
{
    for (int i = 0; i < rig->joint_count; i++)
        hash = add_joint(hash, &rig->joints[i]);
    for (int i = 0; i < rig->muscle_count; i++)
        hash = add_muscle(hash, &rig->muscles[i]);
    for (int i = 0; i < rig->region_count; i++)
        hash = add_region(hash, &rig->regions[i]);
    for (int i = 0; i < rig->anchor_count; i++)
        hash = add_anchor(hash, &rig->anchors[i]);
    for (int i = 0; i < rig->volume_count; i++)
        hash = add_volume(hash, &rig->volumes[i]);
    for (int i = 0; i < rig->piece_count; i++)
        hash = add_piece(hash, &rig->pieces[i]);
    for (int i = 0; i < rig->operator_count; i++)
        hash = add_operator(hash, &rig->operators[i]);
    for (int i = 0; i < rig->painted_count; i++)
        hash = add_painted(hash, &rig->painted[i]);
    return hash;
}
