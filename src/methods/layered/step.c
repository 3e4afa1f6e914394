/// Steps layered flesh by Algorithm 1 of [Deul2013], and cuts a frame into such steps.
#include "methods/layered/flesh.h"
#include "methods/layered/constants.def"
#include "core/clock.h"
#include "math/elementary.h"

#include <string.h>

enum { GRAIN = 2048 }; // lanes per job

typedef struct Substep {
    PeltiFlesh *flesh;
    float dt_s;
    bool settle;
    bool first; // after a settled pose
} Substep;

static size_t lane_count(const PeltiFlesh *flesh)
{
    return (size_t)flesh->n * PELTI_LAYERS;
}

/// Lines 1 to 4: symplectic Euler. While settling there is no inertia: particles ride on the skeleton's own motion. A clip is cut
/// out of a longer motion: where it begins, flesh already moves with its bones (at rest it would be left behind, and swing).
static void integrate(void *context, int begin, int end, int worker)
{
    const Substep *span = context;
    PeltiFlesh *flesh = span->flesh;
    const float *a = &flesh->set.acceleration.x;
    (void)worker;
    for (int k = 0; k < 3; k++) {
        float *x = flesh->match.x[k], *v = flesh->moving.velocity[k], *before = flesh->moving.before[k];
        for (int i = begin; i < end; i++) {
            before[i] = x[i];
            if (span->settle) {
                x[i] += flesh->moving.goal[k][i] - flesh->moving.goal_before[k][i];
                continue;
            }
            if (span->first)
                v[i] = (flesh->moving.goal[k][i] - flesh->moving.goal_before[k][i]) / span->dt_s;
            v[i] += span->dt_s * a[k];
            x[i] += span->dt_s * v[i];
        }
    }
}

/// Lines 14 to 17: velocities, damped towards those of the skeleton, so that damping never drags the character behind.
static void update_velocities(void *context, int begin, int end, int worker)
{
    const Substep *span = context;
    PeltiFlesh *flesh = span->flesh;
    float inverse = 1 / span->dt_s, keep = span->settle ? 0 : pelti_expf(-flesh->set.damping * span->dt_s);
    (void)worker;
    for (int k = 0; k < 3; k++)
        for (int i = begin; i < end; i++) {
            float carried = (flesh->moving.goal[k][i] - flesh->moving.goal_before[k][i]) * inverse;
            float v = (flesh->match.x[k][i] - flesh->moving.before[k][i]) * inverse;
            flesh->moving.velocity[k][i] = span->settle ? 0 : carried + keep * (v - carried);
        }
}

void pelti_flesh_show(const PeltiFlesh *flesh, Vec3 *vertices)
{
    for (int v = 0; v < flesh->n; v++)
        vertices[v] = vec3_add(pelti_flesh_lane(flesh->match.x, flesh->paths.slot[v], PELTI_LAYER_SKIN), flesh->moving.origin);
}

/// Contacts tell outside from inside by how skin lay when the step began, so what has crossed once is lost to them. What is shown
/// has not crossed: flesh goes on from there, less with every layer down to the bone. Its speed is that of the step: what was
/// held back tries again.
void pelti_flesh_held(PeltiFlesh *flesh, const Vec3 *change)
{
    float least = HELD_LEAST * flesh->rest.size;
    const float *at = flesh->set.projection;
    for (int v = 0; v < flesh->n; v++) {
        int s = flesh->paths.slot[v];
        if (!(vec3_dot(change[v], change[v]) > least * least))
            continue;
        for (int l = 0; l < PELTI_LAYER_BONE; l++)
            pelti_flesh_set_lane(
                flesh->match.x, s, l,
                vec3_mad(pelti_flesh_lane(flesh->match.x, s, l), change[v], fmaxf(1 - at[l] / at[PELTI_LAYER_BONE], 0)));
    }
}

void pelti_flesh_substep(PeltiFlesh *flesh, const Mat34 *bones, float dt_s, bool settle)
{
    Substep span = {flesh, dt_s, settle, flesh->moving.settled && !settle};
    double since = pelti_clock_ms(), *ms = flesh->told.ms;
    flesh->moving.settled = settle;
    for (int k = 0; k < 3; k++)
        memcpy(flesh->moving.goal_before[k], flesh->moving.goal[k], sizeof(float) * lane_count(flesh));
    pelti_layered_couple_goals(flesh, bones);
    pelti_parallel_for(flesh->jobs, (int)lane_count(flesh), GRAIN, integrate, &span);
    pelti_clock_lap(&since, &ms[FLESH_STAGE_GOALS]);
    pelti_layered_collide_detect(flesh);
    flesh->told.overflowed |= flesh->collide.contacts.overflowed;
    pelti_clock_lap(&since, &ms[FLESH_STAGE_DETECT]);
    for (int k = 0; k < flesh->set.elasticity; k++) {
        if (k % flesh->set.match_every == 0)
            pelti_layered_match_iterate(&flesh->match, flesh->jobs, pelti_layered_couple_hold, flesh);
        else
            pelti_layered_couple_hold(flesh, 0, flesh->n);
        pelti_clock_lap(&since, &ms[FLESH_STAGE_MATCH]);
        pelti_layered_collide_project(flesh);
        pelti_clock_lap(&since, &ms[FLESH_STAGE_CONTACTS]);
    }
    // The last shape matching has pulled skin back into contact, and one sweep does not undo that where contacts lean on
    // each other.
    for (int k = 0; k < SEPARATE_SWEEPS; k++)
        pelti_layered_collide_project(flesh);
    pelti_clock_lap(&since, &ms[FLESH_STAGE_CONTACTS]);
    pelti_layered_volume_start(flesh, dt_s);
    for (int k = 0; k < flesh->set.volume; k++) {
        pelti_layered_volume_project(flesh);
        pelti_clock_lap(&since, &ms[FLESH_STAGE_VOLUME]);
        pelti_layered_collide_project(flesh); // a bulge may reach skin that was only near
        pelti_clock_lap(&since, &ms[FLESH_STAGE_CONTACTS]);
    }
    for (int k = 0; k < SEPARATE_SWEEPS / 2; k++)
        pelti_layered_collide_project(flesh);
    pelti_clock_lap(&since, &ms[FLESH_STAGE_CONTACTS]);
    pelti_layered_guard(flesh, dt_s);
    pelti_parallel_for(flesh->jobs, (int)lane_count(flesh), GRAIN, update_velocities, &span);
    if (!settle) {
        pelti_layered_volume_velocities(flesh);
        pelti_layered_collide_velocities(flesh, dt_s);
    }
    pelti_layered_collide_remember(flesh);
    pelti_clock_lap(&since, &ms[FLESH_STAGE_GOALS]);
}

void pelti_flesh_rest(PeltiFlesh *flesh)
{
    pelti_motion_reset(&flesh->skeleton.motion);
    for (int b = 0; b < flesh->who->bone_count; b++)
        flesh->skeleton.rotation[b] = flesh->skeleton.linear[b] = mat3_identity();
    flesh->moving.origin = flesh->rest.centre;
    flesh->moving.settled = true;
    pelti_layered_match_prepare(&flesh->match);
    pelti_layered_collide_forget(flesh);
    pelti_layered_couple_goals(flesh, flesh->skeleton.motion.from.bones);
    for (int b = 0; b < flesh->who->bone_count; b++)
        flesh->skeleton.carry[b] = mat34_identity();
    for (int k = 0; k < 3; k++) {
        memcpy(flesh->match.x[k], flesh->moving.goal[k], sizeof(float) * lane_count(flesh));
        memcpy(flesh->moving.before[k], flesh->moving.goal[k], sizeof(float) * lane_count(flesh));
        memcpy(flesh->moving.goal_before[k], flesh->moving.goal[k], sizeof(float) * lane_count(flesh));
        memset(flesh->moving.velocity[k], 0, sizeof(float) * lane_count(flesh));
    }
}

float pelti_flesh_speed(const PeltiFlesh *flesh)
{
    float most = 0;
    for (int s = 0; s < flesh->n; s++) {
        Vec3 v = pelti_flesh_lane(flesh->moving.velocity, s, PELTI_LAYER_SKIN);
        most = fmaxf(most, vec3_dot(v, v));
    }
    return sqrtf(most) / flesh->rest.size;
}

/// How far the skin moved in the last substep, as a share of the size.
static float skin_change(const PeltiFlesh *flesh)
{
    float most = 0;
    for (int s = 0; s < flesh->n; s++)
        most = fmaxf(most, vec3_distance(pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN),
                                         pelti_flesh_lane(flesh->moving.before, s, PELTI_LAYER_SKIN)));
    return most / flesh->rest.size;
}

int pelti_flesh_settle(PeltiFlesh *flesh, const Mat34 *bones, const PeltiJoint *joints)
{
    pelti_motion_to(&flesh->skeleton.motion, bones, joints);
    int ways = (int)ceilf(pelti_motion_largest_turn(&flesh->skeleton.motion) / flesh->set.turn_rad), steps = 0;
    ways = ways < 1 ? 1 : ways > MOST_WAYS ? MOST_WAYS : ways;
    for (int i = 1; i <= ways; i++, steps++) {
        pelti_motion_at(&flesh->skeleton.motion, (float)i / (float)ways, flesh->scratch.bones);
        pelti_flesh_substep(flesh, flesh->scratch.bones, flesh->set.step_s, true);
    }
    for (int i = 0; i < MOST_RESTS; i++, steps++) {
        pelti_flesh_substep(flesh, bones, flesh->set.step_s, true);
        if (skin_change(flesh) < STILL)
            break;
    }
    flesh->moving.started = true;
    pelti_motion_arrive(&flesh->skeleton.motion);
    return steps;
}

int pelti_flesh_move(PeltiFlesh *flesh, const Mat34 *bones, const PeltiJoint *joints, float dt_s)
{
    pelti_motion_to(&flesh->skeleton.motion, bones, joints);
    // rounding of the quotient makes no step more
    int by_time = (int)ceilf(dt_s / flesh->set.step_s - 1e-3f);
    int by_turn = (int)ceilf(pelti_motion_largest_turn(&flesh->skeleton.motion) / flesh->set.turn_rad);
    int steps = by_time > by_turn ? by_time : by_turn;
    steps = steps < 1 ? 1 : steps > MOST_STEPS ? MOST_STEPS : steps;
    for (int i = 1; i <= steps; i++) {
        pelti_motion_at(&flesh->skeleton.motion, (float)i / (float)steps, flesh->scratch.bones);
        pelti_flesh_substep(flesh, flesh->scratch.bones, dt_s / (float)steps, false);
    }
    pelti_motion_arrive(&flesh->skeleton.motion);
    return steps;
}
