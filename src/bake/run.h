/// One bake while it runs: what bake.c does and report.c tells.
#ifndef PELTI_BAKE_RUN_H
#define PELTI_BAKE_RUN_H

#include "bake/measuring.h"
#include "bake/around.h"
#include "io/output.h"

typedef struct PeltiRunFrame {
    int frame; ///< of the clip
    double step_ms, substep_ms;
    int substeps, nonfinite;
    PeltQuality quality; ///< frames 0 where nothing is measured
} PeltiRunFrame;

typedef struct PeltiRun {
    const PeltBakeDef *def;
    const PeltCharacter *character;
    PeltiPool pool;
    PeltiLog log; ///< of the outputs
    int clip;     ///< -1: the file has none, the pose is the file's
    int first, count;
    PeltSkin *skin;
    PeltMeasure *measure; ///< NULL: not asked for
    PeltiAround *around;  ///< --scene; NULL: none
    PeltiOutput *output;
    PeltiFile report; ///< appears with the outputs; not open: none is asked for
    bool plays_pose;  ///< the frames of the output bring poses
    bool wants_normals;
    PeltiPose pose;                 ///< the clip's, which measures compare in
    PeltiRunFrame *records;         ///< [count]
    PeltStat stats[PELT_MAX_STATS]; ///< merged over frames
    int stat_count;
    int stat_frames[PELT_MAX_STATS];
    PeltiOutputReport written;
    double total_ms;
} PeltiRun;

/// Mean, median, 95th percentile and maximum of the step times.
typedef struct PeltiRunTimes {
    double mean, p50, p95, max;
} PeltiRunTimes;
PeltiRunTimes pelti_run_times(const PeltiRun *run);

/// Parts of the report that other documents share.
PeltiJson *pelti_report_mesh(const PeltCharacterInfo *info, bool *ok);
PeltiJson *pelti_report_quality(const PeltQuality *quality, bool *ok);
void pelti_report_verdict(PeltiJson *quality, PeltVerdict verdict, const char *text, bool *ok);
/// All a measuring object tells: the clip's measures, the verdict that is given, lbs's own, closed components.
PeltiJson *pelti_report_measured(const PeltMeasure *measure, PeltVerdict verdict, const char *text, bool *ok);
/// The verdict of what was measured, with a word of it where objects were around.
PeltVerdict pelti_run_verdict(const PeltiRun *run, char *text, size_t size);
void pelti_report_frame_quality(PeltiJson *frame, const PeltQuality *quality, bool *ok);
void pelti_report_warnings(PeltiJson *list, const PeltiLog *log, bool *ok);

/// Writes the report (docs/report.md), and completes the file.
PeltStatus pelti_report_write(const PeltiRun *run, PeltiFile *file, PeltError *err);

#endif
