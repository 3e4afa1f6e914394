/// A pose from a clip at a time, and bones from a pose.
#include "character/character.h"
#include "character/pose_math.h"
#include "math/elementary.h"

#include <stdlib.h>
#include <string.h>

enum { ROTATION_WIDTH = 4, WIDTH_MOST = 4 };

PeltiPose pelti_pose_new(PeltiPool *pool, const PeltiCharacter *who)
{
    PeltiPose pose;
    pose.local = PELTI_NEW(pool, Trs, who->node_count);
    pose.touched = PELTI_NEW(pool, bool, who->node_count);
    pose.morph = PELTI_NEW(pool, float, who->target_count);
    return pose;
}

void pelti_pose_file(const PeltiCharacter *who, PeltiPose *out)
{
    for (int n = 0; n < who->node_count; n++) {
        out->local[n] = who->nodes[n].trs;
        out->touched[n] = false;
    }
    for (int t = 0; t < who->target_count; t++)
        out->morph[t] = who->target_weights[t];
}

void pelti_pose_copy(const PeltiCharacter *who, const PeltiPose *from, PeltiPose *to)
{
    memcpy(to->local, from->local, (size_t)who->node_count * sizeof *to->local);
    memcpy(to->touched, from->touched, (size_t)who->node_count * sizeof *to->touched);
    for (int t = 0; t < who->target_count; t++)
        to->morph[t] = from->morph[t];
}

void pelti_pose_blend(const PeltiCharacter *who, const PeltiPose *a, const PeltiPose *b, float t, PeltiPose *out)
{
    for (int n = 0; n < who->node_count; n++) {
        out->local[n] = trs_blend(a->local[n], b->local[n], t);
        out->touched[n] = a->touched[n] || b->touched[n];
    }
    for (int w = 0; w < who->target_count; w++)
        out->morph[w] = a->morph[w] + t * (b->morph[w] - a->morph[w]);
}

/// Last key at or before time; times are strictly rising.
static int find_key(const PeltiChannel *channel, double time_s)
{
    int low = 0, high = channel->key_count - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if ((double)channel->times[middle] <= time_s)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void slerp(const float *a, const float *b, double u, double *out)
{
    double d = 0, s = 1;
    for (int k = 0; k < ROTATION_WIDTH; k++)
        d += (double)a[k] * (double)b[k];
    if (d < 0) {
        d = -d;
        s = -1;
    }
    double wa = 1 - u, wb = u;
    if (d <= 0.9995) {
        double angle = pelti_acos(d), sine = pelti_sin(angle);
        wa = pelti_sin((1 - u) * angle) / sine;
        wb = pelti_sin(u * angle) / sine;
    }
    for (int k = 0; k < ROTATION_WIDTH; k++)
        out[k] = wa * (double)a[k] + s * wb * (double)b[k];
}

/// Cubic Hermite spline of glTF 2.0, appendix C: keys are (in-tangent, value, out-tangent) of `width` numbers each, tangents
/// scaled by the interval.
static void hermite(const float *key, int width, int count, double interval_s, double u, double *out)
{
    const float *a = key + width, *out_tangent = key + 2 * width, *in_tangent = key + 3 * width, *b = key + 4 * width;
    double u2 = u * u, u3 = u2 * u;
    for (int k = 0; k < count; k++)
        out[k] = (2 * u3 - 3 * u2 + 1) * (double)a[k] + (u3 - 2 * u2 + u) * interval_s * (double)out_tangent[k] +
                 (-2 * u3 + 3 * u2) * (double)b[k] + (u3 - u2) * interval_s * (double)in_tangent[k];
}

/// Numbers [first, first + count) of the channel's value, at most four at a time.
static void sample_channel(const PeltiChannel *channel, double time_s, int first, int count, double out[WIDTH_MOST])
{
    int width = channel->width;
    int stride = channel->interpolation == PELTI_CHANNEL_CUBIC ? 3 * width : width;
    int key = find_key(channel, time_s), last = channel->key_count - 1;
    bool hold = key >= last || time_s <= (double)channel->times[0] || channel->interpolation == PELTI_CHANNEL_STEP;
    const float *at = channel->values + (size_t)key * (size_t)stride;
    if (hold) {
        const float *value = channel->interpolation == PELTI_CHANNEL_CUBIC ? at + width : at;
        for (int k = 0; k < count; k++)
            out[k] = (double)value[first + k];
        return;
    }
    double interval_s = (double)channel->times[key + 1] - (double)channel->times[key];
    double u = (time_s - (double)channel->times[key]) / interval_s;
    if (channel->interpolation == PELTI_CHANNEL_CUBIC)
        hermite(at + first, width, count, interval_s, u, out);
    else if (channel->path == PELTI_CHANNEL_ROTATION)
        slerp(at, at + stride, u, out);
    else
        for (int k = 0; k < count; k++)
            out[k] = (1 - u) * (double)at[first + k] + u * (double)at[first + k + stride];
}

static void sample_morph(const PeltiChannel *channel, double time_s, float *morph)
{
    for (int first = 0; first < channel->width; first += WIDTH_MOST) {
        double v[WIDTH_MOST];
        int count = channel->width - first < WIDTH_MOST ? channel->width - first : WIDTH_MOST;
        sample_channel(channel, time_s, first, count, v);
        for (int k = 0; k < count; k++)
            morph[channel->first_target + first + k] = (float)v[k];
    }
}

void pelti_pose_clip(const PeltiCharacter *who, const PeltiClip *clip, double time_s, PeltiPose *out)
{
    pelti_pose_file(who, out);
    for (int c = 0; clip && c < clip->channel_count; c++) {
        const PeltiChannel *channel = &clip->channels[c];
        double v[WIDTH_MOST];
        if (channel->key_count < 1)
            continue;
        if (channel->path == PELTI_CHANNEL_MORPH) {
            sample_morph(channel, time_s, out->morph);
            continue;
        }
        sample_channel(channel, time_s, 0, channel->width, v);
        Trs *local = &out->local[channel->node];
        if (who->nodes[channel->node].has_matrix && !out->touched[channel->node])
            *local = trs_identity(); // glTF: an animated node has no matrix; a file that has one starts from nothing
        out->touched[channel->node] = true;
        if (channel->path == PELTI_CHANNEL_ROTATION) {
            double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
            double s = length > 0 ? 1 / length : 0;
            local->rotation = quat_normalize((Quat){(float)(v[0] * s), (float)(v[1] * s), (float)(v[2] * s), (float)(v[3] * s)});
        } else if (channel->path == PELTI_CHANNEL_TRANSLATION) {
            local->translation = vec3((float)v[0], (float)v[1], (float)v[2]);
        } else {
            local->scale = vec3((float)v[0], (float)v[1], (float)v[2]);
        }
    }
}

void pelti_pose_local(const PeltiCharacter *who, const PeltiPose *pose, int n, double out[3][4])
{
    const PeltiNode *node = &who->nodes[n];
    if (node->has_matrix && !pose->touched[n]) {
        memcpy(out, node->matrix, sizeof node->matrix);
        return;
    }
    Trs trs = pose->local[n];
    double x = (double)trs.rotation.x, y = (double)trs.rotation.y, z = (double)trs.rotation.z, w = (double)trs.rotation.w;
    double length2 = x * x + y * y + z * z + w * w, s = length2 > 0 ? 2 / length2 : 0; // float keys are unit to 1e-7 only
    const double r[3][3] = {{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
                            {s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
                            {s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}};
    const double scale[3] = {(double)trs.scale.x, (double)trs.scale.y, (double)trs.scale.z};
    const double t[3] = {(double)trs.translation.x, (double)trs.translation.y, (double)trs.translation.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            out[i][j] = r[i][j] * scale[j];
        out[i][3] = t[i];
    }
}

/// Matrices are multiplied in double: 840 nested joints must not drift by float rounding.
void pelti_pose_node_matrix(const PeltiCharacter *who, const PeltiPose *pose, int n, PeltiNodeMatrix *node_matrix)
{
    const PeltiNode *node = &who->nodes[n];
    double local[3][4];
    pelti_pose_local(who, pose, n, local);
    if (node->parent >= 0)
        mat34_mul_double(node_matrix[node->parent].m, local, node_matrix[n].m);
    else
        memcpy(node_matrix[n].m, local, sizeof local);
}

void pelti_pose_bones(const PeltiCharacter *who, const PeltiPose *pose, PeltiNodeMatrix *node_matrix, Mat34 *bone_matrix)
{
    for (int k = 0; k < who->node_count; k++)
        pelti_pose_node_matrix(who, pose, who->node_order[k], node_matrix);
    for (int b = 0; b < who->bone_count; b++) {
        double m[3][4];
        mat34_mul_double(node_matrix[who->bones[b].node].m, who->bones[b].rest_to_bone, m);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 4; j++)
                bone_matrix[b].m[i][j] = (float)m[i][j];
    }
}

/// Rotation of a bone matrix by Gram-Schmidt of its columns; cheap, and exact for rigid bones.
static Mat3 frame_of(Mat34 m)
{
    Vec3 x = vec3_normalize_or(vec3(m.m[0][0], m.m[1][0], m.m[2][0]), vec3(1, 0, 0));
    Vec3 y = vec3(m.m[0][1], m.m[1][1], m.m[2][1]);
    y = vec3_normalize_or(vec3_mad(y, x, -vec3_dot(x, y)), vec3_orthogonal(x));
    Vec3 z = vec3_cross(x, y);
    return (Mat3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

float pelti_pose_largest_turn(const PeltiCharacter *who, const Mat34 *from, const Mat34 *to)
{
    float largest = 0;
    for (int b = 0; b < who->bone_count; b++) {
        int parent = who->bones[b].parent;
        Mat3 before = frame_of(from[b]), after = frame_of(to[b]);
        if (parent >= 0) {
            before = mat3_mul(mat3_transpose(frame_of(from[parent])), before);
            after = mat3_mul(mat3_transpose(frame_of(to[parent])), after);
        }
        float turn = quat_angle(quat_from_mat3(mat3_mul(mat3_transpose(before), after)));
        largest = fmaxf(largest, turn);
    }
    return largest;
}

int pelti_clip_frames(const PeltiClip *clip, double fps)
{
    double frames = floor((double)clip->duration_s * fps + 0.5) + 1;
    return !(frames >= 1) ? 1 : frames > 1e8 ? 100000000 : (int)frames;
}

int pelti_clip_find(const PeltiCharacter *who, const char *name_or_index)
{
    for (int c = 0; c < who->clip_count; c++)
        if (!strcmp(who->clips[c].name, name_or_index))
            return c;
    if (!strcmp(name_or_index, "range") && who->clips)
        return who->clip_count;
    char *end;
    long index = strtol(name_or_index, &end, 10);
    return *name_or_index && !*end && index >= 0 && index < who->clip_count ? (int)index : -1;
}
