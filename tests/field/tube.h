/// A tube of three bones for the tests of parts.
#ifndef TESTS_FIELD_TUBE_H
#define TESTS_FIELD_TUBE_H

#include "chain.h"

#include "field/part.h"

static Vec3 p[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];

typedef struct Tube {
    PeltiCharacter *who;
    PeltiPool pool;
    PeltiWeights weights;
} Tube;

/// Three bones along a tube of radius 0.35; each vertex goes with the bone beside it.
static Tube start(void)
{
    Tube tube;
    int count = make_tube(3, 0.35f, p, t, 0), points = TUBE_POINTS;
    tube.who = make_chain((ChainBones){3, 0, 1}, 1, &points, (ChainSkin){TUBE_POINTS, p, count, (const int(*)[3])t});
    pelti_pool_init(&tube.pool, NULL);
    assert_int_equal(pelti_weights_rigid(tube.who, &tube.pool, &tube.weights, NULL), PELT_OK);
    return tube;
}

static void stop(Tube *tube)
{
    pelti_character_destroy(tube->who);
    pelti_pool_release(&tube->pool);
}

#endif
