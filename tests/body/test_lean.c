/// Skin that leans on blending where a method made it worse.
#include "boxes.h"

#include "body/lean.h"
#include "body/lean_edges.h"
#include "body/lean_turned.h"
#include "geometry/triangles.h"

#include <math.h>

static PeltiLean *lean_of(PeltiCharacter *who, const PeltiWeights *w)
{
    PeltiLean *lean;
    PeltError err;
    const PeltiPieces *pieces = pieces_of(who, w);
    PeltiLeanDef def = {who, w, pieces, crossings_of(who, w, pieces)};
    assert_int_equal(pelti_lean_create(&def, &who->pool, &lean, &err), PELT_OK);
    return lean;
}

/// All bones at rest.
static int lean_on(PeltiLean *lean, const PeltiCharacter *who, Vec3 *points)
{
    const Mat34 bones[2] = {mat34_identity(), mat34_identity()};
    Vec3 *vertices = calloc((size_t)who->mesh->vertex_count, sizeof *vertices);
    for (int v = 0; v < who->mesh->vertex_count; v++)
        vertices[v] = points[who->mesh->first_point[v]];
    int count = pelti_lean_apply(lean, &(PeltiLeanStep){bones, NULL, true}, NULL, vertices);
    scatter(who->mesh, vertices, points);
    free(vertices);
    return count;
}

static void a_torn_edge_leans_on_blending(void **state)
{
    (void)state;
    PeltiCharacter *who = one_box();
    PeltiWeights w = weights_along(who);
    PeltiLean *lean = lean_of(who, &w);
    Vec3 *points = copy_points(who->rest_points, who->point_count);
    assert_int_equal(lean_on(lean, who, points), 0);
    int out = who->mesh->weld[30];
    for (int p = 0; p < who->point_count; p++)
        if (who->mesh->weld[p] == out)
            points[p].z += 4;
    assert_true(lean_on(lean, who, points) > 0);
    for (int e = 0; e < who->mesh->edge_count; e++) {
        int i = who->mesh->first_point[who->mesh->edges[e][0]], j = who->mesh->first_point[who->mesh->edges[e][1]];
        assert_true(vec3_distance(points[i], points[j]) < 3 * vec3_distance(who->rest_points[i], who->rest_points[j]));
    }
    free(points);
    pelti_character_destroy(who);
}

/// Longest edge, of its length at rest, of a box that blending makes `home` times as large and a method `own` times.
static float longest_edge(PeltiCharacter *who, float home, float own)
{
    PeltError err;
    int count = who->mesh->vertex_count;
    Vec3 *places = PELTI_NEW(&who->pool, Vec3, 2 * count);
    PeltiLeanEdges edges = {
        .mesh = who->mesh, .home = places, .own = places + count, .share = PELTI_NEW(&who->pool, float, count)};
    assert_int_equal(pelti_lean_edges_create(&who->pool, &edges, &err), PELT_OK);
    for (int v = 0; v < count; v++) {
        places[v] = vec3_scale(who->mesh->rest[v], home);
        places[count + v] = vec3_scale(who->mesh->rest[v], own);
        edges.share[v] = 1;
    }
    pelti_lean_edges_restart(&edges);
    pelti_lean_edges_settle(&edges);
    float most = 0;
    for (int e = 0; e < who->mesh->edge_count; e++) {
        int a = who->mesh->edges[e][0], b = who->mesh->edges[e][1];
        Vec3 x = vec3_lerp(edges.home[a], edges.own[a], edges.share[a]),
             y = vec3_lerp(edges.home[b], edges.own[b], edges.share[b]);
        most = fmaxf(most, vec3_distance(x, y) / edges.rest[e]);
    }
    return most;
}

/// Where blending itself draws skin out, a method may go a little beyond it, but not from whole to torn (3 times its length).
static void what_blending_draws_out_is_not_torn_beyond_it(void **state)
{
    (void)state;
    PeltiCharacter *who = one_box();
    CHECK_NEAR(longest_edge(who, 1, 2.2f), 2.2f, 1e-3f);
    CHECK_NEAR(longest_edge(who, 2.6f, 2.8f), 2.8f, 1e-3f);
    assert_true(longest_edge(who, 2, 4) < 1.2f * 2.001f);
    assert_true(longest_edge(who, 2.7f, 3.2f) < 2.901f);
    assert_true(longest_edge(who, 3.5f, 4) < 3.501f); // torn by blending
    pelti_character_destroy(who);
}

/// A box along two bones, and a second one, whose points begin at `second`; all points, at rest.
typedef struct TwoBoxes {
    PeltiCharacter *who;
    PeltiLean *lean;
    int second;
    Vec3 *points;
} TwoBoxes;

static TwoBoxes with_second_box(Vec3 low, Vec3 high)
{
    TwoBoxes two;
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.2f, -0.2f), vec3(2, 0.2f, 0.2f));
    two.second = b->points;
    add_box(b, low, high);
    two.who = character_of(b, 2);
    PeltiWeights *w = PELTI_NEW(&two.who->pool, PeltiWeights, 1);
    *w = weights_along(two.who);
    two.lean = lean_of(two.who, w);
    two.points = copy_points(two.who->rest_points, two.who->point_count);
    return two;
}

static void destroy_two(TwoBoxes two)
{
    free(two.points);
    pelti_character_destroy(two.who);
}

/// A second box that the method pushes into the first, which blending leaves beside it.
static void what_crosses_anew_leans_on_blending(void **state)
{
    (void)state;
    TwoBoxes two = with_second_box(vec3(0.5f, 0.22f, -0.1f), vec3(1.5f, 0.5f, 0.1f));
    const PeltiCharacter *who = two.who;
    const int second = two.second;
    Vec3 *points = two.points;
    for (int p = second; p < who->point_count; p++)
        points[p].y -= 0.1f;
    assert_true(lean_on(two.lean, who, points) > 0);
    int crossing = 0; // beside a box that sank in by a fifth of its height
    for (int s = 0; s < who->triangle_count; s++)
        for (int t = 0; t < s; t++) {
            const int *a = who->point_triangles[s], *c = who->point_triangles[t];
            if ((a[0] >= second) == (c[0] >= second))
                continue;
            const Vec3 p[3] = {points[a[0]], points[a[1]], points[a[2]]}, q[3] = {points[c[0]], points[c[1]], points[c[2]]};
            crossing += pelti_triangles_meet(p, q) != 0;
        }
    assert_int_equal(crossing, 0);
    destroy_two(two);
}

/// A closed piece that the method squeezes to half its width is as large as by blending in the end; one that it leaves alone
/// stays.
static void a_squeezed_piece_leans_on_blending(void **state)
{
    (void)state;
    TwoBoxes two = with_second_box(vec3(0, 1, -0.2f), vec3(2, 1.4f, 0.2f));
    const PeltiCharacter *who = two.who;
    const int second = two.second;
    Vec3 *points = two.points;
    for (int p = second; p < who->point_count; p++)
        points[p].z *= 0.5f;
    assert_true(lean_on(two.lean, who, points) > 0);
    float widest = 0;
    for (int p = second; p < who->point_count; p++)
        widest = fmaxf(widest, fabsf(points[p].z));
    assert_true(widest > 0.95f * 0.2f && widest < 0.97f * 0.2f); // 4 % of the volume, within what six halvings find
    assert_memory_equal(points, who->rest_points, sizeof(Vec3) * (size_t)second);
    destroy_two(two);
}

static int count_turned(PeltiLeanTurned *turned, const Vec3 *x)
{
    int count = 0;
    pelti_lean_turned_find(turned, x, NULL, turned->now);
    for (int t = 0; t < turned->mesh->triangle_count; t++)
        count += turned->now[t];
    return count;
}

/// A rigid piece that flew off comes back to a tenth of the size, as one.
static void a_thing_that_flew_comes_back_whole(void **state)
{
    (void)state;
    TwoBoxes two = with_second_box(vec3(1.8f, 0.3f, -0.1f), vec3(1.95f, 0.4f, 0.1f));
    const PeltiCharacter *who = two.who;
    const int second = two.second;
    Vec3 *points = two.points;
    for (int p = second; p < who->point_count; p++)
        points[p] = vec3_add(points[p], vec3(0.3f, 0.8f, 0));
    assert_true(lean_on(two.lean, who, points) > 0);
    Vec3 moved = vec3_sub(points[second], who->rest_points[second]);
    assert_true(vec3_length(moved) < 0.1f * who->mesh->diagonal && vec3_length(moved) > 0.09f * who->mesh->diagonal);
    for (int p = second; p < who->point_count; p++)
        CHECK_NEAR(vec3_distance(vec3_sub(points[p], who->rest_points[p]), moved), 0, 1e-6f);
    assert_memory_equal(points, who->rest_points, sizeof(Vec3) * (size_t)second);
    destroy_two(two);
}

/// A vertex pushed over its neighbours comes back.
static void a_triangle_turned_over_leans_on_blending(void **state)
{
    (void)state;
    PeltiCharacter *who = one_box();
    const PeltiMesh *mesh = who->mesh;
    PeltiWeights w = weights_along(who);
    PeltiLean *lean = lean_of(who, &w);
    PeltiLeanTurned turned;
    PeltError err;
    assert_int_equal(pelti_lean_turned_create(mesh, &who->pool, &turned, &err), PELT_OK);
    Mat34 bones[2] = {mat34_identity(), mat34_identity()};
    Vec3 *x = copy_points(mesh->rest, mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) // one on a broad side, over the next row and on
        x[v].x += vec3_distance(mesh->rest[v], vec3(4.0f / SIDE, 0, -0.2f)) < 1e-3f ? 3.0f / SIDE : 0;
    assert_true(count_turned(&turned, x) > 0);
    pelti_lean_apply(lean, &(PeltiLeanStep){bones, NULL, true}, NULL, x);
    assert_int_equal(count_turned(&turned, x), 0);
    free(x);
    pelti_character_destroy(who);
}

/// Nothing is far from the pose that was asked for where joints gave way: what the method adds to that is taken back.
static void skin_stays_near_the_pose_that_was_asked_for(void **state)
{
    (void)state;
    PeltiCharacter *who = one_box();
    PeltiWeights w = weights_along(who);
    PeltiLean *lean = lean_of(who, &w);
    float size = who->mesh->diagonal;
    Mat34 asked[2] = {mat34_identity(), mat34_identity()}, gave[2] = {mat34_identity(), mat34_identity()};
    gave[0].m[1][3] = gave[1].m[1][3] = 0.06f * size;
    for (int c = 0; c < 2; c++) { // without what was asked for there is room for twice as much
        Vec3 *x = copy_points(who->mesh->rest, who->mesh->vertex_count);
        for (int v = 0; v < who->mesh->vertex_count; v++)
            x[v].y += 0.12f * size;
        pelti_lean_apply(lean, &(PeltiLeanStep){gave, c ? asked : NULL, true}, NULL, x);
        CHECK_NEAR((x[0].y - who->mesh->rest[0].y) / size, c ? 0.095f : 0.12f, 1e-4f);
        free(x);
    }
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torn_edge_leans_on_blending),
        cmocka_unit_test(what_blending_draws_out_is_not_torn_beyond_it),
        cmocka_unit_test(what_crosses_anew_leans_on_blending),
        cmocka_unit_test(a_squeezed_piece_leans_on_blending),
        cmocka_unit_test(a_thing_that_flew_comes_back_whole),
        cmocka_unit_test(a_triangle_turned_over_leans_on_blending),
        cmocka_unit_test(skin_stays_near_the_pose_that_was_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
