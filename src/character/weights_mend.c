/// Rows of the file's weights that say nothing (NaN, negative, absent), mended from the mesh around them.
#include "character/weights.h"

#include "character/constants.def"

#include <string.h>

typedef struct Mend {
    PeltiCharacter *who;
    bool *bad;  // [point_count]
    int *bones; // the file's rows, changed in place
    float *weights;
    int *row;      // [vertex_count] the point whose row speaks for the vertex: a good one where it has one
    int *distance; // [vertex_count] edges to the nearest vertex with a good row; -1: none in its component
    int *queue;    // [vertex_count] vertices by distance
    int queued;
    PeltiGather gather;
} Mend;

/// Breadth first from all good rows at once.
static void measure_distances(Mend *m)
{
    const PeltiMesh *mesh = m->who->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
        m->row[v] = mesh->first_point[v];
        m->distance[v] = -1;
    }
    for (int p = mesh->point_count - 1; p >= 0; p--) // downwards: the lowest good point stays
        if (!m->bad[p]) {
            m->row[mesh->weld[p]] = p;
            m->distance[mesh->weld[p]] = 0;
        }
    for (int v = 0; v < mesh->vertex_count; v++)
        if (m->distance[v] == 0)
            m->queue[m->queued++] = v;
    for (int k = 0; k < m->queued; k++) {
        int v = m->queue[k];
        for (int i = mesh->ring_start[v]; i < mesh->ring_start[v + 1]; i++)
            if (m->distance[mesh->ring[i]] < 0) {
                m->distance[mesh->ring[i]] = m->distance[v] + 1;
                m->queue[m->queued++] = mesh->ring[i];
            }
    }
}

/// The mean of the neighbours' rows, of those nearer to good rows only (`inwards`) or of all.
static void take_mean(Mend *m, int v, bool inwards)
{
    const PeltiMesh *mesh = m->who->mesh;
    const PeltiWeights *file = &m->who->file_weights;
    size_t at = (size_t)m->row[v] * (size_t)file->influences;
    for (int i = mesh->ring_start[v]; i < mesh->ring_start[v + 1]; i++)
        if (!inwards || m->distance[mesh->ring[i]] < m->distance[v])
            pelti_gather_row(&m->gather, file, m->row[mesh->ring[i]]);
    memset(m->weights + at, 0, (size_t)file->influences * sizeof *m->weights);
    pelti_gather_take(&m->gather, file->influences, m->bones + at, m->weights + at);
    pelti_weights_normalise(file->influences, m->bones + at, m->weights + at);
}

static void spread(Mend *m)
{
    const PeltiMesh *mesh = m->who->mesh;
    size_t width = (size_t)m->who->file_weights.influences;
    for (int sweep = 0; sweep <= MEND_SWEEPS; sweep++)
        for (int k = 0; k < m->queued; k++)
            if (m->distance[m->queue[k]] > 0)
                take_mean(m, m->queue[k], sweep == 0);
    for (int p = 0; p < mesh->point_count; p++) {
        int v = mesh->weld[p];
        if (!m->bad[p] || m->distance[v] < 0)
            continue;
        m->bad[p] = false;
        m->who->bad_rows.from_neighbours++;
        if (p == m->row[v])
            continue;
        memcpy(m->bones + (size_t)p * width, m->bones + (size_t)m->row[v] * width, width * sizeof *m->bones);
        memcpy(m->weights + (size_t)p * width, m->weights + (size_t)m->row[v] * width, width * sizeof *m->weights);
    }
}

PeltStatus pelti_weights_mend(PeltiCharacter *who, PeltError *err)
{
    if (!who->bad_rows.bad)
        return PELT_OK;
    PeltiPool work;
    pelti_pool_init(&work, &who->pool.allocator);
    int count = who->mesh->vertex_count;
    Mend m = {.who = who,
              .bad = who->bad_rows.bad,
              .bones = (int *)(uintptr_t)who->file_weights.bone, // filled by io for us, const for everybody after
              .weights = (float *)(uintptr_t)who->file_weights.weight,
              .row = PELTI_NEW(&work, int, count),
              .distance = PELTI_NEW(&work, int, count),
              .queue = PELTI_NEW(&work, int, count),
              .gather = pelti_gather_new(&work, who)};
    bool failed = work.failed;
    if (!failed) {
        measure_distances(&m);
        spread(&m);
    }
    pelti_pool_release(&work);
    return failed ? pelti_no_memory(err, (size_t)count * sizeof(int)) : PELT_OK;
}

void pelti_weights_mend_nearest(PeltiCharacter *who)
{
    PeltiWeightsBad *rows = &who->bad_rows;
    int *bones = (int *)(uintptr_t)who->file_weights.bone, width = who->file_weights.influences;
    if (!rows->bad)
        return;
    for (int p = 0; p < who->point_count && who->file_weights_sane; p++)
        if (rows->bad[p]) { // the placeholder has weight 1 on its first bone
            rows->bad[p] = false;
            rows->from_bone++;
            int nearest = pelti_weights_nearest(who, who->point_instance[p], who->rest_points[p]);
            for (int k = 0; k < width; k++)
                bones[(size_t)p * (size_t)width + (size_t)k] = nearest;
        }
    if (rows->from_neighbours + rows->from_bone == 0)
        return; // a file without a good row: its weights are not used, and that is said
    int all = rows->not_finite + rows->negative + rows->absent;
    pelti_warn(&who->log, "weights-mended",
               "%d vertices have no usable weights in the file (%d not a number, %d negative, %d none): %d take their "
               "neighbours', %d follow the nearest bone",
               all, rows->not_finite, rows->negative, rows->absent, rows->from_neighbours, rows->from_bone);
}
