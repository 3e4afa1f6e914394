/// The benchmark table as a page: bars against paper, aim and machine limit, lines over threads and sizes.
#include "bench/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAR = 360, MOST_POINTS = 12, LINE_WIDTH = 300, LINE_HEIGHT = 150, MARGIN = 34 };

static const char *const style =
    "<style>.bench td{text-align:left;vertical-align:top;white-space:normal;padding:3px 14px 3px 0}.bench "
    "td.n{text-align:right;white-space:nowrap}"
    ".bench svg{display:block}.bench "
    ".note{display:block;max-width:75ch;background:none;border:0;padding:0}"
    ".marks span{display:inline-block;width:10px;height:10px;margin:0 5px 0 14px}"
    ".lines{display:grid;grid-template-columns:repeat(auto-fill,minmax(310px,1fr));gap:16px}</style>\n";

static void add_mark(PeltiPage *page, double at, const char *colour, const char *what, double value)
{
    if (value > 0)
        pelti_page_add(page,
                       "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"18\" stroke=\"var(--%s)\" stroke-width=\"3\"><title>%s %.4g"
                       "</title></line>",
                       at, at, colour, what, value);
}

/// Slices of the bar where a row says where its value goes: "name number, name number".
static void add_slices(PeltiPage *page, const char *parts, double per_unit)
{
    double x = 0;
    int colour = 0;
    while (parts && *parts) {
        char name[48];
        double value;
        int used = 0;
        if (sscanf(parts, " %47[^0-9,] %lf%n", name, &value, &used) < 2)
            return;
        pelti_page_add(page, "<rect x=\"%.1f\" y=\"4\" width=\"%.1f\" height=\"10\" fill=\"var(--p%d)\"><title>", x,
                       value * per_unit, colour);
        pelti_page_text(page, name);
        pelti_page_add(page, "%.4g</title></rect>", value);
        x += value * per_unit;
        colour = (colour + 1) % 8;
        parts += used + strspn(parts + used, ", ");
    }
}

static void add_bar(PeltiPage *page, const PeltBenchRow *row)
{
    double limit = row->over_machine > 0 ? row->value / row->over_machine : 0;
    double most = fmax(fmax(row->high, row->value), fmax(row->wanted, row->paper)), scale = (BAR - 4) / most;
    pelti_page_add(page, "<svg width=\"%d\" height=\"18\" role=\"img\" aria-label=\"%.4g of %.4g\">", BAR, row->value, most);
    pelti_page_add(page, "<rect x=\"0\" y=\"4\" width=\"%.1f\" height=\"10\" fill=\"var(--p0)\"/>", row->value * scale);
    add_slices(page, row->parts, scale);
    if (row->runs > 1)
        pelti_page_add(page,
                       "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"9\" y2=\"9\" stroke=\"var(--ink)\"><title>%d runs, %.4g to %.4g"
                       "</title></line>",
                       row->low * scale, row->high * scale, row->runs, row->low, row->high);
    add_mark(page, row->wanted * scale, "p2", "wanted", row->wanted);
    add_mark(page, row->paper * scale, "p1", "paper", row->paper);
    add_mark(page, limit * scale, "p3", "machine limit", limit);
    pelti_page_add(page, "</svg>");
}

static void add_row(PeltiPage *page, const PeltBenchRow *row)
{
    pelti_page_add(page, "<tr><td>");
    pelti_page_text(page, row->name);
    pelti_page_add(page, "</td><td class=\"n\">");
    if (isfinite(row->value))
        pelti_page_add(page, "%.4g ", row->value);
    pelti_page_text(page, isfinite(row->value) ? row->unit : "–");
    pelti_page_add(page, "</td><td>");
    if (isfinite(row->value) && row->value > 0)
        add_bar(page, row);
    pelti_page_add(page, "<small class=\"note\">");
    if (row->parts) {
        pelti_page_text(page, row->parts);
        pelti_page_add(page, "; ");
    }
    pelti_page_text(page, row->note);
    pelti_page_add(page, "</small></td></tr>\n");
}

// ---- lines ----

typedef struct Scaling { ///< rows whose names differ in one number: threads, or vertices
    char key[80], unit[16];
    bool threads;
    int count;
    double x[MOST_POINTS], y[MOST_POINTS];
} Scaling;

/// What follows a number in a name when it is of the axis: how long that is; 0: it is of another.
static int axis_word(const char *after, bool threads)
{
    if (threads)
        return strncmp(after, " thread", 7) ? 0 : 7 + (after[7] == 's');
    if (*after == 'k' && (after[1] == ',' || after[1] == ' ' || !after[1]))
        return 1;
    bool simulated = !strncmp(after, " simulated", 10);
    return strncmp(after + (simulated ? 10 : 0), " vertices", 9) ? 0 : simulated ? 19 : 9;
}

/// The number in a name that something is scaled by, and the name without it; false: there is none.
static bool split_name(const char *name, bool threads, char key[80], double *x)
{
    for (const char *at = name; *at; at++) {
        char *end;
        if (*at < '0' || *at > '9')
            continue;
        *x = strtod(at, &end);
        int word = axis_word(end, threads);
        if (!word) {
            at = end - 1;
            continue;
        }
        *x *= *end == 'k' ? 1000 : 1;
        const char *rest = end + word;
        int before = (int)(at - name);
        if (before >= 2 && !strncmp(at - 2, ", ", 2) && (!*rest || *rest == ',')) // one comma less
            before -= 2;
        else if (!before)
            rest += strncmp(rest, ", ", 2) ? 0 : 2;
        snprintf(key, 80, "%.*s%s", before, name, rest);
        return true;
    }
    return false;
}

static void gather(const PeltBenchTable *table, const char *group, const char *name, Scaling *out)
{
    char key[80];
    double x;
    out->count = 0;
    for (int i = 0; i < pelt_bench_table_count(table) && out->count < MOST_POINTS; i++) {
        PeltBenchRow row = pelt_bench_table_row(table, i);
        if (strcmp(row.group, group) || !isfinite(row.value) || !split_name(row.name, out->threads, key, &x) ||
            strcmp(key, out->key))
            continue;
        if (out->count == 0 && strcmp(row.name, name))
            return; // told with its first row
        snprintf(out->unit, sizeof out->unit, "%s", row.unit);
        int at = out->count++;
        for (; at > 0 && out->x[at - 1] > x; at--) {
            out->x[at] = out->x[at - 1];
            out->y[at] = out->y[at - 1];
        }
        out->x[at] = x;
        out->y[at] = row.value;
    }
}

/// Both axes from 0, so that a straight line through the corner is a straight proportion.
static void add_lines(PeltiPage *page, const Scaling *s)
{
    double most = 0, far = s->x[s->count - 1];
    for (int i = 0; i < s->count; i++)
        most = fmax(most, s->y[i]);
    pelti_page_add(page, "<figure class=\"plot\"><figcaption>");
    pelti_page_text(page, s->key);
    pelti_page_add(page,
                   ", %s</figcaption><svg viewBox=\"0 0 %d %d\"><polyline fill=\"none\" stroke=\"var(--p0)\" stroke-width=\"2\" "
                   "points=\"",
                   s->unit, LINE_WIDTH, LINE_HEIGHT);
    double wide = (LINE_WIDTH - 2 * MARGIN) / far, tall = (LINE_HEIGHT - 2 * MARGIN) / fmax(most, 1e-30);
    for (int i = 0; i < s->count; i++)
        pelti_page_add(page, "%.1f,%.1f ", MARGIN + s->x[i] * wide, LINE_HEIGHT - MARGIN - s->y[i] * tall);
    pelti_page_add(page, "\"/><line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", MARGIN, LINE_WIDTH - MARGIN,
                   LINE_HEIGHT - MARGIN, LINE_HEIGHT - MARGIN);
    for (int i = 0; i < s->count; i++) {
        double x = MARGIN + s->x[i] * wide, y = LINE_HEIGHT - MARGIN - s->y[i] * tall;
        pelti_page_add(page,
                       "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"var(--p0)\"/><text x=\"%.1f\" y=\"%.1f\">%.3g</text>"
                       "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>",
                       x, y, x + 5, y - 5, s->y[i], x, LINE_HEIGHT - MARGIN + 14, s->x[i]);
    }
    pelti_page_add(page, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text></svg></figure>\n", LINE_WIDTH - MARGIN,
                   LINE_HEIGHT - 4, s->threads ? "threads" : "vertices");
}

static void add_scaling(PeltiPage *page, const PeltBenchTable *table, const char *group)
{
    bool some = false;
    for (int i = 0; i < 2 * pelt_bench_table_count(table); i++) { // every row by threads, then by vertices
        PeltBenchRow row = pelt_bench_table_row(table, i / 2);
        Scaling s = {.threads = i % 2 == 0};
        double x;
        if (strcmp(row.group, group) || !split_name(row.name, s.threads, s.key, &x))
            continue;
        gather(table, group, row.name, &s);
        if (s.count < 2)
            continue;
        pelti_page_add(page, some ? "" : "<div class=\"lines\">\n");
        some = true;
        add_lines(page, &s);
    }
    pelti_page_add(page, some ? "</div>\n" : "");
}

void pelti_bench_page(const PeltBenchTable *table, PeltiPage *page)
{
    char group[24] = "";
    pelti_page_begin(page, "pelt bench");
    pelti_page_add(
        page,
        "%s<header><h1>pelt bench</h1><p class=\"soft\">pelt %s. A bar is the median of the runs, the thin line on it "
        "their least and most; hover for numbers.</p><p class=\"marks\"><span style=\"background:var(--p2)\"></span>wanted"
        "<span style=\"background:var(--p1)\"></span>paper or other program<span style=\"background:var(--p3)\"></span>"
        "what the machine's arithmetic and memory allow</p></header>\n<main>\n",
        style, pelt_version());
    for (int i = 0; i < pelt_bench_table_count(table); i++) {
        PeltBenchRow row = pelt_bench_table_row(table, i);
        if (strcmp(group, row.group)) {
            pelti_page_add(page, "%s", group[0] ? "</tbody></table></div>\n" : "");
            if (group[0])
                add_scaling(page, table, group);
            snprintf(group, sizeof group, "%s", row.group);
            pelti_page_add(page, "<h2>%s</h2><div class=\"scroll\"><table class=\"bench\"><tbody>\n", group);
        }
        add_row(page, &row);
    }
    pelti_page_add(page, "%s", group[0] ? "</tbody></table></div>\n" : "");
    if (group[0])
        add_scaling(page, table, group);
    pelti_page_add(page, "</main>\n");
    pelti_page_end(page);
}
