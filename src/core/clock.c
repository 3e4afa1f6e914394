/// Wall time and the most memory held.
#include "core/clock.h"

#include <sys/resource.h>
#include <time.h>

double pelti_clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void pelti_clock_lap(double *since_ms, double *stage_ms)
{
    double now = pelti_clock_ms();
    *stage_ms += now - *since_ms;
    *since_ms = now;
}

double pelti_peak_mb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024.0;
}
