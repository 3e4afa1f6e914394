/// Puts multi-layer skinning [Deul2013] behind method.h: options, prepare, step, what there is to see inside.
#include "core/clock.h"
#include "methods/layered/constants.def"
#include "methods/layered/flesh.h"

#include <string.h>

static const PeltiOptionDef OPTIONS[] = {
    {"fat", PELTI_OPTION_FLOAT, "0.15", NULL, 0.01, 0.98,
     "where the fat layer lies: share of the way from skin to bone (projection parameter)"},
    {"muscle", PELTI_OPTION_FLOAT, "0.45", NULL, 0.01, 0.98, "where the muscle layer lies"},
    {"bone", PELTI_OPTION_FLOAT, "0.8", NULL, 0.01, 0.98, "where the bone layer lies"},
    {"skin-firmness", PELTI_OPTION_FLOAT, "0.8", NULL, 0, 1, "stiffness s of the skin"},
    {"fat-firmness", PELTI_OPTION_FLOAT, "0.6", NULL, 0, 1, "stiffness s of the fat"},
    {"muscle-firmness", PELTI_OPTION_FLOAT, "0.7", NULL, 0, 1, "stiffness s of the muscles"},
    {"bone-firmness", PELTI_OPTION_FLOAT, "0.8", NULL, 0, 1, "stiffness s of the bone layer"},
    {"region", PELTI_OPTION_INT, "2", NULL, 1, 8, "rings of neighbours in a region (omega)"},
    {"iterations", PELTI_OPTION_INT, "0", NULL, 0, 1000,
     "shape matching, distances and contacts per step (N_elasticity); 0: by quality"},
    {"volume-iterations", PELTI_OPTION_INT, "4", NULL, 0, 100, "volume corrections per step (N_volume)"},
    {"match-every", PELTI_OPTION_INT, "1", NULL, 1, 100, "shape matching in every n-th iteration only"},
    {"step", PELTI_OPTION_FLOAT, "0", NULL, 0, 100, "longest simulation step, ms; 0: by quality"},
    {"jiggle", PELTI_OPTION_FLOAT, "1", NULL, 0, 100, "how long flesh swings on: 1 damps by e in 0.1 s; 0: not at all"},
    {"joint-keep", PELTI_OPTION_FLOAT, "0.9", NULL, 0, 1, "flesh beside a joint keeps this share of its distance to it; 0: off"},
    {"coupling", PELTI_OPTION_FLOAT, "1", NULL, 0, 1, "stiffness of the bone layer's pull to the skeleton"},
    {"collide", PELTI_OPTION_BOOL, "true", NULL, 0, 0, "keep skin from passing through skin"},
    {"continuous", PELTI_OPTION_BOOL, "false", NULL, 0, 0,
     "find also skin that passes through skin within a step: allows steps of 20 ms"},
    {"gap", PELTI_OPTION_FLOAT, "0.0006", NULL, 0, 0.1, "distance kept between touching skin, share of the size"},
    {"friction", PELTI_OPTION_FLOAT, "0.2", NULL, 0, 10, "Coulomb coefficient of skin on skin"},
    {"bounce", PELTI_OPTION_FLOAT, "0", NULL, 0, 1, "restitution of skin on skin"},
    {"volume-cut", PELTI_OPTION_FLOAT, "0", NULL, 0, 0.9,
     "where bones are cut into sub-volumes: 0 at joints, 0.5 half way along bones"},
    {"inside", PELTI_OPTION_CHOICE, "layers", "layers|region|volumes", 0, 0, "what `--inside` draws"},
    {"gravity", PELTI_OPTION_FLOAT, "0", NULL, -1000, 1000, "downward (-y) acceleration, file units / s^2"},
    {0},
};

/// Who asks for more than the default wants flesh to swing for longer.
static bool layered_swings_on(const PeltiOptions *o)
{
    return pelti_option_above_default(o, "jiggle");
}

static void layered_retune(void *state, const PeltiOptions *o)
{
    PeltiFlesh *flesh = state;
    PeltiLayeredSettings *set = &flesh->set;
    float size = flesh->mesh->diagonal > 0 ? flesh->mesh->diagonal : 1, jiggle = pelti_option_float(o, "jiggle");
    bool preview = pelti_option_is(o, "quality", "preview"), final = pelti_option_is(o, "quality", "final");
    bool coarse = preview || (flesh->made_body && !final); // the file's points only ride on what is solved
    int iterations = pelti_option_int(o, "iterations");
    float step = pelti_option_float(o, "step");
    *set = (PeltiLayeredSettings){
        .projection = {0, pelti_option_float(o, "fat"), pelti_option_float(o, "muscle"), pelti_option_float(o, "bone")},
        .stiffness = {pelti_option_float(o, "skin-firmness"), pelti_option_float(o, "fat-firmness"),
                      pelti_option_float(o, "muscle-firmness"), pelti_option_float(o, "bone-firmness")},
        .omega = pelti_option_int(o, "region"),
        .elasticity = iterations > 0 ? iterations
                      : preview      ? ITERATIONS_PREVIEW
                      : final        ? ITERATIONS_FINAL
                                     : ITERATIONS,
        .volume = pelti_option_int(o, "volume-iterations"),
        .match_every = pelti_option_int(o, "match-every"),
        .step_s = 1e-3f * (step > 0  ? step
                           : preview ? STEP_PREVIEW
                           : coarse  ? STEP_COARSE
                                     : STEP),
        .turn_rad = (coarse ? TURN_COARSE : TURN) * 3.14159265f / 180,
        .damping = jiggle > 0 ? JIGGLE_DAMPING / jiggle : 1e6f, // none: all of a swing is gone in a step, however short
        .joint_keep = pelti_option_float(o, "joint-keep"),
        .coupling = pelti_option_float(o, "coupling"),
        .thickness = size * pelti_option_float(o, "gap"),
        .friction = pelti_option_float(o, "friction"),
        .restitution = pelti_option_float(o, "bounce"),
        .cut = pelti_option_float(o, "volume-cut"),
        .acceleration = vec3(0, -pelti_option_float(o, "gravity"), 0),
        .collide = pelti_option_bool(o, "collide"),
        .continuous = pelti_option_bool(o, "continuous"),
        .inside = pelti_option_is(o, "inside", "region")    ? 1
                  : pelti_option_is(o, "inside", "volumes") ? 2
                                                            : 0,
    };
    set->margin = set->thickness + LOOK_AHEAD * size;
    if (set->match_every > set->elasticity)
        set->match_every = set->elasticity;
}

static void layered_destroy(void *state)
{
    PeltiFlesh *flesh = state;
    if (!flesh)
        return;
    PeltAllocator allocator = flesh->pool.allocator;
    pelti_pool_release(&flesh->pool);
    pelti_free(&allocator, flesh, sizeof *flesh);
}

static PeltStatus layered_prepare(const PeltiMethodPrepare *in, void **state, PeltError *err)
{
    PeltiFlesh *flesh = pelti_alloc(in->allocator, sizeof *flesh);
    if (!flesh)
        return pelti_no_memory(err, sizeof *flesh);
    *flesh = (PeltiFlesh){.who = in->who, .mesh = in->who->mesh, .jobs = in->jobs, .made_body = in->made_body};
    pelti_pool_init(&flesh->pool, in->allocator);
    layered_retune(flesh, in->options);
    PeltStatus status = pelti_layered_layers_build(flesh, in, err);
    if (status == PELT_OK)
        status = pelti_layered_collide_build(flesh, err);
    if (status == PELT_OK)
        status = pelti_layered_parts_build(flesh, in->log, err);
    if (status != PELT_OK) {
        layered_destroy(flesh);
        return status;
    }
    pelti_flesh_rest(flesh);
    pelti_layered_volume_rest(&flesh->volume, flesh->match.rest);
    pelti_layered_volume_start(flesh, 0);
    *state = flesh;
    return PELT_OK;
}

static void layered_held(void *state, const Vec3 *change)
{
    pelti_flesh_held(state, change);
}

static void report_times(const PeltiFlesh *flesh, PeltiStepReport *report)
{
    static const char *const stages[FLESH_STAGE_COUNT] = {"goals_ms", "detect_ms", "match_ms", "contacts_ms", "volume_ms"};
    for (int k = 0; k < FLESH_STAGE_COUNT; k++)
        pelti_step_stat(report, stages[k], flesh->told.ms[k], PELTI_MEAN);
}

static void layered_step(void *state, const PeltiStepInput *in, Vec3 *vertices, PeltiStepReport *report)
{
    PeltiFlesh *flesh = state;
    double start = pelti_clock_ms();
    int steps = 0;
    flesh->told = (PeltiFleshTold){0};
    if (in->restart || !flesh->moving.started) {
        pelti_flesh_rest(flesh);
        steps = pelti_flesh_settle(flesh, in->bones, in->joints);
    } else if (in->dt_s > 0) {
        steps = pelti_flesh_move(flesh, in->bones, in->joints, in->dt_s);
    } else {
        steps = pelti_flesh_settle(flesh, in->bones, in->joints);
    }
    double ms = (pelti_clock_ms() - start) / (steps > 0 ? steps : 1);
    pelti_flesh_show(flesh, vertices);
    if (!report)
        return;
    report->told.substeps = steps;
    report->told.substep_ms = ms;
    report_times(flesh, report);
    pelti_step_stat(report, "contacts", flesh->collide.contacts.count, PELTI_MOST);
    pelti_step_stat(report, "contacts_overflowed", flesh->told.overflowed, PELTI_MOST);
    pelti_step_stat(report, "sub_volumes", flesh->volume.part_count, PELTI_LAST);
    pelti_step_stat(report, "sub_volume_error", pelti_layered_volume_worst(&flesh->volume, flesh->match.x), PELTI_MOST);
    pelti_step_stat(report, "fastest", (double)pelti_flesh_speed(flesh), PELTI_LAST);
    pelti_step_stat(report, "runs_per_region", (double)flesh->paths.run_start[flesh->n] / (flesh->n > 0 ? flesh->n : 1),
                    PELTI_LAST);
}

extern const PeltiMethod pelti_method_layered;
const PeltiMethod pelti_method_layered = {
    .name = "layered",
    .summary = "four layers of oriented particles: flesh that jiggles, touches and keeps its volume",
    .reference = "[Deul2013]",
    .flags = PELTI_METHOD_NEEDS_WEIGHTS | PELTI_METHOD_KEEPS_STATE | PELTI_METHOD_DYNAMIC | PELTI_METHOD_FLESH,
    .rig_parts = PELTI_METHOD_RIG_JOINTS | PELTI_METHOD_RIG_VOLUMES | PELTI_METHOD_RIG_PAINTED,
    .coarse_preview = true,
    .dear_vertices = true,
    .options = OPTIONS,
    .prepare = layered_prepare,
    .step = layered_step,
    .held = layered_held,
    .destroy = layered_destroy,
    .retune = layered_retune,
    .swings_on = layered_swings_on,
    .keep = pelti_layered_keep,
    .live = "volume-iterations|step|jiggle|collide|continuous|"
            "gap|friction|bounce|inside|gravity",
    .draw = pelti_layered_draw,
};
