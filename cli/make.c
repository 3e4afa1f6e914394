#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct Request {
    const char *output;
    int quiet;
    PeltMakeDef def;
} Request;

static const CliOption options[] = {
    {"output", 'o', "FILE", ".glb, or .gltf with everything inside", CLI_TO(CLI_TEXT, Request, output)},
    {"vertices", 0, "N", "how many, met within 10 %: 500 to 2000000 (default: 3200, 8000, 5000, 13300)",
     CLI_TO(CLI_INT, Request, def.vertices)},
    {"no-weights", 0, NULL, "put every weight on the root, as in a file nobody painted",
     CLI_TO(CLI_FLAG, Request, def.no_weights)},
    {"uv", 0, NULL, "texture coordinates; vertices are split at their seams", CLI_TO(CLI_FLAG, Request, def.uv)},
    {"threads", 0, "N", "0: as many as there are (default); the file does not depend on it",
     CLI_TO(CLI_INT, Request, def.threads)},
    {"quiet", 'q', NULL, "no summary", CLI_TO(CLI_FLAG, Request, quiet)},
    {"", 0, NULL, "one character at a time", CLI_TO(CLI_TEXT, Request, def.name)},
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
    Request r = {.def = pelt_make_def_default()};
    r.def.name = NULL;
    r.def.vertices = -1; // not said
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (r.def.vertices == -1)
        r.def.vertices = pelt_make_def_default().vertices;
    else if (r.def.vertices <= 0)
        return cli_usage(command, "--vertices %d: at least 500", r.def.vertices);
    if (!r.def.name)
        return cli_usage(command, "which character? cylinder, arm, hand or biped");
    if (!r.output)
        return cli_usage(command, "where to? give -o F.glb");
    PeltError err = {0};
    PeltMakeResult result;
    if (pelt_make_file(&r.def, r.output, &result, &err) != PELT_OK)
        return cli_fail_error(command, &err);
    if (!r.quiet)
        fprintf(stderr, "pelt make: %s: %d vertices, %d triangles, %d joints, %d clips in %.1f s\n", r.output, result.vertices,
                result.triangles, result.joints, result.clips, result.make_ms * 1e-3);
    return 0;
}
