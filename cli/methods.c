#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

static const CliOption options[] = {{0}};

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
    CliArgs args = cli_args(command, argc, argv);
    const char *name = NULL;
    while (cli_next(&args) != CLI_END)
        name = args.value;
    if (args.failed)
        return PELT_BAD_ARGUMENT;
    if (name && pelt_method_find(name) < 0)
        return cli_usage(command, "there is no method '%s'", name);
    for (int m = 0; m < pelt_method_count(); m++)
        if (!name || m == pelt_method_find(name))
            print_method(m);
    if (!name)
        printf("default: %s\n", pelt_method_default());
    return 0;
}
