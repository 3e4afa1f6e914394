/// The glTF reader with everything pelti_character_finish does.
/// Any bytes are refused or give a character whose numbers are finite and whose indices are in range.
#include "io/gltf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);

enum { POINTS_MOST = 1 << 13, HEADER = 20, CHUNK_HEADER = 8 };

#define HOLDS(condition)                                                                                                         \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            fprintf(stderr, "fuzz_gltf.c:%d: does not hold: %s\n", __LINE__, #condition);                                        \
            abort();                                                                                                             \
        }                                                                                                                        \
    } while (0)

static void check(const PeltiCharacter *who)
{
    for (int p = 0; p < who->point_count; p++) {
        HOLDS(vec3_finite(who->rest_points[p]));
        HOLDS(who->mesh->weld[p] >= 0 && who->mesh->weld[p] < who->mesh->vertex_count);
        for (int k = 0; k < who->file_weights.influences; k++) {
            size_t i = (size_t)p * (size_t)who->file_weights.influences + (size_t)k;
            HOLDS(who->file_weights.bone[i] >= 0 && who->file_weights.bone[i] < who->bone_count);
            HOLDS(who->file_weights.weight[i] >= 0 && who->file_weights.weight[i] <= 1);
        }
    }
    for (int t = 0; t < who->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            HOLDS(who->point_triangles[t][k] >= 0 && who->point_triangles[t][k] < who->point_count);
}

static void play(const PeltiCharacter *who)
{
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiPose pose = pelti_pose_new(&pool, who);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&pool, PeltiNodeMatrix, who->node_count);
    Mat34 *bone = PELTI_NEW(&pool, Mat34, who->bone_count);
    for (int c = 0; c < who->clip_count && c < 8; c++)
        for (int i = 0; i < 4; i++) {
            pelti_pose_clip(who, &who->clips[c], (double)who->clips[c].duration_s * i / 3, &pose);
            pelti_pose_bones(who, &pose, node_matrix, bone);
        }
    pelti_pool_release(&pool);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PeltiGltf *doc = NULL;
    PeltiCharacter *who = NULL;
    PeltError err = {0};
    PeltStatus status = pelti_gltf_open_memory(data, size, NULL, NULL, &doc, &err);
    if (status == PELT_OK) {
        doc->point_limit = POINTS_MOST; // the real limit lets a file ask for seconds of work
        status = pelti_gltf_character(doc, NULL, &who, &err);
    }
    HOLDS(status == PELT_OK || status == PELT_BAD_INPUT || status == PELT_UNSUPPORTED);
    HOLDS((status == PELT_OK) == (who != NULL) && (status == PELT_OK || err.text[0]));
    if (who) {
        check(who);
        play(who);
    }
    pelti_character_destroy(who);
    pelti_gltf_close(doc);
    return 0;
}

static uint32_t get_u32(const uint8_t *p)
{
    uint32_t value;
    memcpy(&value, p, sizeof value);
    return value;
}

static void put_u32(uint8_t *p, size_t value)
{
    uint32_t small = (uint32_t)value;
    memcpy(p, &small, sizeof small);
}

/// Mutates one chunk of a .glb and mends the lengths around it, so that mutants get past the container; sometimes, and for
/// anything that is no .glb, plain mutation.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    if (size < HEADER + CHUNK_HEADER || memcmp(data, "glTF", 4) != 0 || seed % 16 == 0)
        return LLVMFuzzerMutate(data, size, room);
    size_t json = get_u32(data + 12);
    if (json > size - HEADER - CHUNK_HEADER)
        return LLVMFuzzerMutate(data, size, room);
    size_t bin = size - HEADER - CHUNK_HEADER - json, fixed = HEADER + CHUNK_HEADER;
    uint8_t *bin_start = data + HEADER + json;
    if (seed % 4 == 1) {
        bin = LLVMFuzzerMutate(bin_start + CHUNK_HEADER, bin, room - fixed - json);
    } else {
        uint8_t *copy = malloc(room);
        if (!copy)
            return size;
        memcpy(copy, data + HEADER, json);
        size_t grown = LLVMFuzzerMutate(copy, json, room - fixed - bin);
        memmove(data + HEADER + grown, bin_start, bin + CHUNK_HEADER);
        memcpy(data + HEADER, copy, grown);
        json = grown;
        free(copy);
    }
    put_u32(data + 8, fixed + json + bin);
    put_u32(data + 12, json);
    put_u32(data + HEADER + json, bin);
    return fixed + json + bin;
}
