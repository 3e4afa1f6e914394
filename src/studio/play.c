/// The world made of the scene that slot 0 touches, and the mouse's hand in it.
#include "studio/play.h"

#include "bake/objects.h"
#include "math/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// Contact is solved for small steps: a slow page plays slowly. And for few lengths of them, as each is another system of a soft
/// object.
static const float STEPS_S[] = {1.0f / 120, 1.0f / 60, 1.0f / 30};
enum { CONTACT_WORK = 40000 }; // visits to contacts in a step, some 25 ms: a heap of soft cubes settles over several steps

static void describe_object(PeltiPlay *play, int i)
{
    const float *o = play->wish.objects[i];
    PeltSceneObject *out = &play->objects[i];
    snprintf(play->names[i], sizeof play->names[i], "object %d", i);
    *out = pelt_scene_object_default();
    out->name = play->names[i];
    out->kind = (PeltObjectKind)o[0];
    out->shape = (PeltShape)o[1];
    if (out->shape == PELT_SHAPE_MESH) {
        const PeltiSessionMesh *mesh = play->meshes[(int)o[2]];
        out->scale = o[3];
        out->vertex_count = mesh->vertex_count;
        out->triangle_count = mesh->triangle_count;
        out->vertices = (const float(*)[3])mesh->vertices;
        out->triangles = (const int(*)[3])mesh->triangles;
    } else
        memcpy(out->size, o + 2, sizeof out->size);
    memcpy(out->position, o + 5, sizeof out->position);
    out->density = 1000 * o[8];
    out->detail = out->kind == PELT_OBJECT_SOFT ? 4 : 20; // contacts of soft bodies are dear
    out->young_modulus_pa = 2e4f;                         // a soft cube that gives way to a hand
}

/// Joints that give way as the person said, by list or brush.
static void describe_joints(PeltiPlay *play, const PeltCharacter *who)
{
    for (int i = 0; i < play->wish.stiff_count; i++)
        play->joints[i] = (PeltSceneJoint){.joint = pelt_character_node_name(who, play->wish.stiff_nodes[i]),
                                           .stiffness = play->wish.stiffness[i],
                                           .rigid = play->wish.stiffness[i] <= 0};
    play->scene.joints = play->joints;
    play->scene.joint_count = play->wish.stiff_count;
}

/// What the world is made of, all but what it looks up in every step.
static bool is_same_world(const PeltiSessionSceneWish *a, const PeltiSessionSceneWish *b)
{
    return a->on == b->on && a->gravity == b->gravity && a->firm == b->firm && a->object_count == b->object_count &&
           a->stiff_count == b->stiff_count && !memcmp(a->objects, b->objects, (size_t)a->object_count * sizeof *a->objects) &&
           !memcmp(a->stiff_nodes, b->stiff_nodes, (size_t)a->stiff_count * sizeof *a->stiff_nodes) &&
           !memcmp(a->stiffness, b->stiffness, (size_t)a->stiff_count * sizeof *a->stiffness);
}

/// Before the world goes: where its objects are.
static void keep_objects(PeltiPlay *play)
{
    play->kept_count = play->world ? pelt_world_object_count(play->world) : play->kept_count;
    for (int i = 0; play->world && i < play->kept_count; i++) {
        PeltWorldObject was = pelt_world_object(play->world, i);
        PeltSceneObject *kept = &play->kept[i];
        Mat3 axes;
        memcpy(axes.m, was.axes, sizeof axes.m);
        Quat turn = was.kind == PELT_OBJECT_SOFT ? (Quat){0, 0, 0, 1} : quat_from_mat3(axes);
        memcpy(kept->position, was.kind == PELT_OBJECT_SOFT ? was.centre : was.origin, sizeof kept->position);
        memcpy(kept->rotation, (float[4]){turn.x, turn.y, turn.z, turn.w}, sizeof kept->rotation);
        memcpy(kept->velocity, was.velocity, sizeof kept->velocity);
        memcpy(kept->angular_velocity, was.spin, sizeof kept->angular_velocity);
    }
}

/// Objects that the world before had too begin where they were in it.
static void carry_over(PeltiPlay *play)
{
    bool taken[PELTI_OBJECTS] = {0};
    for (int i = 0; i < play->wish.object_count; i++)
        for (int k = 0; k < play->kept_count; k++) {
            const PeltSceneObject *kept = &play->kept[k];
            PeltSceneObject *o = &play->objects[i];
            if (taken[k] || memcmp(play->wish.objects[i], play->made_of.objects[k], sizeof play->wish.objects[i]))
                continue;
            taken[k] = true;
            memcpy(o->position, kept->position, sizeof o->position);
            memcpy(o->rotation, kept->rotation, sizeof o->rotation);
            memcpy(o->velocity, kept->velocity, sizeof o->velocity);
            memcpy(o->angular_velocity, kept->angular_velocity, sizeof o->angular_velocity);
            break;
        }
    play->kept_count = 0;
}

/// What a step looks up: seen at once, and everything stays where it is.
static void set_live(PeltiPlay *play)
{
    play->scene.has_ground = play->wish.ground;
    play->scene.ground_height = play->wish.height;
    play->scene.friction = play->wish.friction;
}

static void make_world(PeltiPlay *play, PeltSkin *skin)
{
    PeltWorldDef def = pelt_world_def_default();
    PeltError err = {0};
    play->scene = pelt_scene_default();
    play->scene.gravity[1] = -play->wish.gravity;
    set_live(play);
    play->scene.joint_stiffness = play->wish.firm;
    play->scene.object_count = play->wish.object_count;
    play->scene.objects = play->objects;
    for (int i = 0; i < play->wish.object_count; i++)
        describe_object(play, i);
    carry_over(play);
    describe_joints(play, skin->character);
    def.scene = &play->scene;
    def.skins = &skin;
    def.skin_count = 1;
    def.work = CONTACT_WORK;
    play->trouble[0] = 0;
    if (pelt_world_create(&def, &play->world, &err) != PELT_OK)
        snprintf(play->trouble, sizeof play->trouble, "%.190s", err.text);
}

void pelti_play_end(PeltiPlay *play)
{
    if (play->pokes && play->skin)
        pelt_skin_anchor_let_go(play->skin, play->anchor);
    keep_objects(play); // the next skin meets them where they are
    pelt_world_destroy(play->world);
    play->world = NULL;
    play->skin = NULL;
    play->made = 0;
    play->holds = play->pokes = false;
}

/// The skin under the mouse, with its surroundings, goes where the mouse is.
static void poke(PeltiPlay *play, const PeltiSessionWish *wish)
{
    if (play->pokes && wish->want.poked != play->poked) {
        pelt_skin_anchor_let_go(play->skin, play->anchor);
        play->pokes = false;
    }
    if (wish->want.poked >= 0 && !play->pokes) {
        play->poked = wish->want.poked;
        play->pokes = pelt_skin_anchor_add(play->skin, play->poked, wish->want.reach, &play->anchor, NULL) == PELT_OK;
    }
    if (play->pokes)
        pelt_skin_anchor_hold(play->skin, play->anchor, wish->poked_at, 1);
}

static void renew_world(PeltiPlay *play, PeltSkin *skin, bool restart)
{
    keep_objects(play);
    pelt_world_destroy(play->world);
    play->world = NULL;
    play->holds = false;
    play->owed_s = 0;
    if (restart || !play->wish.on)
        play->kept_count = 0;
    if (play->wish.on)
        make_world(play, skin);
}

bool pelti_play_ready(PeltiPlay *play, PeltSkin *skin, const PeltiSessionWish *wish)
{
    bool anew = play->made != play->wish.serial || wish->want.restart;
    if (play->skin && play->skin != skin)
        pelti_play_end(play);
    play->skin = skin;
    if (anew && play->world && !wish->want.restart && is_same_world(&play->wish, &play->made_of))
        set_live(play);
    else if (anew)
        renew_world(play, skin, wish->want.restart);
    play->made = play->wish.serial;
    play->made_of = play->wish;
    poke(play, wish);
    return play->world != NULL;
}

/// The object in the mouse's hand follows it, and flies on when let go.
static void hold(PeltiPlay *play, const PeltiSessionWish *wish)
{
    int wanted = wish->want.held < pelt_world_object_count(play->world) ? wish->want.held : -1;
    if (play->holds && play->held != wanted) {
        pelt_world_let_go(play->world, play->held);
        play->holds = false;
    }
    if (wanted < 0)
        return;
    PeltWorldObject object = pelt_world_object(play->world, wanted);
    PeltTransform goal = {.scale = {1, 1, 1}};
    memcpy(goal.translation, wish->held_at, sizeof goal.translation);
    Mat3 axes;
    memcpy(axes.m, object.axes, sizeof axes.m);
    Quat turn = quat_from_mat3(axes);
    memcpy(goal.rotation, (float[4]){turn.x, turn.y, turn.z, turn.w}, sizeof goal.rotation);
    play->held = wanted;
    play->holds = pelt_world_hold(play->world, wanted, &goal, NULL) == PELT_OK;
}

/// The length of the next step: the nearest of the few there are; what differs is made up for by the next ones.
static float next_step(PeltiPlay *play, float dt_s)
{
    enum { COUNT = sizeof STEPS_S / sizeof *STEPS_S };
    int best = 0;
    if (!(dt_s > 0))
        return 0;
    play->owed_s = fminf(play->owed_s + dt_s, STEPS_S[COUNT - 1]);
    for (int i = 1; i < COUNT; i++)
        best = fabsf(STEPS_S[i] - play->owed_s) < fabsf(STEPS_S[best] - play->owed_s) ? i : best;
    play->owed_s -= STEPS_S[best];
    return STEPS_S[best];
}

void pelti_play_step(PeltiPlay *play, PeltPose *pose, const PeltiSessionWish *wish, PeltStepInfo *info)
{
    const PeltPose *poses[1] = {pose};
    PeltWorldInfo now = {0};
    hold(play, wish);
    pelt_world_step(play->world, poses, next_step(play, wish->want.dt_s), &now);
    pelt_world_pose(play->world, 0, pose);
    info->ms = now.skin_ms;
    play->contact_ms = (float)now.ms;
}

static void show_contacts(const PeltWorld *world, PeltiSessionShown *shown)
{
    enum { MOST = 400 };
    for (int i = 0; i < pelt_world_contact_count(world) && shown->contacts.count < (size_t)MOST * 6; i++) {
        PeltWorldContact contact = pelt_world_contact(world, i);
        const float *f = contact.force;
        if (f[0] * f[0] + f[1] * f[1] + f[2] * f[2] > 0) {
            pelti_array_append(&shown->contacts, contact.at, 3);
            pelti_array_append(&shown->contacts, f, 3);
        }
    }
}

void pelti_play_show(const PeltiPlay *play, PeltiSessionShown *shown)
{
    shown->counts.count = shown->positions.count = shown->triangles.count = shown->origins.count = shown->contacts.count = 0;
    for (int i = 0; play->world && i < pelt_world_object_count(play->world); i++) {
        PeltWorldObject object = pelt_world_object(play->world, i);
        int32_t counts[2] = {object.vertex_count, object.triangle_count};
        pelti_array_append(&shown->counts, counts, 2);
        pelti_array_append(&shown->positions, object.positions, (size_t)object.vertex_count * 3);
        pelti_array_append(&shown->triangles, object.triangles, (size_t)object.triangle_count * 3);
        pelti_array_append(&shown->origins, object.kind == PELT_OBJECT_SOFT ? object.centre : object.origin, 3);
    }
    if (play->world)
        show_contacts(play->world, shown);
    snprintf(shown->trouble, sizeof shown->trouble, "%s", play->wish.on ? play->trouble : "");
    shown->contact_ms = play->world ? play->contact_ms : 0;
}
