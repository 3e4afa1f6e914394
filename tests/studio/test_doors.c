/// Who may come in, by the texts of a request's headers.
#include "studio/doors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static PeltiDoors doors_at(int port)
{
    PeltiDoors doors;
    assert_int_equal(pelti_doors_open(&doors, port, NULL), PELT_OK);
    return doors;
}

static void only_the_two_names_of_this_machine_are_hosts(void **state)
{
    (void)state;
    PeltiDoors doors = doors_at(4711);
    assert_true(pelti_doors_host(&doors, "127.0.0.1:4711"));
    assert_true(pelti_doors_host(&doors, "localhost:4711"));
    const char *others[] = {"127.0.0.1",
                            "127.0.0.1:4712",
                            "127.0.0.1:4711.evil.com",
                            "evil.com:4711",
                            "localhost:4711 ",
                            "[::1]:4711",
                            "127.1:4711",
                            "",
                            NULL};
    for (int i = 0; i < 9; i++)
        assert_false(pelti_doors_host(&doors, others[i]));
}

static void only_the_page_itself_is_an_origin(void **state)
{
    (void)state;
    PeltiDoors doors = doors_at(4711);
    assert_true(pelti_doors_origin(&doors, "localhost:4711", "http://localhost:4711"));
    assert_false(pelti_doors_origin(&doors, "localhost:4711", "http://127.0.0.1:4711")); // the page of the other name
    assert_false(pelti_doors_origin(&doors, "localhost:4711", "https://localhost:4711"));
    assert_false(pelti_doors_origin(&doors, "localhost:4711", "http://localhost:4712"));
    assert_false(pelti_doors_origin(&doors, "localhost:4711", "null"));
    assert_false(pelti_doors_origin(&doors, "localhost:4711", NULL));
    assert_false(pelti_doors_origin(&doors, "evil.com", "http://evil.com"));
}

static void the_cookie_is_found_among_others_and_only_whole(void **state)
{
    (void)state;
    PeltiDoors doors = doors_at(4711);
    char header[200];
    snprintf(header, sizeof header, "a=b; pelt-4711=%s; c=d", doors.cookie);
    assert_true(pelti_doors_cookie(&doors, header));
    snprintf(header, sizeof header, "pelt-4711=%s", doors.cookie);
    assert_true(pelti_doors_cookie(&doors, header));
    header[strlen(header) - 1] ^= 1;
    assert_false(pelti_doors_cookie(&doors, header));
    snprintf(header, sizeof header, "pelt-4711=%sx", doors.cookie);
    assert_false(pelti_doors_cookie(&doors, header));
    snprintf(header, sizeof header, "xpelt-4711=%s", doors.cookie);
    assert_false(pelti_doors_cookie(&doors, header));
    assert_false(pelti_doors_cookie(&doors, "pelt-4711="));
    assert_false(pelti_doors_cookie(&doors, NULL));
}

static void a_token_opens_once(void **state)
{
    (void)state;
    PeltiDoors doors = doors_at(4711);
    char path[80];
    snprintf(path, sizeof path, "/open/%s", doors.token);
    assert_true(pelti_doors_exchange(&doors, path));
    assert_false(pelti_doors_exchange(&doors, path));
    snprintf(path, sizeof path, "/open/%s", doors.token); // the next one, for another browser
    assert_true(pelti_doors_exchange(&doors, path));
    assert_false(pelti_doors_exchange(&doors, "/open/"));
    assert_false(pelti_doors_exchange(&doors, "/"));
}

static void secrets_differ(void **state)
{
    (void)state;
    PeltiDoors a = doors_at(1), b = doors_at(1);
    assert_int_equal(strlen(a.token), PELTI_SECRET);
    assert_string_not_equal(a.token, a.cookie);
    assert_string_not_equal(a.token, b.token);
    assert_string_not_equal(a.cookie, b.cookie);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_two_names_of_this_machine_are_hosts),
        cmocka_unit_test(only_the_page_itself_is_an_origin),
        cmocka_unit_test(the_cookie_is_found_among_others_and_only_whole),
        cmocka_unit_test(a_token_opens_once),
        cmocka_unit_test(secrets_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
