/// The file's weights: any number of sets, normalised, sorted, over bones.
#include "io/gltf_parts.h"

#include <string.h>

enum { CHUNK = 512, SETS_MOST = 16, LEAST_INFLUENCES = 4 };

/// Points [first, first + count) of a primitive, decoded: [CHUNK x 4] for each set.
typedef struct DecodedWeights {
    int first, count;
    uint32_t joint[SETS_MOST][CHUNK * 4];
    float weight[SETS_MOST][CHUNK * 4];
} DecodedWeights;

typedef struct WeightFaults {
    int bad_sums;
    PeltiWeightsBad rows; // `bad` is made when the first is met
} WeightFaults;

/// What is being filled, from what.
typedef struct WeightRows {
    PeltiGltfReader *reader;
    DecodedWeights *piece;
    int influences; // a point
    int *bones;     // [point_count x influences]
    float *weights;
    int first_point; // of the primitive at hand
    WeightFaults tally;
} WeightRows;

/// The next points from `first` on.
static PeltStatus decode_piece(const PeltiGltf *doc, const PeltiGltfPrimitive *primitive, int first, bool joints,
                               DecodedWeights *piece, PeltError *err)
{
    int left = primitive->point_count - first;
    piece->first = first;
    piece->count = left < CHUNK ? left : CHUNK;
    for (int s = 0; s < primitive->set_count; s++) {
        if (joints)
            PELT_TRY(
                pelti_gltf_indices_of(doc, (PeltiGltfSpan){primitive->joints[s], 4, first, piece->count}, piece->joint[s], err));
        PELT_TRY(
            pelti_gltf_floats_of(doc, (PeltiGltfSpan){primitive->weights[s], 4, first, piece->count}, piece->weight[s], err));
    }
    return PELT_OK;
}

/// The most influences a vertex of the primitive has; one set of four is never looked at.
static PeltStatus widest(const PeltiGltf *doc, const PeltiGltfPrimitive *primitive, DecodedWeights *piece, int *influences,
                         PeltError *err)
{
    for (int first = 0; primitive->set_count > 1 && first < primitive->point_count; first += CHUNK) {
        PELT_TRY(decode_piece(doc, primitive, first, false, piece, err));
        for (int v = 0; v < piece->count; v++) {
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

/// A share below zero by more than rounding: the row means something else. What is less is taken for nothing, which moves a point
/// by a hundredth of a bone's way; a row's sum may be off by as much before it is told of. Chosen, not measured.
static const float NEGATIVE_MOST = 0.01f;

/// Nothing can be taken from the row: the first joint holds its place until the character mends it.
static void mark_bad(const PeltiInstance *instance, bool finite, bool negative, int *bone, float *weight, WeightFaults *tally)
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

/// Point v of the piece. *held: influences written; 0: the row is bad.
static PeltStatus fill_vertex(WeightRows *rows, const PeltiInstance *instance, const PeltiGltfPrimitive *primitive, int v,
                              int *held_out, PeltError *err)
{
    const DecodedWeights *piece = rows->piece;
    size_t at = (size_t)(rows->first_point + piece->first + v) * (size_t)rows->influences;
    int held = 0, *bone = rows->bones + at;
    float *weight = rows->weights + at;
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
        mark_bad(instance, finite, negative, bone, weight, &rows->tally);
        return PELT_OK;
    }
    rows->tally.bad_sums += !(fabsf(sum - 1) <= 0.01f);
    for (int k = 0; k < held; k++)
        weight[k] /= sum;
    *held_out = held;
    return PELT_OK;
}

static PeltStatus remember_bad(WeightRows *rows, int point, int count, PeltError *err)
{
    PeltiCharacter *who = rows->reader->who;
    bool **bad = &rows->tally.rows.bad;
    if (!*bad)
        *bad = PELTI_NEW(&who->pool, bool, who->point_count);
    if (!*bad)
        return pelti_no_memory(err, (size_t)who->point_count);
    memset(*bad + point, true, (size_t)count);
    return PELT_OK;
}

static PeltStatus fill_primitive(WeightRows *rows, const PeltiInstance *instance, const PeltiGltfPrimitive *primitive,
                                 PeltError *err)
{
    for (int first = 0; first < primitive->point_count; first += CHUNK) {
        PELT_TRY(decode_piece(rows->reader->doc, primitive, first, true, rows->piece, err));
        for (int v = 0; v < rows->piece->count; v++) {
            size_t at = (size_t)(rows->first_point + first + v) * (size_t)rows->influences;
            int held = 0;
            PELT_TRY(fill_vertex(rows, instance, primitive, v, &held, err));
            if (held == 0)
                PELT_TRY(remember_bad(rows, rows->first_point + first + v, 1, err));
            for (int k = held > 0 ? held : 1; k < rows->influences; k++) { // a padding bone must be one that may own the point
                rows->bones[at + (size_t)k] = rows->bones[at];
                rows->weights[at + (size_t)k] = 0;
            }
        }
    }
    return PELT_OK;
}

/// All on one bone: unskinned meshes, and skinned ones without weights (as viewers do).
static void fill_rigid(WeightRows *rows, int bone, int count)
{
    for (int v = rows->first_point; v < rows->first_point + count; v++)
        for (int k = 0; k < rows->influences; k++) {
            rows->bones[(size_t)v * (size_t)rows->influences + (size_t)k] = bone;
            rows->weights[(size_t)v * (size_t)rows->influences + (size_t)k] = k == 0;
        }
}

static PeltStatus count_influences(const PeltiGltfReader *reader, DecodedWeights *piece, int *influences, PeltError *err)
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
static PeltStatus note_unweighted(WeightRows *rows, const PeltiInstance *instance, int index, PeltError *err)
{
    const PeltiGltfReader *reader = rows->reader;
    int count = reader->doc->primitives[reader->doc->meshes[instance->mesh].first_primitive + index].point_count;
    if (instance->skin < 0 || count == 0)
        return PELT_OK;
    pelti_warn(&reader->who->log, "weights-missing", "mesh %d: primitive %d has a skin but no weights", instance->mesh, index);
    rows->tally.rows.absent += count;
    return remember_bad(rows, rows->first_point, count, err);
}

static PeltStatus fill(WeightRows *rows, PeltError *err)
{
    const PeltiGltf *doc = rows->reader->doc;
    PeltiCharacter *who = rows->reader->who;
    for (int i = 0; i < who->instance_count; i++) {
        const PeltiInstance *instance = &who->instances[i];
        const PeltiGltfMesh *mesh = &doc->meshes[instance->mesh];
        rows->first_point = instance->first_point;
        for (int p = 0; p < mesh->primitive_count; p++) {
            const PeltiGltfPrimitive *primitive = &doc->primitives[mesh->first_primitive + p];
            if (instance->skin >= 0 && primitive->set_count > 0 && primitive->position >= 0) {
                PELT_TRY(fill_primitive(rows, instance, primitive, err));
            } else {
                fill_rigid(rows, instance->bones[0], primitive->point_count);
                PELT_TRY(note_unweighted(rows, instance, p, err));
            }
            rows->first_point += primitive->point_count;
        }
    }
    who->bad_rows = rows->tally.rows;
    if (rows->tally.bad_sums)
        pelti_warn(&who->log, "weights-sum", "%d vertices have weights that do not sum to 1; they are normalised",
                   rows->tally.bad_sums);
    return PELT_OK;
}

PeltStatus pelti_gltf_read_weights(PeltiGltfReader *reader, PeltError *err)
{
    PeltiCharacter *who = reader->who;
    DecodedWeights *piece = PELTI_NEW(&reader->work, DecodedWeights, 1);
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
    return fill(&(WeightRows){.reader = reader, .piece = piece, .influences = influences, .bones = bones, .weights = weights},
                err);
}
