/// Reads .bvh: HIERARCHY of joints with offsets and channels, MOTION with a row of numbers a frame.
#include "io/bvh.h"

#include "character/skeleton.h"
#include "io/gltf_parts.h"
#include "math/elementary.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>

enum { NODES_MOST = 4096, DEPTH_MOST = 512, WORD_MOST = 96 };
static const double VALUE_MOST = 1e9;

typedef struct Reader {
    const char *at, *end;
    int line;
    char word[WORD_MOST];
} Reader;

typedef struct Joint {
    const char *name; ///< NULL: the end of a limb, no joint
    int parent;
    Vec3 offset;
    int first, channel_count; ///< columns of a row
    unsigned char kind[6];    ///< 0 to 2: place along x, y, z; 3 to 5: turn about them
} Joint;

typedef struct Bvh {
    Reader reader;
    PeltiArray joints;
    int column_count;
    PeltiCharacter *who;
} Bvh;

// ---- words and numbers

/// The next word; false at the end. A longer word is cut.
static bool next_word(Reader *r)
{
    size_t used = 0;
    for (; r->at < r->end && isspace((unsigned char)*r->at); r->at++)
        r->line += *r->at == '\n';
    for (; r->at < r->end && !isspace((unsigned char)*r->at); r->at++)
        if (used < sizeof r->word - 1)
            r->word[used++] = *r->at;
    r->word[used] = 0;
    return used > 0;
}

static PeltStatus expect(Reader *r, const char *word, PeltError *err)
{
    if (!next_word(r) || strcasecmp(r->word, word) != 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: '%s' where %s is to stand", r->line, r->word, word);
    return PELT_OK;
}

/// Decimal, whatever the host's language writes for a point.
static PeltStatus next_number(Reader *r, double *out, PeltError *err)
{
    double value = 0, unit = 1;
    int digits = 0, exponent = 0, sign = 1;
    next_word(r);
    const char *c = r->word;
    bool minus = *c == '-';
    c += *c == '-' || *c == '+';
    for (; isdigit((unsigned char)*c); c++, digits++)
        value = 10 * value + (*c - '0');
    if (*c == '.')
        for (c++; isdigit((unsigned char)*c); c++, digits++)
            value += (*c - '0') * (unit *= 0.1);
    if (digits && (*c == 'e' || *c == 'E')) {
        c++;
        sign = *c == '-' ? -1 : 1;
        c += *c == '-' || *c == '+';
        for (; isdigit((unsigned char)*c) && exponent < 1000; c++)
            exponent = 10 * exponent + (*c - '0');
    }
    for (int i = 0; i < exponent && i < 400; i++)
        value = sign > 0 ? value * 10 : value / 10;
    if (digits == 0 || *c || !(value <= VALUE_MOST))
        return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: '%s' is no number of use", r->line, r->word);
    *out = minus ? -value : value;
    return PELT_OK;
}

// ---- the hierarchy

static PeltStatus read_offset(Bvh *b, Joint *joint, PeltError *err)
{
    double v[3];
    for (int k = 0; k < 3; k++)
        PELT_TRY(next_number(&b->reader, &v[k], err));
    joint->offset = vec3((float)v[0], (float)v[1], (float)v[2]);
    return PELT_OK;
}

static PeltStatus read_channels(Bvh *b, Joint *joint, PeltError *err)
{
    double count;
    PELT_TRY(next_number(&b->reader, &count, err));
    if (!(count >= 0 && count <= 6) || joint->channel_count)
        return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: a joint has %g channels", b->reader.line, count);
    joint->first = b->column_count;
    joint->channel_count = (int)count;
    b->column_count += joint->channel_count;
    for (int i = 0; i < joint->channel_count; i++) {
        next_word(&b->reader);
        int axis = tolower((unsigned char)b->reader.word[0]) - 'x';
        bool turns = !strcasecmp(b->reader.word + 1, "rotation"), shifts = !strcasecmp(b->reader.word + 1, "position");
        if (axis < 0 || axis > 2 || (!turns && !shifts))
            return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: '%s' is no channel", b->reader.line, b->reader.word);
        joint->kind[i] = (unsigned char)(axis + (turns ? 3 : 0));
    }
    return PELT_OK;
}

/// "ROOT name {" or "JOINT name {" or "End Site {"; its index.
static PeltStatus open_joint(Bvh *b, int parent, int *index, PeltError *err)
{
    Joint joint = {.parent = parent};
    bool is_end = !strcasecmp(b->reader.word, "End");
    char name[WORD_MOST * 2] = "";
    size_t used = 0;
    while (next_word(&b->reader) && strcmp(b->reader.word, "{") != 0) { // names may have blanks
        snprintf(name + used, sizeof name - used, "%s%s", used ? " " : "", b->reader.word);
        used = strlen(name);
    }
    if (!is_end)
        joint.name = pelti_pool_text(&b->who->pool, name);
    *index = (int)b->joints.count;
    if (strcmp(b->reader.word, "{") != 0 || b->joints.count >= NODES_MOST)
        return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: a joint without '{', or more than %d joints", b->reader.line, NODES_MOST);
    if ((!is_end && !joint.name) || !pelti_array_push(&b->joints, &joint))
        return pelti_no_memory(err, sizeof joint);
    return PELT_OK;
}

static PeltStatus read_hierarchy(Bvh *b, PeltError *err)
{
    int open[DEPTH_MOST], depth = 0;
    Reader *r = &b->reader;
    PELT_TRY(expect(r, "HIERARCHY", err));
    while (next_word(r) && strcasecmp(r->word, "MOTION") != 0) {
        Joint *joint = depth ? (Joint *)(void *)b->joints.data + open[depth - 1] : NULL;
        bool root = !strcasecmp(r->word, "ROOT");
        if (root || (joint && (!strcasecmp(r->word, "JOINT") || !strcasecmp(r->word, "End")))) {
            if (depth == DEPTH_MOST || (root && depth))
                return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: joints nest too deep, or a ROOT below another", r->line);
            PELT_TRY(open_joint(b, depth ? open[depth - 1] : -1, &open[depth], err));
            depth++;
        } else if (joint && !strcasecmp(r->word, "OFFSET")) {
            PELT_TRY(read_offset(b, joint, err));
        } else if (joint && !strcasecmp(r->word, "CHANNELS")) {
            PELT_TRY(read_channels(b, joint, err));
        } else if (joint && !strcmp(r->word, "}")) {
            depth--;
        } else {
            return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: '%s' in the hierarchy", r->line, r->word);
        }
    }
    if (depth || b->joints.count == 0 || strcasecmp(r->word, "MOTION") != 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: the hierarchy does not end in MOTION", r->line);
    return PELT_OK;
}

// ---- the nodes

/// The height of the root over the lowest joint at rest: along y, or along z where the body is taller that way.
static Vec3 root_over_ground(const Bvh *b, const Vec3 *place)
{
    const Joint *joints = (const Joint *)(const void *)b->joints.data;
    Vec3 low = place[0], high = place[0];
    for (size_t j = 0; j < b->joints.count; j++) {
        low = vec3_min(low, place[j]);
        high = vec3_max(high, place[j]);
    }
    bool z_up = high.z - low.z > high.y - low.y;
    Vec3 at = joints[0].offset;
    if (vec3_length(at) == 0)
        at = z_up ? vec3(0, 0, -low.z) : vec3(0, -low.y, 0);
    return at;
}

static PeltStatus fill_nodes(Bvh *b, PeltError *err)
{
    const Joint *joints = (const Joint *)(const void *)b->joints.data;
    PeltiCharacter *who = b->who;
    int count = (int)b->joints.count;
    Vec3 *place = PELTI_NEW(&who->pool, Vec3, count);
    who->nodes = PELTI_NEW(&who->pool, PeltiNode, count);
    if (who->pool.failed)
        return pelti_no_memory(err, (size_t)count * sizeof *who->nodes);
    for (int j = 0; j < count; j++) {
        who->nodes[j] = (PeltiNode){.name = joints[j].name, .parent = joints[j].parent, .trs = trs_identity()};
        if (!joints[j].name)
            who->nodes[j].name = "End Site";
        who->nodes[j].trs.translation = joints[j].offset;
        place[j] = joints[j].parent >= 0 ? vec3_add(place[joints[j].parent], joints[j].offset) : vec3(0, 0, 0);
    }
    who->node_count = count;
    who->nodes[0].trs.translation = root_over_ground(b, place);
    return pelti_skeleton_order(who, err);
}

// ---- the motion

static Quat about(int axis, double degrees)
{
    double half = degrees * 0.008726646259971648;
    float s = (float)pelti_sin(half), c = (float)pelti_cos(half);
    return (Quat){axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0, c};
}

/// A row of numbers into key `key` of each joint's curves.
static void fill_key(const Bvh *b, const double *row, int key, float **turns, float *places)
{
    const Joint *joints = (const Joint *)(const void *)b->joints.data;
    for (size_t j = 0; j < b->joints.count; j++) {
        Quat q = quat_identity();
        float *place = places + 3 * (size_t)key;
        for (int i = 0; i < joints[j].channel_count; i++) {
            int kind = joints[j].kind[i];
            if (kind >= 3)
                q = quat_mul(q, about(kind - 3, fmod(row[joints[j].first + i], 360)));
            else if (j == 0)
                place[kind] = (float)row[joints[j].first + i];
        }
        q = quat_normalize(q);
        if (turns[j])
            memcpy(turns[j] + 4 * (size_t)key, &q.x, 4 * sizeof(float));
    }
}

static PeltStatus open_clip(Bvh *b, int frames, double frame_s, float **turns, float **places, PeltError *err)
{
    const Joint *joints = (const Joint *)(const void *)b->joints.data;
    PeltiPool *pool = &b->who->pool;
    PeltiClip *clip = b->who->clips;
    PeltiChannel *channels = PELTI_NEW(pool, PeltiChannel, b->joints.count + 1);
    float *times = PELTI_NEW(pool, float, frames);
    *places = PELTI_NEW(pool, float, 3 * (size_t)frames);
    if (pool->failed)
        return pelti_no_memory(err, 4 * (size_t)frames * sizeof(float));
    for (int k = 0; k < frames; k++) {
        times[k] = (float)((double)k * frame_s);
        memcpy(*places + 3 * (size_t)k, &b->who->nodes[0].trs.translation.x, 3 * sizeof(float));
        if (k > 0 && times[k] <= times[k - 1])
            return PELT_FAIL(err, PELT_BAD_INPUT, "frames %g s apart cannot be told from each other", frame_s);
    }
    for (size_t j = 0; j < b->joints.count; j++) {
        turns[j] = joints[j].channel_count ? PELTI_NEW(pool, float, 4 * (size_t)frames) : NULL;
        if (joints[j].channel_count)
            channels[clip->channel_count++] =
                (PeltiChannel){(int)j, PELTI_CHANNEL_ROTATION, PELTI_CHANNEL_LINEAR, frames, times, turns[j], 4, 0};
    }
    for (int i = 0; i < joints[0].channel_count; i++)
        if (joints[0].kind[i] < 3) {
            channels[clip->channel_count++] =
                (PeltiChannel){0, PELTI_CHANNEL_TRANSLATION, PELTI_CHANNEL_LINEAR, frames, times, *places, 3, 0};
            break;
        }
    clip->channels = channels;
    clip->duration_s = times[frames - 1];
    return pool->failed ? pelti_no_memory(err, (size_t)frames * sizeof(float)) : PELT_OK;
}

static PeltStatus read_motion(Bvh *b, const char *name, PeltError *err)
{
    Reader *r = &b->reader;
    PeltiPool *pool = &b->who->pool;
    double count, frame_s;
    PELT_TRY(expect(r, "Frames:", err));
    PELT_TRY(next_number(r, &count, err));
    PELT_TRY(expect(r, "Frame", err));
    PELT_TRY(expect(r, "Time:", err));
    PELT_TRY(next_number(r, &frame_s, err));
    double room = (double)(r->end - r->at) / (2.0 * fmax(b->column_count, 1)) + 1; // a number and a blank each
    if (!(count >= 1 && count <= room) || count != floor(count) || !(frame_s > 1e-5 && frame_s < 1e3) || b->column_count == 0)
        return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: %g frames of %d numbers, %g s each, are not there", r->line, count,
                         b->column_count, frame_s);
    int frames = (int)count;
    float **turns = PELTI_NEW(pool, float *, b->joints.count), *places = NULL;
    double *row = PELTI_NEW(pool, double, b->column_count);
    b->who->clips = PELTI_NEW(pool, PeltiClip, 2);
    if (pool->failed)
        return pelti_no_memory(err, (size_t)b->column_count * sizeof *row);
    b->who->clips[0].name = pelti_pool_text(pool, name);
    PELT_TRY(open_clip(b, frames, frame_s, turns, &places, err));
    for (int k = 0; k < frames; k++) {
        for (int c = 0; c < b->column_count; c++)
            PELT_TRY(next_number(r, &row[c], err));
        fill_key(b, row, k, turns, places);
    }
    b->who->clip_count = 1;
    return b->who->clips[0].name ? PELT_OK : pelti_no_memory(err, 0);
}

// ---- all of it

PeltStatus pelti_bvh_parse(const char *text, size_t size, const char *name, const PeltAllocator *allocator, PeltiCharacter **out,
                           PeltError *err)
{
    Bvh b = {.reader = {.at = text, .end = text + size, .line = 1}, .who = pelti_character_create(allocator)};
    *out = NULL;
    if (!b.who)
        return pelti_no_memory(err, sizeof *b.who);
    pelti_array_init(&b.joints, allocator, sizeof(Joint));
    PeltStatus status = read_hierarchy(&b, err);
    status = status == PELT_OK ? fill_nodes(&b, err) : status;
    status = status == PELT_OK ? read_motion(&b, name, err) : status;
    pelti_array_release(&b.joints);
    if (status == PELT_OK)
        *out = b.who;
    else
        pelti_character_destroy(b.who);
    return status;
}

bool pelti_bvh_is(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".bvh") == 0;
}

PeltStatus pelti_bvh_read(const char *path, const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err)
{
    void *bytes = NULL;
    size_t size = 0;
    const char *slash = strrchr(path, '/');
    char name[128];
    *out = NULL;
    snprintf(name, sizeof name, "%.120s", slash ? slash + 1 : path);
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = 0;
    PELT_TRY(pelti_gltf_map_file(path, &bytes, &size, err));
    PeltStatus status =
        bytes ? pelti_bvh_parse(bytes, size, name, allocator, out, err) : PELT_FAIL(err, PELT_BAD_INPUT, "the file is empty");
    if (bytes)
        munmap(bytes, size);
    return status;
}
