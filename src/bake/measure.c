/// include/pelt/measure.h: frames measured beside linear blending.
#include "bake/measuring.h"

#include <string.h>

/// Linear blending by the weights that the trial chose. Where the file's lost, lbs tears, and to be near to it is nothing to be
/// asked for.
static PeltStatus create_chosen(const PeltSkinDef *def, const PeltCharacter *character, PeltiMeasuringBlends *blends,
                                PeltError *err)
{
    PELT_TRY(pelt_skin_create(def, character, &blends->chosen, err));
    const PeltiWeights *a = &blends->lbs->weights.vertices, *b = &blends->chosen->weights.vertices;
    size_t count = (size_t)character->who->mesh->vertex_count * (size_t)a->influences;
    if (a->influences == b->influences && !memcmp(a->bone, b->bone, count * sizeof *a->bone) &&
        !memcmp(a->weight, b->weight, count * sizeof *a->weight)) {
        pelt_skin_destroy(blends->chosen);
        blends->chosen = NULL;
    }
    return PELT_OK;
}

static void release(PeltiMeasuringBlends *blends)
{
    pelt_skin_destroy(blends->lbs);
    pelt_skin_destroy(blends->chosen);
    *blends = (PeltiMeasuringBlends){0};
}

PeltStatus pelti_measuring_blends_create(const PeltCharacter *character, int threads, const PeltAllocator *allocator,
                                         PeltiMeasuringBlends *out, PeltError *err)
{
    static const char *const settings[] = {"weights=file"};
    PeltSkinDef def = pelt_skin_def_default(), by_file;
    *out = (PeltiMeasuringBlends){0};
    if (!pelti_measure_has_reference(character->who))
        return PELT_OK;
    def.method = "lbs";
    def.threads = threads;
    if (allocator)
        def.allocator = *allocator;
    by_file = def;
    by_file.settings = settings;
    by_file.setting_count = 1;
    PELT_TRY(pelt_skin_create(&by_file, character, &out->lbs, err));
    PeltStatus status = create_chosen(&def, character, out, err);
    if (status != PELT_OK)
        release(out);
    return status;
}

static PeltStatus set_up(PeltMeasure *m, int threads, PeltError *err)
{
    const PeltiCharacter *who = m->character->who;
    if (m->owns_jobs)
        m->jobs = pelti_jobs_create(threads);
    m->node_matrix = PELTI_NEW(&m->pool, PeltiNodeMatrix, who->node_count);
    m->bones = PELTI_NEW(&m->pool, Mat34, who->bone_count);
    m->vertices = PELTI_NEW(&m->pool, Vec3, who->mesh->vertex_count);
    m->last = PELTI_NEW(&m->pool, Vec3, who->point_count);
    m->map = PELTI_NEW(&m->pool, float, who->point_count);
    if (m->character->unit_m > 0) // a host's: its space may be another
        m->own = PELTI_NEW(&m->pool, Vec3, who->point_count);
    if (m->pool.failed || !m->jobs)
        return pelti_no_memory(err, sizeof *m);
    PELT_TRY(pelti_measure_create(who, m->jobs, &m->allocator, &m->measure, err));
    return pelti_measuring_blends_create(m->character, threads, &m->allocator, &m->blends, err);
}

PeltStatus pelti_measuring_create(const PeltCharacter *character, PeltiJobs *jobs, int threads, const PeltAllocator *allocator,
                                  PeltMeasure **out, PeltError *err)
{
    *out = NULL;
    PeltMeasure *m = pelti_alloc(allocator, sizeof *m);
    if (!m)
        return pelti_no_memory(err, sizeof *m);
    *m = (PeltMeasure){.character = character, .jobs = jobs, .owns_jobs = !jobs};
    if (allocator)
        m->allocator = *allocator;
    pelti_pool_init(&m->pool, allocator);
    PeltStatus status = set_up(m, threads, err);
    if (status != PELT_OK) {
        pelt_measure_destroy(m);
        return status;
    }
    *out = m;
    return PELT_OK;
}

PeltStatus pelt_measure_create(const PeltCharacter *who, int threads, PeltMeasure **out, PeltError *err)
{
    return pelti_measuring_create(who, NULL, threads, &who->allocator, out, err);
}

void pelt_measure_destroy(PeltMeasure *m)
{
    if (!m)
        return;
    pelti_measure_destroy(m->measure);
    release(&m->blends);
    if (m->owns_jobs)
        pelti_jobs_destroy(m->jobs);
    pelti_pool_release(&m->pool);
    PeltAllocator allocator = m->allocator;
    pelti_free(&allocator, m, sizeof *m);
}

/// A skin in a pose: lbs or the chosen blend.
static PeltiMeasureSkin step(PeltSkin *skin, const PeltiPose *pose)
{
    double ms;
    pelti_skin_step(skin, pose, 0, &(PeltiStepReport){0}, &ms);
    return (PeltiMeasureSkin){skin->shown.points, pelti_skin_vertices(skin)};
}

static void measure_frame(PeltMeasure *m, const PeltiPose *pose, PeltiMeasureSkin skin, PeltQuality *frame)
{
    const PeltiCharacter *who = m->character->who;
    PeltQuality quality;
    PeltiMeasureSkin lbs = {0}, near = {0};
    if (pose)
        pelti_pose_bones(who, pose, m->node_matrix, m->bones);
    if (pose && m->blends.lbs) {
        lbs = step(m->blends.lbs, pose);
        near = m->blends.chosen ? step(m->blends.chosen, pose) : near;
    }
    bool judge = lbs.points && !m->lbs_is_judged;
    bool same = judge && !memcmp(skin.points, lbs.points, (size_t)who->point_count * sizeof(Vec3));
    if (judge && !same)
        pelti_measure_lbs(m->measure, lbs, m->bones);
    pelti_measure_also_near(m->measure, &near);
    pelti_measure_frame(m->measure, skin, pose ? m->bones : NULL, lbs.points ? &lbs : NULL, &quality);
    m->last_lbs = lbs.points;
    m->last_near = near.points;
    if (same) // lbs itself is being measured: once is enough
        pelti_measure_lbs_is(m->measure, &quality);
    if (frame)
        *frame = quality;
}

void pelti_measuring_points(PeltMeasure *m, const PeltiPose *pose, const Vec3 *points, PeltQuality *frame)
{
    pelti_mesh_gather(m->character->who->mesh, points, m->vertices);
    measure_frame(m, pose, (PeltiMeasureSkin){points, m->vertices}, frame);
}

/// A blend by point is measured by its points: objects push these beside the vertices, each rounded by itself.
void pelti_measuring_skin(PeltMeasure *m, const PeltiPose *pose, const PeltSkin *skin, PeltQuality *frame)
{
    if (skin->shown.by_point)
        pelti_measuring_points(m, pose, skin->shown.points, frame);
    else
        measure_frame(m, pose, (PeltiMeasureSkin){skin->shown.points, skin->shown.vertices}, frame);
}

void pelti_measuring_alone(PeltiMeasure *measure, PeltiMeasureSkin skin, PeltQuality *frame)
{
    PeltQuality quality;
    pelti_measure_restart(measure);
    pelti_measure_also_near(measure, NULL);
    pelti_measure_frame(measure, skin, NULL, NULL, &quality);
    if (frame)
        *frame = quality;
}

void pelt_measure_frame(PeltMeasure *m, const PeltPose *pose, const float *positions, PeltQuality *frame)
{
    const Vec3 *points = (const Vec3 *)(const void *)positions;
    Mat34 to_own;
    if (m->own && mat34_inverse(pelti_bake_host_from_own(m->character), &to_own)) {
        for (int p = 0; p < m->character->who->point_count; p++)
            m->own[p] = mat34_apply(to_own, points[p]);
        points = m->own;
    }
    pelti_measuring_points(m, &pose->pose, points, frame);
    memcpy(m->last, points, (size_t)m->character->who->point_count * sizeof *points);
}

PeltQuality pelt_measure_quality(const PeltMeasure *m)
{
    PeltQuality quality;
    pelti_measure_summary(m->measure, &quality);
    return quality;
}

PeltQuality pelt_measure_lbs_quality(const PeltMeasure *m)
{
    PeltQuality quality;
    pelti_measure_lbs_summary(m->measure, &quality);
    return quality;
}

PeltVerdict pelt_measure_verdict(const PeltMeasure *m, char *text, size_t size)
{
    PeltQuality quality = pelt_measure_quality(m), lbs = pelt_measure_lbs_quality(m);
    return pelt_quality_verdict(&quality, &lbs, text, size);
}

int pelt_measure_component_count(const PeltMeasure *m)
{
    return pelti_measure_component_count(m->measure);
}

PeltComponentQuality pelt_measure_component(const PeltMeasure *m, int index)
{
    return pelti_measure_component(m->measure, index);
}

void pelt_measure_restart(PeltMeasure *m)
{
    pelti_measure_restart(m->measure);
}
