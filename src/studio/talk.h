/// A conversation: the messages of one request are done in their order, and what there is to say becomes the answer. It knows no
/// network: the same could run beside the page.
#ifndef PELTI_STUDIO_TALK_H
#define PELTI_STUDIO_TALK_H

#include "studio/session.h"

#include <stdatomic.h>

typedef struct PeltiStudioTalk {
    PeltiSession *session;
    atomic_uint tab;  ///< the page that is listened to
    atomic_bool quit; ///< the page asked for the end
} PeltiStudioTalk;

/// PELT_BAD_INPUT: no conversation (what was said before the fault is done); else the answer is whole. `bytes` on a multiple
/// of 4.
PeltStatus pelti_studio_talk(PeltiStudioTalk *talk, const void *bytes, size_t size, PeltiArray *answer, PeltError *err);

#endif
