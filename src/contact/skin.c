/// The skin as a function of joint turns, and its Jacobian [Duriez2008 sec. 4.2].
#include "contact/skin.h"
#include "math/elementary.h"
#include "math/lanes.h"
#include "contact/constants.def"

#include <string.h>

static const PeltSceneJoint *find_joint(const PeltScene *scene, const char *character, const char *joint)
{
    for (int i = 0; i < scene->joint_count; i++) {
        const PeltSceneJoint *j = &scene->joints[i];
        if (strcmp(j->joint, joint) == 0 && (!j->character || strcmp(j->character, character) == 0))
            return j;
    }
    return NULL;
}

/// Joints that may give way are the nodes of bones, parents first, except those the scene holds rigid. Where it holds a root,
/// that does not shift either.
static PeltStatus find_joints(PeltiContactSkin *skin, PeltiPool *pool, const PeltScene *scene, const char *name,
                              int *joint_of_node, PeltError *err)
{
    const PeltiCharacter *who = skin->who;
    bool *is_joint = PELTI_NEW(pool, bool, who->node_count);
    skin->joints = PELTI_NEW(pool, PeltiGive, who->bone_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)who->bone_count * sizeof(PeltiGive));
    for (int b = 0; b < who->bone_count; b++)
        is_joint[who->bones[b].node] |= !who->bones[b].is_prop;
    for (int i = 0; i < who->node_count; i++) {
        int n = who->node_order[i], up = who->nodes[n].parent;
        joint_of_node[n] = up >= 0 ? joint_of_node[up] : -1;
        const PeltSceneJoint *said = is_joint[n] ? find_joint(scene, name, who->nodes[n].name) : NULL;
        skin->root.held |= said && said->rigid && joint_of_node[n] < 0;
        if (!is_joint[n] || (said && said->rigid))
            continue;
        if (said && !(said->stiffness >= 0))
            return PELT_FAIL(err, PELT_BAD_INPUT, "joint %s: stiffness %g must not be negative", said->joint,
                             (double)said->stiffness);
        double stiffness = said ? (double)said->stiffness : 0;
        skin->joints[skin->joint_count] =
            (PeltiGive){.node = n, .parent = joint_of_node[n], .stiffness = stiffness, .told = stiffness > 0};
        joint_of_node[n] = skin->joint_count++;
    }
    for (int b = 0; b < who->bone_count; b++)
        skin->bone_joint[b] = joint_of_node[who->bones[b].node];
    return PELT_OK;
}

/// What takes the place of a joint's mass times distance where the whole body shifts: a shift by r and a turn by r / (mean
/// distance of the mass from the root) then cost the same, so that a body that is pressed near its root backs away by no more
/// than it is pressed, in place of turning about a short lever and swinging its limbs. 0: nothing to shift.
static double root_give(const PeltiContactSkin *skin, const double (*carried)[2])
{
    double mass = 0, moment = 0;
    for (int j = 0; j < skin->joint_count; j++)
        if (skin->joints[j].parent < 0)
            mass += carried[j][0], moment += carried[j][1];
    return moment > 0 ? mass * mass / moment : 0;
}

/// Mass below each joint (the skin's volume shared out by area, at the density of water) times its distance from the joint.
static void default_stiffness(PeltiContactSkin *skin, const PeltScene *scene, const float *area, double (*carried)[2])
{
    const PeltiMesh *mesh = skin->who->mesh;
    double total = 0, volume = fabs(pelti_mesh_volume(mesh, mesh->rest)), size = (double)mesh->diagonal;
    double gravity = sqrt((double)(scene->gravity[0] * scene->gravity[0] + scene->gravity[1] * scene->gravity[1] +
                                   scene->gravity[2] * scene->gravity[2]));
    for (int v = 0; v < mesh->vertex_count; v++)
        total += (double)area[v];
    double mass_of_area = WATER * fmax(volume, LEAST_FULL * size * size * size) / fmax(total, 1e-30);
    for (int v = 0; v < mesh->vertex_count; v++)
        for (int k = 0; k < skin->weights->influences; k++) {
            size_t i = (size_t)v * (size_t)skin->weights->influences + (size_t)k;
            double w = (double)(skin->weights->weight[i] * area[v]) * mass_of_area;
            for (int j = w > 0 ? skin->bone_joint[skin->weights->bone[i]] : -1; j >= 0; j = skin->joints[j].parent) {
                Vec3 at = vec3((float)skin->joints[j].at[0], (float)skin->joints[j].at[1], (float)skin->joints[j].at[2]);
                carried[j][0] += w;
                carried[j][1] += w * (double)vec3_distance(mesh->rest[v], at);
            }
        }
    double scale =
        (scene->joint_stiffness > 0 ? (double)scene->joint_stiffness : 1) * fmax(gravity, LEAST_GRAVITY * size) / JOINT_DROOPS;
    double floor = 0;
    for (int j = 0; j < skin->joint_count; j++)
        floor = fmax(floor, carried[j][1]);
    for (int j = 0; j < skin->joint_count; j++)
        if (!(skin->joints[j].stiffness > 0))
            skin->joints[j].stiffness = scale * fmax(carried[j][1], LEAST_STIFF * floor + 1e-12);
    if (!(skin->root.stiffness > 0) && !skin->root.held)
        skin->root.stiffness = scale * root_give(skin, (const double(*)[2])carried);
}

PeltStatus pelti_contact_skin_init(PeltiContactSkin *skin, PeltiPool *pool, const PeltiContactSkinDef *def, PeltError *err)
{
    const PeltiCharacter *who = def->who;
    const PeltScene *scene = def->scene;
    *skin = (PeltiContactSkin){
        .who = who, .weights = def->weights, .root = {.stiffness = (double)scene->root_stiffness}, .jobs = def->jobs};
    const PeltiMesh *mesh = who->mesh;
    int *joint_of_node = PELTI_NEW(pool, int, who->node_count);
    skin->bone_joint = PELTI_NEW(pool, int, who->bone_count);
    skin->rest = PELTI_NEW(pool, Vec3, mesh->vertex_count);
    skin->pose.free = pelti_pose_new(pool, who);
    skin->pose.corrected = pelti_pose_new(pool, who);
    skin->pose.node_matrix = PELTI_NEW(pool, PeltiNodeMatrix, who->node_count);
    skin->pose.bones = PELTI_NEW(pool, Mat34, who->bone_count);
    skin->scratch.columns = pelti_pool_take(pool, (size_t)who->bone_count, sizeof(float[16]));
    float *area = PELTI_NEW(pool, float, mesh->vertex_count), *edge = PELTI_NEW(pool, float, mesh->edge_count);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * sizeof(Vec3));
    PELT_TRY(find_joints(skin, pool, scene, def->name, joint_of_node, err));
    skin->scratch.sum = pelti_pool_take(pool, (size_t)skin->joint_count + 1, sizeof(double[4]));
    skin->scratch.touched = PELTI_NEW(pool, int, skin->joint_count + 1);
    skin->scratch.marked = PELTI_NEW(pool, bool, skin->joint_count + 1);
    double(*carried)[2] = pelti_pool_take(pool, (size_t)skin->joint_count + 1, sizeof(double[2]));
    if (pool->failed)
        return pelti_no_memory(err, (size_t)skin->joint_count * sizeof(double[4]));
    if (mesh->vertex_count)
        memcpy(skin->rest, mesh->rest, (size_t)mesh->vertex_count * sizeof(Vec3));
    for (int b = 0; b < who->bone_count; b++) // places at rest, for the stiffness
        if (skin->bone_joint[b] >= 0 && skin->joints[skin->bone_joint[b]].node == who->bones[b].node) {
            Vec3 h = who->bones[b].head;
            memcpy(skin->joints[skin->bone_joint[b]].at, (double[3]){(double)h.x, (double)h.y, (double)h.z}, sizeof(double[3]));
        }
    pelti_mesh_cotangents(mesh, mesh->rest, 0, edge, area);
    default_stiffness(skin, scene, area, carried);
    pelti_pose_file(who, &skin->pose.free);
    pelti_contact_skin_begin(skin, 0, 0);
    pelti_contact_skin_pose(skin);
    return PELT_OK;
}

int pelti_contact_skin_slots(const PeltiContactSkin *skin)
{
    return skin->joint_count + (skin->root.stiffness > 0 ? 1 : 0);
}

// ---- pose ----

static Quat quat_of_turn(const double v[3])
{
    double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double s = angle > 1e-12 ? pelti_sin(angle / 2) / angle : 0.5;
    return (Quat){(float)(s * v[0]), (float)(s * v[1]), (float)(s * v[2]), (float)pelti_cos(angle / 2)};
}

/// Rotation of a joint's parent node: its axes at unit length, made orthogonal. Found anew only where the node has turned: rounds
/// of a step move a few limbs.
static void find_axes(PeltiGive *joint, const PeltiNodeMatrix *node_matrix)
{
    Mat3 m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.m[i][j] = node_matrix ? (float)node_matrix->m[i][j] : (i == j ? 1.0f : 0.0f);
    if (joint->has_axes && memcmp(&m, &joint->above, sizeof m) == 0)
        return;
    joint->above = m;
    joint->has_axes = true;
    Mat3 r = node_matrix ? mat3_polar(m, NULL) : m;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            joint->axes[i][j] = (double)r.m[i][j];
}

/// exp(v + d) = exp(T d) exp(v) for small d, T = 1 + (1 - cos a)/a^2 [v] + (a - sin a)/a^3 [v]^2, a = |v|; here for the turn in
/// world axes.
static void find_tangent(PeltiGive *joint)
{
    double v[3];
    for (int k = 0; k < 3; k++)
        v[k] = joint->axes[k][0] * joint->turn[0] + joint->axes[k][1] * joint->turn[1] + joint->axes[k][2] * joint->turn[2];
    double a2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2], a = sqrt(a2);
    double first = a > 1e-4 ? (1 - pelti_cos(a)) / a2 : 0.5, second = a > 1e-4 ? (a - pelti_sin(a)) / (a2 * a) : 1.0 / 6;
    const double c[3][3] = {{0, -v[2], v[1]}, {v[2], 0, -v[0]}, {-v[1], v[0], 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            joint->tangent[i][j] = (i == j ? 1 - second * a2 : 0) + first * c[i][j] + second * v[i] * v[j]; // [v]^2 = v v^T - a^2
}

/// `into` holds the pose that is corrected, and matrices of the nodes as they were before any was.
static void correct_node(const PeltiContactSkin *skin, const PeltiGive *joint, const double turn[3], PeltiContactSkinTrial *into)
{
    const PeltiNode *node = &skin->who->nodes[joint->node];
    Trs *local = &into->pose.local[joint->node];
    bool shifts = joint->parent < 0 && skin->root.stiffness > 0, turns = turn[0] != 0 || turn[1] != 0 || turn[2] != 0;
    if (!turns && !shifts)
        return;
    if (node->has_matrix && !into->pose.touched[joint->node]) {
        Mat34 m;
        for (int i = 0; i < 12; i++)
            (&m.m[0][0])[i] = (float)(&node->matrix[0][0])[i];
        *local = trs_from_mat34(m);
    }
    into->pose.touched[joint->node] = true;
    local->rotation = quat_normalize(quat_mul(quat_of_turn(turn), local->rotation));
    if (!shifts)
        return;
    Mat3 up, down; // the root's shift is a world vector
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            up.m[i][j] = node->parent >= 0 ? (float)into->node_matrix[node->parent].m[i][j] : (i == j ? 1.0f : 0.0f);
    if (mat3_inverse(up, &down))
        local->translation =
            vec3_add(local->translation,
                     mat3_apply(down, vec3((float)skin->root.shift[0], (float)skin->root.shift[1], (float)skin->root.shift[2])));
}

static void begin_pose(const PeltiContactSkin *skin, PeltiContactSkinTrial *into)
{
    pelti_pose_copy(skin->who, &skin->pose.free, &into->pose);
    if (skin->root.stiffness > 0)
        pelti_pose_bones(skin->who, &into->pose, into->node_matrix, into->bones); // parents of roots, for the shift
}

void pelti_contact_skin_try(const PeltiContactSkin *skin, const double (*turn)[3], PeltiContactSkinTrial *out)
{
    static const double unturned[3] = {0, 0, 0};
    begin_pose(skin, out);
    for (int j = 0; j < skin->joint_count; j++)
        correct_node(skin, &skin->joints[j], turn ? turn[j] : unturned, out);
    pelti_pose_bones(skin->who, &out->pose, out->node_matrix, out->bones);
}

void pelti_contact_skin_pose(PeltiContactSkin *skin)
{
    const PeltiCharacter *who = skin->who;
    PeltiContactSkinTrial into = {skin->pose.corrected, skin->pose.node_matrix, skin->pose.bones};
    begin_pose(skin, &into);
    for (int j = 0; j < skin->joint_count; j++)
        correct_node(skin, &skin->joints[j], skin->joints[j].turn, &into);
    pelti_pose_bones(who, &into.pose, into.node_matrix, into.bones);
    for (int j = 0; j < skin->joint_count; j++) {
        PeltiGive *joint = &skin->joints[j];
        int up = who->nodes[joint->node].parent;
        for (int k = 0; k < 3; k++)
            joint->at[k] = skin->pose.node_matrix[joint->node].m[k][3];
        find_axes(joint, up >= 0 ? &skin->pose.node_matrix[up] : NULL);
        find_tangent(joint);
    }
}

typedef struct SkinPlacing {
    const PeltiContactSkin *skin;
    Vec3 *x;
} SkinPlacing;

/// x = sum w_b (M_b r), a column of M_b at a time: to the bit what rows give.
static void place_range(void *context, int begin, int end, int worker)
{
    (void)worker;
    const SkinPlacing *place = context;
    const PeltiContactSkin *skin = place->skin;
    const PeltiWeights *w = skin->weights;
    for (int v = begin; v < end; v++) {
        PeltiFloat4 sum = {0, 0, 0, 0};
        Vec3 r = skin->rest[v];
        for (int k = 0; k < w->influences; k++) {
            size_t i = (size_t)v * (size_t)w->influences + (size_t)k;
            if (!(w->weight[i] > 0))
                continue;
            PeltiFloat4 c[4];
            memcpy(c, skin->scratch.columns[w->bone[i]], sizeof c);
            sum += (c[0] * r.x + c[1] * r.y + c[2] * r.z + c[3]) * w->weight[i];
        }
        place->x[v] = vec3(sum[0], sum[1], sum[2]);
    }
}

void pelti_contact_skin_columns(const PeltiContactSkin *skin, const Mat34 *bones)
{
    for (int b = 0; b < skin->who->bone_count; b++)
        for (int i = 0; i < 12; i++)
            skin->scratch.columns[b][4 * (i % 4) + i / 4] = bones[b].m[i / 4][i % 4];
}

void pelti_contact_skin_place(const PeltiContactSkin *skin, const Mat34 *bones, Vec3 *x)
{
    pelti_contact_skin_columns(skin, bones);
    pelti_parallel_for(skin->jobs, skin->who->mesh->vertex_count, 2048, place_range, &(SkinPlacing){skin, x});
}

void pelti_contact_skin_begin(PeltiContactSkin *skin, double damping_s, double h)
{
    double keep = h > 0 ? damping_s / (damping_s + h) : 0;
    skin->root.slow = h > 0 ? damping_s / h : 0;
    for (int k = 0; k < 3; k++)
        skin->root.base[k] = keep * skin->root.shift[k];
    for (int j = 0; j < skin->joint_count; j++) {
        PeltiGive *joint = &skin->joints[j];
        const double *t = memcpy(joint->last, joint->turn, sizeof joint->last);
        double turned = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]), back = skin->most_back_s * h;
        double q = joint->hardens > 0 ? turned * turned / (joint->hardens * joint->hardens) : 0;
        joint->slow = back > 0 ? fmax(skin->root.slow, (1 + q) * (turned / back - 1))
                               : skin->root.slow; // slow back = (1 + q) (turned - back)
    }
    pelti_contact_skin_soften(skin);
}

void pelti_contact_skin_soften(PeltiContactSkin *skin)
{
    for (int j = 0; j < skin->joint_count; j++) {
        PeltiGive *joint = &skin->joints[j];
        const double *turn = joint->turn;
        double square = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2];
        double q = joint->hardens > 0 ? square / (joint->hardens * joint->hardens) : 0;
        joint->spring = joint->stiffness * (1 + joint->firm + 3 * q + joint->slow);
        for (int k = 0; k < 3; k++)
            joint->base[k] = (2 * q * turn[k] + joint->slow * joint->last[k]) / (1 + joint->firm + 3 * q + joint->slow);
    }
}

// ---- Jacobian ----

/// Adds a point that is carried with `share` to the sums of the joints above it; returns how many are touched now.
static int carry(PeltiContactSkin *skin, int joint, Vec3 at, double share, int count)
{
    for (int j = joint; j >= 0; j = skin->joints[j].parent) {
        double *sum = skin->scratch.sum[j];
        if (!skin->scratch.marked[j])
            skin->scratch.touched[count++] = j, skin->scratch.marked[j] = true;
        sum[0] += share * (double)at.x, sum[1] += share * (double)at.y, sum[2] += share * (double)at.z, sum[3] += share;
    }
    return count;
}

/// The skin's point `spot`: its share below the roots goes to `below_roots`.
static int carry_spot(PeltiContactSkin *skin, const PeltiSurfaceSpot *spot, double *below_roots)
{
    const PeltiWeights *w = skin->weights;
    int count = 0;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < w->influences && spot->weight[c] > 0; k++) {
            size_t i = (size_t)spot->vertex[c] * (size_t)w->influences + (size_t)k;
            double share = spot->weight[c] * (double)w->weight[i];
            int joint = skin->bone_joint[w->bone[i]];
            if (!(share > 0) || joint < 0)
                continue;
            count = carry(skin, joint, mat34_apply(skin->pose.bones[w->bone[i]], skin->rest[spot->vertex[c]]), share, count);
            *below_roots += share;
        }
    return count;
}

/// With F = sum w_b M_b x, a turn e of joint k moves the bones below it: dF = sum_{b below k} w_b e x (M_b x - p_k)
/// = e x (X_k - W_k p_k), X_k and W_k the weighted position and the weight carried by k. Clears the sums; what moves by less than
/// `least` per radian is left out.
static int blocks_of_sums(PeltiContactSkin *skin, int count, double least, PeltiContactBlock *blocks)
{
    int used = 0;
    for (int b = 0; b < count; b++) {
        int j = skin->scratch.touched[b];
        const PeltiGive *joint = &skin->joints[j];
        double *sum = skin->scratch.sum[j], s = 1 / sqrt(joint->spring);
        double x = sum[0] - sum[3] * joint->at[0], y = sum[1] - sum[3] * joint->at[1], z = sum[2] - sum[3] * joint->at[2];
        memset(sum, 0, sizeof(double[4]));
        skin->scratch.marked[j] = false;
        if (x * x + y * y + z * z < least * least)
            continue;
        x *= s, y *= s, z *= s;
        PeltiContactBlock *block = &blocks[used++];
        block->slot = skin->first_slot + j;
        for (int c = 0; c < 3; c++) { // column: (tangent column) x (x, y, z)
            double ex = joint->tangent[0][c], ey = joint->tangent[1][c], ez = joint->tangent[2][c];
            block->j[0][c] = ey * z - ez * y;
            block->j[1][c] = ez * x - ex * z;
            block->j[2][c] = ex * y - ey * x;
        }
    }
    return used;
}

int pelti_contact_skin_blocks(PeltiContactSkin *skin, const PeltiSurfaceSpot *spot, PeltiContactBlock *blocks)
{
    double below_roots = 0;
    int count = blocks_of_sums(skin, carry_spot(skin, spot, &below_roots), 0, blocks);
    if (skin->root.stiffness > 0 && below_roots > 0) {
        double s = below_roots / sqrt(skin->root.stiffness * (1 + skin->root.slow));
        blocks[count++] = (PeltiContactBlock){skin->first_slot + skin->joint_count, {{s, 0, 0}, {0, s, 0}, {0, 0, s}}};
    }
    return count;
}

int pelti_contact_skin_self_blocks(PeltiContactSkin *skin, const PeltiSurfaceSpot *spot, int bone, Vec3 point,
                                   PeltiContactBlock *blocks)
{
    double below_roots = 0;
    int count = carry_spot(skin, spot, &below_roots);
    count = carry(skin, skin->bone_joint[bone], point, -1, count);
    return blocks_of_sums(skin, count, SELF_LEVER * (double)skin->who->mesh->diagonal, blocks);
}

void pelti_contact_skin_get(const PeltiContactSkin *skin, double (*u)[3])
{
    for (int j = 0; j < skin->joint_count; j++) {
        const PeltiGive *joint = &skin->joints[j];
        double s = sqrt(joint->spring), by[3];
        for (int k = 0; k < 3; k++)
            by[k] = s * (joint->turn[k] - joint->base[k]);
        for (int k = 0; k < 3; k++)
            u[skin->first_slot + j][k] = joint->axes[k][0] * by[0] + joint->axes[k][1] * by[1] + joint->axes[k][2] * by[2];
    }
    for (int k = 0; k < 3 && skin->root.stiffness > 0; k++)
        u[skin->first_slot + skin->joint_count][k] =
            sqrt(skin->root.stiffness * (1 + skin->root.slow)) * (skin->root.shift[k] - skin->root.base[k]);
}

void pelti_contact_skin_set(PeltiContactSkin *skin, const double (*u)[3])
{
    for (int j = 0; j < skin->joint_count; j++) {
        PeltiGive *joint = &skin->joints[j];
        const double *t = u[skin->first_slot + j];
        double s = 1 / sqrt(joint->spring), angle = 0;
        for (int k = 0; k < 3; k++) {
            joint->turn[k] =
                joint->base[k] + s * (joint->axes[0][k] * t[0] + joint->axes[1][k] * t[1] + joint->axes[2][k] * t[2]);
            angle += joint->turn[k] * joint->turn[k];
        }
        for (int k = 0; k < 3 && sqrt(angle) > MOST_TURN; k++)
            joint->turn[k] *= MOST_TURN / sqrt(angle);
    }
    for (int k = 0; k < 3 && skin->root.stiffness > 0; k++)
        skin->root.shift[k] =
            skin->root.base[k] + u[skin->first_slot + skin->joint_count][k] / sqrt(skin->root.stiffness * (1 + skin->root.slow));
}

void pelti_contact_skin_shown(PeltiContactSkin *skin, const Vec3 *vertices, float share)
{
    const PeltiMesh *mesh = skin->who->mesh;
    const PeltiWeights *w = skin->weights;
    for (int v = 0; v < mesh->vertex_count; v++) {
        Mat34 blend = {{{0}}}, back;
        for (int k = 0; k < w->influences; k++) {
            size_t i = (size_t)v * (size_t)w->influences + (size_t)k;
            for (int e = 0; e < 12 && w->weight[i] > 0; e++)
                (&blend.m[0][0])[e] += w->weight[i] * (&skin->pose.bones[w->bone[i]].m[0][0])[e];
        }
        if (mat34_inverse(blend, &back)) {
            Vec3 rest = mat34_apply(back, vertices[v]);
            if (vec3_finite(rest) && vec3_distance(rest, mesh->rest[v]) < REST_FAR * mesh->diagonal)
                skin->rest[v] = share < 1 ? vec3_lerp(skin->rest[v], rest, share) : rest;
        }
    }
}
