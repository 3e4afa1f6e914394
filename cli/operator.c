#include "cli.h"

#include <pelt/operator.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run(const CliCommand *command, int argc, char **argv);

enum { OUTPUT, DEPTH, SIZE, PROFILE, REACH, CONTROLLER, NAME, QUIET };
static const CliOption options[] = {
    [OUTPUT] = {"output", 'o', "FILE", ".png: a plot; .json: the operator; may be given several times"},
    [DEPTH] = {"depth", 'd', "D", "the slice to plot, 0 (union) to 1 (contact); default 0.5"},
    [SIZE] = {"size", 0, "N", "pixels a side of the plot (default 512)"},
    [PROFILE] = {"profile", 0, "CURVE", "control points of the closed profile: \"0.5,0 0.5,0.2 0.4,0.3 0.36,0.36\""},
    [REACH] = {"reach", 0, "R", "length of the contact line at d = 1, 0 to 1"},
    [CONTROLLER] = {"controller", 0, "CURVE", "d by the angle in degrees: \"90,0 150,1\""},
    [NAME] = {"name", 0, "TEXT", "of a new operator"},
    [QUIET] = {"quiet", 'q', NULL, "no summary"},
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

typedef struct Wanted {
    const char *start, *profile, *controller, *name, *outputs[8];
    int output_count, pixels;
    double depth, reach;
    bool has_reach, quiet;
} Wanted;

static bool read_option(const CliCommand *command, CliArgs *args, int option, Wanted *w)
{
    switch (option) {
    case OUTPUT:
        if (w->output_count == 8) {
            cli_usage(command, "at most 8 outputs");
            return false;
        }
        w->outputs[w->output_count++] = args->value;
        return true;
    case DEPTH:
        return cli_double(command, args->value, "--depth", &w->depth);
    case SIZE:
        return cli_int(command, args->value, "--size", &w->pixels);
    case PROFILE:
        w->profile = args->value;
        return true;
    case REACH:
        w->has_reach = true;
        return cli_double(command, args->value, "--reach", &w->reach);
    case CONTROLLER:
        w->controller = args->value;
        return true;
    case NAME:
        w->name = args->value;
        return true;
    case QUIET:
        w->quiet = true;
        return true;
    default:
        if (w->start) {
            cli_usage(command, "one operator at a time, not also %s", args->value);
            return false;
        }
        w->start = args->value;
        return true;
    }
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
    if (w->has_reach)
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
    CliArgs args = cli_args(command, argc, argv);
    Wanted w = {.depth = 0.5, .pixels = 512};
    for (int option; (option = cli_next(&args)) != CLI_END;)
        if (!read_option(command, &args, option, &w))
            return PELT_BAD_ARGUMENT;
    if (args.failed)
        return PELT_BAD_ARGUMENT;
    if (!w.output_count)
        return cli_usage(command, "where to? give -o P.png or -o F.json");
    for (int i = 0; i < w.output_count; i++)
        if (!ends_with(w.outputs[i], ".png") && !ends_with(w.outputs[i], ".json"))
            return cli_usage(command, "%s: .png or .json", w.outputs[i]);
    PeltOperator op;
    PeltError err = {0};
    int code = design(command, &w, &op);
    if (code)
        return code;
    for (int i = 0; i < w.output_count; i++) {
        PeltStatus status = ends_with(w.outputs[i], ".png")
                                ? pelt_operator_plot(&op, (float)w.depth, w.pixels, w.outputs[i], &err)
                                : pelt_operator_save(&op, w.outputs[i], &err);
        if (status != PELT_OK)
            return cli_fail_error(command, &err);
        if (!w.quiet)
            fprintf(stderr, "pelt operator: %s: %s\n", w.outputs[i], op.name);
    }
    return 0;
}
