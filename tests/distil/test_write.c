/// The files of a distilled skin, read back and blended, play as its rules say.
/// They have several meshes, skins, targets of their own and nodes that share a mesh.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "folder.h"

#include "schema_keys.h"
#include "character/targets.h"
#include "character/weights.h"
#include "distil/write.h"

#include <pelt/make.h>

typedef struct Subject {
    PeltiGltf *doc;
    PeltiCharacter *who;
    PeltiPool pool;
    PeltiDistilSkin skin;
} Subject;

static void open_subject(Subject *s, const char *path)
{
    PeltError err;
    *s = (Subject){0};
    OK(pelti_gltf_open(path, NULL, &s->doc, &err));
    OK(pelti_gltf_character(s->doc, NULL, &s->who, &err));
    pelti_pool_init(&s->pool, NULL);
}

static void close_subject(Subject *s)
{
    pelti_character_destroy(s->who);
    pelti_gltf_close(s->doc);
    pelti_pool_release(&s->pool);
}

/// A helper for every bone that has a parent, of every kind in turn.
static void invent_helpers(Subject *s, int *helper_of)
{
    PeltiHelper *helpers = PELTI_NEW(&s->pool, PeltiHelper, s->who->bone_count);
    for (int b = 0; b < s->who->bone_count; b++) {
        const PeltiBone *bone = &s->who->bones[b];
        helper_of[b] = -1;
        if (bone->parent < 0 || bone->is_prop || s->skin.helper_count == 40)
            continue;
        int h = helper_of[b] = s->skin.helper_count++;
        char name[160];
        snprintf(name, sizeof name, "%.100s.half", s->who->nodes[bone->node].name);
        Vec3 axis = vec3_normalize_or(quat_rotate(quat_conjugate(bone->bind_turn), vec3(1, 0, 0)), vec3(1, 0, 0));
        helpers[h] = (PeltiHelper){.name = pelti_pool_text(&s->pool, name),
                                   .parent = bone->parent,
                                   .driver = b,
                                   .kind = h % 3 == 1 ? PELTI_HELPER_TWIST : PELTI_HELPER_TURN,
                                   .fraction = h % 3 == 1 ? 0.333f : 0.5f,
                                   .axis = axis,
                                   .head = bone->head,
                                   .offset = vec3(0, h % 3 == 2 ? 0.02f : 0, 0)};
    }
    s->skin.helpers = helpers;
}

/// Rows of `influences`, sorted or not: the file's, of which each first weight gives a half to the helper of its bone.
static void invent_weights(Subject *s, const int *helper_of, int influences)
{
    const PeltiWeights *file = &s->who->file_weights;
    int *bone = PELTI_NEW(&s->pool, int, (size_t)s->who->point_count *(size_t)influences);
    float *weight = PELTI_NEW(&s->pool, float, (size_t)s->who->point_count *(size_t)influences);
    for (int p = 0; p < s->who->point_count; p++) {
        float sum = 0, *w = weight + (size_t)p * (size_t)influences;
        int *b = bone + (size_t)p * (size_t)influences, used = 0;
        for (int k = 0; k < file->influences && used < influences - 1; k++) {
            int at_file = p * file->influences + k, from = file->bone[at_file];
            float value = file->weight[at_file];
            if (value <= 0)
                continue;
            if (used == 0 && helper_of[from] >= 0) {
                b[used] = s->who->bone_count + helper_of[from];
                w[used++] = value * 0.5f;
                value *= 0.5f;
            }
            b[used] = from;
            w[used++] = value;
        }
        for (int k = 0; k < used; k++)
            sum += w[k];
        for (int k = 0; k < used; k++)
            w[k] /= sum;
    }
    s->skin.weights = (PeltiWeights){influences, bone, weight};
}

/// Correctives: a few points, a third of them, all of them; driven by one joint or two, beyond their ends in some poses.
static void invent_correctives(Subject *s, int count)
{
    PeltiCorrective *correctives = PELTI_NEW(&s->pool, PeltiCorrective, count);
    PeltiDistilDrive *drives = PELTI_NEW(&s->pool, PeltiDistilDrive, (size_t)2 * (size_t)count);
    PeltiDistilTerm *terms = PELTI_NEW(&s->pool, PeltiDistilTerm, (size_t)2 * (size_t)count);
    for (int c = 0; c < count && s->skin.helper_count > 0; c++) {
        int step = c % 3 == 0 ? 1 : c % 3 == 1 ? 3 : 50, points = 0;
        int *point = PELTI_NEW(&s->pool, int, s->who->point_count);
        Vec3 *offset = PELTI_NEW(&s->pool, Vec3, s->who->point_count);
        for (int p = c; p < s->who->point_count; p += step)
            if (s->who->instances[s->who->point_instance[p]].skin >= 0) {
                point[points] = p;
                offset[points++] = vec3(0.001f * (float)(p % 7), 0.002f * (float)(c + 1), -0.001f * (float)(p % 5));
            }
        const PeltiHelper *helper = &s->skin.helpers[c % s->skin.helper_count];
        char name[32];
        snprintf(name, sizeof name, "corrective %d", c);
        correctives[c] = (PeltiCorrective){.name = pelti_pool_text(&s->pool, name),
                                           .joint = helper->driver,
                                           .term_count = 1 + c % 2,
                                           .terms = terms + (size_t)2 * (size_t)c,
                                           .low = -0.3f,
                                           .high = 0.8f,
                                           .count = points,
                                           .points = point,
                                           .offsets = offset};
        drives[2 * c] = (PeltiDistilDrive){helper->driver, vec3(0.6f, 0.64f, 0.48f), 0, 1.1f};
        drives[2 * c + 1] = (PeltiDistilDrive){helper->parent, vec3(0.6f, 0, -0.8f), 0.1f, -0.8f};
        terms[2 * c] = (PeltiDistilTerm){1.2f, {2 * c, -1}};
        terms[2 * c + 1] = (PeltiDistilTerm){-0.9f, {2 * c, 2 * c + 1}};
        s->skin.corrective_count++;
    }
    s->skin.drive_count = 2 * s->skin.corrective_count;
    s->skin.drives = drives;
    s->skin.correctives = correctives;
}

static void invent(Subject *s, int influences)
{
    int *helper_of = PELTI_NEW(&s->pool, int, s->who->bone_count);
    s->skin = (PeltiDistilSkin){.who = s->who, .joint_count = s->who->bone_count};
    invent_helpers(s, helper_of);
    invent_weights(s, helper_of, influences);
    invent_correctives(s, 7);
    assert_false(s->pool.failed);
}

/// Rest points with the targets of the pose.
static void morph(Subject *s, const PeltiPose *pose, Vec3 *rest)
{
    memcpy(rest, s->who->rest_points, (size_t)s->who->point_count * sizeof *rest);
    for (int t = 0; t < s->who->target_count; t++)
        for (int i = 0; i < s->who->targets[t].count; i++)
            rest[s->who->targets[t].points[i]] =
                vec3_mad(rest[s->who->targets[t].points[i]], s->who->targets[t].offsets[i], pose->morph[t]);
}

typedef struct Player {
    Subject *s;
    PeltiPose pose;
    PeltiNodeMatrix *node_matrix;
    Mat34 *bones;
    Vec3 *rest, *points;
} Player;

static Player new_player(Subject *s)
{
    Player p = {s,
                pelti_pose_new(&s->pool, s->who),
                PELTI_NEW(&s->pool, PeltiNodeMatrix, s->who->node_count),
                PELTI_NEW(&s->pool, Mat34, s->who->bone_count + s->skin.helper_count),
                PELTI_NEW(&s->pool, Vec3, s->who->point_count),
                PELTI_NEW(&s->pool, Vec3, s->who->point_count)};
    assert_false(s->pool.failed);
    return p;
}

/// Clip -1: the file's pose.
static void pose(Player *p, int clip, double time_s)
{
    if (clip < 0)
        pelti_pose_file(p->s->who, &p->pose);
    else
        pelti_pose_clip(p->s->who, &p->s->who->clips[clip], time_s, &p->pose);
    morph(p->s, &p->pose, p->rest);
    pelti_pose_bones(p->s->who, &p->pose, p->node_matrix, p->bones);
}

static void play_rules(Player *p)
{
    PeltiJoint *joints = PELTI_NEW(&p->s->pool, PeltiJoint, p->s->who->bone_count);
    PeltiDistilDriven driven = pelti_distil_driven_new(&p->s->pool, &p->s->skin);
    Mat34 *matrices = PELTI_NEW(&p->s->pool, Mat34, p->s->who->bone_count + p->s->skin.helper_count);
    pelti_joints_pose(p->s->who, &p->pose, joints);
    pelti_distil_drive(&p->s->skin, joints, &driven);
    pelti_distil_matrices(&p->s->skin, p->bones, &driven, matrices);
    pelti_distil_play(&p->s->skin, matrices, &driven, p->rest, p->points);
}

static void play_file(Player *p)
{
    for (int i = 0; i < p->s->who->point_count; i++)
        p->points[i] = pelti_weights_blend(&p->s->who->file_weights, i, p->bones, p->rest[i]);
}

/// Largest distance between the points of nodes of the same number: meshes may have been copied, which moves instances about.
static float compare(const Player *a, const Player *b)
{
    float most = 0;
    for (int i = 0; i < a->s->who->instance_count; i++)
        for (int k = 0; k < b->s->who->instance_count; k++) {
            const PeltiInstance *x = &a->s->who->instances[i], *y = &b->s->who->instances[k];
            if (x->node != y->node)
                continue;
            assert_int_equal(x->point_count, y->point_count);
            for (int p = 0; p < x->point_count; p++)
                most = fmaxf(most, vec3_distance(a->points[x->first_point + p], b->points[y->first_point + p]));
        }
    return most;
}

/// Every frame of every clip, and the file's pose.
static void check_played(Subject *s, Subject *back, double fps)
{
    Player rules = new_player(s), file = new_player(back);
    assert_int_equal(s->who->clip_count, back->who->clip_count);
    assert_int_equal(s->who->point_count, back->who->point_count);
    for (int c = -1; c < s->who->clip_count; c++) {
        int frames = c < 0 ? 1 : pelti_clip_frames(&s->who->clips[c], fps);
        if (c >= 0)
            CHECK_NEAR(back->who->clips[c].duration_s, s->who->clips[c].duration_s, 1e-6);
        for (int f = 0; f < frames; f++) {
            pose(&rules, c, f / fps);
            pose(&file, c, f / fps);
            play_rules(&rules);
            play_file(&file);
            CHECK_NEAR(compare(&rules, &file), 0, 1e-5 * (double)s->who->mesh->diagonal);
        }
    }
}

static void write_and_check(const char *path, int influences, const char *name)
{
    Subject s, back;
    PeltError err = {0};
    open_subject(&s, path);
    invent(&s, influences);
    OK(pelti_distil_write(
        &(PeltiDistilWriteDef){
            .distilled = &s.skin, .document = s.doc, .path = at(name), .method = "lbs", .log = NULL, .fps = 12},
        &err));
    open_subject(&back, at(name));
    assert_true(back.who->file_weights.influences <= influences);
    check_played(&s, &back, 12);
    close_subject(&back);
    close_subject(&s);
}

static void a_file_of_everything_plays_as_the_rules_say(void **state)
{
    (void)state;
    write_and_check(PELT_SOURCE_DIR "/tests/io/kept/kept.gltf", 4, "kept.glb");
    write_and_check(PELT_SOURCE_DIR "/tests/io/kept/kept.gltf", 8, "kept8.gltf");
    assert_int_equal(entries(false), 4);
}

static void nothing_appears_where_it_cannot_be_written(void **state)
{
    (void)state;
    Subject s;
    PeltError err = {0};
    open_subject(&s, PELT_SOURCE_DIR "/tests/io/kept/kept.gltf");
    invent(&s, 4);
    PeltiDistilWriteDef def = {.distilled = &s.skin, .document = s.doc, .path = at("kept.obj"), .method = "lbs"};
    assert_int_equal(pelti_distil_write(&def, &err), PELT_BAD_ARGUMENT);
    def.path = at("absent/kept.glb");
    assert_int_equal(pelti_distil_write(&def, &err), PELT_IO);
    assert_int_equal(entries(false), 0);
    close_subject(&s);
}

static void a_dressed_character_plays_as_the_rules_say(void **state)
{
    (void)state;
    PeltError err = {0};
    PeltMakeDef def = pelt_make_def_default();
    def.name = "beast";
    def.vertices = 700;
    def.seed = 5;
    def.clip = "random";
    def.dress = "all";
    OK(pelt_make_file(&def, at("made.glb"), NULL, &err));
    write_and_check(at("made.glb"), 4, "out.glb");
    check_same_keys(PELT_SOURCE_DIR "/docs/schema/drivers.schema.json", at("out.drivers.json"), NULL);
}

static void strangers_files_play_as_the_rules_say(void **state)
{
    (void)state;
    static const char *const names[] = {"RecursiveSkeletons.glb", "RiggedFigure.glb", "RiggedSimple.glb", "SimpleSkin.gltf"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (shared_file(names[i]))
            write_and_check(shared_file(names[i]), 4, "stranger.glb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_of_everything_plays_as_the_rules_say, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(nothing_appears_where_it_cannot_be_written, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_dressed_character_plays_as_the_rules_say, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(strangers_files_play_as_the_rules_say, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
