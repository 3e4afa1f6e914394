/// One triangle at a node that is turned and stretched, with normals and a morph target: what the reader carries to rest space.
#ifndef PELT_TESTS_IO_TRIANGLE_H
#define PELT_TESTS_IO_TRIANGLE_H

#include "check.h"
#include "io/gltf.h"
#include "math/vec.h"
#include "tiny_gltf.h"

static const float triangle_points[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
static const float triangle_normals[3][3] = {{0, 0, 1}, {0.6f, 0.8f, 0}, {0, 0, 0}}; // the last one is none
static const float triangle_offsets[3][3] = {{0, 0, 0}, {0, 0.5f, 0}, {0.25f, 0, -1}};

typedef struct Triangle {
    unsigned char *bytes;
    PeltiGltf *doc;
    PeltiCharacter *who;
} Triangle;

static inline Triangle triangle_read(void)
{
    TinyGltf *t = calloc(1, sizeof *t);
    int points = tiny_floats(t, triangle_points[0], "VEC3", 3, 3), normals = tiny_floats(t, triangle_normals[0], "VEC3", 3, 3),
        offsets = tiny_floats(t, triangle_offsets[0], "VEC3", 3, 3);
    tiny_print(
        t->json, sizeof t->json, &t->json_size,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0,\"translation\":[5,6,7]"
        ","
        "\"rotation\":[0,0.6,0,0.8],\"scale\":[1,4,2],\"weights\":[0.75]}],\"meshes\":[{\"weights\":[0.1],\"primitives\":[{"
        "\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},\"targets\":[{\"POSITION\":%d}]}]}],\"accessors\":[%s],"
        "\"bufferViews\":[%s],",
        points, normals, offsets, t->accessors, t->views);
    Triangle r = {0};
    size_t size;
    PeltError err = {0};
    r.bytes = tiny_glb(t, &size);
    if (pelti_gltf_open_memory(r.bytes, size, NULL, NULL, &r.doc, &err) != PELT_OK ||
        pelti_gltf_character(r.doc, NULL, &r.who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(r.who->point_count, 3);
    return r;
}

static inline void triangle_end(Triangle *r)
{
    pelti_character_destroy(r->who);
    pelti_gltf_close(r->doc);
    free(r->bytes);
}

/// The linear part that takes the mesh to rest space, from the points as they were read.
static inline Vec3 triangle_carry(const Triangle *r, Vec3 d)
{
    Vec3 x = vec3_sub(r->who->rest_points[1], r->who->rest_points[0]),
         y = vec3_sub(r->who->rest_points[2], r->who->rest_points[0]);
    Vec3 z = vec3_scale(vec3_normalize_or(vec3_cross(x, y), vec3(0, 0, 1)), 2); // scale 2, square to the others in this file
    return vec3_add(vec3_add(vec3_scale(x, d.x), vec3_scale(y, d.y)), vec3_scale(z, d.z));
}

#endif
