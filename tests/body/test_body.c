/// The body of characters made of boxes: what joins, what stays apart, what rides how.
#include "boxes.h"

#include "body/body.h"

#include <math.h>

static PeltiBody *body_of(PeltiCharacter *who, const PeltiWeights *w, int threads)
{
    PeltError err;
    PeltiLog log;
    PeltiBody *body;
    PeltiJobs *jobs = pelti_jobs_create(threads);
    pelti_log_init(&log, NULL);
    PeltiBodyDef def = {.who = who, .weights = w, .mode = PELTI_BODY_PROXY, .vertices = 1500, .jobs = jobs, .log = &log};
    if (pelti_body_create(&def, &body, &err) != PELT_OK)
        fail_msg("%s", err.text);
    pelti_log_release(&log);
    pelti_jobs_destroy(jobs);
    return body;
}

static void assert_closed(const PeltiMesh *mesh)
{
    assert_true(mesh->closed);
    for (int e = 0; e < mesh->edge_count; e++)
        assert_int_equal(mesh->edge_use[e], 2);
}

static void overlapping_pieces_of_neighbouring_bones_become_one_closed_skin(void **state)
{
    (void)state;
    PeltiCharacter *who = two_overlapping();
    PeltiWeights w = weights_along(who);
    PeltiBody *body = body_of(who, &w, 2);
    const PeltiMesh *mesh = pelti_body_character(body)->mesh;
    assert_closed(mesh);
    assert_int_equal(mesh->component_count, 1);
    assert_int_equal(mesh->vertex_count - mesh->edge_count + mesh->triangle_count, 2);
    double volume = pelti_mesh_volume(mesh, mesh->rest), boxes = 0.9 * 0.16 + 1.1 * 0.25; // the union
    assert_true(fabs(volume / boxes - 1) < 0.06);
    pelti_body_destroy(body);
    pelti_character_destroy(who);
}

/// Two fingers on a palm, a hundredth of their length apart: far closer than a cell is wide.
static void fingers_a_hair_apart_do_not_grow_together(void **state)
{
    (void)state;
    Boxes *b = new_boxes();
    float gap = 0.006f;
    add_box(b, vec3(0, -0.31f, -0.12f), vec3(1.02f, 0.31f, 0.12f)); // palm
    add_box(b, vec3(0.95f, gap, -0.1f), vec3(2.4f, 0.3f, 0.1f));    // fingers
    add_box(b, vec3(0.95f, -0.3f, -0.1f), vec3(2.4f, -gap, 0.1f));
    PeltiCharacter *who = character_of(b, 4);
    PeltiWeights w = weights_along(who);
    for (int v = 0; v < who->mesh->vertex_count; v++) // each finger follows a bone of its own, the other's is no neighbour of it
    {
        bool palm = who->mesh->component[v] == who->mesh->component[0], up = who->mesh->rest[v].y > 0;
        int first = palm ? (up ? 0 : 2) : (up ? 1 : 3);
        memcpy((int *)w.bone + 4 * v, (int[4]){first, first == 0, 0, 0}, 4 * sizeof(int));
        memcpy((float *)w.weight + 4 * v, (float[4]){0.6f, 0.4f, 0, 0}, 4 * sizeof(float));
    }
    PeltiBody *body = body_of(who, &w, 1);
    const PeltiMesh *mesh = pelti_body_character(body)->mesh;
    assert_closed(mesh);
    int across = 0;
    for (int e = 0; e < mesh->edge_count; e++) {
        Vec3 p = mesh->rest[mesh->edges[e][0]], q = mesh->rest[mesh->edges[e][1]];
        across += fminf(p.x, q.x) > 1.15f && p.y * q.y < 0 && fabsf(p.y - q.y) > 3 * gap;
    }
    assert_int_equal(across, 0);
    pelti_body_destroy(body);
    pelti_character_destroy(who);
}

static void carry(PeltiBody *body, const PeltiCharacter *who, const Vec3 *shape, const Mat34 *bones, Vec3 *points)
{
    Vec3 *vertices = calloc((size_t)who->mesh->vertex_count, sizeof *vertices);
    pelti_body_carry(body, shape, bones, NULL, vertices);
    scatter(who->mesh, vertices, points);
    free(vertices);
}

/// At rest every point is where the file has it, a rigid motion of the body moves every point by just that motion, and points
/// at one place stay there.
static void points_ride_exactly(void **state)
{
    (void)state;
    PeltiCharacter *who = two_overlapping();
    PeltiWeights w = weights_along(who);
    PeltiBody *body = body_of(who, &w, 1);
    const PeltiCharacter *made = pelti_body_character(body);
    Quat turn = quat_axis_angle(vec3_normalize_or(vec3(1, 2, -1), vec3(1, 0, 0)), 1.1f);
    Mat34 motion = mat34_from(quat_to_mat3(turn), vec3(3, -2, 0.5f)), bones[2] = {motion, motion};
    Vec3 *shape = copy_points(made->rest_points, made->point_count), *points = copy_points(who->rest_points, who->point_count);
    for (int v = 0; v < made->point_count; v++)
        shape[v] = mat34_apply(motion, made->rest_points[v]);
    carry(body, who, shape, bones, points);
    float off = 0;
    for (int p = 0; p < who->point_count; p++)
        off = fmaxf(off, vec3_distance(points[p], mat34_apply(motion, who->rest_points[p])) / who->mesh->diagonal);
    assert_true(off < 1e-6f);
    Mat34 still[2] = {mat34_identity(), mat34_identity()};
    carry(body, who, made->rest_points, still, points);
    for (int p = 0; p < who->point_count; p++)
        off = fmaxf(off, vec3_distance(points[p], who->rest_points[p]) / who->mesh->diagonal);
    assert_true(off < 1e-6f);
    for (int v = 0; v < made->point_count; v++) // bend it, whatever that does
        shape[v] = vec3(made->rest_points[v].x, made->rest_points[v].y + 0.2f * sinf(2 * made->rest_points[v].x),
                        made->rest_points[v].z);
    carry(body, who, shape, bones, points);
    for (int p = 0; p < who->point_count; p++)
        for (int q = p + 1; q < who->point_count; q++)
            if (vec3_distance(who->rest_points[p], who->rest_points[q]) == 0)
                assert_true(vec3_distance(points[p], points[q]) == 0);
    free(shape);
    free(points);
    pelti_body_destroy(body);
    pelti_character_destroy(who);
}

/// One half of the body rests, the other is bent round a circle: what lies on the first rests, exactly, and a plate over the skin
/// keeps its distance to it.
static void cloth_keeps_its_distance(void **state)
{
    (void)state;
    Boxes *b = new_boxes();
    const float height = 0.06f;
    add_box(b, vec3(0, -0.3f, -0.3f), vec3(3, 0.3f, 0.3f));
    int plate = b->points;
    add_box(b, vec3(0, 0.3f + height, -0.3f), vec3(3, 0.34f + height, 0.3f)); // its points lie over those of the skin
    PeltiCharacter *who = character_of(b, 3);
    PeltiWeights w = weights_along(who);
    PeltiBody *body = body_of(who, &w, 1);
    const PeltiCharacter *made = pelti_body_character(body);
    Vec3 *shape = copy_points(made->rest_points, made->point_count), *points = copy_points(who->rest_points, who->point_count);
    Mat34 bones[3] = {mat34_identity(), mat34_identity(), mat34_identity()};
    for (int v = 0; v < made->point_count; v++) {
        float a = fmaxf(made->rest_points[v].x - 1.5f, 0) / 2, r = 2 + made->rest_points[v].y;
        if (a > 0)
            shape[v] = vec3(1.5f + r * sinf(a), r * cosf(a) - 2, made->rest_points[v].z);
    }
    carry(body, who, shape, bones, points);
    float moved = 0, off = 0;
    for (int p = 0; p < who->point_count; p++)
        moved = fmaxf(moved, who->rest_points[p].x < 1 ? vec3_distance(points[p], who->rest_points[p]) : 0);
    for (int p = 0; p < plate; p++)
        for (int q = plate; q < who->point_count; q++)
            if (vec3_distance(vec3_add(who->rest_points[p], vec3(0, height, 0)), who->rest_points[q]) < 1e-5f)
                off = fmaxf(off, fabsf(vec3_distance(points[p], points[q]) / height - 1));
    assert_true(moved < 1e-6f * who->mesh->diagonal);
    assert_true(off > 0 && off < 0.05f);
    free(shape);
    free(points);
    pelti_body_destroy(body);
    pelti_character_destroy(who);
}

/// A small box painted to one bone, on skin that bends, stays rigid.
static void a_piece_of_one_bone_stays_rigid(void **state)
{
    (void)state;
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.3f, -0.3f), vec3(3, 0.3f, 0.3f));
    int button = b->points;
    add_box(b, vec3(1.45f, 0.29f, -0.05f), vec3(1.55f, 0.35f, 0.05f));
    PeltiCharacter *who = character_of(b, 3);
    PeltiWeights w = weights_along(who);
    for (int p = button; p < who->point_count; p++)
        for (int k = 0; k < 4; k++) {
            ((int *)w.bone)[4 * who->mesh->weld[p] + k] = 1;
            ((float *)w.weight)[4 * who->mesh->weld[p] + k] = k == 0;
        }
    PeltiBody *body = body_of(who, &w, 1);
    const PeltiCharacter *made = pelti_body_character(body);
    assert_int_equal(pelti_body_pieces(body)->count, 2);
    Vec3 *shape = copy_points(made->rest_points, made->point_count), *points = copy_points(who->rest_points, who->point_count);
    Mat34 bones[3] = {mat34_identity(), mat34_identity(), mat34_identity()};
    for (int v = 0; v < made->point_count; v++)
        shape[v] = vec3(made->rest_points[v].x, made->rest_points[v].y + 0.3f * sinf(2 * made->rest_points[v].x),
                        made->rest_points[v].z * (1 + 0.3f * made->rest_points[v].x));
    carry(body, who, shape, bones, points);
    for (int p = button; p < who->point_count; p++)
        assert_true(fabsf(vec3_distance(points[p], points[button]) -
                          vec3_distance(who->rest_points[p], who->rest_points[button])) < 1e-5f * who->mesh->diagonal);
    free(shape);
    free(points);
    pelti_body_destroy(body);
    pelti_character_destroy(who);
}

static void the_body_does_not_depend_on_the_threads(void **state)
{
    (void)state;
    PeltiCharacter *who = two_overlapping();
    PeltiWeights w = weights_along(who);
    PeltiBody *one = body_of(who, &w, 1), *five = body_of(who, &w, 5);
    const PeltiCharacter *a = pelti_body_character(one), *c = pelti_body_character(five);
    assert_int_equal(a->point_count, c->point_count);
    assert_memory_equal(a->rest_points, c->rest_points, sizeof(Vec3) * (size_t)a->point_count);
    assert_memory_equal(a->file_weights.weight, c->file_weights.weight,
                        sizeof(float) * (size_t)a->point_count * (size_t)a->file_weights.influences);
    pelti_body_destroy(one);
    pelti_body_destroy(five);
    pelti_character_destroy(who);
}

/// A closed tube of 2 882 vertices, bent back along itself: its two halves are a hundredth of its length apart.
static void add_hairpin(Boxes *b)
{
    enum { HAIRPIN_RINGS = 120, HAIRPIN_SIDES = 24 };
    for (int i = 0; i < HAIRPIN_RINGS; i++) {
        float t = (float)i / (HAIRPIN_RINGS - 1),
              turn = fminf(fmaxf((t - 0.47f) / 0.06f, 0), 1) * 3.14159265f; // once round the end
        Vec3 centre = vec3(t < 0.5f ? 4 * fminf(t, 0.47f) : 4 * fminf(1 - t, 0.47f), 0, -0.11f * cosf(turn));
        centre.x += 0.11f * sinf(turn);
        for (int k = 0; k < HAIRPIN_SIDES; k++) {
            float a = 6.2831853f * (float)k / HAIRPIN_SIDES, out = 0.1f * cosf(a);
            b->point[b->points++] = vec3_add(centre, vec3(out * sinf(turn), 0.1f * sinf(a), -out * cosf(turn)));
        }
    }
    b->point[b->points++] = vec3(-0.03f, 0, -0.11f);
    b->point[b->points++] = vec3(-0.03f, 0, 0.11f);
    for (int i = 0; i + 1 < HAIRPIN_RINGS; i++)
        for (int k = 0; k < HAIRPIN_SIDES; k++) {
            int p = i * HAIRPIN_SIDES + k, q = i * HAIRPIN_SIDES + (k + 1) % HAIRPIN_SIDES;
            memcpy(b->triangle[b->triangles++], (int[]){p, q, p + HAIRPIN_SIDES}, sizeof(int[3]));
            memcpy(b->triangle[b->triangles++], (int[]){q, q + HAIRPIN_SIDES, p + HAIRPIN_SIDES}, sizeof(int[3]));
        }
    for (int k = 0, last = (HAIRPIN_RINGS - 1) * HAIRPIN_SIDES; k < HAIRPIN_SIDES; k++) {
        int n = (k + 1) % HAIRPIN_SIDES;
        memcpy(b->triangle[b->triangles++], (int[]){n, k, HAIRPIN_RINGS * HAIRPIN_SIDES}, sizeof(int[3]));
        memcpy(b->triangle[b->triangles++], (int[]){last + k, last + n, HAIRPIN_RINGS * HAIRPIN_SIDES + 1}, sizeof(int[3]));
    }
}

static void a_skin_too_fine_gets_a_coarser_body_of_its_own_shape(void **state)
{
    (void)state;
    Boxes *b = new_boxes();
    add_hairpin(b);
    PeltiCharacter *who = character_of(b, 2);
    PeltiWeights w = weights_along(who);
    PeltiBodyDef def = {.who = who, .weights = &w, .vertices = 1000};
    PeltiBody *body;
    PeltError err = {0};
    assert_true(who->mesh->closed);
    assert_int_equal(pelti_body_create(&def, &body, &err), PELT_OK);
    assert_null(body); // fine enough, and not too fine
    def.coarse = true;
    assert_int_equal(pelti_body_create(&def, &body, &err), PELT_OK);
    assert_true(body && pelti_body_of_one_skin(body));
    const PeltiMesh *mesh = pelti_body_character(body)->mesh;
    assert_true(mesh->closed && mesh->component_count == 1);
    assert_true(mesh->vertex_count > 900 && mesh->vertex_count < 1100);
    assert_int_equal(mesh->vertex_count - mesh->edge_count + mesh->triangle_count, 2); // a ball: the halves did not grow together
    assert_float_equal(pelti_mesh_volume(mesh, mesh->rest) / fabs(pelti_mesh_volume(who->mesh, who->mesh->rest)), 1,
                       0.06); // some 12 corners around lose 4.5 %
    pelti_body_destroy(body);
    pelti_character_destroy(who);
}

static int made_vertices(const PeltiCharacter *who, const PeltiWeights *w, bool dear)
{
    PeltiBodyDef def = {.who = who, .weights = w, .mode = PELTI_BODY_PROXY, .dear = dear};
    PeltiBody *body;
    PeltError err = {0};
    assert_int_equal(pelti_body_create(&def, &body, &err), PELT_OK);
    int count = pelti_body_character(body)->mesh->vertex_count;
    pelti_body_destroy(body);
    return count;
}

static void a_body_of_pieces_is_smaller_where_a_vertex_is_dear(void **state)
{
    (void)state;
    NOT_SANITIZED();
    PeltiCharacter *pieces = two_overlapping();
    Boxes *b = new_boxes();
    add_hairpin(b);
    PeltiCharacter *skin = character_of(b, 2);
    PeltiWeights of_pieces = weights_along(pieces), of_skin = weights_along(skin);
    assert_in_range(made_vertices(pieces, &of_pieces, false), 5500, 6500);
    assert_in_range(made_vertices(pieces, &of_pieces, true), 3600, 4400);
    assert_int_equal(made_vertices(skin, &of_skin, true), made_vertices(skin, &of_skin, false)); // what is shown is one skin
    pelti_character_destroy(pieces);
    pelti_character_destroy(skin);
}

/// Parts of one bone each: no flesh is made, and all are where blending has them.
static void where_nothing_bends_no_body_is_made(void **state)
{
    (void)state;
    PeltiCharacter *who = two_overlapping();
    PeltiWeightRows rows;
    PeltiWeights w;
    PeltError err;
    assert_int_equal(pelti_weights_new(who, &who->pool, 4, &rows, &w, &err), PELT_OK);
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        rows.bone[4 * v] = who->mesh->component[v] == who->mesh->component[0] ? 0 : 1;
        rows.weight[4 * v] = 1;
    }
    PeltiBody *body = body_of(who, &w, 1);
    assert_non_null(body);
    assert_null(pelti_body_character(body));
    pelti_body_destroy(body);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlapping_pieces_of_neighbouring_bones_become_one_closed_skin),
        cmocka_unit_test(fingers_a_hair_apart_do_not_grow_together),
        cmocka_unit_test(points_ride_exactly),
        cmocka_unit_test(cloth_keeps_its_distance),
        cmocka_unit_test(a_piece_of_one_bone_stays_rigid),
        cmocka_unit_test(a_skin_too_fine_gets_a_coarser_body_of_its_own_shape),
        cmocka_unit_test(a_body_of_pieces_is_smaller_where_a_vertex_is_dear),
        cmocka_unit_test(the_body_does_not_depend_on_the_threads),
        cmocka_unit_test(where_nothing_bends_no_body_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
