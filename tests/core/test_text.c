/// The nearest word is found by inserts, deletes and replacements, unless none is near.
#include "check.h"

#include "core/text.h"

static const char *word_at(const void *list, int index)
{
    return ((const char *const *)list)[index];
}

static void distance_counts_inserts_deletes_and_replacements(void **state)
{
    (void)state;
    assert_int_equal(pelti_text_distance("", ""), 0);
    assert_int_equal(pelti_text_distance("kitten", "sitting"), 3);
    assert_int_equal(pelti_text_distance("sitting", "kitten"), 3);
    assert_int_equal(pelti_text_distance("abc", ""), 3);
    assert_int_equal(pelti_text_distance("", "abc"), 3);
    assert_int_equal(pelti_text_distance("x", "a word that is longer than it may be"), 99);
}

static void the_nearest_word_is_found_unless_none_is_near(void **state)
{
    (void)state;
    const char *const words[] = {"tracking", "layered", "projective", NULL};
    assert_string_equal(pelti_text_nearest("layred", word_at, words), "layered");
    assert_string_equal(pelti_text_nearest("trackign", word_at, words), "tracking");
    assert_null(pelti_text_nearest("xyz", word_at, words));
    assert_null(pelti_text_nearest("layered", word_at, words + 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(distance_counts_inserts_deletes_and_replacements),
                                       cmocka_unit_test(the_nearest_word_is_found_unless_none_is_near)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
