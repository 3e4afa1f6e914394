/// Embree behind batches of rays.
#include "render/rays.h"

#include "core/memory.h"

#include <embree3/rtcore.h>

#include <string.h>

// Embree takes memory of its own (not an object's allocator). Every scene has its own device, so there is no global state;
// "threads=1" keeps its task system from starting threads: parallelism is the caller's (core/jobs).
struct PeltiRays {
    RTCDevice device;
    RTCScene scene;
    RTCGeometry geometry; // NULL: no triangles
};

void pelti_rays_destroy(PeltiRays *rays)
{
    if (!rays)
        return;
    if (rays->geometry)
        rtcReleaseGeometry(rays->geometry);
    if (rays->scene)
        rtcReleaseScene(rays->scene);
    if (rays->device)
        rtcReleaseDevice(rays->device);
    pelti_free(NULL, rays, sizeof *rays);
}

static bool add_triangles(PeltiRays *rays, int vertex_count, const Vec3 *positions, int triangle_count, const int (*triangles)[3])
{
    rays->geometry = rtcNewGeometry(rays->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    if (!rays->geometry)
        return false;
    // buffers of Embree's own: it pads them, since it reads 16 bytes from the last 12
    void *vertices =
        rtcSetNewGeometryBuffer(rays->geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, sizeof(Vec3), (size_t)vertex_count);
    void *index = rtcSetNewGeometryBuffer(rays->geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(unsigned),
                                          (size_t)triangle_count);
    if (!vertices || !index)
        return false;
    memcpy(vertices, positions, sizeof(Vec3) * (size_t)vertex_count);
    memcpy(index, triangles, 3 * sizeof(int) * (size_t)triangle_count);
    rtcCommitGeometry(rays->geometry);
    rtcAttachGeometry(rays->scene, rays->geometry);
    return true;
}

PeltStatus pelti_rays_create(int vertex_count, const Vec3 *positions, int triangle_count, const int (*triangles)[3],
                             PeltiRays **out, PeltError *err)
{
    PeltiRays *rays = pelti_alloc(NULL, sizeof *rays);
    if (!rays)
        return pelti_no_memory(err, sizeof *rays);
    *rays = (PeltiRays){0};
    // One instruction set for every processor: Embree's others round differently. A picture takes 3 % longer for it.
    rays->device = rtcNewDevice("threads=1,isa=sse2");
    if (!rays->device) {
        pelti_rays_destroy(rays);
        return PELT_FAIL(err, PELT_FAILED, "Embree does not start on this machine (error %d)", (int)rtcGetDeviceError(NULL));
    }
    rays->scene = rtcNewScene(rays->device);
    bool made = rays->scene != NULL;
    if (made) {
        // robust: no leaks between neighbours
        rtcSetSceneFlags(rays->scene, RTC_SCENE_FLAG_ROBUST);
        rtcSetSceneBuildQuality(rays->scene, RTC_BUILD_QUALITY_LOW);
        made = triangle_count == 0 || add_triangles(rays, vertex_count, positions, triangle_count, triangles);
    }
    if (made)
        rtcCommitScene(rays->scene);
    enum RTCError error = rtcGetDeviceError(rays->device);
    if (!made || error != RTC_ERROR_NONE) {
        pelti_rays_destroy(rays);
        return PELT_FAIL(err, PELT_FAILED, "Embree refuses a scene of %d triangles (error %d)", triangle_count, (int)error);
    }
    *out = rays;
    return PELT_OK;
}

/// False for a ray that can hit nothing; Embree must not see those (its Debian build asserts on them).
static bool to_embree(const PeltiBoxRay *ray, struct RTCRay *out)
{
    Vec3 d = ray->direction;
    float near = ray->near > 0 ? ray->near : 0;
    if (!vec3_finite(ray->origin) || !vec3_finite(d) || (d.x == 0 && d.y == 0 && d.z == 0) || !(ray->far >= near))
        return false;
    *out = (struct RTCRay){.org_x = ray->origin.x,
                           .org_y = ray->origin.y,
                           .org_z = ray->origin.z,
                           .tnear = near,
                           .dir_x = d.x,
                           .dir_y = d.y,
                           .dir_z = d.z,
                           .tfar = ray->far,
                           .mask = ~0u};
    return true;
}

// Rays go one by one: packets of 8 would give other last bits than single rays, and results must not depend on batches.
void pelti_rays_closest(const PeltiRays *rays, int count, const PeltiBoxRay *ray, PeltiBoxHit *hit)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (int i = 0; i < count; i++) {
        struct RTCRayHit query = {.hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
        hit[i] = (PeltiBoxHit){.triangle = -1, .distance = ray[i].far};
        if (!to_embree(&ray[i], &query.ray))
            continue;
        rtcIntersect1(rays->scene, &context, &query);
        if (query.hit.geomID != RTC_INVALID_GEOMETRY_ID)
            hit[i] = (PeltiBoxHit){(int)query.hit.primID, query.ray.tfar, query.hit.u, query.hit.v};
    }
}

void pelti_rays_blocked(const PeltiRays *rays, int count, const PeltiBoxRay *ray, uint8_t *blocked)
{
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    for (int i = 0; i < count; i++) {
        struct RTCRay query;
        blocked[i] = 0;
        if (!to_embree(&ray[i], &query))
            continue;
        rtcOccluded1(rays->scene, &context, &query);
        blocked[i] = query.tfar < 0;
    }
}
