/// A rig is checked as a skin meets it, and what of it does nothing is said.
#include "check.h"

#include <pelt/tools.h>

#include <stdbool.h>
#include <string.h>

static PeltCharacter *cylinder(void)
{
    PeltMakeDef def = pelt_make_def_default();
    PeltCharacter *who;
    PeltError err = {0};
    def.name = "cylinder";
    def.vertices = 500;
    if (pelt_make_character(&def, &who, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return who;
}

static bool warned(const PeltSkin *skin, const char *code)
{
    for (int i = 0; i < pelt_skin_warning_count(skin); i++)
        if (!strcmp(pelt_skin_warning(skin, i)->code, code))
            return true;
    return false;
}

static void a_rig_is_checked_and_what_does_nothing_is_said(void **state)
{
    (void)state;
    PeltCharacter *who = cylinder();
    PeltSkinDef def = pelt_skin_def_default();
    PeltSkin *skin;
    PeltError err = {0};
    const char *good[] = {"weights=rigid", "joint.Upper.limits.bend=[0,90]"}, *bad[] = {"joint.Uper.operator=bulge"};
    def.method = "lbs";
    def.settings = good;
    def.setting_count = 2;
    assert_int_equal(pelt_skin_create(&def, who, &skin, &err), PELT_OK);
    assert_true(warned(skin, "rig-unused"));
    pelt_skin_destroy(skin);
    def.setting_count = 1;
    assert_int_equal(pelt_skin_create(&def, who, &skin, &err), PELT_OK);
    assert_false(warned(skin, "rig-unused"));
    pelt_skin_destroy(skin);
    def.settings = bad;
    assert_int_equal(pelt_skin_create(&def, who, &skin, &err), PELT_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "did you mean \"Upper\"?"));
    def.setting_count = 0;
    def.rig_path = "no such rig.json";
    assert_int_equal(pelt_skin_create(&def, who, &skin, &err), PELT_IO);
    pelt_character_destroy(who);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_rig_is_checked_and_what_does_nothing_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
