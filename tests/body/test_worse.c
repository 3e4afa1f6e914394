/// No step ends with more deep pairs than blending has.
/// What the rounds of leaning do not reach leans wholly, and parting is taken back where it made more of them than it found.
#include "boxes.h"

#include "body/constants.def"
#include "body/parted.h"
#include "geometry/constants.def"
#include "geometry/triangles.h"

#include <math.h>

typedef struct Skin { ///< a character, and how it leans and is parted
    PeltiCharacter *who;
    PeltiWeights weights;
    PeltiCrossings *crossings;
    PeltiLean *lean;
    PeltiParted *parted;
} Skin;

/// With its weights set; `s` stays where it is, since what is made keeps pointing at its weights.
static void finish_skin(Skin *s)
{
    PeltError err;
    const PeltiPieces *pieces = pieces_of(s->who, &s->weights);
    s->crossings = crossings_of(s->who, &s->weights, pieces);
    PeltiLeanDef def = {s->who, &s->weights, pieces, s->crossings};
    assert_int_equal(pelti_lean_create(&def, &s->who->pool, &s->lean, &err), PELT_OK);
    assert_int_equal(pelti_parted_create(&def, s->lean, &s->who->pool, &s->parted, &err), PELT_OK);
}

/// Pairs of two pieces that cross by more than the measures bear, and not at rest.
static int deep_pairs(const Skin *s, const Vec3 *x, int one, int other)
{
    const PeltiMesh *mesh = s->who->mesh;
    int count = 0;
    for (int a = 0; a < mesh->triangle_count; a++)
        for (int b = 0; b < mesh->triangle_count && mesh->component[mesh->triangles[a][0]] == one; b++)
            count += mesh->component[mesh->triangles[b][0]] == other && pelti_crossings_deep(s->crossings, x, a, b) &&
                     !pelti_crossings_at_rest(s->crossings, a, b) &&
                     pelti_triangles_depth(x, mesh->triangles[a], mesh->triangles[b]) > (float)DEEP_PAIR * mesh->diagonal;
    return count;
}

// ---- a queue ----

static const float PITCH = 0.1f, STEP = 0.055f; // from box to box of the queue; what the method moves them by, more than the gap

/// A body, small boxes in a queue beside it, thick and thin in turn, so that a thin one pokes into the sides of its neighbours,
/// and a last one on the other side of the body.
static void queue_of(int count, Skin *s)
{
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.2f, -0.2f), vec3(2.2f, 0.2f, 0.2f));
    for (int i = 0; i <= count; i++) {
        float half = i % 2 ? 0.024f : 0.03f; // sides that lie on no row of the others' triangles
        Vec3 at = i < count ? vec3(0.1f + PITCH * (float)i, 0.5f, 0) : vec3(1, -0.5f, 0);
        add_box(b, vec3(at.x - 0.03f, at.y - half, at.z - half), vec3(at.x + 0.03f, at.y + half, at.z + half));
    }
    s->who = character_of(b, 2);
    s->weights = weights_along(s->who);
    finish_skin(s);
}

/// Of a box of the queue, by where it stands.
static int queued_at(Vec3 rest)
{
    return rest.y > 0.4f ? (int)((rest.x - 0.05f) / PITCH) : -1;
}

static bool is_apart(Vec3 rest)
{
    return rest.y < -0.4f;
}

/// The method moves the queue up, but for its first box, into which the second goes. Each round of leaning brings one box back,
/// into which the next one goes then: rounds run out before the queue does. Nothing crosses in the end even so; a box that stands
/// apart leans only if the queue is longer than what is tried before everything leans.
static void what_the_rounds_do_not_reach_leans_wholly(void **state)
{
    (void)state;
    enum { WHOLE_ROUNDS = 3 }; // of islands and pieces; then everything
    const Mat34 bones[2] = {mat34_identity(), mat34_identity()};
    for (int more = 0; more <= WHOLE_ROUNDS + 1; more++) {
        int count = 1 + (int)LEAN_ROUNDS + more; // and the first, which stays
        Skin s;
        queue_of(count, &s);
        const PeltiMesh *mesh = s.who->mesh;
        Vec3 *x = copy_points(mesh->rest, mesh->vertex_count);
        for (int v = 0; v < mesh->vertex_count; v++)
            x[v].x -= queued_at(mesh->rest[v]) > 0 || is_apart(mesh->rest[v]) ? STEP : 0;
        assert_true(pelti_lean_apply(s.lean, &(PeltiLeanStep){bones, NULL, true}, NULL, x) > 0);
        for (int c = 1; c < mesh->component_count; c++)
            assert_int_equal(deep_pairs(&s, x, c - 1, c), 0);
        for (int v = 0; v < mesh->vertex_count; v++)
            CHECK_NEAR(x[v].x - mesh->rest[v].x, is_apart(mesh->rest[v]) && more <= WHOLE_ROUNDS ? -STEP : 0, 1e-6f);
        free(x);
        pelti_character_destroy(s.who);
    }
}

// ---- a fin through a sheet ----

/// A sheet from `at`, cut into n x m squares; it faces where u x v points.
static void add_sheet(Boxes *b, Vec3 at, Vec3 u, int n, Vec3 v, int m)
{
    int base = b->points;
    for (int i = 0; i < (n + 1) * (m + 1); i++)
        b->point[b->points++] = vec3_mad(vec3_mad(at, u, (float)(i % (n + 1)) / (float)n), v, (float)(i / (n + 1)) / (float)m);
    for (int i = 0; i < 2 * n * m; i++) {
        int a = base + i / 2 / n * (n + 1) + i / 2 % n, c = a + n + 1;
        int t[2][3] = {{a, a + 1, c}, {a + 1, c + 1, c}};
        memcpy(b->triangle[b->triangles++], t[i % 2], sizeof t[0]);
    }
}

enum { FLOOR, SHEET, FIN, SQUARES = 40 };
static const float FIN_X = 0.705f, FIN_Y = 0.008f; // just beyond the dent, within one square of the sheet

/// A floor on the first bone, a sheet over it that faces it, on the second but for a dent around the middle, on the third, and a
/// small fin on the second. Just above the sheet a row of the fin's triangles ends.
static void sheet_with_fin(Skin *s)
{
    Boxes *b = new_boxes();
    PeltiWeightRows rows;
    PeltError err;
    add_sheet(b, vec3(0, -0.5f, 0), vec3(1, 0, 0), SQUARES, vec3(0, 1, 0), SQUARES);
    add_sheet(b, vec3(0, -0.5f, 0.3f), vec3(0, 1, 0), SQUARES, vec3(1, 0, 0), SQUARES);
    add_sheet(b, vec3(FIN_X, FIN_Y, 0.271f), vec3(0.012f, 0, 0), 1, vec3(0, 0, 0.05f), 5);
    s->who = character_of(b, 3);
    assert_int_equal(pelti_weights_new(s->who, &s->who->pool, 4, &rows, &s->weights, &err), PELT_OK);
    const PeltiMesh *mesh = s->who->mesh;
    for (int v = 0; v < mesh->vertex_count; v++) {
        float dx = mesh->rest[v].x - 0.5f, dy = mesh->rest[v].y, r = fminf((dx * dx + dy * dy) / 0.04f, 1);
        float dent = mesh->component[v] == SHEET ? (1 - r) * (1 - r) : 0;
        pelti_weights_insert(4, rows.bone + 4 * v, rows.weight + 4 * v, mesh->component[v] == FLOOR ? 0 : 1, 1 - dent);
        pelti_weights_insert(4, rows.bone + 4 * v, rows.weight + 4 * v, 2, dent);
    }
    finish_skin(s);
}

/// Where blending has the sheet pass through the floor, parting brings it up, and around that place, too: a fin there, which
/// stands in the sheet at rest, would cross it in another place. Rest explains such pairs and parting bears some of them for
/// those that it parts, but blending has none: there it is taken back, and only there.
static void parting_is_taken_back_where_more_is_deep_than_by_blending(void **state)
{
    (void)state;
    Skin s;
    sheet_with_fin(&s);
    const PeltiMesh *mesh = s.who->mesh;
    Mat34 bones[3] = {mat34_identity(), mat34_identity(), mat34_identity()};
    bones[1].m[2][3] = -0.296f; // nearly on the floor
    bones[2].m[2][3] = -0.326f; // the dent goes through it
    Vec3 *x = copy_points(mesh->rest, mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count; v++)
        x[v] = pelti_weights_blend(&s.weights, v, bones, mesh->rest[v]);
    Vec3 *home = copy_points(x, mesh->vertex_count);
    assert_int_equal(pelti_lean_apply(s.lean, &(PeltiLeanStep){bones, NULL, true}, NULL, x), 0);
    assert_true(deep_pairs(&s, x, FLOOR, SHEET) > 100);
    assert_int_equal(deep_pairs(&s, x, SHEET, FIN), 0);
    assert_true(pelti_parted_apply(s.parted, bones, true, NULL, x) > 100);
    assert_int_equal(deep_pairs(&s, x, FLOOR, SHEET), 0);
    assert_int_equal(deep_pairs(&s, x, SHEET, FIN), 0);
    int back = 0, up = 0; // corners of the squares that the fin stands in; those around them
    for (int v = 0; v < mesh->vertex_count; v++) {
        float off = fmaxf(fabsf(mesh->rest[v].x - FIN_X), fabsf(mesh->rest[v].y - FIN_Y)) * SQUARES;
        bool moved = mesh->component[v] == SHEET && x[v].z - home[v].z > 1e-3f;
        back += mesh->component[v] == SHEET && off < 1 && !moved;
        up += off < 3 && moved;
    }
    assert_true(back >= 3);
    assert_true(up > 10);
    free(home);
    free(x);
    pelti_character_destroy(s.who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_rounds_do_not_reach_leans_wholly),
        cmocka_unit_test(parting_is_taken_back_where_more_is_deep_than_by_blending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
