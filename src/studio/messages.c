/// The messages of messages.def, read from any bytes and written: one walk over a table of fields serves all of them.
#include "studio/messages.h"

#include "core/error.h"

#include <math.h>
#include <string.h>

typedef enum Type { U32, I32, F32, TEXT, FLOATS, INTS, SHORTS } Type;

typedef struct Field {
    const char *name; ///< NULL: the last was the one before
    Type type;
    size_t offset;
    double least, most;
} Field;

typedef struct Message {
    const char *name; ///< NULL: the end of the table
    PeltiMsgKind kind;
    size_t size;
    const Field *fields;
} Message;

// clang-format off
#define MESSAGE(name, kind) static const Field fields_##name[] = {
#define FIELD(name, type, field, least, most) {#field, type, offsetof(PeltiMsg##name, field), least, most},
#define END(name) {0}};
#include "studio/messages.def"
#undef MESSAGE
#undef FIELD
#undef END

static const Message messages[] = {
#define MESSAGE(name, kind) {#name, PELTI_MSG_##name, sizeof(PeltiMsg##name), fields_##name},
#define FIELD(name, type, field, least, most)
#define END(name)
#include "studio/messages.def"
#undef MESSAGE
#undef FIELD
#undef END
    {0}};
// clang-format on

enum { FROM_COMMAND = 100 };

static const Message *find(uint32_t kind)
{
    for (const Message *m = messages; m->name; m++)
        if ((uint32_t)m->kind == kind)
            return m;
    return NULL;
}

static size_t item_size(Type type)
{
    return type == TEXT ? 1 : type == SHORTS ? 2 : 4;
}

static size_t padded(size_t bytes)
{
    return (bytes + 3) & ~(size_t)3;
}

/// Numbers that count as numbers: a float list with a NaN in it is refused like a NaN alone.
static bool all_finite(const unsigned char *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        float value;
        memcpy(&value, at + (size_t)i * 4, 4);
        if (!isfinite(value))
            return false;
    }
    return true;
}

static double number_of(Type type, const unsigned char *at)
{
    uint32_t u;
    int32_t i;
    float f;
    memcpy(&u, at, 4);
    memcpy(&i, at, 4);
    memcpy(&f, at, 4);
    return type == U32 ? (double)u : type == I32 ? (double)i : (double)f;
}

/// One field from [*at, end) into the struct; moves *at.
static PeltStatus read_field(const Field *field, const unsigned char **at, const unsigned char *end, char *out, PeltError *err)
{
    if (end - *at < 4)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: the message ends before it", field->name);
    if (field->type <= F32) {
        double value = number_of(field->type, *at);
        if (!(value >= field->least && value <= field->most))
            return PELT_FAIL(err, PELT_BAD_INPUT, "%s: %g is not from %g to %g", field->name, value, field->least, field->most);
        memcpy(out + field->offset, *at, 4);
        *at += 4;
        return PELT_OK;
    }
    uint32_t count;
    memcpy(&count, *at, 4);
    *at += 4;
    if (!(count >= field->least && count <= field->most))
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: %u items, allowed are %g to %g", field->name, count, field->least,
                         field->most);
    size_t bytes = padded((size_t)count * item_size(field->type));
    if ((size_t)(end - *at) < bytes)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: %u items are past the end of the message", field->name, count);
    if (field->type == FLOATS && !all_finite(*at, count))
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: a number that is none", field->name);
    PeltiMsgText list = {(const char *)*at, count}; // all lists are laid out like this one
    memcpy(out + field->offset, &list, sizeof list);
    *at += bytes;
    return PELT_OK;
}

static PeltStatus read_message(PeltiMsgReader *reader, PeltiMsg *out, PeltiMsgKind *kind, PeltError *err)
{
    uint32_t head[2];
    if (reader->size - reader->at < sizeof head)
        return PELT_FAIL(err, PELT_BAD_INPUT, "byte %zu: half a message", reader->at);
    memcpy(head, reader->data + reader->at, sizeof head);
    const Message *message = head[0] < FROM_COMMAND ? find(head[0]) : NULL;
    if (!message)
        return PELT_FAIL(err, PELT_BAD_INPUT, "byte %zu: no message of kind %u comes from the page", reader->at, head[0]);
    if (head[1] % 4 || head[1] > reader->size - reader->at - sizeof head)
        return PELT_FAIL(err, PELT_BAD_INPUT, "byte %zu: %s of %u bytes does not fit", reader->at, message->name, head[1]);
    const unsigned char *at = reader->data + reader->at + sizeof head, *end = at + head[1];
    for (const Field *field = message->fields; field->name; field++)
        PELT_TRY(read_field(field, &at, end, (char *)out, err));
    if (at != end)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: %zu bytes too many", message->name, (size_t)(end - at));
    reader->at += sizeof head + head[1];
    *kind = message->kind;
    return PELT_OK;
}

PeltiMsgKind pelti_msg_read(PeltiMsgReader *reader, PeltiMsg *out, PeltError *err)
{
    PeltiMsgKind kind = PELTI_MSG_NONE;
    memset(out, 0, sizeof *out);
    if (reader->at == reader->size)
        return PELTI_MSG_NONE;
    if (read_message(reader, out, &kind, err) != PELT_OK) {
        reader->at = reader->size;
        return PELTI_MSG_NONE;
    }
    return kind;
}

static void write_field(PeltiArray *bytes, const Field *field, const char *message)
{
    static const char zeros[4] = {0};
    if (field->type <= F32) {
        pelti_array_append(bytes, message + field->offset, 4);
        return;
    }
    PeltiMsgText list;
    memcpy(&list, message + field->offset, sizeof list);
    if (list.count > field->most)
        list.count = (uint32_t)field->most;
    size_t size = (size_t)list.count * item_size(field->type);
    pelti_array_append(bytes, &list.count, 4);
    pelti_array_append(bytes, list.data, size);
    pelti_array_append(bytes, zeros, padded(size) - size);
}

void pelti_msg_write(PeltiArray *bytes, PeltiMsgKind kind, const void *message)
{
    const Message *known = find((uint32_t)kind);
    PELT_ASSERT(known && bytes->size == 1);
    uint32_t head[2] = {(uint32_t)kind, 0};
    size_t start = bytes->count;
    pelti_array_append(bytes, head, sizeof head);
    for (const Field *field = known->fields; field->name; field++)
        write_field(bytes, field, message);
    if (bytes->failed)
        return;
    head[1] = (uint32_t)(bytes->count - start - sizeof head);
    memcpy(bytes->data + start, head, sizeof head);
}

PeltiMsgText pelti_msg_text(const char *text)
{
    return (PeltiMsgText){text, text ? (uint32_t)strlen(text) : 0};
}
