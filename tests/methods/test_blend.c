/// lbs and dqs against plain formulas in double, on a tube with random weights and random bones.
#include "chain.h"
#include "methods/method.h"

static Vec3 p[TUBE_POINTS];
static int t[TUBE_TRIANGLES][3];
enum { BONES = 5 };

static float random_unit(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 8) / (float)(1 << 24);
}

typedef struct Rig {
    PeltiCharacter *who;
    PeltiWeights weights;
    Mat34 bones[BONES];
} Rig;

static PeltiWeights random_weights(PeltiPool *pool, int count, int influences, uint32_t *seed)
{
    int *bone = PELTI_NEW(pool, int, count *influences);
    float *weight = PELTI_NEW(pool, float, count *influences);
    for (int i = 0; i < count; i++) {
        float sum = 0, value = 1;
        for (int k = 0; k < influences; k++) {
            bone[i * influences + k] = (i + k) % BONES;
            weight[i * influences + k] = value;
            sum += value;
            value *= random_unit(seed) > 0.1f ? random_unit(seed) : 0; // falling, some of them zero
        }
        for (int k = 0; k < influences; k++)
            weight[i * influences + k] /= sum;
    }
    return (PeltiWeights){influences, bone, weight};
}

static Mat34 random_rigid(uint32_t *seed)
{
    Vec3 axis = vec3(random_unit(seed) - 0.5f, random_unit(seed) - 0.5f, random_unit(seed) - 0.5f);
    Quat q = quat_axis_angle(vec3_normalize_or(axis, vec3(1, 0, 0)), 6 * random_unit(seed));
    return mat34_from(quat_to_mat3(q), vec3(random_unit(seed), random_unit(seed), random_unit(seed)));
}

static Rig make_rig(int influences)
{
    Rig rig;
    uint32_t seed = 7;
    int n = make_tube(4, 0.4f, p, t, 0), points[] = {TUBE_POINTS};
    rig.who = make_chain((ChainBones){BONES, 0, 0.7f}, 1, points, (ChainSkin){TUBE_POINTS, p, n, (const int(*)[3])t});
    rig.weights = random_weights(&rig.who->pool, rig.who->mesh->vertex_count, influences, &seed);
    for (int b = 0; b < BONES; b++)
        rig.bones[b] = random_rigid(&seed);
    return rig;
}

static void run(const Rig *rig, const char *name, int threads, const Mat34 *bones, Vec3 *out)
{
    const PeltiMethod *method = pelti_method_find(name);
    PeltiOptions options;
    PeltiJobs *jobs = pelti_jobs_create(threads);
    void *state = NULL;
    PeltError err;
    pelti_options_init(&options, method->options);
    PeltiMethodPrepare in = {.who = rig->who, .options = &options, .weights = &rig->weights, .jobs = jobs};
    assert_int_equal(method->prepare(&in, &state, &err), PELT_OK);
    PeltiStepInput step = {.bones = bones, .restart = true};
    method->step(state, &step, out, NULL);
    method->destroy(state);
    pelti_jobs_destroy(jobs);
}

static void lbs_is_the_weighted_mean_of_the_bones(void **state)
{
    (void)state;
    for (int influences = 4; influences <= 8; influences += 4) {
        Rig rig = make_rig(influences);
        static Vec3 out[TUBE_POINTS];
        run(&rig, "lbs", 2, rig.bones, out);
        for (int i = 0; i < TUBE_POINTS; i++) {
            int v = rig.who->mesh->weld[i];
            double sum[3] = {0};
            for (int k = 0; k < influences; k++) {
                float w = rig.weights.weight[v * influences + k];
                Vec3 q = mat34_apply(rig.bones[rig.weights.bone[v * influences + k]], p[i]);
                sum[0] += (double)(w * q.x);
                sum[1] += (double)(w * q.y);
                sum[2] += (double)(w * q.z);
            }
            CHECK_NEAR(out[i].x, sum[0], 2e-6);
            CHECK_NEAR(out[i].y, sum[1], 2e-6);
            CHECK_NEAR(out[i].z, sum[2], 2e-6);
        }
        pelti_character_destroy(rig.who);
    }
}

/// [Kavan2008] sec. 4: b = sum of signed duals, normalised; rotation by its real part, translation 2 dual conj(real).
static Vec3 blend_dual(const Rig *rig, int v, Vec3 x)
{
    int influences = rig->weights.influences;
    double real[4] = {0}, dual[4] = {0};
    Quat pivot = quat_from_mat3(mat34_linear(rig->bones[rig->weights.bone[v * influences]]));
    for (int k = 0; k < influences; k++) {
        const Mat34 *m = &rig->bones[rig->weights.bone[v * influences + k]];
        Quat q = quat_from_mat3(mat34_linear(*m));
        Vec3 move = mat34_translation(*m);
        Quat d = quat_mul((Quat){move.x, move.y, move.z, 0}, q);
        double w = (double)rig->weights.weight[v * influences + k] * (quat_dot(pivot, q) < 0 ? -1 : 1);
        const float *qf = &q.x, *df = &d.x;
        for (int c = 0; c < 4; c++) {
            real[c] += w * (double)qf[c];
            dual[c] += w * 0.5 * (double)df[c];
        }
    }
    double n = sqrt(real[0] * real[0] + real[1] * real[1] + real[2] * real[2] + real[3] * real[3]);
    Quat r = {(float)(real[0] / n), (float)(real[1] / n), (float)(real[2] / n), (float)(real[3] / n)};
    Quat d = {(float)(dual[0] / n), (float)(dual[1] / n), (float)(dual[2] / n), (float)(dual[3] / n)};
    Quat move = quat_mul(d, quat_conjugate(r));
    return vec3_add(quat_rotate(r, x), vec3(2 * move.x, 2 * move.y, 2 * move.z));
}

static void dqs_blends_rigid_motions_on_the_pivots_side(void **state)
{
    (void)state;
    for (int influences = 4; influences <= 8; influences += 4) {
        Rig rig = make_rig(influences);
        static Vec3 out[TUBE_POINTS];
        run(&rig, "dqs", 2, rig.bones, out);
        for (int i = 0; i < TUBE_POINTS; i++) {
            Vec3 expected = blend_dual(&rig, rig.who->mesh->weld[i], p[i]);
            CHECK_NEAR(vec3_distance(out[i], expected), 0, 1e-5);
        }
        pelti_character_destroy(rig.who);
    }
}

static void one_motion_for_all_bones_moves_the_skin_rigidly(void **state)
{
    (void)state;
    Rig rig = make_rig(4);
    const char *names[] = {"lbs", "dqs"};
    for (int b = 1; b < BONES; b++)
        rig.bones[b] = rig.bones[0];
    for (int m = 0; m < 2; m++) {
        static Vec3 out[TUBE_POINTS];
        run(&rig, names[m], 1, rig.bones, out);
        for (int i = 0; i < TUBE_POINTS; i++)
            CHECK_NEAR(vec3_distance(out[i], mat34_apply(rig.bones[0], p[i])), 0, 3e-6);
    }
    pelti_character_destroy(rig.who);
}

static void dqs_blends_scale_linearly_before_it_turns(void **state)
{
    (void)state;
    Rig rig = make_rig(4);
    static Vec3 out[TUBE_POINTS];
    Mat3 turn = mat34_linear(rig.bones[0]);
    for (int b = 0; b < BONES; b++)
        rig.bones[b] = mat34_from(mat3_scale(turn, 1 + 0.25f * (float)b), vec3(0, 0, 0));
    run(&rig, "dqs", 1, rig.bones, out);
    for (int i = 0; i < TUBE_POINTS; i++) {
        int v = rig.who->mesh->weld[i];
        float scale = 0;
        for (int k = 0; k < 4; k++)
            scale += rig.weights.weight[v * 4 + k] * (1 + 0.25f * (float)rig.weights.bone[v * 4 + k]);
        CHECK_NEAR(vec3_distance(out[i], vec3_scale(mat3_apply(turn, p[i]), scale)), 0, 1e-5);
    }
    pelti_character_destroy(rig.who);
}

static void results_do_not_depend_on_the_number_of_threads(void **state)
{
    (void)state;
    Rig rig = make_rig(4);
    static Vec3 one[TUBE_POINTS], many[TUBE_POINTS];
    const char *names[] = {"lbs", "dqs"};
    for (int m = 0; m < 2; m++) {
        run(&rig, names[m], 1, rig.bones, one);
        for (int threads = 2; threads <= 8; threads++) {
            run(&rig, names[m], threads, rig.bones, many);
            assert_memory_equal(one, many, sizeof one);
        }
    }
    pelti_character_destroy(rig.who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lbs_is_the_weighted_mean_of_the_bones),
        cmocka_unit_test(dqs_blends_rigid_motions_on_the_pivots_side),
        cmocka_unit_test(one_motion_for_all_bones_moves_the_skin_rigidly),
        cmocka_unit_test(dqs_blends_scale_linearly_before_it_turns),
        cmocka_unit_test(results_do_not_depend_on_the_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
