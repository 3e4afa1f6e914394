/// What this machine can do at most, one thread: arithmetic with fused multiply-adds, and memory traffic.
#include "bench/bench.h"
#include "math/wide.h"

#include <stdlib.h>
#include <string.h>

/// Peak of what a kernel can do here: eight independent chains of eight-wide multiply-adds.
typedef float Wide __attribute__((vector_size(32)));
PELTI_CLONES static void spin_fma(void *context)
{
    float *out = context;
    float unit = out[0]; // 1, but not to the compiler
    Wide one = {unit, unit, unit, unit, unit, unit, unit, unit}, b = one * 1e-9f;
    Wide s0 = one, s1 = one * 2, s2 = one * 3, s3 = one * 4, s4 = one * 5, s5 = one * 6, s6 = one * 7, s7 = one * 8;
    for (int i = 0; i < 100000; i++) {
        s0 = s0 * one + b;
        s1 = s1 * one + b;
        s2 = s2 * one + b;
        s3 = s3 * one + b;
        s4 = s4 * one + b;
        s5 = s5 * one + b;
        s6 = s6 * one + b;
        s7 = s7 * one + b;
    }
    Wide sum = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7));
    for (int k = 0; k < 8; k++)
        out[k] = k ? sum[k] : 1;
}

static void copy_block(void *context)
{
    char *block = context;
    memcpy(block, block + (32 << 20), 32 << 20);
}

void pelti_bench_calibrate(PeltiBench *bench)
{
    float out[8] = {1};
    char *block = malloc(64 << 20);
    double ms = pelti_bench_best_ms(spin_fma, out, 20, 1), fma_gflops = 100000.0 * 8 * 8 * 2 / (ms * 1e6), memory_gbs = 0;
    pelti_bench_row(bench, "fused multiply-add peak, one thread", (PeltiBenchFigure){.value = fma_gflops, .unit = "Gflop/s"},
                    "%s", "");
    if (block) {
        memset(block, 1, 64 << 20);
        memory_gbs = 2 * (32 << 20) / (pelti_bench_best_ms(copy_block, block, 10, 1) * 1e6);
        pelti_bench_row(bench, "memory bandwidth, one thread", (PeltiBenchFigure){.value = memory_gbs, .unit = "GB/s"}, "%s",
                        "copy of 32 MB, read + write");
    }
    pelti_bench_set_machine(bench, fma_gflops, memory_gbs);
    free(block);
}
