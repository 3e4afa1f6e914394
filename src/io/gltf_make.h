/// A character that came from no file as a fresh glTF document: meshes, skin, clips and plain materials.
#ifndef PELTI_IO_GLTF_MAKE_H
#define PELTI_IO_GLTF_MAKE_H

#include "character/character.h"

/// A range of points and triangles with a material: a primitive of the mesh that an instance shows.
typedef struct PeltiGltfPart {
    const char *material;
    float colour[3]; ///< linear
    int instance;    ///< parts come in rising order of instances, and every instance has one
    int first_point, point_count, first_triangle, triangle_count;
} PeltiGltfPart;

typedef struct PeltiGltfMake {
    const PeltiCharacter *who; ///< skinned instances with one skin; its bones are its nodes 0 ... in order
    const float (*uv)[2];      ///< [parts[0].point_count] of the first part; NULL: none
    int part_count;
    const PeltiGltfPart *parts; ///< NULL: all points are one part
    const float *row_sums;      ///< [point_count] what the weights of a point are to sum to in the file; NULL: 1
} PeltiGltfMake;

/// By extension .glb, or .gltf with the buffer inside. Appears whole or not at all.
PeltStatus pelti_gltf_make(const PeltiGltfMake *make, const char *path, PeltError *err);

#endif
