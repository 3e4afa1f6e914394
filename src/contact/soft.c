/// Soft objects: linear elasticity in a frame that turns with the body [Terzopoulos1988], and compliance at touched vertices.
#include "contact/soft.h"

#include "contact/soft_mesh.h"
#include "math/sparse.h"
#include "contact/constants.def"

#include <string.h>

typedef struct SoftMatter { ///< pelti_soft_create makes it once; every step reads it
    double damping;         ///< s
    double *mass;           ///< [nodes] kg
    int entry_count;
    PeltiSparseEntry *stiffness; ///< [entry_count] K, body axes
} SoftMatter;

typedef struct SoftState {   ///< at the end of the last step: pelti_soft_end_step writes; a hand moves and slows it
    double (*x)[3], (*v)[3]; ///< [nodes] world
    PeltiContactTurn turn;   ///< of the body's axes
} SoftState;

typedef struct SoftMotion {    ///< of this step, [nodes] world; pelti_soft_end_step takes it into the state
    double (*free)[3];         ///< without contact, by pelti_soft_free_step
    double (*moved)[3];        ///< by contact, by pelti_soft_take; first as in the last step, where the search starts
    double (*last)[3], last_h; ///< `moved` of the last step, and its length in s; 0: there was none
} SoftMotion;

typedef struct SoftSolve {     ///< A for steps of one length: factor() writes, solve_to() and column_of() read
    PeltiSparseEntry *entries; ///< [entry_count + 3 nodes] of A: those of K, then the masses
    PeltiSparse *factor;
    double factor_h;    ///< s; 0: there is none
    double **column;    ///< [surface vertices] A^-1 for a unit force along each body axis, [3 x 3 nodes]; NULL: never asked
    bool *column_known; ///< [surface vertices] `column` is of the present factor
    struct {
        double *rhs;       ///< [3 nodes] body axes; the solution takes its place
        double *from_rest; ///< [3 nodes] R^T x - X, body axes
        double *sparse;    ///< [3 nodes] of pelti_sparse_solve
        double *column;    ///< [3 x 3 nodes] for a vertex whose own was refused
    } scratch;
} SoftSolve;

typedef struct SoftTouched { ///< vertices in contact: assembling writes, from pelti_soft_clear_slots on
    int count, slots[PELTI_SOFT_SLOTS];
    int *slot_of; ///< [surface vertices] -1: none
} SoftTouched;

typedef struct SoftHand { ///< pelti_soft_hold and pelti_soft_drive write, steps read
    bool held;
    double goal[3], drive[3]; ///< held: where its middle is to be, and how fast it goes there
    double aside[3];          ///< how far contact moved it since the frame began: pelti_soft_end_step adds
    double yield[3];          ///< how far the hand gives way to what the body is pressed against
} SoftHand;

struct PeltiSoft {
    PeltiPool *pool; ///< the caller's: columns are taken when they are first asked
    int surface_count;
    PeltiSoftMesh mesh;
    SoftMatter matter;
    SoftState now;
    SoftMotion motion;
    SoftSolve solve;
    SoftTouched touched;
    SoftHand hand;
};

// ---- stiffness ----

/// Element stiffness: K_ab = V (lambda g_a g_b^T + mu (g_a . g_b) 1 + mu g_b g_a^T), g the gradients of the linear shape
/// functions.
static void element(PeltiSoft *s, int t, double lambda, double mu)
{
    const int *n = s->mesh.tets[t];
    double g[4][3],
        volume = pelti_contact_tet_volume(s->mesh.nodes[n[0]], s->mesh.nodes[n[1]], s->mesh.nodes[n[2]], s->mesh.nodes[n[3]]);
    for (int a = 0; a < 4; a++) { // gradient: area normal of the opposite face, inward, over 3 V
        const double *p = s->mesh.nodes[n[(a + 1) % 4]], *q = s->mesh.nodes[n[(a + 2) % 4]], *r = s->mesh.nodes[n[(a + 3) % 4]];
        double u[3], v[3], along = 0;
        for (int k = 0; k < 3; k++)
            u[k] = q[k] - p[k], v[k] = r[k] - p[k];
        for (int k = 0; k < 3; k++)
            g[a][k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
        for (int k = 0; k < 3; k++)
            along += g[a][k] * (s->mesh.nodes[n[a]][k] - p[k]); // = 6 V up to sign, and the function rises by 1
        for (int k = 0; k < 3; k++)
            g[a][k] /= along;
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b <= a; b++) {
            double inner = g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2];
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < (a == b ? i + 1 : 3); j++)
                    s->matter.stiffness[s->matter.entry_count++] = (PeltiSparseEntry){
                        3 * n[a] + i, 3 * n[b] + j,
                        volume * (lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i] + (i == j ? mu * inner : 0))};
        }
}

/// A = M/h^2 + (1 + d/h) K, body axes.
static PeltStatus factor(PeltiSoft *s, double h, PeltError *err)
{
    SoftSolve *a = &s->solve;
    if (a->factor && a->factor_h == h)
        return PELT_OK;
    int n = 3 * s->mesh.node_count, count = s->matter.entry_count;
    for (int e = 0; e < count; e++) {
        a->entries[e] = s->matter.stiffness[e];
        a->entries[e].value *= 1 + s->matter.damping / h;
    }
    for (int i = 0; i < n; i++)
        a->entries[count + i] = (PeltiSparseEntry){i, i, s->matter.mass[i / 3] / (h * h)};
    PeltiSparseEntries matrix = {.n = n, .count = count + n, .list = a->entries};
    PeltStatus status = a->factor ? pelti_sparse_refactor(a->factor, a->entries, err)
                                  : pelti_sparse_create(&s->pool->allocator, &matrix, PELTI_ORDER_BEST, &a->factor, err);
    a->factor_h = status == PELT_OK ? h : 0;
    memset(a->column_known, 0, sizeof *a->column_known * (size_t)s->surface_count); // asked again, in the same place
    return status;
}

static PeltStatus take_room(PeltiSoft *s, PeltError *err)
{
    PeltiPool *pool = s->pool;
    size_t nodes = (size_t)s->mesh.node_count, all = (size_t)s->mesh.tet_count * 78 + 3 * nodes;
    s->matter.mass = PELTI_NEW(pool, double, nodes);
    s->matter.stiffness = PELTI_NEW(pool, PeltiSparseEntry, all);
    s->now.x = pelti_pool_take(pool, nodes, sizeof(double[3]));
    s->now.v = pelti_pool_take(pool, nodes, sizeof(double[3]));
    s->motion.free = pelti_pool_take(pool, nodes, sizeof(double[3]));
    s->motion.moved = pelti_pool_take(pool, nodes, sizeof(double[3]));
    s->motion.last = pelti_pool_take(pool, nodes, sizeof(double[3]));
    s->solve.entries = PELTI_NEW(pool, PeltiSparseEntry, all);
    s->solve.column = PELTI_NEW(pool, double *, s->surface_count);
    s->solve.column_known = PELTI_NEW(pool, bool, s->surface_count);
    s->solve.scratch.rhs = PELTI_NEW(pool, double, 3 * nodes);
    s->solve.scratch.from_rest = PELTI_NEW(pool, double, 3 * nodes);
    s->solve.scratch.sparse = PELTI_NEW(pool, double, 3 * nodes);
    s->solve.scratch.column = PELTI_NEW(pool, double, 9 * nodes);
    s->touched.slot_of = PELTI_NEW(pool, int, s->surface_count);
    return pool->failed ? pelti_no_memory(err, all * sizeof(PeltiSparseEntry)) : PELT_OK;
}

/// K and the nodes' masses, which add up to the body's.
static void find_matter(PeltiSoft *s, double young, double poisson, double mass)
{
    double volume = 0, lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));
    for (int t = 0; t < s->mesh.tet_count; t++) {
        const int *n = s->mesh.tets[t];
        double one = pelti_contact_tet_volume(s->mesh.nodes[n[0]], s->mesh.nodes[n[1]], s->mesh.nodes[n[2]], s->mesh.nodes[n[3]]);
        volume += one;
        for (int c = 0; c < 4; c++)
            s->matter.mass[n[c]] += one / 4;
        element(s, t, lambda, mu);
    }
    for (int n = 0; n < s->mesh.node_count; n++)
        s->matter.mass[n] *= mass / volume;
}

/// At rest in the body's place, and moving as it does.
static void start(PeltiSoft *s, const PeltiContactBody *body)
{
    double spin[3];
    s->now.turn = body->now.turn;
    pelti_contact_body_spin(body, spin);
    for (int n = 0; n < s->mesh.node_count; n++) {
        double r[3];
        for (int k = 0; k < 3; k++)
            r[k] = body->now.turn.m[k][0] * s->mesh.nodes[n][0] + body->now.turn.m[k][1] * s->mesh.nodes[n][1] +
                   body->now.turn.m[k][2] * s->mesh.nodes[n][2];
        for (int k = 0; k < 3; k++) {
            s->now.x[n][k] = body->now.at[k] + r[k];
            s->now.v[n][k] = body->now.velocity[k] + spin[(k + 1) % 3] * r[(k + 2) % 3] - spin[(k + 2) % 3] * r[(k + 1) % 3];
        }
    }
}

PeltStatus pelti_soft_create(PeltiPool *pool, const PeltiContactBody *body, const PeltiMesh *mesh, PeltiSoft **out,
                             PeltError *err)
{
    const PeltSceneObject *def = body->def;
    double young = def->young_modulus_pa != 0 ? (double)def->young_modulus_pa : SOFT_YOUNG,
           poisson = def->poisson_ratio != 0 ? (double)def->poisson_ratio : SOFT_POISSON;
    if (!(young > 0 && young < 1e13) || !(poisson >= 0 && poisson <= 0.49))
        return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: Young's modulus %g must be positive, Poisson's ratio %g in [0, 0.49]",
                         def->name, young, poisson);
    PeltiSoft *s = PELTI_NEW(pool, PeltiSoft, 1);
    if (!s)
        return pelti_no_memory(err, sizeof *s);
    s->pool = pool;
    s->surface_count = mesh->vertex_count;
    s->matter.damping = def->damping > 0 ? (double)def->damping : SOFT_DAMPING;
    PELT_TRY(pelti_soft_mesh_make(pool, body, mesh, &s->mesh, err));
    PELT_TRY(take_room(s, err));
    for (int v = 0; v < s->surface_count; v++)
        s->touched.slot_of[v] = -1;
    find_matter(s, young, poisson, body->mass);
    start(s, body);
    PELT_TRY(factor(s, 1.0 / 30, err)); // a step of another length fills the same memory
    *out = s;
    return PELT_OK;
}

void pelti_soft_destroy(PeltiSoft *soft)
{
    if (soft)
        pelti_sparse_destroy(soft->solve.factor);
}

// ---- steps ----

static void to_body(const PeltiContactTurn *r, const double in[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = r->m[0][k] * in[0] + r->m[1][k] * in[1] + r->m[2][k] * in[2];
}

static void to_world(const PeltiContactTurn *r, const double in[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = r->m[k][0] * in[0] + r->m[k][1] * in[1] + r->m[k][2] * in[2];
}

/// Solves A y = rhs (body axes) and writes y in world axes.
static void solve_to(PeltiSoft *s, double (*out)[3])
{
    double *rhs = s->solve.scratch.rhs;
    pelti_sparse_solve(s->solve.factor, rhs, rhs, s->solve.scratch.sparse);
    for (int n = 0; n < s->mesh.node_count; n++)
        to_world(&s->now.turn, rhs + 3 * n, out[n]);
}

void pelti_soft_centre(const PeltiSoft *s, double centre[3])
{
    double mass = 0;
    centre[0] = centre[1] = centre[2] = 0;
    for (int n = 0; n < s->mesh.node_count; n++) {
        mass += s->matter.mass[n];
        for (int k = 0; k < 3; k++)
            centre[k] += s->matter.mass[n] * s->now.x[n][k];
    }
    for (int k = 0; k < 3; k++)
        centre[k] /= mass;
}

/// The spin that has the angular momentum of all nodes, taken as if they were spread evenly about the centre: exact for a cube
/// or a ball, and what is left of others is taken by the next steps.
static void spin_of(const PeltiSoft *s, const double centre[3], const double mean[3], double spin[3])
{
    double moment = 0;
    spin[0] = spin[1] = spin[2] = 0;
    for (int n = 0; n < s->mesh.node_count; n++)
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            double r[2] = {s->now.x[n][i] - centre[i], s->now.x[n][j] - centre[j]};
            spin[k] += s->matter.mass[n] * (r[0] * (s->now.v[n][j] - mean[j]) - r[1] * (s->now.v[n][i] - mean[i]));
            moment += s->matter.mass[n] * (r[0] * r[0] + r[1] * r[1]) / 3;
        }
    for (int k = 0; k < 3; k++)
        spin[k] = moment > 0 ? spin[k] / moment : 0;
}

/// The motion as a whole becomes the hand's; what is left of the speeds is the flesh's own trembling.
static void lead(PeltiSoft *s)
{
    double centre[3], mean[3], spin[3], mass = 0;
    for (int n = 0; n < s->mesh.node_count; n++)
        mass += s->matter.mass[n];
    pelti_soft_centre(s, centre);
    pelti_soft_momentum(s, mean);
    for (int k = 0; k < 3; k++)
        mean[k] /= mass;
    spin_of(s, centre, mean, spin);
    for (int n = 0; n < s->mesh.node_count; n++)
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            s->now.v[n][k] +=
                s->hand.drive[k] - mean[k] - (spin[i] * (s->now.x[n][j] - centre[j]) - spin[j] * (s->now.x[n][i] - centre[i]));
        }
}

void pelti_soft_hold(PeltiSoft *s, const double goal[3])
{
    if (!s->hand.held)
        memset(s->hand.yield, 0, sizeof s->hand.yield), memset(s->hand.aside, 0, sizeof s->hand.aside);
    memcpy(s->hand.goal, goal, sizeof s->hand.goal);
    s->hand.held = true;
}

void pelti_soft_let_go(PeltiSoft *s)
{
    s->hand.held = false;
}

void pelti_soft_drive(PeltiSoft *s, double dt)
{
    double centre[3];
    if (!s->hand.held)
        return;
    pelti_soft_centre(s, centre);
    for (int k = 0; k < 3; k++) {
        s->hand.yield[k] = (1 - HAND_RETURNS) * s->hand.yield[k] + HAND_YIELDS * s->hand.aside[k];
        s->hand.aside[k] = 0;
        double way = s->hand.goal[k] + s->hand.yield[k] - centre[k];
        s->hand.drive[k] = dt > 0 ? way / dt : 0;
        for (int n = 0; n < s->mesh.node_count && !(dt > 0); n++)
            s->now.x[n][k] += way;
    }
    lead(s);
}

bool pelti_soft_free_step(PeltiSoft *s, const double gravity[3], double h)
{
    SoftMotion *m = &s->motion;
    double *rhs = s->solve.scratch.rhs;
    if (s->hand.held)
        lead(s);
    double weight = s->hand.held ? 0 : 1; // the hand carries it
    double grown = m->last_h > 0 ? h * h / (m->last_h * m->last_h) : 0;
    for (int n = 0; n < s->mesh.node_count; n++)
        for (int k = 0; k < 3; k++)
            m->moved[n][k] = grown * m->last[n][k]; // where the search starts
    memset(m->free, 0, (size_t)s->mesh.node_count * sizeof(double[3]));
    if (factor(s, h, NULL) != PELT_OK)
        return false;
    for (int n = 0; n < s->mesh.node_count; n++) {
        double push[3];
        for (int k = 0; k < 3; k++)
            push[k] = s->matter.mass[n] * (s->now.v[n][k] / h + weight * gravity[k]);
        to_body(&s->now.turn, push, rhs + 3 * n);
    }
    double *u = s->solve.scratch.from_rest; // K takes the translation out
    for (int n = 0; n < s->mesh.node_count; n++) {
        double local[3], from_first[3];
        for (int k = 0; k < 3; k++)
            from_first[k] = s->now.x[n][k] - s->now.x[0][k];
        to_body(&s->now.turn, from_first, local);
        for (int k = 0; k < 3; k++)
            u[3 * n + k] = local[k] - (s->mesh.nodes[n][k] - s->mesh.nodes[0][k]);
    }
    for (int e = 0; e < s->matter.entry_count; e++) {
        const PeltiSparseEntry *k = &s->matter.stiffness[e];
        rhs[k->row] -= k->value * u[k->column];
        if (k->row != k->column)
            rhs[k->column] -= k->value * u[k->row];
    }
    solve_to(s, m->free);
    return true;
}

void pelti_soft_place(const PeltiSoft *s, Vec3 *x)
{
    for (int v = 0; v < s->surface_count; v++) {
        double p[3] = {0, 0, 0};
        for (int c = 0; c < 4; c++) {
            int n = s->mesh.corner[v][c];
            for (int k = 0; k < 3; k++)
                p[k] += s->mesh.weight[v][c] * (s->now.x[n][k] + s->motion.free[n][k] + s->motion.moved[n][k]);
        }
        x[v] = vec3((float)p[0], (float)p[1], (float)p[2]);
    }
}

/// The turn that fits best: polar part of sum m (x - c) X^T.
static void fit_turn(PeltiSoft *s)
{
    double centre[3] = {0, 0, 0}, rest[3] = {0, 0, 0}, mass = 0, a[3][3] = {{0}};
    for (int n = 0; n < s->mesh.node_count; n++) {
        mass += s->matter.mass[n];
        for (int k = 0; k < 3; k++)
            centre[k] += s->matter.mass[n] * s->now.x[n][k], rest[k] += s->matter.mass[n] * s->mesh.nodes[n][k];
    }
    double most = 0;
    for (int n = 0; n < s->mesh.node_count; n++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                a[i][j] += s->matter.mass[n] * (s->now.x[n][i] - centre[i] / mass) * (s->mesh.nodes[n][j] - rest[j] / mass);
                most = fmax(most, fabs(a[i][j]));
            }
    Mat3 m;
    for (int i = 0; i < 9; i++)
        (&m.m[0][0])[i] = (float)((&a[0][0])[i] / most);
    Mat3 r = mat3_polar(m, NULL);
    for (int i = 0; i < 9; i++)
        (&s->now.turn.m[0][0])[i] = (double)(&r.m[0][0])[i];
}

void pelti_soft_end_step(PeltiSoft *s, double h)
{
    SoftMotion *m = &s->motion;
    double mass = 0, moved[3] = {0, 0, 0};
    for (int n = 0; n < s->mesh.node_count; n++) {
        mass += s->matter.mass[n];
        for (int k = 0; k < 3; k++) {
            double d = m->free[n][k] + m->moved[n][k];
            s->now.x[n][k] += d;
            s->now.v[n][k] = d / h;
            moved[k] += s->matter.mass[n] * m->moved[n][k];
            m->last[n][k] = m->moved[n][k];
            m->free[n][k] = m->moved[n][k] = 0;
        }
    }
    for (int k = 0; k < 3; k++)
        s->hand.aside[k] += moved[k] / mass;
    m->last_h = h;
    fit_turn(s);
}

// ---- contact ----

void pelti_soft_clear_slots(PeltiSoft *s)
{
    for (int i = 0; i < s->touched.count; i++)
        s->touched.slot_of[s->touched.slots[i]] = -1;
    s->touched.count = 0;
}

int pelti_soft_slot(PeltiSoft *s, int vertex)
{
    if (s->touched.slot_of[vertex] < 0) {
        if (s->touched.count == PELTI_SOFT_SLOTS)
            return -1;
        s->touched.slot_of[vertex] = s->touched.count;
        s->touched.slots[s->touched.count++] = vertex;
    }
    return s->touched.slot_of[vertex];
}

int pelti_soft_slot_count(const PeltiSoft *s)
{
    return s->touched.count;
}

/// Motion of all nodes for a unit force on a surface vertex along each body axis: asked once for a vertex and an h, or again and
/// again where memory to keep it was refused. Good until the next call.
static const double *column_of(PeltiSoft *s, int vertex)
{
    double *rhs = s->solve.scratch.rhs;
    size_t n = 3 * (size_t)s->mesh.node_count;
    if (s->solve.column_known[vertex])
        return s->solve.column[vertex];
    if (!s->solve.column[vertex])
        s->solve.column[vertex] = PELTI_NEW(s->pool, double, 3 * n);
    double *column = s->solve.column[vertex] ? s->solve.column[vertex] : s->solve.scratch.column;
    for (int k = 0; k < 3; k++) {
        memset(rhs, 0, n * sizeof(double));
        for (int c = 0; c < 4; c++)
            rhs[3 * s->mesh.corner[vertex][c] + k] = s->mesh.weight[vertex][c];
        pelti_sparse_solve(s->solve.factor, rhs, column + (size_t)k * n, s->solve.scratch.sparse);
    }
    s->solve.column_known[vertex] = s->solve.column[vertex] != NULL;
    return column;
}

void pelti_soft_compliance(PeltiSoft *s, double *c)
{
    const double(*r)[3] = (const double(*)[3])s->now.turn.m;
    int n = 3 * s->touched.count;
    size_t rows = 3 * (size_t)s->mesh.node_count;
    for (int b = 0; b < s->touched.count; b++) {
        const double *column = column_of(s, s->touched.slots[b]);
        for (int a = 0; a < s->touched.count; a++) {
            double body[3][3] = {{0}}, half[3][3]; // body[i][k]: motion i of a for force k on b
            for (int q = 0; q < 4; q++) {
                size_t node = (size_t)s->mesh.corner[s->touched.slots[a]][q];
                for (int i = 0; i < 3; i++)
                    for (int k = 0; k < 3; k++)
                        body[i][k] += s->mesh.weight[s->touched.slots[a]][q] * column[(size_t)k * rows + 3 * node + (size_t)i];
            }
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    half[i][k] = r[i][0] * body[0][k] + r[i][1] * body[1][k] + r[i][2] * body[2][k];
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    c[(size_t)(3 * a + i) * (size_t)n + (size_t)(3 * b + k)] =
                        half[i][0] * r[k][0] + half[i][1] * r[k][1] + half[i][2] * r[k][2];
        }
    }
}

void pelti_soft_moved(const PeltiSoft *s, double (*u)[3])
{
    for (int a = 0; a < s->touched.count; a++)
        for (int k = 0; k < 3; k++) {
            u[a][k] = 0;
            for (int c = 0; c < 4; c++)
                u[a][k] += s->mesh.weight[s->touched.slots[a]][c] * s->motion.moved[s->mesh.corner[s->touched.slots[a]][c]][k];
        }
}

void pelti_soft_take(PeltiSoft *s, const double (*force)[3])
{
    double *rhs = s->solve.scratch.rhs;
    memset(rhs, 0, 3 * (size_t)s->mesh.node_count * sizeof(double));
    for (int a = 0; a < s->touched.count; a++) {
        double f[3];
        to_body(&s->now.turn, force[a], f);
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 3; k++)
                rhs[3 * s->mesh.corner[s->touched.slots[a]][c] + k] += s->mesh.weight[s->touched.slots[a]][c] * f[k];
    }
    if (s->solve.factor_h > 0)
        solve_to(s, s->motion.moved);
}

void pelti_soft_momentum(const PeltiSoft *s, double linear[3])
{
    linear[0] = linear[1] = linear[2] = 0;
    for (int n = 0; n < s->mesh.node_count; n++)
        for (int k = 0; k < 3; k++)
            linear[k] += s->matter.mass[n] * s->now.v[n][k];
}
