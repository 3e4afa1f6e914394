/// A pose that is held comes to rest: what a method still does to its skin then fades out.
#include "bake/calm.h"

#include "bake/constants.def"
#include "math/elementary.h"

#include <math.h>
#include <string.h>

static bool is_empty(const PeltiBox *box)
{
    return box->low.x > box->high.x;
}

static void add_point(PeltiBox *box, Vec3 x)
{
    bool first = is_empty(box);
    box->low = first ? x : vec3_min(box->low, x);
    box->high = first ? x : vec3_max(box->high, x);
}

static void find_moved(PeltiCalm *s, const PeltiWeights *weights)
{
    const PeltiMesh *mesh = s->who->mesh;
    for (int b = 0; b < s->who->bone_count; b++)
        s->moved[b] = (PeltiBox){{1, 1, 1}, {-1, -1, -1}};
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = v * weights->influences; k < (v + 1) * weights->influences; k++)
            if (weights->weight[k] > 0)
                add_point(&s->moved[weights->bone[k]], mesh->rest[v]);
}

PeltStatus pelti_calm_create(const PeltiCharacter *who, const PeltiWeights *weights, float after_s, PeltiPool *pool,
                             PeltiCalm **out, PeltError *err)
{
    PeltiCalm *s = PELTI_NEW(pool, PeltiCalm, 1);
    if (!s)
        return pelti_no_memory(err, sizeof *s);
    *s = (PeltiCalm){.who = who,
                     .after_s = after_s,
                     .bones = PELTI_NEW(pool, Mat34, who->bone_count),
                     .last = PELTI_NEW(pool, Mat34, who->bone_count),
                     .weights = weights,
                     .moved = PELTI_NEW(pool, PeltiBox, who->bone_count),
                     .late = PELTI_NEW(pool, Vec3, who->mesh->vertex_count),
                     .shown = PELTI_NEW(pool, Vec3, who->mesh->vertex_count),
                     .held_s = -1,
                     .share = 1};
    if (pool->failed)
        return pelti_no_memory(err, (size_t)who->mesh->vertex_count * 24);
    find_moved(s, weights);
    *out = s;
    return PELT_OK;
}

/// The farthest that two poses of a bone take a corner of the box around what it moves from each other.
static float distance(PeltiBox box, Mat34 a, Mat34 b)
{
    float most = 0;
    for (int k = 0; k < 8; k++) {
        Vec3 corner = {k & 1 ? box.high.x : box.low.x, k & 2 ? box.high.y : box.low.y, k & 4 ? box.high.z : box.low.z};
        most = fmaxf(most, vec3_distance(mat34_apply(a, corner), mat34_apply(b, corner)));
    }
    return most;
}

static bool is_held(const PeltiCalm *s, const Mat34 *bones)
{
    for (int b = 0; b < s->who->bone_count; b++)
        if (!is_empty(&s->moved[b]) && !(distance(s->moved[b], s->bones[b], bones[b]) <= SAME_POSE * s->who->mesh->diagonal))
            return false;
    return true;
}

/// Where the last step's skin is, carried by what bones still do.
static Vec3 carried(const PeltiCalm *s, const Mat34 *bones, int v)
{
    Vec3 rest = s->who->mesh->rest[v];
    return vec3_add(s->shown[v],
                    vec3_sub(pelti_weights_blend(s->weights, v, bones, rest), pelti_weights_blend(s->weights, v, s->last, rest)));
}

/// Held: each step goes a smaller share of the way to what the method makes. Else: what is late comes home.
static void find_late(PeltiCalm *s, bool held, float fade, const Mat34 *bones, const Vec3 *made)
{
    float nothing = LATE_LEAST * s->who->mesh->diagonal;
    s->any = false;
    for (int v = 0; v < s->who->mesh->vertex_count; v++) {
        Vec3 late = held ? vec3_scale(vec3_sub(carried(s, bones, v), made[v]), 1 - s->share) : vec3_scale(s->late[v], fade);
        bool some = vec3_dot(late, late) > nothing * nothing;
        s->late[v] = some ? late : vec3(0, 0, 0);
        s->any |= some;
    }
}

void pelti_calm_apply(PeltiCalm *s, const PeltiCalmStep *step, Vec3 *vertices)
{
    size_t count = (size_t)s->who->mesh->vertex_count;
    float fade = pelti_expf(-fmaxf(step->dt_s, 0) / FADE_S);
    if (count == 0)
        return;
    if (step->restart) {
        s->held_s = -1;
        s->any = false;
        memset(s->late, 0, count * sizeof *s->late);
    }
    bool held = s->held_s >= 0 && !step->touched && is_held(s, step->bones);
    if (!held)
        memcpy(s->bones, step->bones, (size_t)s->who->bone_count * sizeof *s->bones);
    s->held_s = held ? s->held_s + fmaxf(step->dt_s, 0) : 0;
    held = s->held_s > s->after_s;
    s->share = held ? s->share * fade : 1;
    if (held || s->any)
        find_late(s, held, fade, step->bones, vertices);
    for (size_t v = 0; v < count && s->any; v++)
        vertices[v] = vec3_add(vertices[v], s->late[v]);
    memcpy(s->shown, vertices, count * sizeof *s->shown);
    memcpy(s->last, step->bones, (size_t)s->who->bone_count * sizeof *s->last);
}

void pelti_calm_keep(PeltiCalm *calm, PeltiSnapshot *s)
{
    int count = calm->who->mesh->vertex_count;
    PELTI_KEEP(s, calm->bones, calm->who->bone_count);
    PELTI_KEEP(s, calm->last, calm->who->bone_count);
    PELTI_KEEP(s, calm->late, count);
    PELTI_KEEP(s, calm->shown, count);
    PELTI_KEEP(s, &calm->held_s, 1);
    PELTI_KEEP(s, &calm->share, 1);
    PELTI_KEEP(s, &calm->any, 1);
}
