/// include/pelt/world.h: poses from outside, frame by frame.
#include "bake/objects.h"
#include "contact/corrector.h"
#include "core/clock.h"
#include "io/scene.h"

#include <pelt/world.h>

#include <string.h>

enum { WORLD_GUARD = 0x3b1d77c4 };

struct PeltWorld {
    PeltiPool pool;
    PeltiIoScene *loaded; ///< NULL: the caller's own
    PeltiCorrector *corrector;
    int count;
    PeltSkin **skins;
    PeltiPose *free, *corrected; ///< [count]
    bool started;
};

PeltWorldDef pelt_world_def_default(void)
{
    return (PeltWorldDef){.guard = WORLD_GUARD};
}

static PeltStatus open_world(PeltWorld *w, const PeltWorldDef *def, PeltError *err)
{
    const PeltScene *scene = def->scene;
    if (!scene) {
        if (!def->scene_path)
            return PELT_FAIL(err, PELT_BAD_INPUT, "a world needs a scene or the path of one");
        PELT_TRY(pelti_scene_load(def->scene_path, def->skin_count ? def->skins[0]->character->who : NULL, &w->pool.allocator,
                                  &w->loaded, err));
        scene = &w->loaded->scene;
    }
    if (def->skin_count != 1 + scene->character_count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "the scene has %d characters, %d skins are given", 1 + scene->character_count,
                         def->skin_count);
    w->count = def->skin_count;
    w->skins = PELTI_NEW(&w->pool, PeltSkin *, w->count);
    w->free = PELTI_NEW(&w->pool, PeltiPose, w->count);
    w->corrected = PELTI_NEW(&w->pool, PeltiPose, w->count);
    const PeltiCharacter **who = PELTI_NEW(&w->pool, const PeltiCharacter *, w->count);
    const PeltiWeights **weights = PELTI_NEW(&w->pool, const PeltiWeights *, w->count);
    if (w->pool.failed)
        return pelti_no_memory(err, w->pool.used_bytes);
    bool final = def->final;
    for (int i = 0; i < w->count; i++) {
        final |= pelti_option_is(&def->skins[i]->options, "quality", "final");
        w->skins[i] = def->skins[i];
        who[i] = def->skins[i]->character->who;
        weights[i] = &def->skins[i]->weights.vertices;
        w->free[i] = pelti_pose_new(&w->pool, who[i]);
        w->corrected[i] = pelti_pose_new(&w->pool, who[i]);
    }
    if (w->pool.failed)
        return pelti_no_memory(err, w->pool.used_bytes);
    PeltiCorrectorDef corrector = {.scene = scene,
                                   .character_count = w->count,
                                   .who = who,
                                   .weights = weights,
                                   .settings = {.final = final, .work = def->work},
                                   .log = &w->skins[0]->log,
                                   .jobs = w->skins[0]->jobs};
    return pelti_corrector_create(&corrector, &w->pool.allocator, &w->corrector, err);
}

PeltStatus pelt_world_create(const PeltWorldDef *def, PeltWorld **out, PeltError *err)
{
    PELT_ASSERT(def->guard == WORLD_GUARD); // start from pelt_world_def_default
    *out = NULL;
    PeltiPool pool;
    pelti_pool_init(&pool, &def->allocator);
    PeltWorld *w = PELTI_NEW(&pool, PeltWorld, 1);
    if (!w) {
        pelti_pool_release(&pool);
        return pelti_no_memory(err, sizeof *w);
    }
    w->pool = pool;
    PeltStatus status = open_world(w, def, err);
    if (status != PELT_OK) {
        pelt_world_destroy(w);
        return status;
    }
    *out = w;
    return PELT_OK;
}

void pelt_world_destroy(PeltWorld *w)
{
    if (!w)
        return;
    pelti_corrector_destroy(w->corrector);
    pelti_scene_destroy(w->loaded);
    PeltiPool pool = w->pool; // it holds w itself
    pelti_pool_release(&pool);
}

void pelt_world_step(PeltWorld *w, const PeltPose *const *poses, float dt_s, PeltWorldInfo *info)
{
    PeltiContactReport report;
    PeltWorldInfo now = {0};
    double start = pelti_clock_ms();
    for (int i = 0; i < w->count; i++) {
        PELT_ASSERT(poses[i]->character == w->skins[i]->character);
        pelti_pose_copy(w->skins[i]->character->who,
                        pelti_skin_give_way(w->skins[i], &poses[i]->pose, dt_s, &(PeltiStepReport){0}), &w->free[i]);
    }
    pelti_corrector_step(w->corrector, w->free, w->started ? (double)dt_s : 0, w->corrected, &report);
    now.ms = pelti_clock_ms() - start;
    w->started = true;
    for (int i = 0; i < w->count; i++) {
        PeltSkin *skin = w->skins[i];
        double ms;
        PeltiSkinAmong among = {.corrector = w->corrector, .character = i};
        pelti_skin_step_among(skin, &among, &w->corrected[i], dt_s, &(PeltiStepReport){0}, &ms);
        now.skin_ms += ms - among.ms;
        now.pushed = among.pushed > now.pushed ? among.pushed : now.pushed;
        now.ms += among.ms;
    }
    now.watched = report.contacts, now.pushing = report.active, now.iterations = report.iterations;
    now.converged = report.converged, now.residual = report.change;
    if (info)
        *info = now;
}

void pelt_world_pose(const PeltWorld *w, int character, PeltPose *out)
{
    PELT_ASSERT(character >= 0 && character < w->count && out->character == w->skins[character]->character);
    pelti_pose_copy(out->character->who, &w->corrected[character], &out->pose);
}

int pelt_world_object_count(const PeltWorld *w)
{
    return pelti_corrector_object_count(w->corrector);
}

PeltWorldObject pelt_world_object(const PeltWorld *w, int object)
{
    PELT_ASSERT(object >= 0 && object < pelt_world_object_count(w));
    PeltiCorrectorView v = pelti_corrector_object(w->corrector, object);
    PeltWorldObject o = {.name = v.name,
                         .kind = v.kind,
                         .vertex_count = v.vertex_count,
                         .triangle_count = v.triangle_count,
                         .positions = (const float *)v.x,
                         .triangles = (const int *)v.triangles,
                         .mass_kg = (float)v.mass};
    for (int k = 0; k < 3; k++) {
        o.centre[k] = (float)v.centre[k];
        o.velocity[k] = (float)v.velocity[k];
        o.spin[k] = (float)v.spin[k];
        o.origin[k] = v.frame.m[k][3];
        memcpy(o.axes[k], v.frame.m[k], sizeof o.axes[k]);
    }
    return o;
}

PeltStatus pelt_world_hold(PeltWorld *w, int object, const PeltTransform *goal, PeltError *err)
{
    const float *t = goal->translation, *r = goal->rotation, *s = goal->scale;
    float length = r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3];
    if (object < 0 || object >= pelt_world_object_count(w))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "object %d of %d", object, pelt_world_object_count(w));
    if (!(fabsf(t[0]) <= 1e12f && fabsf(t[1]) <= 1e12f && fabsf(t[2]) <= 1e12f && length > 1e-12f && length <= 1e12f))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "object %s: a number of its goal is not finite, or the rotation is zero",
                         pelt_world_object(w, object).name);
    if (!(fabsf(s[0] - 1) < 1e-3f && fabsf(s[1] - 1) < 1e-3f && fabsf(s[2] - 1) < 1e-3f))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "object %s: scale (%g %g %g): objects keep their size; make it so in the scene",
                         pelt_world_object(w, object).name, (double)s[0], (double)s[1], (double)s[2]);
    Trs trs = {vec3(t[0], t[1], t[2]), {r[0], r[1], r[2], r[3]}, vec3(1, 1, 1)};
    pelti_corrector_hold(w->corrector, object, trs);
    return PELT_OK;
}

void pelt_world_let_go(PeltWorld *w, int object)
{
    PELT_ASSERT(object >= 0 && object < pelt_world_object_count(w));
    pelti_corrector_let_go(w->corrector, object);
}

int pelt_world_object_find(const PeltWorld *w, const char *name)
{
    for (int i = 0; i < pelt_world_object_count(w); i++)
        if (!strcmp(pelt_world_object(w, i).name, name))
            return i;
    return -1;
}

int pelt_world_contact_count(const PeltWorld *w)
{
    return pelti_corrector_contact_count(w->corrector);
}

PeltWorldContact pelt_world_contact(const PeltWorld *w, int contact)
{
    PELT_ASSERT(contact >= 0 && contact < pelt_world_contact_count(w));
    PeltiContactPoint p = pelti_corrector_contact(w->corrector, contact);
    return (PeltWorldContact){.a = p.a,
                              .b = p.b,
                              .at = {p.point.x, p.point.y, p.point.z},
                              .normal = {p.normal.x, p.normal.y, p.normal.z},
                              .force = {p.force.x, p.force.y, p.force.z},
                              .gap = (float)p.gap,
                              .slides = p.slides};
}
