/// Automatic weights of a dressed character: what is worn bends with the skin below, what is held goes with one bone.
#include "check.h"

#include "body/automatic.h"
#include "builtin/builtin.h"
#include "core/jobs.h"

#include <math.h>
#include <string.h>

static PeltiCharacter *figure;

static PeltiCharacter *make(const char *name, const PeltiBuiltinOptions *options)
{
    PeltiCharacter *who = NULL;
    PeltError err = {0};
    if (pelti_builtin_make(name, options, NULL, NULL, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

static int dress(void **state)
{
    (void)state;
    figure =
        make("beast",
             &(PeltiBuiltinOptions){.vertices = 1200, .seed = 5, .dressing = PELTI_DRESS_ALL, .painting = PELTI_PAINT_SMOOTH});
    return 0;
}

static int undress(void **state)
{
    (void)state;
    pelti_character_destroy(figure);
    return 0;
}

static PeltiWeights automatic(const PeltiCharacter *who, PeltiPool *pool, PeltiJobs *jobs)
{
    PeltiWeights w;
    PeltError err = {0};
    if (pelti_body_automatic(who, pool, jobs, NULL, &w, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return w;
}

static PeltiWeights painted(const PeltiCharacter *who, PeltiPool *pool)
{
    PeltiWeights w;
    PeltError err = {0};
    assert_int_equal(pelti_weights_from_file(who, pool, &w, &err), PELT_OK);
    return w;
}

static float weight_on(const PeltiWeights *w, int vertex, int bone)
{
    float sum = 0;
    for (int k = 0; k < w->influences; k++)
        sum += w->bone[vertex * w->influences + k] == bone ? w->weight[vertex * w->influences + k] : 0;
    return sum;
}

/// Half of what two rows do not share.
static float difference(const PeltiWeights *a, int in_a, const PeltiWeights *b, int in_b)
{
    float sum = 0;
    for (int bone = 0; bone < figure->bone_count; bone++)
        sum += 0.5f * fabsf(weight_on(a, in_a, bone) - weight_on(b, in_b, bone));
    return sum;
}

static int nearest_skin(int vertex)
{
    const Vec3 *rest = figure->mesh->rest;
    int best = -1;
    for (int v = 0; v < figure->mesh->vertex_count; v++)
        if (pelti_character_vertex_in_piece(figure, v, "beast") &&
            (best < 0 || vec3_distance(rest[v], rest[vertex]) < vec3_distance(rest[best], rest[vertex])))
            best = v;
    return best;
}

/// How far a piece's weights are from those of the nearest skin, the mean over its vertices.
static float from_skin(const PeltiWeights *w, const char *piece)
{
    float sum = 0;
    int count = 0;
    for (int v = 0; v < figure->mesh->vertex_count; v++)
        if (pelti_character_vertex_in_piece(figure, v, piece)) {
            sum += difference(w, v, w, nearest_skin(v));
            count++;
        }
    assert_true(count > 0);
    return sum / (float)count;
}

static void one_closed_skin_has_its_own_heat_to_the_bit(void **state)
{
    (void)state;
    PeltiCharacter *bare = make("cylinder", &(PeltiBuiltinOptions){.vertices = 500});
    PeltiWeights own;
    PeltError err = {0};
    PeltiWeights here = automatic(bare, &bare->pool, NULL);
    assert_int_equal(pelti_weights_automatic(bare, &bare->pool, NULL, NULL, &own, &err), PELT_OK);
    size_t count = (size_t)bare->mesh->vertex_count * (size_t)own.influences;
    assert_memory_equal(own.weight, here.weight, count * sizeof(float));
    assert_memory_equal(own.bone, here.bone, count * sizeof(int));
    pelti_character_destroy(bare);
}

static void things_go_with_the_bone_they_are_painted_to(void **state)
{
    (void)state;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltiWeights made = automatic(figure, &pool, NULL), file = painted(figure, &pool);
    const char *things[] = {"Stick", "LeftEye", "RightEye"};
    for (int i = 0; i < 3; i++)
        for (int v = 0; v < figure->mesh->vertex_count; v++)
            if (pelti_character_vertex_in_piece(figure, v, things[i]))
                assert_true(difference(&made, v, &file, v) < 1e-6f);
    pelti_pool_release(&pool);
}

static void clothes_bend_with_the_skin_below(void **state)
{
    (void)state;
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    PeltError err = {0};
    PeltiWeights own, made = automatic(figure, &pool, NULL);
    assert_int_equal(pelti_weights_automatic(figure, &pool, NULL, NULL, &own, &err), PELT_OK);
    float by_itself = from_skin(&own, "Blanket"), now = from_skin(&made, "Blanket");
    if (!(now < 0.75f * by_itself))
        fail_msg("%g, by itself %g", (double)now, (double)by_itself);
    pelti_pool_release(&pool);
}

/// A blanket and a collar without a body below them: the heat is the made body's, and no row is lost.
static void clothes_without_a_body_are_one(void **state)
{
    (void)state;
    PeltiCharacter *who = figure; // the last to use it
    int kept = 0;
    for (int t = 0; t < who->triangle_count; t++)
        if (!pelti_character_vertex_in_piece(who, who->mesh->weld[who->point_triangles[t][0]], "beast"))
            memcpy(who->point_triangles[kept++], who->point_triangles[t], sizeof(int[3]));
    who->triangle_count = kept;
    PeltiMeshInput def = {.point_count = who->point_count,
                          .triangle_count = kept,
                          .weld_positions = who->rest_points,
                          .rest = who->rest_points,
                          .instance_of_point = who->point_instance,
                          .point_triangles = (const int(*)[3])who->point_triangles};
    PeltError err = {0};
    assert_int_equal(pelti_mesh_build(&who->pool, &def, &who->mesh, &err), PELT_OK);
    PeltiJobs *jobs = pelti_jobs_create(3);
    PeltiWeights one = automatic(who, &who->pool, NULL), three = automatic(who, &who->pool, jobs);
    size_t count = (size_t)who->mesh->vertex_count * (size_t)one.influences;
    assert_memory_equal(one.weight, three.weight, count * sizeof(float));
    assert_memory_equal(one.bone, three.bone, count * sizeof(int));
    for (int v = 0; v < who->mesh->vertex_count; v++) {
        float sum = 0;
        for (int k = 0; k < one.influences; k++)
            sum += one.weight[v * one.influences + k];
        assert_float_equal(sum, 1, 1e-5f);
    }
    pelti_jobs_destroy(jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_closed_skin_has_its_own_heat_to_the_bit),
        cmocka_unit_test(things_go_with_the_bone_they_are_painted_to),
        cmocka_unit_test(clothes_bend_with_the_skin_below),
        cmocka_unit_test(clothes_without_a_body_are_one),
    };
    return cmocka_run_group_tests(tests, dress, undress);
}
