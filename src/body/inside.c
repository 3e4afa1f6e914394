/// Finds pieces that lie inside others, where nobody sees them.
/// Not by winding numbers: a mouth is outside of the head's skin, and a jacket is open; what counts is that nobody sees them.
#include "body/inside.h"

#include "body/constants.def"
#include "geometry/ray.h"

#include <math.h>

typedef struct Looker {
    const PeltiMesh *mesh;
    int piece;
} Looker;

static bool of_others(void *context, int triangle)
{
    const Looker *l = context;
    return l->mesh->component[l->mesh->triangles[triangle][0]] != l->piece;
}

/// Looks along the sides, edges and corners of a cube; a piece is in its own way only where others are, too.
static float share_free(const PeltiPieces *pieces, const PeltiBoxTree *tree, Looker *l)
{
    int from = pieces->start[l->piece], count = pieces->start[l->piece + 1] - from;
    int step = (count + INSIDE_LOOKERS - 1) / INSIDE_LOOKERS, looks = 0, met = 0;
    for (int i = 0; i < count; i += step)
        for (int d = 0; d < 27; d++) {
            Vec3 to = vec3((float)(d % 3 - 1), (float)(d / 3 % 3 - 1), (float)(d / 9 % 3 - 1));
            PeltiBoxRay ray = {l->mesh->rest[pieces->vertex[from + i]], 0, to, INFINITY};
            looks += d != 13; // nowhere
            met += d != 13 && pelti_box_tree_blocked(tree, l->mesh->triangles, l->mesh->rest, &ray, of_others, l);
        }
    return looks ? 1 - (float)met / (float)looks : 1;
}

PeltStatus pelti_pieces_look_out(const PeltiCharacter *who, PeltiPieces *pieces, PeltError *err)
{
    PeltiPool work;
    PeltiBoxTree *tree;
    Looker looker = {who->mesh, 0};
    pelti_pool_init(&work, &who->pool.allocator);
    PeltStatus status =
        pelti_box_tree_build_triangles(&work, who->mesh->triangle_count, who->mesh->triangles, who->mesh->rest, &tree, err);
    for (; looker.piece < pieces->count && status == PELT_OK; looker.piece++)
        pieces->pieces[looker.piece].daylight = share_free(pieces, tree, &looker);
    pelti_pool_release(&work);
    return status;
}

bool pelti_piece_is_inside(const PeltiPiece *piece)
{
    return piece->daylight < INSIDE_DAYLIGHT;
}
