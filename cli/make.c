#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

enum { OUTPUT, VERTICES, NO_WEIGHTS, UV, THREADS, QUIET };
static const CliOption options[] = {
    [OUTPUT] = {"output", 'o', "FILE", ".glb, or .gltf with everything inside"},
    [VERTICES] = {"vertices", 0, "N", "how many, met within 10 %: 500 to 2000000 (default: 3200, 8000, 5000, 13300)"},
    [NO_WEIGHTS] = {"no-weights", 0, NULL, "put every weight on the root, as in a file nobody painted"},
    [UV] = {"uv", 0, NULL, "texture coordinates; vertices are split at their seams"},
    [THREADS] = {"threads", 0, "N", "0: as many as there are (default); the file does not depend on it"},
    [QUIET] = {"quiet", 'q', NULL, "no summary"},
    {0},
};

const CliCommand cli_make = {
    "make",
    "NAME [--vertices N] [--no-weights] -o F.glb",
    "make a built-in character: cylinder, arm, hand or biped",
    "Makes the skin around a skeleton, closed and of even triangles, with weights and with clips that stress it:\n"
    "bend, twist, fist, walk, stretch, jump, each where it makes sense. The same arguments give the same bytes.\n"
    "  pelt make biped -o biped.glb\n"
    "  pelt make hand --vertices 50000 --no-weights -o hand.glb\n",
    options,
    run,
};

static int run(const CliCommand *command, int argc, char **argv)
{
    CliArgs args = cli_args(command, argc, argv);
    PeltMakeDef def = pelt_make_def_default();
    const char *output = NULL, *name = NULL;
    bool quiet = false;
    for (int option; (option = cli_next(&args)) != CLI_END;) {
        if (option == OUTPUT)
            output = args.value;
        else if (option == VERTICES && !cli_int(command, args.value, "--vertices", &def.vertices))
            return PELT_BAD_ARGUMENT;
        else if (option == VERTICES && def.vertices <= 0)
            return cli_usage(command, "--vertices %d: at least 500", def.vertices);
        else if (option == THREADS && !cli_int(command, args.value, "--threads", &def.threads))
            return PELT_BAD_ARGUMENT;
        else if (option == NO_WEIGHTS)
            def.no_weights = 1;
        else if (option == UV)
            def.uv = 1;
        else if (option == QUIET)
            quiet = true;
        else if (option == CLI_POSITIONAL && name)
            return cli_usage(command, "one character at a time, not also %s", args.value);
        else if (option == CLI_POSITIONAL)
            name = args.value;
    }
    if (args.failed)
        return PELT_BAD_ARGUMENT;
    if (!name)
        return cli_usage(command, "which character? cylinder, arm, hand or biped");
    if (!output)
        return cli_usage(command, "where to? give -o F.glb");
    def.name = name;
    PeltError err = {0};
    PeltMakeResult result;
    if (pelt_make_file(&def, output, &result, &err) != PELT_OK)
        return cli_fail_error(command, &err);
    if (!quiet)
        fprintf(stderr, "pelt make: %s: %d vertices, %d triangles, %d joints, %d clips in %.1f s\n", output, result.vertices,
                result.triangles, result.joints, result.clips, result.make_ms * 1e-3);
    return 0;
}
