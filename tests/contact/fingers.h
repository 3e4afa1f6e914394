/// Two fingers on a palm for tests of giving way.
#ifndef PELT_TESTS_FINGERS_H
#define PELT_TESTS_FINGERS_H

#include "chain.h"
#include "contact/give_way_parts.h"

/// Two straight fingers that stand on a palm, one bone each: the simplest body that can touch itself.
enum { PALM, LEFT, RIGHT, BONES };
static const float length = 4, apart = 2, radius = 0.4f, bar_height = 3.4f;

typedef struct Fingers {
    PeltiCharacter *who;
    PeltiWeights *weights;
    PeltiGiveWay *give_way;
    PeltiGiveWayReport report;
    PeltiPose pose;
    PeltiNodeMatrix *node_matrix;
    Mat34 *bones;
    float unit;
} Fingers;

static inline void add_bone(PeltiCharacter *who, int bone, int parent, const char *name, Vec3 at)
{
    Vec3 from = parent < 0 ? vec3(0, 0, 0) : who->bones[parent].head;
    who->nodes[bone] = (PeltiNode){.name = name, .parent = parent, .trs = trs_identity()};
    who->nodes[bone].trs.translation = vec3_sub(at, from);
    who->bones[bone].node = bone;
    who->bones[bone].head = at;
    const float head[3] = {at.x, at.y, at.z};
    for (int i = 0; i < 3; i++) {
        who->bones[bone].rest_to_bone[i][i] = 1;
        who->bones[bone].rest_to_bone[i][3] = -(double)head[i];
    }
}

/// Tubes from `foot` upwards; vertices of tube k belong to bone k. `bar`: in place of the right finger a bar that lies across,
/// along z at the height of the left one's last joint.
static inline PeltiCharacter *make_shape(float unit, float between, bool bar)
{
    static Vec3 p[BONES * TUBE_POINTS];
    static int t[BONES * TUBE_TRIANGLES][3];
    const Vec3 foot[BONES] = {{0, -1, 0}, {-between / 2, 0, 0}, {between / 2, 0, 0}};
    const float high[BONES] = {0.7f, length, length};
    PeltiCharacter *who = pelti_character_create(NULL);
    int triangles = 0;
    for (int k = 0; k < BONES; k++) {
        triangles += make_tube(high[k], k == PALM ? 1.5f : radius, p, t + triangles, k * TUBE_POINTS);
        for (int i = k * TUBE_POINTS; i < (k + 1) * TUBE_POINTS; i++)
            p[i] = vec3_scale(vec3_add(foot[k], bar && k == RIGHT ? vec3(p[i].y, bar_height + p[i].z, 1.5f * p[i].x - 3)
                                                                  : vec3(-p[i].y, p[i].x, p[i].z)),
                              unit);
    }
    who->node_count = BONES + 1;
    who->nodes = PELTI_NEW(&who->pool, PeltiNode, who->node_count);
    who->bone_count = BONES;
    who->bones = PELTI_NEW(&who->pool, PeltiBone, BONES);
    add_bone(who, PALM, -1, "palm", vec3_scale(foot[PALM], unit));
    add_bone(who, LEFT, PALM, "left", vec3_scale(foot[LEFT], unit));
    add_bone(who, RIGHT, PALM, "right", vec3_scale(foot[RIGHT], unit));
    int *skin = PELTI_NEW(&who->pool, int, BONES);
    for (int b = 0; b < BONES; b++)
        skin[b] = b;
    who->nodes[BONES] = (PeltiNode){.name = "skin", .parent = -1, .trs = trs_identity()};
    who->instance_count = 1;
    who->instances = PELTI_NEW(&who->pool, PeltiInstance, 1);
    who->instances[0] = (PeltiInstance){BONES, 0, 0, 0, BONES * TUBE_POINTS, BONES, skin, 1, 0, 0};
    who->point_count = BONES * TUBE_POINTS;
    who->rest_points = PELTI_NEW(&who->pool, Vec3, who->point_count);
    memcpy(who->rest_points, p, sizeof p);
    who->point_instance = PELTI_NEW(&who->pool, int, who->point_count);
    who->triangle_count = triangles;
    who->point_triangles = pelti_pool_take(&who->pool, (size_t)triangles, sizeof(int[3]));
    memcpy(who->point_triangles, t, sizeof(int[3]) * (size_t)triangles);
    PeltError err = {0};
    if (pelti_character_finish(who, who->rest_points, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

static inline PeltiCharacter *make_fingers(float unit, float between)
{
    return make_shape(unit, between, false);
}

static inline Fingers open_character(PeltiCharacter *who, float unit, const PeltiGiveWaySettings *settings)
{
    Fingers f = {.who = who, .unit = unit};
    PeltiPool *pool = &f.who->pool;
    int n = f.who->mesh->vertex_count, *bone = PELTI_NEW(pool, int, n);
    float *weight = PELTI_NEW(pool, float, n);
    for (int v = 0; v < n; v++)
        bone[v] = f.who->mesh->first_point[v] / TUBE_POINTS, weight[v] = 1;
    f.weights = PELTI_NEW(pool, PeltiWeights, 1);
    *f.weights = (PeltiWeights){1, bone, weight};
    PeltiGiveWayDef def = {.who = f.who, .weights = f.weights, .settings = *settings};
    assert_int_equal(pelti_give_way_create(&def, NULL, &f.give_way, NULL), PELT_OK);
    f.pose = pelti_pose_new(pool, f.who);
    f.node_matrix = PELTI_NEW(pool, PeltiNodeMatrix, f.who->node_count);
    f.bones = PELTI_NEW(pool, Mat34, f.who->bone_count);
    pelti_pose_file(f.who, &f.pose);
    return f;
}

static inline Fingers open_with(float unit, float between, const PeltiGiveWaySettings *settings)
{
    return open_character(make_fingers(unit, between), unit, settings);
}

static inline Fingers open_fingers(float unit, float between, float crush, const PeltRig *rig)
{
    return open_with(unit, between, &(PeltiGiveWaySettings){.crush = crush, .rig = rig});
}

static inline void close_fingers(Fingers *f)
{
    pelti_give_way_destroy(f->give_way);
    pelti_character_destroy(f->who);
}

/// Leans the fingers towards each other and takes a step; then `bones` are the corrected ones.
static inline void step(Fingers *f, float left, float right, double dt_s)
{
    f->pose.local[LEFT].rotation = quat_axis_angle(vec3(0, 0, 1), -left);
    f->pose.local[RIGHT].rotation = quat_axis_angle(vec3(0, 0, 1), right);
    f->pose.touched[LEFT] = f->pose.touched[RIGHT] = true;
    const PeltiPose *shown = pelti_give_way_step(f->give_way, &f->pose, dt_s, false, &f->report);
    pelti_pose_bones(f->who, shown, f->node_matrix, f->bones);
}

static inline Vec3 tip(const Fingers *f, int bone)
{
    return mat34_apply(f->bones[bone], vec3_add(f->who->bones[bone].head, vec3(0, f->unit * length, 0)));
}

static inline double turned(const Fingers *f, int bone)
{
    return pelti_give_way_joint(f->give_way, bone).now;
}

/// Share of the size by which the axes of the fingers are nearer than they may be; 0: they touch or are apart.
static inline double overlap(const Fingers *f)
{
    PeltiClosestSegments near = pelti_closest_segments(mat34_apply(f->bones[LEFT], f->who->bones[LEFT].head), tip(f, LEFT),
                                                       mat34_apply(f->bones[RIGHT], f->who->bones[RIGHT].head), tip(f, RIGHT));
    return fmax(0, 2 * (double)(radius * f->unit) - sqrt(near.squared)) / (double)f->who->mesh->diagonal;
}

#endif
