/// In place of server.c and page.c where the program is built without civetweb.
#include "studio/server.h"

#include "core/error.h"
#include "studio/page.h"

PeltStatus pelti_server_start(const PeltiServerDef *def, PeltiServer **out, PeltError *err)
{
    (void)def;
    *out = NULL;
    return PELT_FAIL(err, PELT_UNSUPPORTED, "this pelt was built without a server: install libcivetweb-dev and build again");
}

void pelti_server_stop(PeltiServer *server)
{
    (void)server;
}

const void *pelti_studio_character(size_t *size)
{
    *size = 0;
    return "";
}
