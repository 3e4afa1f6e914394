/// The character on show: where it comes from and how it goes.
#include "studio/cast.h"

#include "core/error.h"
#include "studio/page.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const size_t MOST_BYTES = (size_t)1 << 31; // of a file from the command line that is kept for its textures

PeltStatus pelti_cast_slurp(const char *path, size_t most, void **bytes, size_t *size, PeltError *err)
{
    *bytes = NULL;
    *size = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return PELT_FAIL(err, PELT_IO, "%s: %s", path, strerror(errno));
    long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    PeltStatus status = PELT_OK;
    if (length < 0 || (size_t)length > most)
        status = PELT_FAIL(err, PELT_IO, "%s: cannot be read whole, or is larger than %zu MB", path, most >> 20);
    else if (!(*bytes = malloc((size_t)length + 1)))
        status = pelti_no_memory(err, (size_t)length);
    else {
        rewind(file);
        *size = fread(*bytes, 1, (size_t)length, file);
        ((char *)*bytes)[*size] = 0;
    }
    fclose(file);
    return status;
}

static PeltStatus wrap(PeltCharacter *who, void *bytes, size_t size, PeltiCast **out, PeltError *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) {
        pelt_character_destroy(who);
        free(bytes);
        return pelti_no_memory(err, sizeof **out);
    }
    **out = (PeltiCast){.who = who, .bytes = bytes, .size = size};
    return PELT_OK;
}

PeltStatus pelti_cast_read(void *bytes, size_t size, PeltiCast **out, PeltError *err)
{
    PeltCharacter *who;
    *out = NULL;
    PeltStatus status = pelt_character_load_memory(bytes, size, NULL, &who, err);
    if (status != PELT_OK) {
        free(bytes);
        return status;
    }
    return wrap(who, bytes, size, out, err);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void temporary_name(char *path, size_t size)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/pelt-studio-XXXXXX", folder && *folder ? folder : "/tmp");
}

PeltStatus pelti_cast_temporary_folder(char *path, size_t size, PeltError *err)
{
    temporary_name(path, size);
    return mkdtemp(path) ? PELT_OK : PELT_FAIL(err, PELT_IO, "%s: %s", path, strerror(errno));
}

PeltStatus pelti_cast_temporary(char *path, size_t size, PeltError *err)
{
    temporary_name(path, size);
    int file = mkstemp(path);
    if (file < 0)
        return PELT_FAIL(err, PELT_IO, "%s: %s", path, strerror(errno));
    close(file);
    return PELT_OK;
}

/// A character of another format, or of several files, as one .glb: for textures and for saving. Where that fails there is none.
static void as_glb(const PeltCharacter *who, void **bytes, size_t *size)
{
    char blank[300], path[320];
    if (pelti_cast_temporary(blank, sizeof blank, NULL) != PELT_OK)
        return;
    snprintf(path, sizeof path, "%s.glb", blank);
    if (pelt_character_save(who, path, NULL, NULL, NULL) == PELT_OK)
        pelti_cast_slurp(path, MOST_BYTES, bytes, size, NULL);
    unlink(path);
    unlink(blank);
}

PeltStatus pelti_cast_load(const char *path, PeltiCast **out, PeltError *err)
{
    PeltCharacter *who;
    void *bytes = NULL;
    size_t size = 0;
    *out = NULL;
    PELT_TRY(pelt_character_load(path, NULL, &who, err));
    const char *dot = strrchr(base_name(path), '.');
    if (dot && (!strcasecmp(dot, ".glb") || !strcasecmp(dot, ".vrm")))
        pelti_cast_slurp(path, MOST_BYTES, &bytes, &size, NULL); // the page shows clay where there are none
    else
        as_glb(who, &bytes, &size);
    PELT_TRY(wrap(who, bytes, size, out, err));
    snprintf((*out)->label, sizeof(*out)->label, "%s", base_name(path));
    return PELT_OK;
}

/// Made now, through a file: that is the one way to a character whose bytes can be kept.
static PeltStatus make_bytes(const char *name, int vertices, void **bytes, size_t *size, PeltError *err)
{
    PeltMakeDef def = pelt_make_def_default();
    char blank[300], path[320];
    def.name = name;
    def.vertices = vertices;
    def.uv = 1;
    PELT_TRY(pelti_cast_temporary(blank, sizeof blank, err));
    snprintf(path, sizeof path, "%s.glb", blank);
    PeltStatus status = pelt_make_file(&def, path, NULL, err);
    if (status == PELT_OK)
        status = pelti_cast_slurp(path, MOST_BYTES, bytes, size, err);
    unlink(path);
    unlink(blank);
    return status;
}

static PeltStatus copy_bytes(const void *from, size_t size, void **bytes, PeltError *err)
{
    *bytes = malloc(size);
    if (!*bytes)
        return pelti_no_memory(err, size);
    memcpy(*bytes, from, size);
    return PELT_OK;
}

PeltStatus pelti_cast_make(const char *name, int vertices, PeltiCast **out, PeltError *err)
{
    void *bytes;
    size_t size;
    const void *ready = pelti_studio_character(&size);
    *out = NULL;
    if (!strcmp(name, "biped") && !vertices && size)
        PELT_TRY(copy_bytes(ready, size, &bytes, err));
    else
        PELT_TRY(make_bytes(name, vertices, &bytes, &size, err));
    PELT_TRY(pelti_cast_read(bytes, size, out, err));
    snprintf((*out)->label, sizeof(*out)->label, "%s", name);
    return PELT_OK;
}

void pelti_cast_destroy(PeltiCast *cast)
{
    if (!cast)
        return;
    pelt_character_destroy(cast->who);
    free(cast->bytes);
    free(cast);
}
