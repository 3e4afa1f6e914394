/// Implicit skinning on built-in characters: rest, rigid motion, projection of a bent elbow, stops in a fold, determinism.
#include "check.h"
#include "stats.h"

#include "builtin/builtin.h"
#include "character/weights.h"
#include "methods/implicit/implicit.h"

#include <string.h>

extern const PeltiMethod pelti_method_implicit;

enum { BONES = 64 };
typedef struct Rig {
    PeltiCharacter *who;
    PeltiWeights weights;
    PeltiJobs *jobs;
    Implicit *state;
    Mat34 bones[BONES];
    Vec3 *points;
} Rig;

static Rig start(const char *name, int vertices, int threads)
{
    Rig rig = {0};
    PeltiBuiltinOptions make = {.vertices = vertices};
    static PeltiOptions options;
    PeltError err = {0};
    void *state = NULL;
    assert_int_equal(pelti_builtin_make(name, &make, NULL, NULL, &rig.who, NULL), PELT_OK);
    assert_int_equal(pelti_weights_from_file(rig.who, &rig.who->pool, &rig.weights, NULL), PELT_OK);
    rig.jobs = pelti_jobs_create(threads);
    pelti_options_init(&options, pelti_method_implicit.options);
    PeltiMethodPrepare in = {.who = rig.who, .options = &options, .weights = &rig.weights, .jobs = rig.jobs};
    if (pelti_method_implicit.prepare(&in, &state, &err) != PELT_OK)
        fail_msg("%s", err.text);
    rig.state = state;
    rig.points = PELTI_NEW(&rig.who->pool, Vec3, rig.who->point_count);
    for (int b = 0; b < rig.who->bone_count; b++)
        rig.bones[b] = mat34_identity();
    return rig;
}

static void stop(Rig *rig)
{
    pelti_method_implicit.destroy(rig->state);
    pelti_jobs_destroy(rig->jobs);
    pelti_character_destroy(rig->who);
}

static PeltiStepReport step(Rig *rig)
{
    PeltiStepReport report = {0};
    PeltiStepInput in = {.bones = rig->bones, .dt_s = 1.0f / 30};
    pelti_method_implicit.step(rig->state, &in, rig->points, &report);
    return report;
}

/// Turns the last part that owns skin about its head.
static void bend(Rig *rig, float angle)
{
    const PeltiFields *f = rig->state->fields;
    int bone = f->parts[f->skin_part_count - 1].bone;
    Vec3 head = rig->who->bones[bone].head, axis = vec3_orthogonal(f->parts[f->skin_part_count - 1].axis);
    Mat3 r = quat_to_mat3(quat_axis_angle(axis, angle));
    for (int b = 0; b < rig->who->bone_count; b++) {
        bool below = false;
        for (int p = b; p >= 0; p = rig->who->bones[p].parent)
            below = below || p == bone;
        rig->bones[b] = below ? mat34_from(r, vec3_sub(head, mat3_apply(r, head))) : mat34_identity();
    }
}

static double farthest(const Rig *rig, const Vec3 *other)
{
    double most = 0;
    for (int p = 0; p < rig->who->point_count; p++)
        most = fmax(most, (double)vec3_distance(rig->points[p], other[p]));
    return most / (double)rig->who->mesh->diagonal;
}

static void rest_pose_returns_rest(void **state)
{
    (void)state;
    Rig rig = start("arm", 1500, 1);
    PeltiStepReport report = step(&rig);
    CHECK_NEAR(farthest(&rig, rig.who->rest_points), 0, 1e-5);
    assert_int_equal((int)test_stat(&report.told, "stopped_vertices"), 0);
    assert_true(test_stat(&report.told, "unprojected_vertices") < 0.1 * rig.who->mesh->vertex_count);
    stop(&rig);
}

static void rigid_motion_carries_the_skin(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1200, 1);
    Vec3 *want = PELTI_NEW(&rig.who->pool, Vec3, rig.who->point_count);
    bend(&rig, 1.2f);
    step(&rig);
    Mat34 carry = mat34_from(quat_to_mat3(quat_axis_angle(vec3(0, 0.6f, 0.8f), 2)), vec3(1, -2, 3));
    for (int p = 0; p < rig.who->point_count; p++)
        want[p] = mat34_apply(carry, rig.points[p]);
    for (int b = 0; b < rig.who->bone_count; b++)
        rig.bones[b] = mat34_mul(carry, rig.bones[b]);
    step(&rig);
    CHECK_NEAR(farthest(&rig, want), 0, 3e-4);
    stop(&rig);
}

/// |f - iso| of what took part and met nothing, worst and mean, at the positions given.
static void residuals(const Rig *rig, double *worst, double *mean)
{
    const Implicit *m = rig->state;
    int count = 0;
    *worst = *mean = 0;
    for (int v = 0; v < m->mesh->vertex_count; v++) {
        float value;
        Vec3 gradient;
        if (!m->rest.projected[v] || m->now.state[v] == IMPLICIT_VERTEX_STOPPED)
            continue;
        pelti_implicit_field(m, -1, rig->points[m->mesh->first_point[v]], &value, &gradient);
        double off = fabs((double)value - (double)m->rest.iso[v]);
        *worst = fmax(*worst, off);
        *mean += off;
        count++;
    }
    *mean /= count;
}

static void a_bent_elbow_is_pulled_to_its_iso_surface(void **state)
{
    (void)state;
    Rig rig = start("arm", 1500, 1);
    double worst, mean, dqs_worst, dqs_mean;
    bend(&rig, 1.2f);
    step(&rig);
    residuals(&rig, &worst, &mean);
    PeltiStepInput in = {.bones = rig.bones};
    rig.state->dqs->step(rig.state->dqs_state, &in, rig.points, NULL);
    residuals(&rig, &dqs_worst, &dqs_mean);
    assert_true(dqs_worst > 0.05); // dqs alone bulges and pinches
    assert_true(mean < 0.2 * dqs_mean);
    stop(&rig);
}

static void vertices_stop_where_the_fold_meets(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1500, 1);
    const Implicit *m = rig.state;
    bend(&rig, 0.5f);
    PeltiStepReport open = step(&rig);
    bend(&rig, 2.3f);
    PeltiStepReport folded = step(&rig);
    assert_true(test_stat(&folded.told, "stopped_vertices") > 10);
    assert_true(test_stat(&folded.told, "stopped_vertices") > 4 * test_stat(&open.told, "stopped_vertices"));
    int deep = 0, count = 0;
    for (int v = 0; v < m->mesh->vertex_count; v++) { // a stop is inside or at the surface, never out in the air
        float value;
        Vec3 gradient;
        if (m->now.state[v] != IMPLICIT_VERTEX_STOPPED)
            continue;
        pelti_implicit_field(m, -1, rig.points[m->mesh->first_point[v]], &value, &gradient);
        deep += value > 0.4f;
        count++;
    }
    assert_true(deep > 0.9 * count);
    stop(&rig);
}

static void a_frame_does_not_depend_on_what_came_before_nor_on_threads(void **state)
{
    (void)state;
    Rig one = start("arm", 1500, 1), three = start("arm", 1500, 3);
    bend(&one, 2.0f);
    step(&one);
    bend(&one, 1.0f);
    step(&one);
    bend(&three, 1.0f);
    step(&three);
    assert_memory_equal(one.points, three.points, sizeof(Vec3) * (size_t)one.who->point_count);
    stop(&one);
    stop(&three);
}

static void no_vertex_is_thrown_out_of_a_deep_fold(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1500, 1);
    Vec3 *dqs = PELTI_NEW(&rig.who->pool, Vec3, rig.who->point_count);
    bend(&rig, 2.8f);
    PeltiStepInput in = {.bones = rig.bones};
    rig.state->dqs->step(rig.state->dqs_state, &in, dqs, NULL);
    step(&rig);
    assert_true(farthest(&rig, dqs) < 0.25); // wrong sides there are, spikes not
    stop(&rig);
}

static void weights_of_the_start_can_be_varied(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1200, 1);
    int shared[3] = {0}, n = rig.who->mesh->vertex_count;
    const char *kinds[3] = {"rigid", "smooth", "smoother"};
    for (int k = 0; k < 3; k++) {
        PeltiWeights w;
        assert_int_equal(pelti_implicit_weights(rig.state, &rig.weights, kinds[k], &w, NULL), PELT_OK);
        for (int v = 0; v < n; v++) {
            float sum = 0;
            for (int i = 0; i < w.influences; i++)
                sum += w.weight[(size_t)v * (size_t)w.influences + (size_t)i];
            CHECK_NEAR(sum, 1, 1e-5);
            shared[k] += w.weight[(size_t)v * (size_t)w.influences] < 0.999f;
        }
    }
    assert_int_equal(shared[0], 0);
    assert_true(shared[1] > 0 && shared[2] > shared[1]);
    stop(&rig);
}

/// Mean value coordinates reproduce a vertex from its neighbours, seen along its normal.
static void coordinates_reproduce_the_rest_pose(void **state)
{
    (void)state;
    Rig rig = start("cylinder", 1200, 1);
    const PeltiMesh *mesh = rig.state->mesh;
    Vec3 *normals = PELTI_NEW(&rig.who->pool, Vec3, mesh->vertex_count);
    int tried = 0;
    pelti_mesh_normals(mesh, mesh->rest, normals);
    for (int v = 0; v < mesh->vertex_count; v++) {
        Vec3 sum = {0, 0, 0};
        float share = 0;
        for (int e = mesh->ring_start[v]; e < mesh->ring_start[v + 1]; e++) {
            sum = vec3_mad(sum, vec3_sub(mesh->rest[mesh->ring[e]], mesh->rest[v]), rig.state->rest.ring_share[e]);
            share += rig.state->rest.ring_share[e];
        }
        if (share == 0)
            continue;
        tried++;
        CHECK_NEAR(share, 1, 1e-5);
        sum = vec3_mad(sum, normals[v], -vec3_dot(sum, normals[v]));
        CHECK_NEAR(vec3_length(sum) / mesh->diagonal, 0, 1e-6);
    }
    assert_true(tried > mesh->vertex_count / 2);
    stop(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_pose_returns_rest),
        cmocka_unit_test(rigid_motion_carries_the_skin),
        cmocka_unit_test(a_bent_elbow_is_pulled_to_its_iso_surface),
        cmocka_unit_test(vertices_stop_where_the_fold_meets),
        cmocka_unit_test(a_frame_does_not_depend_on_what_came_before_nor_on_threads),
        cmocka_unit_test(no_vertex_is_thrown_out_of_a_deep_fold),
        cmocka_unit_test(weights_of_the_start_can_be_varied),
        cmocka_unit_test(coordinates_reproduce_the_rest_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
