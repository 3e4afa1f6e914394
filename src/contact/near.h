/// Which vertices of two surfaces may touch. Most vertices within the other surface's bounds are far from it, and asking for the
/// nearest feature of each was nine tenths of a frame's correction. So each vertex remembers how clear of the other surface it
/// was when it was asked; until the two have moved that far relative to each other it need not be asked again. Exact: the
/// same contacts are found as by asking every vertex.
#ifndef PELTI_CONTACT_NEAR_H
#define PELTI_CONTACT_NEAR_H

#include "contact/surface.h"

typedef struct PeltiContactNearMemory PeltiContactNearMemory;

/// Room for what vertices remember, at most `most_bytes` (but for one pair always): when it is full all is forgotten.
PeltStatus pelti_contact_near_create(PeltiPool *pool, int surface_count, const PeltiSurface *surfaces, size_t most_bytes,
                                     PeltiContactNearMemory **out, PeltError *err);

/// Adds the closest features of two surfaces within `alarm`: vertices of each against the other, and edges against sharp
/// edges. Deterministic order, the same for any number of threads; each pair of features once. Does not allocate.
void pelti_contact_touch_surfaces(PeltiContactNearMemory *memory, const PeltiSurfacePair *two, double alarm,
                                  PeltiContactTouches *out);

#endif
