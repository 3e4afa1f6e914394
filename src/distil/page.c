/// Writes the errors of a distilled skin as a page.
/// It has numbers by set of poses and by joint, and of each set's worst pose the method's skin, the distilled one and the
/// original weights', from afar and at the worst place, with heat maps of the distance to the method's.
#include "core/file.h"
#include "distil/run.h"
#include "math/elementary.h"
#include "tools/page.h"
#include "tools/picture.h"

#include <stdio.h>
#include <string.h>

enum { SIZE = 360 }; // pixels

typedef struct Shot {
    const PeltiDistilTried *tried;
    int skin; // of PeltiDistilTried's worst
    bool heat, close;
    const char *caption;
} Shot;

static void add_cell(PeltiPage *page, const char *format, double value)
{
    char text[40];
    snprintf(text, sizeof text, format, value);
    pelti_page_add(page, "<td>%s</td>", isfinite(value) ? text : "&ndash;");
}

static void add_row(PeltiPage *page, const PeltiDistilTried *tried)
{
    const PeltDistilError *e = &tried->error;
    const double lengths[] = {e->rms, e->p99, e->largest, e->original_rms, e->original_p99, e->original_largest};
    const double pairs[] = {e->method_pairs, e->pairs, e->original_pairs},
                 volumes[] = {e->method_volume, e->volume, e->original_volume};
    pelti_page_add(page, "<tr><th scope=\"row\">");
    pelti_page_text(page, tried->name);
    pelti_page_add(page, "%s</th><td>%d</td>", tried->unseen ? " (unseen)" : "", e->poses);
    for (int i = 0; i < 6; i++)
        add_cell(page, "%.4g", lengths[i]);
    pelti_page_add(page, "<td>%d</td>", e->worse);
    for (int i = 0; i < 3; i++)
        add_cell(page, "%.1f", pairs[i]);
    for (int i = 0; i < 3; i++)
        add_cell(page, "%.2f", 100 * volumes[i]);
    pelti_page_add(page, "</tr>\n");
}

static void add_numbers(PeltiPage *page, const PeltiDistilRun *run)
{
    pelti_page_add(page,
                   "<section aria-labelledby=\"numbers\"><h2 id=\"numbers\">Numbers</h2>\n<div class=\"scroll\" tabindex=\"0\" "
                   "role=\"region\" aria-label=\"Table of errors\"><table><thead><tr><th scope=\"col\">poses</th><th "
                   "scope=\"col\">how many</th><th scope=\"col\">distilled, RMS</th><th scope=\"col\">p99</th><th "
                   "scope=\"col\">largest</th><th scope=\"col\">original weights, RMS</th><th scope=\"col\">p99</th><th "
                   "scope=\"col\">largest</th><th scope=\"col\">poses that are worse</th>");
    for (int i = 0; i < 6; i++)
        pelti_page_add(page, "<th scope=\"col\">%s, %s</th>", i < 3 ? "new crossing pairs" : "volume off by, %",
                       i % 3 == 0   ? run->def->skin.method
                       : i % 3 == 1 ? "distilled"
                                    : "original");
    pelti_page_add(page, "</tr></thead><tbody>\n");
    for (int i = 0; i < run->tried_count; i++)
        add_row(page, &run->tried[i]);
    pelti_page_add(page,
                   "</tbody></table></div>\n<p class=\"note\">Distances to what the method makes, in the file's units; the "
                   "size is %.4g.</p></section>\n",
                   (double)run->character->who->mesh->diagonal);
}

static double square_of(const PeltiDistilErrors *errors, int bone)
{
    return errors->distilled.joint_square[bone];
}

/// The joint that most of what is left hangs on, of those not listed; -1: none.
static int next_joint(const PeltiDistilErrors *errors, const bool *listed)
{
    int best = -1;
    for (int b = 0; b < errors->who->bone_count; b++)
        if (!listed[b] && errors->joint_points[b] > 0 && (best < 0 || square_of(errors, b) > square_of(errors, best)))
            best = b;
    return best;
}

static void add_joint(PeltiPage *page, const PeltiDistilErrors *errors, int bone)
{
    double points = fmax((double)errors->joint_points[bone] * errors->poses, 1);
    pelti_page_add(page, "<tr><th scope=\"row\">");
    pelti_page_text(page, errors->who->nodes[errors->who->bones[bone].node].name);
    pelti_page_add(page, "</th><td>%d</td>", (int)errors->joint_points[bone]);
    add_cell(page, "%.1f", 100 * square_of(errors, bone) / fmax(errors->distilled.square, 1e-300));
    add_cell(page, "%.4g", sqrt(square_of(errors, bone) / points));
    add_cell(page, "%.4g", (double)errors->distilled.joint_most[bone]);
    add_cell(page, "%.4g", sqrt(errors->original.joint_square[bone] / points));
    add_cell(page, "%.4g", (double)errors->original.joint_most[bone]);
    pelti_page_add(page, "</tr>\n");
}

/// Where the error of held-out poses is; the report has all joints and every set.
static PeltStatus add_joints(PeltiPage *page, PeltiDistilRun *run, PeltError *err)
{
    enum { ROWS = 12 };
    const PeltiDistilErrors *errors = &run->tried[0].errors;
    bool *listed = PELTI_NEW(&run->pool, bool, errors->who->bone_count + 1);
    if (!listed)
        return pelti_no_memory(err, (size_t)errors->who->bone_count);
    pelti_page_add(page,
                   "<section aria-labelledby=\"joints\"><h2 id=\"joints\">Joints</h2>\n<div class=\"scroll\" tabindex=\"0\" "
                   "role=\"region\" aria-label=\"Table of joints\"><table><thead><tr><th scope=\"col\">joint</th><th "
                   "scope=\"col\">vertices</th><th scope=\"col\">of the squared error, %%</th><th scope=\"col\">distilled, "
                   "RMS</th><th scope=\"col\">largest</th><th scope=\"col\">original weights, RMS</th><th "
                   "scope=\"col\">largest</th></tr></thead><tbody>\n");
    for (int row = 0; row < ROWS; row++) {
        int bone = next_joint(errors, listed);
        if (bone < 0)
            break;
        listed[bone] = true;
        add_joint(page, errors, bone);
    }
    pelti_page_add(page,
                   "</tbody></table></div>\n<p class=\"note\">Held-out poses; vertices by the joint they hang on most. The "
                   "%d joints with most of what is left; the report (<code>--report</code>) has all.</p></section>\n",
                   ROWS);
    return PELT_OK;
}

/// The picture's camera: all of it from three-quarters; or the worst place, from the side its surface faces.
static void place_camera(const PeltiDistilRun *run, const Shot *shot, char *camera, size_t room)
{
    const PeltiMesh *mesh = run->character->who->mesh;
    const Vec3 *points = shot->tried->worst[0];
    int point = shot->tried->errors.distilled.worst_point, vertex = mesh->weld[point];
    Vec3 normal = vec3(0, 0, 0), at = points[point];
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *c = mesh->triangles[t];
        if (c[0] == vertex || c[1] == vertex || c[2] == vertex) {
            Vec3 p = points[mesh->first_point[c[0]]], q = points[mesh->first_point[c[1]]], r = points[mesh->first_point[c[2]]];
            normal = vec3_add(normal, vec3_cross(vec3_sub(q, p), vec3_sub(r, p)));
        }
    }
    normal = vec3_normalize_or(normal, vec3(0, 0, 1));
    float flat = sqrtf(normal.x * normal.x + normal.z * normal.z), degrees = 57.29578f;
    float azimuth = degrees * pelti_atan2f(normal.x, normal.z), up = degrees * pelti_atan2f(normal.y, flat);
    if (run->character->who->faces_back)
        azimuth += 180;
    snprintf(camera, room, "%.1f,%.1f,4,%.5g,%.5g,%.5g", (double)azimuth, fmin(fmax((double)up, -60), 60), (double)at.x,
             (double)at.y, (double)at.z);
}

static PeltStatus draw(const PeltiDistilRun *run, const Shot *shot, PeltiPage *page, PeltError *err)
{
    PeltRenderDef def = pelt_render_def_default();
    PeltiPicture picture;
    PeltiImage image = {0};
    PeltiArray png;
    char camera[160], from[80];
    def.width = def.height = SIZE;
    def.samples = 2;
    def.colour = shot->heat ? "distance" : "clay";
    place_camera(run, shot, camera, sizeof camera);
    if (shot->close)
        def.camera = camera;
    pelti_array_init(&png, NULL, 1);
    snprintf(from, sizeof from, "from %.40s, %% of size", run->def->skin.method);
    PeltStatus status = pelti_picture_create(&def, run->character, run->jobs, run->judge.measure, &picture, err);
    if (status == PELT_OK) {
        pelti_picture_show(&picture, shot->tried->worst[0]);
        PeltiPictureFrame frame = {.points = shot->tried->worst[shot->skin],
                                   .beside = shot->tried->worst[0],
                                   .distance_title = from,
                                   .distance_most = 2};
        status = pelti_picture_draw(&picture, &frame, &image, err);
    }
    status = status == PELT_OK ? pelti_png_encode(&image, &png, err) : status;
    if (status == PELT_OK) {
        pelti_page_add(page, "<figure><img width=\"%d\" height=\"%d\" alt=\"", SIZE, SIZE);
        pelti_page_text(page, shot->caption);
        pelti_page_add(page, "\" src=\"");
        pelti_page_data(page, "image/png", png.data, png.count);
        pelti_page_add(page, "\"><figcaption><b>");
        pelti_page_text(page, shot->caption);
        pelti_page_add(page, "</b></figcaption></figure>\n");
    }
    pelti_image_release(&image);
    pelti_array_release(&png);
    pelti_picture_release(&picture);
    return status;
}

static PeltStatus add_worst(PeltiPage *page, const PeltiDistilRun *run, const PeltiDistilTried *tried, PeltError *err)
{
    char heading[200];
    snprintf(heading, sizeof heading, "%.100s: pose %d, %.4g away at the worst place (original weights there: %.4g)", tried->name,
             tried->errors.distilled.worst_pose, (double)tried->errors.distilled.largest,
             (double)vec3_distance(tried->worst[0][tried->errors.distilled.worst_point],
                                   tried->worst[2][tried->errors.distilled.worst_point]));
    pelti_page_add(page, "<h3>");
    pelti_page_text(page, heading);
    pelti_page_add(page, "</h3>\n");
    for (int close = 0; close < 2; close++) {
        pelti_page_add(page, "<div class=\"row\">\n");
        const Shot shots[] = {{tried, 0, false, close, run->def->skin.method},
                              {tried, 1, false, close, "distilled"},
                              {tried, 2, false, close, "original weights"},
                              {tried, 1, true, close, "distilled, how far off"},
                              {tried, 2, true, close, "original weights, how far off"}};
        for (int i = 0; i < 5; i++)
            PELT_TRY(draw(run, &shots[i], page, err));
        pelti_page_add(page, "</div>\n");
    }
    return PELT_OK;
}

static PeltStatus fill(PeltiPage *page, PeltiDistilRun *run, PeltError *err)
{
    const PeltiCharacter *who = run->character->who;
    pelti_page_begin(page, "Pelt: a distilled skin");
    pelti_page_add(page, "<header><h1>");
    pelti_page_text(page, run->def->skin.method);
    pelti_page_add(
        page,
        " as linear blending</h1>\n<p class=\"soft\">%d vertices, %d joints, %d helpers, %d correctives, %.0f kB of weights "
        "and targets; learnt from %d poses. Every picture of a row has the same camera and light.</p></header>\n<main>\n",
        who->point_count, who->bone_count, run->distilled.helper_count, run->distilled.corrective_count,
        (double)run->bytes / 1000, run->samples.count);
    add_numbers(page, run);
    PELT_TRY(add_joints(page, run, err));
    pelti_page_add(page, "<section aria-labelledby=\"worst\"><h2 id=\"worst\">Worst poses and places</h2>\n");
    for (int i = 0; i < run->tried_count; i++) {
        PELT_TRY(pelti_progress(&run->model.progress, "page", (double)i / run->tried_count, err));
        PELT_TRY(add_worst(page, run, &run->tried[i], err));
    }
    pelti_page_add(page, "</section></main>\n<footer>Made by pelt %s.</footer>\n", pelt_version());
    pelti_page_end(page);
    return page->bytes.failed ? pelti_no_memory(err, page->bytes.count) : PELT_OK;
}

PeltStatus pelti_distil_page(PeltiDistilRun *run, PeltError *err)
{
    PeltiPage page;
    pelti_page_init(&page);
    PeltStatus status = fill(&page, run, err);
    if (status == PELT_OK)
        status = pelti_file_save(run->def->page_path, page.bytes.data, page.bytes.count, err);
    pelti_page_release(&page);
    return status;
}
