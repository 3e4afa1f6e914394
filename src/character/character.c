#include "character/character.h"
#include "character/skeleton.h"

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

/// More than one joint used, and sums near 1 for nearly all points (methods: whose weights?).
static bool weights_are_sane(const PeltiCharacter *who)
{
    const PeltiWeights *w = &who->file_weights;
    int first = -1;
    bool several = false;
    for (int p = 0; w->influences && p < who->point_count && !several; p++) {
        if (who->instances[who->point_instance[p]].skin < 0)
            continue;
        for (int k = 0; k < w->influences; k++) {
            size_t i = (size_t)p * (size_t)w->influences + (size_t)k;
            if (!(w->weight[i] > 0))
                continue;
            several = several || (first >= 0 && w->bone[i] != first);
            first = w->bone[i];
        }
    }
    return several && who->bad_weight_sums <= who->point_count / 20;
}

PeltStatus pelti_character_finish(PeltiCharacter *who, const Vec3 *file_positions, PeltError *err)
{
    PELT_TRY(pelti_skeleton_order(who, err));
    PELT_TRY(pelti_mesh_build(&who->pool, who->point_count, file_positions, who->rest_points, who->point_instance,
                              who->triangle_count, (const int(*)[3])who->point_triangles, &who->mesh, err));
    who->file_weights_sane = weights_are_sane(who);
    PELT_TRY(pelti_skeleton_bones(who, err));
    return pelti_skeleton_segments(who, err);
}
