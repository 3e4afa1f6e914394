/// What each built-in character wears and carries, piece by piece.
#include "builtin/dress.h"
#include "builtin/random.h"
#include "math/elementary.h"

#include <string.h>

static const Vec3 UP = {0, 1, 0}, AHEAD = {0, 0, 1};
static const float TURN = 6.2831853f;

typedef struct Dresser {
    PeltiWear *pieces;
    const PeltiFigure *body;
    uint64_t seed;
    bool all;
    float size;   // m, the body's height or length: lifts and sizes are shares of it
    float lift;   // m, of the outermost garment; 0: none
    float *cover; // [vertex]
} Dresser;

static PeltiRandom draws(const Dresser *d, const char *what)
{
    return pelti_random(d->seed, what);
}

static bool wants(const Dresser *d, const char *what, float chance)
{
    PeltiRandom r = pelti_random(d->seed ^ 0x5eed, what);
    return d->all || pelti_random_chance(&r, chance);
}

static int bone(const Dresser *d, const char *name)
{
    return pelti_figure_find(d->body, name);
}

/// Bones from one on down, as bits.
static uint64_t subtree(const Dresser *d, int root)
{
    uint64_t bits = root >= 0 ? pelti_figure_bit(root) : 0;
    for (int b = root + 1; b < d->body->bone_count && root >= 0; b++) // children come after their parents
        if (d->body->bones[b].parent >= 0 && bits & pelti_figure_bit(d->body->bones[b].parent))
            bits |= pelti_figure_bit(b);
    return bits;
}

static int owner(const Dresser *d, int vertex)
{
    return d->pieces->influences[vertex].bone[0];
}

/// Distance along a bone from its head, m.
static float along(const Dresser *d, int b, Vec3 p)
{
    const PeltiFigureBone *at = &d->body->bones[b];
    return vec3_dot(vec3_sub(p, at->head), vec3_normalize_or(vec3_sub(at->tail, at->head), UP));
}

static float bone_length(const Dresser *d, int b)
{
    return vec3_distance(d->body->bones[b].head, d->body->bones[b].tail);
}

static void draw_colour(const Dresser *d, const char *what, float light, float colour[3])
{
    PeltiRandom r = draws(d, what);
    float hue = pelti_random_between(&r, 0, TURN);
    for (int i = 0; i < 3; i++)
        colour[i] = light * (1 + 0.75f * pelti_sinf(hue + TURN * (float)i / 3));
}

static PeltStatus add_shell(Dresser *d, const char *name, const char *material, float lift, PeltError *err)
{
    float colour[3];
    draw_colour(d, name, 0.3f, colour);
    pelti_wear_begin(d->pieces, name, material, colour);
    PELT_TRY(pelti_wear_shell(d->pieces, lift, d->cover, err));
    pelti_wear_end(d->pieces);
    d->lift = fmaxf(d->lift, lift);
    return PELT_OK;
}

static void add_ball(const Dresser *d, const char *name, Vec3 centre, Vec3 towards, float radius, int on)
{
    static const float white[3] = {0.85f, 0.85f, 0.82f};
    float profile[7][2];
    for (int i = 0; i < 7; i++) {
        float angle = 0.5f * TURN * (float)i / 6;
        profile[i][0] = i == 0 || i == 6 ? 0 : radius * pelti_sinf(angle);
        profile[i][1] = -radius * pelti_cosf(angle);
    }
    pelti_wear_begin(d->pieces, name, "eye", white);
    pelti_wear_lathe(d->pieces,
                     &(PeltiWearLathe){centre, towards, UP, 10, 7, (const float(*)[2])profile, pelti_wear_bone(on), true});
    pelti_wear_end(d->pieces);
}

/// A pair of eyes, half sunk into the head at the left one's place and its mirror image.
static void add_eyes(const Dresser *d, Vec3 left, Vec3 towards, float radius, int on)
{
    if (!wants(d, "eyes", 0.75f))
        return;
    add_ball(d, "LeftEye", left, towards, radius, on);
    add_ball(d, "RightEye", vec3(-left.x, left.y, left.z), vec3(-towards.x, towards.y, towards.z), radius, on);
}

/// One button just above the outermost garment where a ray meets it, flat on it. Sewn on: it goes with one bone, or as the
/// cloth in its middle does.
static void add_button(const Dresser *d, Vec3 from, Vec3 direction, float radius, bool one_bone)
{
    Vec3 p;
    if (!pelti_wear_meet(d->body->shape, from, direction, d->lift + 0.35f * radius, 2 * d->size, &p))
        return;
    const float flat[6][2] = {{0, 0},
                              {0.8f * radius, 0},
                              {radius, 0.12f * radius},
                              {radius, 0.28f * radius},
                              {0.8f * radius, 0.4f * radius},
                              {0, 0.4f * radius}};
    PeltiInfluences w = pelti_wear_beneath(d->pieces, p);
    if (one_bone)
        w = pelti_wear_bone(w.bone[0]);
    Vec3 out = pelti_solid_gradient(d->body->shape, p, 0.2f * radius);
    pelti_wear_lathe(d->pieces, &(PeltiWearLathe){p, out, UP, 10, 6, flat, w, false});
}

/// Buttons in a row from one place to another, looked at along `direction`.
static void add_buttons(const Dresser *d, Vec3 first, Vec3 last, Vec3 direction)
{
    PeltiRandom r = draws(d, "buttons");
    int count = 3 + pelti_random_below(&r, 4);
    bool one_bone = pelti_random_chance(&r, 0.5f);
    float radius = d->size * pelti_random_between(&r, 0.0045f, 0.0065f), colour[3];
    if (!(d->lift > 0) || !wants(d, "buttons", 0.6f))
        return;
    draw_colour(d, "button colour", 0.5f, colour);
    pelti_wear_begin(d->pieces, "Buttons", "button", colour);
    for (int i = 0; i < count; i++) {
        Vec3 at = vec3_lerp(first, last, ((float)i + 0.5f) / (float)count);
        add_button(d, vec3_mad(at, direction, -d->size), direction, radius, one_bone);
    }
    pelti_wear_end(d->pieces);
}

/// A stick beside a point, along an axis, a fifth of it behind; goes with one bone.
static void add_stick(const Dresser *d, Vec3 at, Vec3 axis, float radius, float length, int on)
{
    enum { RINGS = 8 };
    static const float wood[3] = {0.25f, 0.13f, 0.06f};
    float profile[RINGS + 2][2] = {{0, -0.2f * length}};
    for (int i = 0; i < RINGS; i++) {
        float u = (float)i / (RINGS - 1);
        profile[i + 1][0] = radius * (1.1f - 0.25f * u);
        profile[i + 1][1] = length * (u - 0.2f);
    }
    profile[RINGS + 1][0] = 0;
    profile[RINGS + 1][1] = 0.8f * length;
    pelti_wear_begin(d->pieces, "Stick", "wood", wood);
    pelti_wear_lathe(d->pieces,
                     &(PeltiWearLathe){at, axis, UP, 8, RINGS + 2, (const float(*)[2])profile, pelti_wear_bone(on), false});
    pelti_wear_end(d->pieces);
}

/// Across the fingers, clear of the thumb: where a hand would close on it.
static void hold_stick(const Dresser *d, float chance)
{
    PeltiRandom r = draws(d, "stick");
    float radius = pelti_random_between(&r, 0.008f, 0.016f), length = fminf(pelti_random_between(&r, 0.3f, 0.8f), 1.3f * d->size);
    const PeltiFigureHand *hand = &d->body->hands[pelti_random_below(&r, d->body->hand_count)];
    if (!wants(d, "stick", chance))
        return;
    Vec3 at = vec3_mad(d->body->bones[hand->wrist].head, hand->along, 0.118f);
    add_stick(d, vec3_mad(at, hand->back, -(0.020f + 1.1f * radius)), hand->side, radius, length, hand->wrist);
}

typedef struct Strip {
    Vec3 root, away;            // where it starts, and away from the head there: level, unit
    float level, length, width; // m
    const PeltiInfluences *on;  // NULL: as the skin below
} Strip;

/// A strip of hair from a root outside the scalp: it falls, along the skin where it is near, never nearer than `level`.
static void add_strip(const Dresser *d, const Strip *s)
{
    Vec3 away = s->away;
    float level = s->level;
    enum { COUNT = 9 };
    Vec3 points[COUNT], across[COUNT], p = s->root;
    for (int i = 0; i < COUNT; i++) {
        float u = (float)i / (COUNT - 1), here = level * (1 + 2 * u);
        if (pelti_solid_distance(d->body->shape, p) < here)
            p = pelti_wear_lift(d->body->shape, p, here);
        points[i] = p;
        Vec3 out = vec3_normalize_or(pelti_solid_gradient(d->body->shape, p, 0.2f * level), UP);
        Vec3 fall = vec3_mad(vec3(0.5f * away.x, -1, 0.5f * away.z), away, u > 0.5f ? -0.5f : 0);
        if (pelti_solid_distance(d->body->shape, p) < 2 * here)
            fall = vec3_mad(fall, out, -vec3_dot(fall, out));
        p = vec3_mad(p, vec3_normalize_or(fall, away), s->length / (COUNT - 1));
    }
    for (int i = 0; i < COUNT; i++) {
        Vec3 step = vec3_sub(points[i < COUNT - 1 ? i + 1 : i], points[i < COUNT - 1 ? i : i - 1]);
        Vec3 out = pelti_solid_gradient(d->body->shape, points[i], 0.2f * level);
        float taper = 1 - 0.6f * (float)i / (COUNT - 1);
        across[i] = vec3_scale(vec3_normalize_or(vec3_cross(out, step), vec3(1, 0, 0)), 0.5f * s->width * taper);
    }
    pelti_wear_ribbon(d->pieces, COUNT, points, across, s->on);
}

/// Strips all round a head but for the face; `centre` is within it.
static void add_hair(const Dresser *d, Vec3 centre, float radius, int on)
{
    PeltiRandom r = draws(d, "hair");
    int count = 10 + pelti_random_below(&r, 15);
    float length = radius * pelti_random_between(&r, 1.2f, 2.6f), width = radius * pelti_random_between(&r, 0.22f, 0.4f);
    bool smooth = pelti_random_chance(&r, 0.4f); // lower ends go with the neck
    PeltiInfluences rigid = pelti_wear_bone(on);
    float colour[3];
    if (!wants(d, "hair", 0.6f))
        return;
    draw_colour(d, "hair colour", 0.16f, colour);
    pelti_wear_begin(d->pieces, "Hair", "hair", colour);
    for (int i = 0; i < count; i++) {
        float turn = TURN * (0.17f + 0.66f * ((float)i + pelti_random_between(&r, 0.2f, 0.8f)) / (float)count);
        float rise = pelti_random_between(&r, 0.5f, 1.3f);
        Vec3 away = vec3(pelti_sinf(turn), 0, pelti_cosf(turn)), root;
        Vec3 out = vec3(away.x * pelti_cosf(rise), pelti_sinf(rise), away.z * pelti_cosf(rise));
        float level = 0.045f * radius * (1 + 0.35f * (float)(i % 3));
        if (pelti_wear_meet(d->body->shape, vec3_mad(centre, out, 4 * radius), vec3_scale(out, -1), level, 4 * radius, &root))
            add_strip(
                d,
                &(Strip){
                    .root = root, .away = away, .level = level, .length = length, .width = width, .on = smooth ? NULL : &rigid});
    }
    pelti_wear_end(d->pieces);
}

// ---- garments ----

/// How far a vertex of an arm is from the cuff, m: `sleeve` is the cuff's place along upper arm and forearm.
static float sleeve_cover(const Dresser *d, int upper, int lower, int v, float sleeve)
{
    Vec3 p = d->pieces->skin->position[v];
    if (owner(d, v) == upper)
        return sleeve - along(d, upper, p);
    if (owner(d, v) == lower)
        return sleeve - bone_length(d, upper) - along(d, lower, p);
    return -d->size;
}

static PeltStatus add_jacket(Dresser *d, PeltError *err)
{
    PeltiRandom r = draws(d, "jacket");
    int upper[2] = {bone(d, "LeftUpperArm"), bone(d, "RightUpperArm")},
        lower[2] = {bone(d, "LeftLowerArm"), bone(d, "RightLowerArm")};
    uint64_t arms[2] = {subtree(d, upper[0]), subtree(d, upper[1])};
    float reach = pelti_random_between(&r, 0.45f, 1.8f), hem = pelti_random_between(&r, 0.89f, 1.02f);
    float sleeve = bone_length(d, upper[0]) * fminf(reach, 1) + bone_length(d, lower[0]) * fmaxf(reach - 1, 0);
    float collar = d->body->bones[bone(d, "Neck")].head.y + 0.012f;
    float open = pelti_random_chance(&r, 0.6f) ? pelti_random_between(&r, 0.012f, 0.035f) : 0;
    float lift = pelti_random_between(&r, 0.011f, 0.018f);
    if (!wants(d, "jacket", 0.75f))
        return PELT_OK;
    for (int v = 0; v < d->pieces->skin->vertex_count; v++) {
        Vec3 p = d->pieces->skin->position[v];
        int arm = arms[0] >> owner(d, v) & 1 ? 0 : arms[1] >> owner(d, v) & 1 ? 1 : -1;
        float torso = fminf(collar - p.y - 0.4f * (p.z + 0.03f), p.y - hem);
        if (open > 0 && p.z > 0.02f)
            torso = fminf(torso, fabsf(p.x) - open);
        d->cover[v] = arm < 0 ? torso : sleeve_cover(d, upper[arm], lower[arm], v, sleeve);
    }
    PELT_TRY(add_shell(d, "Jacket", "cloth", lift, err));
    float x = open > 0 ? open + 0.016f : 0;
    add_buttons(d, vec3(x, hem + 0.02f, 0), vec3(x, collar - 0.07f, 0), vec3(0, 0, -1));
    return PELT_OK;
}

static PeltStatus add_trousers(Dresser *d, PeltError *err)
{
    PeltiRandom r = draws(d, "trousers");
    uint64_t arms = subtree(d, bone(d, "LeftShoulder")) | subtree(d, bone(d, "RightShoulder"));
    uint64_t feet = subtree(d, bone(d, "LeftFoot")) | subtree(d, bone(d, "RightFoot"));
    float waist = pelti_random_between(&r, 0.96f, 1.04f), cuff = pelti_random_between(&r, 0.14f, 0.62f);
    if (!wants(d, "trousers", 0.5f))
        return PELT_OK;
    for (int v = 0; v < d->pieces->skin->vertex_count; v++) {
        float y = d->pieces->skin->position[v].y;
        d->cover[v] = (arms | feet) >> owner(d, v) & 1 ? -d->size : fminf(waist - y, y - cuff);
    }
    return add_shell(d, "Trousers", "cloth", 0.0055f, err);
}

static PeltStatus dress_biped(Dresser *d, PeltError *err)
{
    int head = bone(d, "Head");
    PELT_TRY(add_trousers(d, err));
    PELT_TRY(add_jacket(d, err));
    add_eyes(d, vec3(0.032f, 1.6395f, 0.0705f), AHEAD, 0.0138f, head);
    add_hair(d, vec3(0, 1.66f, -0.015f), 0.09f, head);
    hold_stick(d, 0.5f);
    return PELT_OK;
}

static PeltStatus dress_arm(Dresser *d, PeltError *err)
{
    PeltiRandom r = draws(d, "sleeve");
    int upper = bone(d, "UpperArm"), lower = bone(d, "Forearm");
    float reach = pelti_random_between(&r, 0.5f, 1.85f);
    float sleeve = bone_length(d, upper) * fminf(reach, 1) + bone_length(d, lower) * fmaxf(reach - 1, 0);
    if (wants(d, "sleeve", 0.8f)) {
        for (int v = 0; v < d->pieces->skin->vertex_count; v++) {
            float x = d->pieces->skin->position[v].x + 0.06f;
            d->cover[v] = owner(d, v) == bone(d, "Shoulder") ? x : fminf(x, sleeve_cover(d, upper, lower, v, sleeve));
        }
        PELT_TRY(add_shell(d, "Sleeve", "cloth", pelti_random_between(&r, 0.006f, 0.012f), err));
        add_buttons(d, vec3(0.02f, 0, 0), vec3(0.9f * sleeve, 0, 0), vec3(0, -1, 0));
    }
    hold_stick(d, 0.6f);
    return PELT_OK;
}

static PeltStatus dress_hand(Dresser *d, PeltError *err)
{
    PeltiRandom r = draws(d, "cuff");
    float end = pelti_random_between(&r, -0.02f, 0.02f);
    if (wants(d, "cuff", 0.8f)) {
        for (int v = 0; v < d->pieces->skin->vertex_count; v++) {
            float y = d->pieces->skin->position[v].y;
            d->cover[v] = fminf(y + 0.068f, end - y);
        }
        PELT_TRY(add_shell(d, "Cuff", "cloth", pelti_random_between(&r, 0.0025f, 0.005f), err));
        add_buttons(d, vec3(0, -0.055f, 0), vec3(0, end - 0.012f, 0), vec3(0, 0, -1));
    }
    hold_stick(d, 0.6f);
    return PELT_OK;
}

static PeltStatus dress_cylinder(Dresser *d, PeltError *err)
{
    PeltiRandom r = draws(d, "band");
    float low = pelti_random_between(&r, 0.15f, 0.4f), high = pelti_random_between(&r, 0.6f, 0.85f);
    int top = bone(d, "Upper");
    if (wants(d, "band", 0.8f)) {
        for (int v = 0; v < d->pieces->skin->vertex_count; v++) {
            float y = d->pieces->skin->position[v].y;
            d->cover[v] = fminf(y - low, high - y);
        }
        PELT_TRY(add_shell(d, "Band", "cloth", pelti_random_between(&r, 0.008f, 0.02f), err));
        add_buttons(d, vec3(0, low + 0.03f, 0), vec3(0, high - 0.03f, 0), vec3(0, 0, -1));
    }
    add_eyes(d, vec3(0.045f, 0.90f, 0.112f), AHEAD, 0.02f, top);
    add_hair(d, vec3(0, 0.88f, 0), 0.11f, top);
    return PELT_OK;
}

static PeltStatus add_blanket(Dresser *d, PeltError *err)
{
    PeltiRandom r = draws(d, "blanket");
    float front = pelti_random_between(&r, 0.08f, 0.24f), back = pelti_random_between(&r, -0.3f, -0.1f);
    float edge = pelti_random_between(&r, 0.60f, 0.68f);
    uint64_t trunk = pelti_figure_bit(bone(d, "Hips")) | pelti_figure_bit(bone(d, "Spine")) | pelti_figure_bit(bone(d, "Chest"));
    if (!wants(d, "blanket", 0.7f))
        return PELT_OK;
    for (int v = 0; v < d->pieces->skin->vertex_count; v++) {
        Vec3 p = d->pieces->skin->position[v];
        d->cover[v] = trunk >> owner(d, v) & 1 ? fminf(fminf(front - p.z, p.z - back), p.y - edge) : -d->size;
    }
    PELT_TRY(add_shell(d, "Blanket", "cloth", pelti_random_between(&r, 0.009f, 0.016f), err));
    add_buttons(d, vec3(0, 0, back + 0.03f), vec3(0, 0, front - 0.03f), vec3(0, -1, 0));
    return PELT_OK;
}

static PeltStatus dress_beast(Dresser *d, PeltError *err)
{
    PeltiRandom r = draws(d, "collar");
    int neck = bone(d, "Neck"), head = bone(d, "Head");
    PELT_TRY(add_blanket(d, err));
    float from = bone_length(d, neck) * pelti_random_between(&r, 0.45f, 0.6f);
    if (wants(d, "collar", 0.6f)) {
        for (int v = 0; v < d->pieces->skin->vertex_count; v++) {
            float at = along(d, neck, d->pieces->skin->position[v]);
            d->cover[v] = owner(d, v) == neck ? fminf(at - from, from + 0.05f - at) : -d->size;
        }
        PELT_TRY(add_shell(d, "Collar", "leather", 0.006f, err));
    }
    add_eyes(d, vec3(0.058f, 0.965f, 0.548f), vec3(0.6f, 0.3f, 1), 0.016f, head);
    add_hair(d, vec3(0, 0.94f, 0.49f), 0.075f, head);
    float length = pelti_random_between(&r, 0.25f, 0.45f), radius = pelti_random_between(&r, 0.010f, 0.018f);
    if (wants(d, "stick", 0.4f))
        add_stick(d, vec3(-0.1f, 0.825f, 0.68f), vec3(1, 0, 0), radius, length, head);
    return PELT_OK;
}

PeltStatus pelti_builtin_dress(PeltiWear *pieces, uint64_t seed, PeltiBuiltinDress dressing, PeltError *err)
{
    static const struct {
        const char *name;
        PeltStatus (*dress)(Dresser *d, PeltError *err);
    } plans[] = {
        {"biped", dress_biped}, {"arm", dress_arm}, {"hand", dress_hand}, {"cylinder", dress_cylinder}, {"beast", dress_beast}};
    if (dressing == PELTI_DRESS_NONE)
        return PELT_OK;
    const PeltiRemeshSurface *skin = pieces->skin;
    PeltiPool pool;
    pelti_pool_init(&pool, &skin->allocator);
    Dresser d = {.pieces = pieces, .body = pieces->body, .seed = seed, .all = dressing == PELTI_DRESS_ALL};
    d.cover = PELTI_NEW(&pool, float, skin->vertex_count);
    PeltStatus status = d.cover ? PELT_OK : pelti_no_memory(err, (size_t)skin->vertex_count * sizeof *d.cover);
    d.size = pelti_figure_size(pieces->body);
    for (size_t i = 0; i < sizeof plans / sizeof plans[0] && status == PELT_OK; i++)
        if (strcmp(plans[i].name, pieces->body->name) == 0)
            status = plans[i].dress(&d, err);
    pelti_pool_release(&pool);
    return status;
}
