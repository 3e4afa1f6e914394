/// Every option of every method, at values to either side of its default: a skin that is finite, or a refusal that says why.
#include "check.h"
#include "tiny.h"

#include <pelt/pelt.h>

#include <stdbool.h>
#include <string.h>

enum { FRAMES = 2, TEXT = 128 };

static PeltCharacter *who;
static PeltPose *pose;

static int set_up(void **state)
{
    (void)state;
    PeltError err = {0};
    if (pelt_character_load_memory(tiny_glb(), tiny_glb_size(), NULL, &who, &err) != PELT_OK ||
        pelt_pose_create(who, &pose, &err) != PELT_OK)
        fail_msg("%s", err.text);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pelt_pose_destroy(pose);
    pelt_character_destroy(who);
    return 0;
}

static void check_steps(PeltSkin *skin, const char *method, const char *setting)
{
    for (int frame = 0; frame < FRAMES; frame++) {
        pelt_pose_from_clip(pose, 0, frame / 4.0);
        pelt_skin_step(skin, pose, 1.0f / 30, NULL);
    }
    const float *x = pelt_skin_positions(skin);
    for (int i = 0; i < 3 * TINY_POINTS; i++)
        if (!(fabsf(x[i]) < 100)) // the tube is 2 high
            fail_msg("%s, %s: coordinate %d is %g", method, setting, i, (double)x[i]);
}

static PeltStatus make_skin(const char *method, const char *setting, PeltSkin **skin, PeltError *err)
{
    const char *settings[] = {"body-vertices=200", setting};
    PeltSkinDef def = pelt_skin_def_default();
    def.method = method, def.threads = 1;
    def.settings = settings, def.setting_count = setting ? 2 : 1;
    return pelt_skin_create(&def, who, skin, err);
}

static void try_setting(const char *method, const char *setting)
{
    PeltError err = {0};
    PeltSkin *skin = NULL;
    PeltStatus status = make_skin(method, setting, &skin, &err);
    if (status == PELT_OK)
        check_steps(skin, method, setting);
    else if (status == PELT_BAD_ARGUMENT || status == PELT_FAILED || !err.text[0])
        fail_msg("%s, %s: status %d, %s", method, setting, (int)status, err.text);
    pelt_skin_destroy(skin);
}

/// One that may change between steps, and back.
static void try_live(PeltSkin *skin, const char *method, const PeltOptionInfo *o, const char *setting)
{
    PeltError err = {0};
    if (pelt_skin_set(skin, o->name, setting + strlen(o->name) + 1, &err) != PELT_OK)
        fail_msg("%s, %s: %s", method, setting, err.text);
    check_steps(skin, method, setting);
    assert_int_equal(pelt_skin_set(skin, o->name, o->value, &err), PELT_OK);
    pelt_skin_restart(skin);
}

/// Values of an option beside its default, as "key=value"; returns how many.
static int values_of(const PeltOptionInfo *o, char out[][TEXT])
{
    int count = 0;
    double value = atof(o->value);
    if (o->kind == PELT_OPTION_CHOICE)
        for (const char *p = o->choices; p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
            snprintf(out[count++], TEXT, "%s=%.*s", o->name, (int)strcspn(p, "|"), p);
    if (o->kind == PELT_OPTION_BOOL)
        snprintf(out[count++], TEXT, "%s=%s", o->name, !strcmp(o->value, "on") || !strcmp(o->value, "true") ? "off" : "on");
    if (o->kind != PELT_OPTION_FLOAT && o->kind != PELT_OPTION_INT)
        return count;
    bool any = o->least == 0 && o->most == 0;
    double less = any ? value / 2 : o->least, more = value != 0 ? 2 * value : 1;
    if (!any && more > o->most)
        more = o->most;
    if (o->kind == PELT_OPTION_INT)
        less = ceil(less), more = floor(more);
    snprintf(out[count++], TEXT, "%s=%g", o->name, less);
    snprintf(out[count++], TEXT, "%s=%g", o->name, more);
    return count;
}

static int try_method(int m)
{
    static char values[16][TEXT];
    const char *method = pelt_method_name(m);
    PeltSkin *skin = NULL;
    PeltError err = {0};
    int tried = 0;
    if (make_skin(method, NULL, &skin, &err) != PELT_OK)
        fail_msg("%s: %s", method, err.text);
    for (int i = 0; i < pelt_method_option_count(m); i++) {
        PeltOptionInfo o = pelt_method_option(m, i);
        if ((o.common && m != pelt_method_count() - 1) || !strcmp(o.name, "body-vertices"))
            continue; // common ones once, with the last
        int count = values_of(&o, values);
        for (int k = 0; k < count; k++, tried++)
            if (o.live)
                try_live(skin, method, &o, values[k]);
            else
                try_setting(method, values[k]);
    }
    pelt_skin_destroy(skin);
    return tried;
}

static void every_option_beside_its_default(void **state)
{
    (void)state;
    int tried = 0;
    for (int m = 0; m < pelt_method_count(); m++)
        tried += try_method(m);
    assert_true(tried > 100);
}

static void a_body_of_a_handful_of_vertices_is_refused(void **state)
{
    (void)state;
    PeltSkin *skin = NULL;
    PeltError err = {0};
    assert_int_equal(make_skin("layered", "body-vertices=199", &skin, &err), PELT_BAD_ARGUMENT);
    assert_non_null(strstr(err.text, "body-vertices"));
    assert_null(skin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_option_beside_its_default),
                                       cmocka_unit_test(a_body_of_a_handful_of_vertices_is_refused)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
