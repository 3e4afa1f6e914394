/// Elimination orders by the pattern alone: permutations, whose parts do not see each other, with less fill than none.
#include "check.h"

#include "math/sparse_parts.h"

#include <string.h>

enum { SIDE = 60, N = SIDE * SIDE };

typedef struct Mesh { ///< a grid of SIDE x SIDE unknowns, each with its four neighbours, minus those between `cut` and the next
                      ///< row
    int start[N + 1], list[4 * N];
} Mesh;

static void fill(Mesh *m, int cut)
{
    int used = 0;
    for (int i = 0; i < N; i++) {
        int x = i % SIDE, y = i / SIDE;
        m->start[i] = used;
        if (y > 0 && y - 1 != cut)
            m->list[used++] = i - SIDE;
        if (x > 0)
            m->list[used++] = i - 1;
        if (x + 1 < SIDE)
            m->list[used++] = i + 1;
        if (y + 1 < SIDE && y != cut)
            m->list[used++] = i + SIDE;
    }
    m->start[N] = used;
}

typedef struct Found {
    PeltiPool pool;
    PeltiSparse s;
    int order[N], place[N];
} Found;

static void find(Found *f, const Mesh *m, int n, PeltiSparseOrdering ordering)
{
    PeltError err = {0};
    pelti_pool_init(&f->pool, NULL);
    f->s = (PeltiSparse){.n = n, .order = {.unknown = f->order, .place = f->place}};
    if (pelti_sparse_find_order(&f->s, &f->pool, &(SparseGraph){m->start, m->list}, ordering, &err) != PELT_OK)
        fail_msg("%s", err.text);
    pelti_pool_release(&f->pool);
    static int seen[N];
    memset(seen, 0, sizeof seen);
    for (int k = 0; k < n; k++) {
        assert_in_range(f->order[k], 0, n - 1);
        assert_int_equal(seen[f->order[k]]++, 0);
        assert_int_equal(f->place[f->order[k]], k);
    }
}

/// Entries of L below the diagonal by plain symbolic elimination: each column's pattern goes to its parent.
static long filled(const Mesh *m, const int *order, const int *place)
{
    static unsigned char row[N][N / 8]; // row[i] bit j: L(i, j) != 0
    memset(row, 0, sizeof row);
    long count = 0;
    for (int k = 0; k < N; k++)
        for (int e = m->start[order[k]]; e < m->start[order[k] + 1]; e++) {
            int j = place[m->list[e]];
            if (j < k)
                row[k][j / 8] |= (unsigned char)(1 << j % 8);
        }
    static int parent[N], mark[N];
    for (int i = 0; i < N; i++) { // [Liu1990]: row i of L is what lies on the tree's paths from the entries of row i of A
        parent[i] = -1;
        mark[i] = i;
        for (int j = 0; j < i; j++)
            if (row[i][j / 8] >> j % 8 & 1)
                for (int k = j; mark[k] != i; k = parent[k]) {
                    mark[k] = i;
                    count++;
                    if (parent[k] < 0) {
                        parent[k] = i;
                        break;
                    }
                }
    }
    return count;
}

static Mesh mesh;
static Found found;

static void orders_are_permutations_with_little_fill(void **state)
{
    (void)state;
    static int same[N];
    for (int i = 0; i < N; i++)
        same[i] = i;
    fill(&mesh, -1);
    long plain = filled(&mesh, same, same);
    CHECK_NEAR((double)plain, (double)N * SIDE, 0.1 * N * SIDE); // a band as wide as the grid fills
    find(&found, &mesh, N, PELTI_ORDER_AMD);
    long amd = filled(&mesh, found.order, found.place);
    find(&found, &mesh, N, PELTI_ORDER_METIS);
    long metis = filled(&mesh, found.order, found.place);
    assert_true(3 * amd < plain && 3 * metis < plain);
}

/// No neighbour of an unknown of a part lies in another part, not even over fill: eliminated unknowns of one part reach only
/// themselves and the top.
static void parts_do_not_see_each_other(void **state)
{
    (void)state;
    fill(&mesh, -1);
    find(&found, &mesh, N, PELTI_ORDER_BEST);
    const PeltiSparse *s = &found.s;
    assert_int_equal(s->order.part_count, PELTI_SPARSE_PARTS);
    assert_int_equal(s->order.part_start[0], 0);
    int top = s->order.part_start[PELTI_SPARSE_PARTS];
    assert_true(top > N / 2 && top < N); // most unknowns are in parts
    for (int p = 0; p < PELTI_SPARSE_PARTS; p++) {
        int begin = s->order.part_start[p], end = s->order.part_start[p + 1];
        assert_true(end - begin > N / 16);
        for (int k = begin; k < end; k++)
            for (int e = mesh.start[found.order[k]]; e < mesh.start[found.order[k] + 1]; e++) {
                int j = found.place[mesh.list[e]];
                assert_true((j >= begin && j < end) || j >= top);
            }
    }
}

static void graphs_in_pieces_and_small_ones_have_orders_too(void **state)
{
    (void)state;
    fill(&mesh, SIDE / 2);
    find(&found, &mesh, N, PELTI_ORDER_BEST);
    fill(&mesh, -1);
    mesh.start[1] = 0; // one unknown alone
    find(&found, &mesh, 1, PELTI_ORDER_BEST);
    assert_int_equal(found.s.order.part_count, 0);
    found.s = (PeltiSparse){.n = 0};
    assert_int_equal(
        pelti_sparse_find_order(&found.s, &found.pool, &(SparseGraph){mesh.start, mesh.list}, PELTI_ORDER_BEST, NULL), PELT_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_permutations_with_little_fill),
        cmocka_unit_test(parts_do_not_see_each_other),
        cmocka_unit_test(graphs_in_pieces_and_small_ones_have_orders_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
