/// Stages of making a body and of what is done to its skin: cells and their surface, volumes that lean, joints that are tried.
#include "boxes.h"
#include "refusing.h"

#include "body/constants.def"
#include "body/lean_islands.h"
#include "body/lean_volume.h"
#include "body/surface.h"
#include "body/trial_parts.h"
#include "geometry/triangles.h"

static const float LOW[2][3] = {{0, -0.2f, -0.2f}, {0.9f, -0.25f, -0.25f}}, HIGH[2][3] = {{1.1f, 0.2f, 0.2f}, {2, 0.25f, 0.25f}};

/// Two boxes of neighbouring bones that overlap.
static PeltiCharacter *two_boxes(void)
{
    Boxes *b = new_boxes();
    for (int i = 0; i < 2; i++)
        add_box(b, vec3(LOW[i][0], LOW[i][1], LOW[i][2]), vec3(HIGH[i][0], HIGH[i][1], HIGH[i][2]));
    return character_of(b, 2);
}

static const double UNION = 1.1 * 0.4 * 0.4 + 1.1 * 0.5 * 0.5 - 0.2 * 0.4 * 0.4; // of the boxes
static const double GROWN = 1.2 * 0.5 * 0.5 + 1.2 * 0.6 * 0.6 - 0.3 * 0.5 * 0.5; // by a cell of 0.05 on each side

/// How far inside the union of the two boxes a point lies; negative outside, where it is no distance.
static float depth(Vec3 p)
{
    float most = -INFINITY;
    for (int i = 0; i < 2; i++) {
        float inside = INFINITY;
        for (int k = 0; k < 3; k++)
            inside = fminf(inside, fminf((&p.x)[k] - LOW[i][k], HIGH[i][k] - (&p.x)[k]));
        most = fmaxf(most, inside);
    }
    return most;
}

typedef struct Cut {
    PeltiCharacter *who;
    PeltiPieceSoup soup;
    PeltiCellsDef def;
} Cut;

static Cut cut_into_cells(PeltiWeights *w, float edge)
{
    Cut cut = {.who = two_boxes()};
    PeltError err;
    *w = weights_along(cut.who);
    PeltiPieces *pieces = pieces_of(cut.who, w);
    PeltiPieceSoup *soup = PELTI_NEW(&cut.who->pool, PeltiPieceSoup, 1);
    assert_int_equal(pelti_pieces_soup(cut.who, pieces, 0, &cut.who->pool, soup, &err), PELT_OK);
    cut.def = (PeltiCellsDef){cut.who, pieces, soup, edge, NULL};
    return cut;
}

static void cells_are_inside_where_a_box_is(void **state)
{
    (void)state;
    const float edge = 0.05f;
    PeltiWeights w;
    PeltError err;
    PeltiCells cells;
    Cut cut = cut_into_cells(&w, edge);
    assert_int_equal(pelti_cells_create(&cut.def, &cut.who->pool, &cells, &err), PELT_OK);
    size_t inside = 0;
    for (size_t c = 0; c < pelti_cell_count(&cells); c++) {
        float deep = depth(pelti_cell_centre(&cells, c));
        inside += cells.state[c] != PELTI_CELL_OUT;
        if (deep > 0.5f * edge && cells.state[c] == PELTI_CELL_OUT)
            fail_msg("cell %zu, %g deep, is outside", c, (double)deep);
        if (deep < -edge && cells.state[c] != PELTI_CELL_OUT)
            fail_msg("cell %zu, %g outside, is inside", c, (double)-deep);
        if (deep > 0.5f * edge) { // neighbouring bones: nothing stands between them
            assert_int_equal(cells.walls[c], 0);
            assert_true(cells.label[c] == 0 || cells.label[c] == 1);
        }
    }
    CHECK_NEAR((double)inside * pow((double)cells.edge, 3), GROWN, 0.03 * GROWN); // the outermost layer touches the skin
    pelti_character_destroy(cut.who);
}

static PeltStatus cut_again(const PeltAllocator *allocator, const void *user, PeltError *err)
{
    PeltiPool pool;
    PeltiCells cells;
    pelti_pool_init(&pool, allocator);
    PeltStatus status = pelti_cells_create(user, &pool, &cells, err);
    pelti_pool_release(&pool);
    return status;
}

/// Also that of the winding numbers and the walls, which is gone when the cells are there.
static void refused_memory_is_told(void **state)
{
    (void)state;
    static Places places;
    PeltiWeights w;
    Cut cut = cut_into_cells(&w, 0.1f);
    assert_in_range(refuse_each_place(cut_again, &cut.def, &places), 5, 4096);
    pelti_character_destroy(cut.who);
}

static double volume_of(int count, const int (*t)[3], const Vec3 *x)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (double)vec3_dot(x[t[i][0]], vec3_cross(x[t[i][1]], x[t[i][2]])) / 6;
    return sum;
}

static void the_surface_is_one_closed_skin_around_the_boxes(void **state)
{
    (void)state;
    PeltiWeights w;
    PeltError err;
    PeltiCells cells;
    PeltiRemeshSurface rough;
    PeltiBodySurface skin;
    Cut cut = cut_into_cells(&w, 0.05f);
    assert_int_equal(pelti_cells_create(&cut.def, &cut.who->pool, &cells, &err), PELT_OK);
    assert_int_equal(pelti_cells_surface(&cells, 0.01f, NULL, &rough, &err), PELT_OK);
    assert_int_equal(rough.vertex_count - rough.triangle_count / 2, 2); // Euler: 3 edges are shared by 2 triangles
    size_t inside = 0;
    for (size_t c = 0; c < pelti_cell_count(&cells); c++)
        inside += cells.state[c] != PELTI_CELL_OUT;
    CHECK_NEAR(volume_of(rough.triangle_count, (const int(*)[3])rough.corner, rough.position),
               (double)inside * pow((double)cells.edge, 3), 1e-5); // the cells' own
    pelti_remesh_release(&rough);
    assert_int_equal(pelti_body_surface(&cut.def, 800, &cut.who->pool, &skin, &err), PELT_OK);
    CHECK_NEAR(skin.vertex_count, 800, 200);
    assert_int_equal(skin.vertex_count - skin.triangle_count / 2, 2);
    CHECK_NEAR(volume_of(skin.triangle_count, (const int(*)[3])skin.triangles, skin.points), UNION, 0.1 * UNION);
    for (int v = 0; v < skin.vertex_count; v++) // near the boxes' own skin
        if (!(fabsf(depth(skin.points[v])) < 0.06f))
            fail_msg("vertex %d lies %g from the boxes", v, (double)fabsf(depth(skin.points[v])));
    pelti_character_destroy(cut.who);
}

static void a_piece_that_is_squashed_leans_on_blending_as_far_as_its_volume_asks(void **state)
{
    (void)state;
    Boxes *b = new_boxes();
    for (int i = 0; i < 3; i++)
        add_box(b, vec3((float)(2 * i), 0, 0), vec3((float)(2 * i + 1), 1, 1));
    PeltiCharacter *who = character_of(b, 2);
    const PeltiMesh *mesh = who->mesh;
    PeltiLeanVolume volume;
    PeltError err;
    bool rigid[3] = {0};
    int third = -1;
    Vec3 *own = calloc((size_t)mesh->vertex_count, sizeof *own);
    float *share = calloc((size_t)mesh->vertex_count, sizeof *share);
    for (int v = 0; v < mesh->vertex_count; v++) {
        Vec3 p = mesh->rest[v];
        third = p.x > 3.5f ? mesh->component[v] : third;
        own[v] = vec3(p.x, p.y,
                      p.x > 1.5f && p.x < 3.5f ? (1 - 0.5f * (float)LEAN_VOLUME_KEPT) * p.z : 0.5f * p.z); // the second hardly
        share[v] = 1;
    }
    rigid[third] = true;
    assert_int_equal(pelti_lean_volume_create(mesh, rigid, &who->pool, &volume, &err), PELT_OK);
    PeltiLeanShape shape = {mesh->rest, own, share};
    pelti_lean_volume_restart(&volume, mesh->rest, mesh->rest, NULL);
    pelti_lean_volume_find(&volume, &shape, (PeltiLeanChanged){NULL, 0}, NULL);
    assert_int_equal(volume.worse, 1);
    for (int v = 0; v < mesh->vertex_count; v++) { // a share f leaves 1 - f / 2 of the first's volume
        double low = volume.low[mesh->component[v]];
        if (mesh->rest[v].x < 1.5f && !(low <= 2 * LEAN_VOLUME_KEPT + 1e-6 && low > 2 * LEAN_VOLUME_KEPT - 0.02))
            fail_msg("a share of %g of a box that loses half of its volume", low);
        else if (mesh->rest[v].x > 1.5f)
            CHECK_NEAR(low, 1, 0);
    }
    free(own);
    free(share);
    pelti_character_destroy(who);
}

static void a_joint_is_tried_by_the_triangles_that_it_bends(void **state)
{
    (void)state;
    Boxes *b = new_boxes();
    add_box(b, vec3(0, -0.2f, -0.2f), vec3(3, 0.2f, 0.2f));
    PeltiCharacter *who = character_of(b, 3);
    PeltiWeights w = weights_along(who);
    PeltiTrialTree tree;
    PeltiTrialList list, few;
    PeltError err;
    assert_int_equal(pelti_trial_tree(who, &who->pool, &tree, &err), PELT_OK);
    assert_int_equal(pelti_trial_list(who, &w, 1 << 20, &who->pool, &list, &err), PELT_OK);
    assert_int_equal(pelti_trial_list(who, &w, 10, &who->pool, &few, &err), PELT_OK);
    for (int j = 0; j < 3; j++) {
        int expected = 0, next = list.start[j];
        for (int t = 0; t < who->mesh->triangle_count; t++) {
            float share[3], low = INFINITY, high = -INFINITY;
            for (int k = 0; k < 3; k++) {
                share[k] = pelti_trial_share(&tree, &w, who->mesh->triangles[t][k], j);
                low = fminf(low, share[k]), high = fmaxf(high, share[k]);
            }
            if (!(high >= TRIAL_RIGID && low <= 1 - TRIAL_RIGID))
                continue;
            expected++;
            assert_int_equal(list.samples[next].triangle, t);
            assert_int_equal(list.samples[next].joint, j);
            CHECK_NEAR(list.samples[next++].share[1], share[1], 1e-6);
        }
        assert_int_equal(list.start[j + 1] - list.start[j], expected);
        assert_int_equal(expected > 0, j > 0); // all of it hangs on the first joint
        assert_true(few.start[j + 1] - few.start[j] <= 10);
        assert_true(few.stride[j] * (few.start[j + 1] - few.start[j]) >= expected);
    }
    pelti_character_destroy(who);
}

/// By blending three deep pairs cross in one place, which share corners one after the other and of which rest explains one, and
/// none in another.
static void skin_crosses_too_much_only_where_blending_crosses_less(void **state)
{
    (void)state;
    enum { ANEW = PELTI_CROSSES_ANEW, SUNK = PELTI_CROSSES_SUNK, SHALLOW = PELTI_CROSSES_SHALLOW };
    PeltiCharacter *who = two_boxes();
    const PeltiMesh *mesh = who->mesh;
    int second = mesh->triangle_count / 2, here = mesh->triangles[0][0], there = mesh->triangles[100][0];
    const PeltiPair home[4] = {{0, second, ANEW}, {1, second, ANEW}, {1, second + 1, SUNK}, {0, second + 1, SHALLOW}};
    PeltiPair now[5] = {
        {0, second + 1, ANEW}, {2, second + 1, ANEW}, {2, second, SUNK}, {100, second + 100, ANEW}, {3, second + 1, SHALLOW}};
    PeltiLeanIslands islands;
    PeltError err;
    assert_true(pelti_triangles_share(mesh->triangles[0], mesh->triangles[1]));
    assert_true(pelti_triangles_share(mesh->triangles[1], mesh->triangles[2]));
    assert_int_equal(pelti_lean_islands_create(mesh, 10, &who->pool, &islands, &err), PELT_OK);
    pelti_lean_islands_begin(&islands, home, 4);
    assert_false(pelti_lean_islands_count(&islands, now, 3)); // others, but as many of each kind
    assert_true(pelti_lean_islands_count(&islands, now, 5));  // one elsewhere, and one here that is not deep
    assert_false(pelti_lean_islands_worse(&islands, here));
    assert_true(pelti_lean_islands_worse(&islands, there));
    now[2].tag = ANEW; // as many, but rest explains none
    assert_true(pelti_lean_islands_count(&islands, now, 3));
    assert_true(pelti_lean_islands_worse(&islands, here));
    now[1].tag = now[2].tag = now[4].tag = SUNK; // fewer that rest does not explain, but more
    pelti_lean_islands_count(&islands, now, 5);
    assert_true(pelti_lean_islands_worse(&islands, here));
    now[4].tag = SHALLOW;
    pelti_lean_islands_count(&islands, now, 5);
    assert_false(pelti_lean_islands_worse(&islands, here));
    pelti_lean_islands_begin(&islands, home, 0); // another step, in which blending crosses nowhere
    assert_true(pelti_lean_islands_count(&islands, now, 1));
    pelti_character_destroy(who);
}

/// A piece that the method keeps better than blending may not lose by parting what blending keeps.
static void a_volume_is_worse_only_beyond_that_by_blending(void **state)
{
    (void)state;
    assert_true(pelti_lean_volume_harm(.98, .895) == 0); // nearer to 1
    assert_true(pelti_lean_volume_harm(1.1, .895) == 0);
    assert_float_equal(pelti_lean_volume_harm(.838, .895), .057, 1e-6);
    assert_float_equal(pelti_lean_volume_harm(1.2, .895), .305, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_inside_where_a_box_is),
        cmocka_unit_test(refused_memory_is_told),
        cmocka_unit_test(the_surface_is_one_closed_skin_around_the_boxes),
        cmocka_unit_test(a_piece_that_is_squashed_leans_on_blending_as_far_as_its_volume_asks),
        cmocka_unit_test(skin_crosses_too_much_only_where_blending_crosses_less),
        cmocka_unit_test(a_volume_is_worse_only_beyond_that_by_blending),
        cmocka_unit_test(a_joint_is_tried_by_the_triangles_that_it_bends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
