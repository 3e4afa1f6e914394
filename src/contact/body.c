/// Rigid bodies: mass, inertia, free motion and taking forces.
#include "contact/body.h"
#include "math/elementary.h"
#include "contact/constants.def"

#include <string.h>

// ---- rotations ----

void pelti_contact_turn_from_quat(const float q[4], PeltiContactTurn *out)
{
    double x = (double)q[0], y = (double)q[1], z = (double)q[2], w = (double)q[3], n = x * x + y * y + z * z + w * w;
    if (!(n > 1e-20))
        x = y = z = 0, w = n = 1;
    double s = 2 / n;
    *out = (PeltiContactTurn){{{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
                               {s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
                               {s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}}};
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void apply(const double m[3][3], const double v[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
}

static void orthonormalise(PeltiContactTurn *r) // rows, Gram-Schmidt: only rounding to remove
{
    double n = 0, d = 0;
    for (int k = 0; k < 3; k++)
        n += r->m[0][k] * r->m[0][k];
    for (int k = 0; k < 3; k++)
        r->m[0][k] /= sqrt(n), d += r->m[0][k] * r->m[1][k];
    n = 0;
    for (int k = 0; k < 3; k++)
        r->m[1][k] -= d * r->m[0][k], n += r->m[1][k] * r->m[1][k];
    for (int k = 0; k < 3; k++)
        r->m[1][k] /= sqrt(n);
    cross(r->m[0], r->m[1], r->m[2]);
}

/// exp([v]) r, orthonormal to rounding.
static PeltiContactTurn turn_by(const double v[3], const PeltiContactTurn *r)
{
    double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (!(angle > 1e-300))
        return *r;
    double axis[3] = {v[0] / angle, v[1] / angle, v[2] / angle}, s = pelti_sin(angle), c = 1 - pelti_cos(angle);
    PeltiContactTurn out = *r;
    for (int k = 0; k < 3; k++) { // Rodrigues on every column
        double column[3] = {r->m[0][k], r->m[1][k], r->m[2][k]}, once[3], twice[3];
        cross(axis, column, once);
        cross(axis, once, twice);
        for (int i = 0; i < 3; i++)
            out.m[i][k] = column[i] + s * once[i] + c * twice[i];
    }
    orthonormalise(&out);
    return out;
}

static void rotate_tensor(const PeltiContactTurn *r, const double in[3][3], double out[3][3]) // R I R^T
{
    double half[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            half[i][j] = r->m[i][0] * in[0][j] + r->m[i][1] * in[1][j] + r->m[i][2] * in[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = half[i][0] * r->m[j][0] + half[i][1] * r->m[j][1] + half[i][2] * r->m[j][2];
}

static void invert_tensor(const double a[3][3], double out[3][3]) // symmetric positive
{
    double c00 = a[1][1] * a[2][2] - a[1][2] * a[1][2], c01 = a[1][2] * a[0][2] - a[0][1] * a[2][2],
           c02 = a[0][1] * a[1][2] - a[1][1] * a[0][2];
    double det = a[0][0] * c00 + a[0][1] * c01 + a[0][2] * c02;
    out[0][0] = c00 / det, out[0][1] = out[1][0] = c01 / det, out[0][2] = out[2][0] = c02 / det;
    out[1][1] = (a[0][0] * a[2][2] - a[0][2] * a[0][2]) / det;
    out[1][2] = out[2][1] = (a[0][1] * a[0][2] - a[0][0] * a[1][2]) / det;
    out[2][2] = (a[0][0] * a[1][1] - a[0][1] * a[0][1]) / det;
}

static void cholesky3(const double a[3][3], double l[3][3])
{
    memset(l, 0, sizeof(double[3][3]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(fmax(sum, 1e-300)) : sum / l[j][j];
        }
}

// ---- making a body ----

static PeltStatus check(const PeltSceneObject *def, PeltError *err)
{
    const float all[] = {def->position[0],
                         def->position[1],
                         def->position[2],
                         def->rotation[0],
                         def->rotation[1],
                         def->rotation[2],
                         def->rotation[3],
                         def->velocity[0],
                         def->velocity[1],
                         def->velocity[2],
                         def->mass_kg,
                         def->density,
                         def->friction,
                         def->angular_velocity[0],
                         def->angular_velocity[1],
                         def->angular_velocity[2],
                         def->restitution};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(fabsf(all[i]) <= 1e12f))
            return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: a number is not finite", def->name);
    if (def->mass_kg < 0 || def->density < 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: mass and density must not be negative", def->name);
    if (def->restitution > 1)
        return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: restitution %g is above 1", def->name, (double)def->restitution);
    return PELT_OK;
}

/// Of an open surface: its bounding box, said once.
static void solid_of_bounds(const PeltiContactMesh *shape, PeltiContactSolid *out)
{
    Vec3 low = shape->vertices[0], high = low;
    for (int v = 1; v < shape->vertex_count; v++)
        low = vec3_min(low, shape->vertices[v]), high = vec3_max(high, shape->vertices[v]);
    double e[3] = {(double)(high.x - low.x), (double)(high.y - low.y), (double)(high.z - low.z)},
           most = fmax(e[0], fmax(e[1], e[2]));
    for (int k = 0; k < 3; k++)
        e[k] = fmax(e[k], OPEN_THICK * most);
    *out =
        (PeltiContactSolid){.volume = e[0] * e[1] * e[2],
                            .centre = {(double)(low.x + high.x) / 2, (double)(low.y + high.y) / 2, (double)(low.z + high.z) / 2}};
    for (int k = 0; k < 3; k++)
        out->inertia[k][k] = out->volume * (e[(k + 1) % 3] * e[(k + 1) % 3] + e[(k + 2) % 3] * e[(k + 2) % 3]) / 12;
}

PeltStatus pelti_contact_body_init(PeltiContactBody *body, PeltiPool *pool, const PeltSceneObject *def, PeltiMesh **mesh,
                                   PeltiLog *log, PeltError *err)
{
    PeltiContactMesh shape;
    PeltiContactSolid solid;
    PELT_TRY(check(def, err));
    PELT_TRY(pelti_contact_shape_make(pool, def, &shape, err));
    *body = (PeltiContactBody){.def = def, .kind = def->kind, .first_slot = -1};
    bool closed = pelti_contact_shape_solid(&shape, &solid);
    if (!closed) {
        solid_of_bounds(&shape, &solid);
        if (def->kind == PELT_OBJECT_SOFT)
            return PELT_FAIL(err, PELT_BAD_INPUT, "object %s: a soft body needs a closed mesh with outward triangles", def->name);
        if (def->kind == PELT_OBJECT_RIGID)
            pelti_warn(log, "scene-open-mesh", "object %s encloses no volume: mass and inertia of its bounding box", def->name);
    }
    double density = def->density > 0 ? (double)def->density : WATER;
    body->mass = def->mass_kg > 0 ? (double)def->mass_kg : density * solid.volume;
    int *instance = PELTI_NEW(pool, int, shape.vertex_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)shape.vertex_count * sizeof(int));
    PeltiMeshInput surface = {.point_count = shape.vertex_count,
                              .triangle_count = shape.triangle_count,
                              .weld_positions = shape.vertices,
                              .rest = shape.vertices,
                              .instance_of_point = instance,
                              .point_triangles = (const int(*)[3])shape.triangles};
    PELT_TRY(pelti_mesh_build(pool, &surface, mesh, err));
    body->local = PELTI_NEW(pool, Vec3, (*mesh)->vertex_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)(*mesh)->vertex_count * sizeof(Vec3));
    Vec3 centre = vec3((float)solid.centre[0], (float)solid.centre[1], (float)solid.centre[2]);
    for (int v = 0; v < (*mesh)->vertex_count; v++)
        body->local[v] = vec3_sub((*mesh)->rest[v], centre);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            body->inertia[i][j] = solid.inertia[i][j] * body->mass / solid.volume;
    pelti_contact_turn_from_quat(def->rotation, &body->now.turn);
    memcpy(body->centre_offset, solid.centre, sizeof body->centre_offset);
    double offset[3],
        spin[3] = {(double)def->angular_velocity[0], (double)def->angular_velocity[1], (double)def->angular_velocity[2]};
    double turned_inertia[3][3];
    apply((const double(*)[3])body->now.turn.m, solid.centre, offset);
    rotate_tensor(&body->now.turn, (const double(*)[3])body->inertia, turned_inertia);
    apply((const double(*)[3])turned_inertia, spin, body->now.momentum);
    for (int k = 0; k < 3; k++) {
        body->now.at[k] = (double)def->position[k] + offset[k];
        body->now.velocity[k] = (double)def->velocity[k];
    }
    if (def->kind == PELT_OBJECT_FIXED)
        memset(body->now.velocity, 0, sizeof body->now.velocity), memset(body->now.momentum, 0, sizeof body->now.momentum);
    pelti_contact_body_free_step(body, (double[3]){0, 0, 0}, 0);
    return PELT_OK;
}

// ---- a step ----

void pelti_contact_body_free_step(PeltiContactBody *body, const double gravity[3], double h)
{
    double turned_inertia[3][3], inverse[3][3], spin[3], turned[3];
    double grown = body->motion.last_h > 0 ? h * h / (body->motion.last_h * body->motion.last_h) : 0; // the same forces again
    for (int k = 0; k < 6; k++)
        (&body->motion.moved[0][0])[k] = grown * (&body->motion.last[0][0])[k];
    memcpy(body->motion.free_at, body->now.at, sizeof body->now.at);
    body->motion.free_turn = body->now.turn;
    if (body->hand.held) {
        double by[3];
        for (int k = 0; k < 3; k++) {
            body->motion.moved[0][k] = body->motion.moved[1][k] = 0;
            body->motion.free_at[k] += h * body->hand.drive[0][k];
            by[k] = h * body->hand.drive[1][k];
        }
        body->motion.free_turn = turn_by(by, &body->now.turn);
        return;
    }
    if (body->kind == PELT_OBJECT_FIXED)
        return;
    for (int k = 0; k < 3; k++) {
        body->now.velocity[k] += h * gravity[k];
        body->motion.free_at[k] += h * body->now.velocity[k];
    }
    rotate_tensor(&body->now.turn, (const double(*)[3])body->inertia, turned_inertia);
    invert_tensor((const double(*)[3])turned_inertia, inverse);
    apply((const double(*)[3])inverse, body->now.momentum,
          spin); // the spin follows from the momentum, which nothing but contact changes
    for (int k = 0; k < 3; k++)
        turned[k] = h * spin[k];
    body->motion.free_turn = turn_by(turned, &body->now.turn);
    cholesky3((const double(*)[3])inverse, body->motion.root_inverse);
}

void pelti_contact_body_current(const PeltiContactBody *body, double at[3], PeltiContactTurn *turn)
{
    for (int k = 0; k < 3; k++)
        at[k] = body->motion.free_at[k] + body->motion.moved[0][k];
    *turn = turn_by(body->motion.moved[1], &body->motion.free_turn);
}

void pelti_contact_body_place(const PeltiContactBody *body, Vec3 *x, int vertex_count)
{
    double at[3];
    PeltiContactTurn r;
    pelti_contact_body_current(body, at, &r);
    for (int v = 0; v < vertex_count; v++) {
        double p[3] = {(double)body->local[v].x, (double)body->local[v].y, (double)body->local[v].z}, q[3];
        apply((const double(*)[3])r.m, p, q);
        x[v] = vec3((float)(q[0] + at[0]), (float)(q[1] + at[1]), (float)(q[2] + at[2]));
    }
}

/// Over a step, orbital momentum m c x v changes by c0 x P exactly (c1 = c0 + h v1), the spin by r x P. With r = p - c for both,
/// the sum of both bodies is (D_b - D_a) x P, D = c - c0; so a's arm must grow by e_a and b's by e_b with e_a - e_b = D_a - D_b.
void pelti_contact_body_keep_momentum(PeltiContactBody *a, PeltiContactBody *b, const double force[3], double h)
{
    double inertia_a = a->inertia[0][0] + a->inertia[1][1] + a->inertia[2][2],
           inertia_b = b->inertia[0][0] + b->inertia[1][1] + b->inertia[2][2], share = inertia_a / (inertia_a + inertia_b);
    double differ[3], moment[3];
    for (int k = 0; k < 3; k++)
        differ[k] = h * (a->motion.arms_from[k] - a->now.at[k] - (b->motion.arms_from[k] - b->now.at[k]));
    cross(differ, force, moment);
    for (int k = 0; k < 3; k++) {
        a->now.momentum[k] += share * moment[k];
        b->now.momentum[k] += (1 - share) * moment[k];
    }
}

void pelti_contact_body_end_step(PeltiContactBody *body, double h)
{
    if (body->hand.held && h > 0) {
        memcpy(body->now.at, body->motion.free_at, sizeof body->now.at);
        body->now.turn = body->motion.free_turn;
    }
    if (!pelti_contact_body_moves(body) || !(h > 0))
        return;
    double at[3], turned_inertia[3][3], gained[3], spin[3];
    PeltiContactTurn r;
    pelti_contact_body_current(body, at, &r);
    rotate_tensor(&body->now.turn, (const double(*)[3])body->inertia, turned_inertia);
    for (int k = 0; k < 3; k++) {
        body->now.velocity[k] += body->motion.moved[0][k] / h;
        spin[k] = body->motion.moved[1][k] / h;
    }
    apply((const double(*)[3])turned_inertia, spin, gained); // the impulse's moment, exactly: moved = h I^-1 (moment)
    for (int k = 0; k < 3; k++)
        body->now.momentum[k] += gained[k];
    memcpy(body->now.at, at, sizeof at);
    memcpy(body->motion.last, body->motion.moved, sizeof body->motion.last);
    body->motion.last_h = h;
    memset(body->motion.moved, 0, sizeof body->motion.moved);
    memcpy(body->motion.free_at, at, sizeof at);
    body->now.turn = body->motion.free_turn = r;
}

/// A force f at the point moves the centre by h^2/m f and turns by h^2 I^-1 (r x f); the point then moves by
/// translation + turn x r = translation - [r] turn. With the compliance split as root root^T between force and motion, the
/// blocks are h/sqrt(m) 1 and -[r] L h.
void pelti_contact_body_blocks(const PeltiContactBody *body, const double point[3], double h, double translation[3][3],
                               double turn[3][3])
{
    double r[3], s = h / sqrt(body->mass);
    for (int k = 0; k < 3; k++)
        r[k] = point[k] - (body->motion.free_at[k] + body->motion.moved[0][k]);
    memset(translation, 0, sizeof(double[3][3]));
    for (int k = 0; k < 3; k++)
        translation[k][k] = s;
    for (int c = 0; c < 3; c++) {
        double axis[3] = {body->motion.root_inverse[0][c], body->motion.root_inverse[1][c], body->motion.root_inverse[2][c]},
               moved[3];
        cross(axis, r, moved);
        for (int k = 0; k < 3; k++)
            turn[k][c] = h * moved[k];
    }
}

void pelti_contact_body_take(PeltiContactBody *body, double h, const double translation[3], const double turn[3])
{
    double s = h / sqrt(body->mass);
    for (int k = 0; k < 3; k++)
        body->motion.moved[0][k] = s * translation[k];
    apply((const double(*)[3])body->motion.root_inverse, turn, body->motion.moved[1]);
    for (int k = 0; k < 3; k++)
        body->motion.moved[1][k] *= h;
}

void pelti_contact_body_frame(const PeltiContactBody *body, Mat34 *out)
{
    double offset[3];
    apply((const double(*)[3])body->now.turn.m, body->centre_offset, offset);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            out->m[i][j] = (float)body->now.turn.m[i][j];
        out->m[i][3] = (float)(body->now.at[i] - offset[i]);
    }
}

void pelti_contact_body_get(const PeltiContactBody *body, double h, double translation[3], double turn[3])
{
    double s = sqrt(body->mass) / h, b[3];
    for (int k = 0; k < 3; k++) {
        translation[k] = s * body->motion.moved[0][k];
        b[k] = body->motion.moved[1][k] / h;
    }
    const double(*l)[3] = (const double(*)[3])body->motion.root_inverse; // lower: forward substitution
    turn[0] = b[0] / l[0][0];
    turn[1] = (b[1] - l[1][0] * turn[0]) / l[1][1];
    turn[2] = (b[2] - l[2][0] * turn[0] - l[2][1] * turn[1]) / l[2][2];
}

// ---- moved from outside ----

void pelti_contact_body_hold(PeltiContactBody *body, const double origin[3], const PeltiContactTurn *turn)
{
    double offset[3];
    apply((const double(*)[3])turn->m, body->centre_offset, offset);
    for (int k = 0; k < 3; k++)
        body->hand.goal[k] = origin[k] + offset[k];
    body->hand.goal_turn = *turn;
    body->hand.held = true;
    memset(body->motion.last, 0, sizeof body->motion.last); // what pushed it before says nothing of what will
    body->motion.last_h = 0;
}

void pelti_contact_body_let_go(PeltiContactBody *body)
{
    body->hand.held = false;
    if (body->kind == PELT_OBJECT_FIXED)
        memset(body->now.velocity, 0, sizeof body->now.velocity), memset(body->now.momentum, 0, sizeof body->now.momentum);
}

/// v with exp([v]) from = to, |v| <= pi: by the quaternion of to from^T, whose largest component is found first.
static void turn_between(const PeltiContactTurn *from, const PeltiContactTurn *to, double v[3])
{
    double r[3][3], q[4];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r[i][j] = to->m[i][0] * from->m[j][0] + to->m[i][1] * from->m[j][1] + to->m[i][2] * from->m[j][2];
    double squares[4] = {1 + r[0][0] - r[1][1] - r[2][2], 1 - r[0][0] + r[1][1] - r[2][2], 1 - r[0][0] - r[1][1] + r[2][2],
                         1 + r[0][0] + r[1][1] + r[2][2]}; // 4 x^2, 4 y^2, 4 z^2, 4 w^2
    int most = 0;
    for (int k = 1; k < 4; k++)
        most = squares[k] > squares[most] ? k : most;
    double s = sqrt(squares[most]) / 2, f = 0.25 / s;
    q[most] = s;
    const double sum[3] = {r[2][1] + r[1][2], r[0][2] + r[2][0], r[1][0] + r[0][1]},
                 difference[3] = {r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]};
    for (int k = 0; k < 3; k++)
        if (most == 3)
            q[k] = f * difference[k];
        else if (k != most)
            q[k] = f * sum[3 - k - most];
    if (most < 3)
        q[3] = f * difference[most];
    double sine = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]), sign = q[3] < 0 ? -1 : 1;
    double angle = 2 * pelti_atan2(sine, sign * q[3]);
    for (int k = 0; k < 3; k++)
        v[k] = sine > 1e-300 ? sign * angle / sine * q[k] : 0;
}

void pelti_contact_body_drive(PeltiContactBody *body, double dt)
{
    double turn[3], turned_inertia[3][3];
    if (!body->hand.held)
        return;
    if (!(dt > 0)) {
        memcpy(body->now.at, body->hand.goal, sizeof body->now.at);
        memcpy(body->motion.free_at, body->hand.goal, sizeof body->now.at);
        body->now.turn = body->motion.free_turn = body->hand.goal_turn;
    }
    turn_between(&body->now.turn, &body->hand.goal_turn, turn);
    for (int k = 0; k < 3; k++) {
        body->hand.drive[0][k] = body->now.velocity[k] = dt > 0 ? (body->hand.goal[k] - body->now.at[k]) / dt : 0;
        body->hand.drive[1][k] = dt > 0 ? turn[k] / dt : 0;
    }
    rotate_tensor(&body->now.turn, (const double(*)[3])body->inertia, turned_inertia);
    apply((const double(*)[3])turned_inertia, body->hand.drive[1], body->now.momentum);
}

void pelti_contact_body_spin(const PeltiContactBody *body, double spin[3])
{
    double turned_inertia[3][3], inverse[3][3];
    rotate_tensor(&body->now.turn, (const double(*)[3])body->inertia, turned_inertia);
    invert_tensor((const double(*)[3])turned_inertia, inverse);
    apply((const double(*)[3])inverse, body->now.momentum, spin);
}
