/// What there is to draw, in world units, and how to look at it. Plain data of the caller's: the renderer knows no method.
#ifndef PELTI_RENDER_SCENE_H
#define PELTI_RENDER_SCENE_H

#include "core/jobs.h"
#include "render/camera.h"
#include "render/overlay.h"

/// A surface. Colour, in this order: `values` through a map, `colours`, `colour`.
typedef struct PeltiRenderSceneMesh {
    int vertex_count, triangle_count;
    const Vec3 *positions;     ///< [vertex_count] a vertex that is not finite drops its triangles
    const int (*triangles)[3]; ///< [triangle_count] counter-clockwise from outside
    const Vec3 *colours;       ///< [vertex_count] linear, or NULL
    const float *values;       ///< [vertex_count] or NULL
    PeltiMap map;
    float low, high; ///< values at the ends of the map
    Vec3 colour;     ///< linear; (0,0,0): clay
    bool see_through;
    bool wire;
    bool flat; ///< one normal a triangle
} PeltiRenderSceneMesh;

typedef struct PeltiRenderSceneLine { ///< a rod with round ends
    Vec3 a, b;
    float radius; ///< 0: thin, two pixels wide
    Vec3 colour;
} PeltiRenderSceneLine;

typedef struct PeltiRenderScenePoint { ///< a ball
    Vec3 at;
    float radius; ///< 0: small, six pixels wide
    Vec3 colour;
} PeltiRenderScenePoint;

typedef struct PeltiRenderSceneArrow {
    Vec3 from, to;
    float radius; ///< 0: thin
    Vec3 colour;
} PeltiRenderSceneArrow;

typedef struct PeltiRenderSceneTriangle { ///< see-through as soon as some mesh is
    Vec3 corner[3], colour;
} PeltiRenderSceneTriangle;

/// A rectangle through a scalar field: blue outside, grey at `iso`, red inside, thin iso-lines every tenth, and green where
/// `contact` changes its sign. What lies on the side `right x up` points to is cut away.
typedef struct PeltiRenderSceneSlice {
    Vec3 centre, right, up;                      ///< half sides, at right angles
    float (*value)(const void *state, Vec3 x);   ///< called from several threads
    float (*contact)(const void *state, Vec3 x); ///< may be NULL
    const void *state;
    float iso; ///< values go from 0 to 1 around it
} PeltiRenderSceneSlice;

typedef struct PeltiRenderScene {
    int mesh_count;
    const PeltiRenderSceneMesh *meshes;
    PeltiArray lines, points, arrows, triangles; ///< of the structs above; grow them with pelti_array_push
    int slice_count;                             ///< 0 or 1
    PeltiRenderSceneSlice slice;
    PeltiDrawLegend legend;
    const char *title, *note; ///< top left, bottom left; NULL: none
} PeltiRenderScene;
void pelti_render_scene_init(PeltiRenderScene *scene);
void pelti_render_scene_release(PeltiRenderScene *scene); ///< the arrays; meshes are the caller's

typedef enum PeltiLookBackground { PELTI_BACKGROUND_LIGHT, PELTI_BACKGROUND_DARK, PELTI_BACKGROUND_NONE } PeltiLookBackground;

typedef struct PeltiLook {
    int width, height;
    PeltiCamera camera;
    PeltiLookBackground background;
    int samples; ///< rays a pixel through the lens, 1..64; each sends two to the light and two around
    bool ground; ///< a floor that catches shadows
    float ground_height;
    Vec3 middle; ///< of the figure: the floor fades with the distance from below it
    float size;  ///< length that counts as the figure's size (its diagonal), for shadows' reach; > 0
} PeltiLook;
PeltiLook pelti_look_default(void); ///< 1280 x 960, light, 4 samples, no ground; camera and size are the caller's

/// Draws the scene. `out` is made here and is the caller's to release. The same bytes for any number of threads.
PeltStatus pelti_render(const PeltiRenderScene *scene, const PeltiLook *look, PeltiJobs *jobs, PeltiImage *out, PeltError *err);

extern const Vec3 pelti_render_clay; ///< linear; what `colour` (0,0,0) means

#endif
