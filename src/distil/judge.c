/// The truth about the error: held-out poses, those learnt from, and every clip as the method plays it.
#include "bake/measuring.h"
#include "character/targets.h"
#include "character/weights.h"
#include "distil/run.h"

#include <string.h>

#include "distil/constants.def"

static void measure(PeltiDistilRun *run, PeltiDistilTried *tried, const PeltiDistilSample *sample)
{
    const Vec3 *skins[3] = {sample->points, run->judge.points, run->judge.original};
    for (int i = 0; i < 3; i++) {
        PeltQuality quality;
        if (i > 0) // played by points
            pelti_mesh_gather(run->character->who->mesh, skins[i], run->judge.vertices);
        PeltiMeasureSkin skin = {skins[i], i > 0 ? run->judge.vertices : sample->vertices};
        pelti_measuring_alone(run->judge.measure, skin, &quality);
        tried->pairs[i] += quality.self_intersections_new;
        tried->volume[i] = fmax(tried->volume[i], fabs(quality.volume_ratio_min - 1));
    }
    tried->measured++;
}

/// Rest points with the file's own morph targets of a pose.
static const Vec3 *rest_of(PeltiDistilRun *run, const PeltiPose *pose)
{
    const PeltiCharacter *who = run->character->who;
    PeltiDistilJudge *judge = &run->judge;
    if (!pelti_targets_mix(&judge->targets, pose))
        return who->rest_points;
    memcpy(judge->rest, who->rest_points, (size_t)who->point_count * sizeof *judge->rest);
    for (int i = 0; i < judge->targets.count; i++) {
        int p = judge->targets.points[i];
        judge->rest[p] = vec3_add(judge->rest[p], judge->targets.offsets[p]);
    }
    return judge->rest;
}

static void try_pose(PeltiDistilRun *run, PeltiDistilTried *tried, const PeltiDistilSample *sample, int every)
{
    PeltiDistilJudge *judge = &run->judge;
    const Vec3 *rest = rest_of(run, sample->pose);
    pelti_distil_drive(&run->distilled, sample->joints, &judge->driven);
    pelti_distil_matrices(&run->distilled, sample->bones, &judge->driven, judge->matrices);
    pelti_distil_play(&run->distilled, judge->matrices, &judge->driven, rest, judge->points);
    for (int p = 0; p < run->character->who->point_count; p++)
        judge->original[p] = pelti_weights_blend(&run->original, p, sample->bones, rest[p]);
    if (judge->measure && tried->errors.poses % every == 0)
        measure(run, tried, sample);
    pelti_distil_errors_add(&tried->errors, sample->points, judge->points, judge->original);
    if (tried->worst[0] && tried->errors.distilled.worst_pose == tried->errors.poses - 1) {
        const Vec3 *skins[3] = {sample->points, judge->points, judge->original};
        for (int i = 0; i < 3; i++)
            memcpy(tried->worst[i], skins[i], (size_t)run->character->who->point_count * sizeof(Vec3));
    }
}

static void tell(const PeltiDistilRun *run, PeltiDistilTried *tried)
{
    PeltDistilError *error = &tried->error;
    *error = pelti_distil_errors_tell(&tried->errors);
    if (tried->measured > 0) {
        double *const pairs[3] = {&error->method_pairs, &error->pairs, &error->original_pairs};
        double *const volume[3] = {&error->method_volume, &error->volume, &error->original_volume};
        for (int i = 0; i < 3; i++) {
            *pairs[i] = tried->pairs[i] / tried->measured;
            *volume[i] = tried->volume[i];
        }
    }
    if (run->def->told)
        run->def->told(tried->name, error, run->def->told_user);
}

static PeltStatus open_judge(PeltiDistilRun *run, PeltError *err)
{
    const PeltiCharacter *who = run->character->who;
    PeltiDistilJudge *judge = &run->judge;
    judge->driven = pelti_distil_driven_new(&run->pool, &run->distilled);
    judge->matrices = PELTI_NEW(&run->pool, Mat34, who->bone_count + run->distilled.helper_count);
    judge->points = PELTI_NEW(&run->pool, Vec3, who->point_count);
    judge->original = PELTI_NEW(&run->pool, Vec3, who->point_count);
    judge->vertices = PELTI_NEW(&run->pool, Vec3, who->mesh->vertex_count);
    judge->rest = PELTI_NEW(&run->pool, Vec3, who->point_count);
    run->tried = PELTI_NEW(&run->pool, PeltiDistilTried, who->clip_count + 2);
    if (run->pool.failed)
        return pelti_no_memory(err, 3 * (size_t)who->point_count * sizeof(Vec3));
    PELT_TRY(pelti_targets_create(&judge->targets, who, &run->pool, err));
    if (!run->def->report_path && !run->def->page_path)
        return PELT_OK;
    return pelti_measure_create(who, run->jobs, &run->pool.allocator, &judge->measure, err);
}

void pelti_distil_judge_close(PeltiDistilRun *run)
{
    pelti_measure_destroy(run->judge.measure);
}

static PeltStatus new_tried(PeltiDistilRun *run, const char *name, PeltiDistilTried **out, PeltError *err)
{
    *out = &run->tried[run->tried_count++];
    (*out)->name = name;
    for (int i = 0; i < 3 && run->def->page_path; i++)
        (*out)->worst[i] = PELTI_NEW(&run->pool, Vec3, run->character->who->point_count);
    if (run->pool.failed)
        return pelti_no_memory(err, 3 * (size_t)run->character->who->point_count * sizeof(Vec3));
    return pelti_distil_errors(&(*out)->errors, run->character->who, &run->original, &run->pool, err);
}

static PeltStatus try_samples(PeltiDistilRun *run, const char *name, bool held_out, PeltError *err)
{
    PeltiDistilTried *tried;
    PeltiDistilSample sample;
    int count = held_out ? run->samples.held_out : run->samples.count;
    PELT_TRY(new_tried(run, name, &tried, err));
    for (int i = 0; i < count; i++) {
        PELT_TRY(pelti_progress(&run->model.progress, name, (double)i / count, err));
        PELT_TRY(held_out ? pelti_distil_sample_held_out(&run->samples, i, &sample, err)
                          : pelti_distil_sample(&run->samples, i, &sample, err));
        try_pose(run, tried, &sample, count / MEASURED_POSES + 1);
    }
    tell(run, tried);
    return PELT_OK;
}

/// A clip as the method plays it, in the poses that joints give way to.
static PeltStatus try_clip(PeltiDistilRun *run, int clip, PeltError *err)
{
    const PeltiCharacter *who = run->character->who;
    PeltSkin *skin = run->samples.skin;
    PeltiPose *pose = &run->samples.pose;
    PeltiDistilTried *tried;
    int frames = pelti_clip_frames(&who->clips[clip], CLIP_FPS);
    PELT_TRY(new_tried(run, who->clips[clip].name, &tried, err));
    tried->is_clip = true;
    tried->unseen = clip == run->poses.unseen;
    pelt_skin_restart(skin);
    for (int f = 0; f < frames; f++) {
        PeltiStepReport report = {0};
        double ms;
        PELT_TRY(pelti_progress(&run->model.progress, tried->name, (double)f / frames, err));
        pelti_pose_clip(who, &who->clips[clip], f / CLIP_FPS, pose);
        const PeltiPose *shown = pelti_skin_give_way(skin, pose, (float)(1 / CLIP_FPS), &report);
        pelti_skin_step_posed(skin, shown, (float)(1 / CLIP_FPS), &report, &ms);
        PeltiDistilSample sample = {shown, skin->posed.bones, skin->posed.joints, skin->shown.points, pelti_skin_vertices(skin)};
        try_pose(run, tried, &sample, frames / MEASURED_POSES + 1);
    }
    tell(run, tried);
    return PELT_OK;
}

PeltStatus pelti_distil_judge(PeltiDistilRun *run, PeltError *err)
{
    PELT_TRY(open_judge(run, err));
    PELT_TRY(try_samples(run, "held out", true, err));
    PELT_TRY(try_samples(run, "learnt", false, err));
    int clips = run->def->no_clips ? 0 : run->character->who->clip_count;
    if (clips > 0)
        PELT_TRY(pelti_distil_samples_skin(&run->samples, &run->samples_def, err));
    for (int c = 0; c < clips; c++)
        PELT_TRY(try_clip(run, c, err));
    return PELT_OK;
}
