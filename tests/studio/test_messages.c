/// The reader and writer of messages: what is written comes back, and anything else is refused without reading past its end.
#include "studio/messages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int32_t NODES[] = {3, 7, 1};
static const float TRANSFORMS[30] = {0.5f, -1, 2, 0, 0, 0, 1, 1, 1, 1};

static PeltiMsgWant a_want(void)
{
    return (PeltiMsgWant){.epoch = 4,
                          .number = 9,
                          .clip = -1,
                          .time_s = 0.25f,
                          .dt_s = 0.5f,
                          .restart = 1,
                          .nodes = {NODES, 3},
                          .transforms = {TRANSFORMS, 30},
                          .held_at = {TRANSFORMS, 3},
                          .poked_at = {TRANSFORMS, 3}};
}

/// A Hello and a Want, as the page sends them.
static PeltiArray a_request(void)
{
    PeltiArray bytes;
    pelti_array_init(&bytes, NULL, 1);
    PeltiMsgHello hello = {77, 1};
    PeltiMsgWant want = a_want();
    pelti_msg_write(&bytes, PELTI_MSG_Hello, &hello);
    pelti_msg_write(&bytes, PELTI_MSG_Want, &want);
    return bytes;
}

static PeltStatus read_all(const void *data, size_t size, int *count)
{
    PeltiMsgReader reader = {data, size, 0};
    PeltiMsg m;
    PeltError err = {0};
    *count = 0;
    while (pelti_msg_read(&reader, &m, &err) != PELTI_MSG_NONE)
        ++*count;
    assert_true(reader.at == size);
    assert_true(err.status == PELT_OK || err.text[0]);
    return err.status;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    PeltiArray bytes = a_request();
    PeltiMsgReader reader = {(unsigned char *)bytes.data, bytes.count, 0};
    PeltiMsg m;
    PeltError err = {0};
    assert_int_equal(pelti_msg_read(&reader, &m, &err), PELTI_MSG_Hello);
    assert_int_equal(m.as_Hello.tab, 77);
    assert_int_equal(pelti_msg_read(&reader, &m, &err), PELTI_MSG_Want);
    assert_int_equal(m.as_Want.clip, -1);
    assert_true(m.as_Want.time_s == 0.25f && m.as_Want.dt_s == 0.5f);
    assert_memory_equal(m.as_Want.nodes.data, NODES, sizeof NODES);
    assert_memory_equal(m.as_Want.transforms.data, TRANSFORMS, sizeof TRANSFORMS);
    assert_int_equal(pelti_msg_read(&reader, &m, &err), PELTI_MSG_NONE);
    assert_int_equal(err.status, PELT_OK);
    pelti_array_release(&bytes);
}

static void a_request_cut_anywhere_is_refused(void **state)
{
    (void)state;
    PeltiArray bytes = a_request();
    int count;
    for (size_t size = 1; size < bytes.count; size++) {
        void *copy = malloc(size); // of exactly this size: a sanitizer sees a read past it
        memcpy(copy, bytes.data, size);
        bool whole = size == 16; // after Hello
        assert_int_equal(read_all(copy, size, &count), whole ? PELT_OK : PELT_BAD_INPUT);
        assert_int_equal(count, size >= 16);
        free(copy);
    }
    pelti_array_release(&bytes);
}

static void numbers_out_of_range_and_numbers_that_are_none_are_refused(void **state)
{
    (void)state;
    PeltiMsgWant wants[] = {a_want(), a_want(), a_want(), a_want()};
    float broken[30] = {0};
    wants[0].dt_s = 2;
    wants[1].time_s = NAN;
    wants[2].restart = 2;
    broken[12] = INFINITY;
    wants[3].transforms.data = broken;
    for (int i = 0; i < 4; i++) {
        PeltiArray bytes;
        int count;
        pelti_array_init(&bytes, NULL, 1);
        pelti_msg_write(&bytes, PELTI_MSG_Want, &wants[i]);
        assert_int_equal(read_all(bytes.data, bytes.count, &count), PELT_BAD_INPUT);
        assert_int_equal(count, 0);
        pelti_array_release(&bytes);
    }
}

static void messages_of_the_command_and_unknown_ones_are_refused(void **state)
{
    (void)state;
    PeltiArray bytes;
    int count;
    pelti_array_init(&bytes, NULL, 1);
    pelti_msg_write(&bytes, PELTI_MSG_State, &(PeltiMsgState){0});
    assert_int_equal(read_all(bytes.data, bytes.count, &count), PELT_BAD_INPUT);
    uint32_t unknown[2] = {99, 0};
    assert_int_equal(read_all(unknown, sizeof unknown, &count), PELT_BAD_INPUT);
    pelti_array_release(&bytes);
}

/// A count of 4 thousand million items asks for no memory and reads nothing.
static void counts_past_the_end_are_refused(void **state)
{
    (void)state;
    int count;
    uint32_t huge[4] = {PELTI_MSG_Builtin, 8, 0xffffffff, 0}, short_by_one[4] = {PELTI_MSG_Builtin, 8, 5, 0};
    assert_int_equal(read_all(huge, sizeof huge, &count), PELT_BAD_INPUT);
    assert_int_equal(read_all(short_by_one, sizeof short_by_one, &count), PELT_BAD_INPUT);
    uint32_t too_long[5] = {PELTI_MSG_Hello, 12, 1, 1, 0};
    assert_int_equal(read_all(too_long, sizeof too_long, &count), PELT_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_request_cut_anywhere_is_refused),
        cmocka_unit_test(numbers_out_of_range_and_numbers_that_are_none_are_refused),
        cmocka_unit_test(messages_of_the_command_and_unknown_ones_are_refused),
        cmocka_unit_test(counts_past_the_end_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
