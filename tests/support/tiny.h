/// A tiny rigged .glb in memory: a square tube of 9 rings along y, joints "root" and "upper", a clip "bend" of one second.
#ifndef PELT_TESTS_TINY_H
#define PELT_TESTS_TINY_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { TINY_RINGS = 9, TINY_POINTS = 4 * TINY_RINGS, TINY_TRIANGLES = 8 * (TINY_RINGS - 1) + 4 };

typedef struct TinyBytes {
    float positions[TINY_POINTS][3];
    uint8_t joints[TINY_POINTS][4];
    float weights[TINY_POINTS][4];
    float inverse_bind[2][16];
    float times[2], rotations[2][4];
    uint16_t indices[TINY_TRIANGLES][3];
} TinyBytes;

static inline void tiny_triangle(TinyBytes *b, int *count, int i, int j, int k)
{
    b->indices[*count][0] = (uint16_t)i;
    b->indices[*count][1] = (uint16_t)j;
    b->indices[*count][2] = (uint16_t)k;
    (*count)++;
}

static inline void tiny_fill(TinyBytes *b)
{
    static const float corner[4][2] = {{-0.2f, -0.2f}, {0.2f, -0.2f}, {0.2f, 0.2f}, {-0.2f, 0.2f}};
    int count = 0;
    for (int ring = 0; ring < TINY_RINGS; ring++)
        for (int c = 0; c < 4; c++) {
            int p = 4 * ring + c, next = 4 * ring + (c + 1) % 4;
            float y = 2.0f * (float)ring / (TINY_RINGS - 1), upper = y < 0.75f ? 0 : y > 1.25f ? 1 : (y - 0.75f) * 2;
            b->positions[p][0] = corner[c][0];
            b->positions[p][1] = y;
            b->positions[p][2] = corner[c][1];
            b->joints[p][0] = upper > 0.5f;
            b->joints[p][1] = !(upper > 0.5f);
            b->weights[p][0] = upper > 0.5f ? upper : 1 - upper;
            b->weights[p][1] = 1 - b->weights[p][0];
            if (ring + 1 < TINY_RINGS) {
                tiny_triangle(b, &count, p, p + 4, next);
                tiny_triangle(b, &count, next, p + 4, next + 4);
            }
        }
    int top = TINY_POINTS - 4;
    tiny_triangle(b, &count, 0, 1, 2);
    tiny_triangle(b, &count, 0, 2, 3);
    tiny_triangle(b, &count, top, top + 2, top + 1);
    tiny_triangle(b, &count, top, top + 3, top + 2);
    for (int j = 0; j < 2; j++)
        for (int k = 0; k < 4; k++)
            b->inverse_bind[j][5 * k] = 1;
    b->inverse_bind[1][13] = -1;
    b->times[1] = 1;
    memcpy(b->rotations, (float[2][4]){{0, 0, 0, 1}, {0, 0, 0.70710678f, 0.70710678f}}, sizeof b->rotations);
}

static inline const unsigned char *tiny_bytes(size_t *size)
{
    static unsigned char file[16384];
    static size_t length;
    if (!length) {
        static TinyBytes b;
        tiny_fill(&b);
        char *json = (char *)file + 20;
        int n = snprintf(
            json, 8000,
            "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"name\":\"body\",\"mesh\":"
            "0,"
            "\"skin\":0},{\"name\":\"root\",\"children\":[2]},{\"name\":\"upper\",\"translation\":[0,1,0]}],\"skins\":[{"
            "\"joints\":[1,2],\"inverseBindMatrices\":3}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_"
            "0\":1,"
            "\"WEIGHTS_0\":2},\"indices\":6}]}],\"animations\":[{\"name\":\"bend\",\"channels\":[{\"sampler\":0,\"target\":{"
            "\"node\":2,"
            "\"path\":\"rotation\"}}],\"samplers\":[{\"input\":4,\"output\":5}]}],\"buffers\":[{\"byteLength\":%zu}],"
            "\"bufferViews\":["
            "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},{"
            "\"buffer\":0,"
            "\"byteOffset\":%zu,\"byteLength\":%zu},{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},{\"buffer\":0,"
            "\"byteOffset\":%"
            "zu,\"byteLength\":%zu},{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu},{\"buffer\":0,\"byteOffset\":%zu,"
            "\"byteLength\":%zu}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\",\"min\":"
            "[-0.2,0,"
            "-0.2],\"max\":[0.2,2,0.2]},{\"bufferView\":1,\"componentType\":5121,\"count\":%d,\"type\":\"VEC4\"},{\"bufferView\":"
            "2,"
            "\"componentType\":5126,\"count\":%d,\"type\":\"VEC4\"},{\"bufferView\":3,\"componentType\":5126,\"count\":2,"
            "\"type\":\"MAT4\"}"
            ",{\"bufferView\":4,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\",\"min\":[0],\"max\":[1]},{\"bufferView\":"
            "5,"
            "\"componentType\":5126,\"count\":2,\"type\":\"VEC4\"},{\"bufferView\":6,\"componentType\":5123,\"count\":%d,"
            "\"type\":"
            "\"SCALAR\"}]}",
            sizeof b, offsetof(TinyBytes, positions), sizeof b.positions, offsetof(TinyBytes, joints), sizeof b.joints,
            offsetof(TinyBytes, weights), sizeof b.weights, offsetof(TinyBytes, inverse_bind), sizeof b.inverse_bind,
            offsetof(TinyBytes, times), sizeof b.times, offsetof(TinyBytes, rotations), sizeof b.rotations,
            offsetof(TinyBytes, indices), sizeof b.indices, TINY_POINTS, TINY_POINTS, TINY_POINTS, 3 * TINY_TRIANGLES);
        while (n % 4)
            json[n++] = ' ';
        size_t bin = (sizeof b + 3) / 4 * 4;
        const uint32_t header[5] = {0x46546C67, 2, (uint32_t)(28 + (size_t)n + bin), (uint32_t)n, 0x4E4F534A};
        const uint32_t chunk[2] = {(uint32_t)bin, 0x004E4942};
        memcpy(file, header, sizeof header);
        memcpy(file + 20 + n, chunk, sizeof chunk);
        memcpy(file + 28 + n, &b, sizeof b);
        length = 28 + (size_t)n + bin;
    }
    *size = length;
    return file;
}

static inline const unsigned char *tiny_glb(void)
{
    size_t size;
    return tiny_bytes(&size);
}

static inline size_t tiny_glb_size(void)
{
    size_t size;
    tiny_bytes(&size);
    return size;
}
#endif
