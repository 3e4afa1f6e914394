/// The comparison as a page and as JSON.
#include "tools/compare.h"

#include "bake/json_put.h"
#include "bake/run.h"
#include "core/file.h"

#include <stdio.h>
#include <string.h>

// ---- the table ----

typedef struct MeasureRow {
    const char *name;
    const char *format;
    int best; ///< -1: less is better, 1: more is better, 0: neither
    double (*value)(const PeltiStudy *study, const PeltiStudyMethod *method);
} MeasureRow;

static double step_mean(const PeltiStudy *study, const PeltiStudyMethod *method)
{
    double sum = 0;
    for (int f = 0; f < study->frame_count; f++)
        sum += method->frames[f].step_ms;
    return sum / study->frame_count;
}

static double step_most(const PeltiStudy *study, const PeltiStudyMethod *method)
{
    double most = 0;
    for (int f = 0; f < study->frame_count; f++)
        most = fmax(most, method->frames[f].step_ms);
    return most;
}

static double prepare(const PeltiStudy *study, const PeltiStudyMethod *method)
{
    (void)study;
    return method->prepare_ms;
}

#define QUALITY(name, expression)                                                                                                \
    static double name(const PeltiStudy *study, const PeltiStudyMethod *method)                                                  \
    {                                                                                                                            \
        (void)study;                                                                                                             \
        const PeltQuality *q = &method->quality;                                                                                 \
        return (double)(expression);                                                                                             \
    }
QUALITY(pairs, q->self_intersections)
QUALITY(deep, q->deep_pairs)
QUALITY(depth, 100 * q->depth)
QUALITY(inverted, q->inverted)
QUALITY(volume_low, q->volume_ratio_min)
QUALITY(volume_high, q->volume_ratio_max)
QUALITY(stretch, q->stretch_p99)
QUALITY(loop, 100 * q->loop_error)
QUALITY(jitter, 100 * q->jitter)
QUALITY(nonfinite, q->nonfinite)
QUALITY(torn, q->torn)
QUALITY(flown, 100 * q->flown)
QUALITY(rigid, 100 * q->rigid_error)

static double volume_off(const PeltiStudy *study, const PeltiStudyMethod *method)
{
    return 100 * fmax(fabs(1 - volume_low(study, method)), fabs(volume_high(study, method) - 1));
}

static const MeasureRow measured[] = {
    {"crossing pairs, worst frame", "%.0f", -1, pairs},
    {"deep pairs", "%.0f", -1, deep},
    {"depth, % of size", "%.3f", -1, depth},
    {"inverted triangles", "%.0f", -1, inverted},
    {"volume, least", "%.4f", 0, volume_low},
    {"volume, most", "%.4f", 0, volume_high},
    {"volume off by, %", "%.2f", -1, volume_off},
    {"stretch, 99th percentile", "%.3f", -1, stretch},
    {"loop error, % of size", "%.4f", -1, loop},
    {"jitter, % of size", "%.4f", -1, jitter},
    {"torn edges", "%.0f", -1, torn},
    {"farthest from lbs, % of size", "%.2f", 0, flown},
    {"rigid pieces bend, % of size", "%.4f", -1, rigid},
    {"not finite", "%.0f", -1, nonfinite},
    {"prepare, ms", "%.1f", -1, prepare},
    {"a frame, ms (mean)", "%.3f", -1, step_mean},
    {"a frame, ms (worst)", "%.3f", -1, step_most},
};

static double best_of(const PeltiStudy *study, const MeasureRow *row)
{
    double best = INFINITY;
    for (int m = 0; m < study->method_count; m++)
        if (study->methods[m].status == PELT_OK) {
            double value = row->value(study, &study->methods[m]);
            if (isfinite(value))
                best = fmin(best, value);
        }
    return best;
}

/// Beside lbs, method by method, in words.
static void add_verdicts(PeltiPage *page, const PeltiStudy *study)
{
    pelti_page_add(page, "<ul class=\"verdicts\">\n");
    for (int m = 0; m < study->method_count; m++)
        if (study->methods[m].status == PELT_OK) {
            pelti_page_add(page, "<li><b>");
            pelti_page_text(page, study->methods[m].name);
            pelti_page_add(page, "</b>: ");
            pelti_page_text(page, study->methods[m].verdict_text);
            pelti_page_add(page, "</li>\n");
        }
    pelti_page_add(page, "</ul>\n");
}

void pelti_page_measures(PeltiPage *page, const PeltiStudy *study)
{
    pelti_page_add(page,
                   "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Table of measures\"><table><thead><tr>"
                   "<th scope=\"col\">worst over the clip</th>");
    for (int m = 0; m < study->method_count; m++) {
        pelti_page_add(page, "<th scope=\"col\"><span class=\"key k%d\"></span>", m % 8);
        pelti_page_text(page, study->methods[m].name);
        pelti_page_add(page, "</th>");
    }
    pelti_page_add(page, "</tr></thead><tbody>\n");
    for (size_t r = 0; r < sizeof measured / sizeof *measured; r++) {
        const MeasureRow *row = &measured[r];
        double best = best_of(study, row);
        pelti_page_add(page, "<tr><th scope=\"row\">");
        pelti_page_text(page, row->name);
        pelti_page_add(page, "</th>");
        for (int m = 0; m < study->method_count; m++) {
            const PeltiStudyMethod *method = &study->methods[m];
            double value = method->status == PELT_OK ? row->value(study, method) : NAN;
            char mine[40], top[40];
            snprintf(mine, sizeof mine, row->format, value);
            snprintf(top, sizeof top, row->format, best);
            bool is_best = row->best && study->method_count > 1 && strcmp(mine, top) == 0; // as shown: ties are all best
            pelti_page_add(page, "<td%s>%s</td>", is_best ? " class=\"best\"" : "", isfinite(value) ? mine : "&ndash;");
        }
        pelti_page_add(page, "</tr>\n");
    }
    pelti_page_add(page, "</tbody></table></div>\n");
    add_verdicts(page, study);
    for (int m = 0; m < study->method_count; m++)
        if (study->methods[m].status != PELT_OK) {
            pelti_page_add(page, "<p class=\"note\"><b>");
            pelti_page_text(page, study->methods[m].name);
            pelti_page_add(page, "</b>: ");
            pelti_page_text(page, study->methods[m].why);
            pelti_page_add(page, "</p>\n");
        }
}

// ---- plots ----

static double frame_value(const PeltiStudyFrame *frame, int kind)
{
    const PeltQuality *q = &frame->measure;
    double values[] = {q->volume_ratio_min, (double)q->self_intersections, 100 * q->depth, q->stretch_p99, 100 * q->jitter,
                       frame->step_ms};
    return values[kind];
}

/// Plots of the measures over time, for any study.
static PeltStatus write_plots(PeltiPage *page, const PeltiStudy *study, PeltError *err)
{
    static const char *const titles[] = {"Volume", "Crossing pairs", "Depth", "Stretch", "Jitter", "Time a frame"};
    static const char *const units[] = {"to rest", "", "% of size", "99th percentile, to rest", "against lbs, % of size", "ms"};
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    double *values = PELTI_NEW(&pool, double, study->method_count * study->frame_count);
    if (!values) {
        pelti_pool_release(&pool);
        return pelti_no_memory(err, 0);
    }
    pelti_page_add(page, "<div class=\"plots\">\n");
    for (int kind = 0; kind < 6; kind++) {
        PeltiPageSeries series[PELTI_STUDY_METHODS];
        int count = 0;
        for (int m = 0; m < study->method_count; m++) {
            if (study->methods[m].status != PELT_OK)
                continue;
            double *mine = values + m * study->frame_count;
            for (int f = 0; f < study->frame_count; f++)
                mine[f] = frame_value(&study->methods[m].frames[f], kind);
            series[count++] = (PeltiPageSeries){study->methods[m].name, m % 8, mine};
        }
        pelti_page_plot(page, titles[kind], units[kind], study->frame_count, count, series);
    }
    pelti_page_add(page, "</div>\n");
    pelti_pool_release(&pool);
    return PELT_OK;
}

/// A key of colours to methods.
static void write_key(PeltiPage *page, const PeltiStudy *study)
{
    pelti_page_add(page, "<p class=\"legend\">");
    for (int m = 0; m < study->method_count; m++) {
        pelti_page_add(page, "<span><span class=\"key k%d\"></span>", m % 8);
        pelti_page_text(page, study->methods[m].name);
        pelti_page_add(page, "</span>");
    }
    pelti_page_add(page, "</p>\n");
}

// ---- the page ----

static void add_figure(PeltiPage *page, const PeltiCompare *c, const PeltiCompareShot *s)
{
    const char *method = c->study.methods[s->shot.method].name;
    pelti_page_add(page, "<figure><img width=\"%d\" height=\"%d\" alt=\"", s->shot.width, s->shot.height);
    pelti_page_text(page, s->alt);
    pelti_page_add(page, "\"");
    if (s->section == PELTI_COMPARE_FRAMES) {
        pelti_page_add(page, " id=\"shot-");
        pelti_page_text(page, method);
        pelti_page_add(page, "-%d\"", s->shot.frame);
    }
    pelti_page_add(page, " src=\"");
    pelti_page_data(page, "image/webp", s->webp.data, s->webp.count);
    pelti_page_add(page, "\"><figcaption><b>");
    pelti_page_text(page, method);
    pelti_page_add(page, "</b>");
    if (s->file[0])
        pelti_page_add(page, "<a href=\"%s\">png</a>", s->file);
    pelti_page_add(page, "<code>");
    pelti_page_text(page, s->command);
    pelti_page_add(page, "</code></figcaption></figure>\n");
}

static void add_section(PeltiPage *page, const PeltiCompare *c, PeltiCompareSection section, const char *id, const char *title)
{
    const PeltiCompareShot *shots = (const PeltiCompareShot *)c->shots.data;
    if (!c->row_count[section])
        return;
    pelti_page_add(page, "<section aria-labelledby=\"%s\"><h2 id=\"%s\">%s</h2>\n", id, id, title);
    for (int row = 0; row < c->row_count[section]; row++) {
        if (c->row_title[section][row][0]) {
            pelti_page_add(page, "<h3>");
            pelti_page_text(page, c->row_title[section][row]);
            pelti_page_add(page, "</h3>\n");
        }
        pelti_page_add(page, "<div class=\"row\">\n");
        for (size_t i = 0; i < c->shots.count; i++)
            if (shots[i].section == section && shots[i].row == row)
                add_figure(page, c, &shots[i]);
        pelti_page_add(page, "</div>\n");
    }
    pelti_page_add(page, "</section>\n");
}

static void add_select(PeltiPage *page, const PeltiCompare *c, const char *id, const char *label, int chosen)
{
    pelti_page_add(page, "<label for=\"%s\">%s<select id=\"%s\">", id, label, id);
    for (int m = 0, k = 0; m < c->study.method_count; m++)
        if (c->study.methods[m].status == PELT_OK) {
            pelti_page_add(page, "<option%s>", k++ == chosen ? " selected" : "");
            pelti_page_text(page, c->study.methods[m].name);
            pelti_page_add(page, "</option>");
        }
    pelti_page_add(page, "</select></label>\n");
}

static void add_stage(PeltiPage *page, const PeltiCompare *c)
{
    int good = c->result.methods - c->result.failed;
    if (good < 2 || !c->frame_count)
        return;
    pelti_page_add(page,
                   "<section aria-labelledby=\"wipe\"><h2 id=\"wipe\">Any two</h2>\n<div class=\"stage\"><div class=\"bar\">\n");
    add_select(page, c, "left", "left", 0);
    add_select(page, c, "right", "right", good - 1);
    pelti_page_add(page, "<label for=\"frame\">frame<select id=\"frame\">");
    for (int i = 0; i < c->frame_count; i++)
        pelti_page_add(page, "<option>%d</option>", c->frames[i]);
    pelti_page_add(
        page,
        "</select></label>\n<button type=\"button\" aria-pressed=\"false\">flip (key f)</button>\n"
        "<output class=\"soft\" aria-live=\"polite\"></output></div>\n"
        "<div class=\"wipe\"><img class=\"under\" width=\"%d\" height=\"%d\" alt=\"\">"
        "<img class=\"over\" width=\"%d\" height=\"%d\" alt=\"\">"
        "<span class=\"edge\"></span><span class=\"tag l\"></span><span class=\"tag r\"></span></div>\n"
        "<input type=\"range\" min=\"0\" max=\"100\" value=\"50\" step=\"0.5\" aria-label=\"Wipe between the two pictures\">\n"
        "</div></section>\n",
        c->def->width, c->def->height, c->def->width, c->def->height);
}

static void add_header(PeltiPage *page, const PeltiCompare *c)
{
    PeltCharacterInfo info = pelt_character_info(c->study.character);
    const char *slash = strrchr(c->study.file, '/');
    pelti_page_add(page, "<header><h1>");
    pelti_page_text(page, slash ? slash + 1 : c->study.file);
    if (c->study.clip >= 0) {
        pelti_page_add(page, ": ");
        pelti_page_text(page, c->study.clip_name);
    }
    pelti_page_add(page,
                   "</h1>\n<p class=\"soft\">%d vertices (%d welded), %d triangles, %d joints; %d frames at %g a second. "
                   "Every picture of a row has the same camera and light; under each stands the command that makes it.</p>\n",
                   info.point_count, info.welded_count, info.triangle_count, info.joint_count, c->study.frame_count,
                   c->study.fps);
    pelti_page_add(
        page, "<nav aria-label=\"Sections\"><ul><li><a href=\"#numbers\">Numbers</a></li><li><a href=\"#frames\">Frames"
              "</a></li><li><a href=\"#places\">Worst places</a></li><li><a href=\"#heat\">Heat maps</a></li>"
              "<li><a href=\"#time\">Over time</a></li><li><a href=\"#moving\">Moving</a></li></ul></nav></header>\n<main>\n");
}

void pelti_compare_page(const PeltiCompare *c, PeltiPage *page)
{
    char title[300];
    snprintf(title, sizeof title, "Pelt: %.200s, methods side by side", c->study.file);
    pelti_page_begin(page, title);
    add_header(page, c);
    add_stage(page, c);
    pelti_page_add(page, "<section aria-labelledby=\"numbers\"><h2 id=\"numbers\">Numbers</h2>\n");
    pelti_page_measures(page, &c->study);
    pelti_page_add(page, "</section>\n");
    add_section(page, c, PELTI_COMPARE_FRAMES, "frames", "Frames");
    add_section(page, c, PELTI_COMPARE_CLOSE, "places", "Worst places");
    add_section(page, c, PELTI_COMPARE_HEAT, "heat", "Heat maps");
    pelti_page_add(page, "<section aria-labelledby=\"time\"><h2 id=\"time\">Over time</h2>\n");
    write_key(page, &c->study);
    (void)write_plots(page, &c->study, NULL);
    pelti_page_add(page, "</section>\n");
    add_section(page, c, PELTI_COMPARE_FILMS, "moving", "Moving");
    pelti_page_add(page,
                   "</main>\n<footer>Made by pelt %s. The numbers are in <a href=\"compare.json\">compare.json</a>.</footer>\n",
                   pelt_version());
    pelti_page_end(page);
}

// ---- JSON ----

static PeltiJson *method_json(const PeltiStudy *study, const PeltiStudyMethod *method, bool *ok)
{
    PeltiJson *json = pelti_json_new_object();
    pelti_put_text(json, "method", method->name, ok);
    if (method->status != PELT_OK) {
        pelti_put_text(json, "failed", method->why, ok);
        return json;
    }
    pelti_put_number(json, "prepare_ms", method->prepare_ms, ok);
    pelti_put_number(json, "step_ms", step_mean(study, method), ok);
    pelti_put_number(json, "step_ms_max", step_most(study, method), ok);
    PeltiJson *quality = pelti_report_quality(&method->quality, ok);
    pelti_report_verdict(quality, method->verdict, method->verdict_text, ok);
    pelti_put(json, "quality", quality, ok);
    PeltiJson *frames = pelti_json_new_array();
    for (int f = 0; f < study->frame_count; f++) {
        static const char *const keys[] = {"volume_ratio", "self_intersections", "depth_percent",
                                           "stretch_p99",  "jitter_percent",     "step_ms"};
        PeltiJson *frame = pelti_json_new_object();
        for (int k = 0; k < 6; k++)
            pelti_put_number(frame, keys[k], frame_value(&method->frames[f], k), ok);
        *ok = pelti_json_push(frames, frame) && *ok;
    }
    pelti_put(json, "per_frame", frames, ok);
    return json;
}

static PeltiJson *shot_json(const PeltiCompare *c, const PeltiCompareShot *s, bool *ok)
{
    PeltiJson *json = pelti_json_new_object();
    pelti_put_text(json, "title", c->row_title[s->section][s->row], ok);
    pelti_put_text(json, "method", c->study.methods[s->shot.method].name, ok);
    pelti_put_text(json, "file", s->file, ok);
    pelti_put_int(json, "frame", s->shot.frame, ok);
    pelti_put_text(json, "camera", s->shot.camera, ok);
    pelti_put_text(json, "colour", s->shot.colour, ok);
    pelti_put_text(json, "command", s->command, ok);
    return json;
}

PeltStatus pelti_compare_json(const PeltiCompare *c, const char *path, PeltError *err)
{
    bool ok = true;
    PeltCharacterInfo info = pelt_character_info(c->study.character);
    PeltiJson *root = pelti_json_new_object(), *methods = pelti_json_new_array(), *pictures = pelti_json_new_array();
    pelti_put_text(root, "pelt", PELT_VERSION_STRING, &ok);
    pelti_put_text(root, "file", c->study.file, &ok);
    pelti_put_text(root, "clip", c->study.clip_name, &ok);
    pelti_put_number(root, "fps", c->study.fps, &ok);
    pelti_put_int(root, "frames", c->study.frame_count, &ok);
    pelti_put(root, "mesh", pelti_report_mesh(&info, &ok), &ok);
    for (int m = 0; m < c->study.method_count; m++)
        ok = pelti_json_push(methods, method_json(&c->study, &c->study.methods[m], &ok)) && ok;
    const PeltiCompareShot *shots = (const PeltiCompareShot *)c->shots.data;
    for (size_t i = 0; i < c->shots.count; i++)
        if (shots[i].section != PELTI_COMPARE_FILMS)
            ok = pelti_json_push(pictures, shot_json(c, &shots[i], &ok)) && ok;
    pelti_put(root, "methods", methods, &ok);
    pelti_put(root, "pictures", pictures, &ok);
    return pelti_json_save(root, ok, NULL, path, err);
}
