/// Filling plain structs from JSON documents that people write (rigs, scenes): every key is in a table, an unknown one is an
/// error with a suggestion, and every error names the file, the line and the key.
#ifndef PELTI_IO_FORM_H
#define PELTI_IO_FORM_H

#include "character/character.h"
#include "io/json.h"

typedef struct PeltiForm {
    PeltiPool pool;   ///< of the text, and of what is filled
    const char *path; ///< for messages
    const char *text; ///< NULL: none (all from settings)
    size_t size;
    PeltiJson *root;           ///< an object
    const PeltiCharacter *who; ///< names of joints are checked against it; NULL: not
} PeltiForm;

typedef enum PeltiFormFieldKind {
    PELTI_FORM_FLOAT,  ///< float
    PELTI_FORM_FLOATS, ///< float [count]
    PELTI_FORM_INT,    ///< int
    PELTI_FORM_BOOL,   ///< bool
    PELTI_FORM_TEXT,   ///< const char *, not empty
    PELTI_FORM_BONE,   ///< const char *, a joint of the character
    PELTI_FORM_CHOICE, ///< int (an enum), index in choices
    PELTI_FORM_CUSTOM  ///< whatever `read` does
} PeltiFormFieldKind;

typedef struct PeltiFormField {
    const char *key; ///< NULL ends a table
    PeltiFormFieldKind kind;
    size_t offset; ///< in the struct
    bool required;
    double least, most; ///< of numbers
    int count;
    const char *const *choices; ///< ends with NULL
    PeltStatus (*read)(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err);
} PeltiFormField;

/// Reads a file (at most 64 MB). `form` is the caller's; pelti_form_close ends it whether this succeeds or not.
PeltStatus pelti_form_open(PeltiForm *form, const char *path, const PeltAllocator *allocator, PeltError *err);
/// An empty document.
PeltStatus pelti_form_empty(PeltiForm *form, const char *name, const PeltAllocator *allocator, PeltError *err);
/// Releases the text and the tree, and the pool too unless `keep` takes it over.
void pelti_form_close(PeltiForm *form, PeltiPool *keep);

/// PELT_BAD_INPUT with "file:line: path: " before the story.
PeltStatus pelti_form_fail(const PeltiForm *form, const PeltiJsonAt *at, PeltError *err, const char *format, ...)
    PELT_PRINTF(4, 5);
/// Fills `target` from the object at `at`.
PeltStatus pelti_form_fill(PeltiForm *form, const PeltiJsonAt *at, const PeltiFormField *fields, void *target, PeltError *err);
typedef struct PeltiFormItem { ///< what an array holds
    const PeltiFormField *fields;
    const void *initial; ///< each item starts as a copy of it
    size_t size;         ///< bytes of it
} PeltiFormItem;
/// An array of objects.
PeltStatus pelti_form_list(PeltiForm *form, const PeltiJsonAt *at, PeltiFormItem item, int *count, void *items, PeltError *err);
/// An array of exactly as many numbers as `field` counts, each within its least and most.
PeltStatus pelti_form_floats(const PeltiForm *form, const PeltiJsonAt *at, const PeltiFormField *field, float *out,
                             PeltError *err);
/// An array of names of joints.
PeltStatus pelti_form_bones(PeltiForm *form, const PeltiJsonAt *at, int *count, const char *const **names, PeltError *err);
/// Is there such a joint? Fails with the nearest name.
PeltStatus pelti_form_check_bone(const PeltiForm *form, const PeltiJsonAt *at, const char *name, PeltError *err);
/// The document's format: "version" must be 1 where it is given. A PELTI_FORM_CUSTOM reader.
PeltStatus pelti_form_version(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err);

#endif
