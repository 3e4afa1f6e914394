/// Unrolls the skin around each bone and packs the charts.
#include "builtin/uv.h"
#include "math/elementary.h"

#include <string.h>

/// One rectangle of the picture: the skin a bone owns, unrolled around the bone's axis.
typedef struct Chart {
    Vec3 origin, axis, side, front; // u starts at the back
    float low, high;                // along the axis, m
    float radius;                   // mean distance from the axis, m
    float x, y;                     // corner in the picture, m
} Chart;

typedef struct Unroll {
    PeltiCharacter *who;
    int chart_count;
    Chart charts[PELTI_FIGURE_BONES];
    float size; // of the picture, m
    int *chart; // [triangle_count]
} Unroll;

static const float MARGIN = 0.04f; // share of a chart's width left free for corners that lie past the seam

/// The bone with the largest share of a triangle.
static int owner_of(const PeltiCharacter *who, const int triangle[3])
{
    const PeltiWeights *w = &who->file_weights;
    float sum[PELTI_FIGURE_BONES] = {0};
    int best = w->bone[triangle[0] * w->influences];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < w->influences; k++)
            sum[w->bone[triangle[i] * w->influences + k]] += w->weight[triangle[i] * w->influences + k];
    for (int b = 0; b < who->bone_count; b++)
        best = sum[b] > sum[best] ? b : best;
    return best;
}

static void place_axes(Unroll *u, const PeltiFigure *body)
{
    u->chart_count = body->bone_count;
    for (int b = 0; b < body->bone_count; b++) {
        Chart *c = &u->charts[b];
        c->origin = body->bones[b].head;
        c->axis = vec3_normalize_or(vec3_sub(body->bones[b].tail, c->origin), vec3(0, 1, 0));
        Vec3 front = vec3(0, 0, 1);
        c->front = vec3_normalize_or(vec3_mad(front, c->axis, -vec3_dot(front, c->axis)), vec3_orthogonal(c->axis));
        c->side = vec3_cross(c->axis, c->front);
        c->low = INFINITY;
        c->high = -INFINITY;
    }
}

/// Angle round the axis as a share of a turn, 0 and 1 at the back, and the height along it.
static void unroll(const Chart *c, Vec3 p, float *turn, float *height, float *radius)
{
    Vec3 q = vec3_sub(p, c->origin);
    float x = vec3_dot(q, c->side), z = vec3_dot(q, c->front);
    *turn = pelti_atan2f(x, z) / 6.2831853f + 0.5f;
    *height = vec3_dot(q, c->axis);
    *radius = sqrtf(x * x + z * z);
}

static void measure_charts(Unroll *u)
{
    double sum[PELTI_FIGURE_BONES] = {0}, count[PELTI_FIGURE_BONES] = {0};
    for (int t = 0; t < u->who->triangle_count; t++) {
        int b = u->chart[t] = owner_of(u->who, u->who->point_triangles[t]);
        Chart *c = &u->charts[b];
        for (int i = 0; i < 3; i++) {
            float turn, height, radius;
            unroll(c, u->who->rest_points[u->who->point_triangles[t][i]], &turn, &height, &radius);
            c->low = fminf(c->low, height);
            c->high = fmaxf(c->high, height);
            sum[b] += (double)radius;
            count[b]++;
        }
    }
    for (int b = 0; b < u->chart_count; b++) {
        u->charts[b].radius = count[b] > 0 ? (float)(sum[b] / count[b]) : 0;
        if (!(u->charts[b].high > u->charts[b].low))
            u->charts[b].low = u->charts[b].high = 0;
    }
}

static float chart_width(const Chart *c)
{
    return 6.2831853f * c->radius * (1 + 2 * MARGIN);
}

/// Shelves of charts, tallest first; false: they do not fit a picture of this size.
static bool pack(Unroll *u, const int *order, float size)
{
    const float gap = 0.004f * size;
    float x = gap, y = gap, shelf = 0;
    for (int i = 0; i < u->chart_count; i++) {
        Chart *c = &u->charts[order[i]];
        float width = chart_width(c), height = c->high - c->low;
        if (x + width + gap > size) {
            x = gap;
            y += shelf + gap;
            shelf = 0;
        }
        if (width + 2 * gap > size || y + height + gap > size)
            return false;
        c->x = x;
        c->y = y;
        x += width + gap;
        shelf = fmaxf(shelf, height);
    }
    u->size = size;
    return true;
}

static void pack_smallest(Unroll *u)
{
    int order[PELTI_FIGURE_BONES];
    for (int i = 0; i < u->chart_count; i++) {
        int j = i;
        float height = u->charts[i].high - u->charts[i].low;
        for (; j > 0 && u->charts[order[j - 1]].high - u->charts[order[j - 1]].low < height; j--)
            order[j] = order[j - 1];
        order[j] = i;
    }
    float size = 0.05f;
    while (!pack(u, order, size))
        size *= 1.03f;
}

typedef struct Split { // a point of a vertex in one chart, on one side of its seam
    int vertex, chart, past, next;
} Split;

/// The point for a corner, made where it is new. -1: no memory.
static int split_for(PeltiArray *splits, int *first, int vertex, int chart, int past)
{
    for (int i = first[vertex]; i >= 0; i = ((Split *)splits->data)[i].next) {
        const Split *s = (Split *)splits->data + i;
        if (s->chart == chart && s->past == past)
            return i;
    }
    Split fresh = {vertex, chart, past, first[vertex]};
    if (!pelti_array_push(splits, &fresh))
        return -1;
    return first[vertex] = (int)splits->count - 1;
}

static bool split_corners(const Unroll *u, PeltiArray *splits, int *first)
{
    const PeltiCharacter *who = u->who;
    for (int v = 0; v < who->point_count; v++)
        first[v] = -1;
    for (int t = 0; t < who->triangle_count; t++) {
        float turn[3], height, radius, low = 1, high = 0;
        for (int i = 0; i < 3; i++) {
            unroll(&u->charts[u->chart[t]], who->rest_points[who->point_triangles[t][i]], &turn[i], &height, &radius);
            low = fminf(low, turn[i]);
            high = fmaxf(high, turn[i]);
        }
        for (int i = 0; i < 3; i++) {
            int past = high - low > 0.5f && turn[i] < 0.5f;
            int point = split_for(splits, first, who->point_triangles[t][i], u->chart[t], past);
            if (point < 0)
                return false;
            who->point_triangles[t][i] = point;
        }
    }
    return true;
}

/// Copies what each vertex has to its points, and sets their places in the picture.
static PeltStatus copy_points(const Unroll *u, const PeltiArray *splits, const float (**uv)[2], PeltError *err)
{
    PeltiCharacter *who = u->who;
    size_t n = splits->count, k = (size_t)who->file_weights.influences;
    Vec3 *points = PELTI_NEW(&who->pool, Vec3, n), *normals = PELTI_NEW(&who->pool, Vec3, n);
    int *instance = PELTI_NEW(&who->pool, int, n), *bone = PELTI_NEW(&who->pool, int, n *k);
    float *weight = PELTI_NEW(&who->pool, float, n *k);
    float(*out)[2] = pelti_pool_take(&who->pool, n, sizeof *out);
    if (who->pool.failed)
        return pelti_no_memory(err, n * sizeof *points);
    for (size_t i = 0; i < n; i++) {
        const Split *s = (const Split *)splits->data + i;
        const Chart *c = &u->charts[s->chart];
        points[i] = who->rest_points[s->vertex];
        normals[i] = who->file_normals[s->vertex];
        memcpy(bone + i * k, who->file_weights.bone + (size_t)s->vertex * k, k * sizeof *bone);
        memcpy(weight + i * k, who->file_weights.weight + (size_t)s->vertex * k, k * sizeof *weight);
        float turn, height, radius;
        unroll(c, points[i], &turn, &height, &radius);
        float share = (turn + (float)s->past + MARGIN) / (1 + 2 * MARGIN); // past the seam by up to a triangle
        out[i][0] = fminf((c->x + share * chart_width(c)) / u->size, 1);
        out[i][1] = (c->y + c->high - height) / u->size;
    }
    who->point_count = (int)n;
    who->rest_points = points;
    who->file_normals = normals;
    who->point_instance = instance;
    who->file_weights.bone = bone;
    who->file_weights.weight = weight;
    *uv = (const float(*)[2])out;
    return PELT_OK;
}

PeltStatus pelti_builtin_uv(const PeltiFigure *body, PeltiCharacter *who, const float (**uv)[2], PeltError *err)
{
    PeltiPool work;
    PeltiArray splits;
    pelti_pool_init(&work, &who->pool.allocator);
    pelti_array_init(&splits, &who->pool.allocator, sizeof(Split));
    Unroll *u = PELTI_NEW(&work, Unroll, 1);
    int *chart = PELTI_NEW(&work, int, who->triangle_count), *first = PELTI_NEW(&work, int, who->point_count);
    PeltStatus status = work.failed ? pelti_no_memory(err, (size_t)who->triangle_count * sizeof *chart) : PELT_OK;
    if (status == PELT_OK) {
        u->who = who;
        u->chart = chart;
        place_axes(u, body);
        measure_charts(u);
        pack_smallest(u);
        status = split_corners(u, &splits, first) ? copy_points(u, &splits, uv, err)
                                                  : pelti_no_memory(err, splits.count * sizeof(Split));
    }
    pelti_array_release(&splits);
    pelti_pool_release(&work);
    return status;
}
