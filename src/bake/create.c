/// include/pelt/character.h: a character from a host's arrays.
/// Inside it stands y up in metres: x_own = A x_host, with A the turn z up -> y up times the unit; a matrix M of the host
/// becomes A M A^-1, whose scale is M's.
#include "bake/objects.h"
#include "character/weights.h"

#include <stdio.h>
#include <string.h>

enum { CHARACTER_GUARD = 0x6c1a40f, MOST_INFLUENCES = 64, MOST_JOINTS = 1 << 16, MOST_POINTS = 1 << 28 };

PeltCharacterDef pelt_character_def_default(void)
{
    return (PeltCharacterDef){.up = PELT_UP_Y, .unit_m = 1, .guard = CHARACTER_GUARD};
}

static Vec3 turned(bool z_up, Vec3 v)
{
    return z_up ? vec3(v.x, v.z, -v.y) : v;
}

/// A host's matrix, joint -> host space, as Pelt has it (y up, metres).
static Mat34 host_matrix(const PeltCharacter *character, const float r[16])
{
    bool z_up = character->z_up;
    float unit = character->unit_m > 0 ? character->unit_m : 1;
    Mat34 out;
    Vec3 columns[3];
    for (int j = 0; j < 3; j++)
        columns[j] = turned(z_up, vec3(r[j], r[4 + j], r[8 + j]));
    if (z_up) { // M turn^-1: the own axes x, y, z are the host's x, z, -y
        Vec3 y = columns[1];
        columns[1] = columns[2];
        columns[2] = vec3_scale(y, -1);
    }
    Vec3 at = vec3_scale(turned(z_up, vec3(r[3], r[7], r[11])), unit);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            out.m[i][j] = (&columns[j].x)[i];
        out.m[i][3] = (&at.x)[i];
    }
    return out;
}

Mat34 pelti_bake_host_from_own(const PeltCharacter *character)
{
    float s = character->unit_m > 0 ? 1 / character->unit_m : 1;
    if (character->z_up)
        return (Mat34){{{s, 0, 0, 0}, {0, 0, -s, 0}, {0, s, 0, 0}}};
    return (Mat34){{{s, 0, 0, 0}, {0, s, 0, 0}, {0, 0, s, 0}}};
}

// ---- checks ----

static bool finite_list(const float *values, size_t count, size_t *where)
{
    for (size_t i = 0; i < count; i++)
        if (!(fabsf(values[i]) <= 1e18f)) {
            *where = i;
            return false;
        }
    return true;
}

static PeltStatus check_joints(const PeltCharacterDef *def, PeltError *err)
{
    if (def->joint_count < 1 || def->joint_count > MOST_JOINTS || !def->joints)
        return PELT_FAIL(err, PELT_BAD_INPUT, "a character needs 1 to %d joints, not %d", MOST_JOINTS, def->joint_count);
    for (int j = 0; j < def->joint_count; j++) {
        const PeltJointDef *joint = &def->joints[j];
        Mat34 m, back;
        size_t where;
        if (!joint->name || !joint->name[0])
            return PELT_FAIL(err, PELT_BAD_INPUT, "joint %d has no name", j);
        if (joint->parent < -1 || joint->parent >= def->joint_count || joint->parent == j)
            return PELT_FAIL(err, PELT_BAD_INPUT, "joint %s: parent %d of %d", joint->name, joint->parent, def->joint_count);
        const float *r = joint->rest;
        for (int i = 0; i < 12; i++)
            (&m.m[0][0])[i] = r[i];
        if (!finite_list(r, 16, &where) || !mat34_inverse(m, &back) || fabsf(r[12]) + fabsf(r[13]) + fabsf(r[14]) > 1e-5f ||
            fabsf(r[15] - 1) > 1e-5f)
            return PELT_FAIL(err, PELT_BAD_INPUT,
                             "joint %s: its rest matrix has no inverse, or its last row is not 0 0 0 1 (matrices go by rows)",
                             joint->name);
    }
    return PELT_OK;
}

static PeltStatus check_weights(const PeltMeshDef *mesh, const char *name, int joint_count, PeltError *err)
{
    if (mesh->influences < 0 || mesh->influences > MOST_INFLUENCES ||
        (mesh->influences && (!mesh->weight_joints || !mesh->weight_values)))
        return PELT_FAIL(err, PELT_BAD_INPUT, "mesh %s: %d weights a point (0 to %d), or their lists are missing", name,
                         mesh->influences, MOST_INFLUENCES);
    size_t count = (size_t)mesh->point_count * (size_t)mesh->influences;
    for (size_t i = 0; i < count; i++)
        if (mesh->weight_values[i] > 0 && (mesh->weight_joints[i] < 0 || mesh->weight_joints[i] >= joint_count))
            return PELT_FAIL(err, PELT_BAD_INPUT, "mesh %s: point %zu: joint %d of %d", name, i / (size_t)mesh->influences,
                             mesh->weight_joints[i], joint_count);
    return PELT_OK;
}

/// Corners in all and triangles of the fans.
static PeltStatus check_faces(const PeltMeshDef *mesh, const char *name, size_t *triangles, PeltError *err)
{
    size_t corner = 0;
    *triangles = 0;
    if (mesh->face_count < 0 || (mesh->face_count && !mesh->corners))
        return PELT_FAIL(err, PELT_BAD_INPUT, "mesh %s: %d faces, and no corners", name, mesh->face_count);
    for (int f = 0; f < mesh->face_count; f++) {
        int size = mesh->face_sizes ? mesh->face_sizes[f] : 3;
        if (size < 3 || size > mesh->point_count)
            return PELT_FAIL(err, PELT_BAD_INPUT, "mesh %s: face %d has %d corners", name, f, size);
        for (int k = 0; k < size; k++, corner++)
            if (mesh->corners[corner] < 0 || mesh->corners[corner] >= mesh->point_count)
                return PELT_FAIL(err, PELT_BAD_INPUT, "mesh %s: face %d: point %d of %d", name, f, mesh->corners[corner],
                                 mesh->point_count);
        *triangles += (size_t)size - 2;
    }
    return *triangles < MOST_POINTS ? PELT_OK : PELT_FAIL(err, PELT_UNSUPPORTED, "mesh %s: too many faces", name);
}

typedef struct Sizes {
    size_t points, triangles;
    int influences; ///< most, at least 4; 0: no mesh has weights
} Sizes;

static PeltStatus check(const PeltCharacterDef *def, Sizes *sizes, PeltError *err)
{
    if (!(def->unit_m > 1e-6f && def->unit_m < 1e6f) || (def->up != PELT_UP_Y && def->up != PELT_UP_Z))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "unit_m %g: above 0; up: y or z", (double)def->unit_m);
    PELT_TRY(check_joints(def, err));
    if (def->mesh_count < 1 || !def->meshes)
        return PELT_FAIL(err, PELT_BAD_INPUT, "a character needs a mesh");
    for (int i = 0; i < def->mesh_count; i++) {
        const PeltMeshDef *mesh = &def->meshes[i];
        const char *name = mesh->name ? mesh->name : "";
        size_t where, triangles;
        if (mesh->point_count < 1 || mesh->point_count > MOST_POINTS || !mesh->points)
            return PELT_FAIL(err, PELT_BAD_INPUT, "mesh %s: %d points", name, mesh->point_count);
        if (!finite_list(mesh->points, 3 * (size_t)mesh->point_count, &where))
            return PELT_FAIL(err, PELT_BAD_INPUT, "mesh %s: point %zu is not finite", name, where / 3);
        PELT_TRY(check_faces(mesh, name, &triangles, err));
        PELT_TRY(check_weights(mesh, name, def->joint_count, err));
        sizes->points += (size_t)mesh->point_count;
        sizes->triangles += triangles;
        if (mesh->influences)
            sizes->influences = mesh->influences > sizes->influences ? mesh->influences : sizes->influences;
    }
    if (sizes->influences)
        sizes->influences = sizes->influences < 4 ? 4 : sizes->influences;
    if (sizes->points > MOST_POINTS || sizes->triangles > MOST_POINTS)
        return PELT_FAIL(err, PELT_UNSUPPORTED, "%zu points and %zu triangles are too many", sizes->points, sizes->triangles);
    return PELT_OK;
}

// ---- filling ----

static void invert(Mat34 m, double out[3][4]) // checked: it has one
{
    double a[3][3], det = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = (double)m.m[(i + 1) % 3][(j + 1) % 3] * (double)m.m[(i + 2) % 3][(j + 2) % 3] -
                      (double)m.m[(i + 1) % 3][(j + 2) % 3] * (double)m.m[(i + 2) % 3][(j + 1) % 3];
    for (int j = 0; j < 3; j++)
        det += (double)m.m[0][j] * a[0][j];
    for (int i = 0; i < 3; i++) {
        out[i][3] = 0;
        for (int j = 0; j < 3; j++) {
            out[i][j] = a[j][i] / det;
            out[i][3] -= out[i][j] * (double)m.m[j][3];
        }
    }
}

static void fill_skeleton(PeltiCharacter *who, const PeltCharacterDef *def, const PeltCharacter *host, int *bones)
{
    int joints = def->joint_count;
    for (int j = 0; j < joints; j++) {
        who->nodes[j] = (PeltiNode){
            .name = pelti_pool_text(&who->pool, def->joints[j].name), .parent = def->joints[j].parent, .trs = trs_identity()};
        who->bones[j] = (PeltiBone){.node = j};
        invert(host_matrix(host, def->joints[j].rest), who->bones[j].rest_to_bone);
        bones[j] = j;
    }
    for (int i = 0, first = 0; i < def->mesh_count; i++) {
        const PeltMeshDef *mesh = &def->meshes[i];
        char number[32];
        snprintf(number, sizeof number, "mesh %d", i);
        who->nodes[joints + i] = (PeltiNode){
            .name = pelti_pool_text(&who->pool, mesh->name ? mesh->name : number), .parent = -1, .trs = trs_identity()};
        who->instances[i] = (PeltiInstance){.node = joints + i,
                                            .mesh = i,
                                            .first_point = first,
                                            .point_count = mesh->point_count,
                                            .bone_count = joints,
                                            .bones = bones,
                                            .scale = 1};
        first += mesh->point_count;
    }
}

/// The rest pose becomes the pose of the nodes: places of joints exactly, turns and scales as a pose can hold them.
static PeltStatus fill_rest(PeltiCharacter *who, const PeltCharacterDef *def, const PeltCharacter *host, PeltError *err)
{
    PeltiPool work;
    pelti_pool_init(&work, &def->allocator);
    PeltiPose pose = pelti_pose_new(&work, who);
    Mat34 *rest = PELTI_NEW(&work, Mat34, def->joint_count);
    int *joint = PELTI_NEW(&work, int, who->node_count);
    PeltiNodeMatrix *node_matrix = PELTI_NEW(&work, PeltiNodeMatrix, who->node_count);
    PeltStatus status = work.failed ? pelti_no_memory(err, work.used_bytes) : PELT_OK;
    if (status == PELT_OK) {
        pelti_pose_file(who, &pose);
        for (int n = 0; n < who->node_count; n++)
            joint[n] = n < def->joint_count ? n : -1;
        for (int j = 0; j < def->joint_count; j++)
            rest[j] = host_matrix(host, def->joints[j].rest);
        pelti_pose_from_matrices(who, joint, rest, node_matrix, &pose);
        for (int j = 0; j < def->joint_count; j++)
            who->nodes[j].trs = pose.local[j];
    }
    pelti_pool_release(&work);
    return status;
}

/// One row: influences sorted by falling weight, normalised; nothing usable marks it bad, to be mended.
static void fill_row(PeltiCharacter *who, const PeltMeshDef *mesh, int p, int point, int *bone, float *weight)
{
    int used = 0, width = who->file_weights.influences;
    bool finite = true, negative = false;
    for (int k = 0; k < mesh->influences; k++) {
        size_t i = (size_t)p * (size_t)mesh->influences + (size_t)k;
        float w = mesh->weight_values[i];
        finite = finite && fabsf(w) <= 1e18f;
        negative = negative || w < 0;
        if (!(w > 0) || !(w <= 1e18f))
            continue;
        int at = used++;
        for (; at > 0 && weight[at - 1] < w; at--)
            weight[at] = weight[at - 1], bone[at] = bone[at - 1];
        weight[at] = w, bone[at] = mesh->weight_joints[i];
    }
    double sum = 0;
    for (int k = 0; k < used; k++)
        sum += (double)weight[k];
    PeltiWeightsBad *rows = &who->bad_rows;
    if (!finite || negative || !(sum > 0)) {
        rows->bad[point] = true;
        rows->not_finite += !finite, rows->negative += finite && negative, rows->absent += finite && !negative;
        memset(bone, 0, (size_t)width * sizeof *bone);
        memset(weight, 0, (size_t)width * sizeof *weight);
        weight[0] = 1;
        return;
    }
    for (int k = 0; k < used; k++)
        weight[k] = (float)((double)weight[k] / sum);
}

static void fill_points(PeltiCharacter *who, const PeltCharacterDef *def, const PeltCharacter *host, int *bone, float *weight)
{
    int point = 0, triangle = 0, width = who->file_weights.influences;
    for (int i = 0; i < def->mesh_count; i++) {
        const PeltMeshDef *mesh = &def->meshes[i];
        const int *c = mesh->corners;
        for (int f = 0; f < mesh->face_count; f++) {
            int size = mesh->face_sizes ? mesh->face_sizes[f] : 3;
            for (int k = 2; k < size; k++, triangle++) {
                who->point_triangles[triangle][0] = point + c[0];
                who->point_triangles[triangle][1] = point + c[k - 1];
                who->point_triangles[triangle][2] = point + c[k];
            }
            c += size;
        }
        for (int p = 0; p < mesh->point_count; p++, point++) {
            const float *x = mesh->points + 3 * (size_t)p;
            who->rest_points[point] = vec3_scale(turned(host->z_up, vec3(x[0], x[1], x[2])), host->unit_m);
            who->point_instance[point] = i;
            if (width)
                fill_row(who, mesh, p, point, bone + (size_t)point * (size_t)width, weight + (size_t)point * (size_t)width);
        }
    }
}

static PeltStatus fill(PeltiCharacter *who, const PeltCharacterDef *def, const PeltCharacter *host, const Sizes *sizes,
                       PeltError *err)
{
    PeltiPool *pool = &who->pool;
    int joints = def->joint_count;
    who->node_count = joints + def->mesh_count;
    who->bone_count = joints;
    who->instance_count = def->mesh_count;
    who->skin_count = 1;
    who->point_count = (int)sizes->points;
    who->triangle_count = (int)sizes->triangles;
    int *bones = PELTI_NEW(pool, int, joints);
    who->nodes = PELTI_NEW(pool, PeltiNode, who->node_count);
    who->bones = PELTI_NEW(pool, PeltiBone, joints);
    who->instances = PELTI_NEW(pool, PeltiInstance, def->mesh_count);
    who->rest_points = PELTI_NEW(pool, Vec3, sizes->points);
    who->point_instance = PELTI_NEW(pool, int, sizes->points);
    who->point_triangles = pelti_pool_take(pool, sizes->triangles, sizeof *who->point_triangles);
    size_t rows = sizes->points * (size_t)sizes->influences;
    int *bone = PELTI_NEW(pool, int, rows);
    float *weight = PELTI_NEW(pool, float, rows);
    who->bad_rows.bad = PELTI_NEW(pool, bool, sizes->points);
    if (pool->failed)
        return pelti_no_memory(err, pool->used_bytes);
    if (sizes->influences)
        who->file_weights = (PeltiWeights){sizes->influences, bone, weight};
    fill_skeleton(who, def, host, bones);
    if (pool->failed)
        return pelti_no_memory(err, pool->used_bytes);
    fill_points(who, def, host, bone, weight);
    if (!who->bad_rows.not_finite && !who->bad_rows.negative && !who->bad_rows.absent)
        who->bad_rows.bad = NULL; // nothing to mend, nothing to say
    PELT_TRY(pelti_character_finish(who, who->rest_points, err));
    return fill_rest(who, def, host, err);
}

PeltStatus pelt_character_create(const PeltCharacterDef *def, PeltCharacter **out, PeltError *err)
{
    PELT_ASSERT(def->guard == CHARACTER_GUARD); // start from pelt_character_def_default
    *out = NULL;
    Sizes sizes = {0};
    PELT_TRY(check(def, &sizes, err));
    PeltCharacter host = {.unit_m = def->unit_m, .z_up = def->up == PELT_UP_Z};
    PeltiCharacter *who = pelti_character_create(&def->allocator);
    if (!who)
        return pelti_no_memory(err, sizeof *who);
    PeltStatus status = fill(who, def, &host, &sizes, err);
    if (status != PELT_OK) {
        pelti_character_destroy(who);
        return status;
    }
    PELT_TRY(pelti_bake_character_wrap(who, NULL, &def->allocator, out, err));
    (*out)->unit_m = host.unit_m;
    (*out)->z_up = host.z_up;
    return PELT_OK;
}

// ---- poses ----

float pelt_pose_set_matrices(PeltPose *pose, const float *matrices, int joint_count)
{
    const PeltCharacter *character = pose->character;
    PELT_ASSERT(joint_count == pelt_character_info(character).joint_count);
    for (int j = 0; j < joint_count; j++)
        pose->given[j] = host_matrix(character, matrices + 16 * (size_t)j);
    return pelti_pose_from_matrices(character->who, pose->joint, pose->given, pose->node_matrix_scratch, &pose->pose);
}
