/// Automatic weights of a character of any make: made on the closed body, carried to the file's points.
#ifndef PELTI_BODY_AUTOMATIC_H
#define PELTI_BODY_AUTOMATIC_H

#include "body/pieces.h"

/// Bone heat per welded vertex, piece by piece (held.h): closed ones with bones in them on their own mesh
/// (pelti_weights_automatic), worn ones by the skin below, cloth with nothing below on the body, rigid ones to one bone.
/// Lives in `pool`.
PeltStatus pelti_body_automatic(const PeltiCharacter *who, PeltiPool *pool, PeltiJobs *jobs, PeltiLog *log, PeltiWeights *out,
                                PeltError *err);

#endif
