/// Built-in characters, measures and pictures: what lets one see whether a skin is good.
#define _DEFAULT_SOURCE // mkstemps
#include "bench/bench.h"
#include "builtin/builtin.h"
#include "geometry/box_tree.h"
#include "measure/measure.h"
#include "measure/parts.h"
#include "methods/method.h"
#include "math/elementary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// Share of the triangles' angles between 25 and 120 degrees.
static double good_angles(const PeltiMesh *mesh)
{
    long good = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            Vec3 a = mesh->rest[mesh->triangles[t][k]], b = mesh->rest[mesh->triangles[t][(k + 1) % 3]],
                 c = mesh->rest[mesh->triangles[t][(k + 2) % 3]];
            Vec3 u = vec3_sub(b, a), v = vec3_sub(c, a);
            float angle = pelti_atan2f(vec3_length(vec3_cross(u, v)), vec3_dot(u, v)) * 57.29578f;
            good += angle >= 25 && angle <= 120;
        }
    return mesh->triangle_count ? (double)good / (3.0 * mesh->triangle_count) : 0;
}

/// `measured`: other rows need it.
static PeltiCharacter *time_make(PeltiBench *bench, const char *name, int vertices, double limit_s, bool measured)
{
    PeltiBuiltinOptions options = {.vertices = vertices};
    PeltiCharacter *who = NULL;
    PeltError err = {0};
    char label[72];
    snprintf(label, sizeof label, "make %s, %d vertices asked", name, vertices);
    if (!pelti_bench_wants(bench, "%s", label) && !measured)
        return NULL;
    PeltiJobs *jobs = pelti_jobs_create(pelti_bench_threads(bench));
    double start = pelti_clock_ms();
    if (pelti_builtin_make(name, &options, jobs, NULL, &who, &err) == PELT_OK)
        pelti_bench_row(bench, label,
                        (PeltiBenchFigure){.value = (pelti_clock_ms() - start) * 1e-3, .unit = "s", .limit = limit_s},
                        "%d vertices, %.1f %% of angles in 25..120 (wanted 95), peak %.0f MB", who->mesh->vertex_count,
                        100 * good_angles(who->mesh), pelti_peak_mb());
    else
        pelti_bench_skip(bench, label, err.text);
    pelti_jobs_destroy(jobs);
    return who;
}

typedef struct MeasureTimed {
    PeltiMeasure *measure;
    PeltiMeasureSkin skin;
    const Mat34 *bones;
    PeltQuality frame;
} MeasureTimed;

static void measure_frame(void *context)
{
    MeasureTimed *m = context;
    pelti_measure_frame(m->measure, m->skin, m->bones, &m->skin, &m->frame);
}

static void find_crossings(void *context)
{
    MeasureTimed *m = context;
    pelti_measure_crossings(m->measure, &m->frame);
}

/// All measures of the worst frame of a bend by lbs.
static void time_measures(PeltiBench *bench, const PeltiCharacter *who)
{
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiJobs *jobs = pelti_jobs_create(pelti_bench_threads(bench));
    MeasureTimed m = {0};
    PeltiPose pose = pelti_pose_new(&pool, who);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&pool, PeltiNodeMatrix, who->node_count);
    Mat34 *bones = PELTI_NEW(&pool, Mat34, who->bone_count);
    Vec3 *points = PELTI_NEW(&pool, Vec3, who->point_count), *vertices = PELTI_NEW(&pool, Vec3, who->mesh->vertex_count);
    const PeltiMethod *lbs = pelti_method_find("lbs");
    PeltiOptions options;
    void *state = NULL;
    PeltError err = {0};
    pelti_options_init(&options, lbs->options);
    PeltiMethodPrepare in = {
        .who = who, .options = &options, .weights = &who->file_weights, .point_weights = &who->file_weights, .jobs = jobs};
    if (!pool.failed && lbs->prepare(&in, &state, &err) == PELT_OK &&
        pelti_measure_create(who, jobs, NULL, &m.measure, &err) == PELT_OK) {
        pelti_pose_clip(who, &who->clips[0], (double)who->clips[0].duration_s / 2, &pose);
        pelti_pose_bones(who, &pose, node_matrix, bones);
        PeltiStepInput step = {.pose = &pose, .bones = bones, .restart = true};
        lbs->step(state, &step, points, NULL);
        pelti_mesh_gather(who->mesh, points, vertices);
        m.skin = (PeltiMeasureSkin){points, vertices};
        m.bones = bones;
        double ms = pelti_bench_best_ms(measure_frame, &m, pelti_bench_quick(bench) ? 3 : 10, 1);
        pelti_bench_row(bench, "all measures of a frame", (PeltiBenchFigure){.value = ms, .unit = "ms", .limit = 20},
                        "%d triangles, %d crossing pairs", who->mesh->triangle_count, m.frame.self_intersections);
        double pairs_ms = pelti_bench_best_ms(find_crossings, &m, pelti_bench_quick(bench) ? 3 : 10, 1);
        pelti_bench_row(bench, "crossing pairs of a frame", (PeltiBenchFigure){.value = pairs_ms, .unit = "ms", .limit = 20},
                        "%d pairs", m.frame.self_intersections);
    } else {
        pelti_bench_skip(bench, "all measures of a frame", err.text);
    }
    pelti_measure_destroy(m.measure);
    if (state)
        lbs->destroy(state);
    pelti_jobs_destroy(jobs);
    pelti_pool_release(&pool);
}

#define PICTURE "picture 1280x960, 15k vertices, soft shadows"

static void time_picture(PeltiBench *bench)
{
    PeltMakeDef make = pelt_make_def_default();
    PeltRenderDef def = pelt_render_def_default();
    PeltCharacter *who = NULL;
    PeltRenderResult result;
    PeltError err = {0};
    char path[] = "/tmp/pelt-bench-XXXXXX.png";
    make.name = "biped";
    make.vertices = 15000;
    make.threads = def.skin.threads = pelti_bench_threads(bench);
    def.skin.method = "lbs";
    int handle = mkstemps(path, 4);
    if (handle >= 0)
        close(handle);
    if (handle >= 0 && pelt_make_character(&make, &who, &err) == PELT_OK &&
        pelt_render(&def, who, path, &result, &err) == PELT_OK)
        pelti_bench_row(bench, PICTURE, (PeltiBenchFigure){.value = result.render_ms * 1e-3, .unit = "s", .limit = 4},
                        "%d rays a pixel", def.samples ? def.samples : 4);
    else
        pelti_bench_skip(bench, PICTURE, err.text);
    unlink(path);
    pelt_character_destroy(who);
}

void pelti_bench_see(PeltiBench *bench);
void pelti_bench_see(PeltiBench *bench)
{
    bool measured = pelti_bench_wants(bench, "all measures of a frame") || pelti_bench_wants(bench, "crossing pairs of a frame");
    PeltiCharacter *who = time_make(bench, "biped", 13300, 5, measured);
    if (who && measured)
        time_measures(bench, who);
    pelti_character_destroy(who);
    pelti_character_destroy(time_make(bench, "hand", 31700, 0, false));
    if (!pelti_bench_quick(bench))
        pelti_character_destroy(time_make(bench, "biped", 1000000, 90, false));
    if (pelti_bench_wants(bench, PICTURE))
        time_picture(bench);
}
