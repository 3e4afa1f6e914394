/// Joints that clips bend, and cuts of a limb that only twist.
#include "chain.h"
#include "contact/bends.h"

enum { BONES = 4 };

static const float times[2] = {0, 1};

typedef struct Limb { ///< a chain of bones along x in one tube, and a clip of one channel that turns one of them
    PeltiCharacter *who;
    PeltiClip clip;
    PeltiChannel channel;
    float values[8];
    int limb[BONES];
} Limb;

/// The clip turns `bone` by so many degrees about an axis, 0 x (along the bones) or 2 z; below 0: there is no clip.
static void find_limbs(Limb *l, int bone, int axis, float degrees)
{
    static Vec3 p[TUBE_POINTS];
    static int t[TUBE_TRIANGLES][3];
    const int points = TUBE_POINTS;
    int triangles = make_tube(4, 0.3f, p, t, 0);
    float half = degrees * 3.14159265f / 360;
    *l = (Limb){
        .who = make_chain((ChainBones){BONES, 0, 1}, 1, &points, (ChainSkin){TUBE_POINTS, p, triangles, (const int(*)[3])t})};
    l->values[3] = 1, l->values[7] = cosf(half), l->values[4 + axis] = sinf(half);
    l->channel = (PeltiChannel){
        .node = bone, .path = PELTI_CHANNEL_ROTATION, .key_count = 2, .times = times, .values = l->values, .width = 4};
    l->clip = (PeltiClip){"turn", 1, 1, &l->channel};
    l->who->clips = &l->clip, l->who->clip_count = bone >= 0;
    PeltiPool work;
    pelti_pool_init(&work, NULL);
    assert_int_equal(pelti_contact_bone_limbs(l->who, &work, l->limb, NULL), PELT_OK);
    pelti_pool_release(&work);
    l->who->clip_count = 0;
    pelti_character_destroy(l->who);
}

static void expect(const Limb *l, int a, int b, int c, int d)
{
    const int wanted[BONES] = {a, b, c, d};
    for (int i = 0; i < BONES; i++)
        if (l->limb[i] != wanted[i])
            fail_msg("bone %d is of the limb of %d, not of %d", i, l->limb[i], wanted[i]);
}

static void what_no_clip_bends_is_one_limb(void **state)
{
    (void)state;
    Limb l;
    find_limbs(&l, 2, 2, 90);
    expect(&l, 0, 0, 2, 2);
}

static void a_twist_makes_no_joint(void **state)
{
    (void)state;
    Limb l;
    find_limbs(&l, 2, 0, 90); // and then nothing is known to bend
    expect(&l, 0, 1, 2, 3);
}

/// 15 degrees; of twelve poses the last is at 23/24 of the clip.
static void a_little_bend_is_none(void **state)
{
    (void)state;
    Limb l;
    find_limbs(&l, 2, 2, 15 * 24 / 23.0f - 0.5f);
    expect(&l, 0, 1, 2, 3);
    find_limbs(&l, 2, 2, 15 * 24 / 23.0f + 0.5f);
    expect(&l, 0, 0, 2, 2);
}

static void without_clips_every_bone_is_its_own(void **state)
{
    (void)state;
    Limb l;
    find_limbs(&l, -1, 2, 90);
    expect(&l, 0, 1, 2, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_clip_bends_is_one_limb),
        cmocka_unit_test(a_twist_makes_no_joint),
        cmocka_unit_test(a_little_bend_is_none),
        cmocka_unit_test(without_clips_every_bone_is_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
