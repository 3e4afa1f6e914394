#include "cli.h"

#include <stdio.h>
#include <string.h>

static int run(const CliCommand *command, int argc, char **argv);

enum {
    METHOD,
    OUTPUT,
    CACHE,
    CLIP,
    FPS,
    FRAME,
    FRAMES,
    REST,
    SIZE,
    CAMERA,
    ORTHO,
    COLOUR,
    WIRE,
    INSIDE,
    SECTION,
    FORCES,
    BACKGROUND,
    NO_GROUND,
    TITLE,
    SAMPLES,
    QUALITY,
    SET,
    RIG,
    SCENE,
    THREADS,
    QUIET
};
static const CliOption options[] = {
    [METHOD] = {"method", 'm', "NAME", "how the skin is made: `pelt methods` lists them"},
    [OUTPUT] = {"output", 'o', "FILE", ".png, or .webp: the whole clip, moving (a still with --frame)"},
    [CACHE] = {"cache", 0, "C.pc2", "show this cache (.pc2, .mdd) in place of a method's work"},
    [CLIP] = {"clip", 0, "NAME|INDEX", "which animation (default: the first)"},
    [FPS] = {"fps", 0, "F", "frames a second (default 30)"},
    [FRAME] = {"frame", 0, "N", "which frame (default: 0 for .png, all for .webp)"},
    [FRAMES] = {"frames", 0, "A:B", ".webp: only these frames, inclusive"},
    [REST] = {"rest", 0, NULL, "the rest pose in place of a frame"},
    [SIZE] = {"size", 0, "WxH", "pixels (default 1280x960)"},
    [CAMERA] = {"camera", 0, "VIEW",
                "front, back, left, right, top, three-quarter (default) or azimuth,elevation[,zoom[,x,y,z]]"},
    [ORTHO] = {"orthographic", 0, NULL, "no perspective"},
    [COLOUR] = {"colour", 0, "WHAT", "clay (default), stretch, weights, part, contact, distance (to lbs)"},
    [WIRE] = {"wire", 0, NULL, "edges of the triangles"},
    [INSIDE] = {"inside", 0, NULL, "bones, layers and what else the method has inside, through the skin"},
    [SECTION] = {"section", 0, "PLANE", "cut through the method's field: x, y or z, moved by a share of the size: z=0.1"},
    [FORCES] = {"forces", 0, NULL, "arrows, of a method or a scene that has forces"},
    [BACKGROUND] = {"background", 0, "WHICH", "light (default), dark, none (transparent)"},
    [NO_GROUND] = {"no-ground", 0, NULL, "no floor for shadows"},
    [TITLE] = {"title", 0, "TEXT", "written at the top left"},
    [SAMPLES] = {"samples", 0, "N", "rays a pixel, 1 to 64 (default 4; moving 2)"},
    [QUALITY] = {"quality", 0, "Q", "of .webp, 0 to 100 (default 82)"},
    [SET] = {"set", 0, "KEY=VALUE", "an option of the method; may be given several times"},
    [RIG] = {"rig", 0, "X.json", "what an artist adds (docs/rig.md)"},
    [SCENE] = {"scene", 0, "S.json", "the world the character touches (docs/contact.md)"},
    [THREADS] = {"threads", 0, "N", "0: as many as there are (default); the picture does not depend on it"},
    [QUIET] = {"quiet", 'q', NULL, "no progress, no summary"},
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

enum { MOST_SETTINGS = 64 };
typedef struct Request {
    const char *file, *output;
    const char *settings[MOST_SETTINGS];
    bool quiet;
    PeltRenderDef def;
} Request;

static bool read_pair(const CliCommand *command, const char *text, const char *name, const char *format, int *a, int *b)
{
    char rest;
    if (sscanf(text, format, a, b, &rest) == 2)
        return true;
    cli_usage(command, "--%s: '%s' is not understood", name, text);
    return false;
}

static bool take_number(const CliCommand *command, Request *r, int option, const char *value)
{
    double number;
    switch (option) {
    case FPS:
        return cli_double(command, value, "--fps", &r->def.fps);
    case FRAME:
        if (!cli_int(command, value, "--frame", &r->def.frame))
            return false;
        if (r->def.frame >= 0)
            return true;
        cli_usage(command, "--frame: frames start at 0");
        return false;
    case FRAMES:
        return read_pair(command, value, "frames", "%d:%d%c", &r->def.first_frame, &r->def.last_frame);
    case SIZE:
        return read_pair(command, value, "size", "%dx%d%c", &r->def.width, &r->def.height);
    case SAMPLES:
        return cli_int(command, value, "--samples", &r->def.samples);
    case QUALITY:
        if (!cli_double(command, value, "--quality", &number))
            return false;
        r->def.quality = (float)number;
        return true;
    default:
        return cli_int(command, value, "--threads", &r->def.skin.threads);
    }
}

static bool take(const CliCommand *command, Request *r, int option, const char *value)
{
    const char **text = option == METHOD       ? &r->def.skin.method
                        : option == OUTPUT     ? &r->output
                        : option == CACHE      ? &r->def.cache_path
                        : option == CLIP       ? &r->def.clip
                        : option == CAMERA     ? &r->def.camera
                        : option == COLOUR     ? &r->def.colour
                        : option == SECTION    ? &r->def.section
                        : option == BACKGROUND ? &r->def.background
                        : option == TITLE      ? &r->def.title
                        : option == RIG        ? &r->def.skin.rig_path
                        : option == SCENE      ? &r->def.scene_path
                                               : NULL;
    int *flag = option == REST        ? &r->def.rest
                : option == ORTHO     ? &r->def.orthographic
                : option == WIRE      ? &r->def.wire
                : option == INSIDE    ? &r->def.inside
                : option == FORCES    ? &r->def.forces
                : option == NO_GROUND ? &r->def.no_ground
                                      : NULL;
    if (text)
        *text = value;
    else if (flag)
        *flag = 1;
    else if (option == QUIET)
        r->quiet = true;
    else if (option == SET) {
        if (r->def.skin.setting_count == MOST_SETTINGS) {
            cli_usage(command, "too many --set (at most %d)", MOST_SETTINGS);
            return false;
        }
        r->settings[r->def.skin.setting_count++] = value;
    } else if (option == CLI_POSITIONAL) {
        if (r->file) {
            cli_usage(command, "one file at a time, not also %s", value);
            return false;
        }
        r->file = value;
    } else
        return take_number(command, r, option, value);
    return true;
}

static int run(const CliCommand *command, int argc, char **argv)
{
    Request r = {.def = pelt_render_def_default()};
    r.def.skin.settings = r.settings;
    CliArgs args = cli_args(command, argc, argv);
    for (int option; (option = cli_next(&args)) != CLI_END;)
        if (!take(command, &r, option, args.value))
            return PELT_BAD_ARGUMENT;
    if (args.failed)
        return PELT_BAD_ARGUMENT;
    if (!r.file)
        return cli_usage(command, "which file?");
    if (!r.output)
        return cli_usage(command, "nothing to write: give -o");
    PeltError err = {0};
    PeltCharacter *who = NULL;
    PeltRenderResult result;
    CliProgress progress = cli_progress_start(r.quiet);
    r.def.skin.progress = cli_progress;
    r.def.skin.progress_user = &progress;
    cli_catch_interrupts();
    PeltStatus status = pelt_character_load(r.file, NULL, &who, &err);
    if (status == PELT_OK)
        status = pelt_render(&r.def, who, r.output, &result, &err);
    cli_progress_end(&progress);
    pelt_character_destroy(who);
    if (status != PELT_OK)
        return cli_fail_error(command, &err);
    if (!r.quiet)
        printf("%s: %dx%d, %d frame%s, %zu bytes, drawn in %.2f s\n", r.output, r.def.width, r.def.height, result.frames,
               result.frames == 1 ? "" : "s", result.bytes, result.render_ms / 1000);
    return 0;
}
