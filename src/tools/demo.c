/// `pelt demo`: the built-in characters by every method, on one page.
#include "tools/compare.h"
#include "core/clock.h"
#include "core/file.h"
#include "io/output.h"

#include <pelt/make.h>

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

typedef struct Act { ///< a character and what it does here
    const char *name, *clip, *camera, *what;
    int vertices;
} Act;

// Sizes are such that the page takes well under two minutes on two cores, all methods included.
static const Act acts[] = {
    {"biped", "walk", "three-quarter", "A whole body with fingers, walking.", 6000},
    {"arm", "bend", "-52,22", "An arm with a hand, bending far: the inside of the elbow is where skins fail.", 4000},
    {"hand", "fist", "24,8", "A hand closing to a fist: fingers touch the palm and each other.", 4000},
};
enum { ACTS = sizeof acts / sizeof *acts, WIDTH = 480, HEIGHT = 360 };
static const double demo_fps = 15;

typedef struct Picture {
    PeltiStudyShot shot; ///< which `still` points into
    PeltiStill still;
    PeltiArray webp;
} Picture;

typedef struct PictureRow { ///< one picture of every method that works, in their order
    char title[160];
    PeltiStudyShot shot;
    bool links; ///< to the baked files
    int count;
    Picture pictures[PELTI_STUDY_METHODS];
} PictureRow;

enum { ROWS = 2 };

typedef struct Show { ///< an act while it is made
    const Act *act;
    char file[64];
    PeltCharacter *who;
    PeltiStudy study; ///< character NULL: not begun
    int row_count;
    PictureRow rows[ROWS];
} Show;

typedef struct Demo {
    const char *folder;
    PeltiJobs *jobs;
    PeltiProgressSink progress;
    Show shows[ACTS];
    PeltiPage page;
} Demo;

// ---- work side by side ----

/// Everything is done on one thread, with another thing on the next: that leaves no thread waiting for another as the rounds of
/// a single step do.
typedef PeltStatus (*Task)(Demo *demo, int task, const PeltiProgressSink *progress, PeltError *err);

typedef struct Tasks {
    Demo *demo;
    Task run;
    atomic_int stop;   ///< one has failed
    PeltStatus status; ///< of the first that failed, which alone writes here
    PeltError err;
} Tasks;

static int ask_to_stop(const char *stage, double share, void *user)
{
    (void)stage, (void)share;
    return atomic_load(&((Tasks *)user)->stop);
}

/// Only the caller's thread tells the caller.
static int tell_caller(const char *stage, double share, void *user)
{
    const Tasks *tasks = user;
    const PeltiProgressSink *to = &tasks->demo->progress;
    return atomic_load(&tasks->stop) || (to->fn && to->fn(stage, share, to->user));
}

static void task_range(void *context, int begin, int end, int worker)
{
    Tasks *tasks = context;
    PeltiProgressSink progress = {worker == 0 ? tell_caller : ask_to_stop, tasks};
    for (int i = begin; i < end && !atomic_load(&tasks->stop); i++) {
        PeltError err = {0};
        PeltStatus status = tasks->run(tasks->demo, i, &progress, &err);
        if (status == PELT_OK || atomic_exchange(&tasks->stop, 1))
            continue;
        tasks->status = status;
        tasks->err = err;
    }
}

static PeltStatus run_tasks(Demo *demo, int count, Task run, PeltError *err)
{
    Tasks tasks = {.demo = demo, .run = run, .status = PELT_OK};
    pelti_parallel_for(demo->jobs, count, 1, task_range, &tasks);
    if (tasks.status != PELT_OK && err)
        *err = tasks.err;
    return tasks.status;
}

// ---- files ----

/// The positions of a study to .glb and .pc2: nothing is computed twice.
static PeltStatus write_baked(const Demo *demo, const PeltiStudy *study, int method, const char *stem, PeltError *err)
{
    char glb[1200], pc2[1200];
    snprintf(glb, sizeof glb, "%s/%s.glb", demo->folder, stem);
    snprintf(pc2, sizeof pc2, "%s/%s.pc2", demo->folder, stem);
    const char *paths[2] = {glb, pc2};
    const PeltiCharacter *who = study->character->who;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiNormals maker;
    PeltiOutput *output = NULL;
    PeltiOutputDef def = {.who = who,
                          .document = study->character->document,
                          .frames = {.point_count = who->point_count, .frame_count = study->frame_count, .fps = study->fps},
                          .has_normals = true,
                          .clip = study->clip,
                          .jobs = study->jobs};
    Vec3 *normals = PELTI_NEW(&pool, Vec3, who->point_count), *vertices = PELTI_NEW(&pool, Vec3, who->mesh->vertex_count);
    PeltStatus status = !pool.failed ? pelti_normals_create(&maker, who, &pool, err) : pelti_no_memory(err, 0);
    if (status == PELT_OK)
        status = pelti_output_open(&def, paths, 2, &output, err);
    for (int f = 0; status == PELT_OK && f < study->frame_count; f++) {
        const Vec3 *points = pelti_study_points(study, method, f);
        pelti_mesh_gather(who->mesh, points, vertices);
        pelti_normals_make(&maker, study->jobs, vertices, normals);
        status = pelti_output_frame(output, points, normals, NULL, err);
    }
    if (status == PELT_OK)
        status = pelti_output_commit(output, NULL, NULL, err);
    pelti_output_destroy(output);
    pelti_pool_release(&pool);
    return status;
}

/// All of an act's methods, one after the other: they share what was read of its file.
static PeltStatus write_files(const Demo *demo, const Show *show, PeltError *err)
{
    for (int m = 0; m < show->study.method_count; m++) {
        char stem[80];
        snprintf(stem, sizeof stem, "%s-%s", show->act->name, show->study.methods[m].name);
        if (show->study.methods[m].status == PELT_OK)
            PELT_TRY(write_baked(demo, &show->study, m, stem, err));
    }
    return PELT_OK;
}

// ---- characters and bakes ----

/// Makes the character and runs the first method, which measures linear blending for all.
static PeltStatus begin_act(Demo *demo, int task, const PeltiProgressSink *progress, PeltError *err)
{
    Show *show = &demo->shows[task];
    const Act *act = show->act;
    char path[1200];
    PeltMakeDef make = pelt_make_def_default();
    make.name = act->name;
    make.vertices = act->vertices;
    make.threads = 1;
    snprintf(path, sizeof path, "%s/%s.glb", demo->folder, act->name);
    snprintf(show->file, sizeof show->file, "%s.glb", act->name);
    PELT_TRY(pelti_progress(progress, act->name, 0, err));
    PELT_TRY(pelt_make_file(&make, path, NULL, err));
    PELT_TRY(pelt_character_load(path, NULL, &show->who, err));
    PELT_TRY(
        pelti_study_create(&(PeltiStudyDef){show->who, show->file, act->clip, demo_fps, 1, NULL, *progress}, &show->study, err));
    PELT_TRY(pelti_study_run(&show->study, pelt_method_name(0), err));
    show->study.progress = (PeltiProgressSink){0}; // that of this round alone
    for (int m = 1; m < pelt_method_count() && m < PELTI_STUDY_METHODS; m++)
        PELT_TRY(pelti_study_add(&show->study, pelt_method_name(m), err));
    return PELT_OK;
}

/// The last methods take longest and go first: what is left for the end is short, and all threads end together.
static PeltStatus bake(Demo *demo, int task, const PeltiProgressSink *progress, PeltError *err)
{
    PeltiStudy *study = &demo->shows[task % ACTS].study;
    return pelti_study_run_beside(study, study->method_count - 1 - task / ACTS, progress, err);
}

// ---- pictures ----

static PeltStatus open_row(Show *show, PeltError *err)
{
    PeltiStudy *study = &show->study;
    PictureRow *row = &show->rows[show->row_count++];
    for (int m = 0; m < study->method_count; m++) {
        if (study->methods[m].status != PELT_OK)
            continue;
        Picture *picture = &row->pictures[row->count];
        picture->shot = row->shot;
        picture->shot.method = m;
        PELT_TRY(pelti_still_open(study, &picture->shot, &picture->still, err));
        pelti_array_init(&picture->webp, NULL, 1);
        row->count++;
    }
    return PELT_OK;
}

/// A frame worth seeing, and from near what is worst.
static PeltStatus plan_rows(Show *show, PeltError *err)
{
    const Act *act = show->act;
    PeltiStudy *study = &show->study;
    PeltiStudyShot shot = {.colour = "clay", .width = WIDTH, .height = HEIGHT, .samples = 4};
    PictureRow *row = show->rows;
    int frame = 0;
    (void)pelti_study_frames(study, 1, &frame);
    shot.frame = frame;
    snprintf(shot.camera, sizeof shot.camera, "%s", act->camera);
    snprintf(row->title, sizeof row->title, "%s, %s, frame %d", act->name, act->clip, frame);
    row->shot = shot;
    row->links = true;
    PELT_TRY(open_row(show, err));
    PeltiStudyPlace place;
    bool crossing = pelti_study_worst(study, PELTI_WORST_CROSSING, &shot.method, &shot.frame, &place);
    if (!crossing && !pelti_study_worst(study, PELTI_WORST_FOLD, &shot.method, &shot.frame, &place))
        return PELT_OK;
    PELT_TRY(pelti_study_close_up(study, &place, &shot, err));
    row++;
    snprintf(row->title, sizeof row->title, "%s: %s, frame %d", act->name,
             crossing ? "where parts cross deepest" : "the tightest fold", shot.frame);
    row->shot = shot;
    return open_row(show, err);
}

/// Files of an act, or one picture.
static PeltStatus draw(Demo *demo, int task, const PeltiProgressSink *progress, PeltError *err)
{
    if (task < ACTS)
        return write_files(demo, &demo->shows[task], err);
    task -= ACTS;
    PictureRow *row = &demo->shows[task % ACTS].rows[task / ACTS % ROWS];
    int index = task / (ACTS * ROWS);
    if (index >= row->count)
        return PELT_OK;
    PELT_TRY(pelti_progress(progress, "pictures", (double)index / row->count, err));
    Picture *picture = &row->pictures[index];
    PeltiImage image;
    PeltStatus status = pelti_still_draw(&picture->still, &image, err);
    if (status == PELT_OK)
        status = pelti_webp_encode(&image, 80, &picture->webp, err);
    pelti_image_release(&image);
    return status;
}

// ---- the page ----

static void add_picture(PeltiPage *page, const Show *show, const PictureRow *row, const Picture *picture)
{
    char command[1200];
    const char *method = show->study.methods[picture->shot.method].name;
    pelti_study_command(&show->study, &picture->shot, false, command, sizeof command);
    pelti_page_add(page, "<figure><img width=\"%d\" height=\"%d\" alt=\"", row->shot.width, row->shot.height);
    pelti_page_text(page, row->title);
    pelti_page_add(page, ", by %s\" src=\"", method);
    pelti_page_data(page, "image/webp", picture->webp.data, picture->webp.count);
    pelti_page_add(page, "\"><figcaption><b>%s</b>", method);
    if (row->links)
        pelti_page_add(page, "<a href=\"%s-%s.glb\">glb</a> <a href=\"%s-%s.pc2\">pc2</a>", show->act->name, method,
                       show->act->name, method);
    pelti_page_add(page, "<code>");
    pelti_page_text(page, command);
    pelti_page_add(page, "</code></figcaption></figure>\n");
}

static void tell(PeltiPage *page, const Show *show)
{
    const Act *act = show->act;
    PeltCharacterInfo info = pelt_character_info(show->study.character);
    pelti_page_add(page,
                   "<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>\n<p>%s %d vertices, %d triangles, %d joints; "
                   "%d frames of clip %s at %g a second. <a href=\"%s\">%s</a></p>\n",
                   act->name, act->name, act->name, act->what, info.point_count, info.triangle_count, info.joint_count,
                   show->study.frame_count, act->clip, show->study.fps, show->file, show->file);
    for (int r = 0; r < show->row_count; r++) {
        const PictureRow *row = &show->rows[r];
        pelti_page_add(page, "<h3>");
        pelti_page_text(page, row->title);
        pelti_page_add(page, "</h3>\n<div class=\"row\">\n");
        for (int i = 0; i < row->count; i++)
            add_picture(page, show, row, &row->pictures[i]);
        pelti_page_add(page, "</div>\n");
    }
    pelti_page_add(page, "<h3>%s in numbers</h3>\n", act->name);
    pelti_page_measures(page, &show->study);
    pelti_page_add(page, "</section>\n");
}

static PeltStatus write_page(Demo *demo, double start_ms, PeltError *err)
{
    PeltiPage *page = &demo->page;
    char path[1200];
    pelti_page_begin(page, "Pelt: the built-in characters by every method");
    pelti_page_add(
        page, "<header><h1>Pelt</h1>\n<p>Characters the program makes itself, skinned by every method it has. Each picture of "
              "a row has the same camera and light; under it stands the command that makes it, beside it what was baked: "
              "<code>.glb</code> plays in any viewer, <code>.pc2</code> in Blender's Mesh Cache modifier. Times are those of "
              "one thread with others at work beside it.</p>\n<nav aria-label=\"Characters\"><ul>");
    for (int a = 0; a < ACTS; a++)
        pelti_page_add(page, "<li><a href=\"#%s\">%s</a></li>", acts[a].name, acts[a].name);
    pelti_page_add(page, "</ul></nav></header>\n<main>\n");
    for (int a = 0; a < ACTS; a++)
        tell(page, &demo->shows[a]);
    pelti_page_add(page, "</main>\n<footer>Made by pelt %s in %.0f s.</footer>\n", pelt_version(),
                   (pelti_clock_ms() - start_ms) / 1000);
    pelti_page_end(page);
    if (page->bytes.failed)
        return pelti_no_memory(err, page->bytes.count);
    snprintf(path, sizeof path, "%s/index.html", demo->folder);
    return pelti_file_save(path, page->bytes.data, page->bytes.count, err);
}

static PeltStatus run(Demo *demo, PeltError *err)
{
    double start_ms = pelti_clock_ms();
    PELT_TRY(pelti_folder_make(demo->folder, err));
    PELT_TRY(run_tasks(demo, ACTS, begin_act, err));
    PELT_TRY(run_tasks(demo, ACTS * (demo->shows[0].study.method_count - 1), bake, err));
    for (int a = 0; a < ACTS; a++)
        PELT_TRY(plan_rows(&demo->shows[a], err));
    PELT_TRY(run_tasks(demo, ACTS + ACTS * ROWS * demo->shows[0].study.method_count, draw, err));
    return write_page(demo, start_ms, err);
}

static void release(Demo *demo)
{
    for (int a = 0; a < ACTS; a++) {
        Show *show = &demo->shows[a];
        for (int r = 0; r < show->row_count; r++)
            for (int i = 0; i < show->rows[r].count; i++) {
                pelti_still_close(&show->rows[r].pictures[i].still);
                pelti_array_release(&show->rows[r].pictures[i].webp);
            }
        if (show->study.character)
            pelti_study_release(&show->study);
        pelt_character_destroy(show->who);
    }
    pelti_page_release(&demo->page);
    pelti_jobs_destroy(demo->jobs);
}

PeltStatus pelt_demo(const char *folder, int threads, PeltProgress progress, void *progress_user, PeltError *err)
{
    if (!folder || !*folder || strlen(folder) > 1000)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "the folder's name is empty or too long");
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    Demo *demo = PELTI_NEW(&pool, Demo, 1);
    if (!demo)
        return pelti_no_memory(err, sizeof *demo);
    demo->folder = folder;
    demo->progress = (PeltiProgressSink){progress, progress_user};
    for (int a = 0; a < ACTS; a++)
        demo->shows[a].act = &acts[a];
    pelti_page_init(&demo->page);
    demo->jobs = pelti_jobs_create(threads);
    PeltStatus status = demo->jobs ? run(demo, err) : pelti_no_memory(err, 0);
    release(demo);
    pelti_pool_release(&pool);
    return status;
}
