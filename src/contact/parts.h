/// A skin cut into parts by the bone that moves it most, which of them may touch, and points of each to touch with.
#ifndef PELTI_CONTACT_PARTS_H
#define PELTI_CONTACT_PARTS_H

#include "character/weights.h"
#include "contact/part_field.h"
#include "contact/surface.h"

/// Never: one part, or neighbours that a joint folds into each other. Near: with one part between them; where they nearly touch
/// at rest that is a fold too. Apart: farther along the skeleton.
typedef enum PeltiContactApart { PELTI_APART_NEVER, PELTI_APART_NEAR, PELTI_APART_FAR } PeltiContactApart;

typedef struct PeltiContactPart {
    int bone;   ///< the part moves with it, but for its rims; large separate pieces on one bone are parts of their own
    int parent; ///< part of the nearest bone above that has one, -1: none
    int first_sample, sample_count;
    float area; ///< of its skin at rest
    PeltiContactPartField field;
} PeltiContactPart;

/// Made once, of the rest pose, by parts.c (fields by part_field.c); giving way reads them.
typedef struct PeltiContactParts {
    int part_count, sample_count;
    PeltiContactPart *parts;
    unsigned char *apart;      ///< [part_count x part_count] PeltiContactApart
    PeltiSurfaceSpot *samples; ///< [sample_count] by part: vertices spread over it, faces where it has few
    Vec3 *rest;                ///< [sample_count]
} PeltiContactParts;

enum { PELTI_MOST_PARTS = 512 };

/// Parts by weights and skin, never by names. A piece that is flat (a cheek, an eyelid, half a chest) belongs to the part above
/// it. Links of the skeleton are parents and bones whose skins share an edge. Props (unskinned meshes) are no parts.
PeltStatus pelti_contact_parts_create(PeltiPool *pool, const PeltiCharacter *who, const PeltiWeights *weights, PeltiJobs *jobs,
                                      PeltiContactParts *out, PeltError *err);

#endif
