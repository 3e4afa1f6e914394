/// include/pelt/make.h: built-in characters for users of the library.
#include "bake/objects.h"
#include "builtin/builtin.h"
#include "core/clock.h"
#include "io/gltf_make.h"

enum { MAKE_GUARD = 0x5d31b07 };

PeltMakeDef pelt_make_def_default(void)
{
    return (PeltMakeDef){.name = "biped", .guard = MAKE_GUARD};
}

const char *pelt_make_name(int index)
{
    return pelti_builtin_name(index);
}

static PeltStatus make(const PeltMakeDef *def, PeltiBuiltin *out, PeltError *err)
{
    PELT_ASSERT(def->guard == MAKE_GUARD); // start from pelt_make_def_default
    PeltiBuiltinOptions options = {.vertices = def->vertices, .no_weights = def->no_weights != 0, .uv = def->uv != 0};
    PeltiJobs *jobs = pelti_jobs_create(def->threads);
    if (!jobs)
        return pelti_no_memory(err, 0);
    PeltStatus status = pelti_builtin_make_all(def->name, &options, jobs, &def->allocator, out, err);
    pelti_jobs_destroy(jobs);
    return status;
}

PeltStatus pelt_make_character(const PeltMakeDef *def, PeltCharacter **out, PeltError *err)
{
    PeltiBuiltin made;
    *out = NULL;
    PELT_TRY(make(def, &made, err));
    return pelti_character_wrap(made.who, NULL, &def->allocator, out, err);
}

PeltStatus pelt_make_file(const PeltMakeDef *def, const char *path, PeltMakeResult *result, PeltError *err)
{
    PeltiBuiltin made;
    double start = pelti_clock_ms();
    PELT_TRY(make(def, &made, err));
    PeltStatus status = pelti_gltf_make(made.who, made.uv, path, err);
    if (result)
        *result = (PeltMakeResult){made.who->point_count, made.who->triangle_count, made.who->bone_count, made.who->clip_count,
                                   pelti_clock_ms() - start};
    pelti_character_destroy(made.who);
    return status;
}
