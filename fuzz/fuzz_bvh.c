/// The reader of .bvh, and what retargeting makes of whatever it read on a skeleton of the usual names.
#include "character/retarget.h"
#include "character/skeleton.h"
#include "io/bvh.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLDS(condition)                                                                                                         \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            fprintf(stderr, "fuzz_bvh.c:%d: does not hold: %s\n", __LINE__, #condition);                                         \
            abort();                                                                                                             \
        }                                                                                                                        \
    } while (0)

static PeltiCharacter *make_target(void)
{
    static const char *const names[] = {"Hips", "Spine", "Head", "LeftUpLeg", "LeftLeg", "LeftFoot", "RightUpLeg", "a"};
    static const int parents[] = {-1, 0, 1, 0, 3, 4, 0, 2};
    PeltiCharacter *who = pelti_character_create(NULL);
    HOLDS(who);
    who->node_count = 8;
    who->nodes = PELTI_NEW(&who->pool, PeltiNode, 8);
    HOLDS(who->nodes);
    for (int n = 0; n < 8; n++)
        who->nodes[n] = (PeltiNode){
            .name = names[n], .parent = parents[n], .trs = {{0.1f * (float)n, n < 3 ? 1 : -1, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
    HOLDS(pelti_skeleton_order(who, NULL) == PELT_OK);
    return who;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PeltError err = {0};
    PeltiCharacter *from = NULL, *to;
    PeltiRetarget moved;
    PeltStatus status = pelti_bvh_parse((const char *)data, size, "clip", NULL, &from, &err);
    HOLDS((status == PELT_OK) == (from != NULL) && (status == PELT_OK || err.text[0]));
    if (!from)
        return 0;
    to = make_target();
    if (pelti_retarget(&(PeltiRetargetEnd){from, NULL}, &(PeltiRetargetEnd){to, NULL}, &to->pool, &moved, &err) == PELT_OK)
        for (int c = 0; c < moved.clips[0].channel_count; c++) {
            const PeltiChannel *channel = &moved.clips[0].channels[c];
            for (int i = 0; i < channel->key_count * channel->width; i++)
                HOLDS(channel->values[i] == channel->values[i]); // a number
        }
    pelti_character_destroy(from);
    pelti_character_destroy(to);
    return 0;
}
