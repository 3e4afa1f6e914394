/// The verdict: is a skin worse than linear blending of the same clip, as good, or better, and by what (docs/measures.md).
#include "measure/measure.h"

#include "geometry/constants.def"
#include "measure/constants.def"

#include <stdarg.h>
#include <stdio.h>

typedef struct VerdictLine {
    char *text;
    size_t size, length;
    int reasons;
} VerdictLine;

PELT_PRINTF(2, 3) static void say(VerdictLine *line, const char *format, ...)
{
    if (!line->text || line->length + 1 >= line->size)
        return;
    va_list args;
    va_start(args, format);
    int wrote = vsnprintf(line->text + line->length, line->size - line->length, format, args);
    va_end(args);
    if (wrote > 0)
        line->length += (size_t)wrote < line->size - line->length ? (size_t)wrote : line->size - line->length - 1;
}

static void say_reason(VerdictLine *line)
{
    say(line, line->reasons++ ? "; " : ": ");
}

/// Everything that is worse, each with lbs's value beside it. Undefined values (NAN, -1) compare as good.
static void find_worse(const PeltQuality *q, const PeltQuality *lbs, VerdictLine *line)
{
    if (q->nonfinite > 0)
        say_reason(line), say(line, "%d coordinates are no numbers", q->nonfinite);
    if (q->stretch_max > fmax(TORN, lbs ? TORN_BEYOND_LBS * lbs->stretch_max : 0)) {
        say_reason(line);
        say(line, "stretched to %.3g times (lbs %.3g)", q->stretch_max, lbs ? lbs->stretch_max : NAN);
        if (q->torn > 0)
            say(line, ", %d edges torn", q->torn);
    }
    if (lbs && q->inverted > lbs->inverted)
        say_reason(line), say(line, "%d triangles inverted (lbs %d)", q->inverted, lbs->inverted);
    if (lbs && q->deep_pairs > lbs->deep_pairs)
        say_reason(line), say(line, "%d deep pairs (lbs %d)", q->deep_pairs, lbs->deep_pairs);
    if (q->component_volume_vs_lbs > WORSE_VOLUME) {
        say_reason(line);
        say(line, "a closed part's volume off lbs by %.0f %%", 100 * q->component_volume_vs_lbs);
    }
    if (q->flown > WORSE_FLOWN)
        say_reason(line), say(line, "%.0f %% of the size from lbs", 100 * q->flown);
    if (q->rigid_error > WORSE_RIGID)
        say_reason(line), say(line, "a rigid piece bends by %.2g of the size", q->rigid_error);
}

static void find_better(const PeltQuality *q, const PeltQuality *lbs, VerdictLine *line)
{
    if (lbs->deep_pairs > 0 && q->deep_pairs >= 0 && q->deep_pairs * (int64_t)BETTER_PAIRS <= lbs->deep_pairs)
        say_reason(line), say(line, "%d deep pairs (lbs %d)", q->deep_pairs, lbs->deep_pairs);
    if (lbs->component_volume_error > BETTER_VOLUME_FROM &&
        q->component_volume_error <= BETTER_VOLUME * lbs->component_volume_error) {
        say_reason(line);
        say(line, "volume of closed parts off by %.1f %% (lbs %.1f %%)", 100 * q->component_volume_error,
            100 * lbs->component_volume_error);
    }
}

PeltVerdict pelt_quality_verdict(const PeltQuality *q, const PeltQuality *lbs, char *text, size_t size)
{
    VerdictLine line = {text, size, 0, 0};
    if (text && size)
        text[0] = 0;
    if (q->frames == 0) {
        say(&line, "not measured");
        return PELT_VERDICT_NONE;
    }
    if (lbs && lbs->frames == 0)
        lbs = NULL;
    say(&line, "worse than lbs");
    find_worse(q, lbs, &line);
    if (line.reasons)
        return PELT_VERDICT_WORSE;
    line.length = 0;
    if (!lbs) {
        say(&line, "sound; the file has no weights to compare with");
        return PELT_VERDICT_AS_GOOD;
    }
    say(&line, "better than lbs");
    find_better(q, lbs, &line);
    if (line.reasons)
        return PELT_VERDICT_BETTER;
    line.length = 0;
    say(&line, "as good as lbs");
    return PELT_VERDICT_AS_GOOD;
}
