/// Warnings gathered for a person (inspect, report) and progress of long work.
#ifndef PELTI_CORE_LOG_H
#define PELTI_CORE_LOG_H

#include "core/memory.h"

/// A list of warnings with stable codes; the same code and text is kept once. Never fails: when memory is refused a
/// warning is dropped and counted.
typedef struct PeltiLog {
    PeltiArray warnings; ///< of PeltWarning
    int dropped;
} PeltiLog;
void pelti_log_init(PeltiLog *log, const PeltAllocator *allocator);
void pelti_log_release(PeltiLog *log);
void pelti_warn(PeltiLog *log, const char *code, const char *format, ...) PELT_PRINTF(3, 4); ///< log may be NULL
int pelti_log_count(const PeltiLog *log);
const PeltWarning *pelti_log_get(const PeltiLog *log, int index);

/// Progress sink handed down to long work; zeroed means silent.
typedef struct PeltiProgressSink {
    PeltProgress fn;
    void *user;
} PeltiProgressSink;
/// PELT_FAILED ("cancelled") when the user asked to stop.
PeltStatus pelti_progress(const PeltiProgressSink *progress, const char *stage, double share, PeltError *err);

#endif
