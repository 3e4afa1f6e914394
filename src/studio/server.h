/// The server behind the page: on this machine's loopback address alone, every door shut (doors.h).
#ifndef PELTI_STUDIO_SERVER_H
#define PELTI_STUDIO_SERVER_H

#include "studio/talk.h"

typedef struct PeltiServer PeltiServer;
typedef struct PeltiServerDef {
    int port; ///< 0: a free one
    PeltiStudioTalk *talk;
    const void *project; ///< what `pelt studio that.pelt.json` was given, handed to the page as it is; NULL: none
    size_t project_size;
    void (*opened)(const char *address, void *user); ///< told the first address and, each time one was used, the next
    void *user;
} PeltiServerDef;

/// PELT_UNSUPPORTED: built without a server or without the page; the story says what is missing. PELT_IO: the port is taken.
PeltStatus pelti_server_start(const PeltiServerDef *def, PeltiServer **out, PeltError *err);
void pelti_server_stop(PeltiServer *server); ///< waits for requests; NULL is fine

#endif
