/// Cameras that frame what they are shown. y is up; azimuth 0 looks at the front (the character faces +z), 90 deg at its left
/// side (from +x); elevation is above the horizon.
#ifndef PELTI_RENDER_CAMERA_H
#define PELTI_RENDER_CAMERA_H

#include "core/error.h"
#include "math/vec.h"

typedef struct PeltiView { ///< what a person asks for
    float azimuth_deg, elevation_deg;
    float zoom; ///< 1 frames everything; 2 shows half of it
    bool has_target;
    Vec3 target; ///< shown in the middle
    bool orthographic;
} PeltiView;

/// "front", "back", "left", "right", "side", "top", "three-quarter", or "azimuth,elevation[,zoom[,x,y,z]]".
PeltStatus pelti_view_parse(const char *text, PeltiView *out, PeltError *err);
PeltiView pelti_view_default(void); ///< three-quarter

typedef struct PeltiCamera {
    Vec3 eye, right, up, forward;  ///< orthonormal
    float half_width, half_height; ///< of the picture, at distance 1 (orthographic: world units)
    bool orthographic;
} PeltiCamera;

/// Frames points added frame after frame, exactly: the tightest camera of this direction that shows all of them. The part of
/// the picture to fill is [left,right] x [bottom,top] in -1..1.
typedef struct PeltiFraming {
    PeltiView view;
    Vec3 right, up, forward;
    float tan_x, tan_y;
    float area[4];            ///< left, right, bottom, top
    double reach[4];          ///< per side of the frustum: how far points lie out, through the origin
    double nearest, farthest; ///< along `forward`
    long count;
} PeltiFraming;
void pelti_framing_begin(PeltiFraming *framing, const PeltiView *view, int width, int height, const float area[4]);
void pelti_framing_add(PeltiFraming *framing, int count, const Vec3 *points); ///< points that are not finite are passed over
PeltiCamera pelti_framing_camera(const PeltiFraming *framing);                ///< looks at a unit cube where nothing was added

/// The ray through picture position x,y in -1..1 (y up): unit direction.
static inline void pelti_camera_ray(const PeltiCamera *camera, float x, float y, Vec3 *origin, Vec3 *direction)
{
    Vec3 aside = vec3_add(vec3_scale(camera->right, x * camera->half_width), vec3_scale(camera->up, y * camera->half_height));
    if (camera->orthographic) {
        *origin = vec3_add(camera->eye, aside);
        *direction = camera->forward;
    } else {
        *origin = camera->eye;
        *direction = vec3_normalize_or(vec3_add(camera->forward, aside), camera->forward);
    }
}

/// World size of a pixel at `x` in a picture `height` pixels high.
float pelti_camera_pixel(const PeltiCamera *camera, int height, Vec3 x);

#endif
