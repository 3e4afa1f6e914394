/// include/pelt/compare.h: methods side by side.
#include "tools/compare.h"

#include "core/file.h"
#include "core/hash.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COMPARE_GUARD = 0xc03fa2e };

PeltCompareDef pelt_compare_def_default(void)
{
    return (PeltCompareDef){
        .file = "character.glb", .fps = 30, .pictures = 4, .width = 640, .height = 480, .films = 1, .guard = COMPARE_GUARD};
}

// ---- which pictures ----

static PeltiCompareShot *add_shot(PeltiCompare *c, PeltiCompareSection section, int row, int method, int frame,
                                  const char *colour)
{
    PeltiCompareShot *s = pelti_array_push(&c->shots, NULL);
    if (!s)
        return NULL;
    s->section = section;
    s->row = row;
    s->shot = (PeltiStudyShot){.method = method,
                               .frame = frame,
                               .colour = colour,
                               .camera = "three-quarter",
                               .width = c->def->width,
                               .height = c->def->height};
    pelti_array_init(&s->webp, NULL, 1);
    return s;
}

static int add_row(PeltiCompare *c, PeltiCompareSection section, const char *title)
{
    int row = c->row_count[section]++;
    snprintf(c->row_title[section][row], sizeof c->row_title[section][row], "%s", title);
    return row;
}

static bool works(const PeltiCompare *c, int method)
{
    return c->study.methods[method].status == PELT_OK;
}

/// One shot for every method that works; `model` gives frame, colour and camera.
static void add_methods(PeltiCompare *c, PeltiCompareSection section, int row, const PeltiStudyShot *model)
{
    for (int m = 0; m < c->study.method_count; m++) {
        PeltiCompareShot *s = works(c, m) ? add_shot(c, section, row, m, model->frame, model->colour) : NULL;
        if (s)
            memcpy(s->shot.camera, model->camera, sizeof s->shot.camera);
    }
}

static void plan_frames(PeltiCompare *c)
{
    for (int i = 0; i < c->frame_count; i++) {
        char title[80];
        snprintf(title, sizeof title, "Frame %d (%.2f s)", c->frames[i], c->frames[i] / c->study.fps);
        int row = add_row(c, PELTI_COMPARE_FRAMES, title);
        add_methods(c, PELTI_COMPARE_FRAMES, row,
                    &(PeltiStudyShot){.frame = c->frames[i], .colour = "clay", .camera = "three-quarter"});
    }
}

static PeltStatus plan_close_ups(PeltiCompare *c, PeltError *err)
{
    static const char *const names[] = {"Tightest fold", "Worst stretch", "Deepest crossing"};
    for (int kind = 0; kind < 3; kind++) {
        PeltiStudyPlace place;
        PeltiStudyShot shot = {.colour = "clay", .width = c->def->width, .height = c->def->height};
        if (!pelti_study_worst(&c->study, (PeltiStudyWorst)kind, &shot.method, &shot.frame, &place))
            continue;
        PELT_TRY(pelti_study_close_up(&c->study, &place, &shot, err));
        char title[160], value[60];
        if (kind == PELTI_WORST_CROSSING)
            snprintf(value, sizeof value, "%.2f %% of the size deep", 100 * (double)place.value);
        else
            snprintf(value, sizeof value, "edges at %.2f of their rest length", (double)place.value);
        snprintf(title, sizeof title, "%s: frame %d, %s, by %s", names[kind], shot.frame, value,
                 c->study.methods[shot.method].name);
        int row = add_row(c, PELTI_COMPARE_CLOSE, title);
        add_methods(c, PELTI_COMPARE_CLOSE, row, &shot);
    }
    return PELT_OK;
}

static void plan_heat(PeltiCompare *c)
{
    static const char *const colours[] = {"stretch", "distance", "contact"};
    const char *names[] = {"Stretch", c->study.guide.measured ? "Distance to lbs" : "Distance to lbs by made weights",
                           "Crossing"};
    int method, frame = c->frame_count ? c->frames[c->frame_count / 2] : 0;
    PeltiStudyPlace place;
    if (!pelti_study_worst(&c->study, PELTI_WORST_CROSSING, &method, &frame, &place))
        (void)pelti_study_worst(&c->study, PELTI_WORST_STRETCH, &method, &frame, &place);
    for (int i = 0; i < 3; i++) {
        char title[80];
        snprintf(title, sizeof title, "%s, frame %d", names[i], frame);
        int row = add_row(c, PELTI_COMPARE_HEAT, title);
        add_methods(c, PELTI_COMPARE_HEAT, row,
                    &(PeltiStudyShot){.frame = frame, .colour = colours[i], .camera = "three-quarter"});
    }
}

static void plan_films(PeltiCompare *c)
{
    if (!c->def->films || c->study.frame_count < 2)
        return;
    int row = add_row(c, PELTI_COMPARE_FILMS, "");
    for (int m = 0; m < c->study.method_count; m++) {
        PeltiCompareShot *s = works(c, m) ? add_shot(c, PELTI_COMPARE_FILMS, row, m, 0, "clay") : NULL;
        if (s) {
            s->shot.width = 320;
            s->shot.height = 240;
            s->shot.samples = 2;
        }
    }
}

// ---- drawing them ----

static void describe(const PeltiCompare *c, PeltiCompareShot *s)
{
    static const char *const sections[] = {"frame", "close", "heat", "film"};
    bool film = s->section == PELTI_COMPARE_FILMS;
    const char *method = c->study.methods[s->shot.method].name;
    pelti_study_command(&c->study, &s->shot, film, s->command, sizeof s->command);
    if (film) {
        snprintf(s->alt, sizeof s->alt, "The clip moving, by %s", method);
        return;
    }
    snprintf(s->alt, sizeof s->alt, "%.140s, by %s", c->row_title[s->section][s->row], method);
    snprintf(s->file, sizeof s->file, "pictures/%s-%d-%s-f%03d%s%s.png", sections[s->section], s->row + 1, method, s->shot.frame,
             s->section == PELTI_COMPARE_HEAT ? "-" : "", s->section == PELTI_COMPARE_HEAT ? s->shot.colour : "");
}

static PeltStatus save_still(const PeltiCompare *c, PeltiCompareShot *s, const PeltiImage *image, PeltError *err)
{
    char path[1200];
    PeltiArray png;
    pelti_array_init(&png, NULL, 1);
    snprintf(path, sizeof path, "%s/%s", c->folder, s->file);
    PeltStatus status = pelti_png_encode(image, &png, err);
    if (status == PELT_OK)
        status = pelti_file_save(path, png.data, png.count, err);
    if (status == PELT_OK)
        status = pelti_webp_encode(image, 80, &s->webp, err);
    pelti_array_release(&png);
    return status;
}

static void part_of(const PeltiCompareShot *s, char *part, size_t size)
{
    snprintf(part, size, "shot-%016" PRIx64, pelti_hash(PELTI_HASH_START, s->command, strlen(s->command)));
}

/// Whether an earlier run has drawn it.
static bool is_drawn(PeltiCompare *c, PeltiCompareShot *s)
{
    char path[1200], part[64];
    part_of(s, part, sizeof part);
    snprintf(path, sizeof path, "%s/%s", c->folder, s->file);
    c->result.pictures++;
    bool drawn = pelti_study_recall(&c->study, part, &s->webp) && (s->section == PELTI_COMPARE_FILMS || access(path, R_OK) == 0);
    c->result.resumed += drawn;
    if (!drawn)
        s->webp.count = 0;
    return drawn;
}

static void keep_shot(const PeltiCompare *c, const PeltiCompareShot *s)
{
    char part[64];
    part_of(s, part, sizeof part);
    pelti_study_keep(&c->study, part, s->webp.data, s->webp.count);
}

/// What all threads draw a picture of, or one picture at a time.
static PeltStatus draw_alone(PeltiCompare *c, PeltiCompareShot *s, PeltError *err)
{
    if (s->section == PELTI_COMPARE_FILMS)
        return pelti_study_film(&c->study, &s->shot, 70, &s->webp, err);
    PeltiImage image;
    PELT_TRY(pelti_study_draw(&c->study, &s->shot, &image, err));
    PeltStatus status = save_still(c, s, &image, err);
    pelti_image_release(&image);
    return status;
}

enum { SIDE_BY_SIDE = 8 };

typedef struct Stills { ///< each drawn, encoded and saved by one thread
    PeltiCompare *c;
    int count;
    PeltiCompareShot *shot[SIDE_BY_SIDE];
    PeltiStill still[SIDE_BY_SIDE];
    PeltStatus status[SIDE_BY_SIDE];
    PeltError err[SIDE_BY_SIDE];
} Stills;

static void still_range(void *context, int begin, int end, int worker)
{
    Stills *s = context;
    (void)worker;
    for (int i = begin; i < end; i++) {
        PeltiImage image;
        s->status[i] = pelti_still_draw(&s->still[i], &image, &s->err[i]);
        if (s->status[i] == PELT_OK)
            s->status[i] = save_still(s->c, s->shot[i], &image, &s->err[i]);
        pelti_image_release(&image);
    }
}

static PeltStatus draw_stills(Stills *s, PeltError *err)
{
    PeltStatus status = PELT_OK;
    pelti_parallel_for(s->c->study.jobs, s->count, 1, still_range, s);
    for (int i = 0; i < s->count; i++) {
        pelti_still_close(&s->still[i]);
        if (s->status[i] == PELT_OK)
            keep_shot(s->c, s->shot[i]);
        else if (status == PELT_OK) {
            status = s->status[i];
            if (err)
                *err = s->err[i];
        }
    }
    s->count = 0;
    return status;
}

/// Draws it, or puts it beside others that will be drawn together.
static PeltStatus take_shot(Stills *stills, PeltiCompareShot *s, PeltError *err)
{
    PeltiCompare *c = stills->c;
    describe(c, s);
    if (is_drawn(c, s))
        return PELT_OK;
    if (s->section == PELTI_COMPARE_FILMS || pelti_still_shares(&s->shot)) {
        PELT_TRY(draw_alone(c, s, err));
        keep_shot(c, s);
        return PELT_OK;
    }
    PELT_TRY(pelti_still_open(&c->study, &s->shot, &stills->still[stills->count], err));
    stills->shot[stills->count++] = s;
    return stills->count == SIDE_BY_SIDE ? draw_stills(stills, err) : PELT_OK;
}

static PeltStatus draw_shots(PeltiCompare *c, PeltError *err)
{
    PeltiCompareShot *shots = (PeltiCompareShot *)c->shots.data;
    if (c->shots.failed)
        return pelti_no_memory(err, c->shots.count * sizeof *shots);
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    Stills *stills = PELTI_NEW(&pool, Stills, 1);
    if (!stills)
        return pelti_no_memory(err, sizeof *stills);
    stills->c = c;
    PeltStatus status = PELT_OK;
    for (size_t i = 0; i < c->shots.count && status == PELT_OK; i++) {
        if (shots[i].section != PELTI_COMPARE_FILMS)
            status = pelti_progress(&c->study.progress, "pictures", (double)i / (double)c->shots.count, err);
        if (status == PELT_OK)
            status = take_shot(stills, &shots[i], err);
    }
    if (status == PELT_OK)
        status = draw_stills(stills, err);
    for (int i = 0; i < stills->count; i++) // left by a failure
        pelti_still_close(&stills->still[i]);
    pelti_pool_release(&pool);
    return status;
}

// ---- the job ----

static PeltStatus run_methods(PeltiCompare *c, PeltError *err)
{
    const PeltCompareDef *def = c->def;
    int count = def->method_count ? def->method_count : pelt_method_count();
    for (int i = 0; i < count && i < PELTI_STUDY_METHODS; i++) {
        PELT_TRY(pelti_study_run(&c->study, def->method_count ? def->methods[i] : pelt_method_name(i), err));
        const PeltiStudyMethod *method = &c->study.methods[c->study.method_count - 1];
        c->result.methods++;
        c->result.failed += method->status != PELT_OK;
        c->result.resumed += method->resumed;
    }
    return PELT_OK;
}

/// The frames that were asked for; none: the bakes will say which are worth a picture.
static PeltStatus take_frames(PeltiCompare *c, PeltError *err)
{
    const PeltCompareDef *def = c->def;
    for (int i = 0; i < def->frame_count && i < 16; i++) {
        if (def->frames[i] < 0 || def->frames[i] >= c->study.frame_count)
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "frame %d is outside 0:%d", def->frames[i], c->study.frame_count - 1);
        c->frames[c->frame_count++] = def->frames[i];
    }
    return PELT_OK;
}

static PeltStatus check(const PeltCompareDef *def, PeltError *err)
{
    PELT_TRY(pelti_image_check(def->width, def->height, err));
    if (def->pictures < 1 || def->pictures > 16 || def->frame_count < 0 || def->frame_count > 16)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "pictures of 1 to 16 frames, please");
    for (int i = 0; i < def->method_count; i++)
        for (int k = 0; k < i; k++)
            if (strcmp(def->methods[i], def->methods[k]) == 0)
                return PELT_FAIL(err, PELT_BAD_ARGUMENT, "method '%s' is given twice", def->methods[i]);
    return PELT_OK;
}

static PeltStatus run(PeltiCompare *c, const PeltCharacter *who, const char *parts, PeltError *err)
{
    char path[1200];
    PELT_TRY(check(c->def, err));
    snprintf(path, sizeof path, "%s/pictures", c->folder);
    PELT_TRY(pelti_folder_make(path, err));
    PELT_TRY(pelti_folder_make(parts, err));
    PeltiProgressSink progress = {c->def->progress, c->def->progress_user};
    PELT_TRY(pelti_study_create(&(PeltiStudyDef){who, c->def->file, c->def->clip, c->def->fps, c->def->threads, parts, progress},
                                &c->study, err));
    PELT_TRY(take_frames(c, err)); // before minutes of baking
    PELT_TRY(run_methods(c, err));
    if (!c->frame_count)
        c->frame_count = pelti_study_frames(&c->study, c->def->pictures, c->frames);
    plan_frames(c);
    PELT_TRY(plan_close_ups(c, err));
    plan_heat(c);
    plan_films(c);
    PELT_TRY(draw_shots(c, err));
    snprintf(path, sizeof path, "%s/compare.json", c->folder);
    PELT_TRY(pelti_compare_json(c, path, err));
    PeltiPage page;
    pelti_page_init(&page);
    pelti_compare_page(c, &page);
    snprintf(path, sizeof path, "%s/index.html", c->folder);
    PeltStatus status = page.bytes.failed ? pelti_no_memory(err, page.bytes.count)
                                          : pelti_file_save(path, page.bytes.data, page.bytes.count, err);
    c->result.page_bytes = page.bytes.count;
    pelti_page_release(&page);
    return status;
}

/// The page is written: parts are of no more use.
static void remove_parts(const char *parts)
{
    DIR *folder = opendir(parts);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[1600];
        snprintf(path, sizeof path, "%s/%s", parts, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (folder)
        closedir(folder);
    rmdir(parts);
}

PeltStatus pelt_compare(const PeltCompareDef *def, const PeltCharacter *who, const char *folder, PeltCompareResult *result,
                        PeltError *err)
{
    PELT_ASSERT(def->guard == COMPARE_GUARD); // start from pelt_compare_def_default
    char parts[1100];
    if (!folder || !*folder || strlen(folder) > 1000)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "the folder's name is empty or too long");
    snprintf(parts, sizeof parts, "%s/parts", folder);
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiCompare *c = PELTI_NEW(&pool, PeltiCompare, 1);
    if (!c)
        return pelti_no_memory(err, sizeof *c);
    c->def = def;
    c->folder = folder;
    pelti_array_init(&c->shots, NULL, sizeof(PeltiCompareShot));
    PeltStatus status = run(c, who, parts, err);
    if (status == PELT_OK)
        remove_parts(parts);
    if (result)
        *result = c->result;
    for (size_t i = 0; i < c->shots.count; i++)
        pelti_array_release(&((PeltiCompareShot *)c->shots.data)[i].webp);
    pelti_array_release(&c->shots);
    if (c->study.character)
        pelti_study_release(&c->study);
    pelti_pool_release(&pool);
    return status;
}
