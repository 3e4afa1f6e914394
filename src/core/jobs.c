/// Worker threads and the one parallel-for.
#include "core/jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// LOOKS of a thread before it sleeps, some 0.05 ms of them: longer than the serial stretches of a step, since to be woken takes
// as long and a step has dozens of rounds. More of them keep others from working where threads outnumber processors; to offer the
// processor between two looks (sched_yield) costs milliseconds where others take the offer.
enum { PELTI_MAX_THREADS = 64, PELTI_LINE = 64 };                 // LINE: bytes of a cache line
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) // where each look is watched
enum { PELTI_LOOKS = 5000 };
#else
enum { PELTI_LOOKS = 120000 };
#endif

typedef struct Worker {
    PeltiJobs *jobs;
    pthread_t thread;
    int index;
} Worker;

struct PeltiJobs { // NOLINT(clang-analyzer-optin.performance.Padding): the lines of their own below are what it pads for
    int threads;
    Worker workers[PELTI_MAX_THREADS];
    pthread_mutex_t mutex;
    pthread_cond_t wake, done;
    // Each on a line of its own: who waits looks at one while the others change.
    _Alignas(PELTI_LINE) atomic_uint round; // grows by one for each parallel_for: what sleeping workers wait for
    _Alignas(PELTI_LINE) atomic_int next;   // next piece
    _Alignas(PELTI_LINE) atomic_int busy;   // workers that have not finished this round
    _Alignas(PELTI_LINE) atomic_int asleep; // workers that wait for a wake; the others look at `round` and need none
    atomic_int waits;                       // the caller sleeps until busy is 0
    bool stop;
    PeltiJob fn;
    void *context;
    int count, grain;
};

static void run_pieces(PeltiJobs *jobs, int worker)
{
    int pieces = (jobs->count + jobs->grain - 1) / jobs->grain;
    for (;;) {
        int piece = atomic_fetch_add_explicit(&jobs->next, 1, memory_order_relaxed);
        if (piece >= pieces)
            return;
        int begin = piece * jobs->grain;
        int end = jobs->count - begin < jobs->grain ? jobs->count : begin + jobs->grain;
        jobs->fn(jobs->context, begin, end, worker);
    }
}

/// Looks a while before sleeping: steps call parallel_for many times in a row.
static void wait_for_round(PeltiJobs *jobs, unsigned seen)
{
    for (int i = 0; i < PELTI_LOOKS; i++)
        if (atomic_load_explicit(&jobs->round, memory_order_acquire) != seen)
            return;
    pthread_mutex_lock(&jobs->mutex);
    atomic_fetch_add(&jobs->asleep, 1); // before the last look: a round that is not seen there sees this
    while (atomic_load(&jobs->round) == seen)
        pthread_cond_wait(&jobs->wake, &jobs->mutex);
    atomic_fetch_sub(&jobs->asleep, 1);
    pthread_mutex_unlock(&jobs->mutex);
}

static void *worker_main(void *argument)
{
    Worker *self = argument;
    PeltiJobs *jobs = self->jobs;
    unsigned seen = 0;
    for (;;) {
        wait_for_round(jobs, seen);
        seen++;
        if (jobs->stop)
            return NULL;
        run_pieces(jobs, self->index);
        if (atomic_fetch_sub(&jobs->busy, 1) == 1 && atomic_load(&jobs->waits)) {
            pthread_mutex_lock(&jobs->mutex);
            pthread_cond_signal(&jobs->done);
            pthread_mutex_unlock(&jobs->mutex);
        }
    }
}

/// Publishes a round to the workers. The mutex is for sleepers: taken every time, the last worker of a round and the next round's
/// start would meet there, and a step of a small character has a hundred rounds of a few microseconds.
static void start_round(PeltiJobs *jobs)
{
    atomic_store_explicit(&jobs->next, 0, memory_order_relaxed);
    atomic_store_explicit(&jobs->busy, jobs->threads - 1, memory_order_relaxed);
    atomic_fetch_add(&jobs->round, 1);
    if (!atomic_load(&jobs->asleep))
        return;
    pthread_mutex_lock(&jobs->mutex);
    pthread_cond_broadcast(&jobs->wake);
    pthread_mutex_unlock(&jobs->mutex);
}

PeltiJobs *pelti_jobs_create(int threads)
{
    if (threads <= 0)
        threads = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (threads < 1)
        threads = 1;
    if (threads > PELTI_MAX_THREADS)
        threads = PELTI_MAX_THREADS;
    PeltiJobs *jobs = aligned_alloc(PELTI_LINE, sizeof *jobs);
    if (!jobs)
        return NULL;
    memset(jobs, 0, sizeof *jobs);
    pthread_mutex_init(&jobs->mutex, NULL);
    pthread_cond_init(&jobs->wake, NULL);
    pthread_cond_init(&jobs->done, NULL);
    jobs->threads = 1;
    for (int i = 1; i < threads; i++) {
        jobs->workers[i] = (Worker){.jobs = jobs, .index = i};
        if (pthread_create(&jobs->workers[i].thread, NULL, worker_main, &jobs->workers[i]))
            break; // fewer threads is fine: results do not depend on the number
        jobs->threads = i + 1;
    }
    return jobs;
}

void pelti_jobs_destroy(PeltiJobs *jobs)
{
    if (!jobs)
        return;
    jobs->stop = true;
    start_round(jobs);
    for (int i = 1; i < jobs->threads; i++)
        pthread_join(jobs->workers[i].thread, NULL);
    pthread_cond_destroy(&jobs->done);
    pthread_cond_destroy(&jobs->wake);
    pthread_mutex_destroy(&jobs->mutex);
    free(jobs);
}

int pelti_jobs_threads(const PeltiJobs *jobs)
{
    return jobs ? jobs->threads : 1;
}

void pelti_parallel_for(PeltiJobs *jobs, int count, int grain, PeltiJob fn, void *context)
{
    if (count <= 0)
        return;
    if (grain < 1)
        grain = 1;
    if (!jobs || jobs->threads == 1 || count <= grain) {
        for (int begin = 0; begin < count; begin += grain)
            fn(context, begin, count - begin < grain ? count : begin + grain, 0);
        return;
    }
    jobs->fn = fn;
    jobs->context = context;
    jobs->count = count;
    jobs->grain = grain;
    start_round(jobs);
    run_pieces(jobs, 0);
    for (int i = 0; i < PELTI_LOOKS; i++)
        if (atomic_load_explicit(&jobs->busy, memory_order_acquire) == 0)
            return;
    pthread_mutex_lock(&jobs->mutex);
    atomic_store(&jobs->waits, 1);
    while (atomic_load(&jobs->busy) != 0)
        pthread_cond_wait(&jobs->done, &jobs->mutex);
    atomic_store(&jobs->waits, 0);
    pthread_mutex_unlock(&jobs->mutex);
}
