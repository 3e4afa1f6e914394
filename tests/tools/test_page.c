/// The page writer: escaping, base64 by known texts, plots with gaps.
#include "check.h"

#include "tools/page.h"

#include <string.h>

static const char *text_of(PeltiPage *page)
{
    pelti_array_append(&page->bytes, "", 1);
    return page->bytes.data;
}

static void text_is_escaped(void **state)
{
    (void)state;
    PeltiPage page;
    pelti_page_init(&page);
    pelti_page_text(&page, "<a href=\"x\">&'\n\x01</a> \xc3\xa9");
    assert_string_equal(text_of(&page), "&lt;a href=&quot;x&quot;&gt;&amp;'&lt;/a&gt; \xc3\xa9");
    pelti_page_release(&page);
}

static void data_is_base64(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {// the test vectors of RFC 4648
                                           {"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        PeltiPage page;
        char expected[64];
        pelti_page_init(&page);
        pelti_page_data(&page, "text/plain", pairs[i][0], strlen(pairs[i][0]));
        snprintf(expected, sizeof expected, "data:text/plain;base64,%s", pairs[i][1]);
        assert_string_equal(text_of(&page), expected);
        pelti_page_release(&page);
    }
    PeltiPage page;
    pelti_page_init(&page);
    pelti_page_data(&page, "x", "\xff\xfe\x00\x80", 4);
    assert_string_equal(text_of(&page), "data:x;base64,//4AgA==");
    pelti_page_release(&page);
}

static void a_gap_in_the_values_is_a_gap_in_the_line(void **state)
{
    (void)state;
    const double values[5] = {1, 2, NAN, INFINITY, 3}, none[5] = {NAN, NAN, NAN, NAN, NAN}, same[5] = {7, 7, 7, 7, 7};
    const PeltiPageSeries series[] = {{"a<b", 0, values}, {"none", 1, none}};
    PeltiPage page;
    pelti_page_init(&page);
    pelti_page_plot(&page, "Volume & more", "to rest", 5, 2, series);
    const char *text = text_of(&page);
    assert_non_null(strstr(text, "data-name=\"a&lt;b\" data-values=\"1,2,,,3\" d=\"M"));
    assert_non_null(strstr(text, "data-name=\"none\" data-values=\",,,,\" d=\"\""));
    assert_non_null(strstr(text, "aria-label=\"Volume &amp; more over 5 frames"));
    const char *path = strstr(text, "d=\"M");
    int moves = 0;
    for (const char *p = path; *p != '/'; p++)
        moves += *p == 'M';
    assert_int_equal(moves, 2);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    pelti_page_release(&page);
    pelti_page_init(&page);
    pelti_page_plot(&page, "flat", "", 5, 1, &(PeltiPageSeries){"same", 0, same});
    pelti_page_plot(&page, "one frame", "", 1, 1, &(PeltiPageSeries){"same", 0, same});
    assert_null(strstr(text_of(&page), "nan"));
    pelti_page_release(&page);
}

static void a_page_is_whole_and_alone(void **state)
{
    (void)state;
    PeltiPage page;
    pelti_page_init(&page);
    pelti_page_begin(&page, "A <title>");
    pelti_page_end(&page);
    const char *text = text_of(&page);
    assert_int_equal(strncmp(text, "<!doctype html>", 15), 0);
    assert_non_null(strstr(text, "<title>A &lt;title&gt;</title>"));
    assert_non_null(strstr(text, "prefers-color-scheme:dark"));
    assert_non_null(strstr(text, "@media print"));
    assert_null(strstr(text, "http")); // asks nothing of the network
    assert_string_equal(text + strlen(text) - 8, "</html>\n");
    pelti_page_release(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped),
        cmocka_unit_test(data_is_base64),
        cmocka_unit_test(a_gap_in_the_values_is_a_gap_in_the_line),
        cmocka_unit_test(a_page_is_whole_and_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
