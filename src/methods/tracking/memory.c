/// Takes the memory of tracking's stages.
#include "methods/tracking/tracking.h"

static TrackingBones new_bones(PeltiPool *pool, int count)
{
    return (TrackingBones){PELTI_NEW(pool, Mat34, count), PELTI_NEW(pool, PeltiJoint, count), PELTI_NEW(pool, Quat, count),
                           PELTI_NEW(pool, float, count)};
}

static TrackingPoses new_poses(PeltiPool *pool, int bones, int parts)
{
    return (TrackingPoses){.order = PELTI_NEW(pool, int, bones),
                           .now = new_bones(pool, bones),
                           .next = new_bones(pool, bones),
                           .goal = new_bones(pool, bones),
                           .delta = PELTI_NEW(pool, Mat34, bones),
                           .part_matrix = PELTI_NEW(pool, Mat34, parts)};
}

static TrackingSkin new_skin(PeltiPool *pool, int n)
{
    TrackingSkin skin = {
        .kind = PELTI_NEW(pool, unsigned char, n), .skeleton = PELTI_NEW(pool, int, n), .bone = PELTI_NEW(pool, int, n)};
    float **floats[] = {&skin.edge, &skin.area,  &skin.reach,    &skin.paint,   &skin.tilt,
                        &skin.iso,  &skin.slack, &skin.own_rest, &skin.own_bias};
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        *floats[k] = PELTI_NEW(pool, float, n);
    return skin;
}

static TrackingSurface new_surface(PeltiPool *pool, int n)
{
    TrackingSurface surface = {.x = PELTI_NEW(pool, Vec3, n),
                               .normal = PELTI_NEW(pool, Vec3, n),
                               .contact = PELTI_NEW(pool, unsigned char, n),
                               .must_look = PELTI_NEW(pool, unsigned char, n),
                               .other = PELTI_NEW(pool, int, n),
                               .look_order = PELTI_NEW(pool, int, n),
                               .looks_scratch = PELTI_NEW(pool, int, n / TRACKING_GRAIN + 1)};
    float **floats[] = {&surface.wall, &surface.pressed, &surface.tilt_now, &surface.residual, &surface.drift};
    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        *floats[k] = PELTI_NEW(pool, float, n);
    return surface;
}

static TrackingSolver new_solver(PeltiPool *pool, int n, int rings)
{
    TrackingSolver solver = {.place = PELTI_NEW(pool, int, n),
                             .ring = {.start = PELTI_NEW(pool, int, n + 1),
                                      .vertex = PELTI_NEW(pool, int, rings),
                                      .place = PELTI_NEW(pool, int, rings),
                                      .weight = PELTI_NEW(pool, float, rings),
                                      .hold = PELTI_NEW(pool, float, n)},
                             .sum_scratch = PELTI_NEW(pool, double, n / TRACKING_GRAIN + 1)};
    solver.plane = pelti_pool_take(pool, (size_t)n, sizeof(float[4]));
    solver.load = pelti_pool_take(pool, (size_t)n, sizeof(float[4]));
    solver.preconditioned = pelti_pool_take(pool, (size_t)n, sizeof(float[4]));
    solver.image = pelti_pool_take(pool, (size_t)n, sizeof(float[4]));
    solver.direction = pelti_pool_take(pool, (size_t)n, sizeof(float[4]));
    solver.slid = pelti_pool_take(pool, (size_t)n, sizeof(float[4]));
    return solver;
}

static TrackingAwake new_awake(PeltiPool *pool, int n, int bones)
{
    TrackingAwake awake = {.words = (bones + 63) / 64,
                           .changed = PELTI_NEW(pool, unsigned char, n),
                           .restless = PELTI_NEW(pool, unsigned char, n),
                           .scratch.mark = PELTI_NEW(pool, unsigned char, n),
                           .scratch.queue = PELTI_NEW(pool, int, n),
                           .on = PELTI_NEW(pool, unsigned char, n),
                           .left = PELTI_NEW(pool, Vec3, n),
                           .from = PELTI_NEW(pool, Vec3, n),
                           .vertex = PELTI_NEW(pool, int, n),
                           .rows.column = PELTI_NEW(pool, int, n)};
    awake.moved = PELTI_NEW(pool, uint64_t, awake.words);
    awake.bones = PELTI_NEW(pool, uint64_t, (size_t)n * (size_t)awake.words);
    return awake;
}

static void new_frame(Tracking *t)
{
    PeltiArena arena = {0};
    pelti_frame_in(&arena, t->fields, &t->frame);
    arena.base = pelti_pool_take(&t->pool, arena.used, 1);
    arena.used = 0;
    if (arena.base)
        pelti_frame_in(&arena, t->fields, &t->frame);
}

PeltStatus pelti_tracking_memory(Tracking *t, PeltError *err)
{
    PeltiPool *pool = &t->pool;
    int n = t->mesh->vertex_count, bones = t->who->bone_count, parts = t->fields->part_count, rings = t->mesh->ring_start[n];
    new_frame(t);
    t->bones = new_poses(pool, bones, parts);
    t->skin = new_skin(pool, n);
    t->surface = new_surface(pool, n);
    t->stale = (TrackingStale){.around = PELTI_NEW(pool, uint64_t, (size_t)n * (size_t)t->frame.words),
                               .scratch.cluster = PELTI_NEW(pool, int, bones),
                               .scratch.strange = PELTI_NEW(pool, uint64_t, (size_t)bones * (size_t)t->frame.words)};
    t->swelling = (TrackingSwelling){.height = PELTI_NEW(pool, float, n),
                                     .grown = PELTI_NEW(pool, float, parts),
                                     .lost_scratch = PELTI_NEW(pool, float, 2 * parts)};
    t->energy = (TrackingEnergy){
        .ring_weight = PELTI_NEW(pool, float, rings), .diagonal = PELTI_NEW(pool, float, n), .hold = PELTI_NEW(pool, float, n)};
    t->target = (TrackingTarget){.rotation = PELTI_NEW(pool, Quat, n),
                                 .scratch = PELTI_NEW(pool, Quat, n),
                                 .scale = PELTI_NEW(pool, float, n),
                                 .rhs = PELTI_NEW(pool, Vec3, n)};
    t->solver = new_solver(pool, n, rings);
    t->awake = new_awake(pool, n, bones);
    t->ease =
        (TrackingEase){.before = PELTI_NEW(pool, Vec3, n), .went = PELTI_NEW(pool, Vec3, n), .share = PELTI_NEW(pool, float, n)};
    t->slides = (TrackingSlides){.moved_scratch = PELTI_NEW(pool, float, n / TRACKING_GRAIN + 1),
                                 .way_scratch = PELTI_NEW(pool, double, n / TRACKING_GRAIN + 1)};
    t->predict = (TrackingPredict){.turned = PELTI_NEW(pool, Vec3, bones), .way = PELTI_NEW(pool, Vec3, n)};
    t->show = (TrackingShow){.shown = PELTI_NEW(pool, Vec3, n),
                             .scratch = PELTI_NEW(pool, Vec3, n),
                             .touch = PELTI_NEW(pool, float, n),
                             .touch_scratch = PELTI_NEW(pool, float, n),
                             .sorted_scratch = PELTI_NEW(pool, float, n)};
    return pool->failed ? pelti_no_memory(err, (size_t)n * 200) : PELT_OK;
}
