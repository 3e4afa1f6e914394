/// The better weights joint by joint: the file's, but automatic ones around joints where those clearly win the trial.
#include "body/pieces.h"

#include "body/automatic.h"
#include "body/constants.def"
#include "body/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_SHOWN = 3 };
// Costs per area. Measured on 819 joints of painted characters and 457 of characters painted to the nearest bone alone: the
// former jump nowhere where that doubles an edge and automatic weights cost less, nor cost more than 1.5 and 8 times those.

typedef struct Best {
    const PeltiCharacter *who;
    PeltiPool work;
    PeltiWeights file, made; // per welded vertex
    PeltiTrialMarks *file_marks, *made_marks;
    PeltiPieces pieces;
    float *blend; // [vertex_count] share of automatic weights
    double area;  // of the skin
} Best;

static bool is_abrupt(const PeltiTrialMarks *m)
{
    return m->jump > BEST_ABRUPT * m->area;
}

/// Bad enough by itself to ask what automatic weights would do.
static bool is_suspect(const Best *b, int joint)
{
    const PeltiTrialMarks *m = &b->file_marks[joint];
    if (is_abrupt(m))
        return m->cost > BEST_ABRUPT_COST * m->area && m->longest > BEST_ABRUPT_STRETCH;
    return m->cost > BEST_HIGH_COST * m->area && m->area > BEST_LEAST_AREA * b->area;
}

static bool has_lost(const Best *b, int joint)
{
    double win = is_abrupt(&b->file_marks[joint]) ? BEST_ABRUPT_WIN : BEST_CLEAR_WIN;
    return is_suspect(b, joint) && b->file_marks[joint].cost > win * b->made_marks[joint].cost;
}

static double skin_area(const PeltiMesh *mesh)
{
    double sum = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        Vec3 a = mesh->rest[mesh->triangles[t][0]];
        Vec3 u = vec3_sub(mesh->rest[mesh->triangles[t][1]], a), v = vec3_sub(mesh->rest[mesh->triangles[t][2]], a);
        sum += 0.5 * (double)vec3_length(vec3_cross(u, v));
    }
    return sum;
}

// ---- mixing ----

/// Whether the joints that lost bend most of the skin that bends at all.
static bool mostly_lost(const Best *b, const bool *lost)
{
    double all = 0, bad = 0;
    for (int j = 0; j < b->who->bone_count; j++) {
        all += b->file_marks[j].area;
        bad += lost[j] ? b->file_marks[j].area : 0;
    }
    return bad > BEST_MOSTLY * all;
}

/// Automatic weights where they move a lost joint's skin otherwise than the file's; pieces of one bone keep theirs.
static PeltStatus mark_skin(Best *b, const bool *lost, PeltError *err)
{
    const PeltiMesh *mesh = b->who->mesh;
    bool all = mostly_lost(b, lost);
    PeltiTrialTree tree;
    PELT_TRY(pelti_trial_tree(b->who, &b->work, &tree, err));
    for (int v = 0; v < mesh->vertex_count; v++) {
        if (b->pieces.pieces[mesh->component[v]].kind == PELTI_PIECE_RIGID)
            continue;
        b->blend[v] = all;
        for (int j = 0; j < b->who->bone_count && b->blend[v] < 1; j++)
            if (lost[j] &&
                fabsf(pelti_trial_share(&tree, &b->file, v, j) - pelti_trial_share(&tree, &b->made, v, j)) > BEST_SAME_SHARE)
                b->blend[v] = 1;
    }
    return PELT_OK;
}

/// From 1 on the marked skin to 0 a few rings away.
static PeltStatus soften(Best *b, PeltError *err)
{
    const PeltiMesh *mesh = b->who->mesh;
    float *next = PELTI_NEW(&b->work, float, mesh->vertex_count);
    if (!next)
        return pelti_no_memory(err, (size_t)mesh->vertex_count * sizeof *next);
    for (int round = 0; round < BEST_BLEND_ROUNDS; round++) {
        for (int v = 0; v < mesh->vertex_count; v++) {
            float sum = 0;
            for (int i = mesh->ring_start[v]; i < mesh->ring_start[v + 1]; i++)
                sum += b->blend[mesh->ring[i]];
            int degree = mesh->ring_start[v + 1] - mesh->ring_start[v];
            next[v] = b->blend[v] < 1 && degree ? 0.5f * b->blend[v] + 0.5f * sum / (float)degree : b->blend[v];
        }
        memcpy(b->blend, next, (size_t)mesh->vertex_count * sizeof *next);
    }
    return PELT_OK;
}

static PeltStatus mix(Best *b, PeltiPool *pool, PeltiWeights *out, PeltError *err)
{
    int width = b->file.influences > b->made.influences ? b->file.influences : b->made.influences;
    PeltiWeightRows rows;
    PELT_TRY(pelti_weights_new(b->who, pool, width, &rows, out, err));
    PeltiGather gather = pelti_gather_new(&b->work, b->who);
    if (b->work.failed)
        return pelti_no_memory(err, (size_t)b->who->bone_count * sizeof(double));
    for (int v = 0; v < b->who->mesh->vertex_count; v++) {
        size_t at = (size_t)v * (size_t)width;
        pelti_gather_share(&gather, &b->file, v, 1 - (double)b->blend[v]);
        pelti_gather_share(&gather, &b->made, v, (double)b->blend[v]);
        pelti_gather_take(&gather, width, rows.bone + at, rows.weight + at);
        pelti_weights_normalise(width, rows.bone + at, rows.weight + at);
    }
    return PELT_OK;
}

// ---- words ----

static const char *joint_name(const PeltiCharacter *who, int bone)
{
    return who->nodes[who->bones[bone].node].name;
}

/// The joints that lost for one reason, the worst of them with its numbers.
static void say_lost(const Best *b, const bool *lost, bool abrupt, PeltiLog *log)
{
    char names[96] = "";
    int count = 0, worst = -1;
    for (int j = 0; j < b->who->bone_count; j++) {
        if (!lost[j] || is_abrupt(&b->file_marks[j]) != abrupt)
            continue;
        if (count++ < NAMES_SHOWN) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%.24s", used ? ", " : "", joint_name(b->who, j));
        }
        if (worst < 0 || b->file_marks[j].cost > b->file_marks[worst].cost)
            worst = j;
    }
    if (!count)
        return;
    char more[32] = "";
    if (count > NAMES_SHOWN)
        snprintf(more, sizeof more, " and %d more", count - NAMES_SHOWN);
    const PeltiTrialMarks *mine = &b->file_marks[worst], *other = &b->made_marks[worst];
    pelti_warn(
        log, "weights-trial",
        "the file's weights %s at %d joint%s (%s%s): where %.24s bends, %.0f %% of the skin tears or turns over, with automatic "
        "weights %.0f %%; those are used there",
        abrupt ? "jump from bone to bone" : "tear the skin", count, count > 1 ? "s" : "", names, more, joint_name(b->who, worst),
        100 * mine->broken / mine->area, other->area > 0 ? 100 * other->broken / other->area : 0.0);
}

// ---- all of it ----

static PeltStatus try_file(Best *b, PeltiPool *pool, PeltiJobs *jobs, PeltiLog *log, PeltiTrial *out, PeltError *err)
{
    const PeltiCharacter *who = b->who;
    int suspects = 0;
    b->area = skin_area(who->mesh);
    b->file_marks = PELTI_NEW(&b->work, PeltiTrialMarks, who->bone_count);
    b->made_marks = PELTI_NEW(&b->work, PeltiTrialMarks, who->bone_count);
    b->blend = PELTI_NEW(&b->work, float, who->mesh->vertex_count);
    out->lost = PELTI_NEW(pool, bool, who->bone_count);
    if (b->work.failed || pool->failed)
        return pelti_no_memory(err, (size_t)who->bone_count * sizeof *b->file_marks);
    PELT_TRY(pelti_trial_bend(who, &b->file, jobs, b->file_marks, err));
    for (int j = 0; j < who->bone_count; j++)
        suspects += is_suspect(b, j);
    if (!suspects)
        return PELT_OK;
    PELT_TRY(pelti_body_automatic(who, &b->work, jobs, NULL, &b->made, err));
    PELT_TRY(pelti_trial_bend(who, &b->made, jobs, b->made_marks, err));
    for (int j = 0; j < who->bone_count; j++) {
        out->lost[j] = has_lost(b, j);
        out->lost_count += out->lost[j];
    }
    if (!out->lost_count)
        return PELT_OK;
    PELT_TRY(pelti_pieces_judge(who, &b->file, NULL, &b->work, &b->pieces, err));
    PELT_TRY(mark_skin(b, out->lost, err));
    PELT_TRY(soften(b, err));
    PELT_TRY(mix(b, pool, &out->weights, err));
    out->source = "mixed";
    say_lost(b, out->lost, true, log);
    say_lost(b, out->lost, false, log);
    return PELT_OK;
}

/// Some mesh has more than one bone. Of scenes without a skeleton each mesh has its node's, and there is nothing to find.
static bool have_choice(const PeltiCharacter *who)
{
    for (int i = 0; i < who->instance_count; i++)
        if (who->instances[i].bone_count > 1)
            return true;
    return false;
}

PeltStatus pelti_trial_best(const PeltiCharacter *who, PeltiPool *pool, PeltiJobs *jobs, PeltiLog *log, PeltiTrial *out,
                            PeltError *err)
{
    *out = (PeltiTrial){.source = who->file_weights_sane ? "file" : "auto"};
    if (!have_choice(who))
        return pelti_weights_rigid(who, pool, &out->weights, err);
    if (!who->file_weights_sane) {
        pelti_warn(log, "weights-automatic", "the file's weights are %s: made automatically from the bones",
                   who->file_weights.influences ? "useless (one joint, or most rows unusable)" : "missing");
        return pelti_body_automatic(who, pool, jobs, log, &out->weights, err);
    }
    Best b = {.who = who};
    pelti_pool_init(&b.work, &pool->allocator);
    PELT_TRY(pelti_weights_from_file(who, pool, &b.file, err));
    out->weights = b.file;
    PeltStatus status = try_file(&b, pool, jobs, log, out, err);
    pelti_pool_release(&b.work);
    return status;
}
