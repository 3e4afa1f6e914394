/// Bounds the work of a substep by counting, never by timing, so that the same frames end early everywhere.
#include "touch/constants.def"
#include "touch/parts.h"

void pelti_touch_allow(TouchBudget *budget, int vertices)
{
    *budget = (TouchBudget){.allowed = (long long)WORK * (vertices + WORK_BASE)};
}

bool pelti_touch_spend(TouchBudget *budget, long long work)
{
    budget->used += work;
    budget->spent |= budget->used > budget->allowed;
    return !budget->spent;
}

void pelti_touch_overflow(TouchBudget *budget, bool overflow)
{
    budget->overflow |= overflow;
}

void pelti_touch_forget_overflow(TouchBudget *budget)
{
    budget->overflow = false;
}
