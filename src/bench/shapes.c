/// Shapes that several groups of rows are timed on.
#include "bench/bench.h"
#include "math/elementary.h"

#include <math.h>

/// Bones along x, 1 apart, each point bound to the four nearest.
static void bind_points(PeltiCharacter *who, int bones)
{
    int *bone = PELTI_NEW(&who->pool, int, who->point_count * 4);
    float *weight = PELTI_NEW(&who->pool, float, who->point_count * 4);
    for (int p = 0; p < who->point_count; p++) {
        float x = who->rest_points[p].x, sum = 0;
        int first = (int)x - 1;
        first = first < 0 ? 0 : first > bones - 4 ? bones - 4 : first;
        for (int k = 0; k < 4; k++) {
            float d = x - (float)(first + k) - 0.5f;
            bone[p * 4 + k] = first + k;
            weight[p * 4 + k] = 1 / (0.1f + d * d);
            sum += weight[p * 4 + k];
        }
        for (int k = 0; k < 4; k++)
            weight[p * 4 + k] /= sum;
        for (int k = 1; k < 4; k++) // strongest first
            for (int j = k; j > 0 && weight[p * 4 + j] > weight[p * 4 + j - 1]; j--) {
                float w = weight[p * 4 + j];
                int b = bone[p * 4 + j];
                weight[p * 4 + j] = weight[p * 4 + j - 1];
                bone[p * 4 + j] = bone[p * 4 + j - 1];
                weight[p * 4 + j - 1] = w;
                bone[p * 4 + j - 1] = b;
            }
    }
    who->file_weights = (PeltiWeights){4, bone, weight};
}

static void lay_bones(PeltiCharacter *who, int bones)
{
    who->node_count = bones;
    who->bone_count = bones;
    who->nodes = PELTI_NEW(&who->pool, PeltiNode, bones);
    who->bones = PELTI_NEW(&who->pool, PeltiBone, bones);
    int *list = PELTI_NEW(&who->pool, int, bones);
    for (int b = 0; b < bones; b++) {
        who->nodes[b] = (PeltiNode){.name = "bone", .parent = b - 1, .trs = trs_identity()};
        who->nodes[b].trs.translation = vec3(b ? 1 : 0, 0, 0);
        who->bones[b] = (PeltiBone){.node = b, .rest_to_bone = {{1, 0, 0, -b}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
        list[b] = b;
    }
    who->instance_count = 1;
    who->instances = PELTI_NEW(&who->pool, PeltiInstance, 1);
    who->instances[0] = (PeltiInstance){.point_count = who->point_count, .bone_count = bones, .bones = list, .scale = 1};
    who->skin_count = 1;
}

PeltiCharacter *pelti_bench_tube(int vertices, int bones)
{
    PeltiCharacter *who = pelti_character_create(NULL);
    if (!who)
        return NULL;
    int around = (int)sqrt((double)vertices / 4) + 8, along = vertices / around;
    who->point_count = around * along;
    who->rest_points = PELTI_NEW(&who->pool, Vec3, who->point_count);
    who->point_instance = PELTI_NEW(&who->pool, int, who->point_count);
    who->point_triangles = (int(*)[3])pelti_pool_take(&who->pool, (size_t)(2 * around * (along - 1)), 3 * sizeof(int));
    for (int i = 0; i < along; i++)
        for (int j = 0; j < around; j++) {
            float angle = 6.2831853f * (float)j / (float)around;
            int a = i * around + j, b = i * around + (j + 1) % around, c = a + around, d = b + around;
            who->rest_points[a] = vec3((float)bones * (float)i / (float)along, pelti_cosf(angle), pelti_sinf(angle));
            if (i + 1 == along)
                continue;
            int *t = who->point_triangles[who->triangle_count];
            const int corners[6] = {a, c, b, b, c, d};
            for (int k = 0; k < 6; k++)
                t[k] = corners[k];
            who->triangle_count += 2;
        }
    lay_bones(who, bones);
    bind_points(who, bones);
    PeltError err;
    if (pelti_character_finish(who, who->rest_points, &err) != PELT_OK) {
        pelti_character_destroy(who);
        return NULL;
    }
    return who;
}
