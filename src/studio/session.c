/// A session: what is on show, what is wanted and what is there. The work itself is in solver.c and prepare.c.
#include "studio/session_parts.h"

#include "core/clock.h"
#include "core/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- life ----

static PeltStatus start_threads(PeltiSession *s, PeltError *err)
{
    if (pthread_create(&s->solver, NULL, pelti_session_solve, s))
        return PELT_FAIL(err, PELT_FAILED, "the solver's thread could not be started");
    s->solver_runs = true;
    for (int i = 0; i < PELTI_SLOTS; i++, s->preparers++)
        if (pthread_create(&s->slots[i].thread, NULL, pelti_slot_prepare, &s->slots[i]))
            return PELT_FAIL(err, PELT_FAILED, "a preparing thread could not be started");
    return PELT_OK;
}

static void init_shown(PeltiSessionShown *shown)
{
    pelti_array_init(&shown->counts, NULL, sizeof(int32_t));
    pelti_array_init(&shown->triangles, NULL, sizeof(int32_t));
    pelti_array_init(&shown->positions, NULL, sizeof(float));
    pelti_array_init(&shown->origins, NULL, sizeof(float));
    pelti_array_init(&shown->contacts, NULL, sizeof(float));
}

static void release_shown(PeltiSessionShown *shown)
{
    pelti_array_release(&shown->counts);
    pelti_array_release(&shown->triangles);
    pelti_array_release(&shown->positions);
    pelti_array_release(&shown->origins);
    pelti_array_release(&shown->contacts);
}

PeltStatus pelti_session_create(const PeltiSessionDef *def, PeltiSession **out, PeltError *err)
{
    PeltiSession *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return pelti_no_memory(err, sizeof *s);
    s->def = *def;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->asked, NULL);
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&s->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    init_shown(&s->shown);
    pelti_array_init(&s->inside.lines, NULL, sizeof(float));
    for (int i = 0; i < PELTI_SLOTS; i++)
        s->slots[i].session = s, s->slots[i].index = i;
    PeltStatus status = start_threads(s, err);
    if (status != PELT_OK)
        pelti_session_destroy(s);
    else
        *out = s;
    return status;
}

void pelti_session_destroy(PeltiSession *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->quit = true;
    pthread_cond_broadcast(&s->asked);
    pthread_cond_broadcast(&s->done);
    pthread_mutex_unlock(&s->lock);
    pelti_oven_end(s);
    for (int i = 0; i < s->preparers; i++)
        pthread_join(s->slots[i].thread, NULL);
    if (s->solver_runs)
        pthread_join(s->solver, NULL);
    for (int i = 0; i < PELTI_SLOTS; i++) {
        pelt_skin_destroy(s->slots[i].skin);
        pelt_skin_destroy(s->slots[i].fresh);
        pelti_session_drop(s, s->slots[i].cast);
        pelti_session_drop(s, s->slots[i].fresh_cast);
        free(s->slots[i].frame.positions);
    }
    pelti_session_drop(s, s->cast);
    free(s->wish.nodes);
    free(s->wish.transforms);
    free(s->transforms);
    free(s->rig);
    pelti_session_mesh_end(s);
    release_shown(&s->shown);
    pelti_array_release(&s->inside.lines);
    pthread_cond_destroy(&s->asked);
    pthread_cond_destroy(&s->done);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

// ---- the character ----

void pelti_session_drop(PeltiSession *s, PeltiCast *cast)
{
    (void)s; // whose lock is held
    if (cast && --cast->uses == 0)
        pelti_cast_destroy(cast);
}

void pelti_slot_ask(PeltiSlot *slot, const char *method, const char *settings)
{
    slot->serial++;
    snprintf(slot->method, sizeof slot->method, "%s", method);
    snprintf(slot->settings, sizeof slot->settings, "%s", settings);
    slot->state = *method ? PELTI_SLOT_PREPARING : PELTI_SLOT_EMPTY;
    slot->share = 0;
    slot->prepare_ms = 0;
    slot->text[0] = slot->warnings[0] = slot->live[0] = 0;
}

void pelti_session_show(PeltiSession *s, PeltiCast *cast)
{
    pthread_mutex_lock(&s->lock);
    pelti_session_drop(s, s->cast);
    s->cast = cast;
    cast->uses = 1;
    cast->epoch = ++s->epoch;
    s->wish.want = (PeltiMsgWant){.epoch = s->epoch, .clip = -1};
    s->solved = 0;
    s->scene = (PeltiSessionSceneWish){.serial = s->scene.serial + 1};
    s->inside.wanted = false;
    free(s->rig);
    s->rig = NULL;
    for (int i = 0; i < PELTI_SLOTS; i++) {
        pelti_slot_ask(&s->slots[i], i == 0 ? "lbs" : "", "");
        s->slots[i].stopgap = s->slots[i].serial;
    }
    pthread_cond_broadcast(&s->asked);
    pthread_cond_broadcast(&s->done);
    pthread_mutex_unlock(&s->lock);
}

PeltiCast *pelti_session_take(PeltiSession *s)
{
    pthread_mutex_lock(&s->lock);
    PeltiCast *cast = s->cast;
    if (cast)
        cast->uses++;
    pthread_mutex_unlock(&s->lock);
    return cast;
}

void pelti_session_give(PeltiSession *s, PeltiCast *cast)
{
    pthread_mutex_lock(&s->lock);
    pelti_session_drop(s, cast);
    pthread_mutex_unlock(&s->lock);
}

// ---- wishes ----

static bool has_option(int method, const char *line, size_t length)
{
    const char *equals = memchr(line, '=', length);
    for (int o = 0; equals && o < pelt_method_option_count(method); o++) {
        const char *name = pelt_method_option(method, o).name;
        if (strlen(name) == (size_t)(equals - line) && !memcmp(name, line, strlen(name)))
            return true;
    }
    return false;
}

/// Only what the method's own list has: keys that name files (joint.NAME.operator=...) are for the command line.
static PeltStatus check_settings(int method, const char *lines, PeltError *err)
{
    for (const char *line = lines; *line;) {
        size_t length = strcspn(line, "\n");
        if (!has_option(method, line, length))
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%s has no option '%.*s'", pelt_method_name(method),
                             (int)(length < 60 ? length : 60), line);
        line += length + (line[length] == '\n');
    }
    return PELT_OK;
}

PeltStatus pelti_session_method(PeltiSession *s, const PeltiMsgMethod *wish, PeltError *err)
{
    char name[41], settings[PELTI_SETTINGS + 1];
    snprintf(name, sizeof name, "%.*s", (int)wish->name.count, wish->name.data);
    snprintf(settings, sizeof settings, "%.*s", (int)wish->settings.count, wish->settings.data);
    int method = pelt_method_find(name);
    if (*name && method < 0)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "there is no method '%s': `pelt methods` lists them", name);
    if (*name)
        PELT_TRY(check_settings(method, settings, err));
    pthread_mutex_lock(&s->lock);
    if (wish->epoch == s->epoch) {
        pelti_slot_ask(&s->slots[wish->slot], name, settings);
        pthread_cond_broadcast(&s->asked);
    }
    pthread_mutex_unlock(&s->lock);
    return PELT_OK;
}

/// The option of a method by name; -1: it has none of that name.
static int find_option(int method, const char *name)
{
    for (int o = 0; o < pelt_method_option_count(method); o++)
        if (!strcmp(pelt_method_option(method, o).name, name))
            return o;
    return -1;
}

PeltStatus pelti_session_set(PeltiSession *s, const PeltiMsgSet *wish, PeltError *err)
{
    char key[65], value[65];
    snprintf(key, sizeof key, "%.*s", (int)wish->key.count, wish->key.data);
    snprintf(value, sizeof value, "%.*s", (int)wish->value.count, wish->value.data);
    PeltStatus status = PELT_OK;
    pthread_mutex_lock(&s->lock);
    PeltiSlot *slot = &s->slots[wish->slot];
    int method = pelt_method_find(slot->method), option = method < 0 ? -1 : find_option(method, key);
    size_t used = strlen(slot->live);
    if (wish->epoch != s->epoch || option < 0 || strchr(value, '\n'))
        status = PELT_FAIL(err, PELT_BAD_ARGUMENT, "%s has no option '%s'", slot->method, key);
    else if (!pelt_method_option(method, option).live)
        status = PELT_FAIL(err, PELT_UNSUPPORTED, "%s: %s needs a new prepare", slot->method, key);
    else if (used + strlen(key) + strlen(value) + 3 < sizeof slot->live)
        snprintf(slot->live + used, sizeof slot->live - used, "%s=%s\n", key, value);
    pthread_mutex_unlock(&s->lock);
    return status;
}

static PeltStatus keep_wish(PeltiSessionWish *wish, const PeltiMsgWant *want, PeltError *err)
{
    if (want->nodes.count > wish->capacity) {
        int32_t *nodes = realloc(wish->nodes, want->nodes.count * sizeof *nodes);
        if (nodes)
            wish->nodes = nodes;
        float *transforms = realloc(wish->transforms, want->nodes.count * 10 * sizeof *transforms);
        if (transforms)
            wish->transforms = transforms;
        if (!nodes || !transforms)
            return pelti_no_memory(err, want->nodes.count * 44);
        wish->capacity = want->nodes.count;
    }
    wish->want = *want;
    memcpy(wish->held_at, want->held_at.data, sizeof wish->held_at);
    memcpy(wish->poked_at, want->poked_at.data, sizeof wish->poked_at);
    if (want->nodes.count) {
        memcpy(wish->nodes, want->nodes.data, want->nodes.count * sizeof *wish->nodes);
        memcpy(wish->transforms, want->transforms.data, want->nodes.count * 10 * sizeof *wish->transforms);
    }
    return PELT_OK;
}

static PeltStatus check_want(const PeltCharacter *who, const PeltiMsgWant *want, PeltError *err)
{
    PeltCharacterInfo info = pelt_character_info(who);
    if (want->transforms.count != want->nodes.count * 10)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%u transforms for %u nodes: 10 numbers each", want->transforms.count,
                         want->nodes.count);
    if (want->poked >= info.point_count)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "point %d of %d", want->poked, info.point_count);
    if (want->clip > info.clip_count)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "clip %d of %d", want->clip, info.clip_count + 1);
    for (uint32_t i = 0; i < want->nodes.count; i++)
        if (want->nodes.data[i] < 0 || want->nodes.data[i] >= info.node_count)
            return PELT_FAIL(err, PELT_BAD_ARGUMENT, "node %d of %d", want->nodes.data[i], info.node_count);
    return PELT_OK;
}

PeltStatus pelti_session_want(PeltiSession *s, const PeltiMsgWant *want, PeltError *err)
{
    PeltStatus status = PELT_OK;
    pthread_mutex_lock(&s->lock);
    if (s->cast && want->epoch == s->epoch) {                               // a wish for the character before comes too late
        bool cut = s->wish.want.number > s->solved && s->wish.want.restart; // not seen by the solver yet
        status = check_want(s->cast->who, want, err);
        if (status == PELT_OK)
            status = keep_wish(&s->wish, want, err);
        s->wish.want.restart |= cut;
        pthread_cond_broadcast(&s->asked);
    }
    pthread_mutex_unlock(&s->lock);
    return status;
}

// ---- answers ----

static void add_frame(const PeltiSession *s, const PeltiSlot *slot, PeltiArray *answer)
{
    const PeltiSlotFrame *f = &slot->frame;
    if (!f->count || f->epoch != s->epoch || f->number != s->solved || slot->state == PELTI_SLOT_EMPTY)
        return;
    PeltiMsgFrame m = {
        .epoch = f->epoch,
        .number = f->number,
        .slot = (uint32_t)slot->index,
        .serial = f->serial,
        .step_ms = f->step_ms,
        .box = {f->box, 6},
        .positions = {f->positions, (uint32_t)f->count},
        .transforms = {s->transforms, slot->index == 0 ? (uint32_t)s->transform_count : 0},
        .stats = pelti_msg_text(f->stats),
    };
    pelti_msg_write(answer, PELTI_MSG_Frame, &m);
}

static void add_objects(const PeltiSession *s, PeltiArray *answer)
{
    const PeltiSessionShown *shown = &s->shown;
    if ((!shown->counts.count && !shown->trouble[0]) || shown->epoch != s->epoch || shown->number != s->solved)
        return;
    PeltiMsgObjects m = {
        .epoch = shown->epoch,
        .number = shown->number,
        .counts = {(const int32_t *)shown->counts.data, (uint32_t)shown->counts.count},
        .positions = {(const float *)shown->positions.data, (uint32_t)shown->positions.count},
        .triangles = {(const int32_t *)shown->triangles.data, (uint32_t)shown->triangles.count},
        .origins = {(const float *)shown->origins.data, (uint32_t)shown->origins.count},
        .contacts = {(const float *)shown->contacts.data, (uint32_t)shown->contacts.count},
        .contact_ms = shown->contact_ms,
        .trouble = pelti_msg_text(shown->trouble),
    };
    pelti_msg_write(answer, PELTI_MSG_Objects, &m);
}

static void add_inside(const PeltiSession *s, PeltiArray *answer)
{
    const PeltiStudioInside *in = &s->inside;
    if (!in->wanted)
        return;
    uint32_t side = in->cut ? PELTI_STUDIO_SECTION : 0;
    PeltiMsgInside m = {.epoch = s->epoch,
                        .number = s->solved,
                        .lines = {(const float *)in->lines.data, (uint32_t)in->lines.count},
                        .side = side,
                        .section = {in->section, side * side},
                        .plane = {in->plane, side ? 9 : 0},
                        .iso = in->iso};
    pelti_msg_write(answer, PELTI_MSG_Inside, &m);
}

void pelti_session_frames(PeltiSession *s, uint32_t number, double most_ms, PeltiArray *answer)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    long long ns = until.tv_nsec + (long long)(most_ms * 1e6);
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    pthread_mutex_lock(&s->lock);
    uint32_t epoch = s->epoch;
    while (!s->quit && s->epoch == epoch && s->solved < number)
        if (pthread_cond_timedwait(&s->done, &s->lock, &until))
            break;
    for (int i = 0; i < PELTI_SLOTS && s->epoch == epoch && s->solved >= number; i++)
        add_frame(s, &s->slots[i], answer);
    if (s->epoch == epoch && s->solved >= number) {
        add_objects(s, answer);
        add_inside(s, answer);
    }
    pthread_mutex_unlock(&s->lock);
}

void pelti_session_state(PeltiSession *s, bool elsewhere, PeltiArray *answer)
{
    pthread_mutex_lock(&s->lock);
    PeltiMsgState state = {s->epoch, elsewhere, s->solved, (float)pelti_peak_mb()};
    pelti_msg_write(answer, PELTI_MSG_State, &state);
    for (int i = 0; i < PELTI_SLOTS && !elsewhere; i++) {
        const PeltiSlot *slot = &s->slots[i];
        PeltiMsgSlot m = {
            .slot = (uint32_t)i,
            .state = (uint32_t)slot->state,
            .serial = slot->serial,
            .share = slot->share,
            .prepare_ms = slot->prepare_ms,
            .method = pelti_msg_text(slot->method),
            .text = pelti_msg_text(slot->text),
            .warnings = pelti_msg_text(slot->warnings),
        };
        pelti_msg_write(answer, PELTI_MSG_Slot, &m);
    }
    if (s->oven.serial && !elsewhere) { // one that was cancelled is told, too
        const PeltiOven *o = &s->oven;
        PeltiMsgBaking m = {o->state, o->serial, o->what, o->files, o->share, pelti_msg_text(o->text)};
        pelti_msg_write(answer, PELTI_MSG_Baking, &m);
    }
    pthread_mutex_unlock(&s->lock);
}
