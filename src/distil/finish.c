/// From the model that was fitted, by vertices, to the distilled skin, by points.
#include "character/weights.h"
#include "distil/model.h"

#include <string.h>

#include "distil/constants.def"

/// A vertex whose weights are as they were keeps them by point, as the file has them.
static void fill_row(const PeltiDistilModel *model, int point, int *bones, float *weights)
{
    const PeltiCharacter *who = model->who;
    const PeltiDistilModelVertex *v = &model->vertices[who->mesh->weld[point]];
    const PeltiWeights *file = &who->file_weights;
    if (v->fixed && file->influences > 0) {
        for (int i = 0; i < file->influences; i++) {
            size_t at = (size_t)point * (size_t)file->influences + (size_t)i;
            pelti_weights_insert(model->influences, bones, weights, file->bone[at], file->weight[at]);
        }
        return;
    }
    for (int w = 0; w < v->way_count; w++)
        if (v->weight[w] > 0)
            pelti_weights_insert(model->influences, bones, weights, v->way[w], v->weight[w]);
    pelti_weights_normalise(model->influences, bones, weights);
}

static PeltStatus fill_corrective(const PeltiDistilModel *model, int c, PeltiCorrective *to, PeltError *err)
{
    const PeltiCharacter *who = model->who;
    float least = DELTA_LEAST * who->mesh->diagonal;
    PeltiArray points, offsets;
    pelti_array_init(&points, &model->pool->allocator, sizeof(int));
    pelti_array_init(&offsets, &model->pool->allocator, sizeof(Vec3));
    for (int p = 0; p < who->point_count; p++) {
        int v = who->mesh->weld[p];
        const PeltiDistilModelVertex *vertex = &model->vertices[v];
        for (int i = 0; i < vertex->driven_count; i++) {
            const Vec3 *offset = &model->offsets[(size_t)v * PELTI_MODEL_DRIVEN + (size_t)i];
            if (vertex->driven[i] == c && vec3_length(*offset) > least) {
                pelti_array_push(&points, &p);
                pelti_array_push(&offsets, offset);
            }
        }
    }
    *to = model->correctives[c];
    to->count = (int)points.count;
    int *kept = PELTI_NEW(model->pool, int, points.count);
    Vec3 *moved = PELTI_NEW(model->pool, Vec3, points.count);
    bool failed = points.failed || offsets.failed || model->pool->failed;
    if (!failed && to->count > 0) {
        memcpy(kept, points.data, points.count * sizeof *kept);
        memcpy(moved, offsets.data, points.count * sizeof *moved);
    }
    to->points = kept;
    to->offsets = moved;
    pelti_array_release(&points);
    pelti_array_release(&offsets);
    return failed ? pelti_no_memory(err, (size_t)who->point_count * sizeof(Vec3)) : PELT_OK;
}

/// Only the drives that terms name, numbered anew.
static PeltStatus keep_drives(const PeltiDistilModel *model, PeltiDistilSkin *out, PeltiCorrective *correctives, PeltError *err)
{
    PeltiDistilDrive *drives = PELTI_NEW(model->pool, PeltiDistilDrive, model->drive_count + 1);
    int *number = PELTI_NEW(model->pool, int, model->drive_count + 1);
    if (model->pool->failed)
        return pelti_no_memory(err, (size_t)model->drive_count * sizeof *drives);
    for (int c = 0; c < out->corrective_count; c++)
        for (int t = 0; t < 2 * correctives[c].term_count; t++)
            if (correctives[c].terms[t / 2].drive[t % 2] >= 0)
                number[correctives[c].terms[t / 2].drive[t % 2]] = 1;
    for (int d = 0; d < model->drive_count; d++)
        if (number[d] > 0) {
            number[d] = out->drive_count;
            drives[out->drive_count++] = model->drives[d];
        }
    for (int c = 0; c < out->corrective_count; c++) {
        PeltiDistilTerm *terms = PELTI_NEW(model->pool, PeltiDistilTerm, correctives[c].term_count);
        if (!terms && correctives[c].term_count > 0)
            return pelti_no_memory(err, (size_t)correctives[c].term_count * sizeof *terms);
        for (int t = 0; t < correctives[c].term_count; t++) {
            const PeltiDistilTerm *from = &correctives[c].terms[t];
            terms[t] = (PeltiDistilTerm){from->gain, {number[from->drive[0]], from->drive[1] >= 0 ? number[from->drive[1]] : -1}};
        }
        correctives[c].terms = terms;
    }
    out->drives = drives;
    return PELT_OK;
}

PeltStatus pelti_distil_model_finish(const PeltiDistilModel *model, PeltiDistilSkin *out, PeltError *err)
{
    const PeltiCharacter *who = model->who;
    size_t width = (size_t)model->influences;
    int *bones = PELTI_NEW(model->pool, int, (size_t)who->point_count *width);
    float *weights = PELTI_NEW(model->pool, float, (size_t)who->point_count *width);
    PeltiCorrective *correctives = PELTI_NEW(model->pool, PeltiCorrective, model->corrective_count + 1);
    if (model->pool->failed)
        return pelti_no_memory(err, (size_t)who->point_count * width * sizeof *weights);
    for (int p = 0; p < who->point_count; p++)
        fill_row(model, p, bones + (size_t)p * width, weights + (size_t)p * width);
    *out = (PeltiDistilSkin){.who = who,
                             .joint_count = who->bone_count,
                             .weights = {model->influences, bones, weights},
                             .helper_count = model->helper_count,
                             .helpers = model->helpers,
                             .correctives = correctives};
    for (int c = 0; c < model->corrective_count; c++) {
        PELT_TRY(fill_corrective(model, c, &correctives[out->corrective_count], err));
        out->corrective_count += correctives[out->corrective_count].count > 0;
    }
    return keep_drives(model, out, correctives, err);
}
