/// Saves and restores what layered flesh carries from step to step.
#include "methods/layered/flesh.h"

static void keep_contacts(PeltiLayeredCollide *c, int slots, PeltiSnapshot *s)
{
    PELTI_KEEP(s, c->skin.now, slots);
    PELTI_KEEP(s, c->skin.before, slots);
    PELTI_KEEP(s, c->contacts.touched, slots);
    PELTI_KEEP(s, c->skin.crumpled, slots);
}

void pelti_layered_keep(void *state, PeltiSnapshot *s)
{
    PeltiFlesh *flesh = state;
    int bones = flesh->who->bone_count;
    size_t lanes = (size_t)flesh->n * PELTI_LAYERS, blocks = (size_t)flesh->match.padded / 2;
    PELTI_KEEP(s, &flesh->moving.started, 1);
    PELTI_KEEP(s, &flesh->moving.settled, 1);
    PELTI_KEEP(s, &flesh->moving.origin, 1);
    for (int k = 0; k < 3; k++) {
        PELTI_KEEP(s, flesh->match.x[k], lanes);
        PELTI_KEEP(s, flesh->moving.before[k], lanes);
        PELTI_KEEP(s, flesh->moving.velocity[k], lanes);
        PELTI_KEEP(s, flesh->moving.goal[k], lanes);
        PELTI_KEEP(s, flesh->moving.goal_before[k], lanes);
    }
    PELTI_KEEP(s, flesh->match.rotation, blocks);
    PELTI_KEEP(s, flesh->match.warm, blocks);
    pelti_motion_keep(&flesh->skeleton.motion, s);
    PELTI_KEEP(s, flesh->skeleton.rotation, bones);
    PELTI_KEEP(s, flesh->skeleton.linear, bones);
    PELTI_KEEP(s, flesh->skeleton.turn, bones);
    PELTI_KEEP(s, flesh->skeleton.head, bones);
    PELTI_KEEP(s, flesh->skeleton.fold, bones);
    keep_contacts(&flesh->collide, flesh->n, s);
    for (int p = 0; p < flesh->volume.part_count; p++)
        PELTI_KEEP(s, &flesh->volume.loops[flesh->volume.parts[p].loop_first], flesh->volume.parts[p].loop_count);
    PELTI_KEEP(s, flesh->volume.freedom, flesh->n);
    PELTI_KEEP(s, &flesh->stretch.active, 1);
    PELTI_KEEP(s, flesh->stretch.used, bones);
    if (s->mode == PELTI_SNAPSHOT_RESTORE)
        pelti_layered_stretch_reshape(flesh); // the rest shape follows from those two
}
