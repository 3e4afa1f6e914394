/// Who may come in: this machine's user, in the browser that was given the address. Plain checks of header texts, tested without
/// a server.
#ifndef PELTI_STUDIO_DOORS_H
#define PELTI_STUDIO_DOORS_H

#include <pelt/base.h>

#include <stdbool.h>

enum { PELTI_SECRET = 32 }; ///< hexadecimal digits: 128 bits

typedef struct PeltiDoors {
    int port;
    char token[PELTI_SECRET + 1];  ///< in the address that is printed; good for one exchange
    char cookie[PELTI_SECRET + 1]; ///< what it is exchanged for
} PeltiDoors;

/// Draws both secrets from the system.
PeltStatus pelti_doors_open(PeltiDoors *doors, int port, PeltError *err);

/// Exactly 127.0.0.1:port or localhost:port: a name that was made to point here (DNS rebinding) is refused. NULL: refused.
bool pelti_doors_host(const PeltiDoors *doors, const char *host);
/// Exactly the page's own: http:// and the same host. NULL: refused.
bool pelti_doors_origin(const PeltiDoors *doors, const char *host, const char *origin);
/// The Cookie header holds ours.
bool pelti_doors_cookie(const PeltiDoors *doors, const char *header);
/// The token of an address "/open/TOKEN". True once: a new token is drawn for the next browser.
bool pelti_doors_exchange(PeltiDoors *doors, const char *path);
/// "pelt-PORT": browsers share cookies between the ports of a host, so each port has its own name.
void pelti_doors_cookie_name(const PeltiDoors *doors, char name[24]);

#endif
