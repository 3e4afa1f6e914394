/// Orders the rows of a sparse matrix: nested dissection, then the elimination tree as independent parts and a top.
#define _XOPEN_SOURCE 700 // initstate
#include "math/sparse_parts.h"

#include <metis.h>
#include <pthread.h>
#include <suitesparse/amd.h>
#include <suitesparse/ldl.h>

#include <stdlib.h>
#include <string.h>

// METIS draws from the C library's rand() after seeding it: one call at a time keeps its orders reproducible, and on a
// state of its own (as large as rand's first one, so that the orders are the same) it leaves the host's sequence alone.
enum { RAND_STATE = 128 };
static pthread_mutex_t metis_mutex = PTHREAD_MUTEX_INITIALIZER;

static bool order_metis(const SparseGraph *g, int n, int *order, int *place)
{
    idx_t options[METIS_NOPTIONS], count = n;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    char own[RAND_STATE];
    pthread_mutex_lock(&metis_mutex);
    char *host = initstate(1, own, sizeof own);
    int result = METIS_NodeND(&count, (idx_t *)g->start, (idx_t *)g->list, NULL, options, order, place);
    setstate(host);
    pthread_mutex_unlock(&metis_mutex);
    return result == METIS_OK;
}

static bool order_amd(const SparseGraph *g, int n, int *order)
{
    return amd_order(n, g->start, g->list, order, NULL, NULL) >= 0;
}

static void invert(const int *order, int *place, int n)
{
    for (int k = 0; k < n; k++)
        place[order[k]] = k;
}

typedef struct Tree { // elimination tree in the first order
    int *parent, *first_child, *sibling, *lnz;
    long *work; // entries of L in the subtree
    int *rank;  // postorder -> node
    int *state; // 0: inside a subtree; 1: in the top; else 2 + part for a subtree root
} Tree;

static bool take_tree(PeltiPool *temp, Tree *t, int n)
{
    size_t size = (size_t)n + 1;
    t->parent = PELTI_NEW(temp, int, size);
    t->first_child = PELTI_NEW(temp, int, size);
    t->sibling = PELTI_NEW(temp, int, size);
    t->lnz = PELTI_NEW(temp, int, size);
    t->rank = PELTI_NEW(temp, int, size);
    t->state = PELTI_NEW(temp, int, size);
    t->work = PELTI_NEW(temp, long, size);
    return !temp->failed;
}

static void link_children(Tree *t, int n) // children ascending; n is the root of all
{
    for (int i = 0; i <= n; i++)
        t->first_child[i] = -1;
    for (int i = n - 1; i >= 0; i--) {
        int up = t->parent[i] < 0 ? n : t->parent[i];
        t->sibling[i] = t->first_child[up];
        t->first_child[up] = i;
    }
    for (int i = 0; i <= n; i++)
        t->work[i] = i < n ? t->lnz[i] + 1 : 0;
    for (int i = 0; i < n; i++)
        t->work[t->parent[i] < 0 ? n : t->parent[i]] += t->work[i];
}

/// Appends the subtree below `root` in postorder to out. Walks with the tree's own links.
static int append_subtree(const Tree *t, int root, int *out, int used)
{
    int node = root;
    for (;;) {
        while (t->first_child[node] >= 0)
            node = t->first_child[node];
        for (;;) {
            out[used++] = node;
            if (node == root)
                return used;
            if (t->sibling[node] >= 0) {
                node = t->sibling[node];
                break;
            }
            node = t->parent[node];
        }
    }
}

enum { MOST_SUBTREES = 256, LEAST_WORK = 6000 };

/// Opens the heaviest subtree again and again until all are light enough to balance, or the top grows too large.
static int choose_subtrees(Tree *t, int n, int *roots)
{
    int count = 0;
    long total = t->work[n], top = 0;
    for (int c = t->first_child[n]; c >= 0; c = t->sibling[c]) {
        if (count == MOST_SUBTREES)
            return 0;
        roots[count++] = c;
    }
    while (count > 0) {
        int heaviest = 0, children = 0;
        for (int i = 1; i < count; i++)
            if (t->work[roots[i]] > t->work[roots[heaviest]])
                heaviest = i;
        int node = roots[heaviest];
        for (int c = t->first_child[node]; c >= 0; c = t->sibling[c])
            children++;
        bool light = t->work[node] * PELTI_SPARSE_PARTS * 10 < total * 7;
        if (light || count + children > MOST_SUBTREES || (top + t->lnz[node]) * 5 > total)
            break;
        top += t->lnz[node] + 1;
        t->state[node] = 1;
        roots[heaviest] = roots[--count];
        for (int c = t->first_child[node]; c >= 0; c = t->sibling[c])
            roots[count++] = c;
    }
    return count;
}

/// Heaviest subtree first, each to the lightest part.
static void deal_subtrees(Tree *t, int *roots, int count)
{
    long load[PELTI_SPARSE_PARTS] = {0};
    for (int i = 0; i < count; i++) {
        int best = i;
        for (int k = i + 1; k < count; k++)
            if (t->work[roots[k]] > t->work[roots[best]] || (t->work[roots[k]] == t->work[roots[best]] && roots[k] < roots[best]))
                best = k;
        int node = roots[best], part = 0;
        roots[best] = roots[i];
        roots[i] = node;
        for (int p = 1; p < PELTI_SPARSE_PARTS; p++)
            if (load[p] < load[part])
                part = p;
        load[part] += t->work[node];
        t->state[node] = 2 + part;
    }
}

static void arrange(PeltiSparse *s, Tree *t, int *arranged)
{
    int roots[MOST_SUBTREES], n = s->n, used = 0, count = 0;
    if (t->work[n] >= LEAST_WORK)
        count = choose_subtrees(t, n, roots);
    if (count < 2) {
        s->order.part_count = 0;
        s->order.part_start[0] = 0;
        for (int c = t->first_child[n]; c >= 0; c = t->sibling[c])
            used = append_subtree(t, c, arranged, used);
        return;
    }
    deal_subtrees(t, roots, count);
    s->order.part_count = PELTI_SPARSE_PARTS;
    for (int p = 0; p < PELTI_SPARSE_PARTS; p++) {
        s->order.part_start[p] = used;
        for (int i = 0; i < count; i++)
            if (t->state[roots[i]] == 2 + p)
                used = append_subtree(t, roots[i], arranged, used);
    }
    s->order.part_start[PELTI_SPARSE_PARTS] = used;
    for (int i = 0; i < n; i++) // parents have higher numbers than children
        if (t->state[i] == 1)
            arranged[used++] = i;
}

/// Upper pattern of the permuted matrix for the elimination tree.
static bool first_tree(PeltiPool *temp, const SparseGraph *g, const int *order, const int *place, int n, Tree *t)
{
    int *ap = PELTI_NEW(temp, int, (size_t)n + 1), *ai = PELTI_NEW(temp, int, (size_t)g->start[n] / 2 + (size_t)n + 1);
    int *lp = PELTI_NEW(temp, int, (size_t)n + 1), *flag = PELTI_NEW(temp, int, (size_t)n + 1);
    if (temp->failed)
        return false;
    int used = 0;
    for (int k = 0; k < n; k++) {
        ap[k] = used;
        for (int e = g->start[order[k]]; e < g->start[order[k] + 1]; e++)
            if (place[g->list[e]] < k)
                ai[used++] = place[g->list[e]];
    }
    ap[n] = used;
    ldl_symbolic(n, ap, ai, lp, t->parent, t->lnz, flag, NULL, NULL);
    return true;
}

PeltStatus pelti_sparse_find_order(PeltiSparse *s, PeltiPool *temp, const SparseGraph *g, PeltiSparseOrdering ordering,
                                   PeltError *err)
{
    int n = s->n;
    if (n == 0)
        return PELT_OK;
    bool metis =
        ordering == PELTI_ORDER_METIS || (ordering == PELTI_ORDER_BEST && n >= 500); // AMD is as good below that, and quicker
    if (!(metis && g->start[n] > 0 && order_metis(g, n, s->order.unknown, s->order.place)) && !order_amd(g, n, s->order.unknown))
        return PELT_FAIL(err, PELT_FAILED, "sparse matrix: no elimination order was found for %d unknowns", n);
    invert(s->order.unknown, s->order.place, n);
    Tree tree;
    int *arranged = PELTI_NEW(temp, int, (size_t)n);
    if (!take_tree(temp, &tree, n) || !first_tree(temp, g, s->order.unknown, s->order.place, n, &tree))
        return pelti_no_memory(err, (size_t)n * 64);
    link_children(&tree, n);
    arrange(s, &tree, arranged);
    for (int k = 0; k < n; k++)
        arranged[k] = s->order.unknown[arranged[k]];
    memcpy(s->order.unknown, arranged, (size_t)n * sizeof(int));
    invert(s->order.unknown, s->order.place, n);
    return PELT_OK;
}
