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
/// Returns a description of all groups, on all threads, told to no one yet. Any thread may call it, and it costs nothing.
PELT_API PeltBenchDef pelt_bench_def_default(void);

/// Runs the groups, after two rows of what the machine can do at most. It takes minutes, and means something only where nothing
/// else runs. Any thread may call it, one at a time. `def` stays the caller's. It fails with PELT_BAD_ARGUMENT, which names a
/// group that there is not; a row that cannot be run says so itself.
PELT_API PeltStatus pelt_bench(const PeltBenchDef *def, PeltError *err);

/// Groups are numbered from 0 on.

/// Returns how many groups there are. Any thread may call it, at no cost.
PELT_API int pelt_bench_group_count(void);
/// Returns the name of a group, and NULL for a number that is no group's. The text is static. Any thread may call it, at no cost.
PELT_API const char *pelt_bench_group_name(int group);
/// Returns a line that says what a group times, and NULL for a number that is no group's. The text is static. Any thread may call
/// it, at no cost.
PELT_API const char *pelt_bench_group_about(int group);

/// Rows that are kept: of one run, of several, or of a file. One thread at a time may call the functions that take it.
typedef struct PeltBenchTable PeltBenchTable;
/// Makes an empty table, which is the caller's to destroy. Any thread may call it; it costs an allocation, and fails with
/// PELT_FAILED where that is refused.
PELT_API PeltStatus pelt_bench_table_create(PeltBenchTable **out, PeltError *err);
/// Frees a table; NULL is fine. No other thread may be using it.
PELT_API void pelt_bench_table_destroy(PeltBenchTable *table);
/// Copies a row into a table; one of the same group and name again is another run of it. It fits PeltBenchDef.row, with the table
/// as its row_user. A row that there is no memory for is left out. It must be called from the table's thread, and costs at most
/// an allocation.
PELT_API void pelt_bench_table_add(const PeltBenchRow *row, void *table);
/// Returns how many rows there are. It must be called from the table's thread, at no cost.
PELT_API int pelt_bench_table_count(const PeltBenchTable *table);
/// Returns a row. Its texts are owned by the table and live until the next row is added. A number outside [0, count) asserts. It
/// must be called from the table's thread, at no cost.
PELT_API PeltBenchRow pelt_bench_table_row(const PeltBenchTable *table, int index);
/// Reads a .csv that pelt_bench_table_write made. The table is the caller's to destroy. Any thread may call it, and it takes a
/// few ms. It fails with PELT_IO where the file cannot be read, PELT_BAD_INPUT where it is not sound, with the cause, and
/// PELT_FAILED where there is no memory.
PELT_API PeltStatus pelt_bench_table_read(const char *path, PeltBenchTable **out, PeltError *err);
/// Writes a table. `form` is "csv", "json" or "html" (a page of its own: bars against paper, aim and machine limit, lines over
/// threads and sizes); NULL means as the path ends, and json where it ends otherwise. The table is only read and stays the
/// caller's; it takes a few ms. It fails with PELT_BAD_ARGUMENT for another form, PELT_IO where the file cannot be written, and
/// PELT_FAILED where there is no memory.
PELT_API PeltStatus pelt_bench_table_write(const PeltBenchTable *table, const char *path, const char *form, PeltError *err);

/// What became of a row between two tables.
typedef struct PeltBenchChange {
    PeltBenchRow before, after;
    double ratio; ///< after / before
    double noise; ///< a change of the ratio by less is chance: from the spread of the runs, 0.15 where there was only one
    int verdict;  ///< 1: better, -1: worse, 0: within the noise
} PeltBenchChange;
/// Tells `change` of every row that both tables have with the same unit, in the order of `after`; what it is told lives until it
/// returns. It must be called from the thread of both tables, which are only read, and takes a few ms at most.
PELT_API void pelt_bench_compare(const PeltBenchTable *before, const PeltBenchTable *after,
                                 void (*change)(const PeltBenchChange *change, void *user), void *user);

#ifdef __cplusplus
}
#endif
#endif
