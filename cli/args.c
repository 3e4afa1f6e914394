/// Options of a sub-command, read as its table says, and the page that --help prints of the same table.
#include "cli.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// Walks the arguments.
typedef struct ArgumentWalk {
    const CliCommand *command;
    int argc, at;
    char **argv;
    void *request;
} ArgumentWalk;

static const CliOption *find_option(const CliOption *options, const char *name, size_t length, char letter)
{
    for (const CliOption *o = options; o && o->name; o++)
        if (letter ? o->letter == letter : strlen(o->name) == length && !strncmp(o->name, name, length))
            return o;
    return NULL;
}

static bool read_double(const CliCommand *command, const CliOption *o, const char *text, double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) {
        cli_usage(command, "--%s: '%s' is not a number", o->name, text);
        return false;
    }
    *out = value;
    return true;
}

bool cli_read_ints(const char *text, char between, int count, int *out)
{
    for (int i = 0; i < count; i++) {
        char *end;
        errno = 0;
        long value = strtol(text, &end, 10);
        if (end == text || errno || value < INT_MIN || value > INT_MAX || *end != (i + 1 < count ? between : 0))
            return false;
        out[i] = (int)value;
        text = end + 1;
    }
    return true;
}

static bool read_int(const CliCommand *command, const CliOption *o, const char *text, int *out)
{
    if (!cli_read_ints(text, 0, 1, out)) {
        cli_usage(command, "--%s: '%s' is not a whole number", o->name, text);
        return false;
    }
    if (o->kind == CLI_COUNT && *out < 0) {
        cli_usage(command, "--%s: %d is below 0, give 0 or more", o->name, *out);
        return false;
    }
    return true;
}

static bool read_size(const CliCommand *command, const CliOption *o, const char *text, int out[2])
{
    if (cli_read_ints(text, 'x', 2, out))
        return true;
    cli_usage(command, "--%s: '%s' is not WxH", o->name, text);
    return false;
}

static bool add(const CliCommand *command, const CliOption *o, const char *text, CliList *list)
{
    if (list->count == CLI_MOST) {
        cli_usage(command, "too many %s%s (at most %d)", *o->name ? "--" : "arguments", o->name, CLI_MOST);
        return false;
    }
    list->items[list->count++] = text;
    return true;
}

static bool store(const CliCommand *command, const CliOption *o, const char *text, void *request)
{
    void *place = (char *)request + o->offset;
    if (o->read)
        return o->read(command, text, request);
    switch (o->kind) {
    case CLI_TEXT:
        if (!*o->name && *(const char **)place) {
            cli_usage(command, "%s, not also %s", o->help, text);
            return false;
        }
        *(const char **)place = text;
        return true;
    case CLI_WORD:
        *(int *)place = text ? 2 : 1;
        return true;
    case CLI_FLAG:
    case CLI_OFF:
        *(bool *)place = o->kind == CLI_FLAG;
        return true;
    case CLI_INT:
    case CLI_COUNT:
        return read_int(command, o, text, place);
    case CLI_DOUBLE:
        return read_double(command, o, text, place);
    case CLI_SIZE:
        return read_size(command, o, text, place);
    default:
        return add(command, o, text, place);
    }
}

/// The option's value is "=value", the rest of "-ovalue", or the next argument.
static bool take(ArgumentWalk *walk, const CliOption *o, const char *attached, const char *shown)
{
    if (o->kind == CLI_WORD && !attached) { // the word may follow, or not
        size_t length = strlen(o->value) - 2;
        bool follows = walk->at < walk->argc && strlen(walk->argv[walk->at]) == length &&
                       !strncmp(walk->argv[walk->at], o->value + 1, length);
        walk->at += follows;
        return store(walk->command, o, follows ? o->value : NULL, walk->request);
    }
    if (!o->value && attached) {
        cli_usage(walk->command, "%s takes no value", shown);
        return false;
    }
    if (o->value && !attached) {
        if (walk->at >= walk->argc) {
            cli_usage(walk->command, "%s needs a value (%s)", shown, o->value);
            return false;
        }
        attached = walk->argv[walk->at++];
    }
    return store(walk->command, o, attached, walk->request);
}

static bool take_positional(ArgumentWalk *walk, const char *text)
{
    const CliOption *o = find_option(walk->command->options, "", 0, 0);
    if (o)
        return store(walk->command, o, text, walk->request);
    cli_usage(walk->command, "what is %s?", text);
    return false;
}

static bool take_option(ArgumentWalk *walk, const char *text)
{
    const CliOption *options = walk->command->options, *o;
    const char *equals = strchr(text, '=');
    if (text[1] == '-')
        o = find_option(options, text + 2, equals ? (size_t)(equals - text - 2) : strlen(text + 2), 0);
    else
        o = find_option(options, "", 0, text[1]);
    if (o && !*o->name)
        o = NULL; // "--=x"
    if (o && text[1] == '-')
        return take(walk, o, equals ? equals + 1 : NULL, text);
    if (o)
        return take(walk, o, text[2] ? text + 2 : NULL, text);
    cli_usage(walk->command, "unknown option %s", text);
    return false;
}

bool cli_parse(const CliCommand *command, int argc, char **argv, void *request)
{
    ArgumentWalk walk = {.command = command, .argc = argc, .argv = argv, .request = request};
    bool only_positional = false, good = true;
    while (good && walk.at < argc) {
        const char *text = argv[walk.at++];
        if (only_positional || text[0] != '-' || !text[1])
            good = take_positional(&walk, text);
        else if (!strcmp(text, "--"))
            only_positional = true;
        else if (!strcmp(text, "--help") || !strcmp(text, "-h")) {
            cli_help(command);
            exit(0);
        } else
            good = take_option(&walk, text);
    }
    return good;
}

void cli_help(const CliCommand *command)
{
    printf("pelt %s: %s\n\nusage: pelt %s %s\n", command->name, command->summary, command->name, command->arguments);
    if (command->details)
        printf("\n%s", command->details);
    printf("\noptions:\n");
    for (const CliOption *o = command->options; o && o->name; o++) {
        char left[64];
        if (!*o->name)
            continue;
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

static bool is_one_file(const char *input, const char *output)
{
    struct stat in, out;
    return stat(input, &in) == 0 && stat(output, &out) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

bool cli_writes_once(const CliCommand *command, const CliFiles *written, const char *other)
{
    for (int w = 0; other && w < written->count; w++)
        if (strcmp(written->items[w], other) == 0 || is_one_file(written->items[w], other)) {
            cli_usage(command, "%s would be written twice: give one of the results another name", other);
            return false;
        }
    return true;
}

bool cli_keeps(const CliCommand *command, const CliFiles *read, const CliFiles *written)
{
    for (int w = 0; w < written->count; w++)
        for (int r = 0; r < read->count; r++)
            if (written->items[w] && read->items[r] && is_one_file(read->items[r], written->items[w])) {
                cli_usage(command, "%s is the file that is read: it would be lost, give the result another name",
                          written->items[w]);
                return false;
            }
    return true;
}
