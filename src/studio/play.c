/// The world slot 0 touches, and the mouse's hand in it.
#include "studio/play.h"

#include "bake/objects.h"
#include "math/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const float LONGEST_STEP_S = 1.0f / 30; // contact is solved for small steps: a slow page plays slowly

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
        const PeltiThingMesh *mesh = play->meshes[(int)o[2]];
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

static void make_world(PeltiPlay *play, PeltSkin *skin)
{
    PeltWorldDef def = pelt_world_def_default();
    PeltError err = {0};
    play->scene = pelt_scene_default();
    play->scene.gravity[1] = -play->wish.gravity;
    play->scene.has_ground = play->wish.ground;
    play->scene.ground_height = play->wish.height;
    play->scene.friction = play->wish.friction;
    play->scene.joint_stiffness = play->wish.firm;
    play->scene.object_count = play->wish.object_count;
    play->scene.objects = play->objects;
    for (int i = 0; i < play->wish.object_count; i++)
        describe_object(play, i);
    describe_joints(play, skin->character);
    def.scene = &play->scene;
    def.skins = &skin;
    def.skin_count = 1;
    play->trouble[0] = 0;
    if (pelt_world_create(&def, &play->world, &err) != PELT_OK)
        snprintf(play->trouble, sizeof play->trouble, "%.190s", err.text);
}

void pelti_play_end(PeltiPlay *play)
{
    if (play->pokes && play->skin)
        pelt_skin_anchor_let_go(play->skin, play->anchor);
    pelt_world_destroy(play->world);
    play->world = NULL;
    play->skin = NULL;
    play->made = 0;
    play->holds = play->pokes = false;
}

/// The skin under the mouse, with its surroundings, goes where the mouse is.
static void poke(PeltiPlay *play, const PeltiWish *wish)
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

bool pelti_play_ready(PeltiPlay *play, PeltSkin *skin, const PeltiWish *wish)
{
    bool anew = play->made != play->wish.serial || wish->want.restart;
    if (play->skin && play->skin != skin)
        pelti_play_end(play);
    play->skin = skin;
    if (anew) {
        pelt_world_destroy(play->world);
        play->world = NULL;
        play->holds = false;
        play->made = play->wish.serial;
        if (play->wish.on)
            make_world(play, skin);
    }
    poke(play, wish);
    return play->world != NULL;
}

/// The object in the mouse's hand follows it, and flies on when let go.
static void hold(PeltiPlay *play, const PeltiWish *wish)
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

void pelti_play_step(PeltiPlay *play, PeltPose *pose, const PeltiWish *wish, PeltStepInfo *info)
{
    const PeltPose *poses[1] = {pose};
    PeltWorldInfo now = {0};
    hold(play, wish);
    pelt_world_step(play->world, poses, fminf(wish->want.dt_s, LONGEST_STEP_S), &now);
    pelt_world_pose(play->world, 0, pose);
    info->ms = now.skin_ms;
    play->contact_ms = (float)now.ms;
}

static void show_contacts(const PeltWorld *world, PeltiShown *shown)
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

void pelti_play_show(const PeltiPlay *play, PeltiShown *shown)
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
