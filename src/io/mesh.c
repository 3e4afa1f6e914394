/// Chooses the reader of a shape by its extension.
#include "io/mesh.h"

#include "io/gltf.h"
#include "io/mesh_text.h"

#include <string.h>

/// Points and triangles of the default scene as they stand in the file; skins stand in their bind pose.
static PeltStatus load_gltf(PeltiPool *pool, const char *path, PeltiIoMesh *out, PeltError *err)
{
    PeltiGltf *doc = NULL;
    PeltiCharacter *who = NULL;
    PeltStatus status = pelti_gltf_open(path, &pool->allocator, &doc, err);
    if (status == PELT_OK)
        status = pelti_gltf_decode(doc, &pool->allocator, &who, err);
    if (status == PELT_OK) {
        out->vertices = pelti_pool_take(pool, (size_t)who->point_count, sizeof *out->vertices);
        out->triangles = pelti_pool_take(pool, (size_t)who->triangle_count, sizeof *out->triangles);
        if (out->vertices && out->triangles) {
            out->vertex_count = who->point_count;
            out->triangle_count = who->triangle_count;
            memcpy(out->vertices, who->rest_points, (size_t)who->point_count * sizeof *out->vertices);
            memcpy(out->triangles, who->point_triangles, (size_t)who->triangle_count * sizeof *out->triangles);
        } else {
            status = pelti_no_memory(err, (size_t)who->point_count * sizeof *out->vertices);
        }
    }
    pelti_character_destroy(who);
    pelti_gltf_close(doc);
    return status;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length > size && !strcmp(text + length - size, end);
}

PeltStatus pelti_io_mesh_load(PeltiPool *pool, const char *path, PeltiIoMesh *out, PeltError *err)
{
    *out = (PeltiIoMesh){0};
    if (ends_with(path, ".glb") || ends_with(path, ".gltf"))
        return load_gltf(pool, path, out, err);
    if (ends_with(path, ".obj"))
        return pelti_io_mesh_load_text(pool, path, pelti_io_mesh_obj, out, err);
    if (ends_with(path, ".mesh"))
        return pelti_io_mesh_load_text(pool, path, pelti_io_mesh_medit, out, err);
    if (ends_with(path, ".msh"))
        return pelti_io_mesh_load_text(pool, path, pelti_io_mesh_gmsh, out, err);
    return PELT_FAIL(err, PELT_UNSUPPORTED, "%.200s: shapes come from .glb, .gltf, .obj, .msh and .mesh files", path);
}
