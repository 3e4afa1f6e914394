/// Values of the composed field on a plane [Vaillant2014 fig. 3, 5].
#include "field/section.h"

float pelti_section_value(const PeltiFieldFrame *frame, Vec3 x)
{
    PeltiFieldSample s;
    pelti_frame_eval(frame, -1, -1, x, &s);
    return s.value;
}

float pelti_section_contact(const PeltiFieldFrame *frame, Vec3 x)
{
    int strongest = -1;
    float most = 0, value;
    Vec3 gradient;
    for (int p = 0; p < frame->fields->part_count; p++)
        if (pelti_frame_part(frame, p, x, &value, &gradient) && value > most) {
            strongest = p;
            most = value;
        }
    PeltiFieldSample s;
    pelti_frame_eval(frame, -1, strongest, x, &s);
    float both = 0.5f * (s.own + s.other);
    if (strongest < 0 || s.other_part < 0 || !(both > 0.48f && both < s.depth))
        return NAN;
    return strongest < s.other_part ? s.own - s.other : s.other - s.own;
}
