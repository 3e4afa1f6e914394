/// Contacts of projective skinning: folds are held apart by planes and by stored pairs, and rest and small turns are left alone.
#include "joints.h"
#include "tube.h"

#include "methods/projective/variants.h"

#include "builtin/builtin.h"

typedef struct Hand {
    PeltiCharacter *who;
    PeltiOptions options;
    PeltiJobs *jobs;
    Projective *p;
    PeltiPose pose;
    PeltiNodeMatrix *node_matrix;
    Mat34 *bones;
    Vec3 *points;
    PeltiStepReport report;
} Hand;

static PeltiCharacter *make_hand(void)
{
    PeltiCharacter *who = NULL;
    assert_int_equal(pelti_builtin_make("hand", &(PeltiBuiltinOptions){.vertices = 1200}, NULL, NULL, &who, NULL), PELT_OK);
    return who;
}

/// Made once: that takes longer than what is tried on it.
static PeltiCharacter *biped(void)
{
    static PeltiCharacter *who;
    if (!who)
        assert_int_equal(pelti_builtin_make("biped", &(PeltiBuiltinOptions){.vertices = 1500}, NULL, NULL, &who, NULL), PELT_OK);
    return who;
}

static int drop_biped(void **state)
{
    (void)state;
    if (TEST_WORK(1, 0))
        pelti_character_destroy(biped());
    return 0;
}

static void hand_open(Hand *hand, PeltiCharacter *who)
{
    *hand = (Hand){.who = who, .jobs = pelti_jobs_create(1)};
    pelti_options_init(&hand->options, pelti_method_projective.options);
    const PeltiWeights weights = {0}; // feet and base points by the skeleton alone
    PeltiMethodPrepare in = {.who = who, .options = &hand->options, .weights = &weights, .jobs = hand->jobs};
    void *state = NULL;
    assert_int_equal(pelti_method_projective.prepare(&in, &state, NULL), PELT_OK);
    hand->p = state;
    hand->pose = pelti_pose_new(&who->pool, who);
    hand->node_matrix = PELTI_NEW(&who->pool, PeltiNodeMatrix, who->node_count);
    hand->bones = PELTI_NEW(&who->pool, Mat34, who->bone_count);
    hand->points = PELTI_NEW(&who->pool, Vec3, who->point_count);
}

static void hand_close(Hand *hand)
{
    pelti_method_projective.destroy(hand->p);
    pelti_jobs_destroy(hand->jobs);
}

static void hand_step(Hand *hand, float dt_s, bool restart)
{
    PeltiJoint joints[64];
    test_joints(hand->who, hand->bones, joints);
    PeltiStepInput in = {.bones = hand->bones, .joints = joints, .dt_s = dt_s, .restart = restart};
    hand->report = (PeltiStepReport){0};
    pelti_method_projective.step(hand->p, &in, hand->points, &hand->report);
}

static void hand_fist(Hand *hand, double time_s)
{
    pelti_pose_clip(hand->who, &hand->who->clips[pelti_clip_find(hand->who, "fist")], time_s, &hand->pose);
    pelti_pose_bones(hand->who, &hand->pose, hand->node_matrix, hand->bones);
}

/// The same character with joints and nodes in the opposite order, under other names.
static PeltiCharacter *scramble(const PeltiCharacter *from)
{
    PeltiCharacter *who = pelti_character_create(NULL);
    PeltiPool *pool = &who->pool;
    int nodes = from->node_count, bones = from->bone_count;
    who->node_count = nodes;
    who->bone_count = bones;
    who->nodes = PELTI_NEW(pool, PeltiNode, nodes);
    who->bones = PELTI_NEW(pool, PeltiBone, bones);
    for (int n = 0; n < nodes; n++) {
        PeltiNode *to = &who->nodes[nodes - 1 - n];
        *to = from->nodes[n];
        to->parent = from->nodes[n].parent < 0 ? -1 : nodes - 1 - from->nodes[n].parent;
        char name[24];
        snprintf(name, sizeof name, "thumb_l_wrist_%d", n * 31 % 97);
        to->name = pelti_pool_text(pool, name);
    }
    for (int b = 0; b < bones; b++) {
        PeltiBone *to = &who->bones[bones - 1 - b];
        *to = (PeltiBone){.node = nodes - 1 - from->bones[b].node, .is_prop = from->bones[b].is_prop};
        memcpy(to->rest_to_bone, from->bones[b].rest_to_bone, sizeof to->rest_to_bone);
    }
    who->instance_count = from->instance_count;
    who->instances = PELTI_NEW(pool, PeltiInstance, from->instance_count);
    for (int i = 0; i < from->instance_count; i++) {
        PeltiInstance *to = &who->instances[i];
        *to = from->instances[i];
        to->node = nodes - 1 - to->node;
        int *list = PELTI_NEW(pool, int, to->bone_count);
        for (int k = 0; k < to->bone_count; k++)
            list[k] = bones - 1 - from->instances[i].bones[to->bone_count - 1 - k];
        to->bones = list;
    }
    who->skin_count = from->skin_count;
    who->point_count = from->point_count;
    who->rest_points = PELTI_NEW(pool, Vec3, from->point_count);
    memcpy(who->rest_points, from->rest_points, sizeof(Vec3) * (size_t)from->point_count);
    who->point_instance = PELTI_NEW(pool, int, from->point_count);
    memcpy(who->point_instance, from->point_instance, sizeof(int) * (size_t)from->point_count);
    who->triangle_count = from->triangle_count;
    who->point_triangles = pelti_pool_take(pool, (size_t)from->triangle_count + 1, 3 * sizeof(int));
    memcpy(who->point_triangles, from->point_triangles, 3 * sizeof(int) * (size_t)from->triangle_count);
    PeltError err = {0};
    if (pelti_character_finish(who, who->rest_points, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

static void names_and_order_of_joints_do_not_change_a_bit(void **state)
{
    (void)state;
    PeltiCharacter *made = make_hand(), *first = scramble(made), *other = scramble(first); // twice: both without weights
    Hand a, b, clips;
    hand_open(&a, first);
    hand_open(&b, other);
    hand_open(&clips, made);
    for (int f = 0; f <= 6; f++) {
        hand_fist(&clips, 0.7 + f / 30.0);
        for (int k = 0; k < made->bone_count; k++)
            a.bones[made->bone_count - 1 - k] = b.bones[k] = clips.bones[k];
        hand_step(&a, 1.0f / 30, !f);
        hand_step(&b, 1.0f / 30, !f);
        assert_memory_equal(a.points, b.points, sizeof(Vec3) * (size_t)first->point_count);
    }
    assert_true(a.p->contacts.count > 0);
    hand_close(&a);
    hand_close(&b);
    hand_close(&clips);
    pelti_character_destroy(first);
    pelti_character_destroy(other);
    pelti_character_destroy(made);
}

/// Planes of flesh that overlaps at rest must not tear at skin when a bone hardly moves: they start where the rest pose is.
static void small_turns_leave_the_skin_where_it_is_without_contacts(void **state)
{
    (void)state;
    NOT_SANITIZED();
    PeltiCharacter *who = biped();
    Vec3 *first = PELTI_NEW(&who->pool, Vec3, who->point_count);
    for (int contacts = 0; contacts < 2; contacts++) {
        Hand body;
        hand_open(&body, who);
        if (!contacts)
            body.p->contacts.pairs.start = NULL;
        for (int b = 0; b < who->bone_count; b++) { // every joint by six degrees, parents first
            Vec3 axis = vec3_normalize_or(vec3(1, (float)(b % 3) - 1, (float)(b % 5) - 2), vec3(1, 0, 0));
            Mat34 own = turn_about(who->bones[b].head, axis, 0.1f);
            assert_true(who->bones[b].parent < b);
            body.bones[b] = who->bones[b].parent < 0 ? own : mat34_mul(body.bones[who->bones[b].parent], own);
        }
        hand_step(&body, 0, true);
        float most = 0;
        for (int i = 0; i < who->point_count; i++) {
            most = fmaxf(most, contacts ? vec3_distance(first[i], body.points[i]) : 0);
            first[i] = body.points[i];
        }
        if (contacts)
            printf("small turns: contacts move the skin by %.4f of the size\n", (double)(most / who->mesh->diagonal));
        assert_true(most < 0.01f * who->mesh->diagonal);
        hand_close(&body);
    }
}

static int crossings(const Projective *p, const Vec3 *x)
{
    int count = 0;
    for (int s = 0; s < p->mesh->triangle_count; s++)
        for (int t = 0; t < s; t++) {
            const int *a = p->mesh->triangles[s], *b = p->mesh->triangles[t];
            bool apart = true;
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    apart = apart && a[i] != b[k];
            const Vec3 u[3] = {x[a[0]], x[a[1]], x[a[2]]}, v[3] = {x[b[0]], x[b[1]], x[b[2]]};
            if (apart && vec3_distance(u[0], v[0]) < 0.8f)
                count += pelti_closest_triangles(u, v).crossing;
        }
    return count;
}

/// How far the skin of the two bones reaches across the plane that halves their angle, and how often it crosses itself.
static float bend_tube(Tube *tube, const char *collisions, int *crossing)
{
    const char *const set[] = {collisions, NULL};
    tube_open(tube, 1, set);
    tube_step(tube, 0, true);
    for (int f = 1; f <= 20; f++) {
        tube_pose(tube, mat34_identity(), 2.5f * (float)f / 20, 0);
        tube_step(tube, 1.0f / 30, false);
    }
    *crossing = crossings(tube->p, tube->points);
    Vec3 child = mat34_apply_vector(tube->bones[1], vec3(1, 0, 0)),
         normal = vec3_normalize_or(vec3_add(child, vec3(1, 0, 0)), child);
    float most = 0;
    for (int i = 0; i < TUBE_POINTS - 2; i++) {
        float x = tube->who->rest_points[i].x, s = vec3_dot(vec3_sub(tube->points[i], vec3(1, 0, 0)), normal);
        most = fmaxf(most, x > 1.2f && x < 1.8f ? -s : x > 0.2f && x < 0.8f ? s : 0);
    }
    return most;
}

static void planes_and_stored_pairs_both_hold_a_fold_apart(void **state)
{
    (void)state;
    Tube tube;
    int crossing[3];
    float off = bend_tube(&tube, "collisions=off", &crossing[0]);
    tube_close(&tube);
    float planes = bend_tube(&tube, "collisions=joints", &crossing[1]);
    tube_close(&tube);
    float pairs = bend_tube(&tube, "collisions=pairs", &crossing[2]);
    const ProjStored *stored = tube.p->stored;
    printf("beyond the halving plane: off %.4f, planes %.4f, %d stored pairs %.4f; crossings %d, %d, %d\n", (double)off,
           (double)planes, stored->count, (double)pairs, crossing[0], crossing[1], crossing[2]);
    assert_true(off > 0.1f && planes < 0.02f * off && pairs < 0.8f * off);
    assert_true(crossing[0] > 50 && crossing[1] < crossing[0] / 20);
    assert_true(stored->count > 20);
    for (int k = 0; k < stored->count; k++) { // the parent's side first, in the rest pose
        const ProjFold *fold = &stored->folds.folds[stored->pairs[k].fold];
        const float *x = tube.p->system.rest[stored->pairs[k].i], *y = tube.p->system.rest[stored->pairs[k].j];
        assert_true(x[0] < fold->rest_joint.x && y[0] > fold->rest_joint.x);
    }
    tube_close(&tube);
}

static void stored_pairs_that_do_not_collide_leave_rest_alone(void **state)
{
    (void)state;
    const char *const set[] = {"collisions=pairs", NULL};
    Tube tube;
    tube_open(&tube, 1, set);
    tube_step(&tube, 0, true);
    for (int f = 0; f < 10; f++)
        tube_step(&tube, 1.0f / 30, false);
    CHECK_NEAR(tube_distance(&tube, mat34_identity()), 0, 1e-5f * tube.who->mesh->diagonal);
    tube_close(&tube);
}

/// How far skin reaches across the planes of folds whose bones share no joint, on their inner sides.
static float beyond_chain_folds(const Projective *p)
{
    float most = 0;
    for (int i = 0; i < p->count; i++)
        for (int m = p->contacts.folds.start[i]; m < p->contacts.folds.start[i + 1]; m++) {
            const ProjMember *member = &p->contacts.folds.members[m];
            const ProjRelation *relation = &p->contacts.folds.relations[member->relation];
            const ProjFold *fold = &p->contacts.folds.folds[relation->fold];
            Vec3 arm = vec3_sub(vec3(p->state.x[i][0], p->state.x[i][1], p->state.x[i][2]), fold->joint);
            if (fold->chain && relation->share >= 1 && vec3_dot(arm, fold->inner) > 0.5f * fold->radius)
                most = fmaxf(most, member->offset - relation->side * vec3_dot(arm, fold->normal));
        }
    return most;
}

/// Between spine and thigh lies a bone that leads aside: the fold is of those two nevertheless.
static void hips_fold_between_thigh_and_spine(void **state)
{
    (void)state;
    NOT_SANITIZED();
    PeltiCharacter *who = biped();
    float beyond[2];
    for (int held = 0; held < 2; held++) {
        Hand body;
        hand_open(&body, who);
        const ProjFolds *folds = &body.p->contacts.folds;
        bool *bent = PELTI_NEW(&who->pool, bool, who->bone_count);
        for (int f = 0; f < folds->count; f++) // legs, not arms: the bone beyond the hub goes straight on
            if (folds->folds[f].chain && vec3_dot(folds->folds[f].rest_child, folds->folds[f].rest_parent) < -0.9f)
                bent[folds->folds[f].child] = true;
        for (int m = 0; !held && m < folds->start[body.p->count]; m++)
            if (folds->folds[folds->relations[folds->members[m].relation].fold].chain)
                folds->members[m].weight = 0;
        for (int b = 0; b < who->bone_count; b++) {
            Mat34 own = bent[b] ? turn_about(who->bones[b].head, vec3(1, 0, 0), -2) : mat34_identity();
            body.bones[b] = who->bones[b].parent < 0 ? own : mat34_mul(body.bones[who->bones[b].parent], own);
        }
        hand_step(&body, 0, true);
        beyond[held] = beyond_chain_folds(body.p) / who->mesh->diagonal;
        hand_close(&body);
    }
    printf("thighs bent forwards: skin reaches %.4f of the size across, %.4f held\n", (double)beyond[0], (double)beyond[1]);
    assert_true(beyond[0] > 0.005f && beyond[1] < 0.2f * beyond[0]);
}

/// The trunk's skin near the spine is of no fold between arm and collar bone, whose plane it lies across in every pose.
static void arms_that_hang_leave_the_back_alone(void **state)
{
    (void)state;
    NOT_SANITIZED();
    PeltiCharacter *who = biped();
    const PeltiMesh *mesh = who->mesh;
    Vec3 *plain = PELTI_NEW(&who->pool, Vec3, mesh->point_count);
    float most = 0;
    for (int held = 0; held < 2; held++) {
        Hand body;
        hand_open(&body, who);
        for (int m = 0; !held && m < body.p->contacts.folds.start[body.p->count]; m++)
            body.p->contacts.folds.members[m].weight = 0;
        pelti_pose_clip(who, &who->clips[pelti_clip_find(who, "walk")], 0.2, &body.pose);
        pelti_pose_bones(who, &body.pose, body.node_matrix, body.bones);
        hand_step(&body, 0, true);
        for (int v = 0; v < mesh->vertex_count; v++) {
            if (!held)
                plain[v] = body.points[v];
            else if (fabsf(mesh->rest[v].x) < 0.025f * mesh->diagonal && mesh->rest[v].y > who->bones[1].head.y)
                most = fmaxf(most, vec3_distance(plain[v], body.points[v]));
        }
        hand_close(&body);
    }
    printf("folds move the back of a walker by %.5f of the size\n", (double)(most / mesh->diagonal));
    assert_true(most < 0.003f * mesh->diagonal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_order_of_joints_do_not_change_a_bit),
        cmocka_unit_test(small_turns_leave_the_skin_where_it_is_without_contacts),
        cmocka_unit_test(planes_and_stored_pairs_both_hold_a_fold_apart),
        cmocka_unit_test(hips_fold_between_thigh_and_spine),
        cmocka_unit_test(arms_that_hang_leave_the_back_alone),
        cmocka_unit_test(stored_pairs_that_do_not_collide_leave_rest_alone),
    };
    return cmocka_run_group_tests(tests, NULL, drop_biped);
}
