/// The server behind the page, on civetweb: one function sees every request before anything is done with it.
#include "studio/server.h"

#include "core/error.h"
#include "studio/doors.h"
#include "studio/page.h"

#include <civetweb.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const long long MOST_UPLOAD = 1LL << 30; // bytes of a character
static const long long MOST_TALK = 8LL << 20;   // of a request's messages: 65536 nodes posed
static const size_t MOST_AT_ONCE = 1 << 20;     // of an answer that is copied behind its head

struct PeltiServer {
    PeltiServerDef def;
    PeltiDoors doors;
    pthread_mutex_t lock; ///< of the doors' token
    struct mg_context *context;
};

// Nothing from elsewhere, nothing for elsewhere: the page's own files, no frame around it, no answer kept by the browser.
#define SHUT                                                                                                                     \
    "Content-Security-Policy: default-src 'self'; script-src 'self'; style-src 'self'; object-src 'none'; base-uri 'none'; "     \
    "form-action 'none'; frame-ancestors 'none'\r\n"                                                                             \
    "X-Content-Type-Options: nosniff\r\n"                                                                                        \
    "Referrer-Policy: no-referrer\r\n"                                                                                           \
    "Cross-Origin-Resource-Policy: same-origin\r\n"                                                                              \
    "Cross-Origin-Opener-Policy: same-origin\r\n"                                                                                \
    "Cache-Control: no-store\r\n"

/// A whole answer. `more`: further header lines. Returns the code, as civetweb wants it.
static int send_bytes(struct mg_connection *connection, int code, const char *more, const void *bytes, size_t size)
{
    char head[1400];
    int length = snprintf(head, sizeof head, "HTTP/1.1 %d %s\r\n" SHUT "%sContent-Length: %zu\r\n\r\n", code,
                          mg_get_response_code_text(connection, code), more, size);
    char *whole = size <= MOST_AT_ONCE ? malloc((size_t)length + size) : NULL;
    if (whole) { // in one piece: the browser wakes once
        memcpy(whole, head, (size_t)length);
        memcpy(whole + length, bytes, size);
        mg_write(connection, whole, (size_t)length + size);
        free(whole);
    } else {
        mg_write(connection, head, (size_t)length);
        mg_write(connection, bytes, size);
    }
    return code;
}

/// An answer that is one line for people. What else the request holds is not read: the connection ends.
static int send_line(struct mg_connection *connection, int code, const char *text)
{
    return send_bytes(connection, code, "Content-Type: text/plain; charset=utf-8\r\nConnection: close\r\n", text, strlen(text));
}

static int send_message_line(struct mg_connection *connection, int code, const char *text)
{
    return send_bytes(connection, code, "Content-Type: text/plain; charset=utf-8\r\n", text, strlen(text));
}

// ---- what is asked for ----

/// The token in the first address becomes a cookie; the address bar keeps neither.
static int exchange(PeltiServer *server, struct mg_connection *connection, const char *path, bool known)
{
    char more[200], name[24], address[80];
    pthread_mutex_lock(&server->lock);
    bool good = pelti_doors_exchange(&server->doors, path);
    snprintf(address, sizeof address, "http://127.0.0.1:%d/open/%s", server->doors.port, server->doors.token);
    pthread_mutex_unlock(&server->lock);
    pelti_doors_cookie_name(&server->doors, name);
    if (!good && known)
        return send_bytes(connection, 303, "Location: /\r\n", "", 0);
    if (!good)
        return send_line(
            connection, 403,
            "This address was used already, or was never given out. The terminal that runs `pelt studio` has the next one.\n");
    snprintf(more, sizeof more, "Set-Cookie: %s=%s; HttpOnly; SameSite=Strict; Path=/\r\nLocation: /\r\n", name,
             server->doors.cookie);
    server->def.opened(address, server->def.user);
    return send_bytes(connection, 303, more, "", 0);
}

/// The body of a request, of malloc's; its length is known and bounded before memory is asked for. 0 in `code`: it is there.
static void *read_body(struct mg_connection *connection, long long most, size_t *size, int *code)
{
    long long length = mg_get_request_info(connection)->content_length;
    *size = 0;
    *code = length < 0 ? 411 : length > most ? 413 : 0;
    char *bytes = *code ? NULL : malloc((size_t)length + 1);
    if (!bytes && !*code)
        *code = 507;
    while (bytes && *size < (size_t)length) {
        int got = mg_read(connection, bytes + *size, (size_t)length - *size);
        if (got <= 0)
            break;
        *size += (size_t)got;
    }
    if (bytes && *size < (size_t)length) {
        free(bytes);
        bytes = NULL;
        *code = 400;
    }
    return bytes;
}

static int talk(PeltiServer *server, struct mg_connection *connection)
{
    size_t size;
    int code;
    PeltError err = {0};
    void *body = read_body(connection, MOST_TALK, &size, &code);
    if (!body)
        return send_line(connection, code, "a conversation has a length, of at most 8 MB\n");
    PeltiArray answer;
    pelti_array_init(&answer, NULL, 1);
    if (pelti_studio_talk(server->def.talk, body, size, &answer, &err) != PELT_OK)
        code = send_message_line(connection, 400, err.text);
    else
        code = send_bytes(connection, 200, "Content-Type: application/octet-stream\r\n", answer.data, answer.count);
    pelti_array_release(&answer);
    free(body);
    return code;
}

static int upload(PeltiServer *server, struct mg_connection *connection)
{
    size_t size;
    int code;
    PeltError err = {0};
    PeltiCast *cast;
    void *body = read_body(connection, MOST_UPLOAD, &size, &code);
    if (!body)
        return send_line(connection, code, "a character is at most 1 GB here; larger ones: `pelt studio FILE`\n");
    if (pelti_cast_read(body, size, &cast, &err) != PELT_OK)
        return send_message_line(connection, 422, err.text);
    const char *label = mg_get_header(connection, "X-Label"); // what the page calls it: told again, never opened
    if (label && strlen(label) < 4 * sizeof cast->label)
        mg_url_decode(label, (int)strlen(label), cast->label, sizeof cast->label, 0);
    pelti_session_show(server->def.talk->session, cast);
    return send_bytes(connection, 204, "", "", 0);
}

static int send_character(PeltiServer *server, struct mg_connection *connection)
{
    PeltiSession *session = server->def.talk->session;
    PeltiCast *cast = pelti_session_take(session);
    bool kept = cast && cast->bytes;
    int code = send_bytes(connection, kept ? 200 : 204, "Content-Type: model/gltf-binary\r\n", kept ? cast->bytes : "",
                          kept ? cast->size : 0);
    pelti_session_give(session, cast);
    return code;
}

static int send_baked(PeltiServer *server, struct mg_connection *connection)
{
    size_t size = 0;
    void *bytes = pelti_session_baked(server->def.talk->session, &size);
    int code = send_bytes(connection, bytes ? 200 : 204, "Content-Type: application/octet-stream\r\n", bytes ? bytes : "", size);
    free(bytes);
    return code;
}

// ---- the doors ----

static int answer_get(PeltiServer *server, struct mg_connection *connection, const char *path)
{
    const PeltiStudioFile *file = pelti_studio_page(path);
    if (file) {
        char more[120];
        snprintf(more, sizeof more, "Content-Type: %s\r\nContent-Encoding: gzip\r\n", file->type);
        return send_bytes(connection, 200, more, file->bytes, file->size);
    }
    if (!strcmp(path, "/character"))
        return send_character(server, connection);
    if (!strcmp(path, "/baked"))
        return send_baked(server, connection);
    if (!strcmp(path, "/project"))
        return send_bytes(connection, server->def.project ? 200 : 204, "Content-Type: application/json\r\n", server->def.project,
                          server->def.project_size);
    return send_line(connection, 404, "there is no such thing here\n");
}

static int answer_post(PeltiServer *server, struct mg_connection *connection, const char *path)
{
    if (!strcmp(path, "/talk"))
        return talk(server, connection);
    if (!strcmp(path, "/upload"))
        return upload(server, connection);
    return send_line(connection, 404, "there is no such thing here\n");
}

/// Every request, before civetweb does anything with it: what is not answered here is refused.
static int answer(struct mg_connection *connection)
{
    const struct mg_request_info *request = mg_get_request_info(connection);
    PeltiServer *server = request->user_data;
    const char *host = mg_get_header(connection, "Host"), *path = request->local_uri;
    if (!pelti_doors_host(&server->doors, host))
        return send_line(connection, 421, "this is not a public server\n");
    bool known = pelti_doors_cookie(&server->doors, mg_get_header(connection, "Cookie"));
    if (path && !strncmp(path, "/open/", 6) && !strcmp(request->request_method, "GET"))
        return exchange(server, connection, path, known);
    if (!path || !known)
        return send_line(connection, 403, "Open the address that `pelt studio` printed.\n");
    if (!strcmp(request->request_method, "GET") && !mg_get_header(connection, "Upgrade"))
        return answer_get(server, connection, path);
    if (strcmp(request->request_method, "POST"))
        return send_line(connection, 405, "GET and POST only\n");
    if (!pelti_doors_origin(&server->doors, host, mg_get_header(connection, "Origin")))
        return send_line(connection, 403, "only the page itself may say things here\n");
    return answer_post(server, connection, path);
}

// ---- life ----

static int hush(const struct mg_connection *connection, const char *message)
{
    (void)connection;
    (void)message; // a port that is taken is told by mg_start2's failure; nothing else is of interest to people
    return 1;
}

static PeltStatus listen_at(PeltiServer *server, PeltError *err)
{
    char address[40];
    snprintf(address, sizeof address, "127.0.0.1:%d", server->def.port);
    const char *options[] = {"listening_ports",
                             address,
                             "num_threads",
                             "16",
                             "enable_keep_alive",
                             "yes",
                             "keep_alive_timeout_ms",
                             "20000",
                             "request_timeout_ms",
                             "20000",
                             "tcp_nodelay",
                             "1",
                             "enable_directory_listing",
                             "no",
                             "max_request_size",
                             "8192",
                             NULL};
    struct mg_callbacks callbacks = {.begin_request = answer, .log_message = hush};
    mg_init_library(MG_FEATURES_DEFAULT);
    server->context = mg_start(&callbacks, server, options);
    struct mg_server_port port;
    if (!server->context || mg_get_server_ports(server->context, 1, &port) != 1)
        return PELT_FAIL(err, PELT_IO,
                         server->def.port ? "port %d cannot be had: --port 0 takes a free one" : "no port is free%.0d",
                         server->def.port);
    return pelti_doors_open(&server->doors, port.port, err);
}

PeltStatus pelti_server_start(const PeltiServerDef *def, PeltiServer **out, PeltError *err)
{
    *out = NULL;
    if (!pelti_studio_page("/")->size)
        return PELT_FAIL(
            err, PELT_UNSUPPORTED,
            "this pelt was built without the page: install node and npm, then `make` (npm ci needs the network once)");
    PeltiServer *server = calloc(1, sizeof *server);
    if (!server)
        return pelti_no_memory(err, sizeof *server);
    server->def = *def;
    pthread_mutex_init(&server->lock, NULL);
    PeltStatus status = listen_at(server, err);
    if (status != PELT_OK) {
        pelti_server_stop(server);
        return status;
    }
    char address[80];
    snprintf(address, sizeof address, "http://127.0.0.1:%d/open/%s", server->doors.port, server->doors.token);
    def->opened(address, def->user);
    *out = server;
    return PELT_OK;
}

void pelti_server_stop(PeltiServer *server)
{
    if (!server)
        return;
    if (server->context)
        mg_stop(server->context);
    mg_exit_library();
    pthread_mutex_destroy(&server->lock);
    free(server);
}
