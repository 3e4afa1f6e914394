/// Creates a character and derives what is derived once: skeleton, mesh, whether weights are sane.
#include "character/character.h"
#include "character/joints.h"
#include "character/range.h"
#include "character/skeleton.h"
#include "character/weights.h"

#include <stdio.h>
#include <string.h>

PeltiCharacter *pelti_character_create(const PeltAllocator *allocator)
{
    PeltiCharacter *who = pelti_alloc(allocator, sizeof *who);
    if (!who)
        return NULL;
    memset(who, 0, sizeof *who);
    pelti_pool_init(&who->pool, allocator);
    pelti_log_init(&who->log, allocator);
    return who;
}

void pelti_character_destroy(PeltiCharacter *who)
{
    if (!who)
        return;
    PeltAllocator allocator = who->pool.allocator;
    pelti_log_release(&who->log);
    pelti_pool_release(&who->pool);
    pelti_free(&allocator, who, sizeof *who);
}

/// More than one joint used, by rows of which at least half were good in the file (methods: whose weights?): bad rows are mended
/// from the good ones around them, and where most are, the weights are the mending's and no more the file's; half is chosen, not
/// measured. Sums say nothing: exporters write 0.77 and mean shares.
static bool weights_are_sane(const PeltiCharacter *who)
{
    const PeltiWeights *w = &who->file_weights;
    const PeltiWeightsBad *rows = &who->bad_rows;
    int first = -1, skinned = 0;
    bool several = false;
    for (int p = 0; w->influences && p < who->point_count; p++) {
        if (who->instances[who->point_instance[p]].skin < 0)
            continue;
        skinned++;
        if (several || (rows->bad && rows->bad[p])) // what is still bad here may yet come from a bone: it proves nothing
            continue;
        for (int k = 0; k < w->influences; k++) {
            size_t i = (size_t)p * (size_t)w->influences + (size_t)k;
            if (!(w->weight[i] > 0))
                continue;
            several = several || (first >= 0 && w->bone[i] != first);
            first = w->bone[i];
        }
    }
    return several && rows->not_finite + rows->negative + rows->absent <= skinned / 2;
}

PeltStatus pelti_character_finish(PeltiCharacter *who, const Vec3 *file_positions, PeltError *err)
{
    PELT_TRY(pelti_skeleton_order(who, err));
    PeltiMeshInput mesh = {.point_count = who->point_count,
                           .triangle_count = who->triangle_count,
                           .weld_positions = file_positions,
                           .rest = who->rest_points,
                           .instance_of_point = who->point_instance,
                           .point_triangles = (const int(*)[3])who->point_triangles};
    PELT_TRY(pelti_mesh_build(&who->pool, &mesh, &who->mesh, err));
    PELT_TRY(pelti_weights_mend(who, err));
    who->file_weights_sane = weights_are_sane(who);
    PELT_TRY(pelti_skeleton_bones(who, err));
    pelti_joints_bind(who);
    PELT_TRY(pelti_skeleton_segments(who, err));
    pelti_weights_mend_nearest(who);
    return pelti_range_clip(who, err);
}

bool pelti_character_vertex_in_piece(const PeltiCharacter *who, int vertex, const char *name)
{
    const PeltiMesh *mesh = who->mesh;
    char number[32];
    snprintf(number, sizeof number, "component %d", mesh->component[vertex]);
    return !strcmp(name, who->nodes[who->instances[mesh->vertex_instance[vertex]].node].name) || !strcmp(name, number);
}
