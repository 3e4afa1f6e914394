/// What passes through is parted: two plates that sag into each other.
#include "boxes.h"

#include "body/constants.def"
#include "body/parted.h"
#include "geometry/triangles.h"

#include <math.h>

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

/// The plates, sunk into each other in `x`, which the caller frees. All bones are at rest.
static PeltiCharacter *sunk_plates(PeltiWeights *w, Vec3 **x)
{
    PeltiCharacter *who = two_plates();
    *w = weights_along(who);
    *x = copy_points(who->mesh->rest, who->mesh->vertex_count);
    sag(who->mesh, 0.07f, *x);
    return who;
}

static int part(PeltiParted *parted, bool first, Vec3 *x)
{
    const Mat34 bones[3] = {mat34_identity(), mat34_identity(), mat34_identity()};
    return pelti_parted_apply(parted, bones, first, NULL, x);
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

static void what_passes_through_is_parted_and_comes_back(void **state)
{
    (void)state;
    PeltiWeights w;
    Vec3 *x;
    PeltiCharacter *who = sunk_plates(&w, &x);
    const PeltiMesh *mesh = who->mesh;
    PeltiParted *parted = parted_of(who, &w);
    assert_true(count_crossing(mesh, x) > 10);
    assert_true(part(parted, true, x) > 0);
    assert_int_equal(count_crossing(mesh, x), 0);
    for (int v = 0; v < mesh->vertex_count; v++) // only there, and by no more than is needed
        if (mesh->rest[v].x < 0.3f)
            CHECK_NEAR(x[v].z, mesh->rest[v].z, 1e-3f);
        else
            assert_true(fabsf(x[v].z - mesh->rest[v].z) < 0.07f);
    int frames = 0;
    sag(mesh, 0.02f, x);
    for (; frames < 100 && part(parted, false, x) > 0; frames++) {
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
    PeltiWeights w;
    Vec3 *x;
    PeltiCharacter *who = sunk_plates(&w, &x);
    const PeltiMesh *mesh = who->mesh;
    PeltiParted *parted = parted_of(who, &w);
    int moved = 0;
    double most = 0;
    for (int step = 0; step < 8; step++) {
        sag(mesh, 0.08f + 0.04f * (float)step, x);
        moved += part(parted, step == 0, x) > 0;
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
    PeltiWeights w;
    Vec3 *x;
    PeltiCharacter *who = sunk_plates(&w, &x);
    const PeltiMesh *mesh = who->mesh;
    float *weight = (float *)w.weight; // the lower plate hangs on one bone
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < w.influences && mesh->rest[v].z < 0.42f; k++) {
            ((int *)w.bone)[v * w.influences + k] = 0;
            weight[v * w.influences + k] = k == 0;
        }
    PeltiParted *parted = parted_of(who, &w);
    assert_true(part(parted, true, x) > 0);
    assert_int_equal(count_crossing(mesh, x), 0);
    for (int v = 0; v < mesh->vertex_count; v++)
        if (mesh->rest[v].z < 0.42f)
            assert_memory_equal(&x[v], &mesh->rest[v], sizeof(Vec3));
    free(x);
    pelti_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_passes_through_is_parted_and_comes_back),
        cmocka_unit_test(parting_squeezes_no_piece),
        cmocka_unit_test(a_rigid_side_is_not_parted_from_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
