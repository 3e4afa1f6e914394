/// Adds helpers beyond half turns, where the error asks for them.
/// There are thirds of a twist along the bone above a joint, and one that is pushed aside as its joint turns. What half turns
/// and weights leave says which joints may have some; what leaving them out would cost says which are kept.
#include "distil/model.h"
#include "math/eigen.h"

#include <stdio.h>
#include <string.h>

#include "distil/constants.def"

enum { NEAR = 3 }; ///< joints that what is left of a vertex may be laid to

/// What is left at a vertex, in the rest space of a joint's parent, against what its twist and its angle say.
typedef struct Ask {
    double along, along_square;   // residual . (axis x arm) twist
    double across, across_square; // residual . arm twist^2: what blending a twist loses of the girth
    double push[3], push_square;  // residual angle
} Ask;

typedef struct Asks {
    PeltiDistilModel *model;
    Vec3 *axis;     // [bone_count] unit, from the parent's head to the joint's; zero: none
    Ask *asks;      // [vertex_count x NEAR]
    double *square; // [vertex_count]
    PeltiPool pool;
} Asks;

/// Of a turn with a uniform scale: M^-1 v = M^T v / scale^2.
static Vec3 back(const Mat34 *m, Vec3 v)
{
    Mat3 linear = mat3_transpose(mat34_linear(*m));
    float square = m->m[0][0] * m->m[0][0] + m->m[1][0] * m->m[1][0] + m->m[2][0] * m->m[2][0];
    return vec3_scale(mat3_apply(linear, v), square > 0 ? 1 / square : 0);
}

static void ask_joint(Ask *ask, Vec3 left, Vec3 arm, Vec3 axis, Quat turn)
{
    float twist = vec3_dot(pelti_distil_rotation_vector(pelti_distil_twist(turn, axis)), axis);
    float angle = vec3_length(pelti_distil_rotation_vector(turn));
    Vec3 along = vec3_scale(vec3_cross(axis, arm), twist);
    Vec3 across = vec3_scale(vec3_mad(arm, axis, -vec3_dot(arm, axis)), twist * twist);
    ask->along += (double)vec3_dot(left, along);
    ask->along_square += (double)vec3_dot(along, along);
    ask->across += (double)vec3_dot(left, across);
    ask->across_square += (double)vec3_dot(across, across);
    ask->push[0] += (double)(left.x * angle);
    ask->push[1] += (double)(left.y * angle);
    ask->push[2] += (double)(left.z * angle);
    ask->push_square += (double)(angle * angle);
}

static void add_sample(void *context, const PeltiDistilSample *sample, int begin, int end)
{
    const Asks *asks = context;
    const PeltiDistilModel *model = asks->model;
    const PeltiCharacter *who = model->who;
    for (int v = begin; v < end; v++) {
        const PeltiDistilModelVertex *vertex = &model->vertices[v];
        Vec3 rest = who->mesh->rest[v];
        Vec3 left = vec3_sub(sample->vertices[v], mat34_apply(pelti_distil_model_blend(model, v), rest));
        asks->square[v] += (double)vec3_dot(left, left);
        for (int n = 0; n < NEAR && n < vertex->near_count && !vertex->fixed; n++) {
            int b = vertex->near[n];
            Vec3 arm = vec3_sub(rest, who->bones[b].head);
            ask_joint(&asks->asks[(size_t)v * NEAR + (size_t)n], back(&sample->bones[who->bones[b].parent], left), arm,
                      asks->axis[b], sample->joints[b].turn);
        }
    }
}

static double share_of(double said, double square)
{
    return square > 0 ? said * said / square : 0;
}

/// The direction most vertices near a joint are left in as it turns, as far as the farthest of them is, a radian; with its sign
/// that of the larger part, since weights cannot pull back.
static PeltStatus find_push(const Asks *asks, int joint, Vec3 *push, double *takes, PeltError *err)
{
    const PeltiDistilModel *model = asks->model;
    double m[9] = {0}, values[3], side[2] = {0, 0}, most[2] = {0, 0};
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < model->who->mesh->vertex_count * NEAR; i++) {
            const Ask *ask = &asks->asks[i];
            const PeltiDistilModelVertex *vertex = &model->vertices[i / NEAR];
            if (i % NEAR >= vertex->near_count || vertex->near[i % NEAR] != joint || !(ask->push_square > 0))
                continue;
            for (int k = 0; k < 9 && pass == 0; k++)
                m[k] += ask->push[k / 3] * ask->push[k % 3] / ask->push_square;
            if (pass == 1) {
                double along = ask->push[0] * m[0] + ask->push[1] * m[1] + ask->push[2] * m[2];
                side[along < 0] += along * along / ask->push_square;
                most[along < 0] = fmax(most[along < 0], fabs(along) / ask->push_square);
            }
        }
        if (pass == 0)
            PELT_TRY(pelti_eigen_symmetric(&model->pool->allocator, 3, m, values, err));
    }
    int which = side[1] > side[0];
    double scale = (which ? -1 : 1) * PUSH_ROOM * most[which];
    *push = vec3((float)(scale * m[0]), (float)(scale * m[1]), (float)(scale * m[2]));
    *takes = side[which];
    return PELT_OK;
}

static void add(PeltiDistilModel *model, int joint, PeltiHelper rule, const char *suffix)
{
    const PeltiBone *bone = &model->who->bones[joint];
    char name[200];
    snprintf(name, sizeof name, "%s.%s", model->who->nodes[bone->node].name, suffix);
    rule.name = pelti_pool_text(model->pool, name);
    rule.parent = bone->parent;
    rule.driver = joint;
    rule.head = bone->head;
    model->helpers[model->helper_count++] = rule;
}

/// Candidates: joints whose twist, or whose angle, explains enough of what is left near them.
static PeltStatus propose(const Asks *asks, PeltError *err)
{
    PeltiDistilModel *model = asks->model;
    for (int b = 0; b < model->who->bone_count; b++) {
        double square = 0, twist = 0, takes = 0;
        Vec3 push;
        for (int i = 0; i < model->who->mesh->vertex_count * NEAR; i++) {
            const PeltiDistilModelVertex *vertex = &model->vertices[i / NEAR];
            if (vertex->fixed || i % NEAR >= vertex->near_count || vertex->near[i % NEAR] != b)
                continue;
            const Ask *ask = &asks->asks[i];
            square += asks->square[i / NEAR];
            twist += share_of(ask->along, ask->along_square) + share_of(ask->across, ask->across_square);
        }
        if (!(square > 0) || model->helper_of[b] < 0)
            continue;
        if (twist > MORE_ASKS * square && vec3_length(asks->axis[b]) > 0) {
            PeltiHelper third = {.kind = PELTI_HELPER_TWIST, .fraction = 1 / 3.0f, .axis = asks->axis[b]}, two = third;
            two.fraction = 2 / 3.0f;
            add(model, b, third, "twist1");
            add(model, b, two, "twist2");
        }
        PELT_TRY(find_push(asks, b, &push, &takes, err));
        if (takes > MORE_ASKS * square)
            add(model, b, (PeltiHelper){.kind = PELTI_HELPER_TURN, .fraction = 0.5f, .offset = push}, "push");
    }
    return model->pool->failed ? pelti_no_memory(err, 200) : PELT_OK;
}

static PeltStatus ask(Asks *asks, PeltError *err)
{
    const PeltiCharacter *who = asks->model->who;
    size_t vertices = (size_t)who->mesh->vertex_count;
    asks->axis = PELTI_NEW(&asks->pool, Vec3, who->bone_count);
    asks->asks = PELTI_NEW(&asks->pool, Ask, vertices * NEAR);
    asks->square = PELTI_NEW(&asks->pool, double, vertices);
    if (asks->pool.failed)
        return pelti_no_memory(err, vertices * NEAR * sizeof(Ask));
    for (int b = 0; b < who->bone_count; b++)
        if (who->bones[b].parent >= 0)
            asks->axis[b] = vec3_normalize_or(vec3_sub(who->bones[b].head, who->bones[who->bones[b].parent].head), vec3(0, 0, 0));
    return pelti_distil_model_pass(asks->model, "more helpers", add_sample, asks, err);
}

typedef struct Groups {
    int *group;    // [helpers beyond half turns]
    double *costs; // [groups] what leaving each out would cost, share of all that is left
    bool *keep;    // [helpers beyond half turns]
} Groups;

/// Both thirds of a twist are one group.
static int fill_groups(const PeltiDistilModel *model, int *group)
{
    int count = 0;
    for (int h = model->half_count; h < model->helper_count; h++) {
        bool second = h > model->half_count && model->helpers[h].kind == PELTI_HELPER_TWIST &&
                      model->helpers[h - 1].kind == PELTI_HELPER_TWIST &&
                      model->helpers[h - 1].driver == model->helpers[h].driver;
        group[h - model->half_count] = second ? count - 1 : count++;
    }
    return count;
}

/// Groups whose absence costs most a helper stay, as long as there is room and they are worth it.
static void keep_best(PeltiDistilModel *model, const Groups *groups, int room)
{
    const int *group = groups->group;
    const double *costs = groups->costs;
    bool *keep = groups->keep;
    int extra = model->helper_count - model->half_count, kept = 0;
    PeltiHelper *from = model->helpers + model->half_count;
    for (;;) {
        int best = -1, best_size = 0;
        for (int h = 0; h < extra; h++) {
            int size = 1 + (h + 1 < extra && group[h + 1] == group[h]);
            if ((h > 0 && group[h - 1] == group[h]) || keep[h] || kept + size > room || !(costs[group[h]] > MORE_WORTH * size))
                continue;
            if (best < 0 || costs[group[h]] / size > costs[group[best]] / best_size) {
                best = h;
                best_size = size;
            }
        }
        if (best < 0)
            break;
        for (int i = 0; i < best_size; i++)
            keep[best + i] = true;
        kept += best_size;
    }
    model->helper_count = model->half_count;
    for (int h = 0; h < extra; h++)
        if (keep[h])
            model->helpers[model->helper_count++] = from[h];
}

/// Of all candidates, those that are worth their place, and weights for them.
static PeltStatus choose(PeltiDistilModel *model, PeltiPool *pool, int room, PeltError *err)
{
    size_t extra = (size_t)(model->helper_count - model->half_count);
    Groups groups = {PELTI_NEW(pool, int, extra + 1), PELTI_NEW(pool, double, extra + 1), PELTI_NEW(pool, bool, extra + 1)};
    if (pool->failed)
        return pelti_no_memory(err, extra * sizeof(double));
    int count = fill_groups(model, groups.group);
    PELT_TRY(pelti_distil_model_ways(model, err));
    PELT_TRY(pelti_distil_weigh_helpers(model, groups.group, count, groups.costs, err));
    keep_best(model, &groups, room);
    PELT_TRY(pelti_distil_model_ways(model, err));
    return pelti_distil_fit_weights(model, err);
}

PeltStatus pelti_distil_model_more_helpers(PeltiDistilModel *model, int most, PeltError *err)
{
    Asks asks = {.model = model};
    double before = 0;
    pelti_pool_init(&asks.pool, &model->pool->allocator);
    PeltStatus status = ask(&asks, err);
    for (int v = 0; v < model->who->mesh->vertex_count && status == PELT_OK; v++)
        before += asks.square[v];
    if (status == PELT_OK)
        status = propose(&asks, err);
    if (status == PELT_OK && model->helper_count > model->half_count)
        status = choose(model, &asks.pool, most - model->half_count, err);
    if (status == PELT_OK && model->helper_count > model->half_count)
        status = pelti_distil_find_worse(model, err);
    if (status == PELT_OK && model->helper_count > model->half_count && model->square >= before) { // four weights are few
        model->helper_count = model->half_count;
        status = pelti_distil_model_ways(model, err);
        if (status == PELT_OK)
            status = pelti_distil_fit_weights(model, err);
    }
    pelti_pool_release(&asks.pool);
    return status;
}
