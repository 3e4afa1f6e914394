/// A refitting tree of axis-aligned boxes over triangles, edges, points or anything with a box. Built once (median splits,
/// ties by index: the same tree for the same input), refitted per frame without allocation. Every query answers in one
/// fixed order, for any number of threads.
#ifndef PELTI_GEOMETRY_BOX_TREE_H
#define PELTI_GEOMETRY_BOX_TREE_H

#include "core/jobs.h"
#include "core/memory.h"
#include "geometry/closest.h"

#if defined(__SSE2__) && !defined(PELT_NO_SIMD)
#include <emmintrin.h>
#endif

typedef struct PeltiBox { ///< low > high in any axis: empty, found by no query
    Vec3 low, high;
} PeltiBox;

static const PeltiBox pelti_box_empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

/// Grows a box to hold another. Comparisons in place of vec3_min and vec3_max: refits are three times faster.
static inline void pelti_box_join(PeltiBox *box, const PeltiBox *by)
{
    box->low = vec3(lesser(box->low.x, by->low.x), lesser(box->low.y, by->low.y), lesser(box->low.z, by->low.z));
    box->high = vec3(larger(box->high.x, by->high.x), larger(box->high.y, by->high.y), larger(box->high.z, by->high.z));
}
/// Grows a box to hold p; what of p is NaN is left out.
static inline void pelti_box_take(PeltiBox *box, Vec3 p)
{
    box->low = vec3(lesser(p.x, box->low.x), lesser(p.y, box->low.y), lesser(p.z, box->low.z));
    box->high = vec3(larger(p.x, box->high.x), larger(p.y, box->high.y), larger(p.z, box->high.z));
}

typedef struct PeltiBoxNode { // 36 bytes, preorder: the left child of node n is n + 1
    PeltiBox box;
    int right;        ///< right child; -1: leaf
    int first, count; ///< slots below this node: [first, first + count)
} PeltiBoxNode;

typedef struct PeltiBoxTree {
    int item_count, node_count, piece_count;
    PeltiBoxNode *nodes;
    int *items;      ///< [item_count] slot -> item
    PeltiBox *boxes; ///< [item_count] by slot
    int *pieces;     ///< [piece_count] nodes that cut the tree into fixed pieces of parallel work, in slot order
} PeltiBoxTree;

/// Builds into `pool`; O(n log n). Items with empty or non-finite boxes are kept (a later refit may make them real).
PeltStatus pelti_box_tree_build(PeltiPool *pool, int count, const PeltiBox *boxes, PeltiBoxTree **out, PeltError *err);
PeltStatus pelti_box_tree_build_triangles(PeltiPool *pool, int count, const int (*triangles)[3], const Vec3 *points,
                                          PeltiBoxTree **out, PeltError *err);

/// New boxes, same topology; O(n). A triangle with a non-finite corner (or one beyond 1e30) gets an empty box.
/// `next` may be NULL; else the boxes hold the motion from `points` to `next`.
void pelti_box_tree_refit(PeltiBoxTree *tree, PeltiJobs *jobs, const PeltiBox *boxes);
void pelti_box_tree_refit_triangles(PeltiBoxTree *tree, PeltiJobs *jobs, const int (*triangles)[3], const Vec3 *points,
                                    const Vec3 *next);

/// Closer than `margin` in every axis; false where a coordinate is NAN.
static inline bool pelti_box_overlap(const PeltiBox *a, const PeltiBox *b, float margin)
{
#if defined(__SSE2__) && !defined(PELT_NO_SIMD) // three axes at once: half the instructions of what trees do all day
    __m128 m = _mm_set1_ps(margin), la = _mm_loadu_ps(&a->low.x), lb = _mm_loadu_ps(&b->low.x); // x y z, and what follows
    __m128 ha = _mm_loadu_ps(&a->low.z), hb = _mm_loadu_ps(&b->low.z);                          // what precedes, and x y z
    __m128 up_a = _mm_shuffle_ps(ha, ha, _MM_SHUFFLE(3, 3, 2, 1)), up_b = _mm_shuffle_ps(hb, hb, _MM_SHUFFLE(3, 3, 2, 1));
    __m128 near = _mm_and_ps(_mm_cmple_ps(_mm_sub_ps(la, m), up_b), _mm_cmple_ps(_mm_sub_ps(lb, m), up_a));
    return (_mm_movemask_ps(near) & 7) == 7;
#else
    return (a->low.x - margin <= b->high.x) & (b->low.x - margin <= a->high.x) & (a->low.y - margin <= b->high.y) &
           (b->low.y - margin <= a->high.y) & (a->low.z - margin <= b->high.z) & (b->low.z - margin <= a->high.z);
#endif
}

/// One found pair: items a of the first tree, b of the second (self: a and b of one tree in slot order, each pair once).
typedef struct PeltiPair {
    int a, b;
    int tag; ///< what the test returned
} PeltiPair;

/// Narrow test of a candidate pair (boxes closer than the margin in every axis); called from several threads, so it only
/// reads. Returns 0 to drop the pair, else the tag to keep with it. `worker` is in [0, threads).
typedef int (*PeltiPairTest)(void *context, int a, int b, int worker);

/// Pairs found by a query, with the room for them. `found > count` says that the list overflowed: the first `count` in
/// the fixed order are kept.
typedef struct PeltiPairs {
    PeltiPair *pairs;
    int count, capacity;
    long found;
    long candidates;              ///< boxes that met, before the test
    PeltiPair *scratch;           ///< [capacity] pairs as the workers found them
    struct PeltiPairPiece *piece; ///< [piece_capacity]
    int piece_capacity;
} PeltiPairs;
PeltStatus pelti_pairs_create(PeltiPool *pool, int capacity, const PeltiBoxTree *tree, PeltiPairs *out, PeltError *err);

/// Overlapping pairs, boxes inflated by `margin` together. `test` may be NULL (keeps all, tag 1). Does not allocate.
void pelti_box_tree_self_pairs(const PeltiBoxTree *tree, float margin, PeltiPairTest test, void *context, PeltiJobs *jobs,
                               PeltiPairs *out);
/// Returns false where no pair of an item below node_a and one below node_b can pass the test. Called from several threads, with
/// node_a == node_b for the pairs inside a branch.
typedef bool (*PeltiPairNodeTest)(void *context, int node_a, int node_b);
typedef struct PeltiPairSearch { ///< which pairs
    float margin;
    PeltiPairNodeTest nodes; ///< leaves out whole branches; NULL: none
    PeltiPairTest test;      ///< NULL: keeps all
    void *context;           ///< of both
} PeltiPairSearch;
void pelti_box_tree_self_pairs_among(const PeltiBoxTree *tree, const PeltiPairSearch *search, PeltiJobs *jobs, PeltiPairs *out);
/// `out` must have been created for tree `a`.
void pelti_box_tree_pairs(const PeltiBoxTree *a, const PeltiBoxTree *b, const PeltiPairSearch *search, PeltiJobs *jobs,
                          PeltiPairs *out);

/// Visits, in slot order, the items whose boxes come within `margin` of `box`; the visitor returns false to stop.
typedef bool (*PeltiBoxVisit)(void *context, int item);
void pelti_box_tree_visit(const PeltiBoxTree *tree, const PeltiBox *box, float margin, PeltiBoxVisit visit, void *context);

/// Returns false for triangles to leave out.
typedef bool (*PeltiTriangleFilter)(void *context, int triangle);
typedef struct PeltiNearestQuery {
    const int (*triangles)[3]; ///< of the tree
    const Vec3 *points;
    Vec3 point;
    float max_distance;         ///< INFINITY: any
    PeltiTriangleFilter filter; ///< NULL: all
    void *context;              ///< of the filter
} PeltiNearestQuery;
typedef struct PeltiNearest {
    int triangle;
    double distance;
    PeltiClosest closest; ///< barycentrics, feature, point
} PeltiNearest;
/// Nearest triangle to a point, no farther than `max_distance`. False: none. Among equals the first in slot order of the search
/// wins, always the same one.
bool pelti_box_tree_nearest(const PeltiBoxTree *tree, const PeltiNearestQuery *query, PeltiNearest *out);
/// As above for many points at once; triangle -1 where there is none. The filter is called from several threads.
typedef bool (*PeltiNearestFilter)(void *context, int point_index, int triangle);
/// Returns false where no triangle below the node can pass the filter.
typedef bool (*PeltiNearestNode)(void *context, int point_index, int node);
typedef struct PeltiNearestSearch {
    const int (*triangles)[3]; ///< that the tree was built of
    const Vec3 *points;
    int query_count;
    const Vec3 *queries; ///< [query_count]
    float max_distance;
    PeltiNearestFilter filter; ///< may be NULL
    PeltiNearestNode nodes;    ///< leaves out whole branches; may be NULL
    void *context;             ///< of both
} PeltiNearestSearch;
void pelti_box_tree_nearest_many(const PeltiBoxTree *tree, const PeltiNearestSearch *search, PeltiJobs *jobs, PeltiNearest *out);

/// Signed crossings of the ray from `origin` along +axis (0, 1, 2): the winding number for a closed mesh. Edges are judged
/// in one canonical direction, so that a ray through an edge counts once.
int pelti_box_tree_crossings(const PeltiBoxTree *tree, const int (*triangles)[3], const Vec3 *points, const double origin[3],
                             int axis);
/// Median of the crossings along the three axes: 1 inside, 0 outside a sound closed mesh.
int pelti_box_tree_winding(const PeltiBoxTree *tree, const int (*triangles)[3], const Vec3 *points, const double origin[3]);

#endif
