/// Projective skinning [Komaritzan2018]: rigid volumetric bones, elastic tissue, projective dynamics.
#include "methods/projective/parts.h"
#include "math/elementary.h"

#include <string.h>

static const PeltiOptionInfo options[] = {
    {"firmness", PELTI_OPTION_FLOAT, "1", NULL, 0.01, 100,
     "how firm the tissue is (stiffness w; 1: waves cross the character in half a second)"},
    {"jiggle", PELTI_OPTION_FLOAT, "0.5", NULL, 0, 1,
     "how long the skin swings on: 0 not at all, 1 undamped (decay 0.15 s j / (1 - j))"},
    {"bulge", PELTI_OPTION_FLOAT, "1", NULL, 0, 4, "how much flesh pressed by a contact swells beside it (0: volume is lost)"},
    {"gravity", PELTI_OPTION_FLOAT, "0", NULL, -10, 10, "pull along -y, in sizes of the character a second squared"},
    {"iterations", PELTI_OPTION_INT, "5", NULL, 1, 200, "local and global steps in a time step (k)"},
    {"time-step", PELTI_OPTION_FLOAT, "0.0083333333", NULL, 0.0005, 0.05, "length of a simulation step in seconds (h)"},
    {"rotations", PELTI_OPTION_CHOICE, "prism", "prism|tet", 0, 0,
     "one rotation for the three tetrahedra of a prism (sec. 6), or one each"},
    {"strain", PELTI_OPTION_CHOICE, "gradient", "gradient|position|gradient-by-G|position-by-F", 0, 0,
     "fit deformation gradients (eq. 7, rotations of F) or positions (ARAP, eq. 9, of G); or, for Fig. 5, one by the other's "
     "rotations"},
    {"bones", PELTI_OPTION_CHOICE, "volume", "volume|line", 0, 0, "bones with a radius, or (Fig. 3) nearly without"},
    {"sim-vertices", PELTI_OPTION_INT, "0", NULL, 0, 2000000,
     "vertices to simulate, the skin follows them; 0: all, or 8000 of more than 16000 (sec. 6)"},
    {"slide", PELTI_OPTION_BOOL, "on", NULL, 0, 0, "base points slide around joints (sec. 4.2)"},
    {"collisions", PELTI_OPTION_CHOICE, "all", "off|joints|all|pairs", 0, 0,
     "keep the skin out of itself: nowhere, in folds at joints, everywhere, or by the paper's stored pairs and two matrices "
     "(sec. 5)"},
    {"poses", PELTI_OPTION_TEXT, "", NULL, 0, 0, "collisions=pairs: a clip whose poses are searched for pairs as well"},
    {"virtual-frames", PELTI_OPTION_BOOL, "on", NULL, 0, 0, "more steps where a joint turns far between two frames"},
    {0},
};

static void projective_destroy(void *state)
{
    Projective *p = state;
    if (!p)
        return;
    PeltAllocator allocator = p->allocator;
    pelti_sparse_destroy(p->still);
    pelti_sparse_destroy(p->moving);
    pelti_sparse_destroy(p->stored.held[0]);
    pelti_sparse_destroy(p->stored.held[1]);
    pelti_pool_release(&p->pool);
    pelti_free(&allocator, p, sizeof *p);
}

static void projective_retune(void *state, const PeltiOptions *o)
{
    Projective *p = state;
    float size = p->skin->diagonal, jiggle = pelti_option_float(o, "jiggle");
    p->time_step_s = pelti_option_float(o, "time-step");
    p->wave_speed = 2 * size * sqrtf(pelti_option_float(o, "firmness"));
    p->keep = jiggle >= 1 ? 1 : jiggle <= 0 ? 0 : pelti_expf(-p->time_step_s * (1 - jiggle) / (0.15f * jiggle));
    p->gravity = pelti_option_float(o, "gravity") * size;
    p->bulge = p->folds.bulge = pelti_option_float(o, "bulge");
    p->iterations = pelti_option_int(o, "iterations");
    p->virtual_frames = pelti_option_bool(o, "virtual-frames");
}

/// The order of unknowns depends on the mesh alone: edges and the diagonal.
static PeltStatus find_order(Projective *p, PeltiPool *temp, PeltError *err)
{
    const PeltiMesh *mesh = p->mesh;
    int n = mesh->vertex_count;
    PeltiEntry *entries = PELTI_NEW(temp, PeltiEntry, (size_t)n + (size_t)mesh->edge_count + 1);
    p->place = PELTI_NEW(&p->pool, int, (size_t)n + 1);
    if (temp->failed || p->pool.failed)
        return pelti_no_memory(err, (size_t)n * sizeof *entries);
    for (int v = 0; v < n; v++)
        entries[v] = (PeltiEntry){v, v, 1 + mesh->ring_start[v + 1] - mesh->ring_start[v]};
    for (int e = 0; e < mesh->edge_count; e++)
        entries[n + e] = (PeltiEntry){mesh->edges[e][0], mesh->edges[e][1], -1};
    PELT_TRY(pelti_sparse_create(&p->allocator, n, n + mesh->edge_count, entries, PELTI_ORDER_BEST, &p->still, err));
    p->order = pelti_sparse_order(p->still);
    for (int i = 0; i < n; i++)
        p->place[p->order[i]] = i;
    return PELT_OK;
}

static PeltStatus take_state(Projective *p, PeltError *err)
{
    size_t n = (size_t)p->count + 1, blocks = (size_t)p->tissue.block_count + 1, bones = (size_t)p->who->bone_count + 1;
    ProjRow **rows[] = {&p->x,        &p->last, &p->velocity, &p->q,      &p->q_last,
                        &p->constant, &p->y,    &p->rest,     &p->origin, &p->rest_pull};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        *rows[k] = pelti_pool_take(&p->pool, n + 4, sizeof(ProjRow));
    p->rows = pelti_pool_take(&p->pool, blocks * 3 * PROJ_LANES, sizeof(ProjRow));
    p->inertia = PELTI_NEW(&p->pool, float, n);
    p->frames = PELTI_NEW(&p->pool, ProjFrame, blocks);
    p->swell = PELTI_NEW(&p->pool, ProjSwell, blocks);
    p->warm = PELTI_NEW(&p->pool, PeltiQuatBlock, blocks);
    p->work = PELTI_NEW(&p->pool, float, pelti_sparse_row_work(p->still) + 16);
    p->moved = PELTI_NEW(&p->pool, float, n);
    p->positions = PELTI_NEW(&p->pool, Vec3, n);
    p->bones_from = PELTI_NEW(&p->pool, Mat34, bones);
    p->bones_to = PELTI_NEW(&p->pool, Mat34, bones);
    p->bones_now = PELTI_NEW(&p->pool, Mat34, bones);
    PeltiArena arena = {0};
    (void)pelti_motion_in(&arena, p->who);
    arena.base = PELTI_NEW(&p->pool, char, arena.used + 64);
    if (p->pool.failed)
        return pelti_no_memory(err, n * sizeof(ProjRow) * 8);
    arena.used = 0;
    p->motion = pelti_motion_in(&arena, p->who);
    pelti_motion_order(&p->motion);
    pelti_polar_reset(p->warm, p->tissue.block_count);
    pelti_proj_swell_reset(p);
    return PELT_OK;
}

/// A vertex' inertia beside unit stiffness; a vertex with hardly any tissue keeps a little, for the sake of the condition.
static void set_inertia(Projective *p)
{
    double sum = 0;
    for (int i = 0; i < p->count; i++)
        sum += (double)p->tissue.mass[i];
    float least = (float)(0.01 * sum / (p->count > 0 ? p->count : 1)), ch = p->wave_speed * p->time_step_s;
    for (int i = 0; i < p->count; i++) {
        p->inertia[i] = p->feet[p->order[i]].segment < 0 ? 0 : fmaxf(p->tissue.mass[i], least) / (ch * ch);
        const Vec3 rest = p->mesh->rest[p->order[i]];
        p->rest[i][0] = rest.x;
        p->rest[i][1] = rest.y;
        p->rest[i][2] = rest.z;
    }
}

static PeltStatus factor(Projective *p, PeltError *err)
{
    PeltiEntry *entries = p->tissue.entries;
    PELT_TRY(pelti_sparse_refactor(p->still, entries, err));
    for (int v = 0; v < p->count; v++)
        entries[v].value += (double)p->inertia[p->place[v]];
    PELT_TRY(pelti_sparse_create_like(p->still, entries, &p->moving, err));
    for (int v = 0; v < p->count; v++)
        entries[v].value -= (double)p->inertia[p->place[v]];
    return PELT_OK;
}

enum { MOST_SIMULATED = 16000 }; // vertices that are simulated without being asked to

static PeltStatus keep_weights(Projective *p, const PeltiWeights *from, const int *kept, int count, PeltError *err)
{
    size_t row = (size_t)from->influences;
    int *bones = PELTI_NEW(&p->pool, int, (size_t)count *row + 1);
    float *weights = PELTI_NEW(&p->pool, float, (size_t)count *row + 1);
    if (p->pool.failed)
        return pelti_no_memory(err, (size_t)count * row * sizeof(float));
    for (int v = 0; v < count; v++) {
        memcpy(&bones[(size_t)v * row], &from->bone[(size_t)kept[v] * row], row * sizeof *bones);
        memcpy(&weights[(size_t)v * row], &from->weight[(size_t)kept[v] * row], row * sizeof *weights);
    }
    p->weights = (PeltiWeights){from->influences, bones, weights};
    return PELT_OK;
}

/// Above a size a coarser mesh is simulated, and carries the skin.
static PeltStatus choose_resolution(Projective *p, const PeltiPrepare *in, PeltError *err)
{
    int wanted = pelti_option_int(in->options, "sim-vertices"), *kept;
    if (wanted == 0)
        wanted = p->skin->vertex_count > MOST_SIMULATED ? MOST_SIMULATED / 2 : p->skin->vertex_count;
    if (wanted >= p->skin->vertex_count)
        return PELT_OK;
    PeltiMesh *mesh;
    PELT_TRY(pelti_proj_decimate(p->skin, &p->skeleton, wanted, &p->pool, &kept, &mesh, err));
    if (mesh->triangle_count < 1)
        return PELT_OK;
    PELT_TRY(pelti_proj_display(p->skin, mesh, &p->pool, p->jobs, &p->display, err));
    p->skin_positions = PELTI_NEW(&p->pool, Vec3, (size_t)p->skin->vertex_count + 1);
    if (p->pool.failed)
        return pelti_no_memory(err, (size_t)p->skin->vertex_count * sizeof(Vec3));
    PELT_TRY(keep_weights(p, in->weights, kept, mesh->vertex_count, err));
    p->coarse.mesh = mesh;
    p->mesh = mesh;
    p->count = mesh->vertex_count;
    return PELT_OK;
}

static PeltStatus build_tissue(Projective *p, const PeltiOptions *o, PeltiPool *temp, PeltError *err)
{
    bool by_other = pelti_option_is(o, "strain", "gradient-by-G") || pelti_option_is(o, "strain", "position-by-F");
    ProjTissueDef def = {.mesh = p->mesh, .feet = p->feet, .place = p->place, .order = p->order};
    def.per_tet = pelti_option_is(o, "rotations", "tet");
    def.positions = pelti_option_is(o, "strain", "position") || pelti_option_is(o, "strain", "position-by-F");
    PELT_TRY(pelti_proj_tissue(&def, &p->pool, temp, &p->tissue, err));
    if (!by_other)
        return PELT_OK;
    ProjTissue other; // its elements are the same ones in the same order
    def.positions = !def.positions;
    PELT_TRY(pelti_proj_tissue(&def, &p->pool, temp, &other, err));
    p->tissue.look = other.blocks;
    return PELT_OK;
}

/// On the file's own skin, the papers' kind, by the skeleton alone. On a body made from pieces, with clothes and thin sheets in
/// it, with what the weights know: there the nearest bone is often not the one that moves the skin.
static PeltStatus find_base(Projective *p, bool made_body, PeltiPool *temp, PeltError *err)
{
    const PeltiWeights none = {0};
    PELT_TRY(pelti_proj_shrink(p->who, &p->skeleton, made_body ? &p->weights : &none, &p->pool, p->jobs, &p->feet,
                               &p->smoothing_rounds, err));
    if (!made_body)
        return PELT_OK;
    PELT_TRY(pelti_proj_agree(p->who, &p->skeleton, &p->weights, p->feet, temp, err));
    return pelti_proj_layer(p->mesh, p->feet, temp, p->jobs, err);
}

static PeltStatus build(Projective *p, const PeltiPrepare *in, PeltiPool *temp, PeltError *err)
{
    PELT_TRY(pelti_proj_skeleton(p->who, pelti_option_is(in->options, "bones", "line"), &p->pool, p->jobs, in->log, &p->skeleton,
                                 err));
    PELT_TRY(choose_resolution(p, in, err));
    PELT_TRY(find_base(p, in->made_body, temp, err));
    PELT_TRY(find_order(p, temp, err));
    PELT_TRY(build_tissue(p, in->options, temp, err));
    PELT_TRY(pelti_proj_base(p->who, &p->skeleton, &p->weights, p->feet, p->order, pelti_option_bool(in->options, "slide"),
                             &p->pool, &p->base, err));
    PELT_TRY(take_state(p, err));
    set_inertia(p);
    if (p->tissue.mended)
        pelti_warn(in->log, "projective-tets-mended",
                   "%d of %d tetrahedra became springs: %d too flat, %d turned inside out at rest", p->tissue.mended,
                   p->tissue.mended + p->tissue.tet_count, p->tissue.flat, p->tissue.inverted);
    PELT_TRY(factor(p, err));
    pelti_proj_measure_rounding(p);
    if (pelti_option_is(in->options, "collisions", "off"))
        return PELT_OK;
    bool stored = pelti_option_is(in->options, "collisions", "pairs");
    if (stored)
        return pelti_proj_store(p, pelti_option_text(in->options, "poses"), err);
    return pelti_proj_contacts(p, pelti_option_is(in->options, "collisions", "all"), err);
}

static PeltStatus projective_prepare(const PeltiPrepare *in, void **state, PeltError *err)
{
    Projective *p = pelti_alloc(in->allocator, sizeof *p);
    if (!p)
        return pelti_no_memory(err, sizeof *p);
    memset(p, 0, sizeof *p);
    if (in->allocator)
        p->allocator = *in->allocator;
    pelti_pool_init(&p->pool, in->allocator);
    p->coarse = *in->who; // bones, instances and segments are shared; the mesh may be another
    p->who = &p->coarse;
    p->skin = p->mesh = in->who->mesh;
    p->weights = *in->weights;
    p->count = p->mesh->vertex_count;
    p->jobs = in->jobs;
    projective_retune(p, in->options);
    PeltiPool temp;
    pelti_pool_init(&temp, in->allocator);
    PeltStatus status = build(p, in, &temp, err);
    pelti_pool_release(&temp);
    if (status != PELT_OK) {
        projective_destroy(p);
        return status;
    }
    *state = p;
    return PELT_OK;
}

static int substep_count(Projective *p, float dt_s)
{
    int count = (int)floorf(dt_s / p->time_step_s + 0.5f);
    if (p->virtual_frames) {
        int turns = (int)ceilf(pelti_motion_largest_turn(&p->motion) / 0.14f); // 8 degrees
        count = turns > count ? turns : count;
    }
    return count < 1 ? 1 : count > 200 ? 200 : count;
}

static void projective_step(void *state, const PeltiStepInput *in, Vec3 *vertices, PeltiStepReport *report)
{
    Projective *p = state;
    int substeps = 1;
    memcpy(p->bones_to, in->bones, (size_t)p->who->bone_count * sizeof(Mat34));
    if (in->restart || !p->started || in->dt_s <= 0) {
        pelti_proj_settle(p, p->bones_to);
        p->started = true;
    } else {
        pelti_motion_set(&p->motion, p->bones_from, p->bones_to);
        substeps = substep_count(p, in->dt_s);
        for (int s = 1; s <= substeps; s++) {
            pelti_motion_at(&p->motion, (float)s / (float)substeps, p->bones_now);
            pelti_proj_substep(p, p->bones_now);
        }
    }
    Mat34 *swap = p->bones_from;
    p->bones_from = p->bones_to;
    p->bones_to = swap;
    for (int i = 0; i < p->count; i++)
        p->positions[p->order[i]] = vec3(p->x[i][0], p->x[i][1], p->x[i][2]);
    const Vec3 *shown = p->positions;
    if (p->display.spots) {
        pelti_proj_show(&p->display, p->skin, p->mesh, p->jobs, p->positions, p->skin_positions);
        shown = p->skin_positions;
    }
    memcpy(vertices, shown, sizeof(Vec3) * (size_t)p->skin->vertex_count);
    if (!report)
        return;
    report->substeps = substeps;
    report->substep_ms = p->substep_ms;
    pelti_step_stat(report, "residual", p->residual, PELTI_MOST);
    pelti_step_stat(report, "contacts", p->contact_count, PELTI_MOST);
    if (p->substep_ms > 0 && !in->restart) {
        double per_tet = 1e6 / (double)p->iterations / (p->tissue.tet_count > 0 ? p->tissue.tet_count : 1);
        pelti_step_stat(report, "local_ns_per_tet", p->local_ms * per_tet, PELTI_LEAST);
        pelti_step_stat(report, "substep_best_ms", p->substep_ms, PELTI_LEAST);
        pelti_step_stat(report, "solve_ms", p->solve_ms, PELTI_LEAST);
    }
    pelti_step_stat(report, "factor_fill", (double)pelti_sparse_fill(p->moving), PELTI_LAST);
    pelti_step_stat(report, "simulated_vertices", p->count, PELTI_LAST);
    pelti_step_stat(report, "stored_pairs", p->stored.count, PELTI_LAST);
    pelti_step_stat(report, "tetrahedra", p->tissue.tet_count, PELTI_LAST);
    pelti_step_stat(report, "tetrahedra_mended", p->tissue.mended, PELTI_LAST);
}

static void projective_draw(const void *state, const char *what, PeltiDraw *draw)
{
    const Projective *p = state;
    if (strcmp(what, "inside") || !draw->line)
        return;
    const Vec3 bone_colour = vec3(0.85f, 0.80f, 0.65f), joint_colour = vec3(0.80f, 0.35f, 0.25f),
               base_colour = vec3(0.55f, 0.25f, 0.25f);
    for (int s = 0; s < p->skeleton.segment_count; s++) {
        const ProjSegment *segment = &p->skeleton.segments[s];
        Mat34 m = p->started ? p->bones_from[segment->bone] : mat34_identity();
        draw->line(draw->user, mat34_apply(m, segment->a), mat34_apply(m, segment->b), segment->radius, bone_colour);
        if (draw->point)
            draw->point(draw->user, mat34_apply(m, segment->a), p->skeleton.joint_radius[segment->bone], joint_colour);
    }
    for (int t = 0; draw->triangle && t < p->mesh->triangle_count; t++) {
        Vec3 c[3];
        for (int k = 0; k < 3; k++) {
            const float *q = p->q[p->place[p->mesh->triangles[t][k]]];
            c[k] = vec3(q[0], q[1], q[2]);
        }
        draw->triangle(draw->user, c[0], c[1], c[2], base_colour);
    }
}

const PeltiMethod pelti_method_projective = {
    .name = "projective",
    .summary = "elastic tissue on volumetric bones: skin that lags, jiggles, settles and collides; needs no weights",
    .reference = "Komaritzan and Botsch, Projective Skinning, 2018",
    .flags = PELTI_KEEPS_STATE | PELTI_DYNAMIC | PELTI_FLESH,
    .options = options,
    .prepare = projective_prepare,
    .step = projective_step,
    .destroy = projective_destroy,
    .retune = projective_retune,
    .keep = pelti_proj_keep,
    .live = "jiggle|bulge|gravity|iterations|virtual-frames",
    .draw = projective_draw,
};
