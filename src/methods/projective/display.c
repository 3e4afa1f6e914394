/// The full skin carried by the simulated one [Komaritzan2018] sec. 6: each vertex keeps its place on a coarse triangle and its
/// displacement in a frame of the smooth normal there.
#include "methods/projective/parts.h"

typedef struct Frame {
    Vec3 point, normal, along, across;
} Frame;

static Frame frame_at(const int t[3], const float w[3], const Vec3 *x, const Vec3 *normals)
{
    Frame f;
    f.point = vec3_mad(vec3_mad(vec3_scale(x[t[0]], w[0]), x[t[1]], w[1]), x[t[2]], w[2]);
    Vec3 n = vec3_mad(vec3_mad(vec3_scale(normals[t[0]], w[0]), normals[t[1]], w[1]), normals[t[2]], w[2]);
    f.normal = vec3_normalize_or(n, vec3(0, 0, 1));
    Vec3 edge = vec3_sub(x[t[1]], x[t[0]]);
    f.along = vec3_normalize_or(vec3_mad(edge, f.normal, -vec3_dot(edge, f.normal)), vec3_orthogonal(f.normal));
    f.across = vec3_cross(f.normal, f.along);
    return f;
}

PeltStatus pelti_proj_display(const PeltiMesh *fine, const PeltiMesh *coarse, PeltiPool *pool, PeltiJobs *jobs, ProjDisplay *out,
                              PeltError *err)
{
    *out = (ProjDisplay){0};
    PeltiPool temp;
    pelti_pool_init(&temp, &pool->allocator);
    size_t n = (size_t)fine->vertex_count;
    PeltiNearest *nearest = PELTI_NEW(&temp, PeltiNearest, n + 1);
    out->spots = PELTI_NEW(pool, ProjSpot, n + 1);
    out->normals = PELTI_NEW(pool, Vec3, (size_t)coarse->vertex_count + 1);
    PeltiBoxTree *tree = NULL;
    PeltStatus status = temp.failed || pool->failed ? pelti_no_memory(err, n * sizeof(ProjSpot))
                                                    : pelti_box_tree_build_triangles(&temp, coarse->triangle_count,
                                                                                     coarse->triangles, coarse->rest, &tree, err);
    if (status == PELT_OK) {
        PeltiNearestSearch search = {coarse->triangles, coarse->rest, fine->vertex_count, fine->rest, INFINITY, NULL, NULL};
        pelti_box_tree_nearest_many(tree, &search, jobs, nearest);
        pelti_mesh_normals(coarse, coarse->rest, out->normals);
        for (int v = 0; v < fine->vertex_count; v++) {
            ProjSpot *spot = &out->spots[v];
            spot->triangle = nearest[v].triangle;
            if (spot->triangle < 0)
                continue;
            for (int k = 0; k < 3; k++)
                spot->weight[k] = (float)nearest[v].closest.weight[k];
            Frame f = frame_at(coarse->triangles[spot->triangle], spot->weight, coarse->rest, out->normals);
            Vec3 off = vec3_sub(fine->rest[v], f.point);
            spot->offset = vec3(vec3_dot(off, f.along), vec3_dot(off, f.across), vec3_dot(off, f.normal));
        }
    }
    pelti_pool_release(&temp);
    return status;
}

typedef struct Show {
    const ProjDisplay *display;
    const PeltiMesh *coarse;
    const Vec3 *x;
    Vec3 *out;
} Show;

static void show(void *context, int begin, int end, int worker)
{
    (void)worker;
    const Show *s = context;
    for (int v = begin; v < end; v++) {
        const ProjSpot *spot = &s->display->spots[v];
        if (spot->triangle < 0)
            continue;
        Frame f = frame_at(s->coarse->triangles[spot->triangle], spot->weight, s->x, s->display->normals);
        s->out[v] =
            vec3_mad(vec3_mad(vec3_mad(f.point, f.along, spot->offset.x), f.across, spot->offset.y), f.normal, spot->offset.z);
    }
}

void pelti_proj_show(const ProjDisplay *display, const PeltiMesh *fine, const PeltiMesh *coarse, PeltiJobs *jobs, const Vec3 *x,
                     Vec3 *out)
{
    Show s = {display, coarse, x, out};
    pelti_mesh_normals(coarse, x, display->normals);
    pelti_parallel_for(jobs, fine->vertex_count, 4096, show, &s);
}
