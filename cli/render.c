/// `pelt render`: pictures, still and moving.
#include "cli.h"

#include <stdio.h>
#include <string.h>

static int run(const CliCommand *command, int argc, char **argv);

typedef struct RenderRequest {
    const char *file, *output, *motion;
    CliList settings;
    bool quiet;
    int size[2];
    double quality;
    PeltRenderDef def;
} RenderRequest;

static bool read_frame(const CliCommand *command, const char *text, void *request)
{
    RenderRequest *r = request;
    if (cli_read_ints(text, 0, 1, &r->def.frame) && r->def.frame >= 0)
        return true;
    cli_usage(command, "--frame wants a number from 0 on, not '%s'", text);
    return false;
}

static bool read_frames(const CliCommand *command, const char *text, void *request)
{
    RenderRequest *r = request;
    int range[2];
    if (cli_read_ints(text, ':', 2, range)) {
        r->def.first_frame = range[0], r->def.last_frame = range[1];
        return true;
    }
    cli_usage(command, "--frames wants A:B, not '%s'", text);
    return false;
}

static const CliOption options[] = {
    {"method", 'm', "NAME", "how the skin is made: `pelt methods` lists them", CLI_TO(CLI_TEXT, RenderRequest, def.skin.method)},
    {"output", 'o', "FILE", ".png, or .webp: the whole clip, moving (a still with --frame)",
     CLI_TO(CLI_TEXT, RenderRequest, output)},
    {"cache", 0, "C.pc2", "show this cache, of any kind that `pelt bake` writes, in place of a method's work",
     CLI_TO(CLI_TEXT, RenderRequest, def.cache_path)},
    {"clip", 0, "NAME|INDEX", "which animation (default: the first)", CLI_TO(CLI_TEXT, RenderRequest, def.clip)},
    {"motion", 0, "FILE", CLI_MOTION_HELP, CLI_TO(CLI_TEXT, RenderRequest, motion)},
    {"fps", 0, "F", "frames a second (default 30)", CLI_TO(CLI_DOUBLE, RenderRequest, def.fps)},
    {"frame", 0, "N",
     "which frame of the clip (default: the first for .png, all for .webp); a cache's count from where it begins in the clip",
     .read = read_frame},
    {"frames", 0, "A:B", ".webp: only these frames, inclusive", .read = read_frames},
    {"rest", 0, NULL, "the rest pose in place of a frame", CLI_TO(CLI_FLAG, RenderRequest, def.rest)},
    {"size", 0, "WxH", "pixels (default 1280x960)", CLI_TO(CLI_SIZE, RenderRequest, size)},
    {"camera", 0, "VIEW", "front, back, left, right, top, three-quarter (default) or azimuth,elevation[,zoom[,x,y,z]]",
     CLI_TO(CLI_TEXT, RenderRequest, def.camera)},
    {"orthographic", 0, NULL, "no perspective", CLI_TO(CLI_FLAG, RenderRequest, def.orthographic)},
    {"colour", 0, "WHAT", "clay (default), stretch, weights, part, contact, distance (to lbs)",
     CLI_TO(CLI_TEXT, RenderRequest, def.colour)},
    {"wire", 0, NULL, "edges of the triangles", CLI_TO(CLI_FLAG, RenderRequest, def.wire)},
    {"inside", 0, "[body]",
     "bones, layers and what else the method has inside, through the skin; `--inside body`: the body it solves on",
     CLI_TO(CLI_WORD, RenderRequest, def.inside)},
    {"section", 0, "PLANE", "cut through the method's field: x, y or z, moved by a share of the size: z=0.1",
     CLI_TO(CLI_TEXT, RenderRequest, def.section)},
    {"forces", 0, NULL, "arrows, of a method or a scene that has forces", CLI_TO(CLI_FLAG, RenderRequest, def.forces)},
    {"background", 0, "WHICH", "light (default), dark, none (transparent)", CLI_TO(CLI_TEXT, RenderRequest, def.background)},
    {"no-ground", 0, NULL, "no floor for shadows", CLI_TO(CLI_FLAG, RenderRequest, def.no_ground)},
    {"title", 0, "TEXT", "written at the top left", CLI_TO(CLI_TEXT, RenderRequest, def.title)},
    {"samples", 0, "N", "rays a pixel, 1 to 64 (default 4; moving 2)", CLI_TO(CLI_INT, RenderRequest, def.samples)},
    {"quality", 0, "Q", "of .webp, 0 to 100 (default 82)", CLI_TO(CLI_DOUBLE, RenderRequest, quality)},
    {"set", 0, "KEY=VALUE", "an option of the method; may be given several times", CLI_TO(CLI_LIST, RenderRequest, settings)},
    {"rig", 0, "X.json", "what an artist adds (docs/rig.md)", CLI_TO(CLI_TEXT, RenderRequest, def.skin.rig_path)},
    {"scene", 0, "S.json", "what the character touches (docs/contact.md)", CLI_TO(CLI_TEXT, RenderRequest, def.scene_path)},
    {"threads", 0, "N", "0: as many as there are (default); the picture does not depend on it",
     CLI_TO(CLI_COUNT, RenderRequest, def.skin.threads)},
    {"quiet", 'q', NULL, "no progress, no summary", CLI_TO(CLI_FLAG, RenderRequest, quiet)},
    {"", 0, NULL, "one file at a time", CLI_TO(CLI_TEXT, RenderRequest, file)},
    {0},
};

const CliCommand cli_render = {
    "render",
    "FILE [-m METHOD | --cache C.pc2] [--frame N] -o P.png [options]",
    "draw a shaded picture, or the whole clip, moving",
    "Draws one frame with soft shadows, or with .webp the whole clip. The camera frames what it is shown and\n"
    "is the same for every method.\n"
    "  pelt render hero.glb --frame 24 -o hero.png\n"
    "  pelt render hero.glb -m dqs --clip walk --size 640x480 -o walk.webp\n"
    "  pelt render hero.glb --colour stretch --wire --camera 90,10,2 -o stretch.png\n",
    options,
    run,
};

static int run(const CliCommand *command, int argc, char **argv)
{
    RenderRequest r = {.def = pelt_render_def_default()};
    r.quality = (double)r.def.quality;
    r.size[0] = r.def.width, r.size[1] = r.def.height;
    if (!cli_parse(command, argc, argv, &r))
        return PELT_BAD_ARGUMENT;
    if (!r.file)
        return cli_usage(command, "which file?");
    if (!r.output)
        return cli_usage(command, "nothing to write: give -o");
    if (!cli_keeps(command, CLI_FILES(r.file, r.motion, r.def.cache_path, r.def.skin.rig_path, r.def.scene_path),
                   CLI_FILES(r.output)))
        return PELT_BAD_ARGUMENT;
    r.def.quality = (float)r.quality;
    r.def.width = r.size[0], r.def.height = r.size[1];
    r.def.skin.settings = r.settings.items;
    r.def.skin.setting_count = r.settings.count;
    CliSession session;
    PeltRenderResult result = {0};
    PeltStatus status = cli_open_motion(&session, command, r.file, r.motion, r.quiet);
    r.def.skin.progress = cli_progress;
    r.def.skin.progress_user = &session.progress;
    if (status == PELT_OK)
        status = pelt_render(&r.def, session.who, r.output, &result, &session.err);
    int code = cli_close(&session, status);
    if (code == 0 && !r.quiet)
        printf("%s: %dx%d, %d frame%s, %zu bytes, drawn in %.2f s\n", r.output, r.def.width, r.def.height, result.frames,
               result.frames == 1 ? "" : "s", result.bytes, result.render_ms / 1000);
    return code;
}
