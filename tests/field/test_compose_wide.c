/// Eight points at a time give what each point gives alone, bit for bit, whatever reaches them.
#include "check.h"

#include "builtin/builtin.h"
#include "character/weights.h"
#include "field/compose_inner.h"
#include "field/rig.h"

#include <string.h>

enum { MOST = 37 };

typedef struct Posed {
    PeltiPool pool;
    PeltiCharacter *who;
    PeltiFields *fields;
    PeltiFieldFrame frame;
    PeltiRigFields rig;
    Mat34 *parts;
    unsigned seed;
} Posed;

static float draw(Posed *p) ///< 0 to 1
{
    p->seed = p->seed * 1664525u + 1013904223u;
    return (float)(p->seed >> 8) * 0x1p-24f;
}

/// Every bone turns about an axis of its own against its parent, by at most `most` radians.
static void pose_all(Posed *p, float most)
{
    Mat34 *bones = PELTI_NEW(&p->pool, Mat34, p->who->bone_count);
    PeltiJoint *joints = PELTI_NEW(&p->pool, PeltiJoint, p->who->bone_count);
    p->parts = PELTI_NEW(&p->pool, Mat34, p->fields->part_count);
    for (int b = 0; b < p->who->bone_count; b++) {
        Vec3 axis = vec3_normalize_or(vec3(draw(p) - 0.5f, draw(p) - 0.5f, draw(p) - 0.5f), vec3(1, 0, 0));
        Vec3 head = p->who->bones[b].head;
        joints[b] = (PeltiJoint){quat_axis_angle(axis, most * draw(p)), head, mat3_identity()};
        Mat3 r = quat_to_mat3(joints[b].turn);
        Mat34 own = mat34_from(r, vec3_sub(head, mat3_apply(r, head)));
        int parent = p->who->bones[b].parent;
        bones[b] = parent < 0 ? own : mat34_mul(bones[parent], own);
    }
    pelti_rig_matrices(&p->rig, p->fields, &(PeltiRigPose){bones, joints}, p->parts);
    pelti_frame_set(&p->frame, p->parts);
}

static Posed pose(const char *name, const PeltRig *rig)
{
    Posed p = {.seed = 7};
    PeltiBuiltinOptions make = {.vertices = 1500};
    PeltiWeights weights;
    PeltiFieldOptions options = pelti_field_options_default();
    options.most_nodes = 6000; // quick to build
    pelti_pool_init(&p.pool, NULL);
    assert_int_equal(pelti_builtin_make(name, &make, NULL, NULL, &p.who, NULL), PELT_OK);
    assert_int_equal(pelti_weights_from_file(p.who, &p.pool, &weights, NULL), PELT_OK);
    assert_int_equal(pelti_rig_fields(&p.pool, p.who, &(PeltiArtist){.rig = rig}, &options, &p.rig, NULL), PELT_OK);
    assert_int_equal(pelti_fields_build(&p.pool, p.who, &weights, &options, &p.fields, NULL), PELT_OK);
    PeltiArena arena = {0};
    pelti_frame_in(&arena, p.fields, &p.frame);
    arena.base = pelti_pool_take(&p.pool, arena.used, 1);
    arena.used = 0;
    pelti_frame_in(&arena, p.fields, &p.frame);
    p.frame.fields = p.fields;
    return p;
}

static void stop(Posed *p)
{
    pelti_pool_release(&p->pool);
    pelti_character_destroy(p->who);
}

/// Points near the skin as its parts carry it, so that fields reach them in all numbers; most of them know their owner.
static PeltiFieldPoint any_point(Posed *p)
{
    const PeltiMesh *mesh = p->who->mesh;
    int v = (int)(draw(p) * (float)mesh->vertex_count), own = p->fields->vertex_part[v];
    float wide = 0.03f * mesh->diagonal;
    Vec3 x = own < 0 ? mesh->rest[v] : mat34_apply(p->parts[own], mesh->rest[v]);
    x = vec3_add(x, vec3(wide * (draw(p) - 0.5f), wide * (draw(p) - 0.5f), wide * (draw(p) - 0.5f)));
    if (draw(p) < 0.2f)
        own = (int)(draw(p) * (float)(p->fields->part_count + 1)) - 1;
    return (PeltiFieldPoint){x, draw(p) < 0.5f ? -1 : (int)(1.5f * draw(p)), own, draw(p) < 0.3f ? 0 : 0.5f + draw(p)};
}

/// Returns how many fields were in contact: a test that sees none tests little.
static int compare_points(Posed *p, int rounds)
{
    int contacts = 0;
    for (int r = 0; r < rounds; r++) {
        PeltiFieldPoint points[MOST];
        PeltiFieldSample many[MOST], one;
        int count = 1 + r % MOST;
        PeltiFieldPoint near = any_point(p);
        for (int k = 0; k < count; k++) { // half of the batches are neighbours, as on a mesh
            points[k] = any_point(p);
            if (r & 1) {
                Vec3 off = vec3_scale(vec3(draw(p), draw(p), draw(p)), 0.02f * p->who->mesh->diagonal);
                points[k].x = vec3_add(near.x, off);
            }
        }
        if (count > 20)
            points[3].x = vec3(NAN, 0, 0), points[4].x = vec3(1e9f, 0, 0);
        pelti_frame_eval_many(&p->frame, count, points, many);
        for (int k = 0; k < count; k++) {
            pelti_frame_eval_one(&p->frame, &points[k], &one);
            assert_memory_equal(&one, &many[k], sizeof one);
            contacts += one.other_part >= 0;
        }
        float value[MOST], f;
        Vec3 gradient[MOST], g;
        pelti_frame_max_many(&p->frame, count, points, value, gradient);
        for (int k = 0; k < count; k++) {
            pelti_frame_max(&p->frame, points[k].skeleton, points[k].x, &f, &g);
            assert_true(f == value[k] && !memcmp(&g, &gradient[k], sizeof g));
        }
    }
    return contacts;
}

static void a_fist_agrees_to_the_bit(void **state)
{
    (void)state;
    int contacts = 0;
    Posed p = pose("hand", NULL);
    p.fields->parts[1].skeleton = 1; // as if it were another character's
    for (int k = 0; k < 4; k++) {
        pose_all(&p, 0.5f * (float)k);
        contacts += compare_points(&p, TEST_WORK(150, 50));
    }
    assert_true(contacts > TEST_WORK(100, 30));
    stop(&p);
}

static void muscles_and_bulges_agree_to_the_bit(void **state)
{
    (void)state;
    const PeltRigMuscle biceps = {.name = "biceps",
                                  .from = {.bone = "UpperArm", .along = 0.2f, .offset = {0, 0, 0.02f}},
                                  .to = {.bone = "UpperArm", .along = 0.85f, .offset = {0, 0, 0.02f}},
                                  .radius = 0.03f,
                                  .driver = "Forearm",
                                  .angles_deg = {10, 130},
                                  .swell = 1.5f};
    const PeltRigJoint joint = {.joint = "Forearm", .operator_name = "bulge"};
    const PeltRig rig = {.muscle_count = 1, .muscles = &biceps, .joint_count = 1, .joints = &joint};
    Posed p = pose("arm", &rig);
    for (int k = 0; k < 4; k++) {
        pose_all(&p, 0.7f * (float)k);
        compare_points(&p, TEST_WORK(100, 40));
    }
    p.fields->parts[p.fields->skin_part_count].target = -1; // in no flesh
    assert_true(compare_points(&p, 100) > 20);
    stop(&p);
}

static void without_an_index_they_agree_as_well(void **state)
{
    (void)state;
    Posed p = pose("arm", NULL);
    pose_all(&p, 1);
    p.frame.indexed = false;
    compare_points(&p, 60);
    stop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_fist_agrees_to_the_bit),
                                       cmocka_unit_test(muscles_and_bulges_agree_to_the_bit),
                                       cmocka_unit_test(without_an_index_they_agree_as_well)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
