/// A bound on the work of a frame. It is counted, never timed, so that the same frames end early everywhere.
#include "touch/constants.def"
#include "touch/parts.h"

void pelti_touch_allow(PeltiTouch *t, int substep)
{
    if (substep == 1)
        t->budget.used = 0;
    t->budget.allowed = (WORK_FRAME + (long long)substep * WORK_SUBSTEP) * (t->count + 256);
    t->budget.spent = false;
}

bool pelti_touch_spend(PeltiTouch *t, long long work)
{
    t->budget.used += work;
    t->budget.spent |= t->budget.used > t->budget.allowed;
    return !t->budget.spent;
}
