/// Skeletons as people have them are read and played by every method, finite and near linear blending.
/// Control bones, twist bones, end bones, bones outside the mesh, several roots, helpers, scale of every kind, bones of no
/// length; linear blending is what the format says.
#include "tiny_gltf.h"
#include "check.h"

#include "math/vec.h"

#include <pelt/pelt.h>

enum { JOINTS_MOST = 5 };

typedef struct Joint {
    const char *name;
    int parent; ///< of the list; -1: root
    double t[3], s[3];
    bool is_plain; ///< a node, but no joint of the skin
} Joint;

typedef struct Rig {
    const char *what;
    int count, lower, upper; ///< the two that carry the tube; `upper` turns in the clip
    Joint joints[JOINTS_MOST];
} Rig;

#define ONE                                                                                                                      \
    {                                                                                                                            \
        1, 1, 1                                                                                                                  \
    }
static const Rig RIGS[] = {
    {"plain", 2, 0, 1, {{"root", -1, {0}, ONE, false}, {"upper", 0, {0, 1, 0}, ONE, false}}},
    {"a control bone far away",
     3,
     1,
     2,
     {{"control", -1, {0, 0, 50}, ONE, false}, {"root", -1, {0}, ONE, false}, {"upper", 1, {0, 1, 0}, ONE, false}}},
    {"a twist bone on its parent's place",
     3,
     0,
     2,
     {{"root", -1, {0}, ONE, false}, {"twist", 0, {0}, ONE, false}, {"upper", 0, {0, 1, 0}, ONE, false}}},
    {"end bones inside and outside",
     4,
     0,
     1,
     {{"root", -1, {0}, ONE, false},
      {"upper", 0, {0, 1, 0}, ONE, false},
      {"end", 1, {0, 1, 0}, ONE, false},
      {"far end", 2, {0, 9, 0}, ONE, false}}},
    {"two roots", 2, 0, 1, {{"root", -1, {0}, ONE, false}, {"upper", -1, {0, 1, 0}, ONE, false}}},
    {"a node between that is no joint",
     3,
     0,
     2,
     {{"root", -1, {0}, ONE, false},
      {"between", 0, {0, 0.5, 0}, {2, 2, 2}, true},
      {"upper", 1, {0, 0.25, 0}, {0.5, 0.5, 0.5}, false}}},
    {"helpers that only move others",
     4,
     2,
     3,
     {{"world", -1, {0}, ONE, false},
      {"mover", 0, {0, -1, 0}, ONE, false},
      {"root", 1, {0, 1, 0}, ONE, false},
      {"upper", 2, {0, 1, 0}, ONE, false}}},
    {"uneven scale above", 2, 0, 1, {{"root", -1, {0}, {1, 2, 0.5}, false}, {"upper", 0, {0, 0.5, 0}, ONE, false}}},
    {"negative scale", 2, 0, 1, {{"root", -1, {0}, ONE, false}, {"upper", 0, {0, 1, 0}, {-1, 1, 1}, false}}},
    {"a mirrored root", 2, 0, 1, {{"root", -1, {0}, {-1, 1, 1}, false}, {"upper", 0, {0, 1, 0}, ONE, false}}},
    {"scale 100 in the joints", 2, 0, 1, {{"root", -1, {0}, {100, 100, 100}, false}, {"upper", 0, {0, 0.01, 0}, ONE, false}}},
    {"bones of no length",
     4,
     0,
     1,
     {{"root", -1, {0}, ONE, false},
      {"upper", 0, {0}, ONE, false},
      {"same", 1, {0}, ONE, false},
      {"same again", 2, {0}, ONE, false}}},
};
enum { RIG_COUNT = sizeof RIGS / sizeof *RIGS };

/// Scale and place of a joint in the world; nothing turns at rest.
static void world_of(const Rig *rig, int j, double s[3], double t[3])
{
    const Joint *joint = &rig->joints[j];
    double above_s[3] = {1, 1, 1}, above_t[3] = {0};
    if (joint->parent >= 0)
        world_of(rig, joint->parent, above_s, above_t);
    for (int k = 0; k < 3; k++) {
        s[k] = above_s[k] * joint->s[k];
        t[k] = above_t[k] + above_s[k] * joint->t[k];
    }
}

/// x at the joint's bind, seen from the world when it is turned by `angle` about z under its parent.
static Vec3 carried(const Rig *rig, int j, double angle, const float x[3])
{
    double s[3], t[3], above_s[3] = {1, 1, 1}, above_t[3] = {0}, local[3];
    world_of(rig, j, s, t);
    if (rig->joints[j].parent >= 0)
        world_of(rig, rig->joints[j].parent, above_s, above_t);
    for (int k = 0; k < 3; k++)
        local[k] = ((double)x[k] - t[k]) / s[k] * rig->joints[j].s[k]; // in the joint, scaled
    double turned[3] = {cos(angle) * local[0] - sin(angle) * local[1], sin(angle) * local[0] + cos(angle) * local[1], local[2]};
    double out[3];
    for (int k = 0; k < 3; k++)
        out[k] = above_t[k] + above_s[k] * (turned[k] + rig->joints[j].t[k]);
    return vec3((float)out[0], (float)out[1], (float)out[2]);
}

static void print_nodes(TinyGltf *t, const Rig *rig)
{
    tiny_print(t->json, sizeof t->json, &t->json_size, "\"nodes\":[");
    for (int j = 0; j < rig->count; j++) {
        const Joint *joint = &rig->joints[j];
        char children[64] = "";
        size_t used = 0;
        for (int c = 0; c < rig->count; c++)
            if (rig->joints[c].parent == j)
                tiny_print(children, sizeof children, &used, "%s%d", used ? "," : ",\"children\":[", c);
        tiny_print(t->json, sizeof t->json, &t->json_size,
                   "{\"name\":\"%s\",\"translation\":[%g,%g,%g],\"scale\":[%g,%g,%g]%s%s},", joint->name, joint->t[0],
                   joint->t[1], joint->t[2], joint->s[0], joint->s[1], joint->s[2], children, used ? "]" : "");
    }
    tiny_print(t->json, sizeof t->json, &t->json_size, "{\"name\":\"skin\",\"mesh\":0,\"skin\":0}],");
}

static void print_skin(TinyGltf *t, const Rig *rig, int place[JOINTS_MOST])
{
    float bind[JOINTS_MOST][16] = {{0}};
    int count = 0;
    tiny_print(t->json, sizeof t->json, &t->json_size, "\"skins\":[{\"joints\":[");
    for (int j = 0; j < rig->count; j++) {
        double s[3], at[3];
        if (rig->joints[j].is_plain)
            continue;
        world_of(rig, j, s, at);
        for (int k = 0; k < 3; k++) {
            bind[count][5 * k] = (float)(1 / s[k]);
            bind[count][12 + k] = (float)(-at[k] / s[k]);
        }
        bind[count][15] = 1;
        tiny_print(t->json, sizeof t->json, &t->json_size, "%s%d", count ? "," : "", j);
        place[j] = count++;
    }
    tiny_print(t->json, sizeof t->json, &t->json_size, "],\"inverseBindMatrices\":%d}],",
               tiny_floats(t, &bind[0][0], "MAT4", 16, count));
}

static unsigned char *make(const Rig *rig, size_t *size)
{
    TinyGltf *t = calloc(1, sizeof *t);
    uint8_t joints[TINY_TUBE][4] = {{0}};
    float weights[TINY_TUBE][4] = {{0}};
    const float times[2] = {0, 1}, turns[2][4] = {{0, 0, 0, 1}, {0, 0, 0.70710678f, 0.70710678f}};
    int place[JOINTS_MOST];
    tiny_print(t->json, sizeof t->json, &t->json_size, "{\"asset\":{\"version\":\"2.0\"},");
    print_nodes(t, rig);
    print_skin(t, rig, place);
    for (int v = 0; v < TINY_TUBE; v++) {
        float p[3];
        tiny_tube_point(v, p);
        joints[v][0] = (uint8_t)place[rig->lower];
        joints[v][1] = (uint8_t)place[rig->upper];
        weights[v][1] = tiny_upper_weight(p[1]);
        weights[v][0] = 1 - weights[v][1];
    }
    int positions = tiny_positions(t, &(TinyOptions){0}), indices = tiny_tube_indices(t);
    int joints_at = tiny_accessor(t, (TinyAt){tiny_view(t, joints, sizeof joints, 0), 0}, 5121, "VEC4", TINY_TUBE, "");
    int weights_at = tiny_floats(t, &weights[0][0], "VEC4", 4, TINY_TUBE);
    int keys = tiny_floats(t, times, "SCALAR", 1, 2), values = tiny_floats(t, &turns[0][0], "VEC4", 4, 2);
    tiny_print(
        t->json, sizeof t->json, &t->json_size,
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"JOINTS_0\":%d,\"WEIGHTS_0\":%d},\"indices\":%d}]}],"
        "\"animations\":[{\"name\":\"bend\",\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":[{\"sampler\":0,"
        "\"target\":{\"node\":%d,\"path\":\"rotation\"}}]}],\"bufferViews\":[%s],\"accessors\":[%s],",
        positions, joints_at, weights_at, indices, keys, values, rig->upper, t->views, t->accessors);
    return tiny_glb(t, size);
}

/// `tolerance`: farthest from linear blending of the file's weights.
static void try_method(const PeltCharacter *who, const Rig *rig, const char *method, const char *weights, float tolerance)
{
    PeltError err = {0};
    PeltPose *pose;
    PeltSkin *skin;
    PeltSkinDef def = pelt_skin_def_default();
    def.method = method;
    const char *settings[] = {weights, "body-vertices=300"}; // the tube is open: flesh is solved on a body made from it
    def.settings = settings;
    def.setting_count = 2;
    if (pelt_pose_create(who, &pose, &err) || pelt_skin_create(&def, who, &skin, &err))
        fail_msg("%s, %s, %s: %s", rig->what, method, weights, err.text);
    for (int frame = 0; frame <= 3; frame++) {
        double angle = 0.5 * 3.14159265358979 * frame / 3;
        pelt_pose_from_clip(pose, 0, frame / 3.0);
        pelt_skin_step(skin, pose, 1.0f / 30, NULL);
        const float *x = pelt_skin_positions(skin);
        for (int v = 0; v < TINY_TUBE; v++) {
            float p[3];
            tiny_tube_point(v, p);
            Vec3 at = vec3(x[3 * v], x[3 * v + 1], x[3 * v + 2]);
            float share = tiny_upper_weight(p[1]);
            Vec3 wanted = vec3_lerp(vec3(p[0], p[1], p[2]), carried(rig, rig->upper, angle, p), share);
            if (!vec3_finite(at) || !(vec3_distance(at, wanted) <= tolerance))
                fail_msg("%s, %s, %s: frame %d vertex %d at (%g, %g, %g), %g from linear blending", rig->what, method, weights,
                         frame, v, (double)at.x, (double)at.y, (double)at.z, (double)vec3_distance(at, wanted));
        }
    }
    pelt_skin_destroy(skin);
    pelt_pose_destroy(pose);
}

static void every_rig_is_read_and_played(void **state)
{
    (void)state;
    for (int r = 0; r < RIG_COUNT; r++) {
        PeltError err = {0};
        PeltCharacter *who;
        size_t size;
        unsigned char *glb = make(&RIGS[r], &size);
        if (pelt_character_load_memory(glb, size, NULL, &who, &err) != PELT_OK)
            fail_msg("%s: %s", RIGS[r].what, err.text);
        assert_true(pelt_character_info(who).weights_sane);
        try_method(who, &RIGS[r], "lbs", "weights=file", 1e-5f);
        bool apart =
            strcmp(RIGS[r].what, "bones of no length") != 0; // in one place they cannot share a tube: finite is all there is
        int methods = pelt_method_count(), first = TEST_WORK(0, r % methods), end = TEST_WORK(methods, first + 1);
        for (int m = first; m < end; m++)
            try_method(who, &RIGS[r], pelt_method_name(m), "weights=file", apart ? 1 : 3);
        if (r % TEST_WORK(1, 6) == 0)
            try_method(who, &RIGS[r], "lbs", "weights=auto", apart ? 1 : 3);
        if (r % TEST_WORK(4, 12) == 0) // weights are what they are, whoever blends by them
            try_method(who, &RIGS[r], pelt_method_default(), "weights=auto", apart ? 1 : 3);
        pelt_character_destroy(who);
        free(glb);
    }
}

static void one_tube_rests_in_one_place_whatever_carries_it(void **state)
{
    (void)state;
    for (int r = 0; r < RIG_COUNT; r++) {
        PeltCharacter *who;
        size_t size;
        unsigned char *glb = make(&RIGS[r], &size);
        assert_int_equal(pelt_character_load_memory(glb, size, NULL, &who, NULL), PELT_OK);
        const float *x = pelt_character_rest(who);
        for (int v = 0; v < TINY_TUBE; v++) {
            float p[3];
            tiny_tube_point(v, p);
            CHECK_NEAR(vec3_distance(vec3(x[3 * v], x[3 * v + 1], x[3 * v + 2]), vec3(p[0], p[1], p[2])), 0, 1e-5);
        }
        pelt_character_destroy(who);
        free(glb);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_tube_rests_in_one_place_whatever_carries_it),
        cmocka_unit_test(every_rig_is_read_and_played),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
