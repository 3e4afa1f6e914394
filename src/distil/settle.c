/// The skin in a pose: walked to, held until it rests, taken back where it is caught.
#include "distil/settle.h"
#include "distil/poses.h"

#include <string.h>

#include "distil/constants.def"

static const float STEP_S = 1 / 30.0f;

void pelti_distil_settle_init(PeltiDistilSettle *s, PeltSkin *skin, PeltiPool *pool)
{
    const PeltiCharacter *who = skin->character->who;
    *s = (PeltiDistilSettle){.skin = skin,
                             .pose = pelti_pose_new(pool, who),
                             .points = PELTI_NEW(pool, Vec3, who->point_count),
                             .start = pelti_pose_new(pool, who),
                             .station = pelti_pose_new(pool, who)};
}

static double stat(const PeltiStepReport *report, const char *name)
{
    for (int i = 0; i < report->told.stat_count; i++)
        if (!strcmp(report->told.stats[i].name, name))
            return report->told.stats[i].value;
    return 0;
}

/// Contacts jam, or skin hangs on other skin: what is shown is not the skin of this pose.
static bool is_caught(const PeltiStepReport *report)
{
    return stat(report, "touch_spent") + stat(report, "touch_frozen") > 0 || stat(report, "touch_lag") > CAUGHT;
}

static void keep(PeltiDistilSettle *s, const PeltiPose *shown)
{
    const PeltiCharacter *who = s->skin->character->who;
    if (shown != &s->pose)
        pelti_pose_copy(who, shown, &s->pose);
    memcpy(s->points, s->skin->shown.points, (size_t)who->point_count * sizeof *s->points);
}

/// Steps from the file's pose until the skin is caught; what it was before is kept. Returns whether it got there.
static bool walk(PeltiDistilSettle *s, const PeltiPose *pose, int steps, PeltiStepReport *report)
{
    const PeltiCharacter *who = s->skin->character->who;
    double ms;
    s->skin->clock.restart = true;
    pelti_pose_file(who, &s->start);
    for (int i = 1; i <= steps; i++) {
        *report = (PeltiStepReport){0};
        pelti_pose_blend(who, &s->start, pose, (float)i / (float)steps, &s->station);
        const PeltiPose *shown = pelti_skin_give_way(s->skin, &s->station, STEP_S, report);
        pelti_skin_step_posed(s->skin, shown, STEP_S, report, &ms);
        s->steps++;
        if (i > 1 && is_caught(report))
            return false;
        keep(s, shown);
    }
    return !is_caught(report);
}

/// What only remembers is there at once but where contacts hold it back: it stays as long as they let it come nearer. Held on,
/// skin that is in contact creeps, away from its bones as well.
static void come_nearer(PeltiDistilSettle *s, double lag)
{
    double ms;
    for (int step = 0; step < HELD_STEPS && lag > 0; step++) {
        PeltiStepReport report = {0};
        pelti_skin_step_posed(s->skin, &s->pose, STEP_S, &report, &ms);
        s->steps++;
        double now = stat(&report, "touch_lag");
        if (!(now < HELD_NEARER * lag) || is_caught(&report))
            return;
        lag = now;
        keep(s, &s->pose);
    }
}

/// Until what moves has come to rest; returns whether it is not caught then.
static bool come_to_rest(PeltiDistilSettle *s)
{
    const PeltiCharacter *who = s->skin->character->who;
    float still = HELD_STILL * who->mesh->diagonal, most = INFINITY;
    PeltiStepReport report = {0};
    double ms;
    for (int step = 0; step < HELD_STEPS && most > still; step++) {
        report = (PeltiStepReport){0};
        pelti_skin_step_posed(s->skin, &s->pose, STEP_S, &report, &ms);
        s->steps++;
        most = 0;
        for (int p = 0; p < who->point_count; p++)
            most = fmaxf(most, vec3_distance(s->points[p], s->skin->shown.points[p]));
        keep(s, &s->pose);
    }
    return !is_caught(&report);
}

static int count_steps(const PeltiCharacter *who, const PeltiPose *pose)
{
    float most = 0;
    for (int n = 0; n < who->node_count; n++)
        if (pose->touched[n])
            most = fmaxf(most, vec3_length(pelti_distil_away(who, pose, n)));
    return (int)ceilf(fmaxf(most / WALK_TURN, 1));
}

void pelti_distil_settle(PeltiDistilSettle *s, const PeltiPose *pose)
{
    unsigned flags = s->skin->method->flags;
    PeltiStepReport report;
    bool remembers = flags & PELTI_METHOD_KEEPS_STATE || s->skin->mends.touch || s->skin->mends.body_touch;
    int steps = count_steps(s->skin->character->who, pose);
    if (!(flags & PELTI_METHOD_DYNAMIC)) {
        bool there = walk(s, pose, remembers ? steps : 1, &report);
        if (there)
            come_nearer(s, stat(&report, "touch_lag"));
        s->short_of += !there;
        return;
    }
    walk(s, pose, 1, &report); // no motion on the way: nothing swings
    if (come_to_rest(s))
        return;
    s->short_of++;
    walk(s, pose, steps, &report);
    walk(s, &s->pose, 1, &report);
    come_to_rest(s);
}
