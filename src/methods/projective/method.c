/// Projective skinning [Komaritzan2018]: rigid volumetric bones, elastic tissue, projective dynamics.
#include "methods/projective/variants.h"
#include "methods/projective/constants.def"
#include "math/elementary.h"

#include <string.h>

static const PeltiOptionDef options[] = {
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
    pelti_sparse_destroy(p->system.still);
    pelti_sparse_destroy(p->system.moving);
    p->road->destroy(p);
    pelti_pool_release(&p->pool);
    pelti_free(&allocator, p, sizeof *p);
}

/// Who asks for more than the default wants flesh to swing for longer.
static bool projective_swings_on(const PeltiOptions *o)
{
    return pelti_option_above_default(o, "jiggle");
}

static void projective_retune(void *state, const PeltiOptions *o)
{
    Projective *p = state;
    float size = p->mesh->diagonal, jiggle = pelti_option_float(o, "jiggle");
    p->settings.time_step_s = pelti_option_float(o, "time-step");
    p->settings.wave_speed = WAVES * size * sqrtf(pelti_option_float(o, "firmness"));
    p->settings.keep = jiggle >= 1   ? 1
                       : jiggle <= 0 ? 0
                                     : pelti_expf(-p->settings.time_step_s * (1 - jiggle) / (JIGGLE_DECAY * jiggle));
    p->settings.gravity = pelti_option_float(o, "gravity") * size;
    p->settings.bulge = p->contacts.folds.bulge = pelti_option_float(o, "bulge");
    p->settings.iterations = pelti_option_int(o, "iterations");
    p->settings.virtual_frames = pelti_option_bool(o, "virtual-frames");
}

/// The order of unknowns depends on the mesh alone: edges and the diagonal.
static PeltStatus find_order(Projective *p, PeltiPool *temp, PeltError *err)
{
    const PeltiMesh *mesh = p->mesh;
    int n = mesh->vertex_count;
    PeltiSparseEntry *entries = PELTI_NEW(temp, PeltiSparseEntry, (size_t)n + (size_t)mesh->edge_count + 1);
    p->system.place = PELTI_NEW(&p->pool, int, (size_t)n + 1);
    if (temp->failed || p->pool.failed)
        return pelti_no_memory(err, (size_t)n * sizeof *entries);
    for (int v = 0; v < n; v++)
        entries[v] = (PeltiSparseEntry){v, v, 1 + mesh->ring_start[v + 1] - mesh->ring_start[v]};
    for (int e = 0; e < mesh->edge_count; e++)
        entries[n + e] = (PeltiSparseEntry){mesh->edges[e][0], mesh->edges[e][1], -1};
    PeltiSparseEntries matrix = {.n = n, .count = n + mesh->edge_count, .list = entries};
    PELT_TRY(pelti_sparse_create(&p->allocator, &matrix, PELTI_ORDER_BEST, &p->system.still, err));
    p->system.order = pelti_sparse_order(p->system.still);
    p->system.range_count = pelti_sparse_ranges(p->system.still, p->system.range_first);
    for (int i = 0; i < n; i++)
        p->system.place[p->system.order[i]] = i;
    return PELT_OK;
}

static PeltStatus take_state(Projective *p, PeltError *err)
{
    size_t n = (size_t)p->count + 1, blocks = (size_t)p->tissue.block_count + 1, bones = (size_t)p->who->bone_count + 1;
    ProjRow **rows[] = {&p->state.x,          &p->state.last,     &p->state.velocity, &p->state.q,        &p->state.q_last,
                        &p->scratch.constant, &p->scratch.solved, &p->system.rest,    &p->scratch.origin, &p->system.rest_pull};
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
        *rows[k] = pelti_pool_take(&p->pool, n + 4, sizeof(ProjRow));
    p->scratch.pulls = pelti_pool_take(&p->pool, blocks * 3 * PROJ_LANES, sizeof(ProjRow));
    p->system.inertia = PELTI_NEW(&p->pool, float, n);
    p->scratch.frames = PELTI_NEW(&p->pool, ProjFrame, blocks);
    p->swelling.share = PELTI_NEW(&p->pool, ProjSwell, blocks);
    p->state.warm = PELTI_NEW(&p->pool, PeltiQuatBlock, blocks);
    p->scratch.solver = PELTI_NEW(&p->pool, float, pelti_sparse_row_work(p->system.still) + 16);
    p->scratch.moved = PELTI_NEW(&p->pool, float, PELTI_SPARSE_RANGES);
    p->scratch.local_ms = PELTI_NEW(&p->pool, double, PELTI_SPARSE_RANGES);
    p->travel.bones = PELTI_NEW(&p->pool, Mat34, bones);
    p->travel.turns = PELTI_NEW(&p->pool, Quat, bones);
    PeltiArena arena = {0};
    (void)pelti_motion_in(&arena, p->who);
    arena.base = PELTI_NEW(&p->pool, char, arena.used + 64);
    if (p->pool.failed)
        return pelti_no_memory(err, n * sizeof(ProjRow) * 8);
    arena.used = 0;
    p->travel.motion = pelti_motion_in(&arena, p->who);
    pelti_motion_start(&p->travel.motion);
    pelti_polar_reset(p->state.warm, p->tissue.block_count);
    pelti_proj_swell_reset(&p->tissue, &p->swelling);
    return PELT_OK;
}

/// A vertex' inertia beside unit stiffness; a vertex with hardly any tissue keeps a little, for the sake of the condition.
static void set_inertia(Projective *p)
{
    double sum = 0;
    for (int i = 0; i < p->count; i++)
        sum += (double)p->tissue.mass[i];
    float least = (float)(INERTIA_LEAST * sum / (p->count > 0 ? p->count : 1)),
          ch = p->settings.wave_speed * p->settings.time_step_s;
    for (int i = 0; i < p->count; i++) {
        p->system.inertia[i] = p->feet[p->system.order[i]].segment < 0 ? 0 : fmaxf(p->tissue.mass[i], least) / (ch * ch);
        const Vec3 rest = p->mesh->rest[p->system.order[i]];
        p->system.rest[i][0] = rest.x;
        p->system.rest[i][1] = rest.y;
        p->system.rest[i][2] = rest.z;
    }
}

static PeltStatus factor(Projective *p, PeltError *err)
{
    PeltiSparseEntry *entries = p->tissue.entries;
    PELT_TRY(pelti_sparse_refactor(p->system.still, entries, err));
    for (int v = 0; v < p->count; v++)
        entries[v].value += (double)p->system.inertia[p->system.place[v]];
    PELT_TRY(pelti_sparse_create_like(p->system.still, entries, &p->system.moving, err));
    for (int v = 0; v < p->count; v++)
        entries[v].value -= (double)p->system.inertia[p->system.place[v]];
    return PELT_OK;
}

/// On one closed skin, the papers' kind, by the skeleton alone. On a body made from pieces, with clothes and thin sheets in it,
/// with what the weights know: there the nearest bone is often not the one that moves the skin.
static PeltStatus find_base(Projective *p, bool made_body, PeltiPool *temp, PeltError *err)
{
    const PeltiWeights none = {0};
    ProjSource source = {p->who, made_body ? &p->weights : &none, &p->pool, p->jobs, NULL};
    PELT_TRY(pelti_proj_shrink(&source, &p->skeleton, &p->feet, err));
    PELT_TRY(pelti_proj_agree(p->who, &p->skeleton, source.weights, p->feet, temp, err));
    return made_body ? pelti_proj_layer(p->mesh, p->feet, temp, p->jobs, err) : PELT_OK;
}

static PeltStatus build_tissue(Projective *p, const PeltiMethodPrepare *in, PeltiPool *temp, PeltError *err)
{
    ProjTissueDef def = {.mesh = p->mesh, .feet = p->feet, .place = p->system.place, .order = p->system.order};
    def.range_first = p->system.range_first;
    def.per_tet = pelti_option_is(in->options, "rotations", "tet");
    PELT_TRY(pelti_proj_strained(in->options, &def, &p->pool, temp, &p->tissue, err));
    if (p->tissue.mended)
        pelti_warn(in->log, "projective-tets-mended",
                   "%d of %d tetrahedra became springs: %d too flat, %d turned inside out at rest", p->tissue.mended,
                   p->tissue.mended + p->tissue.tet_count, p->tissue.flat, p->tissue.inverted);
    return PELT_OK;
}

static PeltStatus no_contacts(Projective *p, const PeltiOptions *o, PeltError *err)
{
    (void)p;
    (void)o;
    (void)err;
    return PELT_OK;
}

static PeltStatus contacts_at_joints(Projective *p, const PeltiOptions *o, PeltError *err)
{
    (void)o;
    return pelti_proj_contacts(p, false, err);
}

static PeltStatus contacts_everywhere(Projective *p, const PeltiOptions *o, PeltError *err)
{
    (void)o;
    return pelti_proj_contacts(p, true, err);
}

static PeltStatus contacts_stored(Projective *p, const PeltiOptions *o, PeltError *err)
{
    return pelti_proj_store(p, pelti_option_text(o, "poses"), err);
}

static const struct {
    const char *name;
    PeltStatus (*create)(Projective *p, const PeltiOptions *o, PeltError *err);
} collisions[] = {{"off", no_contacts}, {"joints", contacts_at_joints}, {"all", contacts_everywhere}, {"pairs", contacts_stored}};

static PeltStatus build(Projective *p, const PeltiMethodPrepare *in, PeltiPool *temp, PeltError *err)
{
    const PeltiOptions *o = in->options;
    const ProjSource source = {p->who, &p->weights, &p->pool, p->jobs, in->log};
    PELT_TRY(pelti_proj_skeleton(&source, pelti_proj_thickness(o), &p->skeleton, err));
    PELT_TRY(find_base(p, in->made_body, temp, err));
    PELT_TRY(find_order(p, temp, err));
    PELT_TRY(build_tissue(p, in, temp, err));
    p->base.slide = pelti_option_bool(o, "slide");
    PELT_TRY(pelti_proj_base(&source, &p->skeleton, p->feet, p->system.order, &p->base, err));
    PELT_TRY(take_state(p, err));
    set_inertia(p);
    PELT_TRY(factor(p, err));
    pelti_proj_measure_rounding(p);
    size_t k = 0;
    while (!pelti_option_is(o, "collisions", collisions[k].name))
        k++;
    return collisions[k].create(p, o, err);
}

static PeltStatus projective_prepare(const PeltiMethodPrepare *in, void **state, PeltError *err)
{
    Projective *p = pelti_alloc(in->allocator, sizeof *p);
    if (!p)
        return pelti_no_memory(err, sizeof *p);
    memset(p, 0, sizeof *p);
    if (in->allocator)
        p->allocator = *in->allocator;
    pelti_pool_init(&p->pool, in->allocator);
    p->who = in->who;
    p->mesh = in->who->mesh;
    p->weights = *in->weights;
    p->count = p->mesh->vertex_count;
    p->jobs = in->jobs;
    p->road = &pelti_proj_road;
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
    int count = (int)floorf(dt_s / p->settings.time_step_s + 0.5f);
    if (p->settings.virtual_frames) {
        int turns = (int)ceilf(pelti_motion_largest_turn(&p->travel.motion) / STEP_TURN);
        count = turns > count ? turns : count;
    }
    return count < 1 ? 1 : count > MOST_SUBSTEPS ? MOST_SUBSTEPS : count;
}

static void projective_step(void *state, const PeltiStepInput *in, Vec3 *vertices, PeltiStepReport *report)
{
    Projective *p = state;
    int substeps = 1;
    bool settle = in->restart || !p->travel.started || in->dt_s <= 0;
    if (settle)
        pelti_motion_reset(&p->travel.motion);
    pelti_motion_to(&p->travel.motion, in->bones, in->joints);
    if (settle) {
        pelti_proj_settle(p);
        p->travel.started = true;
    } else {
        substeps = substep_count(p, in->dt_s);
        for (int s = 1; s <= substeps; s++)
            pelti_proj_substep(p, pelti_proj_way(&p->travel, (float)s / (float)substeps));
    }
    pelti_motion_arrive(&p->travel.motion);
    for (int i = 0; i < p->count; i++)
        vertices[p->system.order[i]] = vec3(p->state.x[i][0], p->state.x[i][1], p->state.x[i][2]);
    if (!report)
        return;
    report->told.substeps = substeps;
    report->told.substep_ms = p->figures.substep_ms;
    pelti_step_stat(report, "residual", p->figures.residual, PELTI_MOST);
    p->road->tell(p, report);
    if (p->figures.substep_ms > 0 && !in->restart) {
        double per_tet = 1e6 / (double)p->settings.iterations / (p->tissue.tet_count > 0 ? p->tissue.tet_count : 1);
        pelti_step_stat(report, "local_ns_per_tet", p->figures.local_ms * per_tet, PELTI_LEAST);
        pelti_step_stat(report, "substep_best_ms", p->figures.substep_ms, PELTI_LEAST);
        pelti_step_stat(report, "contacts_step_ms", p->figures.contacts_ms, PELTI_LEAST);
        pelti_step_stat(report, "solve_step_ms", p->figures.solve_ms, PELTI_LEAST);
        pelti_step_stat(report, "local_step_ms", p->figures.local_ms, PELTI_LEAST);
    }
    pelti_step_stat(report, "factor_fill", (double)pelti_sparse_fill(p->system.moving), PELTI_LAST);
    pelti_step_stat(report, "simulated_vertices", p->count, PELTI_LAST);
    pelti_step_stat(report, "tetrahedra", p->tissue.tet_count, PELTI_LAST);
    pelti_step_stat(report, "tetrahedra_mended", p->tissue.mended, PELTI_LAST);
    pelti_step_stat(report, "tetrahedra_inside_out", p->tissue.inverted, PELTI_LAST);
    pelti_step_stat(report, "vertices_without_tissue", p->tissue.bare, PELTI_LAST);
}

static void projective_draw(const void *state, const char *what, PeltiMethodDraw *draw)
{
    const Projective *p = state;
    if (strcmp(what, "inside") || !draw->line)
        return;
    const Vec3 bone_colour = vec3(0.85f, 0.80f, 0.65f), joint_colour = vec3(0.80f, 0.35f, 0.25f),
               base_colour = vec3(0.55f, 0.25f, 0.25f);
    for (int s = 0; s < p->skeleton.segment_count; s++) {
        const ProjSegment *segment = &p->skeleton.segments[s];
        Mat34 m = p->travel.motion.from.bones[segment->bone];
        draw->line(draw->user, mat34_apply(m, segment->a), mat34_apply(m, segment->b), segment->radius, bone_colour);
        if (draw->point)
            draw->point(draw->user, mat34_apply(m, segment->a), p->skeleton.joint_radius[segment->bone], joint_colour);
    }
    for (int t = 0; draw->triangle && t < p->mesh->triangle_count; t++) {
        Vec3 c[3];
        for (int k = 0; k < 3; k++) {
            const float *q = p->state.q[p->system.place[p->mesh->triangles[t][k]]];
            c[k] = vec3(q[0], q[1], q[2]);
        }
        draw->triangle(draw->user, c[0], c[1], c[2], base_colour);
    }
}

const PeltiMethod pelti_method_projective = {
    .name = "projective",
    .summary = "elastic tissue on volumetric bones: skin that lags, jiggles, settles and collides; needs no weights",
    .reference = "Komaritzan and Botsch, Projective Skinning, 2018",
    .flags = PELTI_METHOD_KEEPS_STATE | PELTI_METHOD_DYNAMIC | PELTI_METHOD_FLESH,
    .options = options,
    .prepare = projective_prepare,
    .step = projective_step,
    .destroy = projective_destroy,
    .retune = projective_retune,
    .swings_on = projective_swings_on,
    .keep = pelti_proj_keep,
    .live = "jiggle|bulge|gravity|iterations|virtual-frames",
    .draw = projective_draw,
};
