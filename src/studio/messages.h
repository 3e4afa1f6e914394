/// The messages of messages.def: structs, one reader, one writer. The reader takes any bytes: it asks for no memory and what it
/// hands out points into them.
#ifndef PELTI_STUDIO_MESSAGES_H
#define PELTI_STUDIO_MESSAGES_H

#include "core/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Lists lie where they were read from or are to be written from; a text has no end mark.
typedef struct PeltiMsgText {
    const char *data;
    uint32_t count;
} PeltiMsgText;
typedef struct PeltiMsgFloats {
    const float *data;
    uint32_t count;
} PeltiMsgFloats;
typedef struct PeltiMsgInts {
    const int32_t *data;
    uint32_t count;
} PeltiMsgInts;
typedef struct PeltiMsgShorts {
    const uint16_t *data;
    uint32_t count;
} PeltiMsgShorts;

// clang-format off
#define PELTI_U32 uint32_t
#define PELTI_I32 int32_t
#define PELTI_F32 float
#define PELTI_TEXT PeltiMsgText
#define PELTI_FLOATS PeltiMsgFloats
#define PELTI_INTS PeltiMsgInts
#define PELTI_SHORTS PeltiMsgShorts
#define MESSAGE(name, kind) typedef struct PeltiMsg##name {
#define FIELD(name, type, field, least, most) PELTI_##type field;
#define END(name) } PeltiMsg##name;
#include "studio/messages.def"
#undef MESSAGE
#undef FIELD
#undef END

typedef enum PeltiMsgKind {
    PELTI_MSG_NONE,
#define MESSAGE(name, kind) PELTI_MSG_##name = kind,
#define FIELD(name, type, field, least, most)
#define END(name)
#include "studio/messages.def"
#undef MESSAGE
#undef FIELD
#undef END
} PeltiMsgKind;

/// Any message.
typedef union PeltiMsg {
#define MESSAGE(name, kind) PeltiMsg##name as_##name;
#define FIELD(name, type, field, least, most)
#define END(name)
#include "studio/messages.def"
#undef MESSAGE
#undef FIELD
#undef END
} PeltiMsg;
// clang-format on

/// Bytes being read; `data` on a multiple of 4.
typedef struct PeltiMsgReader {
    const unsigned char *data;
    size_t size, at;
} PeltiMsgReader;

/// The next message: its kind; PELTI_MSG_NONE at the end, and with a story in `err` (status PELT_BAD_INPUT) where the bytes are
/// no message: nothing after that is read. Messages of the command are refused.
PeltiMsgKind pelti_msg_read(PeltiMsgReader *reader, PeltiMsg *out, PeltError *err);

/// Appends a message to an array of bytes, whose `failed` says when memory was refused. Lists longer than messages.def allows are
/// cut.
void pelti_msg_write(PeltiArray *bytes, PeltiMsgKind kind, const void *message);

PeltiMsgText pelti_msg_text(const char *text); ///< all of it, up to its end mark

#endif
