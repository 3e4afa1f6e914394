/// A bake in a world (--scene): the corrector between the clip and the method, the objects and what the report tells of them.
#ifndef PELTI_BAKE_WORLD_H
#define PELTI_BAKE_WORLD_H

#include "bake/objects.h"
#include "contact/corrector.h"
#include "io/output.h"

typedef struct PeltiContactFrame { ///< contacts with a force of one frame, into `points` of the world
    int first, count;
    PeltiContactReport report;
    double ms;     ///< of the correction
    double pushed; ///< farthest that a shown point was moved out of an object, share of the size
} PeltiContactFrame;

typedef struct PeltiBakeWorld PeltiBakeWorld;

typedef struct PeltiSceneSource { ///< one of the two
    const char *path;
    const PeltScene *scene; ///< outlives the world
} PeltiSceneSource;

/// Reads the scene and its other characters. `skin` is the first character's and gives its weights; both outlive it.
PeltStatus pelti_world_open(PeltiSceneSource source, const PeltSkin *skin, int frame_count, PeltiLog *log, PeltiBakeWorld **out,
                            PeltError *err);
void pelti_world_close(PeltiBakeWorld *world); ///< NULL is fine

typedef struct PeltiWorldFrame {
    double fps;
    int frame; ///< of the clip
    int index; ///< counted from the first
} PeltiWorldFrame;
/// One frame: the joints give way to the body itself and then to the world (`pose` is corrected in place), the method makes the
/// skin of it, and points that are still inside an object leave it. `step_ms`: of the skin, without the world.
void pelti_world_step_skin(PeltiBakeWorld *world, PeltSkin *skin, PeltiPose *pose, PeltiWorldFrame at, PeltiStepReport *report,
                           double *step_ms);

/// Objects, ground and other characters as a glTF result shows them, and where they are now.
const PeltiOutputObject *pelti_world_objects(const PeltiBakeWorld *world, int *count);
void pelti_world_place(PeltiBakeWorld *world, PeltiOutput *output);

const PeltiContactFrame *pelti_world_frame(const PeltiBakeWorld *world, int frame_index);
const PeltiContactPoint *pelti_world_points(const PeltiBakeWorld *world);
/// Fails where memory for the contacts of a frame so far was refused.
PeltStatus pelti_world_check(const PeltiBakeWorld *world, PeltError *err);
int pelti_world_object_count(const PeltiBakeWorld *world); ///< of the scene file
const char *pelti_world_object_name(const PeltiBakeWorld *world, int object);
Vec3 pelti_world_object_at(const PeltiBakeWorld *world, int frame_index,
                           int object); ///< its centre (soft: the mean of its vertices)
/// The surface of an output object as it lies now, world; NULL vertices: none.
typedef struct PeltiWorldSurface {
    const char *name;
    int vertex_count, triangle_count;
    const Vec3 *x;
    const int (*triangles)[3];
    const float *colour;
} PeltiWorldSurface;
PeltiWorldSurface pelti_world_surface(const PeltiBakeWorld *world, int index);

#endif
