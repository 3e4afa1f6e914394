/// One distilling while it runs.
#ifndef PELTI_DISTIL_RUN_H
#define PELTI_DISTIL_RUN_H

#include "distil/error.h"
#include "distil/model.h"
#include "measure/measure.h"

#include <pelt/distil.h>

/// What a pose is judged with.
typedef struct PeltiDistilJudge {
    PeltiDistilDriven driven;
    Mat34 *matrices; ///< [bone_count + helper_count]
    PeltiTargetMix targets;
    Vec3 *vertices;                 ///< [vertex_count] scratch
    Vec3 *points, *original, *rest; ///< [point_count] distilled, by the original weights, with the file's own targets
    PeltiMeasure *measure;          ///< NULL: nobody reads it
} PeltiDistilJudge;

/// Poses that the skin was tried in: held-out ones, those learnt from, each clip.
typedef struct PeltiDistilTried {
    const char *name;
    bool is_clip, unseen;
    PeltiDistilErrors errors;
    int measured;               ///< poses
    double pairs[3], volume[3]; ///< sum of new crossing pairs, largest change of volume: method, distilled, original weights
    PeltDistilError error;
    Vec3 *worst[3]; ///< [point_count] the pose with the largest distance: method, distilled, original weights; NULL: no page
} PeltiDistilTried;

typedef struct PeltiDistilRun {
    const PeltDistilDef *def;
    const PeltCharacter *character;
    PeltiPool pool;
    PeltiLog log;
    PeltiJobs *jobs;
    PeltiDistilPoses poses;
    PeltiDistilSamplesDef samples_def;
    PeltiDistilSamples samples;
    PeltiWeights original; ///< of points
    PeltiDistilModel model;
    PeltiDistilSkin distilled;
    PeltiDistilJudge judge;
    int tried_count;
    PeltiDistilTried *tried; ///< held out, learnt, clips
    double fit_s;
    size_t bytes; ///< of weights and targets
} PeltiDistilRun;

/// Opens and closes what both commands need around their work.
typedef PeltStatus (*PeltiDistilWork)(PeltiDistilRun *run, PeltDistilResult *result, PeltError *err);
PeltStatus pelti_distil_run(const PeltDistilDef *def, const PeltCharacter *who, PeltiDistilWork work, PeltDistilResult *result,
                            PeltError *err);
/// Checks the request and makes the samples.
PeltStatus pelti_distil_open(PeltiDistilRun *run, int held_out, const char *keep_path, PeltError *err);
/// Tries the distilled skin beside the method and the original weights.
PeltStatus pelti_distil_judge(PeltiDistilRun *run, PeltError *err);
void pelti_distil_judge_close(PeltiDistilRun *run);
PeltStatus pelti_distil_page(PeltiDistilRun *run, PeltError *err);
PeltStatus pelti_distil_report(const PeltiDistilRun *run, PeltError *err);

#endif
