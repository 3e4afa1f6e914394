/// Fast summation over regions of a triangle mesh ([Deul2013] sec. 4.3, after [Diziol2011]). Vertices are put in an order
/// that follows paths winding through the mesh side by side; a region is then a few runs of consecutive places ("slots"),
/// and its sum a few differences of prefix sums: O(omega) where the region has O(omega^2) vertices.
#ifndef PELTI_LAYERED_PATHS_H
#define PELTI_LAYERED_PATHS_H

#include "geometry/mesh.h"

/// Prefix sums start anew every so many slots: rounding stays small, and blocks are summed in parallel.
enum { PELTI_PATH_BLOCK = 256 };

typedef struct PeltiPaths {
    int slot_count;   ///< = vertex_count
    int block_count;  ///< ceil(slot_count / PELTI_PATH_BLOCK)
    int row_count;    ///< rows of prefix sums: one more than slots in every block
    int *vertex;      ///< [slot_count] slot -> vertex
    int *slot;        ///< [vertex_count] vertex -> slot
    int *run_start;   ///< [slot_count + 1] into runs
    int (*runs)[2];   ///< rows before and after each run of the region of a slot: its sum is row[1] - row[0]
    int *region_size; ///< [slot_count] vertices of each region
    int path_count;   ///< times the order had to jump
} PeltiPaths;

static inline int pelti_path_row(int slot) ///< row of the sum of all slots of its block before this one
{
    return slot + slot / PELTI_PATH_BLOCK;
}

static inline int pelti_path_slot(int row) ///< the slot a row stands before
{
    return row - row / (PELTI_PATH_BLOCK + 1);
}

/// Regions are the vertices within `omega` edges (0: the vertex alone). Everything lives in `pool`.
PeltStatus pelti_paths_build(PeltiPool *pool, const PeltiMesh *mesh, int omega, PeltiPaths *out, PeltError *err);

#endif
