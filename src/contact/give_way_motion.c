/// How far parts have moved against each other at most.
/// What was clear of another part and cannot have come near it is not looked at again. Bounds only, so that contacts are the
/// same with and without.
#include "contact/give_way_parts.h"

#include <string.h>

/// Bones that pull samples of each part; run twice: counts them, then lists them.
static int list_bones(const PeltiGiveWay *g, int *start, int *bones, bool *seen)
{
    int used = 0, n = g->skin.who->bone_count;
    for (int p = 0; p < g->parts.part_count; p++) {
        const PeltiContactPart *part = &g->parts.parts[p];
        start[p] = used;
        memset(seen, 0, sizeof *seen * (size_t)n);
        for (int i = g->placed.pull_start[part->first_sample]; i < g->placed.pull_start[part->first_sample + part->sample_count];
             i++)
            seen[g->placed.pulls[i].bone] = true;
        for (int b = 0; b < n; b++)
            if (seen[b]) {
                if (bones)
                    bones[used] = b;
                used++;
            }
    }
    start[g->parts.part_count] = used;
    return used;
}

static void find_ball(const PeltiGiveWay *g, int p, Vec3 *centre, float *radius)
{
    const PeltiContactPart *part = &g->parts.parts[p];
    int first = g->placed.pull_start[part->first_sample], end = g->placed.pull_start[part->first_sample + part->sample_count];
    PeltiBox box = pelti_box_empty;
    for (int i = first; i < end; i++)
        pelti_box_take(&box, g->placed.pulls[i].rest);
    *centre = vec3_lerp(box.low, box.high, 0.5f);
    for (int i = first; i < end; i++)
        *radius = fmaxf(*radius, vec3_distance(*centre, g->placed.pulls[i].rest));
}

/// The least value at the border of a part's table.
static float border_least(const PeltiContactPartField *f)
{
    float least = INFINITY;
    for (int z = 0; z < f->size[2]; z++)
        for (int y = 0; y < f->size[1]; y++) {
            bool face = z == 0 || y == 0 || z == f->size[2] - 1 || y == f->size[1] - 1;
            const float *row = f->value + ((size_t)z * (size_t)f->size[1] + (size_t)y) * (size_t)f->size[0];
            for (int x = 0; x < f->size[0]; x += face ? 1 : f->size[0] - 1)
                least = fminf(least, row[x]);
        }
    return least;
}

PeltStatus pelti_give_way_motion_create(PeltiGiveWay *g, PeltError *err)
{
    GiveMotion *m = &g->motion;
    size_t parts = (size_t)g->parts.part_count, bones = (size_t)g->skin.who->bone_count;
    bool *seen = PELTI_NEW(&g->pool, bool, bones);
    m->bone_start = PELTI_NEW(&g->pool, int, parts + 1);
    m->centre = PELTI_NEW(&g->pool, Vec3, parts);
    m->radius = PELTI_NEW(&g->pool, float, parts);
    m->border = PELTI_NEW(&g->pool, float, parts);
    m->placed = PELTI_NEW(&g->pool, Mat34, bones);
    m->scratch.left_place = PELTI_NEW(&g->pool, bool, bones);
    m->looked.bones = PELTI_NEW(&g->pool, Mat34, bones);
    m->looked.inverse = PELTI_NEW(&g->pool, Mat34, parts);
    m->clear = PELTI_NEW(&g->pool, float, parts *parts);
    if (g->pool.failed)
        return pelti_no_memory(err, parts * parts * sizeof(float));
    m->bones = PELTI_NEW(&g->pool, int, list_bones(g, m->bone_start, NULL, seen));
    if (g->pool.failed)
        return pelti_no_memory(err, parts * sizeof(int));
    list_bones(g, m->bone_start, m->bones, seen);
    for (int p = 0; p < g->parts.part_count; p++) {
        find_ball(g, p, &m->centre[p], &m->radius[p]);
        m->border[p] = g->parts.parts[p].field.value ? border_least(&g->parts.parts[p].field) : 0;
    }
    return PELT_OK;
}

/// A sample is a mean of points that bones carry, so it moves no farther in the rest space of b than one of these does. With D
/// the change of bone c's motion in that space, |D r| <= |D centre| + |D| radius.
float pelti_give_way_moved(const PeltiGiveWay *g, int a, int b, const GivePlaces *was)
{
    const GiveMotion *m = &g->motion;
    float most = 0;
    for (int i = m->bone_start[a]; i < m->bone_start[a + 1]; i++) {
        Mat34 d = mat34_mul(g->placed.inverse[b], g->skin.pose.bones[m->bones[i]]);
        Mat34 then = mat34_mul(was->inverse[b], was->bones[m->bones[i]]);
        float square = 0;
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 4; k++) {
                d.m[r][k] -= then.m[r][k];
                square += k < 3 ? d.m[r][k] * d.m[r][k] : 0;
            }
        most = fmaxf(most, vec3_length(mat34_apply(d, m->centre[a])) + sqrtf(square) * m->radius[a]);
    }
    return most + 1e-6f * (float)g->size; // what rounding may add
}

bool pelti_give_way_left_place(const PeltiGiveWay *g, int part)
{
    const GiveMotion *m = &g->motion;
    bool any = m->scratch.left_place[g->parts.parts[part].bone];
    for (int i = m->bone_start[part]; i < m->bone_start[part + 1]; i++)
        any |= m->scratch.left_place[m->bones[i]];
    return any;
}

void pelti_give_way_looked(PeltiGiveWay *g)
{
    memcpy(g->motion.looked.bones, g->skin.pose.bones, (size_t)g->skin.who->bone_count * sizeof(Mat34));
    memcpy(g->motion.looked.inverse, g->placed.inverse, (size_t)g->parts.part_count * sizeof(Mat34));
}

float pelti_give_way_clearance(const PeltiGiveWay *g, int part, Vec3 home, float phi, float far)
{
    const PeltiContactPartField *f = &g->parts.parts[part].field;
    if (phi < INFINITY)
        return 0.5f * (phi - far);
    const float at[3] = {home.x - f->low.x, home.y - f->low.y, home.z - f->low.z};
    float square = 0;
    for (int k = 0; k < 3; k++) {
        float wide = f->cell * (float)(f->size[k] - 1), d = at[k] < 0 ? -at[k] : at[k] > wide ? at[k] - wide : 0;
        square += d * d;
    }
    float beyond = 0.5f * (g->motion.border[part] - far);
    return sqrtf(square) + (beyond > 0 ? beyond : 0); // not fmaxf, which is a call
}
