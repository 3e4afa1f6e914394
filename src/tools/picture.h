/// From a character's points to a scene and a picture: what both `pelt render` and the pages draw with.
#ifndef PELTI_TOOLS_PICTURE_H
#define PELTI_TOOLS_PICTURE_H

#include "bake/objects.h"
#include "bake/measuring.h"
#include "render/scene.h"

#include <pelt/render.h>

typedef enum PeltiPictureColouring {
    PELTI_COLOUR_CLAY,
    PELTI_COLOUR_STRETCH,
    PELTI_COLOUR_WEIGHTS,
    PELTI_COLOUR_PART,
    PELTI_COLOUR_CONTACT,
    PELTI_COLOUR_DISTANCE ///< to linear blending
} PeltiPictureColouring;

/// How frames are drawn: one for a run of pictures that belong together.
typedef struct PeltiPicture {
    const PeltCharacter *character;
    const PeltRenderDef *def;
    PeltiJobs *jobs;
    PeltiPool pool;
    PeltiPictureColouring colouring;
    PeltiLookBackground background;
    PeltiView view;
    PeltiFraming framing;
    Vec3 low, high;        ///< of all points shown to it
    Vec3 *vertices;        ///< [vertex_count] of the frame
    Vec3 *colours;         ///< [vertex_count]
    float *values;         ///< [vertex_count]
    PeltiMeasure *measure; ///< for stretch and contact; NULL: not needed
    bool owns_measure;
    int name_count; ///< of the legend for parts
    const char **names;
    int *name_category;
} PeltiPicture;

/// Reads and checks the drawing part of `def`, which must outlive it, as must `jobs`. `measure` of the same character saves
/// making one; it loses its memory of frames. NULL: made when needed.
PeltStatus pelti_picture_create(const PeltRenderDef *def, const PeltCharacter *character, PeltiJobs *jobs, PeltiMeasure *measure,
                                PeltiPicture *out, PeltError *err);
void pelti_picture_release(PeltiPicture *picture);

/// Points the camera must show, and the floor must be under; as often as wanted before the first draw.
void pelti_picture_show(PeltiPicture *picture, const Vec3 *points);

/// One frame. All but `points` may be NULL.
typedef struct PeltiPictureFrame {
    const Vec3 *points; ///< [point_count]
    PeltSkin *skin;     ///< that made them: for weights, the inside, forces and the field
    const Vec3 *beside; ///< [point_count] another skin in the same pose, for the distance to it: lbs, or what was distilled
    const Vec3 *near;   ///< [point_count] the distance is to the nearer of `beside` and this; NULL: to `beside`
    const char *distance_title;       ///< of the distance: to whom, in what
    float distance_most;              ///< % of the size at the end of its colours; 0: 5
    const struct PeltiAround *around; ///< objects around it; NULL: none
    int around_frame;
    const char *title, *note;
    int samples; ///< 0: as the def says
} PeltiPictureFrame;

/// Who the camera follows: linear and dual quaternion blending of the same pose, so that every method is seen from the same
/// place and neither's bulges are cut off. Characters whose weights must be made are followed by linear blending alone.
typedef struct PeltiGuide {
    PeltSkin *lbs, *dqs; ///< dqs NULL: not followed
    PeltSkin *chosen;    ///< the chosen blend, of which distances are told too; NULL: it is `lbs`
    bool measured;       ///< `lbs` is the reference of all measures; else it blends by the weights that the trial chose
} PeltiGuide;
/// `shows_weights`: of the chosen weights, whatever the file has.
PeltStatus pelti_guide_create(PeltiGuide *guide, const PeltCharacter *character, bool shows_weights, int threads, PeltError *err);
void pelti_guide_release(PeltiGuide *guide);
void pelti_guide_step(PeltiGuide *guide, const PeltiPose *pose);
/// What a picture of distances to its blends says they are.
const char *pelti_guide_title(const PeltiGuide *guide);
/// The frame's distances are to the blends of the last step.
void pelti_guide_compare(const PeltiGuide *guide, PeltiPictureFrame *frame);
void pelti_guide_show(const PeltiGuide *guide, PeltiPicture *picture, bool only_floor);

PeltStatus pelti_picture_draw(PeltiPicture *picture, const PeltiPictureFrame *frame, PeltiImage *out, PeltError *err);

#endif
