/// What a vertex may hang on, and passes over the samples.
#include "distil/model.h"
#include "character/weights.h"

#include <stdio.h>
#include <string.h>

#include "distil/constants.def"

// ---- ways and near joints ----

/// Bones in the order they were met, each once.
typedef struct Met {
    int count;
    int *bones, *steps; // steps along the skeleton from the vertex' own
    bool *seen, *allowed;
} Met;

static void meet(Met *met, int bone, int steps)
{
    if (bone < 0 || met->seen[bone] || !met->allowed[bone])
        return;
    met->seen[bone] = true;
    met->steps[met->count] = steps;
    met->bones[met->count++] = bone;
}

static void forget(Met *met)
{
    for (int i = 0; i < met->count; i++)
        met->seen[met->bones[i]] = false;
    met->count = 0;
}

static void meet_own(Met *met, const PeltiWeights *weights, int vertex)
{
    for (int i = 0; i < weights->influences; i++) {
        size_t at = (size_t)vertex * (size_t)weights->influences + (size_t)i;
        if (weights->weight[at] > 0)
            meet(met, weights->bone[at], 0);
    }
}

/// Parents and children of all that were met `steps` away.
static void meet_next(Met *met, const PeltiCharacter *who, int steps)
{
    int count = met->count;
    for (int i = 0; i < count; i++)
        if (met->steps[i] == steps)
            meet(met, who->bones[met->bones[i]].parent, steps + 1);
    for (int b = 0; b < who->bone_count; b++) {
        int parent = who->bones[b].parent;
        for (int i = 0; i < count && parent >= 0 && met->seen[parent]; i++)
            if (met->bones[i] == parent && met->steps[i] == steps)
                meet(met, b, steps + 1);
    }
}

static void add_way(PeltiDistilModelVertex *v, int way)
{
    if (v->way_count < PELTI_MODEL_WAYS)
        v->way[v->way_count++] = (short)way;
}

static bool is_cleared(const PeltiDistilModelVertex *v, int bone)
{
    for (int i = 0; i < v->cleared_count; i++)
        if (v->cleared[i] == bone)
            return true;
    return false;
}

static void fill_ways(const PeltiDistilModel *model, PeltiDistilModelVertex *v, const Met *met)
{
    v->way_count = 0;
    for (int i = 0; i < met->count; i++) {
        if (is_cleared(v, met->bones[i]))
            continue;
        add_way(v, met->bones[i]);
        if (model->helper_of[met->bones[i]] >= 0)
            add_way(v, model->who->bone_count + model->helper_of[met->bones[i]]);
    }
    for (int i = 0; i < met->count; i++)
        for (int h = model->half_count; h < model->helper_count; h++)
            if (model->helpers[h].driver == met->bones[i] && !is_cleared(v, met->bones[i]))
                add_way(v, model->who->bone_count + h);
}

/// Whether a joint lies between bones that the method moves a vertex by: if not, its turn carries all of them alike, or none.
static bool is_between(const PeltiDistilModel *model, int vertex, int joint)
{
    const PeltiWeights *by = &model->moved_by;
    int above = 0, below = 0;
    for (int i = 0; i < by->influences; i++) {
        size_t at = (size_t)vertex * (size_t)by->influences + (size_t)i;
        int bone = by->bone[at];
        if (!(by->weight[at] > 0))
            continue;
        while (bone >= 0 && bone != joint)
            bone = model->who->bones[bone].parent;
        *(bone >= 0 ? &below : &above) += 1;
    }
    return above > 0 && below > 0;
}

/// Whether a joint (one that has a parent) may have a say in where a vertex is.
static bool is_heard(const PeltiDistilModel *model, int vertex, int bone)
{
    const PeltiBone *joint = &model->who->bones[bone];
    return joint->parent >= 0 && !joint->is_prop && !is_cleared(&model->vertices[vertex], bone) &&
           (model->moved_by.influences == 0 || is_between(model, vertex, bone));
}

/// Joints that a vertex may hear, nearest first.
static void fill_near(const PeltiDistilModel *model, int vertex, const Met *met)
{
    const PeltiCharacter *who = model->who;
    PeltiDistilModelVertex *v = &model->vertices[vertex];
    float distance[PELTI_MODEL_NEAR];
    v->near_count = 0;
    for (int i = 0; i < met->count; i++) {
        int b = met->bones[i], at = v->near_count;
        float d = vec3_distance(who->bones[b].head, who->mesh->rest[vertex]);
        if (!is_heard(model, vertex, b))
            continue;
        for (; at > 0 && d < distance[at - 1]; at--) {
            if (at < PELTI_MODEL_NEAR) {
                distance[at] = distance[at - 1];
                v->near[at] = v->near[at - 1];
            }
        }
        if (at < PELTI_MODEL_NEAR) {
            distance[at] = d;
            v->near[at] = (short)b;
            v->near_count = (short)(v->near_count + (v->near_count < PELTI_MODEL_NEAR));
        }
    }
}

static void put_original(const PeltiDistilModel *model, int vertex)
{
    PeltiDistilModelVertex *v = &model->vertices[vertex];
    const PeltiWeights *original = &model->original;
    memset(v->weight, 0, sizeof v->weight);
    for (int i = 0; i < original->influences; i++) {
        size_t at = (size_t)vertex * (size_t)original->influences + (size_t)i;
        for (int w = 0; w < v->way_count; w++)
            if (v->way[w] == original->bone[at])
                v->weight[w] += original->weight[at];
    }
}

static void allow(const PeltiDistilModel *model, int vertex, Met *met)
{
    const PeltiInstance *instance = &model->who->instances[model->who->mesh->vertex_instance[vertex]];
    memset(met->allowed, 0, (size_t)model->who->bone_count * sizeof *met->allowed);
    for (int i = 0; i < instance->bone_count; i++)
        met->allowed[instance->bones[i]] = true;
    model->vertices[vertex].fixed = instance->skin < 0 || instance->bone_count < 2;
}

static Met met_new(PeltiDistilModel *model)
{
    int bones = model->who->bone_count;
    return (Met){.bones = PELTI_NEW(model->pool, int, bones),
                 .steps = PELTI_NEW(model->pool, int, bones),
                 .seen = PELTI_NEW(model->pool, bool, bones),
                 .allowed = PELTI_NEW(model->pool, bool, bones)};
}

PeltStatus pelti_distil_model_ways(PeltiDistilModel *model, PeltError *err)
{
    const PeltiMesh *mesh = model->who->mesh;
    Met met = met_new(model);
    if (model->pool->failed)
        return pelti_no_memory(err, 4 * (size_t)model->who->bone_count);
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (v == 0 || mesh->vertex_instance[v] != mesh->vertex_instance[v - 1])
            allow(model, v, &met);
        else
            model->vertices[v].fixed = model->vertices[v - 1].fixed;
        meet_own(&met, &model->original, v);
        for (int i = mesh->ring_start[v]; i < mesh->ring_start[v + 1]; i++)
            meet_own(&met, &model->original, mesh->ring[i]);
        meet_next(&met, model->who, 0);
        fill_ways(model, &model->vertices[v], &met);
        for (int steps = 1; steps < NEAR_JOINTS; steps++)
            meet_next(&met, model->who, steps);
        fill_near(model, v, &met);
        put_original(model, v);
        forget(&met);
    }
    return PELT_OK;
}

// ---- helpers ----

/// A joint is worth a helper where vertices hang on it and on its parent both: there a blend collapses.
static bool *bending_joints(PeltiDistilModel *model)
{
    const PeltiCharacter *who = model->who;
    bool *bends = PELTI_NEW(model->pool, bool, who->bone_count);
    const PeltiWeights *w = &model->original;
    for (int v = 0; v < who->mesh->vertex_count && bends; v++)
        for (int i = 0; i < w->influences; i++)
            for (int k = 0; k < w->influences; k++) {
                size_t row = (size_t)v * (size_t)w->influences;
                int bone = w->bone[row + (size_t)i], other = w->bone[row + (size_t)k];
                if (w->weight[row + (size_t)i] > 0 && w->weight[row + (size_t)k] > 0 && who->bones[bone].parent == other)
                    bends[bone] = true;
            }
    return bends;
}

PeltStatus pelti_distil_model_helpers(PeltiDistilModel *model, PeltError *err)
{
    const PeltiCharacter *who = model->who;
    const bool *bends = bending_joints(model);
    for (int b = 0; b < who->bone_count && bends; b++) {
        const PeltiBone *bone = &who->bones[b];
        char name[200];
        if (!bends[b] || bone->parent < 0 || bone->is_prop || bone->is_repeat)
            continue;
        snprintf(name, sizeof name, "%s.half", who->nodes[bone->node].name);
        model->helper_of[b] = model->helper_count;
        model->helpers[model->helper_count++] = (PeltiHelper){.name = pelti_pool_text(model->pool, name),
                                                              .parent = bone->parent,
                                                              .driver = b,
                                                              .kind = PELTI_HELPER_TURN,
                                                              .fraction = 0.5f,
                                                              .head = bone->head};
    }
    model->half_count = model->helper_count;
    return model->pool->failed ? pelti_no_memory(err, 200) : PELT_OK;
}

PeltStatus pelti_distil_model_keep_helpers(PeltiDistilModel *model, int most, PeltError *err)
{
    const PeltiCharacter *who = model->who;
    double *carries = PELTI_NEW(model->pool, double, model->helper_count + 1);
    PeltiHelper *kept = PELTI_NEW(model->pool, PeltiHelper, who->bone_count);
    if (!carries || !kept)
        return pelti_no_memory(err, (size_t)model->helper_count * sizeof *carries);
    for (int v = 0; v < who->mesh->vertex_count; v++)
        for (int w = 0; w < model->vertices[v].way_count; w++)
            if (model->vertices[v].way[w] >= who->bone_count)
                carries[model->vertices[v].way[w] - who->bone_count] += (double)model->vertices[v].weight[w];
    int count = 0;
    while (count < most) {
        int best = -1;
        for (int h = 0; h < model->helper_count; h++)
            if (carries[h] > 0 && (best < 0 || carries[h] > carries[best]))
                best = h;
        if (best < 0)
            break;
        kept[count++] = model->helpers[best];
        carries[best] = 0;
    }
    for (int b = 0; b < who->bone_count; b++)
        model->helper_of[b] = -1;
    for (int h = 0; h < count; h++)
        model->helper_of[kept[h].driver] = h;
    memcpy(model->helpers, kept, (size_t)count * sizeof *kept);
    model->helper_count = model->half_count = count;
    return pelti_distil_model_ways(model, err);
}

// ---- a model ----

PeltStatus pelti_distil_model(PeltiDistilModel *model, PeltError *err)
{
    const PeltiCharacter *who = model->who;
    size_t vertices = (size_t)who->mesh->vertex_count, bones = (size_t)who->bone_count;
    model->helpers = PELTI_NEW(model->pool, PeltiHelper, PELTI_MODEL_HELPERS * bones);
    model->helper_of = PELTI_NEW(model->pool, int, bones);
    model->vertices = PELTI_NEW(model->pool, PeltiDistilModelVertex, vertices);
    model->offsets = PELTI_NEW(model->pool, Vec3, vertices * PELTI_MODEL_DRIVEN);
    model->correctives = PELTI_NEW(model->pool, PeltiCorrective, model->corrective_room + 1);
    model->driven.helpers = PELTI_NEW(model->pool, PeltiHelperPose, PELTI_MODEL_HELPERS * bones);
    model->driven.correctives = PELTI_NEW(model->pool, float, model->corrective_room + 1);
    model->matrices = PELTI_NEW(model->pool, Mat34, (1 + PELTI_MODEL_HELPERS) * bones);
    model->importance = PELTI_NEW(model->pool, float, (size_t)model->samples->count *bones);
    if (model->pool->failed)
        return pelti_no_memory(err, vertices * PELTI_MODEL_DRIVEN * sizeof(Vec3));
    for (size_t i = 0; i < (size_t)model->samples->count * bones; i++)
        model->importance[i] = 1;
    for (size_t b = 0; b < bones; b++)
        model->helper_of[b] = -1;
    return pelti_distil_model_ways(model, err);
}

static PeltiDistilSkin rules_of(const PeltiDistilModel *model)
{
    return (PeltiDistilSkin){.who = model->who,
                             .joint_count = model->who->bone_count,
                             .helper_count = model->helper_count,
                             .drive_count = model->drive_count,
                             .corrective_count = model->corrective_count,
                             .helpers = model->helpers,
                             .drives = model->drives,
                             .correctives = model->correctives};
}

void pelti_distil_model_drive(PeltiDistilModel *model, const PeltiDistilSample *sample)
{
    PeltiDistilSkin rules = rules_of(model);
    pelti_distil_drive(&rules, sample->joints, &model->driven);
    pelti_distil_matrices(&rules, sample->bones, &model->driven, model->matrices);
}

typedef struct SampleVisit {
    PeltiDistilModelVisit visit;
    void *context;
    const PeltiDistilSample *sample;
} SampleVisit;

static void visit_piece(void *context, int begin, int end, int worker)
{
    const SampleVisit *pass = context;
    (void)worker;
    pass->visit(pass->context, pass->sample, begin, end);
}

PeltStatus pelti_distil_model_visit(PeltiDistilModel *model, const PeltiDistilModelVisits *visits, PeltError *err)
{
    PeltiDistilSample sample;
    SampleVisit pass = {visits->visit, visits->context, &sample};
    for (int i = 0; i < model->samples->count; i++) {
        PELT_TRY(pelti_progress(&model->progress, visits->stage, (double)i / model->samples->count, err));
        PELT_TRY(pelti_distil_sample(model->samples, i, &sample, err));
        model->index = i;
        pelti_distil_model_drive(model, &sample);
        pelti_parallel_for(model->jobs, model->who->mesh->vertex_count, PELTI_MODEL_PIECE, visit_piece, &pass);
        if (visits->end)
            visits->end(visits->context, i);
    }
    return PELT_OK;
}

PeltStatus pelti_distil_model_pass(PeltiDistilModel *model, const char *stage, PeltiDistilModelVisit visit, void *context,
                                   PeltError *err)
{
    return pelti_distil_model_visit(model, &(PeltiDistilModelVisits){stage, visit, NULL, context}, err);
}
