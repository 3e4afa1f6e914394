/// include/pelt/make.h: built-in characters for users of the library.
#include "bake/objects.h"
#include "builtin/builtin.h"
#include "core/clock.h"
#include "io/gltf_make.h"

#include <pelt/make.h>

#include <stdio.h>
#include <string.h>

enum { MAKE_GUARD = 0x5d31b07 };

PeltMakeDef pelt_make_def_default(void)
{
    return (PeltMakeDef){.name = "biped", .guard = MAKE_GUARD};
}

const char *pelt_make_name(int index)
{
    return pelti_builtin_name(index);
}

/// The place of a word in a list that ends with NULL; `otherwise` where there is no word.
static PeltStatus find_word(const char *word, const char *const *list, const char *what, int otherwise, int *out, PeltError *err)
{
    *out = otherwise;
    if (!word)
        return PELT_OK;
    char known[160] = "";
    for (int i = 0; list[i]; i++) {
        if (strcmp(word, list[i]) == 0) {
            *out = i;
            return PELT_OK;
        }
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", list[i]);
    }
    return PELT_FAIL(err, PELT_BAD_ARGUMENT, "no %s '%.60s': there are %s", what, word, known);
}

static PeltStatus make(const PeltMakeDef *def, PeltiBuiltin *out, PeltError *err)
{
    static const char *const dressings[] = {"none", "some", "all", NULL}; // as PeltiBuiltinDress and, from smooth, PeltiPainting
    static const char *const paintings[] = {"smooth", "one-joint", "unnormalised", "missing", "none", NULL};
    int dressing, painting;
    PELT_ASSERT(def->guard == MAKE_GUARD); // start from pelt_make_def_default
    PELT_TRY(find_word(def->dress, dressings, "way to dress", def->seed ? PELTI_DRESS_SOME : PELTI_DRESS_NONE, &dressing, err));
    PELT_TRY(find_word(def->weights, paintings, "weights", -PELTI_PAINT_SMOOTH, &painting, err));
    PeltiBuiltinOptions options = {.vertices = def->vertices,
                                   .uv = def->uv,
                                   .seed = def->seed,
                                   .clip = def->clip,
                                   .dressing = (PeltiBuiltinDress)dressing,
                                   .painting = (PeltiPainting)(painting + PELTI_PAINT_SMOOTH)};
    if (def->no_weights)
        options.painting = PELTI_PAINT_NONE;
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
    return pelti_bake_character_wrap(made.who, NULL, &def->allocator, out, err);
}

static PeltStatus write(const PeltiBuiltin *made, const char *path, PeltError *err)
{
    PeltiPool pool;
    pelti_pool_init(&pool, &made->who->pool.allocator);
    PeltiGltfPart *parts = PELTI_NEW(&pool, PeltiGltfPart, made->part_count);
    for (int i = 0; i < made->part_count && parts; i++) {
        const PeltiBuiltinPart *from = &made->parts[i];
        parts[i] = (PeltiGltfPart){.material = from->material,
                                   .colour = {from->colour[0], from->colour[1], from->colour[2]},
                                   .instance = from->instance,
                                   .first_point = from->first_point,
                                   .point_count = from->point_count,
                                   .first_triangle = from->first_triangle,
                                   .triangle_count = from->triangle_count};
    }
    PeltiGltfMake make = {made->who, made->uv, made->part_count, parts, made->row_sums};
    PeltStatus status = parts ? pelti_gltf_make(&make, path, err) : pelti_no_memory(err, sizeof *parts);
    pelti_pool_release(&pool);
    return status;
}

PeltStatus pelt_make_file(const PeltMakeDef *def, const char *path, PeltMakeResult *result, PeltError *err)
{
    PeltiBuiltin made;
    double start = pelti_clock_ms();
    PELT_TRY(make(def, &made, err));
    PeltStatus status = write(&made, path, err);
    if (result)
        *result = (PeltMakeResult){made.who->point_count, made.who->triangle_count, made.who->bone_count, made.who->clip_count,
                                   pelti_clock_ms() - start};
    pelti_character_destroy(made.who);
    return status;
}
