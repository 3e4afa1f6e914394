/// What the page is told of a character: all that does not change while it is posed.
#include "studio/cast.h"

#include "bake/objects.h"
#include "core/error.h"

#include <math.h>
#include <string.h>

static void add_line(PeltiArray *lines, const char *text)
{
    for (const char *c = text; *c; c++) // a line each: a name with a line's end in it would shift the others
        pelti_array_append(lines, *c == '\n' ? " " : c, 1);
    pelti_array_append(lines, "\n", 1);
}

static PeltiMsgText text_of(const PeltiArray *lines)
{
    return (PeltiMsgText){lines->data, (uint32_t)(lines->count ? lines->count - 1 : 0)}; // without the last line's end
}

/// Points of one vertex that have the same normal in the file get one number, the lowest of them: what the page smooths over.
/// `leader` and `before` are scratch: for each vertex the last point that began a group, for each such point the one before it.
static void group_normals(const PeltiCharacter *who, int *groups, int *leader, int *before)
{
    const PeltiMesh *mesh = who->mesh;
    for (int v = 0; v < mesh->vertex_count; v++)
        leader[v] = -1;
    for (int p = 0; p < who->point_count; p++) {
        int v = mesh->weld[p], q = leader[v];
        while (q >= 0 && who->file_normals && !(vec3_dot(who->file_normals[q], who->file_normals[p]) > 0.999f))
            q = before[q];
        groups[p] = q >= 0 ? q : p;
        if (q < 0) {
            before[p] = leader[v];
            leader[v] = p;
        }
    }
}

/// Where the flesh of a bone that ends a limb reaches, in its node's own space.
static void put_tip(const PeltiCharacter *who, const PeltiBone *bone, float *out)
{
    for (int s = 0; s < bone->segment_count; s++) {
        const PeltiSkeletonSegment *segment = &who->segments[bone->segment_first + s];
        const float b[3] = {segment->b.x, segment->b.y, segment->b.z};
        for (int i = 0; i < 3 && segment->child < 0; i++) {
            const double *row = bone->rest_to_bone[i];
            out[i] = (float)(row[0] * (double)b[0] + row[1] * (double)b[1] + row[2] * (double)b[2] + row[3]);
        }
    }
}

/// The weights people see: the file's where it has any, else none.
static int strongest(const PeltiCharacter *who, int point)
{
    const PeltiWeights *w = &who->file_weights;
    return w->influences ? w->bone[(size_t)point * (size_t)w->influences] : -1;
}

typedef struct Sheet { ///< the lists of one Character message
    PeltiPool pool;
    PeltiArray names, clips, warnings;
    int *parents, *bone_nodes, *welds, *groups, *point_nodes;
    float *transforms, *tips, *limits, *seconds;
} Sheet;

/// A turn as a vector: its axis, as long as its angle in rad.
static void turn_vector(const float from[4], const float to[4], float out[3])
{
    Quat a = {from[0], from[1], from[2], from[3]}, b = {to[0], to[1], to[2], to[3]};
    Quat turn = quat_mul(quat_conjugate(a), b);
    float sign = turn.w < 0 ? -1.0f : 1.0f, length = sqrtf(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    float scale = length > 1e-9f ? sign * 2 * atan2f(length, fabsf(turn.w)) / length : 0;
    out[0] = turn.x * scale, out[1] = turn.y * scale, out[2] = turn.z * scale;
}

/// How far the file's clips turn each bone away from rest: what reaching holds to.
static void fill_limits(Sheet *sheet, const PeltiCharacter *who, PeltPose *pose)
{
    const double every_s = 0.1;
    enum { MOST_SAMPLES = 200 }; // a clip: long ones are looked at less densely
    for (int c = 0; c < who->clip_count; c++) {
        double seconds = (double)who->clips[c].duration_s;
        int count = (int)fmin(seconds / every_s, MOST_SAMPLES) + 1;
        for (int k = 0; k < count; k++) {
            pelt_pose_reset(pose);
            pelt_pose_from_clip(pose, c, count > 1 ? seconds * k / (count - 1) : 0);
            for (int b = 0; b < who->bone_count; b++) {
                int node = who->bones[b].node;
                PeltTransform t = pelt_pose_get(pose, node);
                float turn[3], *limits = sheet->limits + (size_t)b * 6;
                turn_vector(sheet->transforms + (size_t)node * 10 + 3, t.rotation, turn);
                for (int i = 0; i < 3; i++) {
                    limits[i] = fminf(limits[i], turn[i]);
                    limits[3 + i] = fmaxf(limits[3 + i], turn[i]);
                }
            }
        }
    }
}

static void fill_nodes(Sheet *sheet, const PeltCharacter *character, const PeltPose *pose)
{
    const PeltiCharacter *who = character->who;
    for (int n = 0; n < who->node_count; n++) {
        PeltTransform t = pelt_pose_get(pose, n);
        memcpy(sheet->transforms + (size_t)n * 10, &t, 10 * sizeof(float));
        sheet->parents[n] = who->nodes[n].parent;
        add_line(&sheet->names, who->nodes[n].name);
    }
    for (int b = 0; b < who->bone_count; b++) {
        sheet->bone_nodes[b] = who->bones[b].node;
        put_tip(who, &who->bones[b], sheet->tips + (size_t)b * 3);
    }
    for (int c = 0; c <= who->clip_count; c++) { // the last is "range", made from the skeleton
        sheet->seconds[c] = who->clips[c].duration_s;
        add_line(&sheet->clips, who->clips[c].name);
    }
    for (int w = 0; w < pelt_character_warning_count(character); w++)
        add_line(&sheet->warnings, pelt_character_warning(character, w)->text);
}

static void fill_points(Sheet *sheet, const PeltiCharacter *who, int *leader, int *before)
{
    group_normals(who, sheet->groups, leader, before);
    for (int p = 0; p < who->point_count; p++) {
        int bone = strongest(who, p);
        sheet->welds[p] = who->mesh->first_point[who->mesh->weld[p]];
        sheet->point_nodes[p] = bone >= 0 ? who->bones[bone].node : -1;
    }
}

static PeltStatus fill(Sheet *sheet, const PeltCharacter *character, PeltError *err)
{
    const PeltiCharacter *who = character->who;
    PeltPose *pose;
    sheet->parents = PELTI_NEW(&sheet->pool, int, who->node_count);
    sheet->transforms = PELTI_NEW(&sheet->pool, float, (size_t)who->node_count * 10);
    sheet->bone_nodes = PELTI_NEW(&sheet->pool, int, who->bone_count);
    sheet->tips = PELTI_NEW(&sheet->pool, float, (size_t)who->bone_count * 3);
    sheet->limits = PELTI_NEW(&sheet->pool, float, (size_t)who->bone_count * 6);
    sheet->seconds = PELTI_NEW(&sheet->pool, float, who->clip_count + 1);
    sheet->welds = PELTI_NEW(&sheet->pool, int, who->point_count);
    sheet->groups = PELTI_NEW(&sheet->pool, int, who->point_count);
    sheet->point_nodes = PELTI_NEW(&sheet->pool, int, who->point_count);
    int *leader = PELTI_NEW(&sheet->pool, int, who->mesh->vertex_count), *before = PELTI_NEW(&sheet->pool, int, who->point_count);
    if (sheet->pool.failed)
        return pelti_no_memory(err, (size_t)who->point_count * 4);
    PELT_TRY(pelt_pose_create(character, &pose, err));
    fill_nodes(sheet, character, pose);
    memset(sheet->limits, 0, (size_t)who->bone_count * 6 * sizeof *sheet->limits);
    fill_limits(sheet, who, pose);
    pelt_pose_destroy(pose);
    fill_points(sheet, who, leader, before);
    return PELT_OK;
}

static void write_sheet(const Sheet *sheet, const PeltiCast *cast, PeltiArray *answer)
{
    const PeltiCharacter *who = cast->who->who;
    uint32_t nodes = (uint32_t)who->node_count, bones = (uint32_t)who->bone_count, points = (uint32_t)who->point_count;
    PeltiMsgCharacter m = {
        .epoch = cast->epoch,
        .label = pelti_msg_text(cast->label),
        .faces_back = who->faces_back,
        .node_names = text_of(&sheet->names),
        .parents = {sheet->parents, nodes},
        .transforms = {sheet->transforms, nodes * 10},
        .bone_nodes = {sheet->bone_nodes, bones},
        .tips = {sheet->tips, bones * 3},
        .limits = {sheet->limits, bones * 6},
        .clip_names = text_of(&sheet->clips),
        .clip_seconds = {sheet->seconds, (uint32_t)who->clip_count + 1},
        .triangles = {&who->point_triangles[0][0], (uint32_t)who->triangle_count * 3},
        .groups = {sheet->groups, points},
        .welds = {sheet->welds, points},
        .point_nodes = {sheet->point_nodes, points},
        .rest = {&who->rest_points[0].x, points * 3},
        .warnings = text_of(&sheet->warnings),
    };
    pelti_msg_write(answer, PELTI_MSG_Character, &m);
}

PeltStatus pelti_cast_describe(const PeltiCast *cast, PeltiArray *answer, PeltError *err)
{
    Sheet sheet = {0};
    pelti_pool_init(&sheet.pool, NULL);
    pelti_array_init(&sheet.names, NULL, 1);
    pelti_array_init(&sheet.clips, NULL, 1);
    pelti_array_init(&sheet.warnings, NULL, 1);
    PeltStatus status = fill(&sheet, cast->who, err);
    if (status == PELT_OK)
        write_sheet(&sheet, cast, answer);
    pelti_array_release(&sheet.names);
    pelti_array_release(&sheet.clips);
    pelti_array_release(&sheet.warnings);
    pelti_pool_release(&sheet.pool);
    return status;
}

PeltStatus pelti_cast_weights(const PeltiCast *cast, int node, PeltiArray *answer, PeltError *err)
{
    const PeltiCharacter *who = cast->who->who;
    const PeltiWeights *w = &who->file_weights;
    PeltiPool pool;
    if (!w->influences)
        return PELT_FAIL(err, PELT_UNSUPPORTED, "the file has no weights to show");
    pelti_pool_init(&pool, NULL);
    uint16_t *values = PELTI_NEW(&pool, uint16_t, who->point_count);
    for (int p = 0; values && p < who->point_count; p++) {
        float sum = 0;
        for (int i = 0; i < w->influences; i++) {
            size_t at = (size_t)p * (size_t)w->influences + (size_t)i;
            sum += who->bones[w->bone[at]].node == node ? w->weight[at] : 0.0f;
        }
        values[p] = (uint16_t)lrintf(65535.0f * fminf(fmaxf(sum, 0.0f), 1.0f));
    }
    if (values) {
        PeltiMsgWeights m = {cast->epoch, node, {values, (uint32_t)who->point_count}};
        pelti_msg_write(answer, PELTI_MSG_Weights, &m);
    }
    pelti_pool_release(&pool);
    return values ? PELT_OK : pelti_no_memory(err, (size_t)who->point_count * 2);
}
