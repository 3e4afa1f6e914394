/// Checks who may come in: this machine's user, in the browser that was given the address.
#include "studio/doors.h"

#include "core/error.h"

#include <stdio.h>
#include <string.h>

static PeltStatus draw(char secret[PELTI_SECRET + 1], PeltError *err)
{
    unsigned char bytes[PELTI_SECRET / 2];
    FILE *source = fopen("/dev/urandom", "rb");
    size_t got = source ? fread(bytes, 1, sizeof bytes, source) : 0;
    if (source)
        fclose(source);
    if (got != sizeof bytes)
        return PELT_FAIL(err, PELT_FAILED, "the system gives no random numbers (/dev/urandom): no door can be shut without them");
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(secret + 2 * i, 3, "%02x", (unsigned)bytes[i]);
    return PELT_OK;
}

PeltStatus pelti_doors_open(PeltiDoors *doors, int port, PeltError *err)
{
    doors->port = port;
    PELT_TRY(draw(doors->token, err));
    return draw(doors->cookie, err);
}

/// In a time that does not tell how far they agree.
static bool same_secret(const char *given, const char secret[PELTI_SECRET + 1])
{
    unsigned differs = 0;
    for (int i = 0; i < PELTI_SECRET; i++) {
        if (!given[i])
            return false;
        differs |= (unsigned)(unsigned char)given[i] ^ (unsigned)(unsigned char)secret[i];
    }
    return differs == 0;
}

bool pelti_doors_host(const PeltiDoors *doors, const char *host)
{
    char own[32];
    for (int i = 0; host && i < 2; i++) {
        snprintf(own, sizeof own, "%s:%d", i ? "localhost" : "127.0.0.1", doors->port);
        if (!strcmp(host, own))
            return true;
    }
    return false;
}

bool pelti_doors_origin(const PeltiDoors *doors, const char *host, const char *origin)
{
    static const char scheme[] = "http://";
    return pelti_doors_host(doors, host) && origin && !strncmp(origin, scheme, strlen(scheme)) &&
           !strcmp(origin + strlen(scheme), host);
}

void pelti_doors_cookie_name(const PeltiDoors *doors, char name[24])
{
    snprintf(name, 24, "pelt-%d", doors->port);
}

bool pelti_doors_cookie(const PeltiDoors *doors, const char *header)
{
    char name[24];
    pelti_doors_cookie_name(doors, name);
    size_t length = strlen(name);
    for (const char *at = header; at && *at;) {
        at += strspn(at, " ;");
        size_t item = strcspn(at, ";");
        if (item == length + 1 + PELTI_SECRET && !strncmp(at, name, length) && at[length] == '=' &&
            same_secret(at + length + 1, doors->cookie))
            return true;
        at += item;
    }
    return false;
}

bool pelti_doors_exchange(PeltiDoors *doors, const char *path)
{
    static const char open[] = "/open/";
    if (strncmp(path, open, strlen(open)) || strlen(path) != strlen(open) + PELTI_SECRET ||
        !same_secret(path + strlen(open), doors->token))
        return false;
    if (draw(doors->token, NULL) != PELT_OK)
        memset(doors->token, 'x', PELTI_SECRET); // no digit: nothing opens it
    return true;
}
