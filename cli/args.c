#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CliArgs cli_args(const CliCommand *command, int argc, char **argv)
{
    return (CliArgs){.command = command, .argc = argc, .argv = argv};
}

static int fail_next(CliArgs *args)
{
    args->failed = true;
    return CLI_END;
}

static int find_option(const CliOption *options, const char *name, size_t length, char letter)
{
    for (int i = 0; options && options[i].name; i++)
        if (letter ? options[i].letter == letter : strlen(options[i].name) == length && !strncmp(options[i].name, name, length))
            return i;
    return -1;
}

/// Takes the option's value from "=value", from the rest of "-ovalue", or from the next argument.
static int take(CliArgs *args, int option, const char *attached, const char *shown)
{
    const CliOption *o = &args->command->options[option];
    args->value = NULL;
    if (!o->value) {
        if (attached) {
            cli_usage(args->command, "%s takes no value", shown);
            return fail_next(args);
        }
        return option;
    }
    if (!attached) {
        if (args->at >= args->argc) {
            cli_usage(args->command, "%s needs a value (%s)", shown, o->value);
            return fail_next(args);
        }
        attached = args->argv[args->at++];
    }
    args->value = attached;
    return option;
}

int cli_next(CliArgs *args)
{
    if (args->failed || args->at >= args->argc)
        return CLI_END;
    const char *text = args->argv[args->at++];
    if (args->only_positional || text[0] != '-' || !text[1]) {
        args->value = text;
        return CLI_POSITIONAL;
    }
    if (!strcmp(text, "--")) {
        args->only_positional = true;
        return cli_next(args);
    }
    if (!strcmp(text, "--help") || !strcmp(text, "-h")) {
        cli_help(args->command);
        exit(0);
    }
    if (text[1] == '-') {
        const char *equals = strchr(text + 2, '=');
        size_t length = equals ? (size_t)(equals - text - 2) : strlen(text + 2);
        int option = find_option(args->command->options, text + 2, length, 0);
        if (option >= 0)
            return take(args, option, equals ? equals + 1 : NULL, text);
    } else {
        int option = find_option(args->command->options, "", 0, text[1]);
        if (option >= 0)
            return take(args, option, text[2] ? text + 2 : NULL, text);
    }
    cli_usage(args->command, "unknown option %s", text);
    return fail_next(args);
}

bool cli_double(const CliCommand *command, const char *text, const char *what, double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) {
        cli_usage(command, "%s: '%s' is not a number", what, text);
        return false;
    }
    *out = value;
    return true;
}

bool cli_int(const CliCommand *command, const char *text, const char *what, int *out)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < INT_MIN || value > INT_MAX) {
        cli_usage(command, "%s: '%s' is not a whole number", what, text);
        return false;
    }
    *out = (int)value;
    return true;
}

void cli_help(const CliCommand *command)
{
    printf("pelt %s: %s\n\nusage: pelt %s %s\n", command->name, command->summary, command->name, command->arguments);
    if (command->details)
        printf("\n%s", command->details);
    printf("\noptions:\n");
    for (const CliOption *o = command->options; o && o->name; o++) {
        char left[64];
        snprintf(left, sizeof left, "%c%c%s--%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ', o->letter ? ", " : "  ",
                 o->name, o->value ? " " : "", o->value ? o->value : "");
        printf("  %-28s %s\n", left, o->help);
    }
    printf("  %-28s %s\n", "-h, --help", "this page");
    printf("\nexit codes: 0 done, 1 command line, 2 input/output, 3 invalid input, 4 run-time failure, 5 unsupported\n");
}

static void print_message(const CliCommand *command, const char *format, va_list args)
{
    fprintf(stderr, "pelt%s%s: ", command ? " " : "", command ? command->name : "");
    vfprintf(stderr, format, args);
}

int cli_fail(const CliCommand *command, PeltStatus status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(command, format, args);
    va_end(args);
    fprintf(stderr, "\n");
    return (int)status;
}

int cli_fail_error(const CliCommand *command, const PeltError *err)
{
    return cli_fail(command, err->status, "%s", err->text);
}

int cli_usage(const CliCommand *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_message(command, format, args);
    va_end(args);
    fprintf(stderr, " (try pelt %s --help)\n", command ? command->name : "");
    return PELT_BAD_ARGUMENT;
}

void cli_warn(const CliCommand *command, const PeltWarning *warning)
{
    fprintf(stderr, "pelt %s: warning: %s [%s]\n", command->name, warning->text, warning->code);
}
