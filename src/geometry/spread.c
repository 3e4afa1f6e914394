/// Spreads distances along the edges of a mesh.
#include "geometry/mesh.h"

void pelti_mesh_spread(const PeltiMesh *mesh, float limit, float *distance)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int e = 0; e < mesh->edge_count; e++) {
            int a = mesh->edges[e][0], b = mesh->edges[e][1];
            float length = vec3_distance(mesh->rest[a], mesh->rest[b]);
            for (int side = 0; side < 2; side++) {
                float *near = &distance[side ? b : a], *far = &distance[side ? a : b];
                if (*near + length < *far && *near + length < limit) {
                    *far = *near + length;
                    changed = true;
                }
            }
        }
    }
}
