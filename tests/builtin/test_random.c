/// Characters and motion drawn from a seed are sound, and the same for the same seed.
#include "builtin/builtin.h"
#include "builtin/clips.h"
#include "builtin/limits.h"
#include "core/hash.h"
#include "geometry/box_tree.h"
#include "geometry/exact.h"
#include "refusing.h"

#include <string.h>

static PeltiBuiltin make(const char *name, PeltiBuiltinOptions options, int threads)
{
    PeltiJobs *jobs = pelti_jobs_create(threads);
    PeltiBuiltin made = {0};
    PeltError err = {0};
    if (pelti_builtin_make_all(name, &options, jobs, NULL, &made, &err) != PELT_OK)
        fail_msg("%s, seed %d: %s", name, (int)options.seed, err.text);
    pelti_jobs_destroy(jobs);
    return made;
}

static uint64_t hash_of(const PeltiBuiltin *made)
{
    const PeltiCharacter *who = made->who;
    size_t n = (size_t)who->point_count;
    uint64_t hash = pelti_hash(PELTI_HASH_START, who->rest_points, n * sizeof *who->rest_points);
    hash = pelti_hash(hash, who->point_triangles, (size_t)who->triangle_count * sizeof *who->point_triangles);
    hash = pelti_hash(hash, who->file_weights.weight, n * 4 * sizeof(float));
    for (int i = 0; i < who->clips[0].channel_count; i++)
        hash =
            pelti_hash(hash, who->clips[0].channels[i].values, (size_t)who->clips[0].channels[i].key_count * 3 * sizeof(float));
    for (int b = 0; b < who->bone_count; b++)
        hash = pelti_hash(hash, &who->nodes[b].trs.translation, sizeof(Vec3));
    return hash;
}

static void one_seed_is_one_character(void **state)
{
    (void)state;
    PeltiBuiltinOptions options = {.vertices = TEST_WORK(900, 500), .seed = 5, .dressing = PELTI_DRESS_ALL, .clip = "random"};
    PeltiBuiltin a = make("hand", options, 1), b = make("hand", options, 3);
    assert_true(hash_of(&a) == hash_of(&b));
    options.seed = 6;
    PeltiBuiltin c = make("hand", options, 1);
    assert_true(hash_of(&a) != hash_of(&c));
    float moved = 0; // joints lie elsewhere, not only vertices
    for (int n = 0; n < a.who->bone_count; n++)
        moved = fmaxf(moved, vec3_distance(a.who->bones[n].head, c.who->bones[n].head));
    assert_true(moved > 0.01f);
    pelti_character_destroy(a.who);
    pelti_character_destroy(b.who);
    pelti_character_destroy(c.who);
}

typedef struct Crossing {
    const PeltiBuiltin *made;
    const int *part; // [point]
} Crossing;

static int meet(void *context, int a, int b, int worker)
{
    (void)worker;
    const Crossing *c = context;
    const PeltiCharacter *who = c->made->who;
    const int *p = who->point_triangles[a], *q = who->point_triangles[b];
    if (c->part[p[0]] == c->part[q[0]] || strstr(c->made->parts[c->part[p[0]]].name, "Eye") ||
        strstr(c->made->parts[c->part[q[0]]].name, "Eye"))
        return 0;
    const Vec3 *x = who->rest_points, u[3] = {x[p[0]], x[p[1]], x[p[2]]}, v[3] = {x[q[0]], x[q[1]], x[q[2]]};
    return (int)pelti_triangles_meet(u, v);
}

/// Pairs of triangles of different parts that cross; eyes sit in the head.
static long crossings(const PeltiBuiltin *made)
{
    PeltiPool pool;
    PeltiBoxTree *tree = NULL;
    PeltiPairs pairs = {0};
    pelti_pool_init(&pool, NULL);
    int *part = PELTI_NEW(&pool, int, made->who->point_count);
    for (int i = 0; i < made->part_count; i++)
        for (int p = 0; p < made->parts[i].point_count; p++)
            part[made->parts[i].first_point + p] = i;
    Crossing c = {made, part};
    assert_int_equal(pelti_box_tree_build_triangles(&pool, made->who->triangle_count, (const int(*)[3])made->who->point_triangles,
                                                    made->who->rest_points, &tree, NULL),
                     PELT_OK);
    assert_int_equal(pelti_pairs_create(&pool, 64, tree, &pairs, NULL), PELT_OK);
    pelti_box_tree_self_pairs(tree, 0, meet, &c, NULL, &pairs);
    long found = pairs.found;
    pelti_pool_release(&pool);
    return found;
}

static const PeltiBuiltinPart *find_part(const PeltiBuiltin *made, const char *name)
{
    for (int i = 0; i < made->part_count; i++)
        if (strcmp(made->parts[i].name, name) == 0)
            return &made->parts[i];
    return NULL;
}

static void clothes_are_there_and_cross_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int vertices;
        uint64_t seed;
        const char *worn;
    } cases[] = {{"biped", 2000, 2, "Jacket"}, {"cylinder", 800, 9, "Band"}, {"beast", 2000, 3, "Blanket"}};
    for (size_t i = TEST_WORK(0, 1); i < TEST_WORK(sizeof cases / sizeof cases[0], 2); i++) {
        PeltiBuiltinOptions options = {.vertices = cases[i].vertices, .seed = cases[i].seed, .dressing = PELTI_DRESS_ALL};
        PeltiBuiltin made = make(cases[i].name, options, 2);
        const PeltiBuiltinPart *worn = find_part(&made, cases[i].worn);
        if (!worn || worn->point_count < 100)
            fail_msg("%s, seed %d: no %s", cases[i].name, (int)cases[i].seed, cases[i].worn);
        long pairs = crossings(&made);
        if (pairs > 0)
            fail_msg("%s, seed %d: %ld pairs of triangles of different parts cross at rest", cases[i].name, (int)cases[i].seed,
                     pairs);
        assert_true(find_part(&made, "Buttons") != NULL);
        pelti_character_destroy(made.who);
    }
    PeltiBuiltin bare = make("cylinder", (PeltiBuiltinOptions){.vertices = 800, .seed = 9}, 1);
    assert_true(bare.part_count == 1 && bare.who->mesh->closed);
    pelti_character_destroy(bare.who);
}

static float weight_of(const PeltiWeights *w, int point, int bone)
{
    float sum = 0;
    for (int k = 0; k < w->influences; k++)
        sum += w->bone[point * w->influences + k] == bone ? w->weight[point * w->influences + k] : 0;
    return sum;
}

/// A shell goes with the skin beneath it, a stick with one bone.
static void clothes_are_painted_like_the_skin_and_sticks_to_one_bone(void **state)
{
    (void)state;
    PeltiBuiltin made =
        make("arm",
             (PeltiBuiltinOptions){.vertices = 1500, .seed = 1, .dressing = PELTI_DRESS_ALL, .painting = PELTI_PAINT_SMOOTH}, 2);
    const PeltiBuiltinPart *sleeve = find_part(&made, "Sleeve"), *stick = find_part(&made, "Stick");
    const PeltiCharacter *who = made.who;
    const PeltiWeights *w = &who->file_weights;
    assert_true(sleeve && stick);
    assert_int_equal(crossings(&made), 0);
    double shared = 0;
    for (int p = sleeve->first_point; p < sleeve->first_point + sleeve->point_count; p++) {
        int nearest = 0;
        for (int q = 0; q < made.parts[0].point_count; q++)
            if (vec3_distance(who->rest_points[q], who->rest_points[p]) <
                vec3_distance(who->rest_points[nearest], who->rest_points[p]))
                nearest = q;
        for (int b = 0; b < who->bone_count; b++)
            shared += (double)fminf(weight_of(w, p, b), weight_of(w, nearest, b));
    }
    assert_true(shared > 0.9 * sleeve->point_count);
    Vec3 end = who->rest_points[stick->first_point], far = who->rest_points[stick->first_point + stick->point_count - 1];
    Vec3 axis = vec3_normalize_or(vec3_sub(far, end), vec3(0, 1, 0));
    for (int p = stick->first_point; p < stick->first_point + stick->point_count; p++) {
        assert_true(w->weight[4 * p] == 1 && w->bone[4 * p] == w->bone[4 * stick->first_point]);
        assert_true(vec3_length(vec3_cross(vec3_sub(who->rest_points[p], end), axis)) <
                    0.018f); // straight, whatever the body does
    }
    pelti_character_destroy(made.who);
}

static void weights_can_be_poor(void **state)
{
    (void)state;
    PeltiBuiltinOptions options = {.vertices = 1000, .seed = 1, .painting = PELTI_PAINT_ONE_JOINT};
    PeltiBuiltin made = make("cylinder", options, 1);
    int bones = 0;
    for (int p = 0; p < made.who->point_count; p++) {
        assert_true(made.who->file_weights.weight[4 * p] == 1);
        bones |= 1 << made.who->file_weights.bone[4 * p];
    }
    assert_int_equal(bones, 3);
    pelti_character_destroy(made.who);
    for (int i = 0; i < 2; i++) {
        options.painting = i ? PELTI_PAINT_MISSING : PELTI_PAINT_UNNORMALISED;
        made = make("cylinder", options, 1);
        int missing = 0;
        float least = 1;
        for (int p = 0; p < made.who->point_count; p++) {
            missing += made.row_sums[p] == 0;
            least = fminf(least, made.row_sums[p]);
            assert_true(made.row_sums[p] <= 1);
        }
        assert_true(i ? missing > 5 && missing < 60 : least > 0.76f && least < 0.8f);
        pelti_character_destroy(made.who);
    }
}

/// Among a few seeds some have end bones without weight and some are in centimetres, clips included.
static void skeletons_and_units_vary(void **state)
{
    (void)state;
    int ends = 0, large = 0, seeds = 0;
    for (uint64_t seed = 1; seed <= 40 && !(ends && large && ends < seeds && large < seeds); seed++, seeds++) {
        PeltiBuiltin made = make("cylinder", (PeltiBuiltinOptions){.vertices = 500, .seed = seed, .clip = "bend"}, 1);
        const PeltiCharacter *who = made.who;
        int end = -1;
        for (int b = 0; b < who->bone_count; b++)
            end = strcmp(who->nodes[b].name, "UpperEnd") == 0 ? b : end;
        for (int p = 0; p < who->point_count && end >= 0; p++)
            assert_true(weight_of(&who->file_weights, p, end) == 0);
        float highest = 0;
        for (int p = 0; p < who->point_count; p++)
            highest = fmaxf(highest, who->rest_points[p].y);
        assert_true((highest > 0.6f && highest < 1.6f) || (highest > 60 && highest < 160));
        CHECK_NEAR(who->bones[1].head.y / highest, 0.5, 0.2); // joints go along
        ends += end >= 0;
        large += highest > 2;
        pelti_character_destroy(made.who);
    }
    assert_true(ends > 0 && ends < seeds && large > 0 && large < seeds);
}

static void curves_reach_their_limits_and_stop_there(void **state)
{
    (void)state;
    enum { FRAMES = 121 };
    for (uint64_t seed = 0; seed < 50; seed++) {
        float degrees[FRAMES], low = 0, high = 0, jerk = 0;
        pelti_random_curve(seed, (int)seed, 1, &(PeltiFigureTurn){.low = -30, .high = 100}, FRAMES, degrees);
        assert_true(degrees[0] == 0 && degrees[FRAMES - 1] == 0);
        for (int f = 0; f < FRAMES; f++) {
            low = fminf(low, degrees[f]);
            high = fmaxf(high, degrees[f]);
            if (f > 0 && f < FRAMES - 1)
                jerk = fmaxf(jerk, fabsf(degrees[f + 1] - 2 * degrees[f] + degrees[f - 1]));
        }
        CHECK_NEAR(low, -30, 1e-4);
        CHECK_NEAR(high, 100, 1e-4);
        assert_true(jerk <
                    130 * 5.8f / 90); // the ease's steepest bend is 5.77 over the square of its length, here 10 frames or more
    }
}

static const struct {
    const char *name;
    void (*plan)(PeltiFigure *body);
} PLANS[] = {{"cylinder", pelti_figure_plan_cylinder},
             {"arm", pelti_figure_plan_arm},
             {"hand", pelti_figure_plan_hand},
             {"biped", pelti_figure_plan_biped},
             {"beast", pelti_figure_plan_beast}};

/// The clip itself: a joint with one way to turn reaches its limit and never passes it, for every character.
static void clips_keep_to_the_limits(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        PeltiPool work;
        pelti_pool_init(&work, NULL);
        PeltiCharacter *who = pelti_character_create(NULL);
        PeltiFigure *body = PELTI_NEW(&work, PeltiFigure, 1);
        body->name = PLANS[i].name;
        body->shape = pelti_solid_create(&work);
        PLANS[i].plan(body);
        assert_int_equal(pelti_builtin_clips(body, "random", 3, &work, who, NULL), PELT_OK);
        assert_int_equal(who->clip_count, 1);
        assert_true(who->clips[0].channel_count >= body->bone_count / 2);
        for (int c = 0; c < who->clips[0].channel_count; c++) {
            const PeltiChannel *channel = &who->clips[0].channels[c];
            PeltiFigureTurn turns[PELTI_FIGURE_TURNS];
            float largest = 0;
            assert_int_equal(channel->path, PELTI_CHANNEL_ROTATION);
            for (int k = 0; k < channel->key_count; k++) {
                const float *q = channel->values + 4 * k;
                largest = fmaxf(largest, 57.29578f * quat_angle((Quat){q[0], q[1], q[2], q[3]}));
            }
            if (pelti_figure_limits(body, channel->node, turns) == 1)
                CHECK_NEAR(largest, fmaxf(-turns[0].low, turns[0].high), 0.05);
        }
        pelti_character_destroy(who);
        pelti_pool_release(&work);
    }
}

static PeltStatus make_cylinder(const PeltAllocator *allocator, const void *user, PeltError *err)
{
    PeltiBuiltin made = {0};
    PELT_TRY(pelti_builtin_make_all("cylinder", user, NULL, allocator, &made, err));
    pelti_character_destroy(made.who);
    return PELT_OK;
}

static void refused_memory_fails_cleanly(void **state)
{
    (void)state;
    static Places places;
    const PeltiBuiltinOptions options = {
        .vertices = 500, .uv = true, .seed = 3, .dressing = PELTI_DRESS_ALL, .painting = PELTI_PAINT_MISSING, .clip = "random"};
    assert_true(refuse_each_place(make_cylinder, &options, &places) > 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_seed_is_one_character),
                                       cmocka_unit_test(clothes_are_there_and_cross_nothing),
                                       cmocka_unit_test(clothes_are_painted_like_the_skin_and_sticks_to_one_bone),
                                       cmocka_unit_test(weights_can_be_poor),
                                       cmocka_unit_test(skeletons_and_units_vary),
                                       cmocka_unit_test(curves_reach_their_limits_and_stop_there),
                                       cmocka_unit_test(clips_keep_to_the_limits),
                                       cmocka_unit_test(refused_memory_fails_cleanly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
