/// A study: several methods over one clip, every frame kept and measured, and pictures of any of it. What `pelt compare` and
/// `pelt demo` tell is taken from here.
#ifndef PELTI_TOOLS_STUDY_H
#define PELTI_TOOLS_STUDY_H

#include "tools/picture.h"

enum { PELTI_STUDY_METHODS = 12 };

typedef struct PeltiStudyPlace { ///< a vertex that stands out in a frame
    int vertex;                  ///< -1: none
    float value;
} PeltiStudyPlace;

typedef struct PeltiStudyFrame {
    double step_ms;
    PeltQuality measure;
    PeltiStudyPlace stretched, folded, deepest; ///< largest and smallest mean edge ratio; deepest inside another part
    PeltiStudyPlace away;                       ///< farthest from linear blending, share of the size
} PeltiStudyFrame;

typedef struct PeltiStudyMethod {
    char name[40];
    PeltStatus status; ///< not PELT_OK: could not be prepared, `why`
    char why[256];
    double prepare_ms;
    Vec3 *points;            ///< [frame_count x point_count]
    PeltiStudyFrame *frames; ///< [frame_count]
    PeltQuality quality;
    PeltVerdict verdict; ///< beside lbs, in words: verdict_text
    char verdict_text[400];
    bool resumed; ///< from an earlier run
} PeltiStudyMethod;

typedef struct PeltiStudy {
    const PeltCharacter *character;
    const char *file;  ///< as the user named it, for commands
    const char *parts; ///< folder for finished parts, so that an interrupted study goes on; NULL: none
    uint64_t key;      ///< of the character and the clip
    int clip;          ///< -1: none, one frame
    const char *clip_name;
    double fps;
    int frame_count;
    int method_count;
    PeltiStudyMethod methods[PELTI_STUDY_METHODS];
    int threads;
    PeltiJobs *jobs;
    PeltMeasure *measuring;
    PeltQuality lbs_quality; ///< known from the first method that was measured on; frames 0: not yet, or nothing to compare with
    PeltiPool pool;
    PeltiPose pose;
    PeltiGuide guide; ///< for cameras
    bool has_floor;
    Vec3 low, high; ///< of what stands on the floor in all frames; has_floor: found
    Vec3 *lbs;      ///< [frame_count x point_count] linear blending, the reference
    Vec3 *near;     ///< [frame_count x point_count] the chosen blend; NULL: it is `lbs`
    PeltiProgressSink progress;
} PeltiStudy;

typedef struct PeltiStudyDef { ///< as in PeltiStudy, which what it points to must outlive
    const PeltCharacter *character;
    const char *file, *clip; ///< clip NULL: the first
    double fps;
    int threads;
    const char *parts;
    PeltiProgressSink progress;
} PeltiStudyDef;
PeltStatus pelti_study_create(const PeltiStudyDef *def, PeltiStudy *out, PeltError *err);
void pelti_study_release(PeltiStudy *study);
/// Runs one method over the clip. A method that cannot be prepared is kept with its story; only being cancelled and want of
/// memory fail.
PeltStatus pelti_study_run(PeltiStudy *study, const char *method, PeltError *err);

/// The same in two steps, for methods side by side: room for one that is run later (its place is method_count - 1), and the run,
/// on this thread alone. Several may run at once, each another method, after pelti_study_run has run one: that measures linear
/// blending, too. `progress` may differ from thread to thread.
PeltStatus pelti_study_add(PeltiStudy *study, const char *method, PeltError *err);
PeltStatus pelti_study_run_beside(PeltiStudy *study, int method, const PeltiProgressSink *progress, PeltError *err);

/// Frames worth seeing, ascending: the worst of each measure over all methods, filled up evenly. Returns how many (<= most).
int pelti_study_frames(const PeltiStudy *study, int most, int *frames);

typedef enum PeltiStudyWorst { PELTI_WORST_FOLD, PELTI_WORST_STRETCH, PELTI_WORST_CROSSING } PeltiStudyWorst;
/// Where the worst of a kind is, over all methods; false: nowhere.
bool pelti_study_worst(const PeltiStudy *study, PeltiStudyWorst kind, int *method, int *frame, PeltiStudyPlace *place);

typedef struct PeltiStudyShot {
    int method, frame;
    const char *colour; ///< as --colour
    char camera[120];   ///< as --camera
    int width, height, samples;
} PeltiStudyShot;
/// The camera of a close-up of a place, written to shot->camera; looks from where the place is seen.
PeltStatus pelti_study_close_up(PeltiStudy *study, const PeltiStudyPlace *place, PeltiStudyShot *shot, PeltError *err);
PeltStatus pelti_study_draw(PeltiStudy *study, const PeltiStudyShot *shot, PeltiImage *out, PeltError *err);

/// A picture that is all set to be drawn: several may be, each on a thread of its own.
typedef struct PeltiStill {
    PeltRenderDef def;
    PeltiPicture picture;
    PeltiPictureFrame frame;
} PeltiStill;
bool pelti_still_shares(
    const PeltiStudyShot *shot); ///< it is coloured by what the study measures: one at a time, by pelti_study_draw
/// `out` must stay where it is.
PeltStatus pelti_still_open(PeltiStudy *study, const PeltiStudyShot *shot, PeltiStill *out, PeltError *err);
PeltStatus pelti_still_draw(PeltiStill *still, PeltiImage *out, PeltError *err); ///< on this thread alone
void pelti_still_close(PeltiStill *still);

/// The moving picture of a method (shot->frame is not looked at).
PeltStatus pelti_study_film(PeltiStudy *study, const PeltiStudyShot *shot, float quality, PeltiArray *bytes, PeltError *err);
/// The command that makes the same picture.
void pelti_study_command(const PeltiStudy *study, const PeltiStudyShot *shot, bool film, char *text, size_t size);

void pelti_study_pose(PeltiStudy *study, int frame); ///< study->pose of the clip at a frame
const Vec3 *pelti_study_points(const PeltiStudy *study, int method, int frame);

/// Bytes kept under `name` (in study->parts, with a key that changes with everything they depend on). False: not there.
bool pelti_study_recall(const PeltiStudy *study, const char *name, PeltiArray *bytes);
void pelti_study_keep(const PeltiStudy *study, const char *name, const void *data, size_t bytes);

#endif
