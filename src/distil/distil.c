/// include/pelt/distil.h: from a method's poses to a skin that every engine plays.
#include "character/targets.h"
#include "character/weights.h"
#include "core/clock.h"
#include "distil/error.h"
#include "distil/run.h"
#include "distil/write.h"
#include "bake/rig_check.h"
#include "io/rig.h"

#include <string.h>

#include "distil/constants.def"

enum { DISTIL_GUARD = 0xd15711 };

PeltDistilDef pelt_distil_def_default(void)
{
    return (PeltDistilDef){.skin = pelt_skin_def_default(),
                           .poses = 1000,
                           .seed = 1,
                           .part = -1,
                           .weights = 4,
                           .helpers = -1,
                           .correctives = 64,
                           .guard = DISTIL_GUARD};
}

static PeltStatus check(const PeltDistilDef *def, PeltError *err)
{
    PELT_ASSERT(def->guard == DISTIL_GUARD); // start from pelt_distil_def_default
    if (def->poses < 1 || def->poses > 10000000)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "poses must be 1 to 10000000, not %d", def->poses);
    if (def->held_out < 0 || def->held_out > 1000000)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "held-out poses must be 0 to 1000000, not %d", def->held_out);
    if (def->parts < 0 || def->parts > 100000 || def->part < -1 || def->part >= (def->parts ? def->parts : 1))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "part %d of %d parts: counted from 0, 100000 at most", def->part, def->parts);
    if (def->parts > 0 && !def->samples_path)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "parts of samples need a name: give the file of the samples");
    if (def->weights != 4 && def->weights != 8)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "engines play 4 or 8 weights a vertex, not %d", def->weights);
    if (def->helpers < -1 || def->helpers > 10000)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "helpers must be 0 to 10000, or -1 for one a joint, not %d", def->helpers);
    if (def->correctives < 0 || def->correctives > 4096)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "correctives must be 0 to 4096, not %d", def->correctives);
    if (!(def->error >= 0) || !(def->bytes >= 0))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "an error and a number of bytes to keep to are 0 (any) or above");
    return PELT_OK;
}

/// Poses within the limits that a rig gives, if any; a rig that is not sound is told by the skin, or here.
static PeltStatus find_poses(PeltiDistilRun *run, int unseen, PeltError *err)
{
    const PeltSkinDef *skin = &run->def->skin;
    const PeltiCharacter *who = run->character->who;
    const char **settings = PELTI_NEW(&run->pool, const char *, skin->setting_count + 1);
    PeltiDistilPosesDef poses = {who, (uint64_t)run->def->seed, unseen, skin->rig};
    PeltiIoRig *rig = NULL;
    int count = 0;
    if (!settings)
        return pelti_no_memory(err, sizeof(char *) * (size_t)skin->setting_count);
    for (int i = 0; i < skin->setting_count; i++)
        if (pelti_io_rig_is_setting(skin->settings[i]))
            settings[count++] = skin->settings[i];
    if (skin->rig)
        PELT_TRY(pelti_bake_rig_check(skin->rig, who, err));
    else if (skin->rig_path || count > 0) {
        PELT_TRY(pelti_io_rig_load((PeltiIoRigSource){skin->rig_path, settings, count}, who, &run->pool.allocator, &rig, err));
        poses.rig = &rig->rig;
    }
    PeltStatus status = pelti_distil_poses(&poses, &run->pool, &run->poses, err);
    pelti_io_rig_destroy(rig);
    return status;
}

PeltStatus pelti_distil_open(PeltiDistilRun *run, int held_out, const char *keep_path, PeltError *err)
{
    const PeltDistilDef *def = run->def;
    const PeltiCharacter *who = run->character->who;
    PELT_TRY(check(def, err));
    if (def->output && !run->character->document)
        return PELT_FAIL(err, PELT_UNSUPPORTED, "a character made by a program has no file to write into: leave the output out");
    int unseen = def->unseen_clip ? pelti_clip_find(who, def->unseen_clip) : -1;
    if (def->unseen_clip && unseen < 0)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "there is no clip '%s': `pelt inspect` lists the %d there are", def->unseen_clip,
                         who->clip_count);
    PELT_TRY(find_poses(run, unseen, err));
    if (run->poses.joint_count == 0)
        return PELT_FAIL(err, PELT_UNSUPPORTED, "nothing bends: the file has no joint below another");
    run->samples_def = (PeltiDistilSamplesDef){.character = run->character,
                                               .skin = &def->skin,
                                               .poses = &run->poses,
                                               .count = def->poses,
                                               .held_out = held_out,
                                               .part = def->part,
                                               .parts = def->parts,
                                               .keep_path = keep_path,
                                               .beside_path = def->output        ? def->output
                                                              : def->report_path ? def->report_path
                                                              : def->page_path   ? def->page_path
                                                                                 : "pelt-distil"};
    return pelti_distil_samples(&run->samples_def, &run->pool, &run->samples, err);
}

/// The weights that the skin is compared with and starts from: the file's, or automatic ones where it has none.
static PeltStatus original_weights(PeltiDistilRun *run, PeltError *err)
{
    const PeltiCharacter *who = run->character->who;
    if (who->file_weights.influences > 0) {
        run->original = who->file_weights;
        return pelti_weights_from_file(who, &run->pool, &run->model.original, err);
    }
    PELT_TRY(pelti_distil_samples_skin(&run->samples, &run->samples_def, err));
    run->model.original = run->samples.skin->weights.vertices;
    PeltiWeightRows rows = {PELTI_NEW(&run->pool, int, (size_t)who->point_count *(size_t)run->model.original.influences),
                            PELTI_NEW(&run->pool, float, (size_t)who->point_count *(size_t)run->model.original.influences)};
    if (run->pool.failed)
        return pelti_no_memory(err, (size_t)who->point_count * sizeof(float));
    size_t width = (size_t)run->model.original.influences;
    for (int p = 0; p < who->point_count; p++) {
        size_t row = (size_t)who->mesh->weld[p] * width;
        memcpy(rows.bone + (size_t)p * width, run->model.original.bone + row, width * sizeof *rows.bone);
        memcpy(rows.weight + (size_t)p * width, run->model.original.weight + row, width * sizeof *rows.weight);
    }
    run->original = (PeltiWeights){(int)width, rows.bone, rows.weight};
    return PELT_OK;
}

/// Joints of two bytes and floats for weights; sparse targets, an index and an offset each.
static size_t bytes_of(const PeltiDistilSkin *d)
{
    size_t bytes = (size_t)d->who->point_count * (size_t)d->weights.influences * 6;
    for (int c = 0; c < d->corrective_count; c++)
        bytes += (size_t)d->correctives[c].count * 16;
    return bytes;
}

/// Poses that are worse than by the original weights count more, and all is fitted anew, until none is.
static PeltStatus mend_worse(PeltiDistilModel *model, PeltError *err)
{
    PELT_TRY(pelti_distil_find_worse(model, err));
    for (int again = 0; again < WORSE_TRIES && model->worse > 0; again++) {
        PELT_TRY(pelti_distil_fit_weights(model, err));
        if (model->corrective_count > 0)
            PELT_TRY(pelti_distil_fit_offsets(model, err));
        PELT_TRY(pelti_distil_find_worse(model, err));
    }
    return PELT_OK;
}

/// Leaves out the correctives that were picked last until the rest fits into the bytes there are; weights, and poses that
/// are worse then, anew for what is left.
static PeltStatus keep_to_bytes(PeltiDistilRun *run, PeltError *err)
{
    PeltiDistilModel *model = &run->model;
    double wanted = run->def->bytes;
    while (wanted > 0 && (double)bytes_of(&run->distilled) > wanted && model->corrective_count > 0) {
        double all = (double)bytes_of(&run->distilled), targets = all;
        for (int c = 0; c < run->distilled.corrective_count; c++)
            targets -= (double)run->distilled.correctives[c].count * 16;
        double share = all > targets ? fmax(wanted - targets, 0) / (all - targets) : 0;
        int fewer = (int)(share * model->corrective_count);
        model->corrective_count = fewer < model->corrective_count ? fewer : model->corrective_count - 1;
        pelti_distil_hand_out(model);
        if (model->corrective_count > 0)
            PELT_TRY(pelti_distil_fit_offsets(model, err));
        PELT_TRY(pelti_distil_fit_weights(model, err));
        if (model->corrective_count > 0)
            PELT_TRY(pelti_distil_fit_offsets(model, err));
        PELT_TRY(mend_worse(model, err));
        PELT_TRY(pelti_distil_model_finish(model, &run->distilled, err));
    }
    return PELT_OK;
}

/// As many correctives as the error asks for: what few of them take is estimated, so where that was too bold there are more.
/// Weights and correctives, each to what the other leaves.
static PeltStatus fit_correctives(PeltiDistilModel *model, const PeltDistilDef *def, PeltError *err)
{
    double goal = def->error, points = (double)model->samples->count * model->who->mesh->vertex_count, reached = INFINITY;
    for (int i = 0; i < ERROR_TRIES && reached > def->error; i++) {
        PELT_TRY(pelti_distil_find_modes(model, def->correctives, goal, err));
        PELT_TRY(pelti_distil_fit_offsets(model, err));
        PELT_TRY(pelti_distil_fit_weights(model, err));
        PELT_TRY(pelti_distil_fit_offsets(model, err));
        PELT_TRY(mend_worse(model, err));
        reached = def->error > 0 ? sqrt(model->square / points) : 0;
        if (model->corrective_count >= def->correctives)
            break;
        goal *= ERROR_BELOW * def->error / fmax(reached, def->error);
    }
    return PELT_OK;
}

/// Methods that move a point by its own bones alone: by which, after weights were tried (`weights=best`).
static PeltStatus find_moved_by(PeltiDistilRun *run, unsigned flags, PeltError *err)
{
    if (!(flags & PELTI_METHOD_BY_POINT))
        return PELT_OK;
    PELT_TRY(pelti_distil_samples_skin(&run->samples, &run->samples_def, err));
    run->model.moved_by = run->samples.skin->weights.vertices;
    return PELT_OK;
}

static PeltStatus fit(PeltiDistilRun *run, PeltError *err)
{
    const PeltDistilDef *def = run->def;
    PeltiDistilModel *model = &run->model;
    unsigned flags = pelti_method_find(def->skin.method)->flags;
    model->who = run->character->who;
    model->pool = &run->pool;
    model->jobs = run->jobs;
    model->samples = &run->samples;
    model->progress = (PeltiProgressSink){def->skin.progress, def->skin.progress_user};
    model->influences = def->weights;
    model->small_turns = flags & PELTI_METHOD_NEEDS_WEIGHTS ? SMALL_TURNS : SMALL_TURNS_FREE;
    model->corrective_room = def->correctives;
    PELT_TRY(original_weights(run, err));
    PELT_TRY(find_moved_by(run, flags, err));
    PELT_TRY(pelti_distil_model(model, err));
    PELT_TRY(pelti_distil_model_clear(model, err));
    if (def->helpers != 0) {
        PELT_TRY(pelti_distil_model_helpers(model, err));
        PELT_TRY(pelti_distil_model_ways(model, err));
    }
    PELT_TRY(pelti_distil_fit_weights(model, err));
    if (model->helper_count > 0) {
        PELT_TRY(pelti_distil_model_keep_helpers(model, def->helpers >= 0 ? def->helpers : model->helper_count, err));
        PELT_TRY(pelti_distil_fit_weights(model, err));
        if (def->helpers > model->helper_count)
            PELT_TRY(pelti_distil_model_more_helpers(model, def->helpers, err));
    }
    PELT_TRY(def->correctives > 0 ? fit_correctives(model, def, err) : mend_worse(model, err));
    PELT_TRY(pelti_distil_model_finish(model, &run->distilled, err));
    return keep_to_bytes(run, err);
}

static PeltDistilResult tell(const PeltiDistilRun *run)
{
    const PeltiDistilSkin *d = &run->distilled;
    return (PeltDistilResult){.joints = run->character->who->bone_count,
                              .helpers = d->helper_count,
                              .correctives = d->corrective_count,
                              .bytes = run->bytes,
                              .size = (double)run->character->who->mesh->diagonal,
                              .held_out = run->tried[0].error,
                              .sample_s = run->samples.seconds,
                              .fit_s = run->fit_s,
                              .samples_found = run->samples.found};
}

static PeltStatus distil(PeltiDistilRun *run, PeltDistilResult *result, PeltError *err)
{
    const PeltDistilDef *def = run->def;
    int share = def->poses / HELD_OUT_SHARE, most = share < HELD_OUT_MOST ? share : HELD_OUT_MOST;
    int held_out = def->held_out > 0 ? def->held_out : most;
    PELT_TRY(pelti_distil_open(run, held_out > 0 ? held_out : 1, def->samples_path, err));
    if (def->parts > 0 && def->part >= 0) {
        if (result)
            *result = (PeltDistilResult){.sample_s = run->samples.seconds, .samples_found = run->samples.found};
        return PELT_OK;
    }
    double start_ms = pelti_clock_ms();
    PELT_TRY(fit(run, err));
    run->bytes = bytes_of(&run->distilled);
    run->fit_s = (pelti_clock_ms() - start_ms) / 1000;
    PELT_TRY(pelti_distil_judge(run, err));
    if (result)
        *result = tell(run);
    if (def->report_path)
        PELT_TRY(pelti_distil_report(run, err));
    if (def->page_path)
        PELT_TRY(pelti_distil_page(run, err));
    if (!def->output)
        return PELT_OK;
    PeltiDistilWriteDef files = {.distilled = &run->distilled,
                                 .document = run->character->document,
                                 .path = def->output,
                                 .method = def->skin.method,
                                 .log = &run->log,
                                 .allocator = &run->pool.allocator};
    return pelti_distil_write(&files, err);
}

PeltStatus pelti_distil_run(const PeltDistilDef *def, const PeltCharacter *who, PeltiDistilWork work, PeltDistilResult *result,
                            PeltError *err)
{
    PeltiDistilRun run = {.def = def, .character = who};
    pelti_pool_init(&run.pool, &def->skin.allocator);
    pelti_log_init(&run.log, &def->skin.allocator);
    run.jobs = pelti_jobs_create(def->skin.threads);
    PeltStatus status = run.jobs ? work(&run, result, err) : pelti_no_memory(err, 1);
    for (int i = 0; i < pelti_log_count(&run.log) && def->warned; i++)
        def->warned(pelti_log_get(&run.log, i), def->warned_user);
    for (int i = 0; run.samples.skin && def->warned && i < pelt_skin_warning_count(run.samples.skin); i++)
        def->warned(pelt_skin_warning(run.samples.skin, i), def->warned_user);
    pelti_distil_judge_close(&run);
    pelti_distil_samples_close(&run.samples);
    pelti_log_release(&run.log);
    pelti_jobs_destroy(run.jobs);
    pelti_pool_release(&run.pool);
    return status;
}

PeltStatus pelt_distil(const PeltDistilDef *def, const PeltCharacter *who, PeltDistilResult *result, PeltError *err)
{
    return pelti_distil_run(def, who, distil, result, err);
}
