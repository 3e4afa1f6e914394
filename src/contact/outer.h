/// Which triangles of a skin at rest are seen from outside. Clothes have an inner face, bodies go on beneath them, mouths hold
/// teeth: none of that can be touched, and a distance to it would call the hollow of a sleeve its outside.
#ifndef PELTI_CONTACT_OUTER_H
#define PELTI_CONTACT_OUTER_H

#include "core/jobs.h"
#include "geometry/mesh.h"

PeltStatus pelti_contact_outer_triangles(const PeltiMesh *mesh, PeltiPool *work, PeltiJobs *jobs, bool *outer, PeltError *err);

#endif
