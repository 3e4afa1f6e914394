/// Values of accessors: normalised, quantised, sparse.
#include "io/gltf.h"
#include "io/gltf_parts.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "glTF buffers are little-endian and so must be the machine"
#endif

int pelti_gltf_component_size(PeltiGltfComponent type)
{
    switch (type) {
    case PELTI_GLTF_I8:
    case PELTI_GLTF_U8:
        return 1;
    case PELTI_GLTF_I16:
    case PELTI_GLTF_U16:
        return 2;
    default:
        return 4;
    }
}

/// Bytes of a column; those of matrices start at multiples of four (glTF 2.0, 3.6.2.4).
static size_t column_size(const PeltiGltfAccessor *accessor)
{
    size_t bytes = (size_t)(accessor->components / accessor->columns * pelti_gltf_component_size(accessor->type));
    return accessor->columns > 1 ? (bytes + 3) & ~(size_t)3 : bytes;
}

size_t pelti_gltf_element_size(const PeltiGltfAccessor *accessor)
{
    return column_size(accessor) * (size_t)accessor->columns;
}

/// Where elements lie in memory.
typedef struct ElementBytes {
    const unsigned char *data;
    size_t stride;
} ElementBytes;

static PeltStatus find_source(const PeltiGltf *doc, int view_index, size_t offset, size_t element, ElementBytes *out,
                              PeltError *err)
{
    const PeltiGltfView *view = &doc->views[view_index];
    const unsigned char *bytes = doc->buffers[view->buffer].bytes;
    if (!bytes)
        return PELT_FAIL(err, PELT_BAD_INPUT, "buffer %d: has no data", view->buffer);
    *out = (ElementBytes){bytes + view->offset + offset, view->stride ? (size_t)view->stride : element};
    return PELT_OK;
}

/// glTF 2.0, 3.6.2.2: normalised signed values are c / most, at least -1.
static float norm_i8(int8_t c)
{
    return c == -128 ? -1.0f : (float)c / 127.0f;
}
static float norm_i16(int16_t c)
{
    return c == -32768 ? -1.0f : (float)c / 32767.0f;
}

#define CONVERT(type, expression)                                                                                                \
    for (int i = 0; i < count; i++) {                                                                                            \
        const unsigned char *element = source.data + (size_t)i * source.stride;                                                  \
        for (int k = 0; k < components; k++) {                                                                                   \
            type c;                                                                                                              \
            memcpy(&c, element + offset[k], sizeof c);                                                                           \
            *out++ = (expression);                                                                                               \
        }                                                                                                                        \
    }                                                                                                                            \
    break

static void convert_floats(ElementBytes source, const PeltiGltfAccessor *accessor, int count, float *out)
{
    int components = accessor->components, rows = components / accessor->columns;
    size_t offset[16], column = column_size(accessor), size = (size_t)pelti_gltf_component_size(accessor->type);
    for (int k = 0; k < components; k++)
        offset[k] = (size_t)(k / rows) * column + (size_t)(k % rows) * size;
    if (accessor->type == PELTI_GLTF_F32 && source.stride == (size_t)components * sizeof(float)) {
        memcpy(out, source.data, (size_t)count * source.stride);
        return;
    }
    bool normal = accessor->normalized;
    switch (accessor->type) {
    case PELTI_GLTF_I8:
        CONVERT(int8_t, normal ? norm_i8(c) : (float)c);
    case PELTI_GLTF_U8:
        CONVERT(uint8_t, normal ? (float)c / 255.0f : (float)c);
    case PELTI_GLTF_I16:
        CONVERT(int16_t, normal ? norm_i16(c) : (float)c);
    case PELTI_GLTF_U16:
        CONVERT(uint16_t, normal ? (float)c / 65535.0f : (float)c);
    case PELTI_GLTF_U32:
        CONVERT(uint32_t, normal ? (float)((double)c / 4294967295.0) : (float)c);
    case PELTI_GLTF_F32:
        CONVERT(float, c);
    }
}

static void convert_indices(ElementBytes source, const PeltiGltfAccessor *accessor, int count, uint32_t *out)
{
    int components = accessor->components;
    size_t offset[16], size = (size_t)pelti_gltf_component_size(accessor->type);
    for (int k = 0; k < components; k++)
        offset[k] = (size_t)k * size;
    bool packed = source.stride == (size_t)components * size;
    if (packed && accessor->type == PELTI_GLTF_U32) {
        memcpy(out, source.data, (size_t)count * source.stride);
        return;
    }
    switch (accessor->type) {
    case PELTI_GLTF_U8:
        CONVERT(uint8_t, c);
    case PELTI_GLTF_U16:
        CONVERT(uint16_t, c);
    case PELTI_GLTF_U32:
        CONVERT(uint32_t, c);
    default:
        break;
    }
}

/// The k-th index of a sparse accessor; open has checked that they rise and are in range.
static uint32_t sparse_index(const ElementBytes *source, PeltiGltfComponent type, int k)
{
    uint32_t index = 0; // little-endian: the low bytes
    memcpy(&index, source->data + (size_t)k * source->stride, (size_t)pelti_gltf_component_size(type));
    return index;
}

typedef union Out {
    float *floats;
    uint32_t *indices;
} Out;

static void convert(ElementBytes source, const PeltiGltfAccessor *accessor, int count, Out out, bool whole)
{
    if (whole)
        convert_indices(source, accessor, count, out.indices);
    else
        convert_floats(source, accessor, count, out.floats);
}

/// Overwrites those elements of the span that the sparse part replaces.
static PeltStatus apply_sparse(const PeltiGltf *doc, PeltiGltfSpan span, Out out, bool whole, PeltError *err)
{
    const PeltiGltfAccessor *a = &doc->accessors[span.accessor];
    uint32_t first = (uint32_t)span.first;
    ElementBytes indices = {0}, values = {0};
    PELT_TRY(find_source(doc, a->sparse_index_view, a->sparse_index_offset,
                         (size_t)pelti_gltf_component_size(a->sparse_index_type), &indices, err));
    PELT_TRY(find_source(doc, a->sparse_value_view, a->sparse_value_offset, pelti_gltf_element_size(a), &values, err));
    indices.stride = (size_t)pelti_gltf_component_size(a->sparse_index_type); // both parts are packed
    values.stride = pelti_gltf_element_size(a);
    int low = 0, high = a->sparse_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sparse_index(&indices, a->sparse_index_type, middle) < first)
            low = middle + 1;
        else
            high = middle;
    }
    for (int k = low; k < a->sparse_count; k++) {
        uint32_t index = sparse_index(&indices, a->sparse_index_type, k);
        if (index >= first + (uint32_t)span.count)
            break;
        size_t at = (size_t)(index - first) * (size_t)a->components;
        Out place = out;
        if (whole)
            place.indices += at;
        else
            place.floats += at;
        convert((ElementBytes){values.data + (size_t)k * values.stride, values.stride}, a, 1, place, whole);
    }
    return PELT_OK;
}

static PeltStatus decode(const PeltiGltf *doc, PeltiGltfSpan span, Out out, bool whole, PeltError *err)
{
    const PeltiGltfAccessor *a = &doc->accessors[span.accessor];
    if (a->components != span.components)
        return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: %d components were expected, not %d", span.accessor, span.components,
                         a->components);
    if (span.first < 0 || span.count < 0 || span.count > a->count - span.first)
        return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: %d elements were expected, not %d", span.accessor,
                         span.first + span.count, a->count);
    if (whole && a->type != PELTI_GLTF_U8 && a->type != PELTI_GLTF_U16 && a->type != PELTI_GLTF_U32)
        return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: unsigned whole numbers were expected", span.accessor);
    if (span.count == 0)
        return PELT_OK;
    if (a->view >= 0) {
        ElementBytes source = {0};
        PELT_TRY(find_source(doc, a->view, a->offset, pelti_gltf_element_size(a), &source, err));
        source.data += (size_t)span.first * source.stride;
        convert(source, a, span.count, out, whole);
    } else {
        memset(out.floats, 0, (size_t)span.count * (size_t)span.components * sizeof(float));
    }
    return a->sparse_count ? apply_sparse(doc, span, out, whole, err) : PELT_OK;
}

PeltStatus pelti_gltf_floats_of(const PeltiGltf *doc, PeltiGltfSpan span, float *out, PeltError *err)
{
    return decode(doc, span, (Out){.floats = out}, false, err);
}

PeltStatus pelti_gltf_indices_of(const PeltiGltf *doc, PeltiGltfSpan span, uint32_t *out, PeltError *err)
{
    return decode(doc, span, (Out){.indices = out}, true, err);
}

PeltStatus pelti_gltf_floats(const PeltiGltf *doc, int accessor, int components, float *out, PeltError *err)
{
    return pelti_gltf_floats_of(doc, (PeltiGltfSpan){accessor, components, 0, doc->accessors[accessor].count}, out, err);
}

PeltStatus pelti_gltf_check_sparse(const PeltiGltf *doc, int accessor, PeltError *err)
{
    const PeltiGltfAccessor *a = &doc->accessors[accessor];
    ElementBytes source = {0};
    PELT_TRY(find_source(doc, a->sparse_index_view, a->sparse_index_offset, 1, &source, err));
    source.stride = (size_t)pelti_gltf_component_size(a->sparse_index_type);
    int64_t before = -1;
    for (int k = 0; k < a->sparse_count; k++) {
        int64_t index = sparse_index(&source, a->sparse_index_type, k);
        if (index <= before)
            return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: sparse index %d (%lld) does not rise", accessor, k,
                             (long long)index);
        if (index >= a->count)
            return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: sparse index %d is %lld, of %d elements", accessor, k,
                             (long long)index, a->count);
        before = index;
    }
    return PELT_OK;
}
