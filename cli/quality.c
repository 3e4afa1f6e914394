/// Measures in words: what `pelt bake --report` and `pelt measure` print.
#include "cli.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void cli_print_quality(const PeltQuality *q, const PeltQuality *lbs, const char *verdict)
{
    static const struct {
        const char *name, *label;
        double times;
        const char *format;
    } rows[] = {
        {"self_intersections", "crossing pairs", 1, "%.0f"},
        {"deep_pairs", "deeper than touching, not at rest", 1, "%.0f"},
        {"crossings_new", "and not near such a pair at rest", 1, "%.0f"},
        {"depth", "deepest vertex inside, % of the size", 100, "%.3f"},
        {"inverted", "inverted triangles", 1, "%.0f"},
        {"torn", "torn edges", 1, "%.0f"},
        {"stretch_p99", "stretch, 99th percentile", 1, "%.3f"},
        {"stretch_max", "stretch, largest", 1, "%.3f"},
        {"volume_ratio_min", "volume, least", 1, "%.4f"},
        {"volume_ratio_max", "volume, most", 1, "%.4f"},
        {"component_volume_error", "closed parts' volume off by, %", 100, "%.2f"},
        {"flown", "farthest from lbs, % of the size", 100, "%.3f"},
        {"rigid_error", "rigid pieces bend, % of the size", 100, "%.4f"},
        {"jitter", "jitter, % of the size", 100, "%.4f"},
        {"loop_error", "loop error, % of the size", 100, "%.4f"},
        {"crack", "cracks, % of the size", 100, "%.4f"},
        {"nonfinite", "not finite", 1, "%.0f"},
    };
    printf("%-36s %12s %12s\n", "worst of all frames", "skin", "lbs");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const PeltQuality *both[2] = {q, lbs};
        printf("%-36s", rows[r].label);
        for (int k = 0; k < 2; k++) {
            char text[40] = "-";
            double value = NAN;
            const char *name = NULL;
            for (int i = 0; both[k]->frames && (name = pelt_quality_item(both[k], i, &value)); i++)
                if (!strcmp(name, rows[r].name))
                    break;
            if (name && isfinite(value))
                snprintf(text, sizeof text, rows[r].format, rows[r].times * value);
            printf(" %12s", text);
        }
        printf("\n");
    }
    printf("verdict: %s\n", verdict);
}

void cli_print_quality_json(const char *before, const PeltQuality *q, PeltVerdict verdict, const char *text)
{
    const char *name;
    double value;
    for (int i = 0; (name = pelt_quality_item(q, i, &value)); i++) {
        printf("%s\"%s\": ", before, name);
        isfinite(value) ? printf("%.9g", value) : printf("null");
        before = ", ";
    }
    printf(", \"verdict\": \"%s\", \"verdict_worse\": %s", text, verdict == PELT_VERDICT_WORSE ? "true" : "false");
}
