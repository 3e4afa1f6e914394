/// Which frames and places of a study to look at, from where, and the pictures.
#include "tools/study.h"

#include "math/elementary.h"
#include "render/rays.h"

#include <stdio.h>
#include <string.h>

// ---- frames ----

/// How bad frame f is in measure `kind`, over all methods.
static double badness(const PeltiStudy *study, int kind, int f)
{
    double worst = 0;
    for (int m = 0; m < study->method_count; m++) {
        if (study->methods[m].status != PELT_OK)
            continue;
        const PeltiStudyFrame *frame = &study->methods[m].frames[f];
        const PeltQuality *q = &frame->measure;
        double values[4] = {(double)q->deep_pairs, (double)frame->away.value, q->stretch_p99,
                            isfinite(q->volume_ratio_min) ? fabs(q->volume_ratio_min - 1) : 0};
        worst = fmax(worst, isfinite(values[kind]) ? values[kind] : 0);
    }
    return worst;
}

static bool near_another(const int *frames, int count, int frame, int gap)
{
    for (int i = 0; i < count; i++)
        if (frame - frames[i] < gap && frames[i] - frame < gap)
            return true;
    return false;
}

int pelti_study_frames(const PeltiStudy *study, int most, int *frames)
{
    int total = study->frame_count, gap = total / (most + 2) > 1 ? total / (most + 2) : 1, count = 0;
    for (int kind = 0; kind < 4 && count < most; kind++) {
        int best = -1;
        double worst = 0;
        for (int f = 0; f < total; f++)
            if (badness(study, kind, f) > worst * (1 + 1e-9) && !near_another(frames, count, f, gap)) {
                worst = badness(study, kind, f);
                best = f;
            }
        if (best >= 0)
            frames[count++] = best;
    }
    for (int i = 1; i <= 2 * most && count < most; i++) { // even places, where they add something
        int f = (int)((double)i / (2 * most + 1) * (total - 1));
        if (!near_another(frames, count, f, gap))
            frames[count++] = f;
    }
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && frames[k - 1] > frames[k]; k--) {
            int swap = frames[k];
            frames[k] = frames[k - 1];
            frames[k - 1] = swap;
        }
    return count;
}

bool pelti_study_worst(const PeltiStudy *study, PeltiStudyWorst kind, int *method, int *frame, PeltiStudyPlace *place)
{
    bool found = false;
    for (int m = 0; m < study->method_count; m++)
        for (int f = 0; f < study->frame_count && study->methods[m].status == PELT_OK; f++) {
            const PeltiStudyFrame *q = &study->methods[m].frames[f];
            const PeltiStudyPlace *p = kind == PELTI_WORST_FOLD      ? &q->folded
                                       : kind == PELTI_WORST_STRETCH ? &q->stretched
                                                                     : &q->deepest;
            bool worse = !found || (kind == PELTI_WORST_FOLD ? p->value < place->value : p->value > place->value);
            if (p->vertex >= 0 && isfinite(p->value) && worse) {
                *method = m, *frame = f, *place = *p;
                found = true;
            }
        }
    return found;
}

// ---- pictures ----

static PeltRenderDef render_def(const PeltiStudyShot *shot)
{
    PeltRenderDef def = pelt_render_def_default();
    def.colour = shot->colour;
    def.camera = shot->camera;
    def.width = shot->width;
    def.height = shot->height;
    def.samples = shot->samples;
    return def;
}

/// The camera `pelt render` would take, over the floor of the whole clip; frame -1: that sees all of them.
static PeltStatus open_picture(PeltiStudy *study, const PeltRenderDef *def, int frame, PeltiPicture *picture, PeltError *err)
{
    PeltStatus status = pelti_picture_create(def, study->character, study->jobs, study->measuring->measure, picture, err);
    if (status != PELT_OK) {
        pelti_picture_release(picture);
        return status;
    }
    for (int f = 0; f < study->frame_count; f++) {
        if (study->has_floor && frame >= 0 && f != frame)
            continue;
        pelti_study_pose(study, f);
        pelti_guide_step(&study->guide, &study->pose);
        pelti_guide_show(&study->guide, picture, frame >= 0 && f != frame);
    }
    if (!study->has_floor)
        study->low = picture->low, study->high = picture->high;
    study->has_floor = true;
    picture->low = vec3_min(picture->low, study->low);
    picture->high = vec3_max(picture->high, study->high);
    return PELT_OK;
}

static PeltiPictureFrame picture_frame(const PeltiStudy *study, const PeltiStudyShot *shot, int frame)
{
    size_t first = (size_t)frame * (size_t)study->character->who->point_count;
    return (PeltiPictureFrame){.points = pelti_study_points(study, shot->method, frame),
                               .beside = study->lbs + first,
                               .near = study->near ? study->near + first : NULL,
                               .distance_title = pelti_guide_title(&study->guide)};
}

PeltStatus pelti_study_draw(PeltiStudy *study, const PeltiStudyShot *shot, PeltiImage *out, PeltError *err)
{
    PeltRenderDef def = render_def(shot);
    PeltiPicture picture;
    PELT_TRY(open_picture(study, &def, shot->frame, &picture, err));
    PeltiPictureFrame frame = picture_frame(study, shot, shot->frame);
    PeltStatus status = pelti_picture_draw(&picture, &frame, out, err);
    pelti_picture_release(&picture);
    return status;
}

bool pelti_still_shares(const PeltiStudyShot *shot)
{
    return !strcmp(shot->colour, "stretch") || !strcmp(shot->colour, "contact");
}

PeltStatus pelti_still_open(PeltiStudy *study, const PeltiStudyShot *shot, PeltiStill *out, PeltError *err)
{
    out->def = render_def(shot);
    PELT_TRY(open_picture(study, &out->def, shot->frame, &out->picture, err));
    out->picture.jobs = NULL;
    out->frame = picture_frame(study, shot, shot->frame);
    return PELT_OK;
}

PeltStatus pelti_still_draw(PeltiStill *still, PeltiImage *out, PeltError *err)
{
    return pelti_picture_draw(&still->picture, &still->frame, out, err);
}

void pelti_still_close(PeltiStill *still)
{
    pelti_picture_release(&still->picture);
}

// ---- films ----

enum { FILM_BATCH = 8, MOST_PAINTERS = 64 };

/// Frames are drawn side by side, each on one thread, while those before them are encoded.
typedef struct Film {
    PeltiStudy *study;
    const PeltiStudyShot *shot;
    int painters;
    PeltiPicture picture[MOST_PAINTERS]; ///< of each thread
    PeltiWebp *webp;
    int first, drawn, encoded;         ///< frames of this batch; how many are drawn; how many before them are encoded
    PeltiImage image[FILM_BATCH];      ///< of this batch
    PeltiImage before[FILM_BATCH];     ///< of the batch before
    PeltStatus status[FILM_BATCH + 1]; ///< of encoding, and of each frame
    PeltError err[FILM_BATCH + 1];
} Film;

static PeltStatus encode_frames(Film *film, PeltError *err)
{
    for (int i = 0; i < film->encoded; i++)
        PELT_TRY(pelti_webp_add(film->webp, &film->before[i], (film->first - film->encoded + i) * 1000 / film->study->fps, err));
    return PELT_OK;
}

static void film_range(void *context, int begin, int end, int worker)
{
    Film *film = context;
    for (int i = begin; i < end; i++) {
        PeltiPictureFrame frame = i ? picture_frame(film->study, film->shot, film->first + i - 1) : (PeltiPictureFrame){0};
        film->status[i] = i ? pelti_picture_draw(&film->picture[worker], &frame, &film->image[i - 1], &film->err[i])
                            : encode_frames(film, &film->err[i]);
    }
}

/// One picture a thread, with the camera of the first.
static PeltStatus open_film(Film *film, const PeltRenderDef *def, PeltError *err)
{
    PeltiStudy *study = film->study;
    int threads = pelti_jobs_threads(study->jobs);
    PELT_TRY(open_picture(study, def, -1, &film->picture[0], err));
    film->painters = 1;
    for (; film->painters < threads && threads <= MOST_PAINTERS; film->painters++) {
        PeltiPicture *picture = &film->picture[film->painters];
        PeltStatus status = pelti_picture_create(def, study->character, NULL, study->measuring->measure, picture, err);
        if (status != PELT_OK) {
            pelti_picture_release(picture);
            return status;
        }
        picture->framing = film->picture[0].framing;
        picture->low = film->picture[0].low, picture->high = film->picture[0].high;
    }
    film->picture[0].jobs = NULL;
    return PELT_OK;
}

static PeltStatus film_frames(Film *film, PeltError *err)
{
    PeltiStudy *study = film->study;
    PeltiJobs *jobs = film->painters > 1 ? study->jobs : NULL;
    for (; film->first < study->frame_count + film->encoded; film->first += film->drawn) {
        int left = study->frame_count - film->first;
        film->drawn = left < FILM_BATCH ? left : FILM_BATCH;
        PELT_TRY(pelti_progress(&study->progress, "film", (double)film->first / study->frame_count, err));
        pelti_parallel_for(jobs, 1 + film->drawn, 1, film_range, film);
        for (int i = 0; i <= film->drawn; i++)
            if (film->status[i] != PELT_OK) {
                if (err)
                    *err = film->err[i];
                return film->status[i];
            }
        for (int i = 0; i < FILM_BATCH; i++) {
            pelti_image_release(&film->before[i]);
            film->before[i] = film->image[i];
            film->image[i] = (PeltiImage){0};
        }
        film->encoded = film->drawn;
    }
    return PELT_OK;
}

PeltStatus pelti_study_film(PeltiStudy *study, const PeltiStudyShot *shot, float quality, PeltiArray *bytes, PeltError *err)
{
    PeltRenderDef def = render_def(shot);
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    Film *film = PELTI_NEW(&pool, Film, 1);
    if (!film)
        return pelti_no_memory(err, sizeof *film);
    film->study = study;
    film->shot = shot;
    PeltStatus status = open_film(film, &def, err);
    if (status == PELT_OK)
        status = pelti_webp_begin(shot->width, shot->height, quality, &film->webp, err);
    if (status == PELT_OK) {
        status = film_frames(film, err);
        if (status == PELT_OK)
            status = pelti_webp_end(film->webp, study->frame_count * 1000 / study->fps, bytes, err);
        pelti_webp_destroy(film->webp);
    }
    for (int i = 0; i < FILM_BATCH; i++) {
        pelti_image_release(&film->image[i]);
        pelti_image_release(&film->before[i]);
    }
    for (int i = 0; i < film->painters; i++)
        pelti_picture_release(&film->picture[i]);
    pelti_pool_release(&pool);
    return status;
}

/// Quoted for a shell where it has to be.
static void quote(const char *text, char *out, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,:+";
    if (*text && strspn(text, plain) == strlen(text)) {
        snprintf(out, size, "%s", text);
        return;
    }
    size_t n = 0;
    out[n++] = '\'';
    for (; *text && n + 6 < size; text++)
        if (*text == '\'') {
            memcpy(out + n, "'\\''", 4);
            n += 4;
        } else
            out[n++] = *text;
    out[n++] = '\'';
    out[n] = 0;
}

void pelti_study_command(const PeltiStudy *study, const PeltiStudyShot *shot, bool film, char *text, size_t size)
{
    char file[600], clip[200] = "", more[320] = "";
    quote(study->file, file, sizeof file);
    if (study->clip > 0) {
        char name[160];
        quote(study->clip_name, name, sizeof name);
        snprintf(clip, sizeof clip, " --clip %s", name);
    }
    size_t used = 0;
    if (study->fps != 30)
        used += (size_t)snprintf(more + used, sizeof more - used, " --fps %g", study->fps);
    if (strcmp(shot->camera, "three-quarter"))
        used += (size_t)snprintf(more + used, sizeof more - used, " --camera %s", shot->camera);
    if (strcmp(shot->colour, "clay"))
        used += (size_t)snprintf(more + used, sizeof more - used, " --colour %s", shot->colour);
    if (shot->samples && shot->samples != (film ? 2 : 4))
        snprintf(more + used, sizeof more - used, " --samples %d", shot->samples);
    const char *method = study->methods[shot->method].name;
    if (film)
        snprintf(text, size, "pelt render %s -m %s%s --size %dx%d%s -o %s.webp", file, method, clip, shot->width, shot->height,
                 more, method);
    else
        snprintf(text, size, "pelt render %s -m %s%s --frame %d --size %dx%d%s -o %s-%d.png", file, method, clip, shot->frame,
                 shot->width, shot->height, more, method, shot->frame);
}

// ---- close-ups ----

/// How much of the figure lies before the place when it is looked at from direction `to_eye`: 0 if it is seen.
static float depth_behind(const PeltiRays *rays, Vec3 at, Vec3 to_eye, float size)
{
    float far = 2 * size;
    PeltiBoxRay ray = {vec3_mad(at, to_eye, far), 0, vec3_scale(to_eye, -1), far};
    PeltiBoxHit hit;
    pelti_rays_closest(rays, 1, &ray, &hit);
    return hit.triangle < 0 ? 0 : far - hit.distance;
}

enum { MOST_SIGHTS = 80 };
typedef struct Sights { ///< what a close-up should show
    int count;
    Vec3 at[MOST_SIGHTS], normal[MOST_SIGHTS];
} Sights;

/// The direction from which most of the sights are seen, from before rather than grazing, rather from above.
static void find_direction(const PeltiRays *rays, const Sights *sights, float size, float *azimuth, float *elevation)
{
    static const float heights[] = {5, 20, 40, -12};
    float best = -INFINITY;
    for (int e = 0; e < 4; e++)
        for (int a = -180; a < 180; a += 15) {
            float az = (float)a * 0.017453293f, el = heights[e] * 0.017453293f, score = heights[e] < 0 ? -0.1f : 0;
            Vec3 to_eye = vec3(pelti_sinf(az) * pelti_cosf(el), pelti_sinf(el), pelti_cosf(az) * pelti_cosf(el));
            for (int i = 0; i < sights->count; i++) {
                float hidden = depth_behind(rays, sights->at[i], to_eye, size) / size;
                score += (0.5f * vec3_dot(to_eye, sights->normal[i]) + 1 / (1 + 100 * hidden)) / (float)sights->count;
            }
            if (score > best) {
                best = score;
                *azimuth = (float)a;
                *elevation = heights[e];
            }
        }
}

/// The place itself, or where triangles cross around it: there something is to be seen.
static void gather_sights(PeltiStudy *study, const PeltiStudyShot *shot, const PeltiStudyPlace *place, const Vec3 *x,
                          const Vec3 *normals, Sights *out)
{
    const PeltiMesh *mesh = study->character->who->mesh;
    PeltiMeasure *measure = study->measuring->measure;
    pelti_measuring_alone(measure, (PeltiMeasureSkin){pelti_study_points(study, shot->method, shot->frame), x}, NULL);
    const uint8_t *crossing = pelti_measure_crossing(measure);
    bool deep = pelti_measure_depth(measure)[place->vertex] > 0;
    out->count = 0;
    for (int t = 0; deep && t < mesh->triangle_count && out->count < MOST_SIGHTS; t++) {
        int v = mesh->triangles[t][0];
        if (!crossing[t] || vec3_distance(x[v], x[place->vertex]) > 0.06f * mesh->diagonal)
            continue;
        out->at[out->count] = x[v];
        out->normal[out->count++] = normals[v];
    }
    if (out->count)
        return;
    out->at[0] = x[place->vertex];
    out->normal[0] = normals[place->vertex];
    out->count = 1;
}

typedef struct ShotAim {
    Vec3 at;
    float reach; ///< half of what is seen
    float azimuth, elevation;
} ShotAim;

static PeltStatus aim_at(PeltiStudy *study, ShotAim aim, PeltiStudyShot *shot, PeltError *err)
{
    snprintf(shot->camera, sizeof shot->camera, "%g,%g", (double)aim.azimuth, (double)aim.elevation);
    PeltRenderDef def = render_def(shot);
    PeltiPicture picture;
    PELT_TRY(open_picture(study, &def, shot->frame, &picture, err));
    PeltiCamera camera = pelti_framing_camera(&picture.framing);
    pelti_picture_release(&picture);
    float distance = vec3_dot(vec3_sub(aim.at, camera.eye), camera.forward), zoom = camera.half_height * distance / aim.reach;
    zoom = fminf(fmaxf(zoom, 1), 60);
    snprintf(shot->camera, sizeof shot->camera, "%g,%g,%.2f,%.5g,%.5g,%.5g", (double)aim.azimuth, (double)aim.elevation,
             (double)zoom, (double)aim.at.x, (double)aim.at.y, (double)aim.at.z);
    return PELT_OK;
}

PeltStatus pelti_study_close_up(PeltiStudy *study, const PeltiStudyPlace *place, PeltiStudyShot *shot, PeltError *err)
{
    const PeltiMesh *mesh = study->character->who->mesh;
    const Vec3 *points = pelti_study_points(study, shot->method, shot->frame);
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    Vec3 *x = PELTI_NEW(&pool, Vec3, mesh->vertex_count), *normals = PELTI_NEW(&pool, Vec3, mesh->vertex_count);
    PeltiRays *rays = NULL;
    PeltStatus status = pool.failed ? pelti_no_memory(err, (size_t)mesh->vertex_count * sizeof(Vec3)) : PELT_OK;
    if (status == PELT_OK) {
        pelti_mesh_gather(mesh, points, x);
        status = pelti_rays_create(mesh->vertex_count, x, mesh->triangle_count, mesh->triangles, &rays, err);
    }
    if (status == PELT_OK) {
        float azimuth = 0, elevation = 5;
        pelti_mesh_normals(mesh, x, normals);
        Sights sights;
        gather_sights(study, shot, place, x, normals, &sights);
        find_direction(rays, &sights, mesh->diagonal, &azimuth, &elevation);
        status = aim_at(study, (ShotAim){x[place->vertex], 0.085f * mesh->diagonal, azimuth, elevation}, shot, err);
    }
    pelti_rays_destroy(rays);
    pelti_pool_release(&pool);
    return status;
}
