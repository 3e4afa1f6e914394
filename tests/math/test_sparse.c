/// Sparse solves match known solutions for every order, in float with the same bits for any threads; bad matrices are errors.
#include "check.h"
#include "core/clock.h"
#include "math/sparse.h"

#include <string.h>

/// Laplacian of a w x h grid with diagonals, plus `shift` on the diagonal.
static int grid_entries(int w, int h, double shift, PeltiSparseEntry *out)
{
    int count = 0, n = w * h;
    double *diagonal = calloc((size_t)n, sizeof *diagonal);
    for (int y = 0; y < h; y++)
        for (int x = 0; x < w; x++)
            for (int k = 0; k < 3; k++) {
                int dx = k != 1, dy = k != 0, i = y * w + x;
                if (x + dx >= w || y + dy >= h)
                    continue;
                int j = i + dy * w + dx;
                double weight = 1 + 0.3 * sin(i * 7.0 + k);
                out[count] = count & 1 ? (PeltiSparseEntry){i, j, -weight} : (PeltiSparseEntry){j, i, -weight};
                count++;
                diagonal[i] += weight;
                diagonal[j] += weight;
            }
    for (int i = 0; i < n; i++) { // in two halves: repeated entries add up
        out[count++] = (PeltiSparseEntry){i, i, diagonal[i]};
        out[count++] = (PeltiSparseEntry){i, i, shift};
    }
    free(diagonal);
    return count;
}

static void multiply(const PeltiSparseEntry *e, int count, int n, const double *x, double *b)
{
    memset(b, 0, (size_t)n * sizeof *b);
    for (int k = 0; k < count; k++) {
        b[e[k].row] += e[k].value * x[e[k].column];
        if (e[k].row != e[k].column)
            b[e[k].column] += e[k].value * x[e[k].row];
    }
}

typedef struct Problem {
    int n, count;
    PeltiSparseEntry *entries;
    double *x, *b, *work;
    float (*rows)[4], (*result)[4];
} Problem;

static Problem make_problem(int w, int h, double shift)
{
    Problem p = {.n = w * h};
    size_t n = (size_t)p.n;
    p.entries = malloc(5 * n * sizeof *p.entries);
    p.count = grid_entries(w, h, shift, p.entries);
    p.x = calloc(n, sizeof(double));
    p.b = malloc(n * sizeof(double));
    p.work = malloc(n * sizeof(double));
    p.rows = aligned_alloc(16, n * 16);
    p.result = aligned_alloc(16, n * 16);
    assert_true(p.x && p.b && p.work && p.rows && p.result);
    for (int i = 0; i < p.n; i++)
        p.x[i] = sin(i * 0.37);
    multiply(p.entries, p.count, p.n, p.x, p.b);
    for (int i = 0; i < p.n; i++)
        for (int k = 0; k < 4; k++)
            p.rows[i][k] = (float)(p.b[i] * (k + 1));
    return p;
}
static PeltStatus create(const PeltAllocator *allocator, const Problem *p, PeltiSparseOrdering ordering, PeltiSparse **out,
                         PeltError *err)
{
    PeltiSparseEntries matrix = {.n = p->n, .count = p->count, .list = p->entries};
    return pelti_sparse_create(allocator, &matrix, ordering, out, err);
}
static void free_problem(Problem *p)
{
    free(p->entries);
    free(p->x);
    free(p->b);
    free(p->work);
    free(p->rows);
    free(p->result);
}

static void solves_match_the_known_solution_for_each_ordering(void **state)
{
    (void)state;
    const int sizes[][2] = {{1, 1}, {3, 2}, {17, 11}, {70, 60}};
    for (int k = 0; k < 4; k++)
        for (int ordering = PELTI_ORDER_BEST; ordering <= PELTI_ORDER_AMD; ordering++) {
            Problem p = make_problem(sizes[k][0], sizes[k][1], 0.5);
            PeltiSparse *s = NULL;
            assert_int_equal(create(NULL, &p, (PeltiSparseOrdering)ordering, &s, NULL), PELT_OK);
            double *x = malloc((size_t)p.n * sizeof *x);
            pelti_sparse_solve(s, p.b, x, p.work);
            for (int i = 0; i < p.n; i++)
                CHECK_NEAR(x[i], p.x[i], 1e-11);
            float *work = malloc(pelti_sparse_row_work(s) * sizeof *work);
            pelti_sparse_solve_rows(s, NULL, (const float(*)[4])p.rows, p.result, work);
            for (int i = 0; i < p.n; i++)
                for (int c = 0; c < 4; c++)
                    CHECK_NEAR(p.result[i][c], p.x[i] * (c + 1), 3e-5);
            const int *order = pelti_sparse_order(s);
            char *seen = calloc((size_t)p.n, 1);
            for (int i = 0; i < p.n; i++)
                assert_int_equal(seen[order[i]]++, 0);
            free(seen);
            free(work);
            free(x);
            pelti_sparse_destroy(s);
            free_problem(&p);
        }
}

static void the_hosts_random_numbers_are_left_alone(void **state)
{
    (void)state;
    Problem p = make_problem(40, 30, 0.1);
    int expected[4];
    srand(5);
    for (int i = 0; i < 4; i++)
        expected[i] = rand();
    srand(5);
    assert_int_equal(rand(), expected[0]);
    PeltiSparse *s;
    assert_int_equal(create(NULL, &p, PELTI_ORDER_METIS, &s, NULL), PELT_OK);
    for (int i = 1; i < 4; i++)
        assert_int_equal(rand(), expected[i]);
    pelti_sparse_destroy(s);
    free_problem(&p);
}

static void refactoring_follows_new_values(void **state)
{
    (void)state;
    Problem p = make_problem(30, 20, 0.1);
    PeltiSparse *s = NULL;
    assert_int_equal(create(NULL, &p, PELTI_ORDER_BEST, &s, NULL), PELT_OK);
    for (int k = 0; k < p.count; k++)
        if (p.entries[k].row == p.entries[k].column)
            p.entries[k].value += 0.3 + 0.01 * k;
    multiply(p.entries, p.count, p.n, p.x, p.b);
    assert_int_equal(pelti_sparse_refactor(s, p.entries, NULL), PELT_OK);
    double *x = malloc((size_t)p.n * sizeof *x);
    pelti_sparse_solve(s, p.b, x, p.work);
    for (int i = 0; i < p.n; i++)
        CHECK_NEAR(x[i], p.x[i], 1e-12);
    for (int k = 0; k < p.count; k++)
        p.entries[k].value *= 2;
    PeltiSparse *twice = NULL;
    assert_int_equal(pelti_sparse_create_like(s, p.entries, &twice, NULL), PELT_OK);
    assert_memory_equal(pelti_sparse_order(twice), pelti_sparse_order(s), (size_t)p.n * sizeof(int));
    pelti_sparse_destroy(s);
    pelti_sparse_solve(twice, p.b, x, p.work);
    for (int i = 0; i < p.n; i++)
        CHECK_NEAR(x[i], p.x[i] / 2, 1e-12);
    pelti_sparse_destroy(twice);
    free(x);
    free_problem(&p);
}

static void matrices_that_are_not_positive_definite_are_errors(void **state)
{
    (void)state;
    PeltError err = {0};
    PeltiSparse *s = NULL;
    Problem p = make_problem(12, 10, 0.0); // pure Laplacian: constants are in its kernel
    assert_int_equal(create(NULL, &p, PELTI_ORDER_BEST, &s, &err), PELT_FAILED);
    assert_null(s);
    assert_non_null(strstr(err.text, "positive definite"));
    p.entries[p.count - 1].value = -1;
    assert_int_equal(create(NULL, &p, PELTI_ORDER_BEST, &s, &err), PELT_FAILED);
    p.entries[p.count - 1].value = NAN;
    assert_int_equal(create(NULL, &p, PELTI_ORDER_BEST, &s, &err), PELT_FAILED);
    free_problem(&p);
    PeltiSparseEntry outside[] = {{0, 0, 1}, {1, 7, 1}}, missing[] = {{0, 0, 1}},
                     indefinite[] = {{0, 0, 1}, {1, 1, 1}, {0, 1, 2}};
    assert_int_equal(
        pelti_sparse_create(NULL, &(PeltiSparseEntries){.n = 2, .count = 2, .list = outside}, PELTI_ORDER_BEST, &s, &err),
        PELT_FAILED);
    assert_int_equal(
        pelti_sparse_create(NULL, &(PeltiSparseEntries){.n = 2, .count = 1, .list = missing}, PELTI_ORDER_BEST, &s, &err),
        PELT_FAILED);
    assert_int_equal(
        pelti_sparse_create(NULL, &(PeltiSparseEntries){.n = 2, .count = 3, .list = indefinite}, PELTI_ORDER_BEST, &s, &err),
        PELT_FAILED);
    assert_int_equal(
        pelti_sparse_create(NULL, &(PeltiSparseEntries){.n = 0, .count = 0, .list = NULL}, PELTI_ORDER_BEST, &s, &err), PELT_OK);
    pelti_sparse_destroy(s);
}

static void float_solves_have_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    Problem p = make_problem(90, 80, 0.02);
    PeltiSparse *s = NULL;
    assert_int_equal(create(NULL, &p, PELTI_ORDER_BEST, &s, NULL), PELT_OK);
    float *work = malloc(pelti_sparse_row_work(s) * sizeof *work);
    float(*first)[4] = malloc((size_t)p.n * 16);
    for (int threads = 1; threads <= 4; threads++) {
        PeltiJobs *jobs = pelti_jobs_create(threads);
        pelti_sparse_solve_rows(s, jobs, (const float(*)[4])p.rows, p.result, work);
        if (threads == 1)
            memcpy(first, p.result, (size_t)p.n * 16);
        assert_memory_equal(first, p.result, (size_t)p.n * 16);
        pelti_jobs_destroy(jobs);
    }
    free(first);
    free(work);
    pelti_sparse_destroy(s);
    free_problem(&p);
}

typedef struct Countdown {
    int left;
    long live;
} Countdown;
static void *counted_alloc(size_t bytes, void *user)
{
    Countdown *c = user;
    if (c->left-- <= 0)
        return NULL;
    c->live++;
    return aligned_alloc(64, (bytes + 63) & ~(size_t)63);
}
static void counted_free(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    ((Countdown *)user)->live--;
    free(memory);
}

static void every_refused_allocation_is_a_clean_error(void **state)
{
    (void)state;
    Problem p = make_problem(40, 30, 0.5);
    PeltStatus status = PELT_FAILED;
    for (int left = 0; status != PELT_OK && left < 200; left++) {
        Countdown count = {left, 0};
        PeltAllocator allocator = {counted_alloc, counted_free, &count};
        PeltiSparse *s = NULL;
        status = create(&allocator, &p, PELTI_ORDER_BEST, &s, NULL);
        pelti_sparse_destroy(s);
        assert_int_equal(count.live, 0);
    }
    assert_int_equal(status, PELT_OK);
    free_problem(&p);
}

static void time_is_printed(void **state)
{
    (void)state;
    Problem p = make_problem(75, 65, 0.1); // a surface of 4 875 vertices
    PeltiSparse *s = NULL;
    double start = pelti_clock_ms();
    assert_int_equal(create(NULL, &p, PELTI_ORDER_BEST, &s, NULL), PELT_OK);
    double create_ms = pelti_clock_ms() - start;
    float *work = malloc(pelti_sparse_row_work(s) * sizeof *work);
    for (int threads = 1; threads <= 2; threads++) {
        PeltiJobs *jobs = pelti_jobs_create(threads);
        double best = 1e9;
        for (int round = 0; round < 50; round++) {
            memcpy(p.result, p.rows, (size_t)p.n * 16);
            start = pelti_clock_ms();
            pelti_sparse_solve_rows_ordered(s, jobs, p.result, work);
            double ms = pelti_clock_ms() - start;
            best = ms < best ? ms : best;
        }
        printf("sparse: %d unknowns, fill %ld, create %.1f ms, three float right-hand sides %.3f ms with %d thread(s)\n", p.n,
               pelti_sparse_fill(s), create_ms, best, threads);
        pelti_jobs_destroy(jobs);
    }
    free(work);
    pelti_sparse_destroy(s);
    free_problem(&p);
}

/// A load on one corner of the grid: the needed rows are few, and what they hold is to the bit what the whole solve gives.
static void solves_in_some_rows_are_those_of_the_whole(void **state)
{
    (void)state;
    Problem p = make_problem(60, 50, 0.1);
    PeltiSparse *s;
    size_t n = (size_t)p.n;
    assert_int_equal(create(NULL, &p, PELTI_ORDER_BEST, &s, NULL), PELT_OK);
    float *work = malloc(pelti_sparse_row_work(s) * sizeof *work);
    unsigned char *wanted = calloc(n, 1), *mark = calloc(n, 1);
    PeltiSparseSome some = {.column = malloc(n * sizeof *some.column)};
    const int *order = pelti_sparse_order(s);
    for (int k = 0; k < p.n; k++) {
        wanted[k] = mark[k] = order[k] % 60 < 6 && order[k] / 60 < 6;
        for (int i = 0; i < 4; i++) {
            p.rows[k][i] = wanted[k] ? (float)(k % 7 + i) : 0;
            p.result[k][i] = wanted[k] ? p.rows[k][i] : NAN; // nobody may read the others
        }
    }
    pelti_sparse_some(s, mark, &some);
    assert_true(some.count >= 36 && some.count < p.n / 4);
    for (int i = 0; i < some.count; i++)
        if (!wanted[some.column[i]])
            memset(p.result[some.column[i]], 0, sizeof p.result[0]);
    pelti_sparse_solve_rows_ordered(s, NULL, p.rows, work);
    for (int threads = 1; threads <= 2; threads++) {
        PeltiJobs *jobs = pelti_jobs_create(threads);
        float(*copy)[4] = aligned_alloc(16, n * 16);
        memcpy(copy, p.result, n * 16);
        pelti_sparse_solve_rows_some(s, jobs, &some, copy, work);
        for (int k = 0; k < p.n; k++)
            if (wanted[k])
                assert_memory_equal(copy[k], p.rows[k], sizeof copy[k]);
        free(copy);
        pelti_jobs_destroy(jobs);
    }
    free(some.column);
    free(wanted);
    free(mark);
    free(work);
    pelti_sparse_destroy(s);
    free_problem(&p);
}

typedef struct Repeated { // right-hand sides that are made of the answer before, and of rows that an entry joins
    const Problem *p;
    const int *place; // unknown -> row
    float (*x)[4], (*answer)[4];
} Repeated;

static void mix_rows(void *context, int begin, int end, int range)
{
    (void)range;
    const Repeated *r = context;
    for (int i = begin; i < end; i++)
        for (int k = 0; k < 4; k++)
            r->x[i][k] = (float)(i % 5 + k) + 0.5f * r->answer[i][k];
    for (int e = 0; e < r->p->count; e++) {
        int i = r->place[r->p->entries[e].row], j = r->place[r->p->entries[e].column];
        for (int k = 0; k < 4 && i != j; k++) {
            if (i >= begin && i < end)
                r->x[i][k] += 0.1f * r->answer[j][k];
            if (j >= begin && j < end)
                r->x[j][k] += 0.1f * r->answer[i][k];
        }
    }
}

static void take_rows(void *context, int begin, int end, int range)
{
    (void)range;
    const Repeated *r = context;
    memcpy(r->answer[begin], r->x[begin], (size_t)(end - begin) * 16);
}

/// Three right-hand sides made of each other in one call are those of three calls, for any number of threads.
static void repeated_solves_are_those_one_by_one(void **state)
{
    (void)state;
    Problem p = make_problem(60, 50, 3);
    PeltiSparse *s;
    size_t n = (size_t)p.n;
    assert_int_equal(create(NULL, &p, PELTI_ORDER_BEST, &s, NULL), PELT_OK);
    float *work = malloc(pelti_sparse_row_work(s) * sizeof *work), (*want)[4] = malloc(n * 16), (*answer)[4] = malloc(n * 16);
    int *place = malloc(n * sizeof *place), first[PELTI_SPARSE_RANGES + 1], count = pelti_sparse_ranges(s, first);
    assert_int_equal(count, PELTI_SPARSE_RANGES);
    assert_int_equal(first[count], p.n);
    for (int k = 0; k < p.n; k++)
        place[pelti_sparse_order(s)[k]] = k;
    for (int e = 0; e < p.count; e++) { // an entry stays in its range, or leads to the top
        int a = 0, b = 0;
        while (place[p.entries[e].row] >= first[a + 1])
            a++;
        while (place[p.entries[e].column] >= first[b + 1])
            b++;
        assert_true(a == b || a == count - 1 || b == count - 1);
    }
    Repeated r = {&p, place, p.rows, answer};
    for (int threads = 0; threads <= 5; threads++) { // 0: one by one
        PeltiJobs *jobs = threads ? pelti_jobs_create(threads) : NULL;
        memset(answer, 0, n * 16);
        for (int k = 0; k < (threads ? 1 : 3); k++)
            pelti_sparse_solve_made_rows(s, jobs, &(PeltiSparseRows){mix_rows, take_rows, &r, threads ? 3 : 1}, p.rows, work);
        if (!threads)
            memcpy(want, answer, n * 16);
        assert_memory_equal(want, answer, n * 16);
        pelti_jobs_destroy(jobs);
    }
    free(place);
    free(answer);
    free(want);
    free(work);
    pelti_sparse_destroy(s);
    free_problem(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_match_the_known_solution_for_each_ordering),
        cmocka_unit_test(the_hosts_random_numbers_are_left_alone),
        cmocka_unit_test(refactoring_follows_new_values),
        cmocka_unit_test(matrices_that_are_not_positive_definite_are_errors),
        cmocka_unit_test(float_solves_have_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(repeated_solves_are_those_one_by_one),
        cmocka_unit_test(solves_in_some_rows_are_those_of_the_whole),
        cmocka_unit_test(every_refused_allocation_is_a_clean_error),
        cmocka_unit_test(time_is_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
