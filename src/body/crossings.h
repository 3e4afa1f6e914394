/// Triangles of the shown skin that cross, kept up to date while leaning and parting move some of it. What crosses at rest, and
/// rigid pieces that nothing moves from where blending has them, are known beforehand and never tested.
#ifndef PELTI_BODY_CROSSINGS_H
#define PELTI_BODY_CROSSINGS_H

#include "body/pieces.h"
#include "geometry/box_tree.h"
#include "geometry/sunk.h"
#include "geometry/triangles.h"

enum { PELTI_CROSSINGS_MIXED = -1, PELTI_CROSSINGS_PASS = 4096 }; ///< no group; pairs of `near` in a piece of work
enum { PELTI_CROSSINGS_ROW = 64, PELTI_CROSSINGS_WORDS = 4 }; ///< pairs of a row of `near`, a bit each; of 64 bits, one a patch
enum { PELTI_CROSSINGS_KNOWN = 1 << 15 };                     ///< kinds of pairs that are remembered

typedef struct PeltiCrossingsPatches { ///< a bit for each of 256 patches of skin
    uint64_t bits[PELTI_CROSSINGS_WORDS];
} PeltiCrossingsPatches;

/// What is known of the rest pose: made once, never changed.
typedef struct PeltiCrossingsRest {
    int *start;      ///< [triangle_count + 1] into `other`
    int *other;      ///< partners of a triangle that cross it at rest
    int *group;      ///< [triangle_count] pairs of one group are of no interest; -1: none
    int *node_group; ///< [nodes] group of all below it
} PeltiCrossingsRest;

/// Pairs that can meet in this step: pelti_crossings_begin lists them, pelti_crossings_update reads them.
typedef struct PeltiCrossingsSpans {
    bool listed;                ///< `near` holds all pairs of triangles that are in their spans
    PeltiPairs near;            ///< pairs whose spans meet
    PeltiCrossingsPatches *row; ///< [rows of `near`] the patches its triangles are of
    uint8_t *patch;             ///< [triangle_count] neighbours in the tree are of one patch; made once
    PeltiBox *span;             ///< [triangle_count] where it may go in this step, as far as one knows
    uint64_t *passed_scratch;   ///< [rows of `near`] a bit for each of its pairs that crosses
} PeltiCrossingsSpans;

/// What moved since the last look: pelti_crossings_update writes and reads it.
typedef struct PeltiCrossingsLook {
    Vec3 *last;        ///< [vertex_count] where the skin was
    PeltiBox *box;     ///< [triangle_count] and its triangles
    bool *moved;       ///< [vertex_count] since
    bool *active;      ///< [triangle_count] a corner has
    bool *escaped;     ///< [triangle_count] out of its span: asked of the tree
    bool *node_active; ///< [nodes] something below it has moved
    bool *node_escaped;
    PeltiPairs found; ///< by the last search of the tree
} PeltiCrossingsLook;

typedef struct PeltiCrossings {
    const PeltiMesh *mesh;
    PeltiBoxTree *tree; ///< of the triangles, as pelti_crossings_refit left it
    PeltiPair *deep;    ///< [deep_count] pairs that cross by more than touching; tag: pelti_crossings_sort; in no order
    int deep_count, deep_capacity;
    PeltiSunk sunk;   ///< where the mesh crosses itself at rest
    PeltiPair *known; ///< [PELTI_CROSSINGS_KNOWN] kinds that were asked for, by pair
    PeltiCrossingsRest rest;
    PeltiCrossingsSpans spans;
    PeltiCrossingsLook look;
} PeltiCrossings;

/// Sunk: beside what crosses at rest; shallow: pelti_crossings_judge.
enum { PELTI_CROSSES_ANEW = 1, PELTI_CROSSES_SUNK, PELTI_CROSSES_UNASKED, PELTI_CROSSES_SHALLOW };

typedef struct PeltiCrossingsDef {
    const PeltiMesh *mesh;       ///< must outlive it
    const PeltiWeights *weights; ///< per welded vertex
    const PeltiPieces *pieces;
} PeltiCrossingsDef;
/// Lives in `pool`.
PeltStatus pelti_crossings_create(const PeltiCrossingsDef *def, PeltiPool *pool, PeltiJobs *jobs, PeltiCrossings **out,
                                  PeltError *err);

/// A step begins, in which most skin stays on its ways from `from` to `to`: pairs that can meet there are listed once. What goes
/// elsewhere is found all the same. Does not allocate.
void pelti_crossings_begin(PeltiCrossings *crossings, const Vec3 *from, const Vec3 *to, PeltiJobs *jobs);
/// Brings `deep` up to date with the skin at `x`: only what moved since the last look is looked at. Does not allocate.
void pelti_crossings_update(PeltiCrossings *crossings, const Vec3 *x, PeltiJobs *jobs);
/// And `tree`, for those who ask it themselves.
void pelti_crossings_refit(PeltiCrossings *crossings, const Vec3 *x, PeltiJobs *jobs);
/// Whether two triangles that may cross (below) do, at `x`, by more than touching.
bool pelti_crossings_deep(const PeltiCrossings *crossings, const Vec3 *x, int a, int b);
/// And of what kind that crossing is (pelti_sunk_explains).
int pelti_crossings_tag(PeltiCrossings *crossings, int a, int b);
/// Finds the kinds of the pairs in `deep` that nobody has asked for: leaning does not, and looks most often.
void pelti_crossings_sort(PeltiCrossings *crossings);

/// Copies `deep` to `out` [deep_capacity], with the kinds of those that are `least` deep or more; the others are shallow. Returns
/// how many there are.
int pelti_crossings_judge(PeltiCrossings *crossings, float least, PeltiPair *out);

/// Whether two triangles cross at rest.
bool pelti_crossings_at_rest(const PeltiCrossings *crossings, int a, int b);

/// Whether two triangles can cross anew: they share no corner, do not cross at rest, and somebody may move one of them.
static inline bool pelti_crossings_may(const PeltiCrossings *c, int a, int b)
{
    return !(c->rest.group[a] >= 0 && c->rest.group[a] == c->rest.group[b]) &&
           !pelti_triangles_share(c->mesh->triangles[a], c->mesh->triangles[b]) && !pelti_crossings_at_rest(c, a, b);
}

#endif
