/// One table of the measures: their names, and how the frames of a clip make the clip's.
#include "measure/measure.h"

#define COUNT(name, frame_name, merge)                                                                                           \
    {                                                                                                                            \
#name, frame_name, offsetof(PeltQuality, name), true, merge                                                              \
    }
#define VALUE(name, frame_name, merge)                                                                                           \
    {                                                                                                                            \
#name, frame_name, offsetof(PeltQuality, name), false, merge                                                             \
    }

// clang-format off
const PeltiMeasureField pelti_measure_fields[] = {
    COUNT(nonfinite, "nonfinite", PELTI_WORST_SUM),
    COUNT(self_intersections, "self_intersections", PELTI_WORST_MOST),
    COUNT(rest_self_intersections, NULL, PELTI_WORST_MOST),
    COUNT(self_intersections_new, "self_intersections_new", PELTI_WORST_MOST),
    COUNT(self_intersecting_frames, NULL, PELTI_WORST_SUM),
    COUNT(coplanar_overlaps, NULL, PELTI_WORST_MOST),
    COUNT(triangles_intersecting, NULL, PELTI_WORST_MOST),
    COUNT(deep_pairs, "deep_pairs", PELTI_WORST_MOST),
    COUNT(crossings_new, "crossings_new", PELTI_WORST_MOST),
    VALUE(pair_depth, "pair_depth", PELTI_WORST_MOST),
    COUNT(inside_vertices, NULL, PELTI_WORST_MOST),
    COUNT(everted_vertices, NULL, PELTI_WORST_MOST),
    VALUE(depth, "depth", PELTI_WORST_MOST),
    COUNT(degenerate, NULL, PELTI_WORST_MOST),
    COUNT(flipped_vs_neighbours, NULL, PELTI_WORST_MOST),
    COUNT(flipped_vs_bone, NULL, PELTI_WORST_MOST),
    COUNT(inverted, "inverted", PELTI_WORST_MOST),
    VALUE(volume_ratio_min, "volume_ratio", PELTI_WORST_LEAST),
    VALUE(volume_ratio_max, NULL, PELTI_WORST_MOST),
    VALUE(component_volume_min, "component_volume_min", PELTI_WORST_LEAST),
    VALUE(component_volume_max, "component_volume_max", PELTI_WORST_MOST),
    VALUE(component_volume_error, NULL, PELTI_WORST_MOST),
    VALUE(component_volume_vs_lbs, "component_volume_vs_lbs", PELTI_WORST_MOST),
    VALUE(stretch_min, NULL, PELTI_WORST_LEAST),
    VALUE(stretch_p1, NULL, PELTI_WORST_LEAST),
    VALUE(stretch_p50_min, NULL, PELTI_WORST_LEAST),
    VALUE(stretch_p50_max, NULL, PELTI_WORST_MOST),
    VALUE(stretch_p99, "stretch_p99", PELTI_WORST_MOST),
    VALUE(stretch_max, "stretch_max", PELTI_WORST_MOST),
    VALUE(area_p1, NULL, PELTI_WORST_LEAST),
    VALUE(area_p99, NULL, PELTI_WORST_MOST),
    COUNT(torn, "torn", PELTI_WORST_MOST),
    VALUE(flown, "flown", PELTI_WORST_MOST),
    VALUE(rigid_error, "rigid_error", PELTI_WORST_MOST),
    VALUE(crack, "crack", PELTI_WORST_MOST),
    VALUE(jitter_world, NULL, PELTI_WORST_MOST),
    VALUE(jitter, "jitter", PELTI_WORST_MOST),
    VALUE(loop_error, NULL, PELTI_WORST_MOST),
    {0},
};
// clang-format on

static int *count_in(PeltQuality *q, const PeltiMeasureField *field)
{
    return (int *)(void *)((char *)q + field->offset);
}

static double *value_in(PeltQuality *q, const PeltiMeasureField *field)
{
    return (double *)(void *)((char *)q + field->offset);
}

int pelti_quality_count(const PeltQuality *q, const PeltiMeasureField *field)
{
    return *(const int *)(const void *)((const char *)q + field->offset);
}

double pelti_quality_value(const PeltQuality *q, const PeltiMeasureField *field)
{
    return *(const double *)(const void *)((const char *)q + field->offset);
}

const char *pelt_quality_item(const PeltQuality *quality, int index, double *value)
{
    const int count = (int)(sizeof pelti_measure_fields / sizeof *pelti_measure_fields) - 1;
    if (index < 0 || index >= count)
        return NULL;
    const PeltiMeasureField *field = &pelti_measure_fields[index];
    if (!field->is_count)
        *value = pelti_quality_value(quality, field);
    else
        *value = pelti_quality_count(quality, field) < 0 ? NAN : pelti_quality_count(quality, field);
    return field->name;
}

PeltQuality pelti_quality_none(void)
{
    PeltQuality q = {0};
    for (const PeltiMeasureField *f = pelti_measure_fields; f->name; f++) {
        if (f->is_count)
            *count_in(&q, f) = f->merge == PELTI_WORST_SUM ? 0 : -1;
        else
            *value_in(&q, f) = NAN;
    }
    return q;
}

/// fmax and fmin take the number where one is NAN, and -1 is below every count: "not defined" never hides a value.
void pelti_quality_merge(PeltQuality *clip, const PeltQuality *frame)
{
    clip->frames += frame->frames;
    for (const PeltiMeasureField *f = pelti_measure_fields; f->name; f++) {
        if (f->is_count) {
            int *q = count_in(clip, f), more = pelti_quality_count(frame, f);
            *q = f->merge == PELTI_WORST_SUM ? *q + more : *q > more ? *q : more;
        } else {
            double *q = value_in(clip, f), more = pelti_quality_value(frame, f);
            *q = f->merge == PELTI_WORST_LEAST ? fmin(*q, more) : fmax(*q, more);
        }
    }
}
