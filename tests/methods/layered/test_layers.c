/// Layers lie where they are asked to, inside their part, and a rig or paint changes only what it names.
#include "tube.h"

/// Depth of a layer below the skin over the distance from the skin to the axis, at a slot.
static float depth_share(const PeltiFlesh *flesh, int slot, int layer)
{
    Vec3 p = flesh->mesh->rest[flesh->paths.vertex[slot]],
         q = vec3_add(pelti_flesh_lane(flesh->match.rest, slot, layer), flesh->rest.centre);
    return vec3_distance(p, q) / sqrtf(p.y * p.y + p.z * p.z);
}

static bool beside(const PeltiFlesh *flesh, int slot, float low, float high)
{
    float x = flesh->mesh->rest[flesh->paths.vertex[slot]].x;
    return x > low && x < high;
}

static void layers_lie_where_they_are_asked_to(void **state)
{
    (void)state;
    Tube tube;
    const char *options[] = {"fat", "0.2", "muscle", "0.5", "bone", "0.75", NULL};
    const float expected[PELTI_LAYERS] = {0, 0.2f, 0.5f, 0.75f};
    tube_make(&tube, 3, NULL, NULL, options);
    double sum = 0;
    for (int s = 0; s < tube.flesh->n; s++)
        for (int l = 0; l < PELTI_LAYERS; l++) {
            float m = tube.flesh->match.mass[s * PELTI_LAYERS + l];
            assert_true(m > 0 && m <= 20);
            sum += (double)m;
            if (beside(tube.flesh, s, 0.2f, 3.8f))
                CHECK_NEAR(depth_share(tube.flesh, s, l), expected[l], 0.02);
        }
    CHECK_NEAR(sum / (tube.flesh->n * PELTI_LAYERS), 1, 0.1);
    // m = A h: in the middle the skin's share of height is half the way to the fat, the fat's half the way to both sides
    for (int s = 0; s < tube.flesh->n; s++)
        if (beside(tube.flesh, s, 1.8f, 2.2f)) {
            const float *m = &tube.flesh->match.mass[s * PELTI_LAYERS];
            CHECK_NEAR(m[1] / m[0], (0.5f / 0.2f) * 0.8f, 0.05); // heights 0.1 and 0.25, areas 1 and 0.8 (a thinner tube)
        }
    tube_release(&tube);
}

static void a_rig_changes_the_flesh_of_one_bone(void **state)
{
    (void)state;
    PeltRigJoint joint = {.joint = "bone1",
                          .joint_stiffness = -1,
                          .firmness = -1,
                          .projection = {0.3f, 0.6f, 0.9f},
                          .layer_stiffness = {0.1f, -1, -1, -1},
                          .layer_density = {-1, -1, -1, -1}};
    PeltRig rig = {.joint_count = 1, .joints = &joint};
    Tube tube;
    tube_rig = &rig;
    tube_make(&tube, 3, NULL, NULL, NULL);
    tube_rig = NULL;
    int inside = 0, outside = 0;
    for (int s = 0; s < tube.flesh->n; s++) {
        float stiffness = tube.flesh->match.stiffness[s * PELTI_LAYERS];
        if (beside(tube.flesh, s, 1.95f, 2.05f)) { // the middle of bone1, which keeps some weight of its neighbours
            assert_true(depth_share(tube.flesh, s, PELTI_LAYER_FAT) > 0.25f && stiffness < 0.2f);
            inside++;
        }
        if (beside(tube.flesh, s, 0.05f, 0.2f)) {
            CHECK_NEAR(depth_share(tube.flesh, s, PELTI_LAYER_FAT), 0.15, 0.02);
            assert_true(stiffness > 0.3f);
            outside++;
        }
    }
    assert_true(inside > 0 && outside > 0);
    tube_release(&tube);
}

/// Half of the tube's points are painted: only their flesh changes, whatever their bones are.
static void paint_changes_the_flesh_of_its_points_alone(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 3, NULL, NULL, NULL);
    int count = tube.who->point_count, painted = 0;
    int *points = calloc((size_t)count, sizeof *points);
    float *fat = calloc((size_t)count, sizeof *fat), *firm = calloc((size_t)count, sizeof *firm), usual[PELTI_LAYERS];
    memcpy(usual, tube.flesh->match.stiffness, sizeof usual);
    for (int p = 0; p < count; p++)
        if (tube.who->mesh->rest[tube.who->mesh->weld[p]].y > 0) {
            points[painted] = p;
            fat[painted] = 0.6f;
            firm[painted++] = 0.1f;
        }
    tube_release(&tube);
    PeltRigPainted paints[] = {{PELT_PAINT_FAT, painted, points, fat}, {PELT_PAINT_FIRMNESS, painted, points, firm}};
    PeltRig rig = {.painted_count = 2, .painted = paints};
    tube_rig = &rig;
    tube_make(&tube, 3, NULL, NULL, NULL);
    tube_rig = NULL;
    int seen[2] = {0};
    for (int s = 0; s < tube.flesh->n; s++) {
        if (!beside(tube.flesh, s, 0.2f, 3.8f))
            continue;
        bool over = tube.flesh->mesh->rest[tube.flesh->paths.vertex[s]].y > 0;
        // skin 0.15, fat 0.6, muscle 0.35 are more than the way: thinned to 0.98 together
        CHECK_NEAR(depth_share(tube.flesh, s, PELTI_LAYER_FAT), over ? 0.15 * 0.98 / 1.1 : 0.15, 0.02);
        CHECK_NEAR(depth_share(tube.flesh, s, PELTI_LAYER_FAT + 1), over ? 0.75 * 0.98 / 1.1 : 0.45, 0.02);
        float stiffness = tube.flesh->match.stiffness[s * PELTI_LAYERS];
        assert_true(over ? stiffness < 0.5f * usual[0] : fabsf(stiffness - usual[0]) < 1e-5f);
        seen[over]++;
    }
    assert_true(seen[0] > 20 && seen[1] > 20);
    tube_release(&tube);
    free(points);
    free(fat);
    free(firm);
}

static void a_rig_joins_bones_to_one_volume(void **state)
{
    (void)state;
    const char *bones[] = {"bone0", "bone1", "nobody"};
    PeltRigVolume volume = {.name = "upper", .bone_count = 3, .bones = bones, .cut = 0.4f};
    PeltRig rig = {.volume_count = 1, .volumes = &volume};
    Tube plain, joined;
    tube_make(&plain, 4, NULL, NULL, NULL);
    tube_rig = &rig;
    tube_make(&joined, 4, NULL, NULL, NULL);
    tube_rig = NULL;
    assert_int_equal(joined.flesh->volume.part_count, plain.flesh->volume.part_count - 1);
    assert_int_equal(pelti_log_count(&joined.log), 1); // "nobody"
    double most = 0, largest = 0;
    for (int p = 0; p < joined.flesh->volume.part_count; p++)
        most = fmax(most, joined.flesh->volume.parts[p].rest_volume);
    for (int p = 0; p < plain.flesh->volume.part_count; p++)
        largest = fmax(largest, plain.flesh->volume.parts[p].rest_volume);
    assert_true(most > 2.2 * largest); // two bones and 0.4 of the third
    tube_release(&plain);
    tube_release(&joined);
}

static void joints_keep_their_distance(void **state)
{
    (void)state;
    Tube tube;
    tube_make(&tube, 2, NULL, NULL, NULL);
    PeltiFlesh *flesh = tube.flesh;
    int held = 0;
    for (int s = 0; s < flesh->n; s++) {
        if (flesh->hold.joint[s] < 0)
            continue;
        Vec3 p = flesh->mesh->rest[flesh->paths.vertex[s]], joint = flesh->skeleton.head[flesh->hold.joint[s]];
        assert_true(fabsf(p.x - 2) < 0.45f); // beside the joint at x = 2
        float least = flesh->hold.joint_least[s * PELTI_LAYERS];
        CHECK_NEAR(least, 0.9f * vec3_distance(p, vec3(2, 0, 0)), 1e-4);
        Vec3 x = pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN);
        flesh->hold.pull[s * PELTI_LAYERS] = 0; // the skin itself does not hang on the bone
        pelti_flesh_set_lane(flesh->match.x, s, PELTI_LAYER_SKIN, vec3_lerp(joint, x, 0.5f)); // too near
        pelti_layered_couple_hold(flesh, s, s + 1);
        CHECK_NEAR(vec3_distance(pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN), joint), least, 1e-4);
        pelti_flesh_set_lane(flesh->match.x, s, PELTI_LAYER_SKIN, vec3_lerp(joint, x, 2)); // farther is free
        pelti_layered_couple_hold(flesh, s, s + 1);
        CHECK_NEAR(vec3_distance(pelti_flesh_lane(flesh->match.x, s, PELTI_LAYER_SKIN), joint), 2 * vec3_distance(x, joint),
                   1e-4);
        held++;
    }
    assert_true(held >= AROUND);
    tube_release(&tube);
}

/// Bones that run beside the skin, outside of it or near one side, as in an ear or a hand whose fingers share one bone.
static void layers_stay_inside_the_part(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        Tube tube;
        tube_aside = vec3(0, i ? 0.4f : 0.9f, 0);
        tube_make(&tube, 3, NULL, NULL, NULL);
        Vec3 axis = tube_aside;
        tube_aside = vec3(0, 0, 0);
        for (int s = 0; s < tube.flesh->n; s++)
            for (int l = 1; l < PELTI_LAYERS && beside(tube.flesh, s, 0.1f, 3.9f); l++) {
                Vec3 x = vec3_sub(vec3_add(pelti_flesh_lane(tube.flesh->match.rest, s, l), tube.flesh->rest.centre), axis);
                assert_true(sqrtf(x.y * x.y + x.z * x.z) < 0.48f); // of a radius of 0.5, less what 16 corners cut off
            }
        tube_release(&tube);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_lie_where_they_are_asked_to),
        cmocka_unit_test(a_rig_changes_the_flesh_of_one_bone),
        cmocka_unit_test(paint_changes_the_flesh_of_its_points_alone),
        cmocka_unit_test(a_rig_joins_bones_to_one_volume),
        cmocka_unit_test(joints_keep_their_distance),
        cmocka_unit_test(layers_stay_inside_the_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
