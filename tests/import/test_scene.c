/// FBX and Collada give the character of the glTF file they were made from. The files are written by Assimp's exporters.
#include "tiny_gltf.h"
#include "check.h"

#include "math/vec.h"

#include <pelt/pelt.h>

#include <unistd.h>

#ifdef PELT_HAVE_ASSIMP
#include <assimp/cexport.h>
#include <assimp/cimport.h>
#include <assimp/scene.h>

typedef struct Played {
    PeltCharacter *who;
    PeltPose *pose;
    PeltSkin *skin;
    int count;
    const Vec3 *points;
} Played;

static void play(Played *p, int clip, double time_s)
{
    PeltError err = {0};
    PeltSkinDef def = pelt_skin_def_default();
    def.method = "lbs";
    const char *weights = "weights=file";
    def.settings = &weights;
    def.setting_count = 1;
    if (pelt_pose_create(p->who, &p->pose, &err) || pelt_skin_create(&def, p->who, &p->skin, &err))
        fail_msg("%s", err.text);
    pelt_pose_from_clip(p->pose, clip, time_s);
    pelt_skin_step(p->skin, p->pose, 0, NULL);
    p->count = pelt_character_info(p->who).point_count;
    p->points = (const Vec3 *)(const void *)pelt_skin_positions(p->skin);
}

static void end(Played *p)
{
    pelt_skin_destroy(p->skin);
    pelt_pose_destroy(p->pose);
    pelt_character_destroy(p->who);
}

/// Largest distance from a point of one to the nearest of the other: exporters order and split points as they like.
static float apart(const Played *a, const Played *b, float unit)
{
    float most = 0;
    for (int i = 0; i < a->count; i++) {
        float least = INFINITY;
        for (int k = 0; k < b->count; k++)
            least = fminf(least, vec3_distance(vec3_scale(a->points[i], unit), b->points[k]));
        most = fmaxf(most, least);
    }
    return most;
}

static void write_as(const unsigned char *glb, size_t size, const char *format, const char *path)
{
    const struct aiScene *scene = aiImportFileFromMemory((const char *)glb, (unsigned)size, 0, "glb");
    assert_non_null(scene);
    for (unsigned a = 0; a < scene->mNumAnimations; a++) // the exporters take times for seconds, whatever the ticks are
        for (unsigned c = 0; c < scene->mAnimations[a]->mNumChannels; c++) {
            struct aiNodeAnim *channel = scene->mAnimations[a]->mChannels[c];
            for (unsigned k = 0; k < channel->mNumPositionKeys; k++)
                channel->mPositionKeys[k].mTime /= scene->mAnimations[a]->mTicksPerSecond;
            for (unsigned k = 0; k < channel->mNumRotationKeys; k++)
                channel->mRotationKeys[k].mTime /= scene->mAnimations[a]->mTicksPerSecond;
            for (unsigned k = 0; k < channel->mNumScalingKeys; k++)
                channel->mScalingKeys[k].mTime /= scene->mAnimations[a]->mTicksPerSecond;
        }
    assert_int_equal(aiExportScene(scene, format, path, 0), aiReturn_SUCCESS);
    aiReleaseImport(scene);
}

/// `unit`: what a metre of the glTF file is in the other, whose exporter says nothing of units.
static void compare(TinyOptions options, const char *format, const char *path, float unit)
{
    size_t size;
    PeltError err = {0};
    unsigned char *glb = tiny_glb(tiny_make(options), &size);
    for (int k = 0; k < (options.matrices ? 1 : 3); k++) {
        Played plain = {0}, other = {0};
        write_as(glb, size, format, path);
        assert_int_equal(pelt_character_load_memory(glb, size, NULL, &plain.who, &err), PELT_OK);
        if (pelt_character_load(path, NULL, &other.who, &err) != PELT_OK)
            fail_msg("%s", err.text);
        assert_int_equal(pelt_character_info(other.who).joint_count, 2);
        play(&plain, options.matrices ? -1 : 0, 0.5 * k); // at keys: between them each format interpolates in its own way
        play(&other, options.matrices ? -1 : 0, 0.5 * k);
        CHECK_NEAR(apart(&plain, &other, unit), 0, 1e-4 * (double)unit);
        for (int i = 0; i < other.count; i++)
            assert_true(vec3_finite(other.points[i]));
        end(&plain);
        end(&other);
    }
    unlink(path);
    free(glb);
}

static void an_fbx_is_the_gltf_it_was_made_from(void **state)
{
    (void)state;
    compare((TinyOptions){0}, "fbxa", "tiny.fbx", 0.01f);
}

static void a_collada_is_the_gltf_it_was_made_from(void **state)
{
    (void)state;
    compare((TinyOptions){.matrices = true}, "collada", "tiny.dae", 1); // its exporter writes animations its importer refuses;
}

/// A byte here and there: a result or a sentence, and nothing else.
static void damaged_files_are_refused_or_read(void **state)
{
    (void)state;
    size_t size;
    unsigned char *glb = tiny_glb(tiny_make((TinyOptions){0}), &size);
    write_as(glb, size, "fbxa", "damaged.fbx");
    free(glb);
    FILE *file = fopen("damaged.fbx", "r+b");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    unsigned seed = 7;
    for (int i = 0; i < 25; i++) {
        PeltCharacter *who = NULL;
        PeltError err = {0};
        unsigned char before, after;
        seed = seed * 1664525u + 1013904223u;
        long at = (long)(seed % (unsigned)length);
        fseek(file, at, SEEK_SET);
        assert_int_equal(fread(&before, 1, 1, file), 1);
        after = (unsigned char)(before ^ (1 + (seed >> 24) % 255));
        fseek(file, at, SEEK_SET);
        assert_int_equal(fwrite(&after, 1, 1, file), 1);
        fflush(file);
        PeltStatus status = pelt_character_load("damaged.fbx", NULL, &who, &err);
        if (status != PELT_OK)
            assert_true((status == PELT_BAD_INPUT || status == PELT_UNSUPPORTED) && strlen(err.text) > 10);
        pelt_character_destroy(who);
        fseek(file, at, SEEK_SET);
        assert_int_equal(fwrite(&before, 1, 1, file), 1);
    }
    fclose(file);
    unlink("damaged.fbx");
}
#endif

int main(void)
{
#ifdef PELT_HAVE_ASSIMP
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_fbx_is_the_gltf_it_was_made_from),
        cmocka_unit_test(a_collada_is_the_gltf_it_was_made_from),
        cmocka_unit_test(damaged_files_are_refused_or_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    lacks("this build reads no FBX");
    return 77;
#endif
}
