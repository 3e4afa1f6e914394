/// The file's weights: any number of sets, normalised, sorted, over bones.
#include "io/gltf_parts.h"

#include <string.h>

enum { CHUNK = 512, SETS_MOST = 16, LEAST_INFLUENCES = 4 };

/// One piece of a primitive, decoded: [CHUNK x 4] for each set.
typedef struct Piece {
    uint32_t joint[SETS_MOST][CHUNK * 4];
    float weight[SETS_MOST][CHUNK * 4];
} Piece;

typedef struct Tally {
    int bad_sums;
    PeltiBadRows rows; // `bad` is made when the first is met
} Tally;

static PeltStatus decode_piece(const PeltiGltf *doc, const PeltiGltfPrimitive *primitive, int first, int count, bool joints,
                               Piece *piece, PeltError *err)
{
    for (int s = 0; s < primitive->set_count; s++) {
        if (joints)
            PELT_TRY(pelti_gltf_indices_of(doc, primitive->joints[s], 4, first, count, piece->joint[s], err));
        PELT_TRY(pelti_gltf_floats_of(doc, primitive->weights[s], 4, first, count, piece->weight[s], err));
    }
    return PELT_OK;
}

static int piece_length(const PeltiGltfPrimitive *primitive, int first)
{
    int left = primitive->point_count - first;
    return left < CHUNK ? left : CHUNK;
}

/// The most influences a vertex of the primitive has; one set of four is never looked at.
static PeltStatus widest(const PeltiGltf *doc, const PeltiGltfPrimitive *primitive, Piece *piece, int *influences, PeltError *err)
{
    for (int first = 0; primitive->set_count > 1 && first < primitive->point_count; first += CHUNK) {
        int count = piece_length(primitive, first);
        PELT_TRY(decode_piece(doc, primitive, first, count, false, piece, err));
        for (int v = 0; v < count; v++) {
            int used = 0;
            for (int k = 0; k < 4 * primitive->set_count; k++)
                used += piece->weight[k / 4][4 * v + k % 4] > 0;
            *influences = used > *influences ? used : *influences;
        }
    }
    return PELT_OK;
}

/// Keeps the rows sorted by falling weight while they fill: equal weights stay in file order.
static void insert(int *bone, float *weight, int held, int new_bone, float new_weight)
{
    int k = held;
    for (; k > 0 && weight[k - 1] < new_weight; k--) {
        weight[k] = weight[k - 1];
        bone[k] = bone[k - 1];
    }
    weight[k] = new_weight;
    bone[k] = new_bone;
}

/// A share below zero by more than rounding: the row means something else.
static const float NEGATIVE_MOST = 0.01f;

/// Nothing can be taken from the row: the first joint holds its place until the character mends it.
static void mark_bad(const PeltiInstance *instance, bool finite, bool negative, int *bone, float *weight, Tally *tally)
{
    bone[0] = instance->bones[0];
    weight[0] = 1;
    if (!finite)
        tally->rows.not_finite++;
    else if (negative)
        tally->rows.negative++;
    else
        tally->rows.absent++;
}

/// *held: influences written; 0: the row is bad.
static PeltStatus fill_vertex(const PeltiInstance *instance, const PeltiGltfPrimitive *primitive, const Piece *piece, int v,
                              int *bone, float *weight, Tally *tally, int *held_out, PeltError *err)
{
    int held = 0;
    float sum = 0;
    bool finite = true, negative = false;
    for (int s = 0; s < primitive->set_count; s++)
        for (int k = 4 * v; k < 4 * v + 4; k++) {
            float w = piece->weight[s][k];
            uint32_t joint = piece->joint[s][k];
            if (w > 0 && w <= 1e6f) {
                if (joint >= (uint32_t)instance->bone_count)
                    return PELT_FAIL(err, PELT_BAD_INPUT, "accessor %d: joint %u, of %d joints in skin %d", primitive->joints[s],
                                     joint, instance->bone_count, instance->skin);
                insert(bone, weight, held++, instance->bones[joint], w);
                sum += w;
            } else {
                finite = finite && fabsf(w) <= 1e6f; // false for NaN
                negative = negative || w < -NEGATIVE_MOST;
            }
        }
    *held_out = 0;
    if (!finite || negative || held == 0) {
        mark_bad(instance, finite, negative, bone, weight, tally);
        return PELT_OK;
    }
    tally->bad_sums += !(fabsf(sum - 1) <= 0.01f);
    for (int k = 0; k < held; k++)
        weight[k] /= sum;
    *held_out = held;
    return PELT_OK;
}

static PeltStatus remember_bad(PeltiGltfReader *reader, Tally *tally, int point, int count, PeltError *err)
{
    if (!tally->rows.bad)
        tally->rows.bad = PELTI_NEW(&reader->who->pool, bool, reader->who->point_count);
    if (!tally->rows.bad)
        return pelti_no_memory(err, (size_t)reader->who->point_count);
    memset(tally->rows.bad + point, true, (size_t)count);
    return PELT_OK;
}

static PeltStatus fill_primitive(PeltiGltfReader *reader, const PeltiInstance *instance, const PeltiGltfPrimitive *primitive,
                                 int first_point, int influences, int *bones, float *weights, Piece *piece, Tally *tally,
                                 PeltError *err)
{
    for (int first = 0; first < primitive->point_count; first += CHUNK) {
        int count = piece_length(primitive, first);
        PELT_TRY(decode_piece(reader->doc, primitive, first, count, true, piece, err));
        for (int v = 0; v < count; v++) {
            size_t at = (size_t)(first_point + first + v) * (size_t)influences;
            int held = 0;
            PELT_TRY(fill_vertex(instance, primitive, piece, v, bones + at, weights + at, tally, &held, err));
            if (held == 0)
                PELT_TRY(remember_bad(reader, tally, first_point + first + v, 1, err));
            for (int k = held > 0 ? held : 1; k < influences; k++) { // a padding bone must be one that may own the point
                bones[at + (size_t)k] = bones[at];
                weights[at + (size_t)k] = 0;
            }
        }
    }
    return PELT_OK;
}

/// All on one bone: unskinned meshes, and skinned ones without weights (as viewers do).
static void fill_rigid(int bone, int first_point, int count, int influences, int *bones, float *weights)
{
    for (int v = first_point; v < first_point + count; v++)
        for (int k = 0; k < influences; k++) {
            bones[(size_t)v * (size_t)influences + (size_t)k] = bone;
            weights[(size_t)v * (size_t)influences + (size_t)k] = k == 0;
        }
}

static PeltStatus count_influences(const PeltiGltfReader *reader, Piece *piece, int *influences, PeltError *err)
{
    const PeltiGltf *doc = reader->doc;
    *influences = LEAST_INFLUENCES;
    for (int i = 0, mesh_before = -1; i < reader->who->instance_count; i++) {
        const PeltiInstance *instance = &reader->who->instances[i];
        const PeltiGltfMesh *mesh = &doc->meshes[instance->mesh];
        if (instance->skin < 0 || instance->mesh == mesh_before)
            continue;
        mesh_before = instance->mesh;
        for (int p = 0; p < mesh->primitive_count; p++)
            PELT_TRY(widest(doc, &doc->primitives[mesh->first_primitive + p], piece, influences, err));
    }
    if ((size_t)*influences * (size_t)reader->who->point_count > 32 * doc->point_limit)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%d influences for each of %d points are more than a file of this size may have",
                         *influences, reader->who->point_count);
    return PELT_OK;
}

/// A skinned primitive without weights: each of its rows is absent.
static PeltStatus note_unweighted(PeltiGltfReader *reader, const PeltiInstance *instance, int index, int first_point,
                                  Tally *tally, PeltError *err)
{
    int count = reader->doc->primitives[reader->doc->meshes[instance->mesh].first_primitive + index].point_count;
    if (instance->skin < 0 || count == 0)
        return PELT_OK;
    pelti_warn(&reader->who->log, "weights-missing", "mesh %d: primitive %d has a skin but no weights", instance->mesh, index);
    tally->rows.absent += count;
    return remember_bad(reader, tally, first_point, count, err);
}

static PeltStatus fill(PeltiGltfReader *reader, Piece *piece, int *bones, float *weights, int influences, PeltError *err)
{
    const PeltiGltf *doc = reader->doc;
    PeltiCharacter *who = reader->who;
    Tally tally = {0};
    for (int i = 0; i < who->instance_count; i++) {
        const PeltiInstance *instance = &who->instances[i];
        const PeltiGltfMesh *mesh = &doc->meshes[instance->mesh];
        int point = instance->first_point;
        for (int p = 0; p < mesh->primitive_count; p++) {
            const PeltiGltfPrimitive *primitive = &doc->primitives[mesh->first_primitive + p];
            if (instance->skin >= 0 && primitive->set_count > 0 && primitive->position >= 0) {
                PELT_TRY(fill_primitive(reader, instance, primitive, point, influences, bones, weights, piece, &tally, err));
            } else {
                fill_rigid(instance->bones[0], point, primitive->point_count, influences, bones, weights);
                PELT_TRY(note_unweighted(reader, instance, p, point, &tally, err));
            }
            point += primitive->point_count;
        }
    }
    who->bad_rows = tally.rows;
    if (tally.bad_sums)
        pelti_warn(&who->log, "weights-sum", "%d vertices have weights that do not sum to 1; they are normalised",
                   tally.bad_sums);
    return PELT_OK;
}

PeltStatus pelti_gltf_read_weights(PeltiGltfReader *reader, PeltError *err)
{
    PeltiCharacter *who = reader->who;
    Piece *piece = PELTI_NEW(&reader->work, Piece, 1);
    int influences;
    if (!piece)
        return pelti_no_memory(err, sizeof *piece);
    PELT_TRY(count_influences(reader, piece, &influences, err));
    size_t count = (size_t)who->point_count * (size_t)influences;
    int *bones = PELTI_NEW(&who->pool, int, count);
    float *weights = PELTI_NEW(&who->pool, float, count);
    if (!bones || !weights)
        return pelti_no_memory(err, count * sizeof(float));
    who->file_weights = (PeltiWeights){influences, bones, weights};
    return fill(reader, piece, bones, weights, influences, err);
}
