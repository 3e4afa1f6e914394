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
} PeltBenchRow;

typedef struct PeltBenchDef {
    const char *const *groups;                        ///< names of pelt_bench_group_name
    int group_count;                                  ///< 0: all
    int threads;                                      ///< most to use; 0: as many as the machine has
    bool quick;                                       ///< fewer repeats, for a look
    const char *data;                                 ///< folder of real characters to time as well; NULL: none
    void (*row)(const PeltBenchRow *row, void *user); ///< called as each row is ready; may be NULL
    void *row_user;
    uint32_t guard; ///< filled by pelt_bench_def_default, checked by pelt_bench
} PeltBenchDef;
PELT_API PeltBenchDef pelt_bench_def_default(void);

/// Runs the groups, after two rows of what the machine can do at most. Takes minutes, and means something only where nothing else
/// runs. One thread at a time. PELT_BAD_ARGUMENT names a group that there is not; a row that cannot be run says so itself.
PELT_API PeltStatus pelt_bench(const PeltBenchDef *def, PeltError *err);

PELT_API int pelt_bench_group_count(void);
PELT_API const char *pelt_bench_group_name(int group);  ///< static text; NULL: out of range
PELT_API const char *pelt_bench_group_about(int group); ///< a line of what it times, static text; NULL: out of range

#ifdef __cplusplus
}
#endif
#endif
