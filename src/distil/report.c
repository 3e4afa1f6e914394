/// The report: what was asked for, what was made, and the errors by pose set, clip and joint.
#include "bake/json_put.h"
#include "core/file.h"
#include "distil/run.h"

#include <stdio.h>

/// In the file's units, and as a share of the size.
static void put_length(PeltiJson *to, const char *key, double value, double size, bool *ok)
{
    char share[64];
    snprintf(share, sizeof share, "%.50s_share", key);
    pelti_put_number(to, key, value, ok);
    pelti_put_number(to, share, value / size, ok);
}

static void put_skin(PeltiJson *to, const char *key, const double length[3], const double other[2], double size, bool *ok)
{
    PeltiJson *skin = pelti_json_new_object();
    put_length(skin, "rms", length[0], size, ok);
    put_length(skin, "p99", length[1], size, ok);
    put_length(skin, "largest", length[2], size, ok);
    pelti_put_number(skin, "crossing_pairs", other[0], ok);
    pelti_put_number(skin, "volume_change", other[1], ok);
    pelti_put(to, key, skin, ok);
}

static double root(double square, uint64_t points, int poses)
{
    return sqrt(square / fmax((double)points * poses, 1));
}

static PeltiJson *joints_of(const PeltiDistilTried *tried, bool *ok)
{
    const PeltiDistilErrors *errors = &tried->errors;
    PeltiJson *list = pelti_json_new_array();
    for (int b = 0; b < errors->who->bone_count; b++) {
        PeltiJson *joint = NULL;
        if (errors->joint_points[b] == 0)
            continue;
        joint = pelti_json_new_object();
        pelti_put_text(joint, "joint", errors->who->nodes[errors->who->bones[b].node].name, ok);
        pelti_put_int(joint, "points", (int64_t)errors->joint_points[b], ok);
        pelti_put_number(joint, "rms", root(errors->distilled.joint_square[b], errors->joint_points[b], errors->poses), ok);
        pelti_put_number(joint, "largest", (double)errors->distilled.joint_most[b], ok);
        pelti_put_number(joint, "original_rms", root(errors->original.joint_square[b], errors->joint_points[b], errors->poses),
                         ok);
        pelti_put_number(joint, "original_largest", (double)errors->original.joint_most[b], ok);
        *ok = pelti_json_push(list, joint) && *ok;
    }
    return list;
}

static PeltiJson *tried_of(const PeltiDistilTried *tried, double size, bool *ok)
{
    const PeltDistilError *e = &tried->error;
    const double ours[3] = {e->rms, e->p99, e->largest}, theirs[3] = {e->original_rms, e->original_p99, e->original_largest};
    const double our_other[2] = {e->pairs, e->volume}, their_other[2] = {e->original_pairs, e->original_volume};
    PeltiJson *to = pelti_json_new_object(), *method = pelti_json_new_object(), *worst = pelti_json_new_object();
    pelti_put_text(to, "poses", tried->name, ok);
    pelti_put_int(to, "count", e->poses, ok);
    pelti_put(to, "clip", pelti_json_new_bool(tried->is_clip), ok);
    pelti_put(to, "seen", pelti_json_new_bool(tried->is_clip ? !tried->unseen : tried->name[0] == 'l'), ok);
    put_skin(to, "distilled", ours, our_other, size, ok);
    put_skin(to, "original", theirs, their_other, size, ok);
    pelti_put_number(method, "crossing_pairs", e->method_pairs, ok);
    pelti_put_number(method, "volume_change", e->method_volume, ok);
    pelti_put(to, "method", method, ok);
    pelti_put_int(to, "measured", tried->measured, ok);
    pelti_put_int(to, "worse_than_original", e->worse, ok);
    pelti_put_int(worst, "pose", tried->errors.distilled.worst_pose, ok);
    pelti_put_int(worst, "point", tried->errors.distilled.worst_point, ok);
    pelti_put(to, "worst", worst, ok);
    pelti_put(to, "joints", joints_of(tried, ok), ok);
    return to;
}

static void fill(PeltiJson *root_object, const PeltiDistilRun *run, bool *ok)
{
    const PeltiDistilSkin *d = &run->distilled;
    double size = fmax((double)run->character->who->mesh->diagonal, 1e-30);
    PeltiJson *list = pelti_json_new_array();
    pelti_put_text(root_object, "pelt", pelt_version(), ok);
    pelti_put_text(root_object, "method", run->def->skin.method, ok);
    pelti_put_int(root_object, "seed", run->def->seed, ok);
    pelti_put_int(root_object, "poses", run->samples.count, ok);
    pelti_put_number(root_object, "size", size, ok);
    pelti_put_int(root_object, "points", run->character->who->point_count, ok);
    pelti_put_int(root_object, "joints", run->character->who->bone_count, ok);
    pelti_put_int(root_object, "weights", d->weights.influences, ok);
    pelti_put_int(root_object, "helpers", d->helper_count, ok);
    pelti_put_int(root_object, "correctives", d->corrective_count, ok);
    pelti_put_int(root_object, "bytes", (int64_t)run->bytes, ok);
    pelti_put_number(root_object, "sample_s", run->samples.seconds, ok);
    pelti_put_number(root_object, "fit_s", run->fit_s, ok);
    for (int i = 0; i < run->tried_count; i++)
        *ok = pelti_json_push(list, tried_of(&run->tried[i], size, ok)) && *ok;
    pelti_put(root_object, "errors", list, ok);
}

PeltStatus pelti_distil_report(const PeltiDistilRun *run, PeltError *err)
{
    bool ok = true;
    PeltiJson *document = pelti_json_new_object();
    fill(document, run, &ok);
    return pelti_json_save(document, ok, &run->def->skin.allocator, run->def->report_path, err);
}
