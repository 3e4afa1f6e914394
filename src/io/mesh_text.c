/// Reads .obj, .msh and .mesh, word by word.
#include "io/mesh_text.h"

#include "core/hash.h"
#include "io/gltf_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { VERTICES_MOST = 1 << 22 };

// ---- words

static void skip_space(PeltiIoMeshText *t)
{
    while (*t->p == ' ' || *t->p == '\t' || *t->p == '\r' || *t->p == '\n')
        t->line += *t->p++ == '\n';
}

static void skip_line(PeltiIoMeshText *t)
{
    while (*t->p && *t->p != '\n')
        t->p++;
}

static size_t word_length(const PeltiIoMeshText *t)
{
    return strcspn(t->p, " \t\r\n");
}

/// Is the next word this one? Then it is passed.
static bool accept(PeltiIoMeshText *t, const char *word)
{
    skip_space(t);
    size_t length = strlen(word);
    if (word_length(t) != length || strncmp(t->p, word, length) != 0)
        return false;
    t->p += length;
    return true;
}

static PeltStatus broken(const PeltiIoMeshText *t, const char *wanted, PeltError *err)
{
    return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: %s was expected", t->line, wanted);
}

static PeltStatus next_number(PeltiIoMeshText *t, double *out, PeltError *err)
{
    skip_space(t);
    char *end;
    *out = strtod(t->p, &end);
    if (end == t->p || !isfinite(*out))
        return broken(t, "a number", err);
    t->p = end;
    return PELT_OK;
}

static PeltStatus next_int(PeltiIoMeshText *t, long least, long most, long *out, PeltError *err)
{
    skip_space(t);
    char *end;
    *out = strtol(t->p, &end, 10);
    if (end == t->p || *out < least || *out > most)
        return broken(t, "a whole number in range", err);
    t->p = end;
    return PELT_OK;
}

static PeltStatus next_vertex(PeltiIoMeshText *t, PeltError *err)
{
    float v[3];
    for (int k = 0; k < 3; k++) {
        double value = 0;
        PELT_TRY(next_number(t, &value, err));
        if (!(fabs(value) <= 1e15))
            return broken(t, "a coordinate within 1e15", err);
        v[k] = (float)value;
    }
    if (t->vertices.count >= VERTICES_MOST)
        return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: more than %d vertices", t->line, VERTICES_MOST);
    return pelti_array_push(&t->vertices, v) ? PELT_OK : pelti_no_memory(err, sizeof v);
}

/// `count` indices of an element, counted from `base` in the file.
static PeltStatus next_element(PeltiIoMeshText *t, PeltiArray *list, int count, long base, PeltError *err)
{
    int element[4];
    for (int k = 0; k < count; k++) {
        long index = 0;
        PELT_TRY(next_int(t, base, INT32_MAX, &index, err));
        element[k] = (int)(index - base);
    }
    return pelti_array_push(list, element) ? PELT_OK : pelti_no_memory(err, sizeof element);
}

// ---- Wavefront

static PeltStatus read_face(PeltiIoMeshText *t, PeltError *err)
{
    int corners[3], held = 0, line = t->line;
    for (;;) {
        while (*t->p == ' ' || *t->p == '\t' || *t->p == '\r')
            t->p++;
        if (!*t->p || *t->p == '\n')
            break;
        long index = 0;
        PELT_TRY(next_int(t, -INT32_MAX, INT32_MAX, &index, err));
        t->p += word_length(t);                            // "/texture/normal"
        index += index < 0 ? (long)t->vertices.count : -1; // from 1, or back from the last
        if (index < 0)
            return broken(t, "the number of a vertex", err);
        corners[held < 2 ? held : 2] = (int)index;
        if (++held >= 3) { // a fan
            if (!pelti_array_push(&t->triangles, corners))
                return pelti_no_memory(err, sizeof corners);
            corners[1] = corners[2];
        }
    }
    return held >= 3 ? PELT_OK : PELT_FAIL(err, PELT_BAD_INPUT, "line %d: a face of %d corners", line, held);
}

PeltStatus pelti_io_mesh_obj(PeltiIoMeshText *t, PeltError *err)
{
    for (skip_space(t); *t->p; skip_space(t)) {
        if (accept(t, "v"))
            PELT_TRY(next_vertex(t, err));
        else if (accept(t, "f"))
            PELT_TRY(read_face(t, err));
        skip_line(t);
    }
    return PELT_OK;
}

// ---- Medit

PeltStatus pelti_io_mesh_medit(PeltiIoMeshText *t, PeltError *err)
{
    for (skip_space(t); *t->p; skip_space(t)) {
        bool vertices = accept(t, "Vertices"), triangles = !vertices && accept(t, "Triangles");
        bool tetrahedra = !vertices && !triangles && accept(t, "Tetrahedra");
        if (!vertices && !triangles && !tetrahedra) {
            skip_line(t);
            continue;
        }
        long count = 0, tag;
        PELT_TRY(next_int(t, 0, INT32_MAX, &count, err));
        for (long i = 0; i < count; i++) { // each line ends with a reference number nobody here needs
            PELT_TRY(vertices    ? next_vertex(t, err)
                     : triangles ? next_element(t, &t->triangles, 3, 1, err)
                                 : next_element(t, &t->tetrahedra, 4, 1, err));
            PELT_TRY(next_int(t, INT32_MIN, INT32_MAX, &tag, err));
        }
    }
    return PELT_OK;
}

// ---- Gmsh

enum { GMSH_TRIANGLE = 2, GMSH_TETRAHEDRON = 4 };

/// Passes the rest of the line of an element that is neither a triangle nor a tetrahedron.
static PeltStatus gmsh_element(PeltiIoMeshText *t, long type, PeltError *err)
{
    if (type == GMSH_TRIANGLE)
        return next_element(t, &t->triangles, 3, 1, err);
    if (type == GMSH_TETRAHEDRON)
        return next_element(t, &t->tetrahedra, 4, 1, err);
    skip_line(t);
    return PELT_OK;
}

/// Node tags must run from 1 without gaps, as Gmsh writes them: element lines name tags.
static PeltStatus gmsh_tag(PeltiIoMeshText *t, long expected, PeltError *err)
{
    long tag = 0;
    PELT_TRY(next_int(t, 0, INT32_MAX, &tag, err));
    return tag == expected
               ? PELT_OK
               : PELT_FAIL(err, PELT_UNSUPPORTED, "line %d: node %ld where %ld was expected: renumber the mesh in Gmsh", t->line,
                           tag, expected);
}

static PeltStatus gmsh_nodes(PeltiIoMeshText *t, bool blocks, PeltError *err)
{
    long block_count = 1, count = 0, skipped;
    PELT_TRY(next_int(t, 0, INT32_MAX, blocks ? &block_count : &count, err));
    for (int k = 0; blocks && k < 3; k++)
        PELT_TRY(next_int(t, 0, INT32_MAX, &skipped, err));
    for (long b = 0; b < block_count; b++) {
        long first = (long)t->vertices.count + 1;
        for (int k = 0; blocks && k < 4; k++)
            PELT_TRY(next_int(t, INT32_MIN, INT32_MAX, k == 3 ? &count : &skipped, err));
        for (long i = 0; blocks && i < count; i++)
            PELT_TRY(gmsh_tag(t, first + i, err));
        for (long i = 0; i < count; i++) {
            if (!blocks)
                PELT_TRY(gmsh_tag(t, first + i, err));
            PELT_TRY(next_vertex(t, err));
            skip_line(t);
        }
    }
    return PELT_OK;
}

static PeltStatus gmsh_elements(PeltiIoMeshText *t, bool blocks, PeltError *err)
{
    long block_count = 1, count = 0, type = 0, skipped;
    PELT_TRY(next_int(t, 0, INT32_MAX, blocks ? &block_count : &count, err));
    for (int k = 0; blocks && k < 3; k++)
        PELT_TRY(next_int(t, 0, INT32_MAX, &skipped, err));
    for (long b = 0; b < block_count; b++) {
        for (int k = 0; blocks && k < 4; k++) // dimension, entity, type, count
            PELT_TRY(next_int(t, INT32_MIN, INT32_MAX, k == 3 ? &count : k == 2 ? &type : &skipped, err));
        for (long i = 0; i < count; i++) {
            long tags = 0;
            PELT_TRY(next_int(t, 0, INT32_MAX, &skipped, err));
            if (!blocks) {
                PELT_TRY(next_int(t, 0, INT32_MAX, &type, err));
                PELT_TRY(next_int(t, 0, 1000, &tags, err));
            }
            for (long k = 0; k < tags; k++)
                PELT_TRY(next_int(t, INT32_MIN, INT32_MAX, &skipped, err));
            PELT_TRY(gmsh_element(t, type, err));
        }
    }
    return PELT_OK;
}

PeltStatus pelti_io_mesh_gmsh(PeltiIoMeshText *t, PeltError *err)
{
    double version = 0;
    long binary = 0;
    for (skip_space(t); *t->p; skip_space(t)) {
        if (accept(t, "$MeshFormat")) {
            PELT_TRY(next_number(t, &version, err));
            PELT_TRY(next_int(t, 0, 1, &binary, err));
            if (binary || !((version >= 2 && version < 3) || (version >= 4.1 && version < 5)))
                return PELT_FAIL(err, PELT_UNSUPPORTED, "Gmsh version %g%s: save it as version 2 or 4.1, ASCII", version,
                                 binary ? ", binary" : "");
        } else if (accept(t, "$Nodes")) {
            PELT_TRY(gmsh_nodes(t, version >= 4, err));
        } else if (accept(t, "$Elements")) {
            PELT_TRY(gmsh_elements(t, version >= 4, err));
        }
        skip_line(t);
    }
    return version > 0 ? PELT_OK : PELT_FAIL(err, PELT_BAD_INPUT, "line 1: $MeshFormat was expected");
}

// ---- what all have in common

static PeltStatus check_indices(const PeltiArray *list, int count, size_t vertex_count, const char *what, PeltError *err)
{
    for (size_t i = 0; i < list->count; i++) {
        const int *element = (const int *)(const void *)(list->data + i * list->size);
        for (int k = 0; k < count; k++)
            if ((size_t)element[k] >= vertex_count)
                return PELT_FAIL(err, PELT_BAD_INPUT, "%s %zu: vertex %d, of %zu", what, i + 1, element[k] + 1, vertex_count);
    }
    return PELT_OK;
}

static double volume6(const PeltiIoMesh *shape, const int *tet)
{
    double e[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            e[i][k] = (double)shape->vertices[tet[i + 1]][k] - (double)shape->vertices[tet[0]][k];
    return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
           e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

typedef struct Face {
    int key[3], corner[3]; ///< sorted; outward
    int uses;
} Face;

static void sort_three(const int *from, int *to)
{
    memcpy(to, from, 3 * sizeof(int));
    for (int pass = 0; pass < 3; pass++) {
        int i = pass % 2, low = to[i] < to[i + 1] ? to[i] : to[i + 1], high = to[i] + to[i + 1] - low;
        to[i] = low;
        to[i + 1] = high;
    }
}

/// Faces that only one tetrahedron has, in the order of the tetrahedra.
static PeltStatus find_outside(PeltiPool *pool, PeltiIoMesh *shape, PeltError *err)
{
    static const int sides[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}; // outward where the volume is positive
    PeltiPool work;
    pelti_pool_init(&work, &pool->allocator);
    size_t face_count = 4 * (size_t)shape->tetrahedron_count, slots = 16;
    while (slots < 2 * face_count)
        slots *= 2;
    Face *faces = PELTI_NEW(&work, Face, face_count);
    int *table = PELTI_NEW(&work, int, slots), used = 0; // face + 1
    if (work.failed) {
        pelti_pool_release(&work);
        return pelti_no_memory(err, face_count * sizeof(Face));
    }
    for (size_t f = 0; f < face_count; f++) {
        Face face = {.uses = 1};
        for (int k = 0; k < 3; k++)
            face.corner[k] = shape->tetrahedra[f / 4][sides[f % 4][k]];
        sort_three(face.corner, face.key);
        size_t slot = (size_t)pelti_hash_mix(pelti_hash(PELTI_HASH_START, face.key, sizeof face.key)) & (slots - 1);
        while (table[slot] && memcmp(faces[table[slot] - 1].key, face.key, sizeof face.key) != 0)
            slot = (slot + 1) & (slots - 1);
        if (table[slot]) {
            faces[table[slot] - 1].uses++;
        } else {
            faces[used] = face;
            table[slot] = ++used;
        }
    }
    int outside = 0;
    for (int f = 0; f < used; f++)
        outside += faces[f].uses == 1;
    shape->triangles = pelti_pool_take(pool, (size_t)outside, sizeof *shape->triangles);
    for (int f = 0; shape->triangles && f < used; f++)
        if (faces[f].uses == 1)
            memcpy(shape->triangles[shape->triangle_count++], faces[f].corner, sizeof faces[f].corner);
    pelti_pool_release(&work);
    return shape->triangles ? PELT_OK : pelti_no_memory(err, (size_t)outside * sizeof *shape->triangles);
}

static void *copy_list(PeltiPool *pool, const PeltiArray *list, int *count)
{
    void *copy = pelti_pool_take(pool, list->count, list->size);
    if (copy && list->count)
        memcpy(copy, list->data, list->count * list->size);
    *count = copy ? (int)list->count : 0;
    return copy;
}

static PeltStatus take_shape(PeltiPool *pool, const PeltiIoMeshText *t, PeltiIoMesh *out, PeltError *err)
{
    if (t->vertices.count == 0 || t->triangles.count + t->tetrahedra.count == 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "there is no mesh in it");
    PELT_TRY(check_indices(&t->triangles, 3, t->vertices.count, "triangle", err));
    PELT_TRY(check_indices(&t->tetrahedra, 4, t->vertices.count, "tetrahedron", err));
    out->vertices = copy_list(pool, &t->vertices, &out->vertex_count);
    out->tetrahedra = copy_list(pool, &t->tetrahedra, &out->tetrahedron_count);
    if (pool->failed)
        return pelti_no_memory(err, t->vertices.count * t->vertices.size);
    for (int i = 0; i < out->tetrahedron_count; i++) {
        int *tet = out->tetrahedra[i];
        double volume = volume6(out, tet);
        if (volume == 0)
            return PELT_FAIL(err, PELT_BAD_INPUT, "tetrahedron %d: has no volume", i + 1);
        if (volume < 0) {
            int swapped = tet[2];
            tet[2] = tet[3];
            tet[3] = swapped;
        }
    }
    if (out->tetrahedron_count)
        return find_outside(pool, out, err);
    out->triangles = copy_list(pool, &t->triangles, &out->triangle_count);
    return pool->failed ? pelti_no_memory(err, t->triangles.count * t->triangles.size) : PELT_OK;
}

PeltStatus pelti_io_mesh_load_text(PeltiPool *pool, const char *path, PeltiIoMeshParse parse, PeltiIoMesh *out, PeltError *err)
{
    void *bytes;
    size_t size;
    PELT_TRY(pelti_gltf_map_file(path, &bytes, &size, err));
    const PeltAllocator *allocator = &pool->allocator;
    char *copy = pelti_alloc(allocator, size + 1); // words are found up to a zero byte
    if (copy && size)
        memcpy(copy, bytes, size);
    if (bytes)
        munmap(bytes, size);
    if (!copy)
        return pelti_no_memory(err, size);
    copy[size] = 0;
    PeltiIoMeshText text = {.p = copy, .end = copy + size, .line = 1};
    pelti_array_init(&text.vertices, allocator, 3 * sizeof(float));
    pelti_array_init(&text.triangles, allocator, 3 * sizeof(int));
    pelti_array_init(&text.tetrahedra, allocator, 4 * sizeof(int));
    PeltStatus status = parse(&text, err);
    if (status == PELT_OK)
        status = take_shape(pool, &text, out, err);
    if (status != PELT_OK && status != PELT_FAILED)
        pelti_error_prefix(err, "%.200s", path);
    pelti_array_release(&text.vertices);
    pelti_array_release(&text.triangles);
    pelti_array_release(&text.tetrahedra);
    pelti_free(allocator, copy, size + 1);
    return status;
}
