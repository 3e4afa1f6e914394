/// Cameras from words, and framing that fits what is shown.
#include "render/camera.h"
#include "math/elementary.h"

#include <stdlib.h>
#include <string.h>

static const float fov_tangent = 0.1763270f; // half of 20 degrees: a long lens, little distortion

PeltiView pelti_view_default(void)
{
    return (PeltiView){.azimuth_deg = 32, .elevation_deg = 10, .zoom = 1};
}

PeltStatus pelti_view_parse(const char *text, PeltiView *out, PeltError *err)
{
    static const struct {
        const char *name;
        float azimuth, elevation;
    } named[] = {{"front", 0, 4}, {"back", 180, 4},  {"left", 90, 4},          {"right", -90, 4},
                 {"side", 90, 4}, {"top", 0, 89.9f}, {"three-quarter", 32, 10}};
    *out = pelti_view_default();
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(text, named[i].name) == 0) {
            out->azimuth_deg = named[i].azimuth;
            out->elevation_deg = named[i].elevation;
            return PELT_OK;
        }
    float number[6];
    int count = 0;
    bool good = true, more = true;
    for (const char *at = text; good && more;) {
        char *end;
        number[count] = strtof(at, &end);
        good = end != at && isfinite(number[count]) && (*end == ',' || *end == 0);
        more = *end == ',' && ++count < 6;
        at = end + 1;
        if (*end == 0)
            count++;
        else
            good = good && more; // a seventh number
    }
    if (!good || (count != 2 && count != 3 && count != 6))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT,
                         "camera \"%s\": give front, back, left, right, top, three-quarter or azimuth,elevation[,zoom[,x,y,z]]",
                         text);
    out->azimuth_deg = number[0];
    out->elevation_deg = fminf(fmaxf(number[1], -89.9f), 89.9f);
    if (count > 2)
        out->zoom = number[2];
    if (!(out->zoom >= 0.01f && out->zoom <= 1000))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "camera \"%s\": zoom goes from 0.01 to 1000", text);
    out->has_target = count == 6;
    if (out->has_target)
        out->target = vec3(number[3], number[4], number[5]);
    return PELT_OK;
}

void pelti_framing_begin(PeltiFraming *framing, const PeltiView *view, int width, int height, const float area[4])
{
    float az = view->azimuth_deg * 0.017453293f, el = view->elevation_deg * 0.017453293f;
    Vec3 back =
        vec3(pelti_sinf(az) * pelti_cosf(el), pelti_sinf(el), pelti_cosf(az) * pelti_cosf(el)); // from what is seen to the eye
    Vec3 right = vec3(pelti_cosf(az), 0, -pelti_sinf(az));
    float aspect = (float)width / (float)height;
    *framing = (PeltiFraming){.view = *view,
                              .right = right,
                              .up = vec3_cross(back, right),
                              .forward = vec3_scale(back, -1),
                              .tan_x = fov_tangent * aspect,
                              .tan_y = fov_tangent,
                              .nearest = INFINITY,
                              .farthest = -INFINITY};
    for (int k = 0; k < 4; k++) {
        framing->area[k] = area[k];
        framing->reach[k] = -INFINITY;
    }
    if (aspect < 1) { // the angle belongs to the shorter side
        framing->tan_x = fov_tangent;
        framing->tan_y = fov_tangent / aspect;
    }
}

// A side of the picture is a plane through the eye. With the eye at c, a point at (x, z) lies left of the plane x = s z
// (s = slope of the side) if x - s z <= c.x - s c.z: only the largest x - s z over all points counts. Orthographic: s = 0.
void pelti_framing_add(PeltiFraming *f, int count, const Vec3 *points)
{
    bool flat = f->view.orthographic;
    double sl = flat ? 0 : f->tan_x * f->area[0], sr = flat ? 0 : f->tan_x * f->area[1];
    double sb = flat ? 0 : f->tan_y * f->area[2], st = flat ? 0 : f->tan_y * f->area[3];
    for (int i = 0; i < count; i++) {
        if (!vec3_finite(points[i]))
            continue;
        double x = vec3_dot(points[i], f->right), y = vec3_dot(points[i], f->up), z = vec3_dot(points[i], f->forward);
        f->reach[0] = fmax(f->reach[0], -x + sl * z);
        f->reach[1] = fmax(f->reach[1], x - sr * z);
        f->reach[2] = fmax(f->reach[2], -y + sb * z);
        f->reach[3] = fmax(f->reach[3], y - st * z);
        f->nearest = fmin(f->nearest, z);
        f->farthest = fmax(f->farthest, z);
        f->count++;
    }
}

PeltiCamera pelti_framing_camera(const PeltiFraming *framing)
{
    PeltiFraming one = *framing;
    if (one.count == 0) {
        for (int i = 0; i < 8; i++)
            pelti_framing_add(&one, 1, &(Vec3){(float)(i & 1) - 0.5f, (float)(i >> 1 & 1) - 0.5f, (float)(i >> 2) - 0.5f});
    }
    const double *reach = one.reach;
    const float *area = one.area;
    double wide = reach[0] + reach[1], high = reach[2] + reach[3], depth = one.farthest - one.nearest;
    PeltiCamera camera = {.right = one.right, .up = one.up, .forward = one.forward, .orthographic = one.view.orthographic};
    double x, y, z;
    if (camera.orthographic) {
        double scale = fmax(wide / ((area[1] - area[0]) * one.tan_x), high / ((area[3] - area[2]) * one.tan_y));
        scale = scale > 0 ? scale : 1;
        camera.half_width = (float)(scale * one.tan_x);
        camera.half_height = (float)(scale * one.tan_y);
        x = 0.5 * (reach[1] - reach[0]) - 0.5 * (area[0] + area[1]) * camera.half_width;
        y = 0.5 * (reach[3] - reach[2]) - 0.5 * (area[2] + area[3]) * camera.half_height;
        z = one.nearest - 0.5 * depth - scale;
    } else {
        double zx = -wide / ((area[1] - area[0]) * one.tan_x), zy = -high / ((area[3] - area[2]) * one.tan_y);
        z = fmin(fmin(zx, zy), one.nearest - 1e-3 * depth);
        if (!(z < one.nearest)) // one single point
            z = one.nearest - 1;
        camera.half_width = one.tan_x;
        camera.half_height = one.tan_y;
        x = 0.5 * (one.tan_x * (area[0] + area[1]) * z + reach[1] - reach[0]);
        y = 0.5 * (one.tan_y * (area[2] + area[3]) * z + reach[3] - reach[2]);
    }
    if (one.view.has_target) {
        x = vec3_dot(one.view.target, camera.right);
        y = vec3_dot(one.view.target, camera.up);
    }
    camera.half_width /= one.view.zoom;
    camera.half_height /= one.view.zoom;
    camera.eye = vec3_add(vec3_scale(camera.right, (float)x),
                          vec3_add(vec3_scale(camera.up, (float)y), vec3_scale(camera.forward, (float)z)));
    return camera;
}

float pelti_camera_pixel(const PeltiCamera *camera, int height, Vec3 x)
{
    float distance = camera->orthographic ? 1 : vec3_dot(vec3_sub(x, camera->eye), camera->forward);
    return 2 * camera->half_height * fmaxf(distance, 1e-20f) / (float)height;
}
