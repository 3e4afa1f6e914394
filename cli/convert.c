/// `pelt convert`: a character from one format to another, unbaked.
#include "cli.h"

#include <stdio.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct ConvertRequest {
    CliList files;
    const char *motion;
    bool quiet;
} ConvertRequest;

static const CliOption options[] = {
    {"motion", 0, "FILE", CLI_MOTION_HELP, CLI_TO(CLI_TEXT, ConvertRequest, motion)},
    {"quiet", 'q', NULL, "no summary; errors and warnings only", CLI_TO(CLI_FLAG, ConvertRequest, quiet)},
    {"", 0, NULL, "one file at a time", CLI_TO(CLI_LIST, ConvertRequest, files)},
    {0},
};

const CliCommand cli_convert = {
    "convert",
    "IN OUT",
    "a character from one format to another, unbaked",
    "IN is a .glb, .vrm, .gltf, .fbx or .dae, OUT a .glb, .vrm or .gltf with everything inside: meshes, skins, weights,\n"
    "morph targets, clips, materials and textures, names and whatever else the file has. Compressed meshes become plain.\n"
    "The file is checked as for a bake; OUT appears whole or not at all.\n"
    "  pelt convert hero.fbx hero.glb\n",
    options,
    run,
};

static int run(const CliCommand *command, int argc, char **argv)
{
    ConvertRequest r = {0};
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (r.files.count != 2)
        return cli_usage(command, "give the file to read and the file to write");
    if (!cli_keeps(command, CLI_FILES(r.files.items[0], r.motion), CLI_FILES(r.files.items[1])))
        return PELT_BAD_ARGUMENT;
    CliSession session;
    PeltCharacterInfo info = {0};
    PeltStatus status = cli_open_motion(&session, command, r.files.items[0], r.motion, r.quiet);
    if (status == PELT_OK) {
        info = pelt_character_info(session.who);
        status = pelt_character_save(session.who, r.files.items[1], cli_warn, &session, &session.err);
    }
    int code = cli_close(&session, status);
    if (code == 0 && !r.quiet)
        printf("%s: %d meshes, %d points, %d joints, %d clips\n", r.files.items[1], info.mesh_count, info.point_count,
               info.joint_count, info.clip_count);
    return code;
}
