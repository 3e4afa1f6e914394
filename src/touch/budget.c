/// Bounds the work of a substep by counting, never by timing, so that the same frames end early everywhere.
#include "touch/constants.def"
#include "touch/parts.h"

void pelti_touch_allow(PeltiTouch *t)
{
    t->budget = (TouchBudget){.allowed = (long long)WORK * (t->count + WORK_BASE)};
}

bool pelti_touch_spend(PeltiTouch *t, long long work)
{
    t->budget.used += work;
    t->budget.spent |= t->budget.used > t->budget.allowed;
    return !t->budget.spent;
}
