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

enum { GRAIN = 1024 }; // points in a piece of parallel work

PeltStatus pelti_normals_create(PeltiNormals *maker, const PeltiCharacter *who, PeltiPool *pool, PeltError *err)
{
    const PeltiMesh *mesh = who->mesh;
    maker->who = who;
    maker->local = who->file_normals ? PELTI_NEW(pool, Vec3, who->point_count) : NULL;
    maker->smooth = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)who->point_count * sizeof(Vec3));
    pelti_mesh_normals(mesh, mesh->rest, maker->smooth);
    for (int p = 0; maker->local && p < who->point_count; p++) {
        int v = mesh->weld[p];
        Mat3 frame = vertex_frame(mesh, mesh->rest, maker->smooth[v], v);
        Vec3 normal = vec3_normalize_or(who->file_normals[p], maker->smooth[v]);
        maker->local[p] = mat3_apply(mat3_transpose(frame), normal);
    }
    return PELT_OK;
}

typedef struct NormalsMaking {
    const PeltiNormals *maker;
    const Vec3 *vertices;
    Vec3 *normals;
} NormalsMaking;

static void turn_points(void *context, int begin, int end, int worker)
{
    (void)worker;
    const NormalsMaking *t = context;
    const PeltiNormals *maker = t->maker;
    const PeltiMesh *mesh = maker->who->mesh;
    for (int p = begin; p < end; p++) {
        int v = mesh->weld[p];
        t->normals[p] = maker->smooth[v];
        if (!maker->local)
            continue;
        Mat3 frame = vertex_frame(mesh, t->vertices, maker->smooth[v], v);
        t->normals[p] = vec3_normalize_or(mat3_apply(frame, maker->local[p]), maker->smooth[v]);
    }
}

void pelti_normals_make(PeltiNormals *maker, PeltiJobs *jobs, const Vec3 *vertices, Vec3 *normals)
{
    pelti_mesh_normals(maker->who->mesh, vertices, maker->smooth);
    pelti_parallel_for(jobs, maker->who->mesh->point_count, GRAIN, turn_points, &(NormalsMaking){maker, vertices, normals});
}
