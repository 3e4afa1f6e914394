/// The body: the mesh a method solves on, apart from the mesh in the file, and the bridge back to the file's points.
/// docs/body.md tells how it is made.
#ifndef PELTI_BODY_BODY_H
#define PELTI_BODY_BODY_H

#include "core/snapshot.h"
#include "body/attach.h"

/// Auto: the file's own mesh where that is one closed skin a method can work on, else a proxy: a closed mesh made around the
/// file's.
typedef enum PeltiBodyMode { PELTI_BODY_AUTO, PELTI_BODY_FILE, PELTI_BODY_PROXY } PeltiBodyMode;

typedef struct PeltiBodyDef {
    const PeltiCharacter *who;
    const PeltiWeights *weights; ///< per welded vertex: what the file's points are bound by; outlives the body
    PeltiBodyMode mode;
    int vertices;                   ///< wanted of a proxy; 0: by default
    bool dear;                      ///< a vertex costs much: fewer by default where it is made of pieces or of a coarse skin
    bool coarse;                    ///< one closed skin of more than BODY_COARSE_OWN of what is wanted is not its own body
    const PeltRig *rig;             ///< what pieces are, by name; NULL: as they look
    const PeltAllocator *allocator; ///< NULL: malloc
    PeltiJobs *jobs;                ///< while it is made; NULL: none
    PeltiLog *log;                  ///< NULL: nothing is said
} PeltiBodyDef;

typedef struct PeltiBody PeltiBody;

/// *out is NULL where the file's own mesh is the body.
PeltStatus pelti_body_create(const PeltiBodyDef *def, PeltiBody **out, PeltError *err);
void pelti_body_destroy(PeltiBody *body); ///< NULL is fine

/// Whether the file's own mesh is the body (body=auto): one closed manifold skin that methods can work on.
bool pelti_body_is_file(const PeltiCharacter *who, const PeltiPieces *pieces, int own_most);

/// Made of one closed skin that is too fine to be solved on; else of pieces, which may lie in each other at rest, or a coarse
/// skin.
bool pelti_body_of_one_skin(const PeltiBody *body);

/// What a method sees: the same bones and clips, the body's mesh and weights. NULL: nothing of the character bends.
const PeltiCharacter *pelti_body_character(const PeltiBody *body);
const PeltiPieces *pelti_body_pieces(const PeltiBody *body);

/// The file's vertices carried by the body. `shape` [points of the body's character] world, `bones` [bone_count] rest space ->
/// world, `vertices` [vertices of the file's mesh]. Does not allocate.
void pelti_body_carry(PeltiBody *body, const Vec3 *shape, const Mat34 *bones, PeltiJobs *jobs, Vec3 *vertices);

/// What pelti_body_carry carries from step to step (where turns are looked for first); after a cut nothing should.
void pelti_body_keep(PeltiBody *body, PeltiSnapshot *snapshot);
void pelti_body_restart(PeltiBody *body);

#endif
