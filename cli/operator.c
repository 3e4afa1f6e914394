/// `pelt operator`: composition operators as pictures and files.
#include "cli.h"

#include <pelt/operator.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct Wanted {
    const char *start, *profile, *controller, *name;
    CliList outputs;
    int pixels;
    bool quiet;
    double depth, reach; // reach NAN: as it is
} Wanted;

static const CliOption options[] = {
    {"output", 'o', "FILE", ".png: a plot; .json: the operator; may be given several times", CLI_TO(CLI_LIST, Wanted, outputs)},
    {"depth", 'd', "D", "the slice to plot, 0 (union) to 1 (contact); default 0.5", CLI_TO(CLI_DOUBLE, Wanted, depth)},
    {"size", 0, "N", "pixels a side of the plot (default 512)", CLI_TO(CLI_INT, Wanted, pixels)},
    {"profile", 0, "CURVE", "control points of the closed profile: \"0.5,0 0.5,0.2 0.4,0.3 0.36,0.36\"",
     CLI_TO(CLI_TEXT, Wanted, profile)},
    {"reach", 0, "R", "length of the contact line at d = 1, 0 to 1", CLI_TO(CLI_DOUBLE, Wanted, reach)},
    {"controller", 0, "CURVE", "d by the angle in degrees: \"90,0 150,1\"", CLI_TO(CLI_TEXT, Wanted, controller)},
    {"name", 0, "TEXT", "of a new operator", CLI_TO(CLI_TEXT, Wanted, name)},
    {"quiet", 'q', NULL, "no summary", CLI_TO(CLI_FLAG, Wanted, quiet)},
    {"", 0, NULL, "one operator at a time", CLI_TO(CLI_TEXT, Wanted, start)},
    {0},
};

const CliCommand cli_operator = {
    "operator",
    "[contact|bulge|union|FILE.json] [--profile CURVE] -o P.png|F.json",
    "design, plot and save a composition operator",
    "An operator says how two parts of a body join: a profile curve, where the composed field is 0.5, and a\n"
    "controller d(angle). Starts from a built-in one (contact) or a saved file, changes what is asked, checks\n"
    "that it has a solution, then plots and saves. A rig uses it by its file name.\n"
    "  pelt operator bulge -d 1 -o bulge.png\n"
    "  pelt operator --name soft --profile \"0.5,0 0.5,0.2 0.42,0.3 0.4,0.4\" --reach 0.6 -o soft.json -o soft.png\n",
    options,
    run,
};

/// Pairs "a,b a,b ..."; -1 and a message where they are none.
static int read_pairs(const CliCommand *command, const char *text, const char *what, int most, float (*out)[2])
{
    int count = 0;
    for (const char *p = text; *p;) {
        char *end;
        while (*p == ' ')
            p++;
        if (!*p)
            break;
        if (count == most) {
            cli_usage(command, "%s: at most %d pairs", what, most);
            return -1;
        }
        out[count][0] = strtof(p, &end);
        bool good = end != p && *end == ',';
        p = good ? end + 1 : p;
        out[count][1] = good ? strtof(p, &end) : 0;
        if (!good || end == p || (*end && *end != ' ')) {
            cli_usage(command, "%s: pairs like \"0.5,0 0.5,0.2\" were expected, not '%s'", what, text);
            return -1;
        }
        p = end;
        count++;
    }
    return count;
}

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n > m && !strcmp(text + n - m, end);
}

/// The operator asked for; the exit code.
static int design(const CliCommand *command, const Wanted *w, PeltOperator *op)
{
    PeltError err = {0};
    const char *start = w->start ? w->start : "contact";
    PeltStatus status = ends_with(start, ".json") ? pelt_operator_load(start, op, &err) : pelt_operator_builtin(start, op, &err);
    if (status == PELT_OK && w->profile) {
        float points[PELT_OPERATOR_CONTROLS][2];
        PeltOperator base = *op;
        int count = read_pairs(command, w->profile, "--profile", PELT_OPERATOR_CONTROLS, points);
        if (count < 0)
            return PELT_BAD_ARGUMENT;
        status = pelt_operator_from_profile(base.name, count, (const float(*)[2])points, op, &err);
        op->reach = base.reach;
        op->point_count = base.point_count;
        memcpy(op->controller, base.controller, sizeof op->controller);
    }
    if (status != PELT_OK)
        return cli_fail_error(command, &err);
    if (!isnan(w->reach))
        op->reach = (float)w->reach;
    if (w->controller) {
        int count = read_pairs(command, w->controller, "--controller", PELT_OPERATOR_POINTS, op->controller);
        if (count < 0)
            return PELT_BAD_ARGUMENT;
        op->point_count = count;
    }
    if (w->name)
        snprintf(op->name, sizeof op->name, "%.31s", w->name);
    return pelt_operator_check(op, &err) == PELT_OK ? 0 : cli_fail_error(command, &err);
}

static int run(const CliCommand *command, int argc, char **argv)
{
    Wanted w = {.depth = 0.5, .pixels = 512, .reach = NAN};
    if (!cli_parse(command, argc, argv, &w))
        return PELT_BAD_ARGUMENT;
    if (!w.outputs.count)
        return cli_usage(command, "where to? give -o P.png or -o F.json");
    for (int i = 0; i < w.outputs.count; i++)
        if (!ends_with(w.outputs.items[i], ".png") && !ends_with(w.outputs.items[i], ".json"))
            return cli_usage(command, "%s: .png or .json", w.outputs.items[i]);
    PeltOperator op;
    PeltError err = {0};
    int code = design(command, &w, &op);
    if (code)
        return code;
    for (int i = 0; i < w.outputs.count; i++) {
        PeltStatus status = ends_with(w.outputs.items[i], ".png")
                                ? pelt_operator_plot(&op, (float)w.depth, w.pixels, w.outputs.items[i], &err)
                                : pelt_operator_save(&op, w.outputs.items[i], &err);
        if (status != PELT_OK)
            return cli_fail_error(command, &err);
        if (!w.quiet)
            fprintf(stderr, "pelt operator: %s: %s\n", w.outputs.items[i], op.name);
    }
    return 0;
}
