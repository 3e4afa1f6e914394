/// Measures a skin while it plays, beside linear blending: worse, as good, or better, and by what.
///   example_measure_skin hero.glb [method] [clip]
#include <pelt/pelt.h>

#include <stdio.h>

static PeltStatus measure(const PeltCharacter *who, const char *method, int clip, PeltError *err)
{
    PeltSkinDef def = pelt_skin_def_default();
    def.method = method;
    PeltSkin *skin = NULL;
    PeltPose *pose = NULL;
    PeltMeasure *measure = NULL;
    PeltStatus status = pelt_skin_create(&def, who, &skin, err);
    if (status == PELT_OK)
        status = pelt_pose_create(who, &pose, err);
    if (status == PELT_OK)
        status = pelt_measure_create(who, 0, &measure, err);
    for (int f = 0, frames = clip >= 0 ? pelt_character_clip_frames(who, clip, 30) : 1; status == PELT_OK && f < frames; f++) {
        if (clip >= 0)
            pelt_pose_from_clip(pose, clip, f / 30.0);
        pelt_skin_step(skin, pose, 1 / 30.0f, NULL);
        PeltQuality frame;
        pelt_measure_frame(measure, pose, pelt_skin_positions(skin), &frame);
        if (frame.deep_pairs > 0)
            printf("frame %d: %d deep pairs, %.2f %% of the size from lbs\n", f, frame.deep_pairs, 100 * frame.flown);
    }
    if (status == PELT_OK) {
        PeltQuality all = pelt_measure_quality(measure);
        char verdict[400];
        pelt_measure_verdict(measure, verdict, sizeof verdict);
        printf("%d frames, stretch up to %.2f, volume %.3f to %.3f\n%s\n", all.frames, all.stretch_max, all.volume_ratio_min,
               all.volume_ratio_max, verdict);
        for (int i = 0; i < pelt_measure_component_count(measure); i++) {
            PeltComponentQuality part = pelt_measure_component(measure, i);
            printf("closed part %d (%d vertices): volume %.3f to %.3f\n", part.component, part.vertices, part.ratio_min,
                   part.ratio_max);
        }
    }
    if (status == PELT_OK) { // a number a point, as heat maps want it
        const float *stretch = pelt_measure_map(measure, PELT_MEASURE_STRETCH);
        int most = 0;
        for (int p = 1; p < pelt_character_info(who).point_count; p++)
            most = stretch[p] > stretch[most] ? p : most;
        printf("in the last frame point %d is stretched the most: %.2f\n", most, (double)stretch[most]);
    }
    pelt_measure_destroy(measure);
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s CHARACTER.glb [METHOD] [CLIP]\n", argv[0]);
        return 1;
    }
    PeltError err = {0};
    PeltCharacter *who = NULL;
    PeltStatus status = pelt_character_load(argv[1], NULL, &who, &err);
    if (status == PELT_OK) {
        int clip = argc > 3 ? pelt_character_clip_find(who, argv[3]) : pelt_character_info(who).clip_count ? 0 : -1;
        status = measure(who, argc > 2 ? argv[2] : "dqs", clip, &err);
    }
    if (status != PELT_OK)
        fprintf(stderr, "%s\n", err.text);
    pelt_character_destroy(who);
    return (int)status;
}
