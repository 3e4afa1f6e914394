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
    s->shot = (PeltiShot){.method = method,
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
static void add_methods(PeltiCompare *c, PeltiCompareSection section, int row, const PeltiShot *model)
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
                    &(PeltiShot){.frame = c->frames[i], .colour = "clay", .camera = "three-quarter"});
    }
}

static PeltStatus plan_close_ups(PeltiCompare *c, PeltError *err)
{
    static const char *const names[] = {"Tightest fold", "Worst stretch", "Deepest crossing"};
    for (int kind = 0; kind < 3; kind++) {
        PeltiPlace place;
        PeltiShot shot = {.colour = "clay", .width = c->def->width, .height = c->def->height};
        if (!pelti_study_worst(&c->study, (PeltiWorst)kind, &shot.method, &shot.frame, &place))
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
    static const char *const names[] = {"Stretch", "Distance to lbs", "Crossing"};
    int method, frame = c->frame_count ? c->frames[c->frame_count / 2] : 0;
    PeltiPlace place;
    if (!pelti_study_worst(&c->study, PELTI_WORST_CROSSING, &method, &frame, &place))
        (void)pelti_study_worst(&c->study, PELTI_WORST_STRETCH, &method, &frame, &place);
    for (int i = 0; i < 3; i++) {
        char title[80];
        snprintf(title, sizeof title, "%s, frame %d", names[i], frame);
        int row = add_row(c, PELTI_COMPARE_HEAT, title);
        add_methods(c, PELTI_COMPARE_HEAT, row, &(PeltiShot){.frame = frame, .colour = colours[i], .camera = "three-quarter"});
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

static PeltStatus draw_still(PeltiCompare *c, PeltiCompareShot *s, const char *path, PeltError *err)
{
    PeltiImage image;
    PeltiArray png;
    pelti_array_init(&png, NULL, 1);
    PELT_TRY(pelti_study_draw(&c->study, &s->shot, &image, err));
    PeltStatus status = pelti_png_encode(&image, &png, err);
    if (status == PELT_OK)
        status = pelti_file_save(path, png.data, png.count, err);
    if (status == PELT_OK)
        status = pelti_webp_encode(&image, 80, &s->webp, err);
    pelti_array_release(&png);
    pelti_image_release(&image);
    return status;
}

static PeltStatus draw_shot(PeltiCompare *c, PeltiCompareShot *s, PeltError *err)
{
    char path[1200], part[64];
    uint64_t key = pelti_hash(PELTI_HASH_START, s->command, strlen(s->command));
    snprintf(part, sizeof part, "shot-%016" PRIx64, key);
    snprintf(path, sizeof path, "%s/%s", c->folder, s->file);
    bool film = s->section == PELTI_COMPARE_FILMS;
    c->result.pictures++;
    if (pelti_study_recall(&c->study, part, &s->webp) && (film || access(path, R_OK) == 0)) {
        c->result.resumed++;
        return PELT_OK;
    }
    s->webp.count = 0;
    PELT_TRY(film ? pelti_study_film(&c->study, &s->shot, 70, &s->webp, err) : draw_still(c, s, path, err));
    pelti_study_keep(&c->study, part, s->webp.data, s->webp.count);
    return PELT_OK;
}

static PeltStatus draw_shots(PeltiCompare *c, PeltError *err)
{
    PeltiCompareShot *shots = (PeltiCompareShot *)c->shots.data;
    if (c->shots.failed)
        return pelti_no_memory(err, c->shots.count * sizeof *shots);
    for (size_t i = 0; i < c->shots.count; i++) {
        if (shots[i].section != PELTI_COMPARE_FILMS)
            PELT_TRY(pelti_progress(&c->study.progress, "pictures", (double)i / (double)c->shots.count, err));
        describe(c, &shots[i]);
        PELT_TRY(draw_shot(c, &shots[i], err));
    }
    return PELT_OK;
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
    PeltiProgress progress = {c->def->progress, c->def->progress_user};
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
