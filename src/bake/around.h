/// What a bake with --scene has around the character: the corrector between the clip and the method, the objects and what the
/// report tells of them.
#ifndef PELTI_BAKE_AROUND_H
#define PELTI_BAKE_AROUND_H

#include "bake/objects.h"
#include "contact/corrector.h"
#include "io/output.h"

typedef struct PeltiAroundContacts { ///< contacts with a force of one frame, into pelti_around_points
    int first, count;
    PeltiContactReport report;
    double ms;     ///< of the correction
    double pushed; ///< farthest that a shown point was moved out of an object, share of the size
} PeltiAroundContacts;

typedef struct PeltiAround PeltiAround;

typedef struct PeltiAroundScene { ///< one of the two
    const char *path;
    const PeltScene *scene; ///< outlives what is opened
} PeltiAroundScene;

/// Reads the scene and its other characters. `skin` is the first character's and gives its weights; both outlive it.
PeltStatus pelti_around_open(PeltiAroundScene source, const PeltSkin *skin, int frame_count, PeltiLog *log, PeltiAround **out,
                             PeltError *err);
void pelti_around_close(PeltiAround *around); ///< NULL is fine

typedef struct PeltiAroundFrame {
    double fps;
    int frame; ///< of the clip
    int index; ///< counted from the first
} PeltiAroundFrame;
/// One frame of the clip, whose pose is `pose`: the joints give way to the body itself and then to what is around, the method
/// makes the skin of that, and points that are still inside an object leave it. Returns the pose that the skin was made for, good
/// until the next step. `step_ms`: of the skin alone.
const PeltiPose *pelti_around_step_skin(PeltiAround *around, PeltSkin *skin, const PeltiPose *pose, PeltiAroundFrame at,
                                        PeltiStepReport *report, double *step_ms);

/// Objects, ground and other characters as a glTF result shows them, and where they are now.
const PeltiOutputObject *pelti_around_objects(const PeltiAround *around, int *count);
void pelti_around_place(PeltiAround *around, PeltiOutput *output);

const PeltiAroundContacts *pelti_around_frame(const PeltiAround *around, int frame_index);
const PeltiContactPoint *pelti_around_points(const PeltiAround *around);
/// Fails where memory for the contacts of a frame so far was refused.
PeltStatus pelti_around_check(const PeltiAround *around, PeltError *err);
int pelti_around_object_count(const PeltiAround *around); ///< of the scene file
const char *pelti_around_object_name(const PeltiAround *around, int object);
Vec3 pelti_around_object_at(const PeltiAround *around, int frame_index,
                            int object); ///< its centre (soft: the mean of its vertices)
/// The surface of an output object as it lies now, in world space; NULL vertices: none.
typedef struct PeltiAroundSurface {
    const char *name;
    int vertex_count, triangle_count;
    const Vec3 *x;
    const int (*triangles)[3];
    const float *colour;
} PeltiAroundSurface;
PeltiAroundSurface pelti_around_surface(const PeltiAround *around, int index);

#endif
