/// Gradients of one contact equal finite differences and the paper's [Deul2013]; islands share no particle.
#include "grid.h"

#include "methods/layered/flesh.h"

static Vec3 random_vec(uint32_t *seed)
{
    float x = grid_random(seed), y = grid_random(seed), z = grid_random(seed);
    return vec3(x, y, z);
}

/// Distance of a point to a plane, or of two lines, written out without the contact code.
static double plain_value(bool edges, const double x[4][3], const Vec3 *side)
{
    double u[3], v[3], d[3], n[3];
    for (int k = 0; k < 3; k++) {
        u[k] = edges ? x[1][k] - x[0][k] : x[2][k] - x[1][k];
        v[k] = edges ? x[3][k] - x[2][k] : x[3][k] - x[1][k];
        d[k] = edges ? x[0][k] - x[2][k] : x[0][k] - x[1][k];
    }
    for (int k = 0; k < 3; k++)
        n[k] = u[(k + 1) % 3] * v[(k + 2) % 3] - u[(k + 2) % 3] * v[(k + 1) % 3];
    double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double sign = n[0] * (double)side->x + n[1] * (double)side->y + n[2] * (double)side->z < 0 ? -1 : 1;
    return sign * (d[0] * n[0] + d[1] * n[1] + d[2] * n[2]) / length;
}

/// Weights of the nearest points of the two lines, or of the foot on the plane.
static void set_weights(PeltiLayeredContact *c, const Vec3 x[4])
{
    if (c->edges) {
        Vec3 u = vec3_sub(x[1], x[0]), v = vec3_sub(x[3], x[2]), w = vec3_sub(x[0], x[2]);
        float a = vec3_dot(u, u), b = vec3_dot(u, v), e = vec3_dot(v, v), d = vec3_dot(u, w), f = vec3_dot(v, w);
        float s = (b * f - e * d) / (a * e - b * b), t = (a * f - b * d) / (a * e - b * b);
        float weight[4] = {1 - s, s, -(1 - t), -t};
        memcpy(c->weight, weight, sizeof weight);
        return;
    }
    Vec3 u = vec3_sub(x[2], x[1]), v = vec3_sub(x[3], x[1]), w = vec3_sub(x[0], x[1]);
    float a = vec3_dot(u, u), b = vec3_dot(u, v), e = vec3_dot(v, v), d = vec3_dot(u, w), f = vec3_dot(v, w);
    float s = (e * d - b * f) / (a * e - b * b), t = (a * f - b * d) / (a * e - b * b);
    float weight[4] = {1, -(1 - s - t), -s, -t};
    memcpy(c->weight, weight, sizeof weight);
}

static void gradients_equal_finite_differences(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int trial = 0; trial < 400; trial++) {
        Vec3 x[4], gradient[4];
        double p[4][3];
        for (int k = 0; k < 4; k++) {
            x[k] = random_vec(&seed);
            p[k][0] = (double)x[k].x;
            p[k][1] = (double)x[k].y;
            p[k][2] = (double)x[k].z;
        }
        PeltiLayeredContact c = {.edges = trial % 2, .normal = random_vec(&seed)};
        Vec3 u = c.edges ? vec3_sub(x[1], x[0]) : vec3_sub(x[2], x[1]), v = c.edges ? vec3_sub(x[3], x[2]) : vec3_sub(x[3], x[1]);
        if (vec3_length(vec3_cross(u, v)) < 0.3f * vec3_length(u) * vec3_length(v))
            continue; // differences are too coarse near parallel
        set_weights(&c, x);
        float value = pelti_layered_collide_value(&c, x, gradient);
        CHECK_NEAR(value, plain_value(c.edges, (const double(*)[3])p, &c.normal), 1e-4);
        for (int k = 0; k < 4; k++)
            for (int axis = 0; axis < 3; axis++) {
                double h = 1e-6, keep = p[k][axis];
                p[k][axis] = keep + h;
                double up = plain_value(c.edges, (const double(*)[3])p, &c.normal);
                p[k][axis] = keep - h;
                double down = plain_value(c.edges, (const double(*)[3])p, &c.normal);
                p[k][axis] = keep;
                const float *g = &gradient[k].x;
                CHECK_NEAR(g[axis], (up - down) / (2 * h), 2e-3 * (1 + fabs((double)g[axis])));
            }
    }
}

static void the_papers_edge_gradients_are_ours(void **state)
{
    (void)state;
    // grad p1 = (1/|n|)(e14 M e34* - n) with M = I - n n^T / |n|^2, [Deul2013] sec. 4.5; there C = (p4 - p1) . n / |n|
    uint32_t seed = 9;
    for (int trial = 0; trial < 100; trial++) {
        Vec3 x[4], gradient[4];
        for (int k = 0; k < 4; k++)
            x[k] = random_vec(&seed);
        Vec3 e12 = vec3_sub(x[1], x[0]), e34 = vec3_sub(x[3], x[2]), e14 = vec3_sub(x[3], x[0]), n = vec3_cross(e12, e34);
        float length = vec3_length(n);
        if (length < 0.3f * vec3_length(e12) * vec3_length(e34))
            continue;
        Vec3 m = vec3_mad(e14, n, -vec3_dot(e14, n) / (length * length)); // e14 M, a row
        // a row r times the matrix of a* is r x a
        Vec3 paper1 = vec3_scale(vec3_sub(vec3_cross(m, e34), n), 1 / length);
        Vec3 paper4 = vec3_scale(vec3_add(vec3_cross(m, e12), n), 1 / length);
        PeltiLayeredContact c = {.edges = true, .normal = n};
        set_weights(&c, x);
        pelti_layered_collide_value(&c, x, gradient); // ours leads from the second edge to the first: the other sign
        CHECK_NEAR(vec3_distance(paper1, vec3_scale(gradient[0], -1)), 0, 2e-3 * (1 + (double)vec3_length(paper1)));
        CHECK_NEAR(vec3_distance(paper4, vec3_scale(gradient[3], -1)), 0, 2e-3 * (1 + (double)vec3_length(paper4)));
    }
}

/// A flesh of four particles in one slot row each: enough for the projection of contacts.
static void make_particles(PeltiPool *pool, PeltiFlesh *flesh, const Vec3 x[4])
{
    *flesh = (PeltiFlesh){.n = 4, .rest.size = 1};
    for (int k = 0; k < 3; k++)
        flesh->match.x[k] = PELTI_NEW(pool, float, 16);
    flesh->rest.inverse_mass = PELTI_NEW(pool, float, 16);
    for (int k = 0; k < 4; k++) {
        pelti_flesh_set_lane(flesh->match.x, k, PELTI_LAYER_SKIN, x[k]);
        flesh->rest.inverse_mass[k * PELTI_LAYERS] = 1;
    }
    flesh->collide.contacts.list = PELTI_NEW(pool, PeltiLayeredContact, 1);
    flesh->collide.contacts.count = flesh->collide.contacts.capacity = 1;
    pelti_pool_init(&flesh->pool, NULL);
    assert_true(pelti_layered_collide_islands_new(&flesh->collide.contacts, &flesh->pool, flesh->n));
}

static void crossed_and_parallel_edges_separate(void **state)
{
    (void)state;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    // edge a has sunk 0.1 below edge b, which it should be above; no vertex is inside anything
    Vec3 crossed[4] = {{-1, 0, -0.1f}, {1, 0, -0.1f}, {0, -1, 0}, {0, 1, 0}};
    Vec3 parallel[4] = {{-1, 0, -0.1f}, {1, 0, -0.1f}, {-1, 0, 0}, {1, 0, 0}};
    for (int i = 0; i < 2; i++) {
        PeltiFlesh flesh;
        make_particles(&pool, &flesh, i ? parallel : crossed);
        flesh.collide.contacts.list[0] = (PeltiLayeredContact){.slot = {0, 1, 2, 3},
                                                               .weight = {0.5f, 0.5f, -0.5f, -0.5f},
                                                               .normal = {0, 0, 1},
                                                               .edges = true,
                                                               .thickness = 0.01f,
                                                               .most = 1};
        pelti_layered_collide_islands(&flesh.collide.contacts);
        pelti_layered_collide_project(&flesh);
        float a = 0.5f * (flesh.match.x[2][0] + flesh.match.x[2][4]), b = 0.5f * (flesh.match.x[2][8] + flesh.match.x[2][12]);
        CHECK_NEAR(a - b, 0.01f, 1e-6);
        CHECK_NEAR(a + b, -0.1f, 1e-6);        // equal masses keep the middle
        pelti_layered_collide_project(&flesh); // satisfied: nothing moves
        CHECK_NEAR(0.5f * (flesh.match.x[2][0] + flesh.match.x[2][4]), a, 1e-7);
        pelti_pool_release(&flesh.pool);
    }
    pelti_pool_release(&pool);
}

/// Whatever is solved side by side shares no particle, and contacts that share one keep their order: the bytes of one sweep over
/// all.
static void islands_share_no_particle(void **state)
{
    (void)state;
    enum { SLOTS = 4000, CONTACTS = 1500 };
    PeltiFlesh flesh = {.n = SLOTS, .collide.contacts = {.count = CONTACTS, .capacity = CONTACTS}};
    pelti_pool_init(&flesh.pool, NULL);
    flesh.collide.contacts.list = PELTI_NEW(&flesh.pool, PeltiLayeredContact, CONTACTS);
    int *piece = PELTI_NEW(&flesh.pool, int, SLOTS), *last = PELTI_NEW(&flesh.pool, int, SLOTS), seen = 0;
    assert_true(pelti_layered_collide_islands_new(&flesh.collide.contacts, &flesh.pool, flesh.n));
    uint32_t seed = 7;
    for (int i = 0; i < CONTACTS; i++) // a third in one large fold, the others anywhere
        for (int k = 0; k < 4; k++) {
            seed = seed * 1664525u + 1013904223u;
            flesh.collide.contacts.list[i].slot[k] =
                (int)(seed >> 8) % 8 + (i % 3 ? 400 + 8 * (i % 449) : 8 * (int)((seed >> 16) % 40));
        }
    pelti_layered_collide_islands(&flesh.collide.contacts);
    const PeltiLayeredIslands *islands = &flesh.collide.contacts.islands;
    assert_true(islands->piece_count > 4 && islands->piece_start[islands->piece_count] == CONTACTS);
    for (int s = 0; s < SLOTS; s++)
        piece[s] = last[s] = -1;
    for (int p = 0; p < islands->piece_count; p++)
        for (int i = islands->piece_start[p]; i < islands->piece_start[p + 1]; i++, seen++)
            for (int k = 0; k < 4; k++) {
                int contact = islands->order[i], s = flesh.collide.contacts.list[contact].slot[k];
                assert_true(piece[s] < 0 || piece[s] == p);
                assert_true(last[s] <= contact); // which also tells that none comes twice: all are as many as there are
                piece[s] = p;
                last[s] = contact;
            }
    assert_int_equal(seen, CONTACTS);
    pelti_pool_release(&flesh.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_equal_finite_differences),
        cmocka_unit_test(the_papers_edge_gradients_are_ours),
        cmocka_unit_test(crossed_and_parallel_edges_separate),
        cmocka_unit_test(islands_share_no_particle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
