#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct Request {
    const char *name;
} Request;

static const CliOption options[] = {{"", 0, NULL, "one method at a time", CLI_TO(CLI_TEXT, Request, name)}, {0}};

const CliCommand cli_methods = {
    "methods", "[NAME]", "the methods with their options and defaults", "Options are given to bake as --set key=value.\n",
    options,   run,
};

static void print_method(int method)
{
    printf("%s: %s%s\n", pelt_method_name(method), pelt_method_summary(method),
           pelt_method_is_dynamic(method) ? " (dynamic)" : "");
    for (int o = 0; o < pelt_method_option_count(method); o++) {
        PeltOptionInfo info = pelt_method_option(method, o);
        char left[96];
        snprintf(left, sizeof left, "%s=%s", info.name, info.value);
        printf("  %-26s %s", left, info.help);
        if (info.choices)
            printf(" (%s)", info.choices);
        else if (info.least != 0 || info.most != 0)
            printf(" (%g to %g)", info.least, info.most);
        printf("\n");
    }
}

static int run(const CliCommand *command, int argc, char **argv)
{
    Request r = {0};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    const char *name = r.name;
    if (name && pelt_method_find(name) < 0)
        return cli_usage(command, "there is no method '%s'", name);
    for (int m = 0; m < pelt_method_count(); m++)
        if (!name || m == pelt_method_find(name))
            print_method(m);
    if (!name)
        printf("default: %s\n", pelt_method_default());
    return 0;
}
