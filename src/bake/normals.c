/// Turns the file's normals with the surface around each vertex.
#include "bake/normals.h"

/// Frame of a vertex: smooth normal, and the first edge of its ring made square to it. The same edge at rest and moved, so
/// the two frames differ by how the surface turned.
static Mat3 vertex_frame(const PeltiMesh *mesh, const Vec3 *vertices, Vec3 normal, int v)
{
    Vec3 tangent = vec3_orthogonal(normal);
    if (mesh->ring_start[v] < mesh->ring_start[v + 1]) {
        Vec3 edge = vec3_sub(vertices[mesh->ring[mesh->ring_start[v]]], vertices[v]);
        tangent = vec3_normalize_or(vec3_mad(edge, normal, -vec3_dot(edge, normal)), tangent);
    }
    Vec3 b = vec3_cross(normal, tangent);
    return (Mat3){{{normal.x, tangent.x, b.x}, {normal.y, tangent.y, b.y}, {normal.z, tangent.z, b.z}}};
}

PeltStatus pelti_normals_create(PeltiNormals *maker, const PeltiCharacter *who, PeltiPool *pool, PeltError *err)
{
    const PeltiMesh *mesh = who->mesh;
    maker->who = who;
    maker->local = PELTI_NEW(pool, Vec3, who->point_count);
    maker->smooth = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)who->point_count * sizeof(Vec3));
    pelti_mesh_normals(mesh, mesh->rest, maker->smooth);
    for (int p = 0; p < who->point_count; p++) {
        int v = mesh->weld[p];
        Vec3 normal = who->file_normals ? who->file_normals[p] : vec3(0, 0, 0);
        Mat3 frame = vertex_frame(mesh, mesh->rest, maker->smooth[v], v);
        normal = vec3_normalize_or(normal, maker->smooth[v]);
        maker->local[p] = mat3_apply(mat3_transpose(frame), normal);
    }
    return PELT_OK;
}

void pelti_normals_make(PeltiNormals *maker, const Vec3 *vertices, Vec3 *normals)
{
    const PeltiMesh *mesh = maker->who->mesh;
    pelti_mesh_normals(mesh, vertices, maker->smooth);
    for (int p = 0; p < mesh->point_count; p++) {
        int v = mesh->weld[p];
        Mat3 frame = vertex_frame(mesh, vertices, maker->smooth[v], v);
        normals[p] = vec3_normalize_or(mat3_apply(frame, maker->local[p]), maker->smooth[v]);
    }
}
