/// include/pelt/render.h: stills and moving pictures.
#include "tools/picture.h"
#include "bake/around.h"
#include "core/clock.h"
#include "core/file.h"
#include "io/cache.h"

#include <string.h>
#include <strings.h>

enum { RENDER_GUARD = 0x9c7a2e1 };

PeltRenderDef pelt_render_def_default(void)
{
    return (PeltRenderDef){.skin = pelt_skin_def_default(),
                           .fps = 30,
                           .frame = -1,
                           .last_frame = -1,
                           .width = 1280,
                           .height = 960,
                           .camera = "three-quarter",
                           .background = "light",
                           .colour = "clay",
                           .quality = 82,
                           .guard = RENDER_GUARD};
}

/// One run of `pelt render`.
typedef struct Rendering {
    const PeltRenderDef *def;
    const PeltCharacter *character;
    const char *path;
    bool webp, moving;
    int clip;       ///< -1: none
    int begin, end; ///< frames of the clip there are, the end not among them: all, or those of the cache
    int clip_frames;
    int first, count; ///< frames to draw
    PeltiJobs *jobs;
    PeltiPicture picture;
    PeltSkin *skin;      ///< NULL: a cache or the rest pose without need for weights
    PeltiGuide guide;    ///< lbs NULL: not needed
    PeltiAround *around; ///< NULL: none
    PeltiLog log;
    PeltiCache *cache; ///< NULL: none
    bool guided;       ///< the camera follows the guide; else the cache's own points
    PeltiPool pool;
    PeltiPose pose;
    Vec3 *points; ///< [point_count] of the cache
    int stepped;  ///< last frame the skin was stepped to, -1: none
    PeltRenderResult result;
} Rendering;

static PeltStatus choose_format(Rendering *job, PeltError *err)
{
    const char *dot = strrchr(job->path, '.');
    job->webp = dot && strcasecmp(dot, ".webp") == 0;
    if (!job->webp && !(dot && strcasecmp(dot, ".png") == 0))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%s: pictures are .png or .webp", job->path);
    if (!(job->def->quality >= 0 && job->def->quality <= 100))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "quality %g: goes from 0 to 100", (double)job->def->quality);
    job->moving = job->webp && job->def->frame < 0 && !job->def->rest;
    return PELT_OK;
}

static PeltStatus open_cache(Rendering *job, PeltError *err)
{
    int points = job->character->who->point_count;
    PeltiCacheSource source = {job->def->cache_path, job->character->who, job->def->fps, NULL};
    PELT_TRY(pelti_cache_open(&source, &job->cache, err));
    if (job->cache->frames.point_count != points)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: has %d points a frame, the character %d", job->def->cache_path,
                         job->cache->frames.point_count, points);
    job->begin = job->cache->timeless && job->def->frame >= 0 ? job->def->frame : job->cache->frames.start_frame;
    job->end = job->begin + job->cache->frames.frame_count;
    job->points = PELTI_NEW(&job->pool, Vec3, points);
    return job->pool.failed ? pelti_no_memory(err, (size_t)points * sizeof(Vec3)) : PELT_OK;
}

static PeltStatus choose_frames(Rendering *job, PeltError *err)
{
    const PeltRenderDef *def = job->def;
    const PeltiCharacter *who = job->character->who;
    job->clip = who->clip_count ? 0 : -1;
    if (def->clip && (job->clip = pelti_clip_find(who, def->clip)) < 0)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "there is no clip '%s': `pelt inspect` lists the %d there are", def->clip,
                         who->clip_count);
    if (!(def->fps > 0 && def->fps <= 1000))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "fps must be above 0 and at most 1000, not %g", def->fps);
    job->clip_frames = job->end = job->clip >= 0 ? pelti_clip_frames(&who->clips[job->clip], def->fps) : 1;
    if (def->cache_path && !def->rest)
        PELT_TRY(open_cache(job, err));
    // a cache as long as the clip, or one that says where in it it begins, is of the clip
    bool named = job->cache && job->cache->timeless && def->frame >= 0; // it is whichever one says it is
    bool within = job->end <= job->clip_frames;
    bool fits = named || job->begin > 0 ? within : job->begin == 0 && job->end == job->clip_frames;
    job->guided = !def->rest && fits;
    int last = def->last_frame < 0 ? job->end - 1 : def->last_frame;
    job->first = job->moving ? def->first_frame : def->frame < 0 ? job->begin : def->frame;
    if (job->moving && def->first_frame == 0 && job->cache)
        job->first = job->begin; // 0: from the start, wherever a cache has it
    job->count = job->moving ? last - job->first + 1 : 1;
    if (job->first < job->begin || job->count < 1 || job->first + job->count > job->end)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "frames %d:%d are outside %d:%d, the frames of the %s", job->first,
                         job->first + job->count - 1, job->begin, job->end - 1, job->cache ? "cache" : "clip");
    return PELT_OK;
}

static void pose_at(Rendering *job, int frame)
{
    const PeltiCharacter *who = job->character->who;
    pelti_pose_clip(who, job->clip >= 0 ? &who->clips[job->clip] : NULL, frame / job->def->fps, &job->pose);
}

static PeltStatus open_skins(Rendering *job, PeltError *err)
{
    const PeltRenderDef *def = job->def;
    bool bones = strcmp(def->colour, "weights") == 0 || strcmp(def->colour, "part") == 0;
    job->pose = pelti_pose_new(&job->pool, job->character->who);
    if (job->pool.failed)
        return pelti_no_memory(err, sizeof(PeltiPose));
    if (!job->guided && !bones && !(def->rest && def->inside))
        return PELT_OK;
    PELT_TRY(pelti_guide_create(&job->guide, job->character, bones, def->skin.threads, err));
    if (job->cache || def->rest)
        return PELT_OK;
    PELT_TRY(pelt_skin_create(&def->skin, job->character, &job->skin, err));
    if (!def->scene_path)
        return PELT_OK;
    return pelti_around_open((PeltiAroundScene){.path = def->scene_path}, job->skin, job->end, &job->log, &job->around, err);
}

/// Frames what will be drawn.
static PeltStatus aim_camera(Rendering *job, PeltError *err)
{
    if (job->def->rest) {
        pelti_picture_show(&job->picture, job->character->who->rest_points);
        return PELT_OK;
    }
    int from = job->guided ? 0 : job->begin, to = job->guided ? job->clip_frames : job->end;
    for (int frame = from; frame < to; frame++) {
        bool drawn = frame >= job->first && frame < job->first + job->count;
        if (!job->guided && !drawn)
            continue;
        if (!job->guided) {
            PELT_TRY(pelti_cache_frame(job->cache, frame - job->begin, job->points, err));
            pelti_picture_show(&job->picture, job->points);
            continue;
        }
        pose_at(job, frame);
        pelti_guide_step(&job->guide, &job->pose);
        pelti_guide_show(&job->guide, &job->picture, !drawn);
    }
    return PELT_OK;
}

/// Moves the skin to a frame: a method that remembers passes through all frames on the way.
static void step_to(Rendering *job, int frame)
{
    bool remembers = job->around || job->skin->mends.give_way ||
                     (job->skin->method->flags & (PELTI_METHOD_KEEPS_STATE | PELTI_METHOD_DYNAMIC)) != 0;
    for (int f = remembers ? job->stepped + 1 : frame; f <= frame; f++) {
        double ms;
        pose_at(job, f);
        if (job->around)
            pelti_around_step_skin(job->around, job->skin, &job->pose, (PeltiAroundFrame){job->def->fps, f, f},
                                   &(PeltiStepReport){0}, &ms);
        else
            pelti_skin_step(job->skin, &job->pose, (float)(1 / job->def->fps), &(PeltiStepReport){0}, &ms);
    }
    job->stepped = frame;
}

static PeltStatus frame_at(Rendering *job, int frame, PeltiPictureFrame *out, PeltError *err)
{
    *out = (PeltiPictureFrame){.title = job->def->title, .samples = job->def->samples ? 0 : job->moving ? 2 : 4};
    if (job->def->rest) {
        out->points = job->character->who->rest_points;
        out->skin = job->guide.lbs;
        for (int b = 0; job->guide.lbs && b < job->character->who->bone_count; b++)
            job->guide.lbs->posed.bones[b] = mat34_identity(); // rest space is where the bones rest
        return PELT_OK;
    }
    if (job->cache) {
        PELT_TRY(pelti_cache_frame(job->cache, frame - job->begin, job->points, err));
        out->points = job->points;
        out->skin = job->guide.lbs;
        if (job->guided) {
            pose_at(job, frame);
            pelti_guide_step(&job->guide, &job->pose);
            pelti_guide_compare(&job->guide, out);
        }
        return PELT_OK;
    }
    step_to(job, frame);
    if (job->around)
        PELT_TRY(pelti_around_check(job->around, err));
    out->points = job->skin->shown.points;
    out->skin = job->skin;
    out->around = job->around;
    out->around_frame = frame;
    if (job->picture.colouring == PELTI_COLOUR_DISTANCE) {
        pelti_guide_step(&job->guide, &job->pose);
        pelti_guide_compare(&job->guide, out);
    }
    return PELT_OK;
}

static PeltStatus draw_frame(Rendering *job, int frame, PeltiImage *image, PeltError *err)
{
    PeltiPictureFrame what;
    PELT_TRY(frame_at(job, frame, &what, err));
    double start_ms = pelti_clock_ms();
    PELT_TRY(pelti_picture_draw(&job->picture, &what, image, err));
    job->result.render_ms += pelti_clock_ms() - start_ms;
    job->result.frames++;
    return PELT_OK;
}

static PeltStatus draw_still(Rendering *job, PeltiArray *bytes, PeltError *err)
{
    PeltiImage image = {0};
    PELT_TRY(draw_frame(job, job->first, &image, err));
    PeltStatus status =
        job->webp ? pelti_webp_encode(&image, job->def->quality, bytes, err) : pelti_png_encode(&image, bytes, err);
    pelti_image_release(&image);
    return status;
}

static PeltStatus draw_frames(Rendering *job, PeltiWebp *webp, PeltError *err)
{
    PeltiProgressSink progress = {job->def->skin.progress, job->def->skin.progress_user};
    double step_ms = 1000 / job->def->fps;
    for (int i = 0; i < job->count; i++) {
        PeltiImage image = {0};
        PELT_TRY(pelti_progress(&progress, "render", (double)i / job->count, err));
        PELT_TRY(draw_frame(job, job->first + i, &image, err));
        PeltStatus status = pelti_webp_add(webp, &image, i * step_ms, err);
        pelti_image_release(&image);
        PELT_TRY(status);
    }
    return PELT_OK;
}

static PeltStatus draw_moving(Rendering *job, PeltiArray *bytes, PeltError *err)
{
    PeltiWebp *webp;
    PELT_TRY(pelti_webp_begin(job->def->width, job->def->height, job->def->quality, &webp, err));
    PeltStatus status = draw_frames(job, webp, err);
    if (status == PELT_OK)
        status = pelti_webp_end(webp, job->count * 1000 / job->def->fps, bytes, err);
    pelti_webp_destroy(webp);
    return status;
}

static PeltStatus open_job(Rendering *job, PeltError *err)
{
    pelti_pool_init(&job->pool, NULL);
    pelti_log_init(&job->log, NULL);
    PELT_TRY(choose_format(job, err));
    job->jobs = pelti_jobs_create(job->def->skin.threads);
    if (!job->jobs)
        return PELT_FAIL(err, PELT_FAILED, "threads were refused");
    return pelti_picture_create(job->def, job->character, job->jobs, NULL, &job->picture, err);
}

static PeltStatus save(Rendering *job, PeltiArray *bytes, PeltError *err)
{
    if (bytes->failed)
        return pelti_no_memory(err, bytes->count);
    job->result.bytes = bytes->count;
    return pelti_file_save(job->path, bytes->data, bytes->count, err);
}

static void close_job(Rendering *job)
{
    pelti_picture_release(&job->picture);
    pelti_cache_close(job->cache);
    pelti_around_close(job->around);
    pelti_log_release(&job->log);
    pelt_skin_destroy(job->skin);
    pelti_guide_release(&job->guide);
    pelti_jobs_destroy(job->jobs);
    pelti_pool_release(&job->pool);
}

static PeltStatus run_job(Rendering *job, PeltiArray *bytes, PeltError *err)
{
    PELT_TRY(open_job(job, err));
    PELT_TRY(choose_frames(job, err));
    PELT_TRY(open_skins(job, err));
    PELT_TRY(aim_camera(job, err));
    PELT_TRY(job->moving ? draw_moving(job, bytes, err) : draw_still(job, bytes, err));
    return save(job, bytes, err);
}

PeltStatus pelt_render(const PeltRenderDef *def, const PeltCharacter *who, const char *path, PeltRenderResult *result,
                       PeltError *err)
{
    PELT_ASSERT(def->guard == RENDER_GUARD); // start from pelt_render_def_default
    Rendering job = {.def = def, .character = who, .path = path, .stepped = -1};
    PeltiArray bytes;
    pelti_array_init(&bytes, NULL, 1);
    PeltStatus status = run_job(&job, &bytes, err);
    if (result)
        *result = job.result;
    pelti_array_release(&bytes);
    close_job(&job);
    return status;
}

static PeltStatus run_positions(Rendering *job, const Vec3 *points, PeltiArray *bytes, PeltError *err)
{
    PeltiImage image;
    PELT_TRY(open_job(job, err));
    pelti_picture_show(&job->picture, points);
    double start_ms = pelti_clock_ms();
    PELT_TRY(pelti_picture_draw(&job->picture, &(PeltiPictureFrame){.points = points, .title = job->def->title}, &image, err));
    job->result = (PeltRenderResult){.frames = 1, .render_ms = pelti_clock_ms() - start_ms};
    PeltStatus status =
        job->webp ? pelti_webp_encode(&image, job->def->quality, bytes, err) : pelti_png_encode(&image, bytes, err);
    pelti_image_release(&image);
    PELT_TRY(status);
    return save(job, bytes, err);
}

PeltStatus pelt_render_positions(const PeltRenderDef *def, const PeltCharacter *who, const float *positions, const char *path,
                                 PeltRenderResult *result, PeltError *err)
{
    PELT_ASSERT(def->guard == RENDER_GUARD); // start from pelt_render_def_default
    Rendering job = {.def = def, .character = who, .path = path, .stepped = -1};
    PeltiArray bytes;
    pelti_array_init(&bytes, NULL, 1);
    PeltStatus status = run_positions(&job, (const Vec3 *)(const void *)positions, &bytes, err);
    if (result)
        *result = job.result;
    pelti_array_release(&bytes);
    close_job(&job);
    return status;
}
