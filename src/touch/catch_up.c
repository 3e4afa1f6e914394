/// Skin that was left far behind catches up within its frame.
/// Where many contacts push a coarse skin about at once, a plan takes it farther from what is wanted than they need, and what
/// runs out of work stays behind as a whole: neither is caught by anything. More substeps in the same pose bring it nearer,
/// each as safe as those on the way.
#include "touch/constants.def"
#include "touch/parts.h"

double pelti_touch_behind(const PeltiTouch *t, const Vec3 *x, float *most)
{
    double sum = 0;
    *most = 0;
    for (int v = 0; v < t->count; v++) {
        Vec3 by = vec3_sub(x[v], t->state.wanted[v]);
        float square = vec3_dot(by, by);
        sum += (double)square;
        *most = larger(*most, square);
    }
    *most = sqrtf(*most);
    return sum;
}

void pelti_touch_catch_up(PeltiTouch *t, PeltiTouchReport *report)
{
    float most;
    double left = pelti_touch_behind(t, t->state.x, &most);
    if (t->contacts.count == 0 && report->spent == 0)
        return; // nothing touches: what edges hold back is as near as they let it
    for (int i = 0; i < GO_ON && most > LEFT_BEHIND * t->rest.size; i++) {
        double all = left;
        float farthest = most;
        pelti_touch_go_on(t, report);
        left = pelti_touch_behind(t, t->state.x, &most);
        if (!(left < all) && !(most < farthest))
            break; // it is caught
    }
}
