/// `pelt make`: a built-in character as a file.
#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct MakeRequest {
    const char *output;
    bool quiet;
    int seed;
    PeltMakeDef def;
} MakeRequest;

static const CliOption options[] = {
    {"output", 'o', "FILE", ".glb, or .gltf with everything inside", CLI_TO(CLI_TEXT, MakeRequest, output)},
    {"vertices", 0, "N", "how many, met within 10 %: 500 to 2000000 (default: 3200, 8000, 5000, 13300, 9000)",
     CLI_TO(CLI_INT, MakeRequest, def.vertices)},
    {"seed", 0, "N", "another character of the same kind, 1 or more: size, girth, joints, mesh, clothes and weights vary",
     CLI_TO(CLI_INT, MakeRequest, seed)},
    {"dress", 0, "HOW", "none, some (as the seed draws; the default with a seed) or all",
     CLI_TO(CLI_TEXT, MakeRequest, def.dress)},
    {"clip", 0, "NAME",
     "this clip alone; random: smooth motion to the limits of every joint, drawn from the seed; touches (biped): hands, arms, "
     "knees and chin meet the body",
     CLI_TO(CLI_TEXT, MakeRequest, def.clip)},
    {"weights", 0, "HOW", "smooth, one-joint, unnormalised, missing or none (default: as the seed draws, mostly smooth)",
     CLI_TO(CLI_TEXT, MakeRequest, def.weights)},
    {"no-weights", 0, NULL, "put every weight on the root, as in a file nobody painted",
     CLI_TO(CLI_FLAG, MakeRequest, def.no_weights)},
    {"uv", 0, NULL, "texture coordinates; vertices are split at their seams", CLI_TO(CLI_FLAG, MakeRequest, def.uv)},
    {"threads", 0, "N", "0: as many as there are (default); the file does not depend on it",
     CLI_TO(CLI_COUNT, MakeRequest, def.threads)},
    {"quiet", 'q', NULL, "no summary", CLI_TO(CLI_FLAG, MakeRequest, quiet)},
    {"", 0, NULL, "one character at a time", CLI_TO(CLI_TEXT, MakeRequest, def.name)},
    {0},
};

const CliCommand cli_make = {
    "make",
    "NAME [--vertices N] [--seed N] [--clip random] [--no-weights] -o F.glb",
    "make a built-in character: cylinder, arm, hand, biped or beast",
    "Makes the skin around a skeleton, closed and of even triangles, with weights and with clips that stress it:\n"
    "bend, twist, fist, walk, stretch, jump, each where it makes sense. The same arguments give the same bytes.\n"
    "  pelt make biped -o biped.glb\n"
    "  pelt make hand --vertices 50000 --no-weights -o hand.glb\n"
    "  pelt make biped --seed 7 --clip random -o seven.glb\n",
    options,
    run,
};

static int run(const CliCommand *command, int argc, char **argv)
{
    MakeRequest r = {.def = pelt_make_def_default(), .seed = -1}; // not said
    r.def.name = NULL;
    r.def.vertices = -1; // not said
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (r.def.vertices == -1)
        r.def.vertices = pelt_make_def_default().vertices;
    else if (r.def.vertices <= 0)
        return cli_usage(command, "--vertices %d: at least 500", r.def.vertices);
    if (r.seed == 0 || r.seed < -1)
        return cli_usage(command, "--seed %d: 1 or more", r.seed);
    r.def.seed = r.seed > 0 ? (uint64_t)r.seed : 0;
    if (!r.def.name)
        return cli_usage(command, "which character? cylinder, arm, hand, biped or beast");
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
