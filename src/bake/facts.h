/// What `pelt inspect` tells, gathered once and printed as text or JSON.
#ifndef PELTI_BAKE_FACTS_H
#define PELTI_BAKE_FACTS_H

#include "bake/objects.h"

typedef struct PeltiFactsComponent {
    int vertices, triangles, border_edges, nonmanifold_edges;
    int component;    ///< of the mesh: its number
    int instance;     ///< that it belongs to
    int bones;        ///< that own some of its vertices
    PeltiPiece piece; ///< what it is to the body
} PeltiFactsComponent;

typedef struct PeltiFacts {
    const PeltCharacter *character;
    PeltiPool pool;
    PeltiLog log; ///< of making automatic weights, and what is odd about the mesh
    PeltCharacterInfo info;
    const PeltRig *rig;
    const char *weights; ///< "file", "mixed", "auto" or "none": what methods use by default
    int lost_count;      ///< joints where the file's weights lost the trial
    PeltiWeights used;   ///< per welded vertex
    int component_count;
    PeltiFactsComponent *components;
    bool own_body; ///< flesh is solved on the file's own mesh
    bool *reached; ///< [bone_count] owns a share of some vertex
    bool *moves;   ///< [bone_count] it, or something that hangs on it, owns vertices
    int unreached_count;
} PeltiFacts;

/// `rig` NULL: none.
PeltStatus pelti_facts_gather(PeltiFacts *facts, const PeltCharacter *character, const PeltRig *rig, PeltError *err);
void pelti_facts_release(PeltiFacts *facts);

const char *pelti_facts_plural(int count); ///< "s", or nothing for one
/// What to do about a warning, by its stable code; NULL: nothing to do.
const char *pelti_bake_cure(const char *code);
/// What a method will do with this character, one line into `text`.
void pelti_facts_plan(const PeltiFacts *facts, const PeltiMethod *method, char *text, size_t size);

#endif
