/// Bounds where flesh may be after a step of position-based dynamics [Deul2013], which itself promises no bound.
/// It stops before it has converged. So no particle goes farther in a step, beyond what its bones carry it, than half of how far
/// contacts look: they are found once a step, and where they push against each other (knees at the chest) skin is shot through
/// skin. No particle is farther from where the skeleton alone would carry it than it lies from its bone (flesh swings, is pressed
/// and bulges around the bone, it does not leave it), and no edge of the skin is longer than MOST_STRETCH times its length at
/// rest unless the skeleton alone stretches it as far.
#include "methods/layered/flesh.h"
#include "methods/layered/constants.def"

enum { GRAIN = 512 };

/// Where its bones' turns and moves of this step alone would take a particle. (Not its goal: in a twist of half a turn the goals
/// of lbs fall into the axis.)
static Vec3 carried_from(const PeltiFlesh *flesh, int s, Vec3 x)
{
    Vec3 sum = x;
    for (int k = 0; k < flesh->weights.influences; k++) {
        size_t i = (size_t)s * (size_t)flesh->weights.influences + (size_t)k;
        if (flesh->weights.weight[i] > 0)
            sum = vec3_mad(sum, vec3_sub(mat34_apply(flesh->skeleton.carry[flesh->weights.bone[i]], x), x),
                           flesh->weights.weight[i]);
    }
    return sum;
}

typedef struct Pace {
    PeltiFlesh *flesh;
    float share; // of how far contacts look
} Pace;

static void keep_pace(void *context, int begin, int end, int worker)
{
    const Pace *pace = context;
    PeltiFlesh *flesh = pace->flesh;
    (void)worker;
    for (int s = begin; s < end; s++)
        for (int l = 0; l < PELTI_LAYER_BONE; l++) {
            Vec3 from = carried_from(flesh, s, pelti_flesh_lane(flesh->moving.before, s, l));
            Vec3 off = vec3_sub(pelti_flesh_lane(flesh->match.x, s, l), from);
            float most = pace->share * fminf(flesh->set.margin, flesh->rest.edge[s]), squared = vec3_dot(off, off);
            if (squared > most * most)
                pelti_flesh_set_lane(flesh->match.x, s, l, vec3_mad(from, off, most / sqrtf(squared)));
        }
}

static void stay_near(void *context, int begin, int end, int worker)
{
    PeltiFlesh *flesh = context;
    (void)worker;
    for (int s = begin; s < end; s++)
        for (int l = 0; l < PELTI_LAYER_BONE; l++) {
            Vec3 goal = pelti_flesh_lane(flesh->moving.goal, s, l), off = vec3_sub(pelti_flesh_lane(flesh->match.x, s, l), goal);
            float most = flesh->hold.reach[(size_t)s * PELTI_LAYERS + (size_t)l], squared = vec3_dot(off, off);
            if (squared > most * most)
                pelti_flesh_set_lane(flesh->match.x, s, l, vec3_mad(goal, off, most / sqrtf(squared)));
        }
}

static inline float squared_between(float *const x[3], int a, int b)
{
    Vec3 way = vec3_sub(pelti_flesh_lane(x, b, PELTI_LAYER_SKIN), pelti_flesh_lane(x, a, PELTI_LAYER_SKIN));
    return vec3_dot(way, way);
}

/// Half of what each edge at a slot is too long by, as a mean over those that are.
static void measure_stretch(void *context, int begin, int end, int worker)
{
    PeltiFlesh *flesh = context;
    const PeltiMesh *mesh = flesh->mesh;
    (void)worker;
    for (int s = begin; s < end; s++) {
        int v = flesh->paths.vertex[s], count = 0;
        Vec3 x = pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN), sum = {0, 0, 0};
        for (int r = mesh->ring_start[v]; r < mesh->ring_start[v + 1]; r++) {
            int other = flesh->paths.slot[mesh->ring[r]];
            Vec3 way = vec3_sub(pelti_flesh_lane(flesh->match.x, other, PELTI_LAYER_SKIN), x);
            float squared = vec3_dot(way, way);
            float most = MOST_STRETCH * MOST_STRETCH * squared_between(flesh->match.rest, s, other);
            if (squared <= most)
                continue;
            most = sqrtf(fmaxf(most, squared_between(flesh->moving.goal, s, other)));
            float length = sqrtf(squared);
            if (length <= most)
                continue;
            sum = vec3_mad(sum, way, 0.5f * (length - most) / length);
            count++;
        }
        flesh->scratch.too_long[s] = count;
        flesh->scratch.shorten[s] = count ? vec3_scale(sum, 1 / (float)count) : sum;
    }
}

void pelti_layered_guard(PeltiFlesh *flesh, float dt_s)
{
    // A long step (of a preview) has the pace of the short ones in its place: held to half of how far contacts look, flesh would
    // stay behind more and more, and skin that passes unseen is held by the last word.
    Pace pace = {flesh, PACE * fmaxf(1, dt_s / PACE_STEP)};
    if (!flesh->moving.settled) // without inertia nothing is shot, and flesh may have a long way to where it settles
        pelti_parallel_for(flesh->jobs, flesh->n, GRAIN, keep_pace, &pace);
    pelti_parallel_for(flesh->jobs, flesh->n, GRAIN, stay_near, flesh);
    for (int k = 0; k < GUARD_SWEEPS; k++) {
        int found = 0;
        pelti_parallel_for(flesh->jobs, flesh->n, GRAIN, measure_stretch, flesh);
        for (int s = 0; s < flesh->n; s++) {
            if (!flesh->scratch.too_long[s])
                continue;
            found++;
            pelti_flesh_set_lane(flesh->match.x, s, PELTI_LAYER_SKIN,
                                 vec3_add(pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN), flesh->scratch.shorten[s]));
        }
        if (!found)
            break;
    }
}
