/// What the goldens are made of: characters, clips, hashes and probes.
#include "golden.h"

#include <pelt/tools.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/// What is played; `scene`: of examples/scenes, the contact corrector's; `seed`: of a dressed one, whose pieces are solved on a
/// body made of them, of so many vertices.
typedef struct Play {
    const char *name, *character, *clip, *scene;
    int vertices, first, frames; ///< at 30 a second
    int seed;
    const char *body;
} Play;

static const Play plays[] = {
    {"bend", "arm", "bend", NULL, 600, 20, 4, 0, NULL},        // the elbow folds on itself
    {"twist", "cylinder", "twist", NULL, 500, 24, 4, 0, NULL}, //
    {"jump", "biped", "jump", NULL, 1500, 18, 4, 0, NULL},     // fast, up and down
};
static const Play contacts[] = {
    {"contact-rigid", "hand", "grasp", "grasp", 700, 14, 5, 0, NULL},
    {"contact-soft", "hand", "grasp", "squeeze", 700, 15, 2, 0, NULL},
};
static const Play dressed = {"bend-dressed", "arm", "bend", NULL, 500, 22, 3, 5, "body-vertices=500"}; // a sleeve and more
// Among objects, which flesh is shown to, moved out of and kept out of (by the methods that have flesh). Of three words with the
// method's, as the dressed ones.
static const Play among[] = {
    {"contact-grasp", "hand", "grasp", "grasp", 700, 14, 4, 0, NULL},         // fingers close on a ball
    {"contact-wall", "biped", "walk", "push_wall", 1500, 14, 3, 0, NULL},     // a foot and an arm into a wall
    {"contact-jump", "biped", "jump", "uneven_ground", 1500, 38, 4, 0, NULL}, // feet come down on a step and a stone
};
static const char *const methods[] = {"lbs", "dqs", "implicit", "tracking", "layered", "projective"};
enum {
    PLAYS = sizeof plays / sizeof *plays,
    CONTACTS = sizeof contacts / sizeof *contacts,
    AMONG = sizeof among / sizeof *among,
    METHODS = sizeof methods / sizeof *methods,
    OF_FLESH = 3 // the last of them
};

int golden_count(void)
{
    return METHODS * PLAYS + CONTACTS + OF_FLESH + OF_FLESH * AMONG;
}

typedef struct Stage {
    PeltCharacter *who;
    PeltSkin *skin;
    PeltPose *pose;
    PeltWorld *world; ///< NULL: the skin alone
} Stage;

static void strike(Stage *s)
{
    pelt_world_destroy(s->world);
    pelt_pose_destroy(s->pose);
    pelt_skin_destroy(s->skin);
    pelt_character_destroy(s->who);
}

/// Making a character takes longer than playing it: the file in `folder` is used again where there is one.
static PeltStatus cast(const Play *play, const char *folder, int threads, PeltCharacter **out, PeltError *err)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s%s-%d.glb", folder, play->seed ? "dressed-" : "", play->character, play->vertices);
    FILE *file = fopen(path, "rb");
    if (file) {
        fclose(file);
    } else {
        PeltMakeDef make = pelt_make_def_default();
        make.name = play->character;
        make.vertices = play->vertices;
        make.seed = (uint64_t)play->seed;
        make.dress = play->seed ? "all" : NULL;
        make.threads = threads;
        PeltStatus status = pelt_make_file(&make, path, NULL, err);
        if (status != PELT_OK)
            return status;
    }
    return pelt_character_load(path, NULL, out, err);
}

static PeltStatus set_up(const Play *play, const char *method, const char *folder, int threads, Stage *s, PeltError *err)
{
    PeltSkinDef skin = pelt_skin_def_default();
    skin.method = method;
    skin.threads = threads;
    skin.settings = &play->body;
    skin.setting_count = play->body ? 1 : 0;
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/scenes/%s.json", PELT_SOURCE_DIR, play->scene ? play->scene : "");
    PeltStatus status = cast(play, folder, threads, &s->who, err);
    if (status == PELT_OK)
        status = pelt_skin_create(&skin, s->who, &s->skin, err);
    if (status == PELT_OK)
        status = pelt_pose_create(s->who, &s->pose, err);
    if (status == PELT_OK && play->scene) {
        PeltWorldDef def = pelt_world_def_default();
        def.scene_path = path;
        def.skins = &s->skin;
        def.skin_count = 1;
        status = pelt_world_create(&def, &s->world, err);
    }
    return status;
}

static uint64_t hash_of(uint64_t hash, const void *data, size_t bytes)
{
    const unsigned char *b = data;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ b[i]) * 0x100000001b3u;
    return hash;
}

static float size_of(int count, const float *x)
{
    float size = 0;
    for (int k = 0; k < 3; k++) {
        float least = INFINITY, most = -INFINITY;
        for (int i = 0; i < count; i++) {
            least = fminf(least, x[3 * i + k]);
            most = fmaxf(most, x[3 * i + k]);
        }
        size = fmaxf(size, most - least);
    }
    return size;
}

/// A point of the objects, which are numbered through.
static const float *object_point(const PeltWorld *world, int index)
{
    PeltWorldObject object = pelt_world_object(world, 0);
    for (int o = 1; index >= object.vertex_count; object = pelt_world_object(world, o++))
        index -= object.vertex_count;
    return object.positions + 3 * index;
}

static void count_probes(const Stage *s, Golden *g)
{
    for (int o = 0; s->world && o < pelt_world_object_count(s->world); o++)
        g->object_points += pelt_world_object(s->world, o).vertex_count;
    g->probes = SKIN_PROBES + (g->object_points > 0 ? PROBE_FRAMES * OBJECT_POINTS : 0);
}

static void take_frame(const Stage *s, int frame, Golden *g)
{
    const float *x = pelt_skin_positions(s->skin);
    if (frame == 0) {
        g->size = size_of(g->points, x);
        count_probes(s, g);
    }
    g->hash = hash_of(g->hash, x, (size_t)g->points * 3 * sizeof *x);
    for (int o = 0; s->world && o < pelt_world_object_count(s->world); o++) {
        PeltWorldObject object = pelt_world_object(s->world, o);
        g->hash = hash_of(g->hash, object.positions, (size_t)object.vertex_count * 3 * sizeof(float));
    }
    for (int i = 0; i < g->probes; i++)
        if (golden_frame(g, i) == frame) {
            int point = golden_point(g, i);
            memcpy(g->probe[i], i < SKIN_PROBES ? x + 3 * point : object_point(s->world, point), sizeof g->probe[i]);
        }
}

/// Which play is number `index`, and by which method.
static const Play *choose(int index, const char **method)
{
    int contact = index - METHODS * PLAYS, flesh = contact - CONTACTS;
    *method = contact < 0 ? methods[index / PLAYS] : flesh < 0 ? "lbs" : methods[METHODS - OF_FLESH + flesh % OF_FLESH];
    if (contact < 0)
        return &plays[index % PLAYS];
    if (flesh < 0)
        return &contacts[contact];
    return flesh < OF_FLESH ? &dressed : &among[flesh / OF_FLESH - 1];
}

void golden_name(int index, char *name, size_t size)
{
    const char *method;
    const Play *play = choose(index, &method);
    bool one_method = index >= METHODS * PLAYS && index < METHODS * PLAYS + CONTACTS;
    snprintf(name, size, one_method ? "%s" : "%s-%s", play->name, method);
}

bool golden_make(int index, const char *folder, int threads, Golden *out)
{
    const char *method;
    const Play *play = choose(index, &method);
    *out = (Golden){.hash = 0xcbf29ce484222325u, .frames = play->frames};
    golden_name(index, out->name, sizeof out->name);
    PeltError err = {0};
    Stage stage = {0};
    if (set_up(play, method, folder, threads, &stage, &err) != PELT_OK) {
        fprintf(stderr, "goldens: %s: %s\n", out->name, err.text);
        strike(&stage);
        return false;
    }
    out->points = pelt_character_info(stage.who).point_count;
    for (int frame = 0; frame < play->frames; frame++) {
        pelt_pose_from_clip(stage.pose, pelt_character_clip_find(stage.who, play->clip), (play->first + frame) / 30.0);
        if (stage.world)
            pelt_world_step(stage.world, (const PeltPose *const[]){stage.pose}, 1 / 30.0f, NULL);
        else
            pelt_skin_step(stage.skin, stage.pose, 1 / 30.0f, NULL);
        take_frame(&stage, frame, out);
    }
    strike(&stage);
    return true;
}
