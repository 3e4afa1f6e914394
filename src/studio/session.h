/// What runs behind the page: the character on show, a solver on its own thread, and a preparing thread for each slot. The page
/// says what it wants to see, the newest wish counts, and picks the skin up when it is there. Any thread may call.
#ifndef PELTI_STUDIO_SESSION_H
#define PELTI_STUDIO_SESSION_H

#include "studio/cast.h"

enum { PELTI_SLOTS = 2 };

typedef struct PeltiSession PeltiSession;
typedef struct PeltiSessionDef {
    int threads;    ///< of each skin; 0: as many as the machine has
    double slow_ms; ///< a step takes at least this long: to try the page with a slow method
} PeltiSessionDef;

PeltStatus pelti_session_create(const PeltiSessionDef *def, PeltiSession **out, PeltError *err);
void pelti_session_destroy(PeltiSession *session); ///< cancels what is being prepared and waits for it; NULL is fine

/// Puts a character on show (taken over): slot 0 gets `lbs`, which is there at once, slot 1 nothing.
void pelti_session_show(PeltiSession *session, PeltiCast *cast);
/// The character on show, kept alive until given back.
PeltiCast *pelti_session_take(PeltiSession *session);
void pelti_session_give(PeltiSession *session, PeltiCast *cast); ///< NULL is fine

/// Starts preparing; an earlier one of this slot is cancelled. PELT_BAD_ARGUMENT: no such method or option, nothing changed.
PeltStatus pelti_session_method(PeltiSession *session, const PeltiMsgMethod *wish, PeltError *err);
/// Changes an option between two steps. PELT_UNSUPPORTED: not without a new prepare.
PeltStatus pelti_session_set(PeltiSession *session, const PeltiMsgSet *wish, PeltError *err);
/// The scene that slot 0 touches from now on.
PeltStatus pelti_session_scene(PeltiSession *session, const PeltiMsgScene *wish, PeltError *err);
/// A surface for objects of the scene. PELT_BAD_ARGUMENT: its triangles name vertices it has not, or there were too many.
PeltStatus pelti_session_mesh(PeltiSession *session, const PeltiMsgMesh *mesh, PeltError *err);
/// What the artist adds: read, refused with its story, or kept, and both slots are prepared anew with it.
PeltStatus pelti_session_rig(PeltiSession *session, const PeltiMsgRig *rig, PeltError *err);
/// What is to be seen next. PELT_BAD_ARGUMENT where lists do not fit each other or the character.
PeltStatus pelti_session_want(PeltiSession *session, const PeltiMsgWant *want, PeltError *err);
/// Bakes beside everything else, one at a time. PELT_BAD_ARGUMENT: one is at work already, or there is no such clip.
PeltStatus pelti_session_bake(PeltiSession *session, const PeltiMsgBake *wish, PeltError *err);
/// What was baked last, to be freed; NULL: nothing, or it was fetched before.
void *pelti_session_baked(PeltiSession *session, size_t *size);
/// Waits until the solver is done with want `number` or a later one, at most `most_ms`; appends its frames to the answer.
void pelti_session_frames(PeltiSession *session, uint32_t number, double most_ms, PeltiArray *answer);
/// Appends State and both Slots.
void pelti_session_state(PeltiSession *session, bool elsewhere, PeltiArray *answer);

#endif
