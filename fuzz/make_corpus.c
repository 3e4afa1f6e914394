/// Writes the seeds of the fuzz targets.
/// The tests' tiny character, stored in every way the reader knows, and two frames in every kind of cache.
#include "io/output.h"
#include "support/tiny_gltf.h"

static void save(const char *folder, const char *name, void *bytes, size_t size)
{
    char path[512];
    snprintf(path, sizeof path, "%s/gltf/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        fprintf(stderr, "make_corpus: cannot write %s\n", path);
        exit(2);
    }
    free(bytes);
}

static void check(PeltStatus status, const PeltError *err)
{
    if (status == PELT_OK)
        return;
    fprintf(stderr, "make_corpus: %s\n", err->text);
    exit(2);
}

/// Two frames of two triangles, the second of which hangs on a node, and a .glb of the tiny character.
static void save_caches(const char *folder)
{
    static const Mat34 place = {{{0, -1, 0, 2}, {1, 0, 0, 0}, {0, 0, 1, -1}}};
    static const int triangles[2][3] = {{0, 1, 2}, {3, 4, 5}};
    static const PeltiObjGroup groups[2] = {{"a", 0, 3, NULL}, {"b", 3, 3, &place}};
    static const PeltiObjShape shape = {2, 2, triangles, groups, NULL};
    static const PeltiSinkFrames frames = {6, 2, 0, 24};
    static const char *const names[] = {"a.pc2", "a.mdd", "a.npz", "a.usda", "a.abc", "a.obj"};
    PeltError err = {0};
    PeltiSink *sinks[6];
    char path[6][512];
    for (int k = 0; k < 6; k++)
        snprintf(path[k], sizeof path[k], "%s/cache/%s", folder, names[k]);
    check(pelti_pc2_sink(NULL, path[0], &frames, &sinks[0], &err), &err);
    check(pelti_mdd_sink(NULL, path[1], &frames, &sinks[1], &err), &err);
    check(pelti_npz_sink(NULL, path[2], &frames, &shape, &sinks[2], &err), &err);
    check(pelti_usd_sink(NULL, path[3], &frames, &shape, &sinks[3], &err), &err);
    check(pelti_abc_sink(NULL, path[4], &frames, &shape, &sinks[4], &err), &err);
    check(pelti_obj_sink(NULL, path[5], &frames, &shape, &sinks[5], &err), &err);
    for (int k = 0; k < 6; k++) {
        for (int f = 0; f < 2; f++) {
            Vec3 points[6];
            for (int i = 0; i < 6; i++)
                points[i] = vec3((float)(i % 3), (float)(i / 3) + 0.25f * (float)f, (float)(i == 2));
            check(pelti_sink_frame(sinks[k], points, NULL, &err), &err);
        }
        check(pelti_sink_complete(sinks[k], &err), &err);
        check(pelti_sink_publish(sinks[k], &err), &err);
        pelti_sink_destroy(sinks[k]);
    }
}

static void save_baked(const char *folder)
{
    PeltError err = {0};
    size_t size;
    PeltiGltf *doc;
    PeltiCharacter *who;
    PeltiOutput *output;
    char path[512];
    const char *paths[1] = {path};
    unsigned char *glb = tiny_glb(tiny_make((TinyOptions){0}), &size);
    snprintf(path, sizeof path, "%s/cache/a.glb", folder);
    check(pelti_gltf_open_memory(glb, size, NULL, NULL, &doc, &err), &err);
    check(pelti_gltf_character(doc, NULL, &who, &err), &err);
    PeltiOutputDef def = {.who = who, .document = doc, .frames = {.frame_count = 2, .fps = 24}, .morph = PELTI_MORPH_EACH_FRAME};
    check(pelti_output_open(&def, paths, 1, &output, &err), &err);
    for (int f = 0; f < 2; f++) {
        for (int p = 0; p < who->point_count; p++)
            who->rest_points[p].x += 0.5f * (float)f;
        check(pelti_output_frame(output, who->rest_points, NULL, NULL, &err), &err);
    }
    check(pelti_output_commit(output, NULL, NULL, &err), &err);
    pelti_output_destroy(output);
    pelti_character_destroy(who);
    pelti_gltf_close(doc);
    free(glb);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        TinyOptions options;
    } seeds[] = {{"plain", {0}},
                 {"quantised", {.quantised = true}},
                 {"sparse", {.sparse = true, .scale = 3}},
                 {"sets", {.two_sets = true, .strided = true}},
                 {"matrices", {.matrices = true, .no_scene = true}},
                 {"bare", {.no_weights = true, .no_binds = true}}};
    if (argc != 2) {
        fprintf(stderr, "usage: make_corpus FOLDER\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        char name[64];
        size_t size;
        snprintf(name, sizeof name, "%s.glb", seeds[i].name);
        unsigned char *glb = tiny_glb(tiny_make(seeds[i].options), &size);
        save(argv[1], name, glb, size);
        if (i >= 2)
            continue;
        snprintf(name, sizeof name, "%s.gltf", seeds[i].name);
        char *text = tiny_embedded(tiny_make(seeds[i].options), &size);
        save(argv[1], name, text, size);
    }
    save_caches(argv[1]);
    save_baked(argv[1]);
    return 0;
}
