/// Offsets of morph targets in a glTF document.
#include "io/gltf_out.h"

static int push_dense(PeltiGltfOut *out, const PeltiGltfOutOffsets *offsets, PeltiGltfOutAccessor *accessor)
{
    size_t size = (size_t)accessor->count * sizeof(Vec3);
    Vec3 *dense = PELTI_NEW(&out->pool, Vec3, accessor->count);
    out->ok &= dense != NULL;
    for (int i = 0; dense && i < offsets->count; i++)
        dense[offsets->points[i]] = offsets->moves[i];
    accessor->view = pelti_gltf_out_view(out, pelti_gltf_out_bytes(out, dense, size), size, 0, PELTI_GLTF_VERTICES);
    return pelti_gltf_out_accessor(out, accessor);
}

static int push_sparse(PeltiGltfOut *out, const PeltiGltfOutOffsets *offsets, size_t width, PeltiGltfOutAccessor *accessor)
{
    size_t count = (size_t)offsets->count;
    uint16_t *small = PELTI_NEW(&out->pool, uint16_t, width == 2 ? count : 0);
    out->ok &= small != NULL;
    for (size_t i = 0; width == 2 && small && i < count; i++)
        small[i] = (uint16_t)offsets->points[i];
    const void *indices = width == 2 ? (const void *)small : offsets->points;
    accessor->sparse_count = (int)count;
    accessor->sparse_index_component = width == 2 ? PELTI_GLTF_U16 : PELTI_GLTF_U32;
    accessor->sparse_index_view =
        pelti_gltf_out_view(out, pelti_gltf_out_bytes(out, indices, count * width), count * width, 0, 0);
    accessor->sparse_value_view =
        pelti_gltf_out_view(out, pelti_gltf_out_bytes(out, offsets->moves, count * sizeof(Vec3)), count * sizeof(Vec3), 0, 0);
    return pelti_gltf_out_accessor(out, accessor);
}

int pelti_gltf_out_offsets(PeltiGltfOut *out, int point_count, const PeltiGltfOutOffsets *offsets)
{
    size_t points = (size_t)point_count, count = (size_t)offsets->count, width = points <= 65536 ? 2 : 4;
    Vec3 low = vec3(0, 0, 0), high = low; // points that it does not move count too
    if (count > 0 && count == points)
        low = high = offsets->moves[0];
    for (size_t i = 0; i < count; i++) {
        low = vec3_min(low, offsets->moves[i]);
        high = vec3_max(high, offsets->moves[i]);
    }
    PeltiGltfOutAccessor accessor = {.view = -1,
                                     .count = point_count,
                                     .type = "VEC3",
                                     .component = PELTI_GLTF_F32,
                                     .bound_count = 3,
                                     .low = &low.x,
                                     .high = &high.x};
    if (count == 0)
        return pelti_gltf_out_accessor(out, &accessor);
    return count * (sizeof(Vec3) + width) < points * sizeof(Vec3) ? push_sparse(out, offsets, width, &accessor)
                                                                  : push_dense(out, offsets, &accessor);
}
