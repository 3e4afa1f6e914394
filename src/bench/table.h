/// Rows of `pelt bench` that are kept, over one run or several.
#ifndef PELTI_BENCH_TABLE_H
#define PELTI_BENCH_TABLE_H

#include "core/memory.h"
#include "tools/page.h"

#include <pelt/bench.h>

enum { PELTI_BENCH_RUNS = 32 }; ///< most that count

typedef struct PeltiBenchKept { ///< a PeltBenchRow that keeps its texts
    char group[24], name[72], unit[16], note[240], parts[240];
    double wanted, paper, over_machine; ///< of the last run
    int runs;
    double values[PELTI_BENCH_RUNS]; ///< rising
    double low, median, high;
} PeltiBenchKept;

struct PeltBenchTable {
    PeltiArray rows; ///< of PeltiBenchKept
};

/// The whole page.
void pelti_bench_page(const PeltBenchTable *table, PeltiPage *page);

#endif
