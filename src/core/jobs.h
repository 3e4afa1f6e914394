/// One parallel-for. Ranges are cut by `grain` alone, never by the number of threads, so a result that is written per
/// range (and reduced in range order) is the same for any number of threads.
#ifndef PELTI_CORE_JOBS_H
#define PELTI_CORE_JOBS_H

#include "core/error.h"

typedef struct PeltiJobs PeltiJobs; ///< a pool of threads; one caller at a time

/// `threads` <= 0: as many as the machine has. 1 runs everything in the caller. NULL when refused.
PeltiJobs *pelti_jobs_create(int threads);
void pelti_jobs_destroy(PeltiJobs *jobs);
int pelti_jobs_threads(const PeltiJobs *jobs); ///< NULL: 1

/// Runs fn(context, begin, end, worker) over [0,count) in pieces of `grain`; piece k is [k*grain, min(count,(k+1)*grain)).
/// `worker` is in [0, threads). Returns when all are done. `jobs` NULL: in the caller. Does not allocate.
typedef void (*PeltiJob)(void *context, int begin, int end, int worker);
void pelti_parallel_for(PeltiJobs *jobs, int count, int grain, PeltiJob fn, void *context);

#endif
