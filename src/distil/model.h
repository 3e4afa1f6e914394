/// A distilled skin while it is fitted: by welded vertices, with all transforms a vertex may hang on and all drives picked.
#ifndef PELTI_DISTIL_MODEL_H
#define PELTI_DISTIL_MODEL_H

#include "distil/distilled.h"
#include "distil/samples.h"

enum {
    PELTI_MODEL_WAYS = 20,   ///< transforms (joints and helpers) a vertex may hang on
    PELTI_MODEL_HELPERS = 4, ///< a joint, at most: half a turn, two thirds of a twist, a push
    PELTI_MODEL_NEAR = 8,    ///< joints that may drive a vertex' correctives
    PELTI_MODEL_DRIVEN = 32, ///< correctives that may move one vertex
    PELTI_MODEL_PIECE = 256  ///< vertices a piece of parallel work
};

typedef struct PeltiDistilModelVertex {
    bool fixed; ///< keeps the weights it has, and takes no corrective: props, and what is exact already
    short way_count, near_count, driven_count;
    short way[PELTI_MODEL_WAYS];    ///< bone, or bone_count + helper
    float weight[PELTI_MODEL_WAYS]; ///< of each way, sum one
    short near[PELTI_MODEL_NEAR];   ///< bones, nearest first
    short cleared_count;
    short cleared[PELTI_MODEL_NEAR];  ///< bones near it that it does not hear; by pelti_distil_model_clear
    short driven[PELTI_MODEL_DRIVEN]; ///< correctives
} PeltiDistilModelVertex;

typedef struct PeltiDistilModel {
    const PeltiCharacter *who;
    PeltiPool *pool;
    PeltiJobs *jobs;
    PeltiDistilSamples *samples;
    PeltiProgressSink progress;
    PeltiWeights original; ///< of vertices
    PeltiWeights moved_by; ///< of vertices: what the method moves each by, and by nothing else; influences 0: it takes more
    int influences;        ///< wanted, 4 or 8
    double small_turns;    ///< rad: how firmly the original weights are believed near rest
    int helper_count;
    int half_count;       ///< of the helpers, half turns: they come first
    PeltiHelper *helpers; ///< [PELTI_MODEL_HELPERS bone_count]
    int *helper_of;       ///< [bone_count] its half turn; -1: none
    PeltiDistilModelVertex *vertices;
    int drive_count;
    PeltiDistilDrive *drives; ///< that terms of correctives name
    int corrective_count, corrective_room;
    PeltiCorrective *correctives; ///< without their points, those that take most first; see offsets
    Vec3 *offsets;                ///< [vertex_count x PELTI_MODEL_DRIVEN] by vertex and place in `driven`
    float *importance;            ///< [samples x bone_count] how much each counts in the fit of the skin of each bone, 1 and up
    double square;                ///< of all distances in the samples, with correctives; by pelti_distil_find_worse
    int worse;                    ///< samples that are worse than by the original weights, or skins of bones in them; by the same
    // of the sample at hand
    int index;
    PeltiDistilDriven driven;
    Mat34 *matrices; ///< [bone_count + room for helpers]
} PeltiDistilModel;

/// Ways and near joints of every vertex, weights as they are. `original` are of vertices.
PeltStatus pelti_distil_model(PeltiDistilModel *model, PeltError *err);
/// Joints that turn and leave a vertex where the original weights have it no longer count as near it, nor does it hang on them.
PeltStatus pelti_distil_model_clear(PeltiDistilModel *model, PeltError *err);
/// Half a turn for every joint that is worth one.
PeltStatus pelti_distil_model_helpers(PeltiDistilModel *model, PeltError *err);
PeltStatus pelti_distil_model_ways(PeltiDistilModel *model, PeltError *err); ///< anew, after helpers changed
/// Only the helpers that carry most are kept, at most `most`; the ways of others are closed.
PeltStatus pelti_distil_model_keep_helpers(PeltiDistilModel *model, int most, PeltError *err);
/// Beside half turns, up to `most` helpers in all where what is left asks for them: thirds of twists, pushes. Weights anew. The
/// error in the samples falls, or nothing is added.
PeltStatus pelti_distil_model_more_helpers(PeltiDistilModel *model, int most, PeltError *err);

/// Rules and matrices for the sample at hand.
void pelti_distil_model_drive(PeltiDistilModel *model, const PeltiDistilSample *sample);
/// Rest position of a vertex with what correctives add.
static inline Vec3 pelti_distil_model_rest(const PeltiDistilModel *model, int vertex)
{
    const PeltiDistilModelVertex *v = &model->vertices[vertex];
    const Vec3 *offsets = model->offsets + (size_t)vertex * PELTI_MODEL_DRIVEN;
    Vec3 rest = model->who->mesh->rest[vertex];
    for (int i = 0; i < v->driven_count; i++)
        rest = vec3_mad(rest, offsets[i], model->driven.correctives[v->driven[i]]);
    return rest;
}
/// The bone whose skin a vertex is part of: the one it hangs on most by the original weights.
static inline int pelti_distil_model_region(const PeltiDistilModel *model, int vertex)
{
    return model->original.bone[(size_t)vertex * (size_t)model->original.influences];
}
/// How much the sample at hand counts for a vertex.
static inline double pelti_distil_model_counts(const PeltiDistilModel *model, int vertex)
{
    size_t row = (size_t)model->index * (size_t)model->who->bone_count;
    return (double)model->importance[row + (size_t)pelti_distil_model_region(model, vertex)];
}
/// The blend of a vertex' ways.
static inline Mat34 pelti_distil_model_blend(const PeltiDistilModel *model, int vertex)
{
    const PeltiDistilModelVertex *v = &model->vertices[vertex];
    Mat34 sum = {{{0}}};
    for (int i = 0; i < v->way_count; i++)
        for (int k = 0; k < 12 && v->weight[i] > 0; k++)
            (&sum.m[0][0])[k] += v->weight[i] * (&model->matrices[v->way[i]].m[0][0])[k];
    return sum;
}

/// Runs fn over all vertices with each sample to learn from.
typedef void (*PeltiDistilModelVisit)(void *context, const PeltiDistilSample *sample, int begin, int end);
typedef struct PeltiDistilModelVisits {
    const char *stage;
    PeltiDistilModelVisit visit;
    void (*end)(void *context, int index); ///< after a sample's pieces; NULL: nothing to do
    void *context;
} PeltiDistilModelVisits;
PeltStatus pelti_distil_model_visit(PeltiDistilModel *model, const PeltiDistilModelVisits *visits, PeltError *err);
/// The same without an end.
PeltStatus pelti_distil_model_pass(PeltiDistilModel *model, const char *stage, PeltiDistilModelVisit visit, void *context,
                                   PeltError *err);

/// Weights anew, given helpers and correctives.
PeltStatus pelti_distil_fit_weights(PeltiDistilModel *model, PeltError *err);
/// What leaving each group of helpers out would cost, costs [count], as a share of the squared error with all of them; `group`
/// [helper_count - half_count] numbers those beyond half turns.
PeltStatus pelti_distil_weigh_helpers(PeltiDistilModel *model, const int *group, int count, double *costs, PeltError *err);
/// What at most `most` correctives hear: those that take most from the error, no more than `error` (root mean square, units)
/// asks.
PeltStatus pelti_distil_find_modes(PeltiDistilModel *model, int most, double error, PeltError *err);
/// Each vertex may be moved by the correctives of joints near it, those that take most first.
void pelti_distil_hand_out(PeltiDistilModel *model);
/// Offsets of all correctives anew, given weights and helpers.
PeltStatus pelti_distil_fit_offsets(PeltiDistilModel *model, PeltError *err);

/// How near the samples are met, and which are met better, or nearly, by the original weights: these count more from now on.
PeltStatus pelti_distil_find_worse(PeltiDistilModel *model, PeltError *err);

/// The model as a distilled skin, in the model's pool.
PeltStatus pelti_distil_model_finish(const PeltiDistilModel *model, PeltiDistilSkin *out, PeltError *err);

#endif
