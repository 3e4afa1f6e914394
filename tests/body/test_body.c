/// The body of characters made of boxes: what joins, what stays apart, what rides how.
#include "boxes.h"

#include "body/body.h"
#include "body/constants.def"
#include "body/inside.h"
#include "body/lean.h"
#include "body/lean_turned.h"
#include "body/limit.h"
#include "body/parted.h"
#include "geometry/triangles.h"
#include "body/winding.h"

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

/// Two boxes of neighbouring bones that overlap.
static PeltiCharacter *two_overlapping(void)
{
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.2f, -0.2f), vec3(1.1f, 0.2f, 0.2f));
    add_box(b, vec3(0.9f, -0.25f, -0.25f), vec3(2, 0.25f, 0.25f));
    return character_of(b, 2);
}

/// A copy of points that the caller frees.
static Vec3 *copy_points(const Vec3 *points, int count)
{
    Vec3 *copy = malloc(sizeof(Vec3) * (size_t)count);
    memcpy(copy, points, sizeof(Vec3) * (size_t)count);
    return copy;
}

static PeltiCrossings *crossings_of(PeltiCharacter *who, const PeltiWeights *w, const PeltiPieces *pieces)
{
    PeltError err;
    PeltiCrossings *crossings;
    PeltiCrossingsDef def = {who->mesh, w, pieces};
    assert_int_equal(pelti_crossings_create(&def, &who->pool, NULL, &crossings, &err), PELT_OK);
    return crossings;
}

static PeltiLean *lean_of(PeltiCharacter *who, const PeltiWeights *w)
{
    PeltiLean *lean;
    PeltError err;
    const PeltiPieces *pieces = pieces_of(who, w);
    PeltiLeanDef def = {who, w, pieces, crossings_of(who, w, pieces)};
    assert_int_equal(pelti_lean_create(&def, &who->pool, &lean, &err), PELT_OK);
    return lean;
}

/// Two overlapping boxes, one of them open: winding numbers from 0 to 2, and angles that add up to more than a turn.
static void winding_numbers_of_a_cube_of_points_are_those_of_each(void **state)
{
    (void)state;
    PeltiPool pool;
    PeltiWinding *w;
    PeltError err;
    Boxes *b = new_boxes();
    add_box(b, vec3(-1, -1, -1), vec3(1, 1, 1));
    add_box(b, vec3(-0.4f, -0.5f, -0.6f), vec3(1.6f, 0.5f, 0.6f));
    pelti_pool_init(&pool, NULL);
    assert_int_equal(pelti_winding_create(&pool, b->triangles - 20, (const int(*)[3])b->triangle, b->point, &w, &err), PELT_OK);
    const float edge[3] = {0.03f, 0.3f, 0.9f};
    float most = 0, least = 2;
    for (int k = 0; k < 3; k++) {
        float all[PELTI_WINDING_CUBE];
        Vec3 low = vec3(-0.83f, -0.41f, -0.37f);
        pelti_winding_cube(w, low, edge[k], all);
        for (int i = 0; i < PELTI_WINDING_CUBE; i++) {
            int x = i % PELTI_WINDING_SIDE, y = i / PELTI_WINDING_SIDE % PELTI_WINDING_SIDE;
            Vec3 way = vec3((float)x, (float)y, (float)(i / PELTI_WINDING_SIDE / PELTI_WINDING_SIDE));
            CHECK_NEAR(all[i], pelti_winding_at(w, vec3_mad(low, way, edge[k])), 0.04); // the nearer to exact, the fewer dipoles
            most = fmaxf(most, all[i]);
            least = fminf(least, all[i]);
        }
    }
    assert_true(most > 1.5f && least < 0.1f);
    pelti_pool_release(&pool);
}

static void the_winding_number_of_a_box_is_one_inside_and_falls_where_a_side_is_missing(void **state)
{
    (void)state;
    Boxes *b = new_boxes();
    add_box(b, vec3(-1, -1, -1), vec3(1, 1, 1));
    PeltiPool pool;
    PeltiWinding *w;
    PeltError err;
    pelti_pool_init(&pool, NULL);
    assert_int_equal(pelti_winding_create(&pool, b->triangles, (const int(*)[3])b->triangle, b->point, &w, &err), PELT_OK);
    assert_float_equal(pelti_winding_at(w, vec3(0.2f, 0.3f, -0.4f)), 1, 0.03f);
    assert_float_equal(pelti_winding_at(w, vec3(3, 0.1f, 0.2f)), 0, 0.03f);
    // five of six sides: seen from the centre each side is a sixth of the sphere
    assert_int_equal(pelti_winding_create(&pool, b->triangles * 5 / 6, (const int(*)[3])b->triangle, b->point, &w, &err),
                     PELT_OK);
    assert_float_equal(pelti_winding_at(w, vec3(0, 0, 0)), 5.0f / 6, 0.03f);
    pelti_pool_release(&pool);
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

static void scatter(const PeltiMesh *mesh, const Vec3 *vertices, Vec3 *points)
{
    for (int p = 0; p < mesh->point_count; p++)
        points[p] = vertices[mesh->weld[p]];
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

/// What a rig says of a piece counts for more than how it looks: two boxes of skin and a button.
static void a_rig_says_what_a_piece_is(void **state)
{
    (void)state;
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.3f, -0.3f), vec3(3, 0.3f, 0.3f));
    int second = b->points;
    add_box(b, vec3(1.0f, 0.29f, -0.2f), vec3(2.0f, 0.5f, 0.2f));
    PeltiCharacter *who = character_of(b, 3);
    PeltiWeights w = weights_along(who), bound = w;
    int c = who->mesh->component[who->mesh->weld[second]], other = 1 - c;
    char name[32];
    snprintf(name, sizeof name, "component %d", c);
    PeltRigPiece says = {.name = name};
    PeltRig rig = {.piece_count = 1, .pieces = &says};
    PeltiPieces pieces;
    PeltError err;
    bool changed;
    const struct Case {
        PeltRigKind says;
        PeltiPieceKind kind;
        bool in_body, sewn, changed;
    } cases[] = {{PELT_PIECE_SKIN, PELTI_PIECE_SKIN, true, false, false},
                 {PELT_PIECE_SHELL, PELTI_PIECE_SHELL, true, false, false},
                 {PELT_PIECE_INSIDE, PELTI_PIECE_SKIN, false, false, false},
                 {PELT_PIECE_THING, PELTI_PIECE_RIGID, false, true, false},
                 {PELT_PIECE_RIGID, PELTI_PIECE_RIGID, false, false, true}};
    for (int i = 0; i < 5; i++) {
        says.kind = cases[i].says;
        bound = w;
        assert_int_equal(pelti_pieces_bind(who, &rig, &who->pool, &bound, &changed, &err), PELT_OK);
        assert_int_equal(changed, cases[i].changed);
        assert_int_equal(pelti_pieces_judge(who, &bound, &rig, &who->pool, &pieces, &err), PELT_OK);
        assert_int_equal(pieces.pieces[c].kind, cases[i].kind);
        assert_int_equal(pieces.pieces[c].in_body, cases[i].in_body);
        assert_int_equal(pieces.pieces[c].sewn, cases[i].sewn);
        assert_true(pieces.pieces[c].said && !pieces.pieces[other].said);
        assert_int_equal(pieces.pieces[other].kind, PELTI_PIECE_SKIN);
    }
    says.bone = who->nodes[who->bones[2].node].name; // and by a bone's name
    bound = w;
    assert_int_equal(pelti_pieces_bind(who, &rig, &who->pool, &bound, &changed, &err), PELT_OK);
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        bool ours = who->mesh->component[v] == c;
        assert_int_equal(bound.bone[4 * v], ours ? 2 : w.bone[4 * v]);
        CHECK_NEAR(bound.weight[4 * v], ours ? 1 : w.weight[4 * v], 0);
    }
    pelti_character_destroy(who);
}

/// A tongue in a head, a button on it, a stick that comes out of it: only the first sees no daylight. A head with a side missing
/// hides nothing.
static void what_sees_no_daylight_is_inside(void **state)
{
    (void)state;
    for (int open = 0; open < 2; open++) {
        Boxes *b = new_boxes();
        add_box(b, vec3(0, -0.5f, -0.5f), vec3(2, 0.5f, 0.5f));
        b->triangles -= open ? 2 * SIDE * SIDE : 0;
        const int first[3] = {b->points, b->points + 6 * (SIDE + 1) * (SIDE + 1), b->points + 12 * (SIDE + 1) * (SIDE + 1)};
        add_box(b, vec3(0.5f, -0.1f, -0.1f), vec3(1.5f, 0.1f, 0.1f));
        add_box(b, vec3(1, 0.45f, -0.1f), vec3(1.2f, 0.55f, 0.1f));
        add_box(b, vec3(1.2f, 0.2f, -0.1f), vec3(3, 0.3f, 0.1f));
        PeltiCharacter *who = character_of(b, 3);
        PeltiWeights w = weights_along(who);
        PeltiPieces *pieces = pieces_of(who, &w);
        PeltError err;
        assert_int_equal(pelti_pieces_look_out(who, pieces, &err), PELT_OK);
        assert_false(pelti_piece_is_inside(&pieces->pieces[who->mesh->component[who->mesh->weld[0]]]));
        for (int k = 0; k < 3; k++)
            assert_int_equal(pelti_piece_is_inside(&pieces->pieces[who->mesh->component[who->mesh->weld[first[k]]]]),
                             k == 0 && !open);
        pelti_character_destroy(who);
    }
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

static void flesh_that_strays_is_held_back_and_the_rest_is_left_alone(void **state)
{
    (void)state;
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.2f, -0.2f), vec3(2, 0.2f, 0.2f));
    PeltiCharacter *who = character_of(b, 2);
    PeltiWeights w = weights_along(who);
    PeltiLimit *limit;
    PeltError err;
    assert_int_equal(pelti_limit_create(who, &w, &who->pool, NULL, &limit, &err), PELT_OK);
    Mat34 bones[2] = {mat34_identity(), mat34_identity()};
    Vec3 *shape = copy_points(who->mesh->rest, who->mesh->vertex_count);
    shape[3].y += 0.02f; // a dent
    shape[9].y -= 5;
    assert_int_equal(pelti_limit_apply(limit, bones, NULL, shape), 1);
    assert_float_equal(shape[3].y, who->mesh->rest[3].y + 0.02f, 1e-6f);
    assert_true(vec3_distance(shape[9], who->mesh->rest[9]) < 0.4f && vec3_distance(shape[9], who->mesh->rest[9]) > 0.05f);
    free(shape);
    pelti_character_destroy(who);
}

static int lean_on(PeltiLean *lean, const PeltiCharacter *who, const Mat34 *bones, Vec3 *points)
{
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
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.2f, -0.2f), vec3(2, 0.2f, 0.2f));
    PeltiCharacter *who = character_of(b, 2);
    PeltiWeights w = weights_along(who);
    PeltiLean *lean = lean_of(who, &w);
    Mat34 bones[2] = {mat34_identity(), mat34_identity()};
    Vec3 *points = copy_points(who->rest_points, who->point_count);
    assert_int_equal(lean_on(lean, who, bones, points), 0);
    int out = who->mesh->weld[30];
    for (int p = 0; p < who->point_count; p++)
        if (who->mesh->weld[p] == out)
            points[p].z += 4;
    assert_true(lean_on(lean, who, bones, points) > 0);
    for (int e = 0; e < who->mesh->edge_count; e++) {
        int i = who->mesh->first_point[who->mesh->edges[e][0]], j = who->mesh->first_point[who->mesh->edges[e][1]];
        assert_true(vec3_distance(points[i], points[j]) < 3 * vec3_distance(who->rest_points[i], who->rest_points[j]));
    }
    free(points);
    pelti_character_destroy(who);
}

/// A box along two bones, and a second one, whose points begin at `second`.
static PeltiCharacter *with_second_box(Vec3 low, Vec3 high, int *second)
{
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.2f, -0.2f), vec3(2, 0.2f, 0.2f));
    *second = b->points;
    add_box(b, low, high);
    return character_of(b, 2);
}

/// A second box that the method pushes into the first, which blending leaves beside it.
static void what_crosses_anew_leans_on_blending(void **state)
{
    (void)state;
    int second;
    PeltiCharacter *who = with_second_box(vec3(0.5f, 0.22f, -0.1f), vec3(1.5f, 0.5f, 0.1f), &second);
    PeltiWeights w = weights_along(who);
    PeltiLean *lean = lean_of(who, &w);
    Mat34 bones[2] = {mat34_identity(), mat34_identity()};
    Vec3 *points = copy_points(who->rest_points, who->point_count);
    for (int p = second; p < who->point_count; p++)
        points[p].y -= 0.1f;
    assert_true(lean_on(lean, who, bones, points) > 0);
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
    free(points);
    pelti_character_destroy(who);
}

/// A closed piece that the method squeezes to half its width is as large as by blending in the end; one that it leaves alone
/// stays.
static void a_squeezed_piece_leans_on_blending(void **state)
{
    (void)state;
    int second;
    PeltiCharacter *who = with_second_box(vec3(0, 1, -0.2f), vec3(2, 1.4f, 0.2f), &second);
    PeltiWeights w = weights_along(who);
    PeltiLean *lean = lean_of(who, &w);
    Mat34 bones[2] = {mat34_identity(), mat34_identity()};
    Vec3 *points = copy_points(who->rest_points, who->point_count);
    for (int p = second; p < who->point_count; p++)
        points[p].z *= 0.5f;
    assert_true(lean_on(lean, who, bones, points) > 0);
    float widest = 0;
    for (int p = second; p < who->point_count; p++)
        widest = fmaxf(widest, fabsf(points[p].z));
    assert_true(widest > 0.95f * 0.2f && widest < 0.97f * 0.2f); // 4 % of the volume, within what six halvings find
    assert_memory_equal(points, who->rest_points, sizeof(Vec3) * (size_t)second);
    free(points);
    pelti_character_destroy(who);
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
    int second;
    PeltiCharacter *who = with_second_box(vec3(1.8f, 0.3f, -0.1f), vec3(1.95f, 0.4f, 0.1f), &second);
    PeltiWeights w = weights_along(who);
    PeltiLean *lean = lean_of(who, &w);
    Mat34 bones[2] = {mat34_identity(), mat34_identity()};
    Vec3 *points = copy_points(who->rest_points, who->point_count);
    for (int p = second; p < who->point_count; p++)
        points[p] = vec3_add(points[p], vec3(0.3f, 0.8f, 0));
    assert_true(lean_on(lean, who, bones, points) > 0);
    Vec3 moved = vec3_sub(points[second], who->rest_points[second]);
    assert_true(vec3_length(moved) < 0.1f * who->mesh->diagonal && vec3_length(moved) > 0.09f * who->mesh->diagonal);
    for (int p = second; p < who->point_count; p++)
        CHECK_NEAR(vec3_distance(vec3_sub(points[p], who->rest_points[p]), moved), 0, 1e-6f);
    assert_memory_equal(points, who->rest_points, sizeof(Vec3) * (size_t)second);
    free(points);
    pelti_character_destroy(who);
}

/// A vertex pushed over its neighbours comes back.
static void a_triangle_turned_over_leans_on_blending(void **state)
{
    (void)state;
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.2f, -0.2f), vec3(2, 0.2f, 0.2f));
    PeltiCharacter *who = character_of(b, 2);
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
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.2f, -0.2f), vec3(2, 0.2f, 0.2f));
    PeltiCharacter *who = character_of(b, 2);
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

/// Two plates over one another; the upper one is the last half of the vertices.
static PeltiCharacter *two_plates(void)
{
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.5f, 0), vec3(3, 0.5f, 0.4f));
    add_box(b, vec3(0, -0.5f, 0.45f), vec3(3, 0.5f, 0.85f));
    return character_of(b, 3);
}

static PeltiParted *parted_of(PeltiCharacter *who, const PeltiWeights *w)
{
    PeltiParted *parted;
    PeltError err;
    const PeltiPieces *pieces = pieces_of(who, w);
    PeltiLeanDef def = {who, w, pieces, crossings_of(who, w, pieces)};
    PeltiLean *lean;
    assert_int_equal(pelti_lean_create(&def, &who->pool, &lean, &err), PELT_OK);
    assert_int_equal(pelti_parted_create(&def, lean, &who->pool, &parted, &err), PELT_OK);
    return parted;
}

static int count_crossing(const PeltiMesh *mesh, const Vec3 *x)
{
    int count = 0;
    for (int s = 0; s < mesh->triangle_count; s++)
        for (int t = 0; t < s; t++)
            count += !pelti_triangles_share(mesh->triangles[s], mesh->triangles[t]) &&
                     pelti_triangles_cross(x, mesh->triangles[s], mesh->triangles[t]);
    return count;
}

/// The upper plate sags into the lower one around the middle.
static void sag(const PeltiMesh *mesh, float deep, Vec3 *x)
{
    memcpy(x, mesh->rest, sizeof(Vec3) * (size_t)mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++) {
        float dx = x[v].x - 1.5f, dy = x[v].y;
        if (x[v].z > 0.42f)
            x[v].z -= deep * expf(-(dx * dx + dy * dy) / 0.25f);
    }
}

/// Every pair that crosses by more than touching is in the list, once, and no other.
static void check_list(const PeltiCrossings *c, const Vec3 *x)
{
    int count = 0;
    for (int s = 0; s < c->mesh->triangle_count; s++)
        for (int t = 0; t < s; t++)
            count += pelti_crossings_may(c, s, t) && pelti_crossings_deep(c, x, s, t);
    assert_int_equal(c->deep_count, count);
    for (int i = 0; i < c->deep_count; i++)
        assert_true(pelti_crossings_deep(c, x, c->deep[i].a, c->deep[i].b));
}

/// Looks that ask only the pairs that can meet on known ways, and the tree for what leaves them, find what asking all pairs does.
static void kept_pairs_say_what_all_pairs_do(void **state)
{
    (void)state;
    PeltiCharacter *who = two_plates();
    const PeltiMesh *mesh = who->mesh;
    PeltiWeights w = weights_along(who);
    PeltiCrossings *c = crossings_of(who, &w, pieces_of(who, &w));
    Vec3 *sunk = copy_points(mesh->rest, mesh->vertex_count), *x = copy_points(mesh->rest, mesh->vertex_count);
    uint32_t seed = 1;
    int most = 0, least_kept = 1 << 30;
    for (int step = 0; step < 4; step++) {
        sag(mesh, 0.1f + 0.05f * (float)step, sunk);
        if (step > 0) // before the first step nothing is known
            pelti_crossings_begin(c, sunk, mesh->rest, NULL);
        for (int look = 0; look < 6; look++) {
            for (int v = 0; v < mesh->vertex_count; v++) {
                seed = seed * 1664525u + 1013904223u;
                if (seed >> 30 || (look == 2 && v > 12)) // three of four stay where they were, once all but a few
                    continue;
                x[v] = vec3_lerp(sunk[v], mesh->rest[v], (float)(seed >> 8 & 0xffff) / 65535.0f);
                if (look > 3 && v % 7 == 0) // off its way
                    x[v] = vec3_add(x[v], vec3(0.03f, 0.02f, -0.06f));
            }
            pelti_crossings_update(c, x, NULL);
            check_list(c, x);
            most = c->deep_count > most ? c->deep_count : most;
        }
        least_kept = step > 0 && c->near.count < least_kept ? c->near.count : least_kept;
    }
    assert_true(most > 20 && least_kept > 0 && c->listed);
    free(sunk);
    free(x);
    pelti_character_destroy(who);
}

static void what_passes_through_is_parted_and_comes_back(void **state)
{
    (void)state;
    PeltiCharacter *who = two_plates();
    const PeltiMesh *mesh = who->mesh;
    PeltiWeights w = weights_along(who);
    PeltiParted *parted = parted_of(who, &w);
    Mat34 bones[3] = {mat34_identity(), mat34_identity(), mat34_identity()};
    Vec3 *x = copy_points(mesh->rest, mesh->vertex_count);
    sag(mesh, 0.07f, x);
    assert_true(count_crossing(mesh, x) > 10);
    assert_true(pelti_parted_apply(parted, bones, true, NULL, x) > 0);
    assert_int_equal(count_crossing(mesh, x), 0);
    for (int v = 0; v < mesh->vertex_count; v++) // only there, and by no more than is needed
        if (mesh->rest[v].x < 0.3f)
            CHECK_NEAR(x[v].z, mesh->rest[v].z, 1e-3f);
        else
            assert_true(fabsf(x[v].z - mesh->rest[v].z) < 0.07f);
    int frames = 0;
    sag(mesh, 0.02f, x);
    for (; frames < 100 && pelti_parted_apply(parted, bones, false, NULL, x) > 0; frames++) {
        if (frames == 0)
            assert_true(vec3_distance(x[0], mesh->rest[0]) < 0.01f * mesh->diagonal);
        sag(mesh, 0.02f, x);
    }
    assert_in_range(frames, 5, 60);
    free(x);
    pelti_character_destroy(who);
}

static double volume_of(const PeltiMesh *mesh, int component, const Vec3 *x)
{
    double sum = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        if (mesh->component[mesh->triangles[t][0]] == component)
            sum += (double)vec3_dot(x[mesh->triangles[t][0]], vec3_cross(x[mesh->triangles[t][1]], x[mesh->triangles[t][2]])) / 6;
    return sum;
}

/// However deep one sinks into the other: parting squeezes no closed piece by more than a verdict would take.
static void parting_squeezes_no_piece(void **state)
{
    (void)state;
    PeltiCharacter *who = two_plates();
    const PeltiMesh *mesh = who->mesh;
    PeltiWeights w = weights_along(who);
    PeltiParted *parted = parted_of(who, &w);
    Mat34 bones[3] = {mat34_identity(), mat34_identity(), mat34_identity()};
    Vec3 *x = copy_points(mesh->rest, mesh->vertex_count);
    int moved = 0;
    double most = 0;
    for (int step = 0; step < 8; step++) {
        sag(mesh, 0.08f + 0.04f * (float)step, x);
        moved += pelti_parted_apply(parted, bones, step == 0, NULL, x) > 0;
        for (int c = 0; c < 2; c++)
            most = fmax(most, fabs(volume_of(mesh, c, x) / volume_of(mesh, c, mesh->rest) - 1));
    }
    assert_true(moved > 3);
    if (!(most > 0.01 && most < LEAN_VOLUME_KEPT + 1e-4))
        fail_msg("a volume changed by %g", most);
    free(x);
    pelti_character_destroy(who);
}

static void a_rigid_side_is_not_parted_from_itself(void **state)
{
    (void)state;
    PeltiCharacter *who = two_plates();
    const PeltiMesh *mesh = who->mesh;
    PeltiWeights w = weights_along(who);
    float *weight = (float *)w.weight; // the lower plate hangs on one bone
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < w.influences && mesh->rest[v].z < 0.42f; k++) {
            ((int *)w.bone)[v * w.influences + k] = 0;
            weight[v * w.influences + k] = k == 0;
        }
    PeltiParted *parted = parted_of(who, &w);
    Mat34 bones[3] = {mat34_identity(), mat34_identity(), mat34_identity()};
    Vec3 *x = copy_points(mesh->rest, mesh->vertex_count);
    sag(mesh, 0.07f, x);
    assert_true(pelti_parted_apply(parted, bones, true, NULL, x) > 0);
    assert_int_equal(count_crossing(mesh, x), 0);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (mesh->rest[v].z < 0.42f)
            assert_memory_equal(&x[v], &mesh->rest[v], sizeof(Vec3));
    free(x);
    pelti_character_destroy(who);
}

static int count_deep(const PeltiCrossings *c, const Vec3 *x)
{
    int count = 0;
    const PeltiMesh *mesh = c->mesh;
    for (int s = 0; s < mesh->triangle_count; s++)
        for (int t = 0; t < s; t++)
            count += !pelti_triangles_share(mesh->triangles[s], mesh->triangles[t]) &&
                     !pelti_triangles_cross(mesh->rest, mesh->triangles[s], mesh->triangles[t]) &&
                     pelti_crossings_deep(c, x, s, t);
    return count;
}

/// Against all pairs, while now this part of the skin moves, now that, and some comes back.
static void the_list_of_what_crosses_is_kept_up_to_date(void **state)
{
    (void)state;
    PeltiCharacter *who = two_overlapping();
    const PeltiMesh *mesh = who->mesh;
    PeltiWeights w = weights_along(who);
    PeltiCrossings *c = crossings_of(who, &w, pieces_of(who, &w));
    Vec3 *x = copy_points(mesh->rest, mesh->vertex_count);
    int most = 0;
    unsigned seed = 7;
    for (int round = 0; round < 12; round++) {
        for (int v = 0; v < mesh->vertex_count; v++) {
            seed = seed * 1664525u + 1013904223u;
            float way = (float)(seed >> 16) / 65536 - 0.5f, place = mesh->rest[v].x - 0.2f * (float)round;
            if (fabsf(place) < 0.3f)
                x[v] = round % 3 == 2 ? mesh->rest[v] : vec3_mad(mesh->rest[v], vec3(0.3f, 1, -0.7f), 0.3f * way);
        }
        pelti_crossings_update(c, x, NULL);
        assert_int_equal(c->deep_count, count_deep(c, x));
        for (int i = 0; i < c->deep_count; i++)
            assert_true(pelti_crossings_may(c, c->deep[i].a, c->deep[i].b) &&
                        pelti_crossings_deep(c, x, c->deep[i].a, c->deep[i].b));
        most = c->deep_count > most ? c->deep_count : most;
    }
    assert_true(most > 20);
    free(x);
    pelti_character_destroy(who);
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
        cmocka_unit_test(winding_numbers_of_a_cube_of_points_are_those_of_each),
        cmocka_unit_test(the_winding_number_of_a_box_is_one_inside_and_falls_where_a_side_is_missing),
        cmocka_unit_test(overlapping_pieces_of_neighbouring_bones_become_one_closed_skin),
        cmocka_unit_test(fingers_a_hair_apart_do_not_grow_together),
        cmocka_unit_test(points_ride_exactly),
        cmocka_unit_test(cloth_keeps_its_distance),
        cmocka_unit_test(a_piece_of_one_bone_stays_rigid),
        cmocka_unit_test(a_rig_says_what_a_piece_is),
        cmocka_unit_test(what_sees_no_daylight_is_inside),
        cmocka_unit_test(a_skin_too_fine_gets_a_coarser_body_of_its_own_shape),
        cmocka_unit_test(a_body_of_pieces_is_smaller_where_a_vertex_is_dear),
        cmocka_unit_test(the_body_does_not_depend_on_the_threads),
        cmocka_unit_test(flesh_that_strays_is_held_back_and_the_rest_is_left_alone),
        cmocka_unit_test(a_torn_edge_leans_on_blending),
        cmocka_unit_test(kept_pairs_say_what_all_pairs_do),
        cmocka_unit_test(what_crosses_anew_leans_on_blending),
        cmocka_unit_test(a_squeezed_piece_leans_on_blending),
        cmocka_unit_test(a_thing_that_flew_comes_back_whole),
        cmocka_unit_test(a_triangle_turned_over_leans_on_blending),
        cmocka_unit_test(skin_stays_near_the_pose_that_was_asked_for),
        cmocka_unit_test(what_passes_through_is_parted_and_comes_back),
        cmocka_unit_test(parting_squeezes_no_piece),
        cmocka_unit_test(a_rigid_side_is_not_parted_from_itself),
        cmocka_unit_test(the_list_of_what_crosses_is_kept_up_to_date),
        cmocka_unit_test(where_nothing_bends_no_body_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
