/// Compares what methods and the contact corrector make of built-in characters with what is kept of it, and renews that.
/// Kept is a hash of all bytes of all frames, and probes, a few points of skin and objects in a few frames, from which one can
/// tell what moved and by how much.
///   goldens FILE               compares with the file: bytes, and says what moved       (`make test` runs it)
///   goldens --near FILE        compares the probes only, to a tolerance                 (the scalar build)
///   goldens --renew FILE       writes the file anew and says what moved                 (`make goldens`)
///   goldens --hash             prints the hashes alone                                  (one set of threads against another)
/// with --skip TEXT (none whose name holds it), --threads N (1) and --folder F (.), where the characters are kept: made by the
/// first run, read by the others.
#include "golden.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What the scalar build may differ by, shares of the character's size: the farthest probe and the mean of all. It takes 1/sqrt
/// by division where the wide one takes Newton's steps: a unit in the last place. Where flesh touches, in the bend and in a hand
/// around a ball, that unit decides which of two sides touches first; on the dressed arm's body it decides nothing. Allowed is
/// some times what was measured: docs/architecture.md has both, and reads what is allowed here.
typedef struct Tolerance {
    double most, mean;
} Tolerance;

static Tolerance tolerance(const char *name)
{
    static const struct {
        const char *part; // of a golden's name: the first that it has is its own
        Tolerance allowed;
    } all[] = {
        {"bend-layered", {6e-3, 6e-4}},     {"layered", {2e-5, 2e-6}},    {"bend-projective", {3e-3, 1e-4}},
        {"grasp-projective", {9e-5, 9e-6}}, {"projective", {6e-6, 1e-6}}, {"", {1e-6, 4e-7}},
    };
    int i = 0;
    while (!strstr(name, all[i].part))
        i++;
    return all[i].allowed;
}

static const char *compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

static bool read_golden(FILE *file, Golden *out)
{
    char line[256];
    int got = 0;
    *out = (Golden){0};
    while (got == 0 && fgets(line, sizeof line, file))
        if (line[0] != '#' && line[0] != '\n')
            got = sscanf(line, "%63s %" SCNx64 " %d points %d frames, size %g", out->name, &out->hash, &out->points, &out->frames,
                         &out->size);
    if (got != 5)
        return false;
    for (; fgets(line, sizeof line, file) && line[0] == ' '; out->probes++) {
        float *p = out->probes < (int)(sizeof out->probe / sizeof *out->probe) ? out->probe[out->probes] : NULL;
        if (!p || sscanf(line, " %*d %*s %f %f %f", &p[0], &p[1], &p[2]) != 3)
            return false;
    }
    return true;
}

static const char *of_objects(int probe)
{
    return probe < SKIN_PROBES ? "" : "o"; // before the number of a point of the objects
}

static void write_golden(FILE *file, const Golden *g)
{
    fprintf(file, "\n%s %016" PRIx64 " %d points %d frames, size %.5g\n", g->name, g->hash, g->points, g->frames,
            (double)g->size);
    for (int i = 0; i < g->probes; i++)
        fprintf(file, " %d %s%d %.9g %.9g %.9g\n", golden_frame(g, i), of_objects(i), golden_point(g, i), (double)g->probe[i][0],
                (double)g->probe[i][1], (double)g->probe[i][2]);
}

/// Says what moved between two; returns the farthest and the mean move of the probes, shares of the size.
static Tolerance say_moved(const Golden *was, const Golden *now)
{
    if (was->points != now->points || was->frames != now->frames || was->probes != now->probes) {
        printf("%-20s another mesh, clip or scene: %d points %d frames %d probes, was %d, %d and %d\n", now->name, now->points,
               now->frames, now->probes, was->points, was->frames, was->probes);
        return (Tolerance){INFINITY, INFINITY};
    }
    double most = 0, sum = 0;
    int worst = 0, count = now->probes;
    for (int i = 0; i < count; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++)
            square += pow((double)now->probe[i][k] - (double)was->probe[i][k], 2);
        double far = sqrt(square) / (double)now->size;
        sum += far;
        if (!(far <= most)) {
            most = far;
            worst = i;
        }
    }
    printf("%-20s moved: most %.2g %% of the size (point %s%d, frame %d), mean %.2g %%, over %d probes%s\n", now->name,
           100 * most, of_objects(worst), golden_point(now, worst), golden_frame(now, worst), 100 * sum / count, count,
           most == 0 ? ": elsewhere" : "");
    return (Tolerance){most, sum / count};
}

static bool find(FILE *file, const char *name, Golden *out)
{
    rewind(file);
    while (read_golden(file, out))
        if (strcmp(out->name, name) == 0)
            return true;
    return false;
}

/// True where `now` is as the file says: byte for byte, or `near`, within the tolerance.
static bool compare(FILE *file, const Golden *now, bool near)
{
    Golden was;
    if (!file || !find(file, now->name, &was)) {
        printf("%-20s new\n", now->name);
        return false;
    }
    if (was.hash == now->hash)
        return true;
    Tolerance moved = say_moved(&was, now), allowed = tolerance(now->name);
    if (!near)
        return false;
    bool within = moved.most <= allowed.most && moved.mean <= allowed.mean;
    if (!within)
        printf("%-20s more than the %.2g %% and in the mean %.2g %% allowed\n", now->name, 100 * allowed.most,
               100 * allowed.mean);
    return within;
}

/// Says which goldens the file has that nobody makes any more; true where there is one.
static bool say_gone(FILE *file, int count, const Golden *all)
{
    Golden was;
    bool gone = false;
    for (rewind(file); read_golden(file, &was);) {
        int i = 0;
        while (i < count && strcmp(all[i].name, was.name) != 0)
            i++;
        if (i == count)
            printf("%-20s gone\n", was.name);
        gone |= i == count;
    }
    return gone;
}

static int renew(const char *path, int count, const Golden *all)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "goldens: cannot write %s\n", path);
        return 1;
    }
    fprintf(file,
            "# What the methods make of built-in characters: name, hash of all bytes, then probes (frame, point, position).\n"
            "# Written by `make goldens` with %s; bytes do not depend on processor or threads.\n",
            compiler());
    for (int i = 0; i < count; i++)
        write_golden(file, &all[i]);
    return fclose(file) == 0 ? 0 : 1;
}

static int usage(void)
{
    fprintf(stderr, "usage: goldens [--near | --renew | --hash] [--skip TEXT] [--threads N] [--folder F] [FILE]\n");
    return 1;
}

int main(int argc, char **argv)
{
    const char *path = NULL, *folder = ".", *skip = NULL;
    bool near = false, anew = false, hash = false, same = true;
    int threads = 1;
    for (int i = 1; i < argc; i++) {
        near |= strcmp(argv[i], "--near") == 0;
        anew |= strcmp(argv[i], "--renew") == 0;
        hash |= strcmp(argv[i], "--hash") == 0;
        if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc)
            threads = atoi(argv[++i]);
        else if (strcmp(argv[i], "--skip") == 0 && i + 1 < argc)
            skip = argv[++i];
        else if (strcmp(argv[i], "--folder") == 0 && i + 1 < argc)
            folder = argv[++i];
        else if (argv[i][0] != '-')
            path = argv[i];
    }
    if ((!path && !hash) || (skip && anew))
        return usage();
    int count = golden_count();
    Golden *all = calloc((size_t)count, sizeof *all);
    FILE *file = path ? fopen(path, "r") : NULL;
    bool made = all != NULL;
    for (int i = 0; i < count && made; i++) {
        char name[sizeof all->name];
        golden_name(i, name, sizeof name);
        if (skip && strstr(name, skip))
            continue;
        made = golden_make(i, folder, threads, &all[i]);
        if (made && hash)
            printf("%s %016" PRIx64 "\n", all[i].name, all[i].hash);
        else if (made)
            same = compare(file, &all[i], near) && same;
    }
    if (file && made && !skip && !hash)
        same = !say_gone(file, count, all) && same;
    if (file)
        fclose(file);
    int result = !made || (!anew && !same && !hash);
    if (made && anew)
        result = renew(path, count, all);
    if (made && anew && same)
        printf("nothing moved\n");
    else if (made && result)
        printf("goldens differ (this is %s). Where that is meant: make goldens, and say in the commit what moved and why\n",
               compiler());
    free(all);
    return result;
}
