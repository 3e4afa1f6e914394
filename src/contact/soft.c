/// Soft objects: corotated linear elasticity, implicit steps, compliance at touched vertices.
#include "contact/soft.h"

#include "contact/soft_mesh.h"
#include "math/sparse.h"
#include "contact/constants.def"

#include <string.h>

struct PeltiSoft {
    PeltiPool *pool;
    PeltiSoftMesh mesh;
    int surface_count;
    double damping; ///< s
    double *mass;   ///< [nodes] kg
    int entry_count;
    PeltiEntry *stiffness; ///< K, once; mass entries follow at the end
    PeltiEntry *entries;   ///< of A for the present h
    PeltiSparse *factor;
    double factor_h;
    PeltiTurn turn;
    double (*x)[3], (*v)[3];        ///< [nodes] world
    double (*last)[3], last_h;      ///< [nodes] what contact moved in the last step, and its length
    double (*free)[3], (*moved)[3]; ///< [nodes] displacement of this step, world: without contact, by contact
    double *rhs, *work;             ///< [3 nodes]
    double *from_rest;              ///< [3 nodes] R^T x - X, body axes
    double **column;    ///< [surface vertices] A^-1 for a unit force along each body axis, [3 x 3 nodes]; NULL: not asked yet
    bool *column_known; ///< [surface vertices] `column` is of the present factor
    double *spare;      ///< a column, for a vertex whose own was refused
    int slot_count, slots[PELTI_SOFT_SLOTS];
    int *slot_of; ///< [surface vertices] -1: none
    bool held;
    double goal[3], drive[3]; ///< held: where its middle is to be, and how fast it goes there
    double aside[3];          ///< how far contact moved it since the frame began
    double yield[3];          ///< how far the hand gives way to what the body is pressed against
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
                    s->stiffness[s->entry_count++] =
                        (PeltiEntry){3 * n[a] + i, 3 * n[b] + j,
                                     volume * (lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i] + (i == j ? mu * inner : 0))};
        }
}

/// A = M/h^2 + (1 + d/h) K, body axes.
static PeltStatus factor(PeltiSoft *s, double h, PeltError *err)
{
    if (s->factor && s->factor_h == h)
        return PELT_OK;
    int n = 3 * s->mesh.node_count, count = s->entry_count;
    for (int e = 0; e < count; e++) {
        s->entries[e] = s->stiffness[e];
        s->entries[e].value *= 1 + s->damping / h;
    }
    for (int i = 0; i < n; i++)
        s->entries[count + i] = (PeltiEntry){i, i, s->mass[i / 3] / (h * h)};
    PeltiEntries matrix = {.n = n, .count = count + n, .list = s->entries};
    PeltStatus status = s->factor ? pelti_sparse_refactor(s->factor, s->entries, err)
                                  : pelti_sparse_create(&s->pool->allocator, &matrix, PELTI_ORDER_BEST, &s->factor, err);
    s->factor_h = status == PELT_OK ? h : 0;
    memset(s->column_known, 0, sizeof *s->column_known * (size_t)s->surface_count); // to be asked again, in the same place
    return status;
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
    s->damping = def->damping > 0 ? (double)def->damping : SOFT_DAMPING;
    PELT_TRY(pelti_soft_mesh_make(pool, body, mesh, &s->mesh, err));
    size_t nodes = (size_t)s->mesh.node_count, all = (size_t)s->mesh.tet_count * 78 + 3 * nodes;
    s->mass = PELTI_NEW(pool, double, nodes);
    s->stiffness = PELTI_NEW(pool, PeltiEntry, all);
    s->entries = PELTI_NEW(pool, PeltiEntry, all);
    s->x = pelti_pool_take(pool, nodes, sizeof(double[3]));
    s->v = pelti_pool_take(pool, nodes, sizeof(double[3]));
    s->free = pelti_pool_take(pool, nodes, sizeof(double[3]));
    s->moved = pelti_pool_take(pool, nodes, sizeof(double[3]));
    s->last = pelti_pool_take(pool, nodes, sizeof(double[3]));
    s->rhs = PELTI_NEW(pool, double, 3 * nodes);
    s->work = PELTI_NEW(pool, double, 3 * nodes);
    s->from_rest = PELTI_NEW(pool, double, 3 * nodes);
    s->column = PELTI_NEW(pool, double *, s->surface_count);
    s->column_known = PELTI_NEW(pool, bool, s->surface_count);
    s->spare = PELTI_NEW(pool, double, 9 * nodes);
    s->slot_of = PELTI_NEW(pool, int, s->surface_count);
    if (pool->failed)
        return pelti_no_memory(err, all * sizeof(PeltiEntry));
    for (int v = 0; v < s->surface_count; v++)
        s->slot_of[v] = -1;
    double volume = 0, lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = young / (2 * (1 + poisson));
    for (int t = 0; t < s->mesh.tet_count; t++) {
        const int *n = s->mesh.tets[t];
        double one = pelti_contact_tet_volume(s->mesh.nodes[n[0]], s->mesh.nodes[n[1]], s->mesh.nodes[n[2]], s->mesh.nodes[n[3]]);
        volume += one;
        for (int c = 0; c < 4; c++)
            s->mass[n[c]] += one / 4;
        element(s, t, lambda, mu);
    }
    s->turn = body->turn;
    double spin[3];
    pelti_contact_body_spin(body, spin);
    for (int n = 0; n < s->mesh.node_count; n++) {
        double r[3];
        s->mass[n] *= body->mass / volume;
        for (int k = 0; k < 3; k++)
            r[k] = body->turn.m[k][0] * s->mesh.nodes[n][0] + body->turn.m[k][1] * s->mesh.nodes[n][1] +
                   body->turn.m[k][2] * s->mesh.nodes[n][2];
        for (int k = 0; k < 3; k++) {
            s->x[n][k] = body->at[k] + r[k];
            s->v[n][k] = body->velocity[k] + spin[(k + 1) % 3] * r[(k + 2) % 3] - spin[(k + 2) % 3] * r[(k + 1) % 3];
        }
    }
    PELT_TRY(factor(s, 1.0 / 30, err)); // a step of another length fills the same memory
    *out = s;
    return PELT_OK;
}

void pelti_soft_destroy(PeltiSoft *soft)
{
    if (soft)
        pelti_sparse_destroy(soft->factor);
}

// ---- steps ----

static void to_body(const PeltiTurn *r, const double in[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = r->m[0][k] * in[0] + r->m[1][k] * in[1] + r->m[2][k] * in[2];
}

static void to_world(const PeltiTurn *r, const double in[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = r->m[k][0] * in[0] + r->m[k][1] * in[1] + r->m[k][2] * in[2];
}

/// Solves A y = rhs (body axes) and writes y in world axes.
static void solve_to(PeltiSoft *s, double (*out)[3])
{
    pelti_sparse_solve(s->factor, s->rhs, s->rhs, s->work);
    for (int n = 0; n < s->mesh.node_count; n++)
        to_world(&s->turn, s->rhs + 3 * n, out[n]);
}

void pelti_soft_centre(const PeltiSoft *s, double centre[3])
{
    double mass = 0;
    centre[0] = centre[1] = centre[2] = 0;
    for (int n = 0; n < s->mesh.node_count; n++) {
        mass += s->mass[n];
        for (int k = 0; k < 3; k++)
            centre[k] += s->mass[n] * s->x[n][k];
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
            double r[2] = {s->x[n][i] - centre[i], s->x[n][j] - centre[j]};
            spin[k] += s->mass[n] * (r[0] * (s->v[n][j] - mean[j]) - r[1] * (s->v[n][i] - mean[i]));
            moment += s->mass[n] * (r[0] * r[0] + r[1] * r[1]) / 3;
        }
    for (int k = 0; k < 3; k++)
        spin[k] = moment > 0 ? spin[k] / moment : 0;
}

/// The motion as a whole becomes the hand's; what is left of the speeds is the flesh's own trembling.
static void lead(PeltiSoft *s)
{
    double centre[3], mean[3], spin[3], mass = 0;
    for (int n = 0; n < s->mesh.node_count; n++)
        mass += s->mass[n];
    pelti_soft_centre(s, centre);
    pelti_soft_momentum(s, mean);
    for (int k = 0; k < 3; k++)
        mean[k] /= mass;
    spin_of(s, centre, mean, spin);
    for (int n = 0; n < s->mesh.node_count; n++)
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            s->v[n][k] += s->drive[k] - mean[k] - (spin[i] * (s->x[n][j] - centre[j]) - spin[j] * (s->x[n][i] - centre[i]));
        }
}

void pelti_soft_hold(PeltiSoft *s, const double goal[3])
{
    if (!s->held)
        memset(s->yield, 0, sizeof s->yield), memset(s->aside, 0, sizeof s->aside);
    memcpy(s->goal, goal, sizeof s->goal);
    s->held = true;
}

void pelti_soft_let_go(PeltiSoft *s)
{
    s->held = false;
}

void pelti_soft_drive(PeltiSoft *s, double dt)
{
    double centre[3];
    if (!s->held)
        return;
    pelti_soft_centre(s, centre);
    for (int k = 0; k < 3; k++) {
        s->yield[k] = (1 - HAND_RETURNS) * s->yield[k] + HAND_YIELDS * s->aside[k];
        s->aside[k] = 0;
        double way = s->goal[k] + s->yield[k] - centre[k];
        s->drive[k] = dt > 0 ? way / dt : 0;
        for (int n = 0; n < s->mesh.node_count && !(dt > 0); n++)
            s->x[n][k] += way;
    }
    lead(s);
}

bool pelti_soft_free_step(PeltiSoft *s, const double gravity[3], double h)
{
    if (s->held)
        lead(s);
    double weight = s->held ? 0 : 1; // the hand carries it
    double grown = s->last_h > 0 ? h * h / (s->last_h * s->last_h) : 0;
    for (int n = 0; n < s->mesh.node_count; n++)
        for (int k = 0; k < 3; k++)
            s->moved[n][k] = grown * s->last[n][k]; // where the search starts
    memset(s->free, 0, (size_t)s->mesh.node_count * sizeof(double[3]));
    if (factor(s, h, NULL) != PELT_OK)
        return false;
    for (int n = 0; n < s->mesh.node_count; n++) {
        double push[3];
        for (int k = 0; k < 3; k++)
            push[k] = s->mass[n] * (s->v[n][k] / h + weight * gravity[k]);
        to_body(&s->turn, push, s->rhs + 3 * n);
    }
    double *u = s->from_rest; // K takes the translation out
    for (int n = 0; n < s->mesh.node_count; n++) {
        double local[3], from_first[3];
        for (int k = 0; k < 3; k++)
            from_first[k] = s->x[n][k] - s->x[0][k];
        to_body(&s->turn, from_first, local);
        for (int k = 0; k < 3; k++)
            u[3 * n + k] = local[k] - (s->mesh.nodes[n][k] - s->mesh.nodes[0][k]);
    }
    for (int e = 0; e < s->entry_count; e++) {
        const PeltiEntry *k = &s->stiffness[e];
        s->rhs[k->row] -= k->value * u[k->column];
        if (k->row != k->column)
            s->rhs[k->column] -= k->value * u[k->row];
    }
    solve_to(s, s->free);
    return true;
}

void pelti_soft_place(const PeltiSoft *s, Vec3 *x)
{
    for (int v = 0; v < s->surface_count; v++) {
        double p[3] = {0, 0, 0};
        for (int c = 0; c < 4; c++) {
            int n = s->mesh.corner[v][c];
            for (int k = 0; k < 3; k++)
                p[k] += s->mesh.weight[v][c] * (s->x[n][k] + s->free[n][k] + s->moved[n][k]);
        }
        x[v] = vec3((float)p[0], (float)p[1], (float)p[2]);
    }
}

/// The turn that fits best: polar part of sum m (x - c) X^T.
static void fit_turn(PeltiSoft *s)
{
    double centre[3] = {0, 0, 0}, rest[3] = {0, 0, 0}, mass = 0, a[3][3] = {{0}};
    for (int n = 0; n < s->mesh.node_count; n++) {
        mass += s->mass[n];
        for (int k = 0; k < 3; k++)
            centre[k] += s->mass[n] * s->x[n][k], rest[k] += s->mass[n] * s->mesh.nodes[n][k];
    }
    double most = 0;
    for (int n = 0; n < s->mesh.node_count; n++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                a[i][j] += s->mass[n] * (s->x[n][i] - centre[i] / mass) * (s->mesh.nodes[n][j] - rest[j] / mass);
                most = fmax(most, fabs(a[i][j]));
            }
    Mat3 m;
    for (int i = 0; i < 9; i++)
        (&m.m[0][0])[i] = (float)((&a[0][0])[i] / most);
    Mat3 r = mat3_polar(m, NULL);
    for (int i = 0; i < 9; i++)
        (&s->turn.m[0][0])[i] = (double)(&r.m[0][0])[i];
}

void pelti_soft_end_step(PeltiSoft *s, double h)
{
    double mass = 0, moved[3] = {0, 0, 0};
    for (int n = 0; n < s->mesh.node_count; n++) {
        mass += s->mass[n];
        for (int k = 0; k < 3; k++) {
            double d = s->free[n][k] + s->moved[n][k];
            s->x[n][k] += d;
            s->v[n][k] = d / h;
            moved[k] += s->mass[n] * s->moved[n][k];
            s->last[n][k] = s->moved[n][k];
            s->free[n][k] = s->moved[n][k] = 0;
        }
    }
    for (int k = 0; k < 3; k++)
        s->aside[k] += moved[k] / mass;
    s->last_h = h;
    fit_turn(s);
}

// ---- contact ----

void pelti_soft_clear_slots(PeltiSoft *s)
{
    for (int i = 0; i < s->slot_count; i++)
        s->slot_of[s->slots[i]] = -1;
    s->slot_count = 0;
}

int pelti_soft_slot(PeltiSoft *s, int vertex)
{
    if (s->slot_of[vertex] < 0) {
        if (s->slot_count == PELTI_SOFT_SLOTS)
            return -1;
        s->slot_of[vertex] = s->slot_count;
        s->slots[s->slot_count++] = vertex;
    }
    return s->slot_of[vertex];
}

int pelti_soft_slot_count(const PeltiSoft *s)
{
    return s->slot_count;
}

/// Motion of all nodes for a unit force on a surface vertex along each body axis: asked once for a vertex and an h, or again and
/// again where memory to keep it was refused. Good until the next call.
static const double *column_of(PeltiSoft *s, int vertex)
{
    size_t n = 3 * (size_t)s->mesh.node_count;
    if (s->column_known[vertex])
        return s->column[vertex];
    if (!s->column[vertex])
        s->column[vertex] = PELTI_NEW(s->pool, double, 3 * n);
    double *column = s->column[vertex] ? s->column[vertex] : s->spare;
    for (int k = 0; k < 3; k++) {
        memset(s->rhs, 0, n * sizeof(double));
        for (int c = 0; c < 4; c++)
            s->rhs[3 * s->mesh.corner[vertex][c] + k] = s->mesh.weight[vertex][c];
        pelti_sparse_solve(s->factor, s->rhs, column + (size_t)k * n, s->work);
    }
    s->column_known[vertex] = s->column[vertex] != NULL;
    return column;
}

void pelti_soft_compliance(PeltiSoft *s, double *c)
{
    int n = 3 * s->slot_count;
    size_t rows = 3 * (size_t)s->mesh.node_count;
    for (int b = 0; b < s->slot_count; b++) {
        const double *column = column_of(s, s->slots[b]);
        for (int a = 0; a < s->slot_count; a++) {
            double body[3][3] = {{0}}, half[3][3]; // body[i][k]: motion i of a for force k on b
            for (int q = 0; q < 4; q++) {
                size_t node = (size_t)s->mesh.corner[s->slots[a]][q];
                for (int i = 0; i < 3; i++)
                    for (int k = 0; k < 3; k++)
                        body[i][k] += s->mesh.weight[s->slots[a]][q] * column[(size_t)k * rows + 3 * node + (size_t)i];
            }
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    half[i][k] = s->turn.m[i][0] * body[0][k] + s->turn.m[i][1] * body[1][k] + s->turn.m[i][2] * body[2][k];
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    c[(size_t)(3 * a + i) * (size_t)n + (size_t)(3 * b + k)] =
                        half[i][0] * s->turn.m[k][0] + half[i][1] * s->turn.m[k][1] + half[i][2] * s->turn.m[k][2];
        }
    }
}

void pelti_soft_moved(const PeltiSoft *s, double (*u)[3])
{
    for (int a = 0; a < s->slot_count; a++)
        for (int k = 0; k < 3; k++) {
            u[a][k] = 0;
            for (int c = 0; c < 4; c++)
                u[a][k] += s->mesh.weight[s->slots[a]][c] * s->moved[s->mesh.corner[s->slots[a]][c]][k];
        }
}

void pelti_soft_take(PeltiSoft *s, const double (*force)[3])
{
    memset(s->rhs, 0, 3 * (size_t)s->mesh.node_count * sizeof(double));
    for (int a = 0; a < s->slot_count; a++) {
        double f[3];
        to_body(&s->turn, force[a], f);
        for (int c = 0; c < 4; c++)
            for (int k = 0; k < 3; k++)
                s->rhs[3 * s->mesh.corner[s->slots[a]][c] + k] += s->mesh.weight[s->slots[a]][c] * f[k];
    }
    if (s->factor_h > 0)
        solve_to(s, s->moved);
}

void pelti_soft_momentum(const PeltiSoft *s, double linear[3])
{
    linear[0] = linear[1] = linear[2] = 0;
    for (int n = 0; n < s->mesh.node_count; n++)
        for (int k = 0; k < 3; k++)
            linear[k] += s->mass[n] * s->v[n][k];
}
