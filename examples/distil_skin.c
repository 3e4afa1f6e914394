/// Distils a character by budgets of a program's own, and takes the smallest that is good enough.
///   example_distil_skin hero.glb method out.glb largest_rms
#include <pelt/tools.h>

#include <stdio.h>
#include <stdlib.h>

static void tell(const char *poses, const PeltDistilError *error, void *user)
{
    (void)user;
    printf("  %s, %d poses: %.4g on average, %.4g at most (the file's weights: %.4g, %.4g)\n", poses, error->poses, error->rms,
           error->largest, error->original_rms, error->original_largest);
}

/// From few correctives to many; samples are made once and kept for the next budget.
static PeltStatus distil(const PeltCharacter *who, char **argv, double wanted, PeltError *err)
{
    static const int budgets[] = {0, 16, 32, 64};
    PeltDistilDef def = pelt_distil_def_default();
    PeltDistilResult result = {0};
    PeltStatus status = PELT_OK;
    char samples[1024];
    snprintf(samples, sizeof samples, "%s.samples", argv[3]);
    def.skin.method = argv[2];
    def.samples_path = samples;
    def.output = argv[3];
    def.poses = 200;
    def.told = tell;
    for (int i = 0; i < 4 && status == PELT_OK; i++) {
        def.correctives = budgets[i];
        printf("%d correctives:\n", budgets[i]);
        status = pelt_distil(&def, who, &result, err);
        if (status == PELT_OK && result.held_out.rms <= wanted)
            break;
    }
    remove(samples);
    if (status == PELT_OK)
        printf("%s: %d helpers, %d correctives, %zu bytes\n", argv[3], result.helpers, result.correctives, result.bytes);
    return status;
}

int main(int argc, char **argv)
{
    PeltError err = {0};
    PeltCharacter *who = NULL;
    if (argc < 5) {
        fprintf(stderr, "usage: %s hero.glb method out.glb largest_rms\n", argv[0]);
        return 1;
    }
    PeltStatus status = pelt_character_load(argv[1], NULL, &who, &err);
    if (status == PELT_OK)
        status = distil(who, argv, strtod(argv[4], NULL), &err);
    if (status != PELT_OK)
        fprintf(stderr, "%s\n", err.text);
    pelt_character_destroy(who);
    return (int)status;
}
