/// The file's weights on the body's vertices: those of the nearest skin that faces the same way, smoothed.
#include "body/body_parts.h"

#include "body/constants.def"
#include "geometry/box_tree.h"

#include <math.h>
#include <string.h>

enum { BODY_INFLUENCES = 8 };

typedef struct AskedSkin {
    PeltiPieceSoup soup;
    Vec3 normal; // of the vertex that asks
} AskedSkin;

static bool faces(void *context, int triangle)
{
    const AskedSkin *s = context;
    const int *t = s->soup.triangles[triangle];
    Vec3 a = s->soup.points[t[0]], n = vec3_cross(vec3_sub(s->soup.points[t[1]], a), vec3_sub(s->soup.points[t[2]], a));
    return vec3_dot(n, s->normal) > 0;
}

static void take_weights(const PeltiWeights *from, const int *corner, const double *share, int *bone, float *weight)
{
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < from->influences; k++) {
            size_t i = (size_t)corner[c] * (size_t)from->influences + (size_t)k;
            float w = from->weight[i] * (float)share[c];
            int at = 0;
            while (at < BODY_INFLUENCES && weight[at] > 0 && bone[at] != from->bone[i])
                at++;
            if (at < BODY_INFLUENCES && w > 0) {
                bone[at] = from->bone[i];
                weight[at] += w;
            }
        }
}

static PeltStatus find_weights(PeltiBody *body, int skeleton, const PeltiWeights *from, int *bone, float *weight, PeltError *err)
{
    const PeltiMesh *mesh = body->who->mesh;
    PeltiPool work;
    pelti_pool_init(&work, &body->pool.allocator);
    AskedSkin skin;
    PeltiBoxTree *tree = NULL;
    Vec3 *normals = PELTI_NEW(&work, Vec3, mesh->vertex_count);
    PeltStatus status = pelti_pieces_soup(body->file, &body->pieces, skeleton, &work, &skin.soup, err);
    if (status == PELT_OK && work.failed)
        status = pelti_no_memory(err, (size_t)mesh->vertex_count * sizeof *normals);
    if (status == PELT_OK)
        status = pelti_box_tree_build_triangles(&work, skin.soup.triangle_count, (const int(*)[3])skin.soup.triangles,
                                                skin.soup.points, &tree, err);
    if (status == PELT_OK)
        pelti_mesh_normals(mesh, mesh->rest, normals);
    for (int v = 0; v < mesh->vertex_count && status == PELT_OK; v++) {
        PeltiNearest near;
        skin.normal = normals[v];
        if (mesh->vertex_instance[v] != skeleton)
            continue;
        PeltiNearestQuery any = {.triangles = (const int(*)[3])skin.soup.triangles,
                                 .points = skin.soup.points,
                                 .point = mesh->rest[v],
                                 .max_distance = INFINITY};
        PeltiNearestQuery facing = any;
        facing.max_distance = WEIGHTS_FACING * mesh->diagonal, facing.filter = faces, facing.context = &skin;
        if (!pelti_box_tree_nearest(tree, &facing, &near) && !pelti_box_tree_nearest(tree, &any, &near))
            continue;
        take_weights(from, skin.soup.triangles[near.triangle], near.closest.weight, bone + (size_t)v * BODY_INFLUENCES,
                     weight + (size_t)v * BODY_INFLUENCES);
    }
    pelti_pool_release(&work);
    return status;
}

typedef struct Sum { // weights of a vertex and its ring
    int count;
    int bone[64];
    float weight[64];
} Sum;

static void add_row(Sum *sum, const int *bone, const float *weight, float share)
{
    for (int k = 0; k < BODY_INFLUENCES && weight[k] > 0; k++) {
        int i = 0;
        while (i < sum->count && sum->bone[i] != bone[k])
            i++;
        if (i == 64)
            continue;
        if (i == sum->count) {
            sum->bone[sum->count] = bone[k];
            sum->weight[sum->count++] = 0;
        }
        sum->weight[i] += share * weight[k];
    }
}

static void smooth(const PeltiMesh *mesh, const int *bone, const float *weight, int *to_bone, float *to_weight)
{
    for (int v = 0; v < mesh->vertex_count; v++) {
        Sum sum = {0};
        size_t at = (size_t)v * BODY_INFLUENCES;
        int degree = mesh->ring_start[v + 1] - mesh->ring_start[v];
        add_row(&sum, bone + at, weight + at, degree ? 0.5f : 1);
        for (int i = mesh->ring_start[v]; i < mesh->ring_start[v + 1]; i++) {
            size_t n = (size_t)mesh->ring[i] * BODY_INFLUENCES;
            add_row(&sum, bone + n, weight + n, 0.5f / (float)degree);
        }
        memset(to_weight + at, 0, BODY_INFLUENCES * sizeof *to_weight);
        for (int i = 0; i < sum.count; i++)
            pelti_weights_insert(BODY_INFLUENCES, to_bone + at, to_weight + at, sum.bone[i], sum.weight[i]);
        pelti_weights_normalise(BODY_INFLUENCES, to_bone + at, to_weight + at);
    }
}

PeltStatus pelti_body_weights(PeltiBody *body, const PeltiWeights *weights, PeltError *err)
{
    PeltiCharacter *who = body->who;
    size_t count = (size_t)who->mesh->vertex_count * BODY_INFLUENCES;
    int *bone[2] = {PELTI_NEW(&who->pool, int, count), PELTI_NEW(&who->pool, int, count)};
    float *weight[2] = {PELTI_NEW(&who->pool, float, count), PELTI_NEW(&who->pool, float, count)};
    if (who->pool.failed)
        return pelti_no_memory(err, count * 16);
    for (int s = 0; s < who->instance_count; s++)
        PELT_TRY(find_weights(body, s, weights, bone[0], weight[0], err));
    int now = 0;
    for (int round = 0; round < WEIGHTS_SMOOTH_ROUNDS; round++, now = !now)
        smooth(who->mesh, bone[now], weight[now], bone[!now], weight[!now]);
    body->weights = (PeltiWeights){BODY_INFLUENCES, bone[now], weight[now]};
    who->file_weights = body->weights;
    who->file_weights_sane = true;
    return PELT_OK;
}
