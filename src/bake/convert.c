/// include/pelt/character.h: a character into a file, unbaked.
#include "bake/objects.h"
#include "io/gltf_out.h"

PeltStatus pelt_character_save(const PeltCharacter *character, const char *path,
                               void (*warned)(const PeltWarning *warning, void *user), void *user, PeltError *err)
{
    PeltiLog log;
    if (!character->document)
        return PELT_FAIL(err, PELT_UNSUPPORTED, "%s: only a character that came from a file can be written as one", path);
    pelti_log_init(&log, &character->allocator);
    PeltStatus status = pelti_gltf_save(character->document, path, &character->allocator, &log, err);
    for (int i = 0; warned && i < pelti_log_count(&log); i++)
        warned(pelti_log_get(&log, i), user);
    pelti_log_release(&log);
    return status;
}
