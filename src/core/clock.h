/// Wall time for reports and benches.
#ifndef PELTI_CORE_CLOCK_H
#define PELTI_CORE_CLOCK_H
double pelti_clock_ms(void); ///< milliseconds since some fixed moment; monotonic
double pelti_peak_mb(void);  ///< peak resident memory of this process, MiB
#endif
