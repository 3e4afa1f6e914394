/// Bakes one clip of a character to files: the library's version of `pelt bake`.
///   example_bake_clip hero.glb out.pc2 [clip]
#include <pelt/pelt.h>

#include <stdio.h>

static int show_progress(const char *stage, double share, void *user)
{
    (void)user;
    fprintf(stderr, "\r%s %3.0f %%", stage, share * 100);
    return 0; // anything else would cancel
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: %s CHARACTER.glb OUT.pc2 [CLIP]\n", argv[0]);
        return 1;
    }
    PeltError err = {0};
    PeltCharacter *who = NULL;
    if (pelt_character_load(argv[1], NULL, &who, &err) != PELT_OK) {
        fprintf(stderr, "%s\n", err.text);
        return (int)err.status;
    }
    const char *outputs[] = {argv[2]};
    PeltBakeDef def = pelt_bake_def_default();
    def.outputs = outputs;
    def.output_count = 1;
    def.clip = argc > 3 ? argv[3] : NULL;
    def.skin.method = "dqs";
    def.skin.progress = show_progress;

    PeltBakeResult result;
    PeltStatus status = pelt_bake(&def, who, &result, &err);
    if (status == PELT_OK)
        printf("\n%d frames, %.3f ms each\n", result.frames, result.step_mean_ms);
    else
        fprintf(stderr, "\n%s\n", err.text);
    pelt_character_destroy(who);
    return (int)status;
}
