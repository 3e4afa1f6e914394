/// Which bones carry a field, which skin each owns, and what a field is fitted to.
#include "chain.h"

#include "field/part.h"

static Vec3 p[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];

typedef struct Tube {
    PeltiCharacter *who;
    PeltiPool pool;
    PeltiWeights weights;
} Tube;

/// Three bones along a tube of radius 0.35; each vertex goes with the bone beside it.
static Tube start(void)
{
    Tube tube;
    int count = make_tube(3, 0.35f, p, t, 0), points = TUBE_POINTS;
    tube.who = make_chain(3, 0, 1, 1, &points, TUBE_POINTS, p, count, (const int(*)[3])t);
    pelti_pool_init(&tube.pool, NULL);
    assert_int_equal(pelti_weights_rigid(tube.who, &tube.pool, &tube.weights, NULL), PELT_OK);
    return tube;
}

static void stop(Tube *tube)
{
    pelti_character_destroy(tube->who);
    pelti_pool_release(&tube->pool);
}

static void check_owners(const Tube *tube, const PeltiPartition *parts)
{
    int total = 0;
    for (int k = 0; k < parts->part_count; k++) {
        total += parts->part_size[k];
        assert_true(parts->part_parent[k] < k); // parents first in a chain
    }
    assert_int_equal(total, tube->who->mesh->vertex_count);
    for (int v = 0; v < tube->who->mesh->vertex_count; v++) {
        int bone = tube->weights.bone[v * tube->weights.influences];
        assert_int_equal(parts->vertex_part[v], parts->bone_part[bone]);
    }
}

static void every_bone_with_skin_is_a_part(void **state)
{
    (void)state;
    Tube tube = start();
    PeltiPartition parts;
    assert_int_equal(pelti_partition(&tube.pool, tube.who, &tube.weights, false, &parts, NULL), PELT_OK);
    assert_int_equal(parts.part_count, 3);
    check_owners(&tube, &parts);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(parts.part_bone[k], k);
        assert_int_equal(parts.part_parent[k], k - 1);
        assert_false(parts.small[k]);
    }
    stop(&tube);
}

/// A clip that turns the last bone alone: the middle one joins the first.
static void bones_that_no_clip_moves_join_their_parents(void **state)
{
    (void)state;
    Tube tube = start();
    static const float times[2] = {0, 1};
    float keys[2][4] = {{0, 0, 0, 1}, {0, 0, sinf(0.3f), cosf(0.3f)}};
    PeltiChannel channel = {2, PELTI_ROTATION, PELTI_LINEAR, 2, times, keys[0], 4, 0};
    PeltiClip clips[2] = {{"bend", 1, 1, &channel}, tube.who->clips[0]};
    tube.who->clips = clips;
    tube.who->clip_count = 1;
    PeltiPartition parts;
    assert_int_equal(pelti_partition(&tube.pool, tube.who, &tube.weights, true, &parts, NULL), PELT_OK);
    assert_int_equal(parts.part_count, 2);
    check_owners(&tube, &parts);
    assert_int_equal(parts.bone_part[1], parts.bone_part[0]);
    assert_int_equal(parts.part_bone[1], 2);
    keys[1][2] = 0.002f, keys[1][3] = 1; // less than half a degree is no bend
    assert_int_equal(pelti_partition(&tube.pool, tube.who, &tube.weights, true, &parts, NULL), PELT_OK);
    assert_int_equal(parts.part_count, 1);
    float places[2][3] = {{1, 0, 0}, {1.2f, 0, 0}}; // but a shift is
    channel = (PeltiChannel){2, PELTI_TRANSLATION, PELTI_LINEAR, 2, times, places[0], 3, 0};
    assert_int_equal(pelti_partition(&tube.pool, tube.who, &tube.weights, true, &parts, NULL), PELT_OK);
    assert_int_equal(parts.part_count, 2);
    stop(&tube);
}

/// Samples of the middle part: on the skin away from its joints, with a cap beyond each.
static void samples_are_skin_and_caps(void **state)
{
    (void)state;
    Tube tube = start();
    const PeltiMesh *mesh = tube.who->mesh;
    PeltiPartition parts;
    static PeltiPartSamples s;
    assert_int_equal(pelti_partition(&tube.pool, tube.who, &tube.weights, false, &parts, NULL), PELT_OK);
    Vec3 *normals = PELTI_NEW(&tube.pool, Vec3, mesh->vertex_count);
    pelti_mesh_normals(mesh, mesh->rest, normals);
    PeltiPartSkin skin = {tube.who, &parts, normals, 50};
    assert_int_equal(pelti_part_samples(&skin, 1, &s, NULL), PELT_OK);
    assert_false(s.capsule);
    int caps = 0;
    for (int k = 0; k < s.count; k++) {
        float around = sqrtf(s.point[k].y * s.point[k].y + s.point[k].z * s.point[k].z);
        if (around < 0.01f) {
            caps++;
            assert_true(s.point[k].x < 1 || s.point[k].x > 2);
            CHECK_NEAR(fabsf(s.normal[k].x), 1, 1e-5);
            continue;
        }
        CHECK_NEAR(around, 0.35, 1e-4);
        assert_true(s.point[k].x > 1 && s.point[k].x < 2);
        CHECK_NEAR(vec3_dot(s.normal[k], vec3(0, s.point[k].y / around, s.point[k].z / around)), 1, 1e-3);
    }
    assert_int_equal(caps, 2);
    assert_true(s.count > 20 && s.radius > 0.35f);
    CHECK_NEAR(fabsf(s.axis.x), 1, 1e-5);
    stop(&tube);
}

static void a_capsule_is_as_thick_everywhere(void **state)
{
    (void)state;
    static PeltiPartSamples s;
    Vec3 a = vec3(0, 1, 0), b = vec3(0, 3, 0);
    for (int sphere = 0; sphere < 2; sphere++) {
        Vec3 end = sphere ? a : b;
        pelti_part_capsule(a, end, 0.25f, &s);
        assert_true(s.capsule && s.count <= PELTI_PART_SAMPLES);
        for (int k = 0; k < s.count; k++) {
            Vec3 q = vec3(0, fminf(fmaxf(s.point[k].y, a.y), end.y), 0); // nearest of the segment
            CHECK_NEAR(vec3_distance(s.point[k], q), 0.25, 1e-5);
            CHECK_NEAR(vec3_distance(vec3_mad(q, s.normal[k], 0.25f), s.point[k]), 0, 1e-5);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bone_with_skin_is_a_part), cmocka_unit_test(bones_that_no_clip_moves_join_their_parents),
        cmocka_unit_test(samples_are_skin_and_caps), cmocka_unit_test(a_capsule_is_as_thick_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
