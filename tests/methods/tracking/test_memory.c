/// Memory of tracking: refused at any place, prepare says so and leaves nothing behind; taken, every stage has its own.
#include "refusing.h"
#include "shared_rig.h"

static PeltStatus take(const PeltAllocator *allocator, const void *user, PeltError *err)
{
    const Tracking *made = user;
    Tracking t = {.who = made->who, .mesh = made->mesh, .fields = made->fields};
    pelti_pool_init(&t.pool, allocator);
    PeltStatus status = pelti_tracking_memory(&t, err);
    assert_int_equal(status == PELT_OK, !t.pool.failed);
    pelti_pool_release(&t.pool);
    return status;
}

static void refused_memory_is_an_error_and_leaks_nothing(void **state)
{
    (void)state;
    static Places places;
    assert_true(refuse_each_place(take, rig.state, &places) >= 3);
}

/// Fills every array of the surface with its own pattern: none lies over another.
static void stages_do_not_share_memory(void **state)
{
    (void)state;
    Tracking *t = rig.state;
    int n = t->mesh->vertex_count;
    float *arrays[] = {t->skin.edge,          t->skin.area,          t->skin.reach,       t->skin.paint,    t->skin.tilt,
                       t->skin.iso,           t->skin.slack,         t->skin.own_rest,    t->skin.own_bias, t->surface.wall,
                       t->surface.pressed,    t->surface.tilt_now,   t->surface.residual, t->surface.drift, t->swelling.height,
                       t->energy.diagonal,    t->energy.hold,        t->target.scale,     t->ease.share,    t->show.touch,
                       t->show.touch_scratch, t->show.sorted_scratch};
    enum { ARRAYS = sizeof arrays / sizeof *arrays };
    for (int k = 0; k < ARRAYS; k++)
        for (int v = 0; v < n; v++)
            arrays[k][v] = (float)(1000 * k + v);
    for (int k = 0; k < ARRAYS; k++)
        for (int v = 0; v < n; v++)
            CHECK_NEAR(arrays[k][v], 1000 * k + v, 0);
    assert_int_equal((uintptr_t)t->solver.load % 16, 0); // rows are read four floats at a time
    assert_int_equal((uintptr_t)t->solver.slid % 16, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(refused_memory_is_an_error_and_leaks_nothing),
                                       cmocka_unit_test(stages_do_not_share_memory)};
    return cmocka_run_group_tests(tests, open_cylinder, close_rig);
}
