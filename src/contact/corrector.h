/// The pose corrector: runs before any method. Takes the animated ("free") poses of the characters of a scene and a time step,
/// returns the poses corrected by friction contact, and moves the objects. [Duriez2008]; docs/contact.md.
#ifndef PELTI_CONTACT_CORRECTOR_H
#define PELTI_CONTACT_CORRECTOR_H

#include "character/weights.h"

#include <pelt/scene.h>

typedef struct PeltiCorrector PeltiCorrector;

typedef struct PeltiCorrectorSettings {
    bool final;         ///< contact laws to 1e-6 (else 1e-4) of the size
    bool cold;          ///< no warm start, to compare
    int linearisations; ///< a step is linearised at most so often; 0: ROUNDS of constants.def
    int work;           ///< a step's most visits to contacts; 0: WORK of constants.def
    int most_substeps;  ///< a step is cut so that nothing moves past the alarm distance unseen; 0: SUBSTEPS of constants.def
} PeltiCorrectorSettings;

/// One contact of the last (sub)step, for files and pictures.
typedef struct PeltiContactPoint {
    const char *a, *b;  ///< names; "ground"
    Vec3 point, normal; ///< between the two; normal from b to a
    Vec3 force;         ///< on a, N
    double gap;         ///< after the step, linearised
    bool slides;
} PeltiContactPoint;

typedef struct PeltiContactReport { ///< of one step
    int contacts;                   ///< watched in the last substep
    int active;                     ///< with a force
    int substeps, linearisations;
    int iterations;    ///< of the solver, all together
    double change;     ///< of the last iteration, share of the size
    bool converged;    ///< every solve
    long work;         ///< the solver's visits to a contact; bounded, see WORK of constants.def
    long dropped;      ///< features beyond the room for them
    double most_force; ///< N
    double deepest;    ///< linearised penetration left, share of the size
} PeltiContactReport;

/// The characters, their weights and the scene must outlive the corrector. The first character is called "character", the others
/// as scene->characters says.
typedef struct PeltiCorrectorDef {
    const PeltScene *scene;
    int character_count;
    const PeltiCharacter *const *who;   ///< [character_count]
    const PeltiWeights *const *weights; ///< [character_count] per welded vertex
    PeltiCorrectorSettings settings;
    PeltiLog *log;   ///< may be NULL
    PeltiJobs *jobs; ///< for every step; may be NULL
} PeltiCorrectorDef;
PeltStatus pelti_corrector_create(const PeltiCorrectorDef *def, const PeltAllocator *allocator, PeltiCorrector **out,
                                  PeltError *err);
void pelti_corrector_destroy(PeltiCorrector *c); ///< NULL is fine

/// One step. `free` and `corrected` by character. The first one says in the log given to create what starts inside each other.
/// dt_s 0: no time passes, only places the skins (a start). The same bytes for any number of threads, does not allocate; `report`
/// may be NULL.
void pelti_corrector_step(PeltiCorrector *c, const PeltiPose *free, double dt_s, PeltiPose *corrected,
                          PeltiContactReport *report);

/// The skin a method made of the corrected pose, its vertices: what later steps touch with. Without it, linear blending.
/// `swings`: the skin has dynamics and moves about its pose; the corrector then follows it with some patience, or the two would
/// answer each other's last frame for ever.
void pelti_corrector_shown(PeltiCorrector *c, int character, const Vec3 *vertices, bool swings);

/// Moves vertices of a skin that are still inside an object or the ground straight out of it, after the method has made the skin:
/// what the corrector could not foresee. Skin around them goes along, less with every step away. Where all skin is inside, or the
/// object is soft, nothing deeper than a quarter of the smaller one's size is touched. Returns the farthest move. Does not
/// allocate.
double pelti_corrector_push_out(PeltiCorrector *c, int character, Vec3 *vertices);

int pelti_corrector_contact_count(const PeltiCorrector *c);
PeltiContactPoint pelti_corrector_contact(const PeltiCorrector *c, int index);

/// Takes an object in hand: its frame moves to `goal` (the scale is not looked at) within the next step and stays there, whatever
/// it meets. A soft one is led by its centre and may be pushed aside (contact/soft.h).
void pelti_corrector_hold(PeltiCorrector *c, int index, Trs goal);
void pelti_corrector_let_go(PeltiCorrector *c, int index); ///< a rigid object goes on with the speed it was moved at

int pelti_corrector_object_count(const PeltiCorrector *c);
/// Surface of an object as it lies now, world; triangles do not change.
typedef struct PeltiCorrectorView {
    const char *name;
    PeltObjectKind kind;
    int vertex_count, triangle_count;
    const Vec3 *x;
    const int (*triangles)[3];
    Mat34 frame;                                    ///< of the object: own -> world (rigid and fixed)
    const Vec3 *rest;                               ///< [vertex_count] in the object's own frame
    double mass, velocity[3], spin[3], momentum[3]; ///< momentum: angular, about the centre
    double centre[3];
} PeltiCorrectorView;
PeltiCorrectorView pelti_corrector_object(const PeltiCorrector *c, int index);

#endif
