/// Draco's decoder behind plain C functions.
#include "draco.h"

#include <draco/compression/decode.h>

#include <cstdio>
#include <memory>

struct ImportDraco {
    std::unique_ptr<draco::Mesh> mesh;
};

ImportDraco *import_draco_open(const void *bytes, size_t size, char *why, size_t why_size)
{
    draco::DecoderBuffer buffer;
    buffer.Init(static_cast<const char *>(bytes), size);
    draco::Decoder decoder;
    auto result = decoder.DecodeMeshFromBuffer(&buffer);
    if (!result.ok()) {
        std::snprintf(why, why_size, "%s", result.status().error_msg());
        return nullptr;
    }
    return new ImportDraco{std::move(result).value()};
}

void import_draco_close(ImportDraco *mesh)
{
    delete mesh;
}

int import_draco_points(const ImportDraco *mesh)
{
    return static_cast<int>(mesh->mesh->num_points());
}

int import_draco_triangles(const ImportDraco *mesh)
{
    return static_cast<int>(mesh->mesh->num_faces());
}

void import_draco_corners(const ImportDraco *mesh, uint32_t *out)
{
    for (draco::FaceIndex f(0); f < mesh->mesh->num_faces(); ++f)
        for (int k = 0; k < 3; k++)
            *out++ = mesh->mesh->face(f)[k].value();
}

template <typename T> static int copy_values(const draco::Mesh &mesh, const draco::PointAttribute &from, int components, T *out)
{
    for (draco::PointIndex p(0); p < mesh.num_points(); ++p, out += components)
        if (!from.ConvertValue<T>(from.mapped_index(p), static_cast<int8_t>(components), out))
            return 0;
    return 1;
}

int import_draco_values(const ImportDraco *mesh, unsigned id, int component_type, int components, void *out)
{
    const draco::PointAttribute *from = mesh->mesh->GetAttributeByUniqueId(id);
    if (!from)
        return 0;
    switch (component_type) {
    case 5120:
        return copy_values(*mesh->mesh, *from, components, static_cast<int8_t *>(out));
    case 5121:
        return copy_values(*mesh->mesh, *from, components, static_cast<uint8_t *>(out));
    case 5122:
        return copy_values(*mesh->mesh, *from, components, static_cast<int16_t *>(out));
    case 5123:
        return copy_values(*mesh->mesh, *from, components, static_cast<uint16_t *>(out));
    case 5125:
        return copy_values(*mesh->mesh, *from, components, static_cast<uint32_t *>(out));
    case 5126:
        return copy_values(*mesh->mesh, *from, components, static_cast<float *>(out));
    default:
        return 0;
    }
}
