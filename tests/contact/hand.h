/// A built-in hand that the tests of a file share.
#ifndef PELT_TESTS_CONTACT_HAND_H
#define PELT_TESTS_CONTACT_HAND_H

#include "builtin/builtin.h"
#include "character/weights.h"
#include "check.h"

static PeltiCharacter *hand;
static PeltiWeights weights;

static int make_hand_of(int vertices)
{
    PeltError err = {0};
    if (pelti_builtin_make("hand", &(PeltiBuiltinOptions){.vertices = vertices}, NULL, NULL, &hand, &err) != PELT_OK ||
        pelti_weights_from_file(hand, &hand->pool, &weights, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return 0;
}

static int drop_hand(void **state)
{
    (void)state;
    pelti_character_destroy(hand);
    return 0;
}

#endif
