/// A distilled skin as files that play: the character's file with helpers in its skin, correctives among its morph targets and
/// curves for both in every clip; and beside it the rules, for engines that pose live.
#ifndef PELTI_DISTIL_WRITE_H
#define PELTI_DISTIL_WRITE_H

#include "distil/distilled.h"
#include "io/gltf_reskin.h"

typedef struct PeltiDistilWriteDef {
    const PeltiDistilSkin *distilled;
    const PeltiGltf *document; ///< what its character was read from
    const char *path;          ///< .glb or .gltf; the rules go to <path without extension>.drivers.json
    const char *method;        ///< whose results were distilled, for people
    double fps;                ///< keys of helpers and correctives a second; 0: 30
    PeltiLog *log;             ///< NULL: nowhere
    const PeltAllocator *allocator;
} PeltiDistilWriteDef;

/// Both files appear, or neither does.
PeltStatus pelti_distil_write(const PeltiDistilWriteDef *def, PeltError *err);

/// The rules as JSON text (docs/schema/drivers.schema.json): `result` says where helpers and correctives are in the file.
PeltiJson *pelti_distil_rules(const PeltiDistilWriteDef *def, const PeltiReskinResult *result);

#endif
