/// Assimp gives every corner of a polygon a vertex of its own; those that agree in position, normal, texture coordinates, morph
/// targets and weights are joined.
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
    memset(row, 0, (size_t)part->width * sizeof *row);
    memcpy(row, &m->mVertices[vertex].x, 3 * sizeof *row);
    if (m->mNormals)
        memcpy(row + IMPORT_NORMAL, &m->mNormals[vertex].x, 3 * sizeof *row);
    if (m->mTextureCoords[0]) {
        row[IMPORT_UV] = m->mTextureCoords[0][vertex].x;
        row[IMPORT_UV + 1] = 1 - m->mTextureCoords[0][vertex].y; // glTF counts from the top
    }
    for (int t = 0; t < part->targets; t++)
        for (int k = 0; k < 3 && m->mAnimMeshes[t]->mVertices; k++)
            row[IMPORT_FIXED + 3 * t + k] = (&m->mAnimMeshes[t]->mVertices[vertex].x)[k] - row[k];
    for (int i = 0; i < IMPORT_FIXED + 3 * part->targets; i++)
        row[i] = isfinite(row[i]) ? row[i] + 0.0f : 0; // no negative zeros: rows are compared as bytes
    float *pair = row + IMPORT_FIXED + 3 * part->targets;
    unsigned at = part->start ? part->start[vertex] : 0, end = part->start ? part->start[vertex + 1] : 0;
    for (int k = 0; k < 4 * part->set_count && at < end; k++, at++) {
        pair[2 * k] = (float)part->joint[at];
        pair[2 * k + 1] = part->weight[at];
    }
}

const float *import_part_row(ImportPart *part, int vertex)
{
    fill_row(part, vertex, part->row);
    return part->row;
}

// ---- joining

/// Points by the hash of their rows, in a table that grows with them.
typedef struct Table {
    size_t slots;   // a power of two
    int *point;     // [slots] -1: free
    uint32_t *hash; // [room] of points
    int room;
} Table;

static bool grow(ImportPart *part, Table *table)
{
    int room = table->room ? 2 * table->room : 1024;
    size_t slots = 2 * (size_t)room;
    uint32_t *hash = realloc(table->hash, (size_t)room * sizeof *hash);
    table->hash = hash ? hash : table->hash;
    int *first = realloc(part->first, (size_t)room * sizeof *first), *point = malloc(slots * sizeof *point);
    part->first = first ? first : part->first;
    if (!hash || !first || !point) {
        free(point);
        return false;
    }
    free(table->point);
    *table = (Table){slots, point, hash, room};
    memset(point, 0xff, slots * sizeof *point);
    for (int p = 0; p < part->point_count; p++) {
        size_t slot = hash[p] & (slots - 1);
        while (point[slot] >= 0)
            slot = (slot + 1) & (slots - 1);
        point[slot] = p;
    }
    return true;
}

/// FNV-1a by numbers in place of bytes, which is a quarter of the multiplications.
static uint32_t hash_row(const float *row, int width)
{
    uint64_t hash = PELTI_HASH_START;
    for (int i = 0; i < width; i++) {
        uint32_t word;
        memcpy(&word, row + i, sizeof word);
        hash = (hash ^ word) * 1099511628211ull;
    }
    return (uint32_t)pelti_mix(hash);
}

/// The point that has the row, a new one where none has.
static int find_point(ImportPart *part, Table *table, int vertex)
{
    size_t bytes = (size_t)part->width * sizeof *part->row;
    fill_row(part, vertex, part->row);
    uint32_t hash = hash_row(part->row, part->width);
    size_t slot = hash & (table->slots - 1);
    for (; table->point[slot] >= 0; slot = (slot + 1) & (table->slots - 1)) {
        int p = table->point[slot];
        if (table->hash[p] != hash)
            continue;
        fill_row(part, part->first[p], part->other);
        if (!memcmp(part->row, part->other, bytes))
            return p;
    }
    table->point[slot] = part->point_count;
    table->hash[part->point_count] = hash;
    part->first[part->point_count] = vertex;
    return part->point_count++;
}

static bool join_points(ImportPart *part)
{
    Table table = {0};
    bool ok = grow(part, &table);
    for (unsigned v = 0; ok && v < part->from->mNumVertices; v++) {
        part->point[v] = find_point(part, &table, (int)v);
        if (part->point_count == table.room)
            ok = grow(part, &table);
    }
    free(table.point);
    free(table.hash);
    return ok;
}

bool import_part(ImportScene *s, const struct aiMesh *mesh, const ImportSkin *skin, int targets, ImportPart *part)
{
    *part = (ImportPart){.from = mesh, .targets = (int)mesh->mNumAnimMeshes < targets ? (int)mesh->mNumAnimMeshes : targets};
    if (skin->joint_count && !gather_influences(s, skin, part))
        return false;
    part->width = IMPORT_FIXED + 3 * part->targets + 8 * part->set_count;
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
