/// Fills structs from JSON by a table of keys; says the line and the nearest key where one is unknown.
#include "io/form.h"

#include "core/text.h"
#include "io/gltf_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { TEXT_MOST = 64 << 20, LIST_MOST = 1 << 20 };

// ---- the document

static PeltStatus read_text(PeltiForm *form, const char *path, PeltError *err)
{
    void *bytes;
    size_t size;
    PELT_TRY(pelti_gltf_map_file(path, &bytes, &size, err));
    char *text = size <= TEXT_MOST ? PELTI_NEW(&form->pool, char, size + 1) : NULL;
    if (text && bytes)
        memcpy(text, bytes, size);
    if (bytes)
        munmap(bytes, size);
    if (size > TEXT_MOST)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%.300s: larger than 64 MB", path);
    form->text = text;
    form->size = size;
    return text ? PELT_OK : pelti_no_memory(err, size);
}

PeltStatus pelti_form_open(PeltiForm *form, const char *path, const PeltAllocator *allocator, PeltError *err)
{
    *form = (PeltiForm){.path = path};
    pelti_pool_init(&form->pool, allocator);
    PELT_TRY(read_text(form, path, err));
    PeltStatus status = pelti_json_parse(form->text, form->size, &form->root, err);
    if (status != PELT_OK)
        pelti_error_prefix(err, "%.200s", path);
    return status;
}

PeltStatus pelti_form_empty(PeltiForm *form, const char *name, const PeltAllocator *allocator, PeltError *err)
{
    *form = (PeltiForm){.path = name, .root = pelti_json_new_object()};
    pelti_pool_init(&form->pool, allocator);
    return form->root ? PELT_OK : pelti_no_memory(err, 0);
}

void pelti_form_close(PeltiForm *form, PeltiPool *keep)
{
    pelti_json_release(form->root);
    form->root = NULL;
    if (keep)
        *keep = form->pool;
    else
        pelti_pool_release(&form->pool);
}

/// Puts "file:line: " before a story.
static void name_line(const PeltiForm *form, const PeltiJsonAt *at, PeltError *err)
{
    if (form->text)
        pelti_error_prefix(err, "%.200s:%d", form->path, pelti_json_line(at, form->text, form->size));
    else
        pelti_error_prefix(err, "%.200s", form->path);
}

PeltStatus pelti_form_fail(const PeltiForm *form, const PeltiJsonAt *at, PeltError *err, const char *format, ...)
{
    char story[320];
    va_list args;
    va_start(args, format);
    vsnprintf(story, sizeof story, format, args);
    va_end(args);
    PeltStatus status = PELT_FAIL(err, PELT_BAD_INPUT, "%s: %s", PELTI_JSON_PATH(at), story);
    name_line(form, at, err);
    return status;
}

/// Passes a getter's status on, with the line if it failed.
static PeltStatus said(const PeltiForm *form, const PeltiJsonAt *at, PeltStatus status, PeltError *err)
{
    if (status != PELT_OK)
        name_line(form, at, err);
    return status;
}

// ---- names

static const char *joint_at(const void *list, int index)
{
    const PeltiCharacter *who = list;
    return index < who->bone_count ? who->nodes[who->bones[index].node].name : NULL;
}

PeltStatus pelti_form_check_bone(const PeltiForm *form, const PeltiJsonAt *at, const char *name, PeltError *err)
{
    if (!form->who)
        return PELT_OK;
    for (int b = 0; b < form->who->bone_count; b++)
        if (!strcmp(joint_at(form->who, b), name))
            return PELT_OK;
    const char *nearest = pelti_text_nearest(name, joint_at, form->who);
    if (nearest)
        return pelti_form_fail(form, at, err, "the character has no joint \"%.80s\"; did you mean \"%.80s\"?", name, nearest);
    return pelti_form_fail(form, at, err, "the character has no joint \"%.80s\" (pelt inspect lists them)", name);
}

static const char *field_at(const void *list, int index)
{
    return ((const PeltiFormField *)list)[index].key;
}

static const char *choice_at(const void *list, int index)
{
    return ((const char *const *)list)[index];
}

// ---- fields

static PeltStatus read_text_field(PeltiForm *form, const PeltiJsonAt *at, bool bone, const char **target, PeltError *err)
{
    const char *text = NULL;
    PELT_TRY(said(form, at, pelti_json_string(at, PELTI_REQUIRED, &text, err), err));
    if (!*text)
        return pelti_form_fail(form, at, err, "is empty");
    if (bone)
        PELT_TRY(pelti_form_check_bone(form, at, text, err));
    *target = pelti_pool_text(&form->pool, text);
    return *target ? PELT_OK : pelti_no_memory(err, strlen(text));
}

static PeltStatus read_choice(PeltiForm *form, const PeltiJsonAt *at, const PeltiFormField *field, int *target, PeltError *err)
{
    const char *text = NULL;
    PELT_TRY(said(form, at, pelti_json_string(at, PELTI_REQUIRED, &text, err), err));
    char all[160] = "";
    for (int i = 0; field->choices[i]; i++) {
        if (!strcmp(text, field->choices[i])) {
            *target = i;
            return PELT_OK;
        }
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", field->choices[i]);
    }
    const char *nearest = pelti_text_nearest(text, choice_at, field->choices);
    if (nearest)
        return pelti_form_fail(form, at, err, "\"%.40s\" is none of %s; did you mean \"%s\"?", text, all, nearest);
    return pelti_form_fail(form, at, err, "\"%.40s\" is none of %s", text, all);
}

static PeltStatus read_float(const PeltiForm *form, const PeltiJsonAt *at, double least, double most, float *target,
                             PeltError *err)
{
    double value = 0;
    PELT_TRY(said(form, at, pelti_json_double(at, PELTI_REQUIRED, least, most, &value, err), err));
    *target = (float)value;
    return PELT_OK;
}

PeltStatus pelti_form_floats(const PeltiForm *form, const PeltiJsonAt *at, const PeltiFormField *field, float *out,
                             PeltError *err)
{
    int length;
    PELT_TRY(said(form, at, pelti_json_array(at, PELTI_REQUIRED, &length, err), err));
    if (length != field->count)
        return pelti_form_fail(form, at, err, "%d numbers were expected, not %d", field->count, length);
    for (int i = 0; i < length; i++) {
        PeltiJsonAt item = pelti_json_item(at, i);
        PELT_TRY(read_float(form, &item, field->least, field->most, &out[i], err));
    }
    return PELT_OK;
}

static PeltStatus read_field(PeltiForm *form, const PeltiJsonAt *at, const PeltiFormField *field, void *target, PeltError *err)
{
    int64_t whole = 0;
    switch (field->kind) {
    case PELTI_FORM_FLOAT:
        return read_float(form, at, field->least, field->most, target, err);
    case PELTI_FORM_FLOATS:
        return pelti_form_floats(form, at, field, target, err);
    case PELTI_FORM_INT:
        PELT_TRY(
            said(form, at, pelti_json_int(at, PELTI_REQUIRED, (int64_t)field->least, (int64_t)field->most, &whole, err), err));
        *(int *)target = (int)whole;
        return PELT_OK;
    case PELTI_FORM_BOOL:
        return said(form, at, pelti_json_bool(at, PELTI_REQUIRED, target, err), err);
    case PELTI_FORM_TEXT:
    case PELTI_FORM_BONE:
        return read_text_field(form, at, field->kind == PELTI_FORM_BONE, target, err);
    case PELTI_FORM_CHOICE:
        return read_choice(form, at, field, target, err);
    default:
        return field->read(form, at, target, err);
    }
}

typedef struct KeyCheck {
    PeltiForm *form;
    const PeltiFormField *fields;
} KeyCheck;

static PeltStatus check_key(const PeltiJsonAt *member, void *user, PeltError *err)
{
    const KeyCheck *check = user;
    for (int i = 0; check->fields[i].key; i++)
        if (!strcmp(check->fields[i].key, member->key))
            return member->value ? PELT_OK : pelti_form_fail(check->form, member, err, "is null");
    const char *nearest = pelti_text_nearest(member->key, field_at, check->fields);
    if (nearest)
        return pelti_form_fail(check->form, member, err, "unknown key; did you mean \"%s\"?", nearest);
    char all[240] = "";
    for (int i = 0; check->fields[i].key; i++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", check->fields[i].key);
    }
    return pelti_form_fail(check->form, member, err, "unknown key; known are %s", all);
}

PeltStatus pelti_form_fill(PeltiForm *form, const PeltiJsonAt *at, const PeltiFormField *fields, void *target, PeltError *err)
{
    PELT_TRY(said(form, at, pelti_json_object(at, PELTI_REQUIRED, err), err));
    PELT_TRY(pelti_json_each(at, check_key, &(KeyCheck){form, fields}, err));
    for (const PeltiFormField *field = fields; field->key; field++) {
        PeltiJsonAt member = pelti_json_member(at, field->key);
        if (member.value)
            PELT_TRY(read_field(form, &member, field, (char *)target + field->offset, err));
        else if (field->required)
            return pelti_form_fail(form, &member, err, "is missing");
    }
    return PELT_OK;
}

PeltStatus pelti_form_list(PeltiForm *form, const PeltiJsonAt *at, PeltiFormItem item, int *count, void *items, PeltError *err)
{
    PELT_TRY(said(form, at, pelti_json_array(at, PELTI_REQUIRED, count, err), err));
    if (*count > LIST_MOST)
        return pelti_form_fail(form, at, err, "more than %d entries", LIST_MOST);
    char *room = pelti_pool_take(&form->pool, (size_t)*count, item.size);
    if (!room)
        return pelti_no_memory(err, (size_t)*count * item.size);
    memcpy(items, &room, sizeof room);
    for (int i = 0; i < *count; i++) {
        PeltiJsonAt place = pelti_json_item(at, i);
        memcpy(room + (size_t)i * item.size, item.initial, item.size);
        PELT_TRY(pelti_form_fill(form, &place, item.fields, room + (size_t)i * item.size, err));
    }
    return PELT_OK;
}

PeltStatus pelti_form_bones(PeltiForm *form, const PeltiJsonAt *at, int *count, const char *const **names, PeltError *err)
{
    PELT_TRY(said(form, at, pelti_json_array(at, PELTI_REQUIRED, count, err), err));
    const char **list = PELTI_NEW(&form->pool, const char *, *count);
    if (!list)
        return pelti_no_memory(err, (size_t)*count * sizeof *list);
    for (int i = 0; i < *count; i++) {
        PeltiJsonAt item = pelti_json_item(at, i);
        PELT_TRY(read_text_field(form, &item, true, &list[i], err));
    }
    *names = list;
    return PELT_OK;
}

PeltStatus pelti_form_version(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    (void)target;
    int64_t version = 0;
    PELT_TRY(said(form, at, pelti_json_int(at, PELTI_REQUIRED, 1, 1 << 20, &version, err), err));
    return version == 1 ? PELT_OK
                        : pelti_form_fail(form, at, err, "version %d is newer than this program, which reads 1", (int)version);
}
