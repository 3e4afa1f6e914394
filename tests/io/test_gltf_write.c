/// A baked .glb plays the frames, keeps everything else of the file, and appears whole or not at all.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "folder.h"
#include "io/output.h"
#include "json_text.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

/// A character with frames of its own: its weights, its clip, and a wave that no few targets span.
typedef struct Subject {
    PeltiGltf *doc;
    PeltiCharacter *who;
    PeltiPool pool;
    int frame_count;
    Vec3 **points, **normals; // [frame_count]
    PeltiPose *poses;         // [frame_count]
} Subject;

static void skin_frame(const PeltiCharacter *who, const Mat34 *bones, float wave, float phase, Vec3 *points, Vec3 *normals)
{
    for (int p = 0; p < who->point_count; p++) {
        Vec3 rest = who->rest_points[p], sum = vec3(0, 0, 0);
        for (int k = 0; k < who->file_weights.influences; k++) {
            size_t at_k = (size_t)p * (size_t)who->file_weights.influences + (size_t)k;
            sum = vec3_mad(sum, mat34_apply(bones[who->file_weights.bone[at_k]], rest), who->file_weights.weight[at_k]);
        }
        float size = who->mesh->diagonal;
        sum.x += wave * size * sinf(20 * rest.y / size + phase) * phase;
        points[p] = sum;
        normals[p] = vec3_normalize_or(vec3(sinf(phase), cosf(phase), 0.3f + rest.x / size), vec3(0, 0, 1));
    }
}

static Subject open_subject(const char *path, int frame_count, double fps, float wave)
{
    PeltError err;
    Subject s = {.frame_count = frame_count};
    OK(pelti_gltf_open(path, NULL, &s.doc, &err));
    OK(pelti_gltf_character(s.doc, NULL, &s.who, &err));
    pelti_pool_init(&s.pool, NULL);
    s.points = PELTI_NEW(&s.pool, Vec3 *, frame_count);
    s.normals = PELTI_NEW(&s.pool, Vec3 *, frame_count);
    s.poses = PELTI_NEW(&s.pool, PeltiPose, frame_count);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&s.pool, PeltiNodeMatrix, s.who->node_count);
    Mat34 *bones = PELTI_NEW(&s.pool, Mat34, s.who->bone_count);
    for (int f = 0; f < frame_count; f++) {
        s.points[f] = PELTI_NEW(&s.pool, Vec3, s.who->point_count);
        s.normals[f] = PELTI_NEW(&s.pool, Vec3, s.who->point_count);
        s.poses[f] = pelti_pose_new(&s.pool, s.who);
        assert_false(s.pool.failed);
        pelti_pose_clip(s.who, s.who->clip_count ? &s.who->clips[0] : NULL, f / fps, &s.poses[f]);
        pelti_pose_bones(s.who, &s.poses[f], node_matrix, bones);
        skin_frame(s.who, bones, wave, (float)(f / fps), s.points[f], s.normals[f]);
    }
    return s;
}

static void close_subject(Subject *s)
{
    pelti_pool_release(&s->pool);
    pelti_character_destroy(s->who);
    pelti_gltf_close(s->doc);
}

static PeltiOutputDef def_of(const Subject *s, double fps)
{
    return (PeltiOutputDef){
        .who = s->who, .document = s->doc, .frames = {.frame_count = s->frame_count, .fps = fps}, .has_normals = true};
}

static PeltiOutputReport write_all(const Subject *s, const PeltiOutputDef *def, const char *const *paths, int count)
{
    PeltError err;
    PeltiOutput *output;
    PeltiOutputReport report;
    OK(pelti_output_open(def, paths, count, &output, &err));
    for (int f = 0; f < s->frame_count; f++)
        OK(pelti_output_frame(output, s->points[f], s->normals[f], def->play_pose ? &s->poses[f] : NULL, &err));
    OK(pelti_output_commit(output, NULL, &report, &err));
    pelti_output_destroy(output);
    return report;
}

/// The weights of a node in the first clip of the result; its key times are checked.
static float *read_weights(const PeltiGltf *doc, PeltiPool *pool, int node, const PeltiSinkFrames *frames, int *target_count)
{
    PeltError err;
    PeltiJson *clip = pelti_json_at(pelti_json_get(doc->root, "animations"), 0), *channels = pelti_json_get(clip, "channels");
    for (int i = 0; i < pelti_json_count(channels); i++) {
        PeltiJson *channel = pelti_json_at(channels, i), *target = pelti_json_get(channel, "target");
        if (pelti_json_int_of(pelti_json_get(target, "node"), -1) != node ||
            strcmp(pelti_json_text_of(pelti_json_get(target, "path")), "weights") != 0)
            continue;
        PeltiJson *sampler =
            pelti_json_at(pelti_json_get(clip, "samplers"), (int)pelti_json_int_of(pelti_json_get(channel, "sampler"), -1));
        int input = (int)pelti_json_int_of(pelti_json_get(sampler, "input"), -1);
        int output = (int)pelti_json_int_of(pelti_json_get(sampler, "output"), -1);
        assert_int_equal(doc->accessors[input].count, frames->frame_count);
        float *times = PELTI_NEW(pool, float, frames->frame_count);
        OK(pelti_gltf_floats(doc, input, 1, times, &err));
        for (int f = 0; f < frames->frame_count; f++)
            CHECK_NEAR(times[f], (frames->start_frame + f) / frames->fps, 1e-5);
        *target_count = doc->accessors[output].count / frames->frame_count;
        float *weights = PELTI_NEW(pool, float, doc->accessors[output].count);
        OK(pelti_gltf_floats(doc, output, 1, weights, &err));
        return weights;
    }
    fail_msg("node %d has no weights in the first clip", node);
    return NULL;
}

static Vec3 *read_vectors(const PeltiGltf *doc, PeltiPool *pool, const PeltiJson *attributes, const char *name, int count)
{
    PeltError err;
    int accessor = (int)pelti_json_int_of(pelti_json_get(attributes, name), -1);
    assert_true(accessor >= 0);
    assert_int_equal(doc->accessors[accessor].count, count);
    Vec3 *values = PELTI_NEW(pool, Vec3, count);
    OK(pelti_gltf_floats(doc, accessor, 3, &values->x, &err));
    return values;
}

typedef struct Played {
    double error;  // largest distance
    double normal; // largest angle, degrees
    int parts;
} Played;

/// A primitive with the weights of its targets, [frame_count x target_count], and which of the points it shows.
typedef struct Part {
    const PeltiGltf *doc;
    PeltiPool *pool;
    PeltiJson *primitive;
    const float *weights;
    int target_count, frame_count, first, count;
} Part;

/// Plays one attribute of a part at every frame.
static void play(const Part *part, const char *name, Vec3 *const *frames, Played *played)
{
    int target_count = part->target_count, count = part->count;
    Vec3 *base = read_vectors(part->doc, part->pool, pelti_json_get(part->primitive, "attributes"), name, count);
    Vec3 **targets = PELTI_NEW(part->pool, Vec3 *, target_count);
    PeltiJson *list = pelti_json_get(part->primitive, "targets");
    assert_int_equal(pelti_json_count(list), target_count);
    for (int k = 0; k < target_count; k++)
        targets[k] = read_vectors(part->doc, part->pool, pelti_json_at(list, k), name, count);
    for (int f = 0; f < part->frame_count; f++)
        for (int p = 0; p < count; p++) {
            Vec3 v = base[p], expected = frames[f][part->first + p];
            for (int k = 0; k < target_count; k++)
                v = vec3_mad(v, targets[k][p], part->weights[f * target_count + k]);
            if (strcmp(name, "NORMAL") == 0)
                played->normal =
                    fmax(played->normal, 57.3 * (double)acosf(fminf(1, vec3_dot(vec3_normalize_or(v, expected), expected))));
            else
                played->error = fmax(played->error, (double)vec3_distance(v, expected));
        }
}

/// The node that shows an instance in the result: the same one, or a new one named after it.
static int shown_by(const PeltiGltf *doc, const char *name, int node)
{
    char wanted[128];
    snprintf(wanted, sizeof wanted, "%s_baked", name);
    PeltiJson *nodes = pelti_json_get(doc->root, "nodes");
    for (int i = 0; i < doc->node_count; i++) {
        const char *text = pelti_json_text_of(pelti_json_get(pelti_json_at(nodes, i), "name"));
        if (text && strcmp(text, wanted) == 0)
            return i;
    }
    return node;
}

static Played play_all(const Subject *s, const char *path, const PeltiSinkFrames *frames)
{
    PeltError err;
    Played played = {0};
    PeltiGltf *doc;
    OK(pelti_gltf_open(path, NULL, &doc, &err));
    PeltiPool pool;
    pelti_pool_init(&pool, NULL);
    for (int i = 0; i < s->who->instance_count; i++) {
        const PeltiInstance *instance = &s->who->instances[i];
        if (instance->skin < 0)
            continue;
        int node = shown_by(doc, s->who->nodes[instance->node].name, instance->node);
        PeltiJson *json = pelti_json_at(pelti_json_get(doc->root, "nodes"), node);
        assert_int_equal(doc->nodes[node].parent, -1);
        assert_int_equal(doc->nodes[node].skin, -1);
        assert_true(doc->nodes[node].live);
        const char *placing[] = {"matrix", "translation", "rotation", "scale", "weights"};
        for (int k = 0; k < 5; k++)
            assert_null(pelti_json_get(json, placing[k]));
        int target_count = 0, first = instance->first_point;
        float *weights = read_weights(doc, &pool, node, frames, &target_count);
        const PeltiGltfMesh *mesh = &doc->meshes[doc->nodes[node].mesh];
        PeltiJson *primitives =
            pelti_json_get(pelti_json_at(pelti_json_get(doc->root, "meshes"), doc->nodes[node].mesh), "primitives");
        for (int k = 0; k < mesh->primitive_count; k++) {
            int count = doc->primitives[mesh->first_primitive + k].point_count;
            PeltiJson *primitive = pelti_json_at(primitives, k), *attributes = pelti_json_get(primitive, "attributes");
            assert_null(pelti_json_get(attributes, "JOINTS_0"));
            assert_null(pelti_json_get(attributes, "WEIGHTS_0"));
            Part part = {doc, &pool, primitive, weights, target_count, s->frame_count, first, count};
            play(&part, "POSITION", s->points, &played);
            if (pelti_json_get(attributes, "NORMAL"))
                play(&part, "NORMAL", s->normals, &played);
            first += count;
            played.parts++;
        }
        assert_int_equal(first, instance->first_point + instance->point_count);
    }
    assert_false(pool.failed);
    pelti_pool_release(&pool);
    pelti_gltf_close(doc);
    return played;
}

static void result_plays_the_frames(void **state)
{
    (void)state;
    const char *names[] = {"hand.glb", "RecursiveSkeletons.glb", "SimpleSkin.gltf", "RiggedFigure.glb"};
    for (int i = 0; i < 4; i++) {
        const char *path = shared_file(names[i]);
        if (!path)
            skip();
        Subject s = open_subject(path, 25, 12, 0.02f);
        PeltiOutputDef def = def_of(&s, 12);
        const char *paths[] = {at("a.glb"), at("a.gltf")};
        PeltiOutputReport report = write_all(&s, &def, paths, 2);
        double size = (double)s.who->mesh->diagonal, rounding = 2e-6 * size;
        assert_true((double)report.morph_error <= 5e-4 * size);
        assert_true(report.morph_targets > 1 && report.morph_targets < 24);
        CHECK_NEAR(report.morph_error_share, (double)report.morph_error / size, 1e-7);
        for (int k = 0; k < 2; k++) {
            Played played = play_all(&s, paths[k], &def.frames);
            assert_true(played.parts > 0);
            assert_true(played.error <= (double)report.morph_error + rounding);
            assert_true(played.error >= (double)report.morph_error - rounding);
        }
        def.morph = PELTI_MORPH_EACH_FRAME;
        report = write_all(&s, &def, paths, 2);
        assert_int_equal(report.morph_targets, 24);
        assert_true((double)report.morph_error <= 1e-5 * size);
        Played played = play_all(&s, paths[0], &def.frames);
        assert_true(played.error <= (double)report.morph_error);
        assert_true(played.normal < 0.1);
        close_subject(&s);
    }
}

/// A tighter tolerance needs more targets and keeps its word; a cap is a cap, and is owned up to.
static void tolerance_and_cap_hold(void **state)
{
    (void)state;
    const char *path = shared_file("hand.glb");
    if (!path)
        skip();
    Subject s = open_subject(path, 40, 20, 0.05f);
    PeltiOutputDef def = def_of(&s, 20);
    const char *out = at("a.glb");
    int before = 0;
    for (float tolerance = 1e-2f; tolerance > 1e-6f; tolerance *= 0.1f) {
        def.morph_tolerance = tolerance;
        PeltiOutputReport report = write_all(&s, &def, &out, 1);
        assert_true(report.morph_error_share <= tolerance);
        assert_true(report.morph_targets >= before);
        before = report.morph_targets;
    }
    PeltiLog log;
    pelti_log_init(&log, NULL);
    def.morph_most = 3;
    def.log = &log;
    PeltiOutputReport report = write_all(&s, &def, &out, 1);
    assert_int_equal(report.morph_targets, 3);
    assert_true(report.morph_error_share > 1e-5f);
    bool told = false;
    for (int i = 0; i < pelti_log_count(&log); i++)
        told |= strcmp(pelti_log_get(&log, i)->code, "morph-tolerance") == 0;
    assert_true(told);
    pelti_log_release(&log);
    close_subject(&s);
}

static uint64_t hash_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    uint64_t hash = 5381;
    for (int c; (c = fgetc(f)) != EOF;)
        hash = hash * 33 + (uint64_t)c;
    fclose(f);
    return hash;
}

static void same_bytes_for_any_number_of_threads(void **state)
{
    (void)state;
    const char *path = shared_file("hand.glb");
    if (!path)
        skip();
    Subject s = open_subject(path, 30, 15, 0.02f);
    PeltiOutputDef def = def_of(&s, 15);
    const char *out = at("a.glb");
    uint64_t one = 0;
    for (int threads = 1; threads <= 5; threads += 2) {
        def.jobs = pelti_jobs_create(threads);
        write_all(&s, &def, &out, 1);
        pelti_jobs_destroy(def.jobs);
        if (threads == 1)
            one = hash_file(out);
        assert_true(hash_file(out) == one);
    }
    close_subject(&s);
}

static const char *text_at(PeltiJson *root, const char *list, int index, const char *key)
{
    return pelti_json_text_of(pelti_json_get(pelti_json_at(pelti_json_get(root, list), index), key));
}

static bool same_text(PeltiJson *a, PeltiJson *b)
{
    PeltiArray texts[2] = {json_text(a, false), json_text(b, false)};
    bool same = a && b && strcmp(texts[0].data, texts[1].data) == 0;
    for (int i = 0; i < 2; i++)
        pelti_array_release(&texts[i]);
    return same;
}

/// What no skin has a part in is untouched as a whole.
static void check_nodes(PeltiJson *root, PeltiJson *old)
{
    const char *same[] = {"asset",     "extensionsUsed", "extensions", "extras", "cameras",
                          "materials", "textures",       "samplers",   "skins"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(same_text(pelti_json_get(root, same[i]), pelti_json_get(old, same[i])));
    assert_true(same_text(pelti_json_at(pelti_json_get(root, "meshes"), 1), pelti_json_at(pelti_json_get(old, "meshes"), 1)));
    const int kept_nodes[] = {1, 2, 4, 5, 7, 8, 9};
    for (int i = 0; i < 7; i++)
        assert_true(same_text(pelti_json_at(pelti_json_get(root, "nodes"), kept_nodes[i]),
                              pelti_json_at(pelti_json_get(old, "nodes"), kept_nodes[i])));
    // "body" was a leaf: it is the same node, at the root; "twin" has a child: it stays where it was, without the mesh
    PeltiJson *body = pelti_json_at(pelti_json_get(root, "nodes"), 3), *twin = pelti_json_at(pelti_json_get(root, "nodes"), 6);
    assert_true(
        same_text(pelti_json_get(body, "extras"), pelti_json_get(pelti_json_at(pelti_json_get(old, "nodes"), 3), "extras")));
    assert_null(pelti_json_get(twin, "mesh"));
    assert_int_equal(pelti_json_count(pelti_json_get(twin, "children")), 1);
    assert_non_null(pelti_json_get(twin, "rotation"));
    assert_string_equal(text_at(root, "nodes", 10, "name"), "twin_baked");
}

/// Each of the two has a mesh of its own, with names, materials, UVs and extras.
static void check_meshes(PeltiJson *root, PeltiJson *old)
{
    assert_int_equal(pelti_json_count(pelti_json_get(root, "meshes")), 3);
    for (int m = 0; m < 3; m += 2) {
        PeltiJson *mesh = pelti_json_at(pelti_json_get(root, "meshes"), m);
        assert_string_equal(text_at(root, "meshes", m, "name"), "bodymesh");
        assert_non_null(pelti_json_get(pelti_json_get(mesh, "extras"), "mesh"));
        PeltiJson *names = pelti_json_get(pelti_json_get(mesh, "extras"), "targetNames"),
                  *old_names =
                      pelti_json_get(pelti_json_get(pelti_json_at(pelti_json_get(old, "meshes"), 0), "extras"), "targetNames");
        assert_true(pelti_json_count(old_names) > 0 && same_text(pelti_json_at(names, 0), pelti_json_at(old_names, 0)));
        assert_int_equal(pelti_json_count(names), pelti_json_count(pelti_json_get(mesh, "weights")));
        PeltiJson *first = pelti_json_at(pelti_json_get(mesh, "primitives"), 0);
        assert_non_null(pelti_json_get(first, "extras"));
        assert_non_null(pelti_json_get(pelti_json_get(first, "attributes"), "TEXCOORD_0"));
        assert_null(pelti_json_get(pelti_json_get(first, "attributes"), "TANGENT"));
        PeltiJson *second = pelti_json_at(pelti_json_get(mesh, "primitives"), 1);
        assert_int_equal(pelti_json_int_of(pelti_json_get(second, "material"), -1), 1);
        assert_null(pelti_json_get(pelti_json_get(second, "attributes"), "NORMAL")); // flat it was and flat it stays
    }
}

/// The picture is inside, byte for byte.
static void check_picture(const PeltiGltf *doc)
{
    PeltiJson *root = doc->root;
    PeltiJson *image = pelti_json_at(pelti_json_get(root, "images"), 0);
    assert_null(pelti_json_get(image, "uri"));
    assert_string_equal(pelti_json_text_of(pelti_json_get(image, "mimeType")), "image/png");
    const PeltiGltfView *view = &doc->views[pelti_json_int_of(pelti_json_get(image, "bufferView"), -1)];
    unsigned char picture[1024];
    FILE *f = fopen(PELT_SOURCE_DIR "/tests/io/kept/kept texture.png", "rb");
    size_t size = fread(picture, 1, sizeof picture, f);
    fclose(f);
    assert_int_equal(view->size, size);
    assert_memory_equal(doc->buffers[0].bytes + view->offset, picture, size);
}

static void everything_else_is_kept(void **state)
{
    (void)state;
    PeltError err;
    Subject s = open_subject(PELT_SOURCE_DIR "/tests/io/kept/kept.gltf", 16, 15, 0.0f);
    PeltiLog log;
    pelti_log_init(&log, NULL);
    PeltiOutputDef def = def_of(&s, 15);
    def.log = &log;
    const char *out = at("kept.glb");
    write_all(&s, &def, &out, 1);
    Played played = play_all(&s, out, &def.frames);
    assert_int_equal(played.parts, 4); // two primitives, twice
    PeltiGltf *doc;
    OK(pelti_gltf_open(out, NULL, &doc, &err));
    PeltiJson *root = doc->root, *old = s.doc->root;
    check_nodes(root, old);
    check_meshes(root, old);
    check_picture(doc);
    // the baked clip first, the one that moved nothing but skin gone, the prop's kept
    assert_int_equal(doc->clip_count, 2);
    assert_string_equal(text_at(root, "animations", 0, "name"), "walk");
    assert_string_equal(text_at(root, "animations", 1, "name"), "swing");
    assert_int_equal(pelti_json_count(pelti_json_get(pelti_json_at(pelti_json_get(root, "animations"), 0), "channels")), 3);
    // scenes
    PeltiJson *stage = pelti_json_at(pelti_json_get(root, "scenes"), 0),
              *other = pelti_json_at(pelti_json_get(root, "scenes"), 1);
    assert_int_equal(pelti_json_count(pelti_json_get(stage, "nodes")), 3);
    assert_int_equal(pelti_json_count(pelti_json_get(other, "nodes")), 1);
    assert_non_null(pelti_json_get(stage, "extras"));
    // what was changed is said
    const char *codes[] = {"tangents-dropped", "clip-dropped"};
    for (int c = 0; c < 2; c++) {
        bool told = false;
        for (int i = 0; i < pelti_log_count(&log); i++)
            told |= strcmp(pelti_log_get(&log, i)->code, codes[c]) == 0;
        assert_true(told);
    }
    pelti_gltf_close(doc);
    pelti_log_release(&log);
    close_subject(&s);
}

/// The file's own targets come first, without weight, and move the points of frame 0 as blending moves what they do at rest.
static void own_targets_stay_and_turn_with_the_skin(void **state)
{
    (void)state;
    PeltError err;
    Subject s = open_subject(PELT_SOURCE_DIR "/tests/io/kept/kept.gltf", 9, 8, 0.0f);
    const PeltiInstance *instance = &s.who->instances[0];
    assert_true(instance->skin >= 0 && instance->target_count > 0);
    Quat turn = quat_axis_angle(vec3_normalize_or(vec3(1, -2, 0.5f), vec3(1, 0, 0)), 1.2f);
    for (int f = 0; f < s.frame_count; f++) // off and away, so that the targets must turn
        for (int p = 0; p < s.who->point_count; p++)
            s.points[f][p] = vec3_add(quat_rotate(turn, vec3_scale(s.points[f][p], 1.5f)), vec3(3, 0, 1));
    PeltiOutputDef def = def_of(&s, 8);
    const char *out = at("own.glb");
    write_all(&s, &def, &out, 1);
    Played played = play_all(&s, out, &def.frames);
    assert_true(played.error < 1e-3 * (double)s.who->mesh->diagonal); // the frames play as ever
    PeltiGltf *doc;
    OK(pelti_gltf_open(out, NULL, &doc, &err));
    PeltiJson *mesh = pelti_json_at(pelti_json_get(doc->root, "meshes"), doc->nodes[shown_by(doc, "body", 3)].mesh);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&s.pool, PeltiNodeMatrix, s.who->node_count);
    Mat34 *bones = PELTI_NEW(&s.pool, Mat34, s.who->bone_count);
    pelti_pose_bones(s.who, &s.poses[0], node_matrix, bones);
    float moved = 0;
    for (int k = 0; k < instance->target_count; k++) {
        const PeltiTarget *target = &s.who->targets[instance->first_target + k];
        Vec3 *wanted = PELTI_NEW(&s.pool, Vec3, s.who->point_count);
        for (int i = 0; i < target->count; i++)
            for (int j = 0; j < s.who->file_weights.influences; j++) {
                size_t at_j = (size_t)target->points[i] * (size_t)s.who->file_weights.influences + (size_t)j;
                Vec3 d = mat34_apply_vector(bones[s.who->file_weights.bone[at_j]], target->offsets[i]);
                wanted[target->points[i]] = vec3_mad(wanted[target->points[i]], d, s.who->file_weights.weight[at_j]);
            }
        for (int part = 0, point = instance->first_point; part < pelti_json_count(pelti_json_get(mesh, "primitives")); part++) {
            PeltiJson *primitive = pelti_json_at(pelti_json_get(mesh, "primitives"), part);
            int accessor = (int)pelti_json_int_of(pelti_json_get(pelti_json_get(primitive, "attributes"), "POSITION"), -1);
            int count = doc->accessors[accessor].count;
            Vec3 *got = read_vectors(doc, &s.pool, pelti_json_at(pelti_json_get(primitive, "targets"), k), "POSITION", count);
            for (int p = 0; p < count; p++, point++) {
                CHECK_NEAR(vec3_distance(got[p], quat_rotate(turn, vec3_scale(wanted[point], 1.5f))), 0,
                           1e-5 * (double)s.who->mesh->diagonal);
                moved = fmaxf(moved, vec3_length(got[p]));
            }
        }
        assert_int_equal(pelti_json_int_of(pelti_json_at(pelti_json_get(mesh, "weights"), k), 1), 0);
    }
    assert_true(moved > 0);
    pelti_gltf_close(doc);
    close_subject(&s);
}

/// With poses of its own the skeleton plays those: a bake of the result's pose gives the pose that was pushed.
static void joints_play_pushed_poses(void **state)
{
    (void)state;
    PeltError err;
    Subject s = open_subject(PELT_SOURCE_DIR "/tests/io/kept/kept.gltf", 9, 8, 0.0f);
    for (int f = 0; f < s.frame_count; f++) {
        s.poses[f].local[1].translation = vec3(0.1f * (float)f, 0, 0);
        s.poses[f].local[2].rotation = quat_axis_angle(vec3(1, 0, 0), 0.2f * (float)f);
    }
    PeltiOutputDef def = def_of(&s, 8);
    def.play_pose = true;
    const char *out = at("pose.glb");
    write_all(&s, &def, &out, 1);
    PeltiGltf *doc;
    PeltiCharacter *who;
    OK(pelti_gltf_open(out, NULL, &doc, &err));
    OK(pelti_gltf_character(doc, NULL, &who, &err));
    PeltiPose pose = pelti_pose_new(&s.pool, who);
    pelti_pose_clip(who, &who->clips[0], 5 / 8.0, &pose);
    CHECK_NEAR(pose.local[1].translation.x, 0.5, 1e-5);
    CHECK_NEAR(quat_angle(pose.local[2].rotation), 1.0, 1e-4);
    pelti_character_destroy(who);
    pelti_gltf_close(doc);
    close_subject(&s);
}

/// A rigid and a soft object beside the character: one is a node that moves, the other morphs with the same weights. What of the
/// soft one is no number stays where it was.
static void objects_ride_along(void **state)
{
    (void)state;
    PeltError err;
    enum { FRAMES = 9 };
    Subject s = open_subject(PELT_SOURCE_DIR "/tests/io/kept/kept.gltf", FRAMES, 8, 0.0f);
    static const Vec3 corners[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const int faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    PeltiOutputObject objects[2] = {{"block", 4, 4, corners, NULL, faces, {1, 0.5f, 0, 1}, false},
                                    {"jelly", 4, 4, corners, NULL, faces, {0, 0.5f, 1, 0.5f}, true}};
    PeltiOutputDef def = def_of(&s, 8);
    def.objects = objects;
    def.object_count = 2;
    const char *out = at("objects.glb");
    PeltiOutput *output;
    PeltiOutputReport report;
    OK(pelti_output_open(&def, &out, 1, &output, &err));
    Vec3 soft[FRAMES][4], *soft_frames[FRAMES];
    for (int f = 0; f < FRAMES; f++) {
        Trs places[2] = {trs_identity(), trs_identity()};
        places[0].translation = vec3(1, 0.25f * (float)f, 0);
        places[0].rotation = quat_axis_angle(vec3(0, 1, 0), 0.1f * (float)f);
        for (int v = 0; v < 4; v++)
            soft[f][v] = vec3_scale(corners[v], 1 + 0.1f * sinf((float)(f * (v + 1))));
        soft_frames[f] = soft[f];
        Vec3 given[4];
        memcpy(given, soft[f], sizeof given);
        if (f == 4) {
            given[2].y = NAN;
            soft[f][2] = soft[f - 1][2];
        }
        pelti_output_place(output, places, given);
        OK(pelti_output_frame(output, s.points[f], s.normals[f], NULL, &err));
    }
    OK(pelti_output_commit(output, NULL, &report, &err));
    pelti_output_destroy(output);
    play_all(&s, out, &def.frames);
    PeltiGltf *doc;
    PeltiCharacter *who;
    OK(pelti_gltf_open(out, NULL, &doc, &err));
    OK(pelti_gltf_character(doc, NULL, &who, &err));
    int block = doc->node_count - 2, jelly = doc->node_count - 1;
    assert_string_equal(text_at(doc->root, "nodes", block, "name"), "block");
    assert_true(doc->nodes[block].live && doc->nodes[jelly].live);
    PeltiPose pose = pelti_pose_new(&s.pool, who);
    pelti_pose_clip(who, &who->clips[0], 6 / 8.0, &pose);
    CHECK_NEAR(pose.local[block].translation.y, 1.5, 1e-5);
    CHECK_NEAR(quat_angle(pose.local[block].rotation), 0.6, 1e-4);
    int target_count = 0;
    float *weights = read_weights(doc, &s.pool, jelly, &def.frames, &target_count);
    assert_int_equal(target_count, report.morph_targets);
    PeltiJson *mesh = pelti_json_at(pelti_json_get(doc->root, "meshes"), doc->nodes[jelly].mesh);
    Played played = {0};
    PeltiJson *primitive = pelti_json_at(pelti_json_get(mesh, "primitives"), 0);
    play(&(Part){doc, &s.pool, primitive, weights, target_count, FRAMES, 0, 4}, "POSITION", soft_frames, &played);
    assert_true(played.error <= (double)report.morph_error + 1e-5);
    pelti_character_destroy(who);
    pelti_gltf_close(doc);
    close_subject(&s);
}

static void one_frame_needs_no_targets(void **state)
{
    (void)state;
    PeltError err;
    Subject s = open_subject(PELT_SOURCE_DIR "/tests/io/kept/kept.gltf", 1, 8, 0.0f);
    PeltiOutputDef def = def_of(&s, 8);
    const char *out = at("one.glb");
    for (int mode = 0; mode < 2; mode++) {
        def.morph = mode ? PELTI_MORPH_EACH_FRAME : PELTI_MORPH_PRINCIPAL;
        assert_int_equal(write_all(&s, &def, &out, 1).morph_targets, 0);
        PeltiGltf *doc;
        OK(pelti_gltf_open(out, NULL, &doc, &err));
        PeltiJson *weights = pelti_json_get(pelti_json_at(pelti_json_get(doc->root, "meshes"), 0), "weights");
        assert_int_equal(pelti_json_count(weights), s.who->instances[0].target_count); // the file's own alone
        pelti_gltf_close(doc);
    }
    close_subject(&s);
}

static void outputs_appear_together_or_not_at_all(void **state)
{
    (void)state;
    PeltError err;
    PeltiOutput *output;
    Subject s = open_subject(PELT_SOURCE_DIR "/tests/io/kept/kept.gltf", 4, 8, 0.0f);
    PeltiOutputDef def = def_of(&s, 8);
    const char *five[] = {at("a.glb"), at("a.pc2"), at("a.mdd"), at("a.obj")};
    OK(pelti_output_open(&def, five, 4, &output, &err));
    for (int f = 0; f < 2; f++)
        OK(pelti_output_frame(output, s.points[f], s.normals[f], NULL, &err));
    assert_int_equal(pelti_output_commit(output, NULL, NULL, &err), PELT_FAILED); // two frames are missing
    pelti_output_destroy(output);
    assert_int_equal(entries(false), 0);
    PeltiOutputReport report = write_all(&s, &def, five, 4);
    assert_int_equal(report.file_count, 3 + 4);
    assert_int_equal(entries(false), 3 + 4);
    uint64_t bytes = 0;
    DIR *d = opendir(folder_path);
    for (struct dirent *e; (e = readdir(d));) {
        struct stat about;
        if (e->d_name[0] != '.' && stat(at(e->d_name), &about) == 0)
            bytes += (uint64_t)about.st_size;
    }
    closedir(d);
    assert_true(report.bytes == bytes);
    const char *twice[] = {at("b.glb"), at("b.glb")}, *odd = at("b.fbx"), *nowhere = at("none/b.glb");
    assert_int_equal(pelti_output_open(&def, twice, 2, &output, &err), PELT_BAD_ARGUMENT);
    assert_int_equal(pelti_output_open(&def, &odd, 1, &output, &err), PELT_BAD_ARGUMENT);
    assert_int_equal(pelti_output_open(&def, &nowhere, 1, &output, &err), PELT_IO);
    assert_int_equal(entries(false), 3 + 4);
    close_subject(&s);
}

/// A limit on file size stands for the full disk, at every size up to what is needed.
static void a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    Subject s = open_subject(PELT_SOURCE_DIR "/tests/io/kept/kept.gltf", 6, 8, 0.0f);
    PeltiOutputDef def = def_of(&s, 8);
    const char *out = at("a.glb");
    int failures = 0;
    for (rlim_t limit = 0; limit <= 1 << 17; limit += 1 << 13) {
        pid_t child = fork();
        if (child == 0) {
            signal(SIGXFSZ, SIG_IGN);
            struct rlimit most = {limit, limit};
            setrlimit(RLIMIT_FSIZE, &most);
            PeltError err;
            PeltiOutput *output;
            PeltStatus status = pelti_output_open(&def, &out, 1, &output, &err);
            for (int f = 0; f < s.frame_count && status == PELT_OK; f++)
                status = pelti_output_frame(output, s.points[f], s.normals[f], NULL, &err);
            if (status == PELT_OK)
                status = pelti_output_commit(output, NULL, NULL, &err);
            pelti_output_destroy(output);
            _exit(status);
        }
        int result;
        waitpid(child, &result, 0);
        assert_true(WIFEXITED(result));
        assert_true(WEXITSTATUS(result) == PELT_OK || WEXITSTATUS(result) == PELT_IO);
        failures += WEXITSTATUS(result) == PELT_IO;
        assert_int_equal(entries(true), WEXITSTATUS(result) == PELT_OK ? 1 : 0);
    }
    assert_true(failures > 3 && failures < 17); // both ends were seen
    close_subject(&s);
}

typedef struct Refusing {
    int left, live;
} Refusing;

static void *refuse_alloc(size_t bytes, void *user)
{
    Refusing *r = user;
    if (r->left-- <= 0)
        return NULL;
    r->live++;
    void *p = NULL;
    return posix_memalign(&p, 64, bytes) == 0 ? p : NULL;
}

static void refuse_free(void *memory, size_t bytes, void *user)
{
    (void)bytes;
    ((Refusing *)user)->live -= memory != NULL;
    free(memory);
}

static void refused_memory_leaves_nothing(void **state)
{
    (void)state;
    Subject s = open_subject(PELT_SOURCE_DIR "/tests/io/kept/kept.gltf", 4, 8, 0.0f);
    const char *both[] = {at("a.glb"), at("a.obj")};
    int n = 0;
    for (PeltStatus status = PELT_FAILED; status != PELT_OK; n++) {
        PeltError err = {0};
        Refusing refusing = {.left = n};
        PeltAllocator allocator = {refuse_alloc, refuse_free, &refusing};
        PeltiOutputDef def = def_of(&s, 8);
        def.allocator = &allocator;
        PeltiOutput *output;
        status = pelti_output_open(&def, both, 2, &output, &err);
        for (int f = 0; f < s.frame_count && status == PELT_OK; f++)
            status = pelti_output_frame(output, s.points[f], s.normals[f], NULL, &err);
        if (status == PELT_OK)
            status = pelti_output_commit(output, NULL, NULL, &err);
        pelti_output_destroy(output);
        assert_int_equal(refusing.live, 0);
        assert_true(status == PELT_OK || status == PELT_FAILED);
        assert_int_equal(entries(true), status == PELT_OK ? 5 : 0);
        assert_true(n < 1000);
    }
    assert_true(n > 5);
    close_subject(&s);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(result_plays_the_frames),
        IN_FOLDER(tolerance_and_cap_hold),
        IN_FOLDER(same_bytes_for_any_number_of_threads),
        IN_FOLDER(everything_else_is_kept),
        IN_FOLDER(own_targets_stay_and_turn_with_the_skin),
        IN_FOLDER(joints_play_pushed_poses),
        IN_FOLDER(objects_ride_along),
        IN_FOLDER(one_frame_needs_no_targets),
        IN_FOLDER(outputs_appear_together_or_not_at_all),
        IN_FOLDER(a_full_disk_leaves_nothing),
        IN_FOLDER(refused_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
