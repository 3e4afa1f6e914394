/// A conversation without a network: what the page would get, compared with the library's own answer.
#include "studio/talk.h"

#include <math.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static PeltiStudioTalk talk;
static const float NOWHERE[3];
#define NO_HAND .held = -1, .held_at = {NOWHERE, 3}, .poked = -1, .poked_at = {NOWHERE, 3}

static int set_up(void **state)
{
    (void)state;
    PeltiCast *cast;
    PeltError err = {0};
    talk = (PeltiStudioTalk){0};
    if (pelti_session_create(&(PeltiSessionDef){.threads = 1}, &talk.session, &err) != PELT_OK ||
        pelti_cast_make("cylinder", 600, &cast, &err) != PELT_OK)
        return -1;
    pelti_session_show(talk.session, cast);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pelti_session_destroy(talk.session);
    return 0;
}

/// Says Hello from a tab and one message; returns the answer, to be released.
static PeltiArray say(uint32_t tab, uint32_t take, PeltiMsgKind kind, const void *message)
{
    PeltiArray request, answer;
    PeltError err = {0};
    pelti_array_init(&request, NULL, 1);
    pelti_array_init(&answer, NULL, 1);
    pelti_msg_write(&request, PELTI_MSG_Hello, &(PeltiMsgHello){tab, take});
    if (message)
        pelti_msg_write(&request, kind, message);
    assert_int_equal(pelti_studio_talk(&talk, request.data, request.count, &answer, &err), PELT_OK);
    pelti_array_release(&request);
    return answer;
}

/// The body of the first message of a kind in an answer; NULL: none.
static const char *find(const PeltiArray *answer, PeltiMsgKind kind)
{
    for (size_t at = 0; at < answer->count;) {
        uint32_t head[2];
        memcpy(head, answer->data + at, sizeof head);
        if (head[0] == (uint32_t)kind)
            return answer->data + at + sizeof head;
        at += sizeof head + head[1];
    }
    return NULL;
}

static PeltiArray want(uint32_t number, int clip, float time_s)
{
    PeltiMsgWant wish = {.epoch = 1, .number = number, .clip = clip, .time_s = time_s, .dt_s = 0.1f, NO_HAND};
    return say(1, 1, PELTI_MSG_Want, &wish);
}

/// The frame is the library's own lbs, to half a step of the 16-bit numbers.
static void a_frame_is_what_the_library_makes(void **state)
{
    (void)state;
    PeltiArray answer = want(1, 0, 0.7f);
    const char *frame = find(&answer, PELTI_MSG_Frame);
    assert_non_null(frame);
    float box[6];
    uint32_t count;
    memcpy(box, frame + 24, sizeof box); // epoch, number, slot, serial, step_ms, 6
    memcpy(&count, frame + 48, 4);
    PeltiCast *cast = pelti_session_take(talk.session);
    PeltSkinDef def = pelt_skin_def_default();
    PeltSkin *skin;
    PeltPose *pose;
    def.method = "lbs";
    assert_int_equal(pelt_skin_create(&def, cast->who, &skin, NULL), PELT_OK);
    assert_int_equal(pelt_pose_create(cast->who, &pose, NULL), PELT_OK);
    pelt_pose_from_clip(pose, 0, (double)0.7f);
    pelt_skin_step(skin, pose, 0, NULL);
    const float *points = pelt_skin_positions(skin);
    assert_int_equal(count, 3 * pelt_character_info(cast->who).point_count);
    for (uint32_t i = 0; i < count; i++) {
        uint16_t value;
        memcpy(&value, frame + 52 + 2 * i, 2);
        float step = (box[i % 3 + 3] - box[i % 3]) / 65535.0f, shown = box[i % 3] + (float)value * step;
        assert_true(fabsf(shown - points[i]) <= 0.51f * step + 1e-6f);
    }
    pelt_pose_destroy(pose);
    pelt_skin_destroy(skin);
    pelti_session_give(talk.session, cast);
    pelti_array_release(&answer);
}

static void another_tab_takes_over_and_the_first_is_told(void **state)
{
    (void)state;
    PeltiArray first = want(1, 0, 0), second = say(2, 1, 0, NULL), late;
    uint32_t elsewhere;
    PeltiMsgWant wish = {.epoch = 1, .number = 2, .clip = 0, NO_HAND};
    late = say(1, 0, PELTI_MSG_Want, &wish);
    memcpy(&elsewhere, find(&late, PELTI_MSG_State) + 4, 4);
    assert_int_equal(elsewhere, 1);
    assert_null(find(&late, PELTI_MSG_Frame));
    memcpy(&elsewhere, find(&second, PELTI_MSG_State) + 4, 4);
    assert_int_equal(elsewhere, 0);
    pelti_array_release(&first);
    pelti_array_release(&second);
    pelti_array_release(&late);
}

static void what_cannot_be_done_is_refused_and_the_talk_goes_on(void **state)
{
    (void)state;
    static const int32_t far_node = 100000;
    static const float transform[10] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    PeltiMsgWant wishes[] = {
        {.epoch = 1, .number = 1, .clip = 99, NO_HAND},
        {.epoch = 1, .number = 1, .clip = 0, .nodes = {&far_node, 1}, .transforms = {transform, 10}, NO_HAND},
        {.epoch = 1, .number = 1, .clip = 0, .nodes = {&far_node, 1}, NO_HAND}};
    for (int i = 0; i < 3; i++) {
        PeltiArray answer = say(1, 1, PELTI_MSG_Want, &wishes[i]);
        assert_non_null(find(&answer, PELTI_MSG_Refusal));
        assert_null(find(&answer, PELTI_MSG_Frame));
        pelti_array_release(&answer);
    }
    PeltiMsgMethod methods[] = {{1, 0, pelti_msg_text("magic"), pelti_msg_text("")},
                                {1, 0, pelti_msg_text("lbs"), pelti_msg_text("joint.Elbow.operator=/etc/passwd")},
                                {1, 0, pelti_msg_text("lbs"), pelti_msg_text("weights")}};
    for (int i = 0; i < 3; i++) {
        PeltiArray answer = say(1, 1, PELTI_MSG_Method, &methods[i]);
        assert_non_null(find(&answer, PELTI_MSG_Refusal));
        pelti_array_release(&answer);
    }
    PeltiArray answer = want(1, 0, 0);
    assert_non_null(find(&answer, PELTI_MSG_Frame));
    pelti_array_release(&answer);
}

static void an_old_wish_says_nothing_about_a_new_character(void **state)
{
    (void)state;
    PeltiMsgBuiltin wish = {pelti_msg_text("cylinder"), 600};
    PeltiArray answer = say(1, 1, PELTI_MSG_Builtin, &wish), late;
    uint32_t epoch;
    memcpy(&epoch, find(&answer, PELTI_MSG_State), 4);
    assert_int_equal(epoch, 2);
    PeltiArray other = say(1, 1, PELTI_MSG_Want, &(PeltiMsgWant){.epoch = 2, .number = 1, .clip = -1, NO_HAND});
    assert_non_null(find(&other, PELTI_MSG_Frame));
    late = say(1, 1, PELTI_MSG_Method, &(PeltiMsgMethod){1, 0, pelti_msg_text("dqs"), pelti_msg_text("")});
    const char *slot = find(&late, PELTI_MSG_Slot); // slot, state, serial, share, prepare_ms, method
    assert_memory_equal(slot + 24, "lbs", 3);
    pelti_array_release(&answer);
    pelti_array_release(&other);
    pelti_array_release(&late);
}

/// A ball in the air falls by half g t^2 (semi-implicit steps: a step's worth more) and is shown with the skin.
/// A step of the world: how high its first object is after it.
static float step_world(uint32_t number)
{
    PeltiArray answer = want(number, -1, 0);
    const char *m = find(&answer, PELTI_MSG_Objects);
    assert_non_null(m);
    uint32_t count, list;
    float y;
    m += 8;
    for (int k = 0; k < 3; k++) { // counts, positions, triangles
        memcpy(&list, m, 4);
        m += 4 + 4 * (size_t)list;
    }
    memcpy(&count, m, 4);
    assert_true(count >= 3);
    memcpy(&y, m + 4 + 4, 4);
    pelti_array_release(&answer);
    return y;
}

static void wish_for(const PeltiMsgScene *scene)
{
    PeltiArray answer = say(1, 1, PELTI_MSG_Scene, scene);
    pelti_array_release(&answer);
}

static void a_ball_falls_beside_the_skin(void **state)
{
    (void)state;
    static const float balls[2][9] = {{1, PELT_SHAPE_SPHERE, 0.05f, 0.05f, 0.05f, 5, 3, 5, 0.5f},
                                      {1, PELT_SHAPE_SPHERE, 0.05f, 0.05f, 0.05f, 9, 3, 5, 0.5f}};
    PeltiMsgScene scene = {.epoch = 1, .on = 1, .gravity = 10, .objects = {balls[0], 9}, .friction = 0.6f, .firm = 1};
    float y = 0, last, t = 10.0f / 30;
    uint32_t i = 1;
    wish_for(&scene);
    for (; i <= 11; i++) // the first step only places everything; each is 1/30 s, the longest there is
        y = step_world(i);
    assert_float_equal(3 - y, 0.5f * 10 * t * t, 10 * t / 30);
    assert_true(3 - y > 0.1f);
    scene.friction = 0; // looked up in every step: it falls on, at its speed (a changed world has a step of its own too)
    wish_for(&scene);
    last = y;
    y = step_world(i++);
    assert_true(last - y > 10 * t / 30 && last - y < 3 * 10 * t / 30);
    scene.objects = (PeltiMsgFloats){balls[0], 18}; // one more: the world is another, the ball goes on from where it was
    wish_for(&scene);
    last = y;
    y = step_world(i++);
    assert_true(last - y >= 0 && last - y < 0.3f);
    last = y;
    y = step_world(i++);
    assert_true(last - y > 10 * t / 30 && last - y < 0.3f);
    scene.objects = (PeltiMsgFloats){balls[1], 9}; // the first is gone, and the other has hardly begun to fall
    wish_for(&scene);
    assert_true(step_world(i++) > 2.9f);
}

static uint32_t slot_serial(const PeltiArray *answer)
{
    uint32_t serial;
    const char *slot = find(answer, PELTI_MSG_Slot);
    assert_non_null(slot);
    memcpy(&serial, slot + 8, 4); // slot, state, serial
    return serial;
}

/// Sends a rig; true: it was refused with these words. `serial`: of slot 0 afterwards.
static bool rig_is_refused(const char *json, const char *words, uint32_t *serial)
{
    PeltiMsgRig rig = {1, pelti_msg_text(json)};
    PeltiArray answer = say(1, 1, PELTI_MSG_Rig, &rig);
    const char *refusal = find(&answer, PELTI_MSG_Refusal);
    char text[600] = "";
    if (refusal)
        snprintf(text, sizeof text, "%s", refusal + 4);
    *serial = slot_serial(&answer);
    pelti_array_release(&answer);
    assert_null(strstr(text, "pelt-studio-")); // no path of ours
    return refusal && strstr(text, words);
}

/// A rig is read as a file is, names no file itself, and one that is good has the slots prepared anew.
static void a_rig_is_checked_and_kept(void **state)
{
    (void)state;
    char json[300];
    uint32_t before, after;
    PeltiArray answer = want(1, 0, 0);
    before = slot_serial(&answer);
    pelti_array_release(&answer);
    PeltiCast *cast = pelti_session_take(talk.session);
    const char *joint = pelt_character_node_name(cast->who, pelt_character_joint_node(cast->who, 0));
    assert_true(rig_is_refused("{\"joints\": 3}", "rig:1: joints", &after));
    snprintf(json, sizeof json, "{\"joints\": {\"%s\": {\"operator\": \"/etc/secret.json\"}}}", joint);
    assert_true(rig_is_refused(json, "is a file", &after));
    assert_int_equal(after, before);
    snprintf(json, sizeof json, "{\"joints\": {\"%s\": {\"stiffness\": 3}}}", joint);
    assert_false(rig_is_refused(json, "", &after));
    assert_int_equal(after, before + 1);
    pelti_session_give(talk.session, cast);
}

/// Surfaces of objects: triangles name vertices that are there, and an object wants a mesh that was given.
static void a_mesh_is_given_before_it_is_used(void **state)
{
    (void)state;
    static const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1},
                       thing[9] = {1, PELT_SHAPE_MESH, 2, 0.1f, 1, 5, 3, 5, 1};
    static const int32_t faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}, wrong[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 4};
    PeltiMsgMesh bad = {2, {corners, 12}, {wrong, 12}}, good = {2, {corners, 12}, {faces, 12}};
    PeltiMsgScene scene = {.epoch = 1, .on = 1, .gravity = 10, .objects = {thing, 9}, .friction = 0.6f, .firm = 1};
    const struct {
        PeltiMsgKind kind;
        const void *message;
        bool refused;
    } said[] = {{PELTI_MSG_Mesh, &bad, true},
                {PELTI_MSG_Scene, &scene, true},
                {PELTI_MSG_Mesh, &good, false},
                {PELTI_MSG_Scene, &scene, false}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        PeltiArray answer = say(1, 1, said[i].kind, said[i].message);
        assert_int_equal(find(&answer, PELTI_MSG_Refusal) != NULL, said[i].refused);
        pelti_array_release(&answer);
    }
    PeltiArray answer = want(1, -1, 0);
    const char *m = find(&answer, PELTI_MSG_Objects);
    uint32_t counts[3];
    assert_non_null(m);
    memcpy(counts, m + 8, sizeof counts);
    assert_int_equal(counts[2], 4); // triangles
    pelti_array_release(&answer);
    for (int i = 0; i < 200; i++) { // a page that was loaded anew gives it again: nothing is kept twice, there is always room
        answer = say(1, 1, PELTI_MSG_Mesh, &good);
        assert_null(find(&answer, PELTI_MSG_Refusal));
        pelti_array_release(&answer);
    }
}

#ifdef __GLIBC__
/// Bytes that are in use, in all arenas.
static double in_use(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    malloc_info(0, stream);
    fclose(stream);
    double sum = 0, value;
    const char *total = text; // the totals of all arenas come last
    for (const char *next = text; (next = strstr(next, "</heap>")); next++)
        total = next;
    static const struct {
        const char *of;
        int sign;
    } parts[] = {
        {"<total type=\"fast\"", -1}, {"<total type=\"rest\"", -1}, {"<total type=\"mmap\"", 1}, {"<system type=\"current\"", 1}};
    for (int i = 0; i < 4; i++) {
        const char *at = strstr(total, parts[i].of), *number = at ? strstr(at, "size=\"") : NULL;
        assert_non_null(number);
        assert_int_equal(sscanf(number, "size=\"%lf", &value), 1);
        sum += parts[i].sign * value;
    }
    free(text);
    return sum;
}

/// Asks slot 0 for a method and waits for its skin.
static void exchange(const char *method, uint32_t *number)
{
    PeltiMsgMethod wish = {1, 0, pelti_msg_text(method), pelti_msg_text("")};
    PeltiArray answer = say(1, 1, PELTI_MSG_Method, &wish);
    pelti_array_release(&answer);
    for (bool there = false; !there;) {
        answer = want(++*number, 0, 0.3f);
        const char *slot = find(&answer, PELTI_MSG_Slot), *frame = find(&answer, PELTI_MSG_Frame);
        uint32_t words[3], serial = 0;
        memcpy(words, slot, sizeof words); // slot, state, serial
        if (frame)
            memcpy(&serial, frame + 12, 4);
        there = words[1] == 2 && serial == words[2];
        pelti_array_release(&answer);
    }
}

static void methods_exchanged_again_and_again_leave_nothing(void **state)
{
    (void)state;
    static const char *const methods[] = {"lbs", "dqs", "tracking"};
    uint32_t number = 0;
    double after[2];
    for (int half = 0; half < 2; half++) {
        for (int i = 0; i < 12; i++)
            exchange(methods[i % 3], &number);
        after[half] = in_use();
    }
    assert_true(after[1] < after[0] + 2e4); // one skin of this tube is some 400 KB
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_frame_is_what_the_library_makes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_tab_takes_over_and_the_first_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_done_is_refused_and_the_talk_goes_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_ball_falls_beside_the_skin, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_rig_is_checked_and_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_mesh_is_given_before_it_is_used, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_old_wish_says_nothing_about_a_new_character, set_up, tear_down),
#ifdef __GLIBC__
        cmocka_unit_test_setup_teardown(methods_exchanged_again_and_again_leave_nothing, set_up, tear_down),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
