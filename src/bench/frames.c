/// Where a frame's time goes, method by method: a bend of the built-in biped as a host would step it, with all defaults.
#include "bench/bench.h"

#include <pelt/character.h>
#include <pelt/make.h>
#include <pelt/skin.h>

#include <stdio.h>
#include <string.h>

enum { MOST_STAGES = 12 };

typedef struct StageTimes {
    int count;
    char name[MOST_STAGES][32];
    double ms[MOST_STAGES]; ///< of all frames
    double whole;
} StageTimes;

static void add_stage(StageTimes *s, const char *name, double ms)
{
    int k = 0;
    while (k < s->count && strcmp(s->name[k], name))
        k++;
    if (k == MOST_STAGES)
        return;
    if (k == s->count)
        snprintf(s->name[s->count++], sizeof s->name[0], "%s", name);
    s->ms[k] += ms;
}

/// Stages are what a step's report gives as NAME_ms; a dynamic method's are of one of its time steps, NAME_step_ms.
static void add_frame(StageTimes *s, const PeltStepInfo *info, double ms)
{
    s->whole += ms;
    for (int k = 0; k < info->stat_count; k++) {
        char name[32];
        snprintf(name, sizeof name, "%s", info->stats[k].name);
        char *end = strstr(name, "_ms");
        if (!end || end[3] || strstr(name, "most") || strstr(name, "best"))
            continue;
        *end = 0;
        char *step = strstr(name, "_step");
        double times = step && !step[5] ? info->substeps : 1;
        if (step && !step[5])
            *step = 0;
        add_stage(s, name, info->stats[k].value * times);
    }
}

static bool play(const PeltCharacter *who, const char *method, int threads, int frames, StageTimes *out)
{
    PeltSkinDef def = pelt_skin_def_default();
    PeltSkin *skin = NULL;
    PeltPose *pose = NULL;
    def.method = method, def.threads = threads;
    bool done = pelt_skin_create(&def, who, &skin, NULL) == PELT_OK && pelt_pose_create(who, &pose, NULL) == PELT_OK;
    int clip = pelt_character_clip_find(who, "bend");
    for (int f = 0; f <= frames && done; f++) { // the first settles
        PeltStepInfo info;
        pelt_pose_from_clip(pose, clip < 0 ? 0 : clip, 0.5 + f / 30.0);
        double start = pelti_clock_ms();
        pelt_skin_step(skin, pose, 1.0f / 30, &info);
        if (f > 0)
            add_frame(out, &info, pelti_clock_ms() - start);
    }
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    return done;
}

void pelti_bench_frames(PeltiBench *bench)
{
    PeltMakeDef make = pelt_make_def_default();
    PeltCharacter *who = NULL;
    bool quick = pelti_bench_quick(bench);
    int frames = quick ? 4 : 12;
    make.name = "biped", make.vertices = quick ? 1500 : 5000;
    if (pelt_make_character(&make, &who, NULL) != PELT_OK)
        return;
    for (int m = 0; m < pelt_method_count(); m++) {
        StageTimes s = {0};
        char label[72];
        snprintf(label, sizeof label, "%s, a frame of 1/30 s", pelt_method_name(m));
        if (!pelti_bench_wants(bench, "%s", label) || !play(who, pelt_method_name(m), pelti_bench_threads(bench), frames, &s))
            continue;
        pelti_bench_row(bench, label, (PeltiBenchFigure){.value = s.whole / frames, .unit = "ms"},
                        "biped of %d vertices bends, %d frames, all defaults", make.vertices, frames);
        double rest = s.whole;
        for (int k = 0; k < s.count; k++) {
            if (s.ms[k] > 0.001 * s.whole)
                pelti_bench_part(bench, s.name[k], s.ms[k] / frames);
            rest -= s.ms[k];
        }
        if (rest > 0.001 * s.whole)
            pelti_bench_part(bench, s.count ? "rest" : "all", rest / frames);
    }
    pelt_character_destroy(who);
}
