/// `pelt methods`: the methods, and the options of one.
#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct MethodsRequest {
    const char *name;
    bool json;
} MethodsRequest;

static const CliOption options[] = {{"", 0, NULL, "one method at a time", CLI_TO(CLI_TEXT, MethodsRequest, name)},
                                    {"json", 0, NULL, "the same as JSON, for programs", CLI_TO(CLI_FLAG, MethodsRequest, json)},
                                    {0}};

const CliCommand cli_methods = {
    "methods",
    "[NAME] [--json]",
    "the methods; of one, its options and defaults",
    "Without NAME a line for each method and the options that all have; with it, the options of that method.\n"
    "Options are given to bake as --set key=value; those marked [live] may change while a skin plays (pelt_skin_set).\n",
    options,
    run,
};

static void print_option(const PeltOptionInfo *info)
{
    char left[96];
    snprintf(left, sizeof left, "%s=%s", info->name, info->value);
    printf("  %-26s %s", left, info->help);
    if (info->choices)
        printf(" (%s)", info->choices);
    else if (info->least != 0 || info->most != 0)
        printf(" (%g to %g)", info->least, info->most);
    printf(info->live ? " [live]\n" : "\n");
}

static void print_options(int method, bool common)
{
    for (int o = 0; o < pelt_method_option_count(method); o++) {
        PeltOptionInfo info = pelt_method_option(method, o);
        if (info.common == common)
            print_option(&info);
    }
}

static void print_text(const char *name)
{
    int only = name ? pelt_method_find(name) : -1;
    for (int m = 0; m < pelt_method_count(); m++)
        if (only < 0 || m == only)
            printf("%-11s %s%s\n", pelt_method_name(m), pelt_method_summary(m), pelt_method_is_dynamic(m) ? " (dynamic)" : "");
    if (only >= 0)
        print_options(only, false);
    else
        printf("default: %s\n", pelt_method_default());
    printf(only < 0 ? "options of every method:\n" : "and, as every method:\n");
    print_options(only < 0 ? 0 : only, true);
}

/// The texts are the program's own: of what JSON escapes they hold quotes and backslashes at most.
static void print_quoted(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

static void print_member(const char *before, const char *name, const char *text)
{
    printf("%s\"%s\": ", before, name);
    if (text)
        print_quoted(text);
    else
        printf("null");
}

static void print_options_json(const char *name, int method, bool common)
{
    static const char *const kinds[] = {"float", "int", "bool", "choice", "text"}; // of PeltOptionKind
    const char *between = "";
    printf(", \"%s\": [", name);
    for (int o = 0; o < pelt_method_option_count(method); o++) {
        PeltOptionInfo info = pelt_method_option(method, o);
        if (info.common != common)
            continue;
        printf("%s\n  ", between);
        print_member("{", "name", info.name);
        print_member(", ", "value", info.value);
        print_member(", ", "choices", info.choices);
        if (info.least != 0 || info.most != 0)
            printf(", \"least\": %.9g, \"most\": %.9g", info.least, info.most);
        print_member(", ", "kind", kinds[info.kind]);
        printf(", \"live\": %s", info.live ? "true" : "false");
        print_member(", ", "help", info.help);
        printf("}");
        between = ",";
    }
    printf("]");
}

static void print_head_json(int method)
{
    print_member("{", "name", pelt_method_name(method));
    print_member(", ", "summary", pelt_method_summary(method));
    printf(", \"dynamic\": %s", pelt_method_is_dynamic(method) ? "true" : "false");
}

static void print_json(const char *name)
{
    if (name) {
        int method = pelt_method_find(name);
        print_head_json(method);
        print_options_json("options", method, false);
        print_options_json("common", method, true);
    } else {
        print_member("{", "default", pelt_method_default());
        printf(", \"methods\": [");
        for (int m = 0; m < pelt_method_count(); m++) {
            printf(m ? ",\n  " : "\n  ");
            print_head_json(m);
            printf("}");
        }
        printf("]");
        print_options_json("common", 0, true);
    }
    printf("}\n");
}

static int run(const CliCommand *command, int argc, char **argv)
{
    MethodsRequest r = {0};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (r.name && pelt_method_find(r.name) < 0)
        return cli_usage(command, "there is no method '%s': `pelt methods` lists them", r.name);
    if (r.json)
        print_json(r.name);
    else
        print_text(r.name);
    return 0;
}
