/// Answers what the page of `pelt studio` says, from the session.
#include "studio/talk.h"

#include "bake/json_put.h"
#include "core/error.h"

#include <stdio.h>
#include <string.h>

static const double FRAME_WAIT_MS = 2000; // then the page asks again: it stays free to say other things

typedef struct Exchange { ///< one request
    PeltiStudioTalk *talk;
    PeltiArray *answer;
    uint32_t awaited; ///< number of the newest Want; 0: none
} Exchange;

// ---- the library's description of its methods ----

static PeltiJson *describe_option(PeltOptionInfo option, bool *ok)
{
    PeltiJson *object = pelti_json_new_object();
    pelti_put_text(object, "name", option.name, ok);
    pelti_put_text(object, "value", option.value, ok);
    pelti_put_text(object, "help", option.help ? option.help : "", ok);
    if (option.choices)
        pelti_put_text(object, "choices", option.choices, ok);
    if (option.least != 0 || option.most != 0) {
        pelti_put_number(object, "least", option.least, ok);
        pelti_put_number(object, "most", option.most, ok);
    }
    pelti_put_int(object, "common", option.common, ok);
    pelti_put_int(object, "live", option.live, ok);
    return object;
}

static PeltiJson *describe_method(int method, bool *ok)
{
    PeltiJson *object = pelti_json_new_object(), *options = pelti_json_new_array();
    pelti_put_text(object, "name", pelt_method_name(method), ok);
    pelti_put_text(object, "summary", pelt_method_summary(method), ok);
    pelti_put_int(object, "dynamic", pelt_method_is_dynamic(method), ok);
    for (int o = 0; o < pelt_method_option_count(method); o++)
        *ok = pelti_json_push(options, describe_option(pelt_method_option(method, o), ok)) && *ok;
    pelti_put(object, "options", options, ok);
    return object;
}

static PeltStatus describe_methods(PeltiArray *answer, PeltError *err)
{
    bool ok = true;
    PeltiJson *root = pelti_json_new_object(), *methods = pelti_json_new_array(), *makes = pelti_json_new_array();
    for (int m = 0; m < pelt_method_count(); m++)
        ok = pelti_json_push(methods, describe_method(m, &ok)) && ok;
    for (int i = 0; pelt_make_name(i); i++)
        ok = pelti_json_push(makes, pelti_json_new_text(pelt_make_name(i))) && ok;
    pelti_put_text(root, "version", pelt_version(), &ok);
    pelti_put_text(root, "default", pelt_method_default(), &ok);
    pelti_put(root, "methods", methods, &ok);
    pelti_put(root, "characters", makes, &ok);
    PeltiArray text;
    pelti_array_init(&text, NULL, 1);
    ok = ok && pelti_json_print(root, false, &text);
    if (ok) {
        PeltiMsgMethods m = {pelti_msg_text(text.data)};
        pelti_msg_write(answer, PELTI_MSG_Methods, &m);
    }
    pelti_array_release(&text);
    pelti_json_release(root);
    return ok ? PELT_OK : pelti_no_memory(err, 0);
}

// ---- one message each ----

static PeltStatus answer_ask(Exchange *turn, const PeltiMsgAsk *ask, PeltError *err)
{
    enum { CHARACTER, METHODS, WEIGHTS };
    if (ask->what == METHODS)
        return describe_methods(turn->answer, err);
    PeltiCast *cast = pelti_session_take(turn->talk->session);
    PeltStatus status = PELT_OK;
    if (cast && ask->what == CHARACTER)
        status = pelti_cast_describe(cast, turn->answer, err);
    else if (cast && ask->what == WEIGHTS)
        status = pelti_cast_weights(cast, ask->node, turn->answer, err);
    pelti_session_give(turn->talk->session, cast);
    return status;
}

static PeltStatus show_builtin(Exchange *turn, const PeltiMsgBuiltin *wish, PeltError *err)
{
    char name[41];
    PeltiCast *cast;
    snprintf(name, sizeof name, "%.*s", (int)wish->name.count, wish->name.data);
    PELT_TRY(pelti_cast_make(name, (int)wish->vertices, &cast, err));
    pelti_session_show(turn->talk->session, cast);
    return PELT_OK;
}

static PeltStatus do_message(Exchange *turn, PeltiMsgKind kind, const PeltiMsg *m, PeltError *err)
{
    PeltiSession *session = turn->talk->session;
    switch (kind) {
    case PELTI_MSG_Want:
        PELT_TRY(pelti_session_want(session, &m->as_Want, err));
        turn->awaited = m->as_Want.number;
        return PELT_OK;
    case PELTI_MSG_Method:
        return pelti_session_method(session, &m->as_Method, err);
    case PELTI_MSG_Set:
        return pelti_session_set(session, &m->as_Set, err);
    case PELTI_MSG_Bake:
        return pelti_session_bake(session, &m->as_Bake, err);
    case PELTI_MSG_Scene:
        return pelti_session_scene(session, &m->as_Scene, err);
    case PELTI_MSG_Rig:
        return pelti_session_rig(session, &m->as_Rig, err);
    case PELTI_MSG_Mesh:
        return pelti_session_mesh(session, &m->as_Mesh, err);
    case PELTI_MSG_Ask:
        return answer_ask(turn, &m->as_Ask, err);
    case PELTI_MSG_Builtin:
        return show_builtin(turn, &m->as_Builtin, err);
    case PELTI_MSG_Quit:
        turn->talk->quit = true;
        return PELT_OK;
    default:
        return PELT_FAIL(err, PELT_BAD_INPUT, "hello is said once, first");
    }
}

static void refuse(Exchange *turn, const PeltError *err)
{
    PeltiMsgRefusal m = {pelti_msg_text(err->text)};
    pelti_msg_write(turn->answer, PELTI_MSG_Refusal, &m);
}

/// Everything after Hello. What cannot be done is told the page; what is no message ends the request.
static PeltStatus do_messages(Exchange *turn, PeltiMsgReader *reader, PeltError *err)
{
    PeltiMsg m;
    PeltiMsgKind kind;
    err->status = PELT_OK;
    while ((kind = pelti_msg_read(reader, &m, err)) != PELTI_MSG_NONE) {
        PeltError fault = {0};
        if (do_message(turn, kind, &m, &fault) != PELT_OK)
            refuse(turn, &fault);
    }
    return err->status;
}

PeltStatus pelti_studio_talk(PeltiStudioTalk *talk, const void *bytes, size_t size, PeltiArray *answer, PeltError *err)
{
    PeltiMsgReader reader = {bytes, size, 0};
    PeltiMsg m;
    Exchange turn = {talk, answer, 0};
    PeltError fault = {0};
    if (pelti_msg_read(&reader, &m, &fault) != PELTI_MSG_Hello)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s", fault.text[0] ? fault.text : "a request begins with Hello");
    if (m.as_Hello.take)
        talk->tab = m.as_Hello.tab;
    bool elsewhere = talk->tab != m.as_Hello.tab;
    if (!elsewhere && do_messages(&turn, &reader, &fault) != PELT_OK)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s", fault.text);
    if (turn.awaited)
        pelti_session_frames(talk->session, turn.awaited, FRAME_WAIT_MS, answer);
    pelti_session_state(talk->session, elsewhere, answer);
    return answer->failed ? pelti_no_memory(err, answer->count) : PELT_OK;
}
