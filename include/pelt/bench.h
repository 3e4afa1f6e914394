/// Timings beside the figures they are to be compared with: what `pelt bench` prints. Of libpelt-tools.
#ifndef PELT_BENCH_H
#define PELT_BENCH_H

#include <pelt/base.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One figure. Texts live until the callback returns.
typedef struct PeltBenchRow {
    const char *group, *name, *unit;
    const char *note;    ///< quality, sizes, what else to know
    double value;        ///< in `unit`; NaN: could not be run, `note` says why
    double wanted;       ///< what it should be; 0: not said
    double paper;        ///< what a paper or another program gives for it; 0: none
    double over_machine; ///< how many times its arithmetic or its memory traffic alone would take; 0: not said
    const char *parts;   ///< where the value goes, "solve 1.2, contacts 3": names and numbers in `unit`; NULL: not said
    int runs;            ///< of a table: how often it was run; 0 where a single run is told
    double low, high;    ///< of a table: least and most of the runs, `value` is their median
} PeltBenchRow;

typedef struct PeltBenchDef {
    const char *const *groups;                        ///< names of pelt_bench_group_name
    int group_count;                                  ///< 0: all
    const char *const *only;                          ///< run and tell only rows whose name holds one of these texts
    int only_count;                                   ///< 0: all rows
    int threads;                                      ///< most to use; 0: as many as the machine has
    int runs;                                         ///< how often all of it is run; 0: once
    bool quick;                                       ///< fewer repeats, for a look
    const char *data;                                 ///< folder of real characters to time as well; NULL: none
    void (*row)(const PeltBenchRow *row, void *user); ///< called as each row is ready; may be NULL
    void *row_user;
    uint32_t guard; ///< filled by pelt_bench_def_default, checked by pelt_bench
} PeltBenchDef;
/// All groups, on all threads, to no one yet. From any thread, at no cost.
PELT_API PeltBenchDef pelt_bench_def_default(void);

/// Runs the groups, after two rows of what the machine can do at most. Takes minutes, and means something only where nothing else
/// runs. One thread at a time. `def` stays the caller's. PELT_BAD_ARGUMENT names a group that there is not; a row that cannot be
/// run says so itself.
PELT_API PeltStatus pelt_bench(const PeltBenchDef *def, PeltError *err);

PELT_API int pelt_bench_group_count(void);              ///< as the three, from any thread, at no cost
PELT_API const char *pelt_bench_group_name(int group);  ///< static text; NULL: out of range
PELT_API const char *pelt_bench_group_about(int group); ///< a line of what it times, static text; NULL: out of range

/// Rows that are kept: of one run, of several, or of a file. One thread at a time.
typedef struct PeltBenchTable PeltBenchTable;
/// An empty one, the caller's to destroy. From any thread; costs an allocation; PELT_FAILED where that is refused.
PELT_API PeltStatus pelt_bench_table_create(PeltBenchTable **out, PeltError *err);
PELT_API void pelt_bench_table_destroy(PeltBenchTable *table); ///< NULL is fine
/// Copies a row; one of the same group and name again is another run of it. Fits PeltBenchDef.row, `table` its row_user. A row
/// that there is no memory for is left out. From the table's thread; costs at most an allocation.
PELT_API void pelt_bench_table_add(const PeltBenchRow *row, void *table);
PELT_API int pelt_bench_table_count(const PeltBenchTable *table); ///< rows, at no cost
/// Texts live as long as the table, until the next row is added. The index is the caller's to keep in range.
PELT_API PeltBenchRow pelt_bench_table_row(const PeltBenchTable *table, int index);
/// A .csv that pelt_bench_table_write made. The table is the caller's to destroy. From any thread; takes a few ms. PELT_IO,
/// PELT_BAD_INPUT with the cause; PELT_FAILED: there was no memory.
PELT_API PeltStatus pelt_bench_table_read(const char *path, PeltBenchTable **out, PeltError *err);
/// `form` is "csv", "json" or "html" (a page of its own: bars against paper, aim and machine limit, lines over threads and
/// sizes); NULL: as the path ends, json where it ends otherwise. The table is only read and stays the caller's; takes a few ms.
/// PELT_IO: it cannot be written.
PELT_API PeltStatus pelt_bench_table_write(const PeltBenchTable *table, const char *path, const char *form, PeltError *err);

/// What became of a row between two tables.
typedef struct PeltBenchChange {
    PeltBenchRow before, after;
    double ratio; ///< after / before
    double noise; ///< a change of the ratio by less is chance: from the spread of the runs, 0.15 where there was only one
    int verdict;  ///< 1: better, -1: worse, 0: within the noise
} PeltBenchChange;
/// Tells every row that both tables have with the same unit, in the order of `after`. From the thread of both tables; takes a few
/// ms at most.
PELT_API void pelt_bench_compare(const PeltBenchTable *before, const PeltBenchTable *after,
                                 void (*change)(const PeltBenchChange *change, void *user), void *user);

#ifdef __cplusplus
}
#endif
#endif
