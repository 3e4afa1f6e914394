/// Joins the vertices that Assimp gives every corner of a polygon.
/// Those are one that agree in position, normal, texture coordinates, morph targets and weights.
#include "scene.h"

#include "core/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SETS_MOST = 16 };

// ---- influences

/// Calls for every influence that counts, in the order of the bones.
static void each_influence(ImportScene *s, const ImportSkin *skin, ImportPart *part, bool fill)
{
    const struct aiMesh *m = part->from;
    for (unsigned b = 0; b < m->mNumBones; b++) {
        int node = import_find_node(s, m->mBones[b]->mName.data), joint = node >= 0 ? import_joint(skin, node) : -1;
        for (unsigned i = 0; joint >= 0 && i < m->mBones[b]->mNumWeights; i++) {
            const struct aiVertexWeight *w = &m->mBones[b]->mWeights[i];
            if (w->mVertexId >= m->mNumVertices || !(w->mWeight > 0))
                continue;
            unsigned at = part->start[w->mVertexId]++;
            if (!fill)
                continue;
            part->joint[at] = (uint16_t)joint;
            part->weight[at] = w->mWeight;
        }
    }
}

/// Counts, then places, then fills, each start moving to its end; at last all move back by one.
static bool gather_influences(ImportScene *s, const ImportSkin *skin, ImportPart *part)
{
    unsigned count = part->from->mNumVertices, most = 0, sum = 0;
    part->start = calloc((size_t)count + 1, sizeof *part->start);
    if (!part->start)
        return false;
    each_influence(s, skin, part, false);
    for (unsigned v = 0; v < count; v++) {
        unsigned held = part->start[v];
        most = held > most ? held : most;
        part->start[v] = sum;
        sum += held;
    }
    part->joint = malloc(((size_t)sum + 1) * sizeof *part->joint);
    part->weight = malloc(((size_t)sum + 1) * sizeof *part->weight);
    if (!part->joint || !part->weight)
        return false;
    each_influence(s, skin, part, true);
    memmove(part->start + 1, part->start, (size_t)count * sizeof *part->start);
    part->start[0] = 0;
    int sets = (int)(most < 4 * SETS_MOST ? (most + 3) / 4 : SETS_MOST);
    part->set_count = sets < 1 ? 1 : sets;
    return true;
}

// ---- rows

static void fill_row(const ImportPart *part, int vertex, float *row)
{
    const struct aiMesh *m = part->from;
    memset(row, 0, IMPORT_FIXED * sizeof *row);
    memcpy(row, &m->mVertices[vertex].x, 3 * sizeof *row);
    if (m->mNormals)
        memcpy(row + IMPORT_NORMAL, &m->mNormals[vertex].x, 3 * sizeof *row);
    if (m->mTextureCoords[0]) {
        row[IMPORT_UV] = m->mTextureCoords[0][vertex].x;
        row[IMPORT_UV + 1] = 1 - m->mTextureCoords[0][vertex].y; // glTF counts from the top
    }
    for (int t = 0; t < part->targets; t++)
        for (int k = 0; k < 3; k++)
            row[IMPORT_FIXED + 3 * t + k] =
                m->mAnimMeshes[t]->mVertices ? (&m->mAnimMeshes[t]->mVertices[vertex].x)[k] - row[k] : 0;
    for (int i = 0; i < part->width; i++)
        row[i] = isfinite(row[i]) ? row[i] + 0.0f : 0; // no negative zeros: rows are compared as bytes
}

const float *import_part_row(ImportPart *part, int vertex)
{
    fill_row(part, vertex, part->row);
    return part->row;
}

int import_part_influences(const ImportPart *part, int vertex, unsigned *at)
{
    *at = part->start ? part->start[vertex] : 0;
    unsigned count = part->start ? part->start[vertex + 1] - *at : 0, most = 4 * (unsigned)part->set_count;
    return (int)(count < most ? count : most);
}

// ---- joining

/// Points by their hash, in a table that grows with them; a slot has both, since each look elsewhere is a miss of the cache.
typedef struct Slot {
    int point; // -1: free
    uint32_t hash;
} Slot;

typedef struct PointTable {
    size_t count; // a power of two
    Slot *slots;
    int room; // for points
} PointTable;

static void put(PointTable *table, Slot slot)
{
    size_t at = slot.hash & (table->count - 1);
    while (table->slots[at].point >= 0)
        at = (at + 1) & (table->count - 1);
    table->slots[at] = slot;
}

static bool grow(ImportPart *part, PointTable *table)
{
    PointTable more = {.room = table->room ? 2 * table->room : 1024};
    more.count = 2 * (size_t)more.room;
    more.slots = malloc(more.count * sizeof *more.slots);
    int *first = realloc(part->first, (size_t)more.room * sizeof *first);
    part->first = first ? first : part->first;
    if (!more.slots || !first) {
        free(more.slots);
        return false;
    }
    memset(more.slots, 0xff, more.count * sizeof *more.slots);
    for (size_t i = 0; i < table->count; i++)
        if (table->slots[i].point >= 0)
            put(&more, table->slots[i]);
    free(table->slots);
    *table = more;
    return true;
}

/// FNV-1a by numbers in place of bytes, which is a quarter of the multiplications.
static uint64_t hash_words(uint64_t hash, const float *values, int count)
{
    for (int i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, values + i, sizeof word);
        hash = (hash ^ word) * 1099511628211ull;
    }
    return hash;
}

static uint32_t hash_vertex(const ImportPart *part, int vertex)
{
    unsigned at;
    int count = import_part_influences(part, vertex, &at);
    uint64_t hash = hash_words(PELTI_HASH_START, part->row, part->width);
    for (int k = 0; k < count; k++)
        hash = (hash ^ part->joint[at + (unsigned)k]) * 1099511628211ull;
    return (uint32_t)pelti_hash_mix(count ? hash_words(hash, part->weight + at, count) : hash);
}

/// Of the vertex whose row is at hand and another.
static bool is_same(const ImportPart *part, int vertex, int other)
{
    unsigned a, b;
    int count = import_part_influences(part, vertex, &a), other_count = import_part_influences(part, other, &b);
    if (count != other_count)
        return false;
    if (count && (memcmp(part->joint + a, part->joint + b, (size_t)count * sizeof *part->joint) != 0 ||
                  memcmp(part->weight + a, part->weight + b, (size_t)count * sizeof *part->weight) != 0))
        return false;
    fill_row(part, other, part->other);
    return !memcmp(part->row, part->other, (size_t)part->width * sizeof *part->row);
}

/// The point that is the same, a new one where none is.
static int find_point(ImportPart *part, PointTable *table, int vertex)
{
    fill_row(part, vertex, part->row);
    uint32_t hash = hash_vertex(part, vertex);
    size_t at = hash & (table->count - 1);
    for (; table->slots[at].point >= 0; at = (at + 1) & (table->count - 1))
        if (table->slots[at].hash == hash && is_same(part, vertex, part->first[table->slots[at].point]))
            return table->slots[at].point;
    table->slots[at] = (Slot){part->point_count, hash};
    part->first[part->point_count] = vertex;
    return part->point_count++;
}

static bool join_points(ImportPart *part)
{
    PointTable table = {0};
    bool ok = grow(part, &table);
    for (unsigned v = 0; ok && v < part->from->mNumVertices; v++) {
        part->point[v] = find_point(part, &table, (int)v);
        if (part->point_count == table.room)
            ok = grow(part, &table);
    }
    free(table.slots);
    return ok;
}

bool import_part(ImportScene *s, const struct aiMesh *mesh, const ImportSkin *skin, int targets, ImportPart *part)
{
    *part = (ImportPart){.from = mesh, .targets = (int)mesh->mNumAnimMeshes < targets ? (int)mesh->mNumAnimMeshes : targets};
    if (skin->joint_count && !gather_influences(s, skin, part))
        return false;
    part->width = IMPORT_FIXED + 3 * part->targets;
    part->row = calloc((size_t)part->width, sizeof *part->row);
    part->other = calloc((size_t)part->width, sizeof *part->other);
    part->point = malloc(((size_t)mesh->mNumVertices + 1) * sizeof *part->point);
    return part->row && part->other && part->point && join_points(part);
}

void import_part_release(ImportPart *part)
{
    free(part->start);
    free(part->joint);
    free(part->weight);
    free(part->row);
    free(part->other);
    free(part->point);
    free(part->first);
}
