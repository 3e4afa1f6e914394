/// `pelt demo`: the built-in characters by every method, on one page.
#include "tools/compare.h"
#include "core/clock.h"
#include "core/file.h"
#include "io/output.h"

#include <pelt/make.h>

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

typedef struct Demo {
    const char *folder;
    int threads;
    PeltiProgress progress;
    PeltiPage page;
} Demo;

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
        for (int v = 0; v < who->mesh->vertex_count; v++)
            vertices[v] = points[who->mesh->first_point[v]];
        pelti_normals_make(&maker, study->jobs, vertices, normals);
        status = pelti_output_frame(output, points, normals, NULL, err);
    }
    if (status == PELT_OK)
        status = pelti_output_commit(output, NULL, NULL, err);
    pelti_output_destroy(output);
    pelti_pool_release(&pool);
    return status;
}

// ---- the page ----

static PeltStatus add_picture(Demo *demo, PeltiStudy *study, const PeltiShot *shot, const char *alt, const char *links,
                              PeltError *err)
{
    PeltiPage *page = &demo->page;
    PeltiImage image;
    PeltiArray webp;
    char command[1200];
    const char *method = study->methods[shot->method].name;
    pelti_array_init(&webp, NULL, 1);
    PELT_TRY(pelti_study_draw(study, shot, &image, err));
    PeltStatus status = pelti_webp_encode(&image, 80, &webp, err);
    pelti_image_release(&image);
    if (status == PELT_OK) {
        pelti_study_command(study, shot, false, command, sizeof command);
        pelti_page_add(page, "<figure><img width=\"%d\" height=\"%d\" alt=\"", shot->width, shot->height);
        pelti_page_text(page, alt);
        pelti_page_add(page, ", by %s\" src=\"", method);
        pelti_page_data(page, "image/webp", webp.data, webp.count);
        pelti_page_add(page, "\"><figcaption><b>%s</b>%s<code>", method, links);
        pelti_page_text(page, command);
        pelti_page_add(page, "</code></figcaption></figure>\n");
    }
    pelti_array_release(&webp);
    return status;
}

typedef struct Row {
    const char *title;
    const PeltiShot *shot; ///< of every method
    bool links;            ///< to the baked files, which are written
} Row;

static PeltStatus add_row(Demo *demo, PeltiStudy *study, const Act *act, Row row, PeltError *err)
{
    pelti_page_add(&demo->page, "<h3>");
    pelti_page_text(&demo->page, row.title);
    pelti_page_add(&demo->page, "</h3>\n<div class=\"row\">\n");
    for (int m = 0; m < study->method_count; m++) {
        if (study->methods[m].status != PELT_OK)
            continue;
        PELT_TRY(pelti_progress(&demo->progress, "pictures", (double)m / study->method_count, err));
        PeltiShot shot = *row.shot;
        char files[400] = "", stem[80];
        shot.method = m;
        snprintf(stem, sizeof stem, "%s-%s", act->name, study->methods[m].name);
        if (row.links) {
            PELT_TRY(write_baked(demo, study, m, stem, err));
            snprintf(files, sizeof files, "<a href=\"%s.glb\">glb</a> <a href=\"%s.pc2\">pc2</a>", stem, stem);
        }
        PELT_TRY(add_picture(demo, study, &shot, row.title, files, err));
    }
    pelti_page_add(&demo->page, "</div>\n");
    return PELT_OK;
}

static PeltStatus add_pictures(Demo *demo, PeltiStudy *study, const Act *act, PeltError *err)
{
    PeltiShot shot = {.colour = "clay", .width = WIDTH, .height = HEIGHT, .samples = 4};
    int frame = 0;
    char title[160];
    (void)pelti_study_frames(study, 1, &frame);
    shot.frame = frame;
    snprintf(shot.camera, sizeof shot.camera, "%s", act->camera);
    snprintf(title, sizeof title, "%s, %s, frame %d", act->name, act->clip, frame);
    PELT_TRY(add_row(demo, study, act, (Row){title, &shot, true}, err));
    PeltiPlace place;
    bool crossing = pelti_study_worst(study, PELTI_WORST_CROSSING, &shot.method, &shot.frame, &place);
    if (!crossing && !pelti_study_worst(study, PELTI_WORST_FOLD, &shot.method, &shot.frame, &place))
        return PELT_OK;
    PELT_TRY(pelti_study_close_up(study, &place, &shot, err));
    snprintf(title, sizeof title, "%s: %s, frame %d", act->name, crossing ? "where parts cross deepest" : "the tightest fold",
             shot.frame);
    return add_row(demo, study, act, (Row){title, &shot, false}, err);
}

static PeltStatus tell(Demo *demo, PeltiStudy *study, const Act *act, PeltError *err)
{
    PeltiPage *page = &demo->page;
    PeltCharacterInfo info = pelt_character_info(study->character);
    for (int m = 0; m < pelt_method_count() && m < PELTI_STUDY_METHODS; m++)
        PELT_TRY(pelti_study_run(study, pelt_method_name(m), err));
    pelti_page_add(page,
                   "<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>\n<p>%s %d vertices, %d triangles, %d joints; "
                   "%d frames of clip %s at %g a second. <a href=\"%s.glb\">%s.glb</a></p>\n",
                   act->name, act->name, act->name, act->what, info.point_count, info.triangle_count, info.joint_count,
                   study->frame_count, act->clip, study->fps, act->name, act->name);
    PELT_TRY(add_pictures(demo, study, act, err));
    pelti_page_add(page, "<h3>%s in numbers</h3>\n", act->name);
    pelti_page_measures(page, study);
    pelti_page_add(page, "</section>\n");
    return PELT_OK;
}

static PeltStatus perform(Demo *demo, const Act *act, PeltError *err)
{
    char path[1200], shown[64];
    PeltMakeDef make = pelt_make_def_default();
    PeltCharacter *who;
    make.name = act->name;
    make.vertices = act->vertices;
    make.threads = demo->threads;
    snprintf(path, sizeof path, "%s/%s.glb", demo->folder, act->name);
    snprintf(shown, sizeof shown, "%s.glb", act->name);
    PELT_TRY(pelti_progress(&demo->progress, act->name, 0, err));
    PELT_TRY(pelt_make_file(&make, path, NULL, err));
    PELT_TRY(pelt_character_load(path, NULL, &who, err));
    PeltiStudy study;
    PeltStatus status =
        pelti_study_create(&(PeltiStudyDef){who, shown, act->clip, demo_fps, demo->threads, NULL, demo->progress}, &study, err);
    if (status == PELT_OK) {
        status = tell(demo, &study, act, err);
        pelti_study_release(&study);
    }
    pelt_character_destroy(who);
    return status;
}

static PeltStatus run(Demo *demo, PeltError *err)
{
    double start_ms = pelti_clock_ms();
    PeltiPage *page = &demo->page;
    char path[1200];
    PELT_TRY(pelti_folder_make(demo->folder, err));
    pelti_page_begin(page, "Pelt: the built-in characters by every method");
    pelti_page_add(
        page, "<header><h1>Pelt</h1>\n<p>Characters the program makes itself, skinned by every method it has. Each picture of "
              "a row has the same camera and light; under it stands the command that makes it, beside it what was baked: "
              "<code>.glb</code> plays in any viewer, <code>.pc2</code> in Blender's Mesh Cache modifier.</p>\n"
              "<nav aria-label=\"Characters\"><ul>");
    for (int a = 0; a < ACTS; a++)
        pelti_page_add(page, "<li><a href=\"#%s\">%s</a></li>", acts[a].name, acts[a].name);
    pelti_page_add(page, "</ul></nav></header>\n<main>\n");
    for (int a = 0; a < ACTS; a++)
        PELT_TRY(perform(demo, &acts[a], err));
    pelti_page_add(page, "</main>\n<footer>Made by pelt %s in %.0f s.</footer>\n", pelt_version(),
                   (pelti_clock_ms() - start_ms) / 1000);
    pelti_page_end(page);
    if (page->bytes.failed)
        return pelti_no_memory(err, page->bytes.count);
    snprintf(path, sizeof path, "%s/index.html", demo->folder);
    return pelti_file_save(path, page->bytes.data, page->bytes.count, err);
}

PeltStatus pelt_demo(const char *folder, int threads, PeltProgress progress, void *progress_user, PeltError *err)
{
    if (!folder || !*folder || strlen(folder) > 1000)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "the folder's name is empty or too long");
    Demo demo = {.folder = folder, .threads = threads, .progress = {progress, progress_user}};
    pelti_page_init(&demo.page);
    PeltStatus status = run(&demo, err);
    pelti_page_release(&demo.page);
    return status;
}
