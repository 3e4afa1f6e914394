/// Fast summation over regions of a triangle mesh ([Deul2013] sec. 4.3, after [Diziol2011]). Vertices are put in an order
/// that follows paths winding through the mesh side by side; a region is then a few runs of consecutive ones ("slots"), and
/// its sum a few differences of prefix sums: O(omega) where the region has O(omega^2) vertices.
#ifndef PELTI_LAYERED_PATHS_H
#define PELTI_LAYERED_PATHS_H

#include "geometry/mesh.h"

/// Slots come in tiles: compact pieces of the mesh that fit into the inner cache, with a rim of slots around them that their
/// regions reach into. A tile's own slots and its rim have consecutive places. Prefix sums over them start anew with every group:
/// few terms are summed that cancel again, so that float is enough.
enum { PELTI_TILE_MOST = 640, PELTI_TILE_STEP = 8, PELTI_PATH_GROUP = 16 };

typedef struct PeltiLayeredTile {
    int first, count;         ///< own slots: places 0 to count - 1; first is a multiple of PELTI_TILE_STEP
    int rim_first, rim_count; ///< into rim: pairs of slots, places from `places_own` on
    int places_own, places;   ///< even: own ones, and all
} PeltiLayeredTile;

typedef struct PeltiLayeredPaths {
    int slot_count; ///< = vertex_count
    int *vertex;    ///< [slot_count] slot -> vertex
    int *slot;      ///< [vertex_count] vertex -> slot
    int path_count; ///< times the order had to jump
    int tile_count;
    PeltiLayeredTile *tiles;
    int *tile;        ///< [slot_count] slot -> tile
    int *rim;         ///< slots / 2, ascending in each tile
    int places_most;  ///< of any tile
    int *region_size; ///< [slot_count] vertices of each region
    int *run_start;   ///< [slot_count + 1] into runs
    int (*runs)[2];   ///< first place and length of each run of the region of a slot
    int *piece_start; ///< [slot_count + 1] into pieces
    int (*pieces)[2]; ///< the same within groups: the sum is row[1] - row[0], where row p holds that of the p-th place and all
                      ///< before it in its group (counted from 1; row 0 is zero)
} PeltiLayeredPaths;

static inline int pelti_layered_path_slot(const PeltiLayeredPaths *paths, const PeltiLayeredTile *tile,
                                          int place) ///< may be slot_count, of no vertex
{
    int beyond = place - tile->places_own;
    return beyond < 0 ? tile->first + place : 2 * paths->rim[tile->rim_first + beyond / 2] + beyond % 2;
}

/// Regions are the vertices within `omega` edges (0: the vertex alone). Everything lives in `pool`.
PeltStatus pelti_layered_paths_build(PeltiPool *pool, const PeltiMesh *mesh, int omega, PeltiLayeredPaths *out, PeltError *err);

// tiles.c
/// Cuts the mesh into compact pieces: fills tiles, tile_count and the order of `vertex` up to that within a tile.
bool pelti_layered_paths_cut(PeltiPool *pool, const PeltiMesh *mesh, PeltiLayeredPaths *paths);
/// Rims, runs and pieces of the regions of `slots` (region of s: start[s] to start[s + 1], ascending).
bool pelti_layered_paths_regions(PeltiPool *pool, const int *start, const int *slots, PeltiLayeredPaths *paths);

#endif
