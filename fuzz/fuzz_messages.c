/// The reader of what the page of `pelt studio` says: any bytes are messages within their bounds, or refused with a story.
#include "studio/messages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOLDS(condition)                                                                                                         \
    do {                                                                                                                         \
        if (!(condition)) {                                                                                                      \
            fprintf(stderr, "fuzz_messages.c:%d: does not hold: %s\n", __LINE__, #condition);                                    \
            abort();                                                                                                             \
        }                                                                                                                        \
    } while (0)

/// Looks at every item of a list: a sanitizer sees those that lie outside.
static void walk_want(const PeltiMsgWant *want)
{
    long sum = 0;
    HOLDS(want->dt_s >= 0 && want->dt_s <= 1 && want->restart <= 1);
    for (uint32_t i = 0; i < want->nodes.count; i++)
        sum += want->nodes.data[i] & 1;
    for (uint32_t i = 0; i < want->transforms.count; i++)
        HOLDS(isfinite(want->transforms.data[i]));
    HOLDS(sum >= 0);
}

static void walk_text(PeltiMsgText text, uint32_t most)
{
    unsigned sum = 0;
    HOLDS(text.count <= most);
    for (uint32_t i = 0; i < text.count; i++)
        sum += (unsigned char)text.data[i];
    HOLDS(sum <= 255u * most);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    void *copy = malloc(size ? size : 1); // aligned as the server's are, and exactly this long
    HOLDS(copy);
    if (size)
        memcpy(copy, data, size);
    PeltiMsgReader reader = {copy, size, 0};
    PeltiMsg m;
    PeltError err = {0};
    PeltiMsgKind kind;
    while ((kind = pelti_msg_read(&reader, &m, &err)) != PELTI_MSG_NONE) {
        if (kind == PELTI_MSG_Want)
            walk_want(&m.as_Want);
        if (kind == PELTI_MSG_Method) {
            walk_text(m.as_Method.name, 40);
            walk_text(m.as_Method.settings, 4096);
        }
        if (kind == PELTI_MSG_Rig)
            walk_text(m.as_Rig.json, 4000000);
        if (kind == PELTI_MSG_Mesh)
            HOLDS(m.as_Mesh.vertices.count >= 12 && m.as_Mesh.triangles.count <= 240000);
        if (kind == PELTI_MSG_Builtin)
            walk_text(m.as_Builtin.name, 40);
    }
    HOLDS(reader.at == size && (err.status == PELT_OK || err.text[0]));
    free(copy);
    return 0;
}
