/// FBX and Collada, as Assimp reads them, on their way to glTF.
#ifndef PELT_IMPORT_SCENE_H
#define PELT_IMPORT_SCENE_H

#include "import.h"

#include <assimp/scene.h>

typedef struct ImportNode {
    const struct aiNode *from;
    int parent;       ///< -1: below the node that turns and scales the whole
    int target_count; ///< morph targets of the mesh it shows
    float *weights;   ///< [target_count] where no curve moves them
    bool is_animated;
    int helper; ///< glTF node above it that takes the parent's scale back (Maya's segment scale compensation); 0: none
} ImportNode;

typedef struct ImportScene {
    const struct aiScene *from;
    PeltiGltfOut out;
    char *folder; ///< of the file
    int node_count;
    ImportNode *nodes; ///< parents first; glTF node i + 1 (0 is the one that turns and scales the whole)
} ImportScene;

/// The skin of a node: joints of all its meshes.
typedef struct ImportSkin {
    int joint_count;
    int *joints;    ///< nodes
    float *inverse; ///< [joint_count x 16]
} ImportSkin;
int import_joint(const ImportSkin *skin, int node); ///< -1: none

/// One of Assimp's meshes on its way to a primitive: vertices joined to points. Rows are made when they are asked for, since a
/// vertex for every corner is several times the file.
enum { IMPORT_NORMAL = 3, IMPORT_UV = 6, IMPORT_FIXED = 8 }; ///< where things are in a row
typedef struct ImportPart {
    const struct aiMesh *from;
    int width;          ///< floats of a row: position, normal, uv, then how far the targets move it
    int targets;        ///< morph targets
    int set_count;      ///< of four influences
    unsigned *start;    ///< [mNumVertices + 1] a vertex' influences; NULL: it has none
    uint16_t *joint;    ///< [influences]
    float *weight;      ///< [influences]
    float *row, *other; ///< [width] scratch
    int *point;         ///< [mNumVertices] vertex -> point
    int *first;         ///< [point_count] point -> vertex
    int point_count;
} ImportPart;
/// False: no memory. What it holds is released in any case by import_part_release.
bool import_part(ImportScene *s, const struct aiMesh *mesh, const ImportSkin *skin, int targets, ImportPart *part);
void import_part_release(ImportPart *part);
const float *import_part_row(ImportPart *part, int vertex);                   ///< good until the next
int import_part_influences(const ImportPart *part, int vertex, unsigned *at); ///< how many, from `at` on in `joint` and `weight`

/// JSON that goes into the document; a refusal of memory is noted in out.ok.
void import_set(ImportScene *s, PeltiJson *object, const char *key, PeltiJson *value);
void import_set_floats(ImportScene *s, PeltiJson *object, const char *key, const float *values, int count);
PeltiJson *import_open(ImportScene *s, PeltiJson *object, const char *key, bool array); ///< an empty one, for filling
PeltiJson *import_append(ImportScene *s, const char *list, int *index);                 ///< a new object of the root's list
typedef struct ImportArray {
    const void *bytes; ///< that last
    int count;
    size_t element;   ///< bytes of one
    const char *type; ///< glTF's: "SCALAR", "VEC3", ...
    PeltiGltfComponent component;
    int target; ///< PELTI_GLTF_VERTICES or _CORNERS; 0: neither
} ImportArray;
/// An accessor with a view of its own; its index.
int import_array(ImportScene *s, ImportArray array);
void *import_take(ImportScene *s, size_t count, size_t size); ///< zeroed, lasts; NULL is noted in out.ok
int import_find_node(const ImportScene *s, const char *name); ///< -1: none

/// Row-major 4x4 of Assimp to a node's or bind's column-major floats.
void import_columns(const struct aiMatrix4x4 *m, float out[16]);

PeltStatus import_meshes(ImportScene *s, PeltError *err); ///< meshes and skins of all nodes
void import_clips(ImportScene *s);
void import_materials(ImportScene *s);

#endif
