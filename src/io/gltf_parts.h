/// What the files of the glTF reader share with one another and with nobody else.
#ifndef PELTI_IO_GLTF_PARTS_H
#define PELTI_IO_GLTF_PARTS_H

#include "io/gltf.h"

/// Fills doc->buffers from the root: binary chunk, data URIs, files below doc->folder.
PeltStatus pelti_gltf_read_buffers(PeltiGltf *doc, PeltError *err);
void pelti_gltf_release_buffers(PeltiGltf *doc);
/// Maps a regular file; *bytes NULL for an empty one.
PeltStatus pelti_gltf_map_file(const char *path, void **bytes, size_t *size, PeltError *err);
/// The same for a URI of the document that names a file below its folder; a link must not lead out of it.
PeltStatus pelti_gltf_map_uri(const PeltiGltf *doc, const char *uri, PeltiPool *pool, void **bytes, size_t *size, PeltError *err);

/// Fills and checks the tables: views, accessors, meshes, nodes, counts of skins and clips.
PeltStatus pelti_gltf_read_tables(PeltiGltf *doc, PeltError *err);

/// Do a sparse accessor's indices rise and stay in range?
PeltStatus pelti_gltf_check_sparse(const PeltiGltf *doc, int accessor, PeltError *err);

/// Lets the pages of mapped files go; they come back from the file when touched.
void pelti_gltf_forget_pages(const PeltiGltf *doc);

/// A skin that is used: its joints, inverse binds and the bones they became.
typedef struct PeltiGltfSkin {
    bool used;
    int joint_count;
    int *joints;                  ///< [joint_count] nodes
    double (*bind)[3][4];         ///< [joint_count] inverse bind matrices as in the file
    double scale;                 ///< units of the bind pose -> world units
    int space;                    ///< the skin whose bind space, at this skin's scale, is the rest space of both (gltf_rest.c)
    double to_rest[3][4];         ///< space of its meshes in the file -> rest space
    bool is_scaled_only;          ///< to_rest is `scale` and nothing else
    double extent;                ///< of its joints' heads, rest units; of skins that are a `space`
    double (*rest_to_bone)[3][4]; ///< [joint_count]
    int *bones;                   ///< [joint_count]
} PeltiGltfSkin;

typedef struct PeltiGltfRest { ///< of a node: where the first skin that has it as a joint puts it at rest
    int space;                 ///< -1: it is no joint, or not yet
    double rest_to_joint[3][4];
} PeltiGltfRest;

enum { PELTI_GLTF_SCALES = 32 };

/// Reading one character: what is gathered on the way.
typedef struct PeltiGltfReader {
    const PeltiGltf *doc;
    PeltiCharacter *who;
    PeltiPool work; ///< dies with the reading
    PeltiJsonAt root;
    PeltiNodeMatrix *node_matrix; ///< [node_count] in the file's pose
    PeltiGltfSkin *skins;         ///< [skin_count]
    PeltiGltfRest *rest;          ///< [node_count]
    size_t budget; ///< bytes that may still be decoded from accessors: files may name the same bytes again and again
    double scales[PELTI_GLTF_SCALES]; ///< different scales of skins so far
    int scale_count;
    Vec3 *positions; ///< [point_count] as in the file
} PeltiGltfReader;

PeltStatus pelti_gltf_spend(PeltiGltfReader *reader, int accessor, size_t bytes, PeltError *err);
PeltStatus pelti_gltf_read_skins(PeltiGltfReader *reader, PeltError *err);  ///< of the instances: fills skins
PeltStatus pelti_gltf_place_skins(PeltiGltfReader *reader, PeltError *err); ///< fills their to_rest and rest_to_bone
PeltStatus pelti_gltf_read_bones(PeltiGltfReader *reader,
                                 PeltError *err); ///< joints, then props; fills instances' bones and scale
PeltStatus pelti_gltf_read_normals(PeltiGltfReader *reader, PeltError *err); ///< where the file has some
PeltStatus pelti_gltf_read_weights(PeltiGltfReader *reader, PeltError *err);
PeltStatus pelti_gltf_read_targets(PeltiGltfReader *reader, PeltError *err); ///< morph targets of the instances
PeltStatus pelti_gltf_read_clips(PeltiGltfReader *reader, PeltError *err);
/// Rest space from the space of an instance's accessors.
void pelti_gltf_to_rest(const PeltiGltfReader *reader, const PeltiInstance *instance, double out[3][4]);

/// A copy of the item's name, or its index as `format` ("node %d") writes it; NULL when refused.
const char *pelti_gltf_name(PeltiPool *pool, const PeltiJsonAt *item, const char *format, int index);

/// Affine matrices in double, as mat34_mul_double: nodes are nested deep, and inverse binds undo them.
bool pelti_gltf_invert(double a[3][4], double out[3][4]); ///< false: singular or not finite, out untouched
double pelti_gltf_determinant(double a[3][4]);
bool pelti_gltf_finite(const double *values, int count);

#endif
