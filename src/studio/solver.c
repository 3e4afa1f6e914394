/// The solver's thread: takes the newest wish, steps the skins of both slots and lays their positions out for the page.
#include "studio/play.h"
#include "studio/session_parts.h"

#include "core/clock.h"
#include "math/vec.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Solver { ///< the thread's own
    PeltiSession *session;
    PeltiCast *cast; ///< whose pose it is, kept alive for it
    PeltPose *pose;
    PeltiSessionWish wish;
    PeltiStudioInside inside;
    PeltiPlay play;   ///< what slot 0 touches
    uint32_t stepped; ///< serials of both slots that the last frame was made of, added up
} Solver;

/// Takes over what was prepared and lets go of what is not on show any more. With the lock held; false: nothing changed. What is
/// to be destroyed comes out, as that takes time.
static bool renew_slot(PeltiSlot *slot, PeltSkin **old_skin, PeltiCast **old_cast)
{
    const PeltiSession *s = slot->session;
    bool stale = slot->skin && (slot->cast != s->cast || slot->state == PELTI_SLOT_EMPTY);
    if (!stale && !slot->fresh)
        return false;
    *old_skin = slot->skin;
    *old_cast = slot->cast;
    slot->skin = NULL;
    slot->cast = NULL;
    if (slot->fresh && slot->fresh_cast == s->cast && slot->state != PELTI_SLOT_EMPTY) {
        slot->skin = slot->fresh;
        slot->cast = slot->fresh_cast;
        slot->skin_serial = slot->fresh_serial;
        slot->fresh = NULL;
        slot->fresh_cast = NULL;
    } else if (slot->fresh && !*old_skin) { // prepared for a character that is gone
        *old_skin = slot->fresh;
        *old_cast = slot->fresh_cast;
        slot->fresh = NULL;
        slot->fresh_cast = NULL;
    }
    return true;
}

static void renew(Solver *solver)
{
    PeltiSession *s = solver->session;
    for (int i = 0; i < PELTI_SLOTS; i++) {
        PeltSkin *skin = NULL;
        PeltiCast *cast = NULL;
        while (renew_slot(&s->slots[i], &skin, &cast)) {
            pthread_mutex_unlock(&s->lock);
            if (i == 0)
                pelti_play_end(&solver->play); // which holds on to the skin
            pelt_skin_destroy(skin);
#ifdef __GLIBC__
            malloc_trim(0); // what it had lies in pieces between what other threads have
#endif
            pthread_mutex_lock(&s->lock);
            pelti_session_drop(s, cast);
            skin = NULL;
            cast = NULL;
        }
    }
}

/// The wish that is to be done now, copied; false: nothing is new. With the lock held.
static bool take_wish(Solver *solver)
{
    PeltiSession *s = solver->session;
    uint32_t serials = 0;
    for (int i = 0; i < PELTI_SLOTS; i++)
        serials += s->slots[i].skin ? s->slots[i].skin_serial : 0;
    serials += s->scene.serial;
    bool any = s->slots[0].skin || s->slots[1].skin;
    if (!any || !s->wish.want.number || (s->wish.want.number == s->solved && serials == solver->stepped))
        return false;
    PeltiSessionWish *own = &solver->wish;
    size_t count = s->wish.want.nodes.count;
    if (count > own->capacity) {
        free(own->nodes);
        free(own->transforms);
        own->nodes = malloc(count * sizeof *own->nodes);
        own->transforms = malloc(count * 10 * sizeof *own->transforms);
        own->capacity = own->nodes && own->transforms ? count : 0;
        if (!own->capacity)
            return false;
    }
    own->want = s->wish.want;
    memcpy(own->held_at, s->wish.held_at, sizeof own->held_at);
    memcpy(own->poked_at, s->wish.poked_at, sizeof own->poked_at);
    solver->play.wish = s->scene;
    for (int i = 0; i < PELTI_MESHES; i++)
        solver->play.meshes[i] = pelti_session_mesh_find(s, i);
    s->wish.want.restart = 0;
    if (count) {
        memcpy(own->nodes, s->wish.nodes, count * sizeof *own->nodes);
        memcpy(own->transforms, s->wish.transforms, count * 10 * sizeof *own->transforms);
    }
    solver->stepped = serials;
    return true;
}

/// The pose is always of the character on show. With the lock held.
static void renew_pose(Solver *solver)
{
    PeltiSession *s = solver->session;
    if (solver->cast == s->cast)
        return;
    pelt_pose_destroy(solver->pose);
    pelti_session_drop(s, solver->cast);
    solver->pose = NULL;
    solver->cast = s->cast;
    s->cast->uses++;
    pelt_pose_create(s->cast->who, &solver->pose, NULL);
}

static void make_pose(Solver *solver)
{
    const PeltiSessionWish *wish = &solver->wish;
    pelt_pose_reset(solver->pose);
    if (wish->want.clip >= 0)
        pelt_pose_from_clip(solver->pose, wish->want.clip, (double)wish->want.time_s);
    for (uint32_t i = 0; i < wish->want.nodes.count; i++) {
        PeltTransform t;
        memcpy(&t, wish->transforms + (size_t)i * 10, sizeof t);
        pelt_pose_set(solver->pose, wish->nodes[i], t);
    }
}

static void fit_box(const float (*points)[3], int count, float box[6])
{
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = lesser(points[i][k], low[k]);
            high[k] = larger(points[i][k], high[k]);
        }
    for (int k = 0; k < 3; k++) {
        box[k] = isfinite(low[k]) ? low[k] : 0;
        box[k + 3] = isfinite(high[k]) ? high[k] : 0;
    }
}

static bool make_room(PeltiSlotFrame *frame, size_t wanted)
{
    if (wanted <= frame->capacity)
        return true;
    uint16_t *more = realloc(frame->positions, wanted * sizeof *more);
    if (!more)
        return false;
    frame->positions = more;
    frame->capacity = wanted;
    return true;
}

/// Positions as 16-bit numbers over their box.
static bool lay_out(PeltiSlotFrame *frame, const float *positions, int count)
{
    const float(*points)[3] = (const float(*)[3])positions;
    if (!make_room(frame, (size_t)count * 3))
        return false;
    fit_box(points, count, frame->box);
    float scale[3];
    for (int k = 0; k < 3; k++) {
        float wide = frame->box[k + 3] - frame->box[k];
        scale[k] = wide > 0 ? 65535.0f / wide : 0;
    }
    uint16_t(*out)[3] = (uint16_t(*)[3])frame->positions;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            float at = larger((points[i][k] - frame->box[k]) * scale[k] + 0.5f, 0); // NaN gives 0
            out[i][k] = (uint16_t)lesser(at, 65535);
        }
    frame->count = (size_t)count * 3;
    return true;
}

static void note_stats(PeltiSlotFrame *frame, const PeltStepInfo *info)
{
    size_t used = (size_t)snprintf(frame->stats, sizeof frame->stats, "substeps=%d", info->substeps);
    for (int i = 0; i < info->stat_count && used + 64 < sizeof frame->stats; i++)
        used += (size_t)snprintf(frame->stats + used, sizeof frame->stats - used, "\n%.40s=%.6g", info->stats[i].name,
                                 info->stats[i].value);
}

/// Options changed since the last step. What the skin refuses is told as the slot's text.
static void set_live(PeltiSession *s, PeltiSlot *slot)
{
    char lines[sizeof slot->live], *rest = NULL;
    PeltError err = {0};
    pthread_mutex_lock(&s->lock);
    memcpy(lines, slot->live, sizeof lines);
    slot->live[0] = 0;
    pthread_mutex_unlock(&s->lock);
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, '=');
        *value++ = 0;
        pelt_skin_set(slot->skin, line, value, &err);
    }
    if (err.status != PELT_OK) {
        pthread_mutex_lock(&s->lock);
        snprintf(slot->text, sizeof slot->text, "%s", err.text);
        pthread_mutex_unlock(&s->lock);
    }
}

static void step_slot(Solver *solver, PeltiSlot *slot, PeltStepInfo *info)
{
    set_live(solver->session, slot);
    if (solver->wish.want.restart)
        pelt_skin_restart(slot->skin);
    if (slot->index == 0 && pelti_play_ready(&solver->play, slot->skin, &solver->wish))
        pelti_play_step(&solver->play, solver->pose, &solver->wish, info);
    else
        pelt_skin_step(slot->skin, solver->pose, solver->wish.want.dt_s, info);
}

/// With the lock held: what was made becomes what the page gets.
static void publish(Solver *solver, const PeltStepInfo *infos, const bool *stepped)
{
    PeltiSession *s = solver->session;
    const PeltiCast *cast = solver->cast;
    PeltCharacterInfo who = pelt_character_info(cast->who);
    size_t wanted = (size_t)who.node_count * 10;
    for (int i = 0; i < PELTI_SLOTS; i++) {
        PeltiSlot *slot = &s->slots[i];
        if (!stepped[i] || !lay_out(&slot->frame, pelt_skin_positions(slot->skin), who.point_count))
            continue;
        slot->frame.epoch = cast->epoch;
        slot->frame.number = solver->wish.want.number;
        slot->frame.serial = slot->skin_serial;
        slot->frame.step_ms = (float)infos[i].ms;
        note_stats(&slot->frame, &infos[i]);
    }
    if (wanted > s->transform_capacity) {
        free(s->transforms);
        s->transforms = malloc(wanted * sizeof *s->transforms);
        s->transform_capacity = s->transforms ? wanted : 0;
    }
    s->transform_count = wanted <= s->transform_capacity ? wanted : 0;
    for (int n = 0; n < who.node_count && s->transform_count; n++) {
        PeltTransform t = pelt_pose_get(solver->pose, n);
        memcpy(s->transforms + (size_t)n * 10, &t, sizeof t);
    }
    PeltiStudioInside last = s->inside; // its room serves the next frame
    s->inside = solver->inside;
    solver->inside = last;
    pelti_play_show(&solver->play, &s->shown);
    s->shown.epoch = cast->epoch;
    s->shown.number = solver->wish.want.number;
    s->solved = solver->wish.want.number;
    pthread_cond_broadcast(&s->done);
}

/// As long as a slow method would take.
static void dawdle(double ms)
{
    struct timespec rest = {(time_t)(ms / 1000), (long)(fmod(ms, 1000) * 1e6)};
    if (ms > 0)
        nanosleep(&rest, NULL);
}

/// One wish. The lock is held on entry and on return, and not while the skins are stepped.
static void solve(Solver *solver)
{
    PeltiSession *s = solver->session;
    PeltStepInfo infos[PELTI_SLOTS] = {0};
    bool stepped[PELTI_SLOTS] = {0};
    pthread_mutex_unlock(&s->lock);
    double start = pelti_clock_ms();
    make_pose(solver);
    for (int i = 0; i < PELTI_SLOTS; i++) {
        stepped[i] = s->slots[i].skin != NULL;
        if (stepped[i])
            step_slot(solver, &s->slots[i], &infos[i]);
    }
    solver->inside.wanted = stepped[0] && (solver->wish.want.inside || solver->wish.want.section);
    if (solver->inside.wanted)
        pelti_studio_inside(&solver->inside, s->slots[0].skin, &solver->wish.want);
    dawdle(s->def.slow_ms - (pelti_clock_ms() - start));
    pthread_mutex_lock(&s->lock);
    if (s->cast == solver->cast)
        publish(solver, infos, stepped);
}

void *pelti_session_solve(void *session)
{
    Solver solver = {.session = session};
    pelti_array_init(&solver.inside.lines, NULL, sizeof(float));
    PeltiSession *s = session;
    pthread_mutex_lock(&s->lock);
    while (!s->quit) {
        if (s->cast)
            renew_pose(&solver);
        renew(&solver);
        if (solver.pose && take_wish(&solver))
            solve(&solver);
        else
            pthread_cond_wait(&s->asked, &s->lock);
    }
    pelti_play_end(&solver.play);
    pelti_array_release(&solver.inside.lines);
    pelt_pose_destroy(solver.pose);
    pelti_session_drop(s, solver.cast);
    pthread_mutex_unlock(&s->lock);
    free(solver.wish.nodes);
    free(solver.wish.transforms);
    return NULL;
}
