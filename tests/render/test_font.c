/// Glyphs: every letter is there, within its box, and no two look alike.
#include "check.h"

#include "render/font.h"

#include <string.h>

static void every_letter_is_drawn_within_its_box(void **state)
{
    (void)state;
    PeltiFontGlyph g;
    for (int letter = 33; letter <= 126; letter++) {
        pelti_font_glyph(letter, &g);
        assert_in_range(g.count, 1, PELTI_GLYPH_SEGMENTS - 1); // none was cut short
        for (int s = 0; s < g.count; s++)
            for (int e = 0; e < 2; e++) {
                float x = g.segment[s][2 * e], y = g.segment[s][2 * e + 1];
                assert_true(x >= 0 && x < g.advance && y >= -4 && y <= PELTI_GLYPH_CAPITAL + 2);
            }
    }
    pelti_font_glyph(' ', &g);
    assert_int_equal(g.count, 0);
    assert_true(g.advance > 2);
}

static void heights_are_those_of_letters(void **state)
{
    (void)state;
    PeltiFontGlyph g;
    for (int letter = 'A'; letter <= 'Z'; letter++) {
        float low = 100, high = -100;
        pelti_font_glyph(letter, &g);
        for (int s = 0; s < g.count; s++) {
            low = fminf(low, fminf(g.segment[s][1], g.segment[s][3]));
            high = fmaxf(high, fmaxf(g.segment[s][1], g.segment[s][3]));
        }
        CHECK_NEAR(low, 0, letter == 'Q' ? 1.01 : 1e-5); // its tail hangs
        CHECK_NEAR(high, PELTI_GLYPH_CAPITAL, 1e-5);
    }
    pelti_font_glyph('o', &g);
    for (int s = 0; s < g.count; s++)
        assert_true(g.segment[s][1] <= 8.001f);
}

/// A stroke's curve begins and ends where the stroke does, and is joined: 'S' is one line.
static void curves_are_joined(void **state)
{
    (void)state;
    PeltiFontGlyph g;
    pelti_font_glyph('S', &g);
    for (int s = 1; s < g.count; s++) {
        CHECK_NEAR(g.segment[s][0], g.segment[s - 1][2], 1e-5);
        CHECK_NEAR(g.segment[s][1], g.segment[s - 1][3], 1e-5);
    }
    pelti_font_glyph('O', &g); // a closed one comes back
    CHECK_NEAR(g.segment[0][0], g.segment[g.count - 1][2], 1e-5);
    CHECK_NEAR(g.segment[0][1], g.segment[g.count - 1][3], 1e-5);
}

static void no_two_letters_look_alike(void **state)
{
    (void)state;
    static PeltiFontGlyph all[95];
    for (int k = 0; k < 95; k++)
        pelti_font_glyph(32 + k, &all[k]);
    for (int a = 1; a < 95; a++)
        for (int b = 1; b < a; b++)
            assert_true(all[a].count != all[b].count ||
                        memcmp(all[a].segment, all[b].segment, sizeof(float[4]) * (size_t)all[a].count) != 0);
    PeltiFontGlyph box, other;
    pelti_font_glyph(7, &box);
    pelti_font_glyph(200, &other);
    assert_int_equal(box.count, 4);
    assert_memory_equal(box.segment, other.segment, sizeof(float[4]) * 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_letter_is_drawn_within_its_box),
                                       cmocka_unit_test(heights_are_those_of_letters), cmocka_unit_test(curves_are_joined),
                                       cmocka_unit_test(no_two_letters_look_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
