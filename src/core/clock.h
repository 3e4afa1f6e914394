/// Wall time for reports and benches.
#ifndef PELTI_CORE_CLOCK_H
#define PELTI_CORE_CLOCK_H
double pelti_clock_ms(void);                              ///< milliseconds since some fixed moment; monotonic
void pelti_clock_lap(double *since_ms, double *stage_ms); ///< adds the time since `since_ms` to a stage and starts the next
double pelti_peak_mb(void);                               ///< peak resident memory of this process, MiB
#endif
