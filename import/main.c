/// `pelt-import`: one file in, plain .glb out, within limits of memory and time.
#include "import.h"

#include "io/import.h"

#include <stdarg.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

/// Whatever a damaged file makes the readers do ends here: memory, processor time and output grow with the file.
static void set_limits(const char *path)
{
    struct stat facts = {0};
    stat(path, &facts);
    rlim_t size = (rlim_t)facts.st_size;
    const struct {
        int what;
        rlim_t most;
    } limits[] = {
#if !PELT_SANITIZED                                 // a sanitizer maps terabytes that it never touches
        {RLIMIT_AS, ((rlim_t)2 << 30) + 40 * size}, // bytes
#endif
        {RLIMIT_CPU, 60 + size / 1000000}, // s
        {RLIMIT_FSIZE, ((rlim_t)256 << 20) + 40 * size},
        {RLIMIT_CORE, 0},
        {RLIMIT_NOFILE, 64}
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        setrlimit(limits[i].what, &(struct rlimit){limits[i].most, limits[i].most});
}

static char notes[1800];

void import_note(const char *code, const char *format, ...)
{
    size_t used = strlen(notes);
    va_list args;
    int length = snprintf(notes + used, sizeof notes - used, "%s: ", code);
    va_start(args, format);
    if (length > 0 && used + (size_t)length < sizeof notes - 200) { // whole lines only
        vsnprintf(notes + used + length, 190, format, args);
        for (char *c = notes + used; *c; c++)
            *c = *c == '\n' ? ' ' : *c;
        snprintf(notes + strlen(notes), sizeof notes - strlen(notes), "\n");
    } else {
        notes[used] = 0;
    }
    va_end(args);
}

PeltStatus import_write(PeltiGltfOut *out, FILE *to, PeltError *err)
{
    PeltiFile file = {.stream = to};
    PELT_TRY(pelti_gltf_out_write(out, &file, true, err));
    if (fflush(to) != 0)
        return PELT_FAIL(err, PELT_IO, "the result cannot be written: it is too large");
    return PELT_OK;
}

int main(int argc, char **argv)
{
    PeltError err = {0};
    if (argc != 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        fprintf(
            argc == 2 ? stdout : stderr,
            "usage: pelt-import FILE > F.glb\n\nTurns FBX, Collada and compressed glTF into plain .glb; pelt runs it by itself.\n"
            "exit codes: 0 done, 1 command line, 2 input/output, 3 invalid input, 5 unsupported\n");
        return argc == 2 ? 0 : 1;
    }
    set_limits(argv[1]);
    PeltStatus status =
        pelti_import_is_foreign(argv[1]) ? import_scene(argv[1], stdout, &err) : import_packed(argv[1], stdout, &err);
    if (status != PELT_OK)
        fprintf(stderr, "%s\n", err.text);
    else
        fputs(notes, stderr);
    return (int)status;
}
