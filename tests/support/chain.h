/// A small character for tests: a chain of bones in tubes along x.
#ifndef PELT_TESTS_CHAIN_H
#define PELT_TESTS_CHAIN_H

#include "check.h"

#include "character/weights.h"

#include <string.h>

enum { AROUND = 16, ALONG = 33 };

/// Bones in a chain along x from x0, `spacing` apart; the last is a leaf.
typedef struct ChainBones {
    int count;
    float x0, spacing;
} ChainBones;

/// What they move: points, instance after instance, and triangles.
typedef struct ChainSkin {
    int points;
    const Vec3 *p;
    int triangles;
    const int (*t)[3];
} ChainSkin;

/// A character of these. Instances, of so many points each, share the skin.
static inline PeltiCharacter *make_chain(ChainBones bones, int instance_count, const int *instance_points, ChainSkin skin_of)
{
    int bone_count = bones.count, points = skin_of.points, triangles = skin_of.triangles;
    PeltiCharacter *who = pelti_character_create(NULL);
    PeltiPool *pool = &who->pool;
    who->node_count = bone_count + instance_count;
    who->nodes = PELTI_NEW(pool, PeltiNode, who->node_count);
    who->bone_count = bone_count;
    who->bones = PELTI_NEW(pool, PeltiBone, bone_count);
    int *skin = PELTI_NEW(pool, int, bone_count);
    char name[16];
    for (int b = 0; b < bone_count; b++) {
        snprintf(name, sizeof name, "bone%d", b);
        who->nodes[b] = (PeltiNode){.name = pelti_pool_text(pool, name), .parent = b - 1, .trs = trs_identity()};
        who->nodes[b].trs.translation.x = b ? bones.spacing : bones.x0;
        who->bones[b].node = b;
        for (int i = 0; i < 3; i++)
            who->bones[b].rest_to_bone[i][i] = 1;
        who->bones[b].rest_to_bone[0][3] = -(double)(bones.x0 + bones.spacing * (float)b);
        skin[b] = b;
    }
    who->instance_count = instance_count;
    who->instances = PELTI_NEW(pool, PeltiInstance, instance_count);
    who->point_count = points;
    who->rest_points = PELTI_NEW(pool, Vec3, points);
    memcpy(who->rest_points, skin_of.p, sizeof(Vec3) * (size_t)points);
    who->point_instance = PELTI_NEW(pool, int, points);
    int next = 0;
    for (int i = 0; i < instance_count; i++) {
        who->nodes[bone_count + i] = (PeltiNode){.name = "skin", .parent = -1, .trs = trs_identity()};
        who->instances[i] = (PeltiInstance){bone_count + i, i, 0, next, instance_points[i], bone_count, skin, 1, 0, 0};
        for (int k = 0; k < instance_points[i]; k++)
            who->point_instance[next++] = i;
    }
    who->triangle_count = triangles;
    who->point_triangles = pelti_pool_take(pool, (size_t)triangles + 1, 3 * sizeof(int));
    memcpy(who->point_triangles, skin_of.t, 3 * sizeof(int) * (size_t)triangles);
    PeltError err = {0};
    if (pelti_character_finish(who, who->rest_points, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

/// A tube along x in [0, length] of the given radius, closed by two poles; returns the number of triangles.
static inline int make_tube(float length, float radius, Vec3 *p, int (*t)[3], int first)
{
    int n = 0;
    for (int i = 0; i < ALONG; i++)
        for (int k = 0; k < AROUND; k++) {
            float a = 6.2831853f * (float)k / AROUND;
            p[first + i * AROUND + k] = vec3(length * (float)i / (ALONG - 1), radius * cosf(a), radius * sinf(a));
        }
    int pole = first + ALONG * AROUND;
    p[pole] = vec3(-radius * 0.3f, 0, 0);
    p[pole + 1] = vec3(length + radius * 0.3f, 0, 0);
    for (int i = 0; i < ALONG; i++)
        for (int k = 0; k < AROUND; k++) {
            int a = first + i * AROUND + k, b = first + i * AROUND + (k + 1) % AROUND;
            int end[2][3] = {{pole, b, a}, {pole + 1, a, b}}, side[2][3] = {{a, b, a + AROUND}, {b, b + AROUND, a + AROUND}};
            if (i == 0)
                memcpy(t[n++], end[0], sizeof end[0]);
            if (i == ALONG - 1)
                memcpy(t[n++], end[1], sizeof end[1]);
            else {
                memcpy(t[n], side, sizeof side);
                n += 2;
            }
        }
    return n;
}
enum { TUBE_POINTS = ALONG * AROUND + 2, TUBE_TRIANGLES = ALONG * AROUND * 2 };

static inline float weight_of(const PeltiWeights *w, int v, int bone)
{
    float sum = 0;
    for (int k = 0; k < w->influences; k++)
        sum += w->bone[v * w->influences + k] == bone ? w->weight[v * w->influences + k] : 0;
    return sum;
}

static inline void check_sane(const PeltiCharacter *who, const PeltiWeights *w)
{
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        float sum = 0;
        for (int k = 0; k < w->influences; k++) {
            float x = w->weight[v * w->influences + k];
            assert_true(x >= 0 && x <= 1.00001f);
            assert_true(k == 0 || x <= w->weight[v * w->influences + k - 1]);
            assert_in_range(w->bone[v * w->influences + k], 0, who->bone_count - 1);
            sum += x;
        }
        CHECK_NEAR(sum, 1, 1e-5);
    }
}

#endif
