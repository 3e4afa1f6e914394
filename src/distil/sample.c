/// `pelt sample`: the samples alone, for those who train deformers of their own.
#include "bake/json_put.h"
#include "core/file.h"
#include "distil/run.h"
#include "io/output.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_ROOM = 4096, NPY_HEADER = 128 };

/// "<output><tail>"
static PeltStatus path_beside(const char *output, const char *tail, char path[PATH_ROOM], PeltError *err)
{
    int length = snprintf(path, PATH_ROOM, "%s%s", output, tail);
    return length > 0 && length < PATH_ROOM ? PELT_OK : PELT_FAIL(err, PELT_IO, "%s: the file name is too long", output);
}

/// Poses as numpy reads them: float32 [pose][node][10], the local translation, rotation (x, y, z, w) and scale of each node.
static PeltStatus begin_poses(const PeltiDistilRun *run, PeltiFile *file, const char *path, PeltError *err)
{
    char header[NPY_HEADER];
    memset(header, ' ', sizeof header);
    memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10); // NOLINT(bugprone-not-null-terminated-result): bytes, no text
    int used = snprintf(header + 10, sizeof header - 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d, 10), }",
                        run->samples.count, run->character->who->node_count);
    header[10 + used] = ' ';
    header[NPY_HEADER - 1] = '\n';
    PELT_TRY(pelti_file_begin(file, path, err));
    return pelti_file_write(file, header, sizeof header, err);
}

static PeltStatus write_pose(const PeltiDistilRun *run, PeltiFile *file, const PeltiPose *pose, PeltError *err)
{
    for (int n = 0; n < run->character->who->node_count; n++) {
        const Trs *t = &pose->local[n];
        const float ten[10] = {t->translation.x, t->translation.y, t->translation.z, t->rotation.x, t->rotation.y,
                               t->rotation.z,    t->rotation.w,    t->scale.x,       t->scale.y,    t->scale.z};
        PELT_TRY(pelti_file_write(file, ten, sizeof ten, err));
    }
    return PELT_OK;
}

/// What the numbers are: nodes by name, and of which kind each pose is.
static PeltStatus write_story(const PeltiDistilRun *run, const char *path, PeltError *err)
{
    const PeltiCharacter *who = run->character->who;
    bool ok = true;
    PeltiJson *root = pelti_json_new_object(), *nodes = pelti_json_new_array(), *kinds = pelti_json_new_array();
    for (int n = 0; n < who->node_count; n++) {
        PeltiJson *node = pelti_json_new_object();
        pelti_put_text(node, "name", who->nodes[n].name, &ok);
        pelti_put_int(node, "parent", who->nodes[n].parent, &ok);
        ok = pelti_json_push(nodes, node) && ok;
    }
    for (int i = 0; i < 10; i++)
        ok = pelti_json_push(kinds, pelti_json_new_text(pelti_distil_pose_kinds[pelti_distil_pose_kind(i)])) && ok;
    pelti_put_text(root, "method", run->def->skin.method, &ok);
    pelti_put_int(root, "seed", run->def->seed, &ok);
    pelti_put_int(root, "poses", run->samples.count, &ok);
    pelti_put_text(root, "pose", "translation x y z, rotation x y z w, scale x y z: local, of each node", &ok);
    pelti_put(root, "kinds_in_turn", kinds, &ok);
    pelti_put(root, "nodes", nodes, &ok);
    return pelti_json_save(root, ok, &run->def->skin.allocator, path, err);
}

static PeltStatus write_all(PeltiDistilRun *run, PeltiOutput *output, PeltiFile *poses, PeltError *err)
{
    PeltiProgressSink progress = {run->def->skin.progress, run->def->skin.progress_user};
    PeltiDistilSample sample;
    for (int i = 0; i < run->samples.count; i++) {
        PELT_TRY(pelti_progress(&progress, "write", (double)i / run->samples.count, err));
        PELT_TRY(pelti_distil_sample(&run->samples, i, &sample, err));
        PELT_TRY(pelti_output_frame(output, sample.points, NULL, NULL, err));
        PELT_TRY(write_pose(run, poses, sample.pose, err));
    }
    PELT_TRY(pelti_file_complete(poses, err));
    PELT_TRY(pelti_output_commit(output, &progress, NULL, err));
    return pelti_file_commit(poses, err);
}

static PeltStatus write_files(PeltiDistilRun *run, PeltError *err)
{
    const PeltDistilDef *def = run->def;
    char path[PATH_ROOM];
    PeltiFile poses = {0};
    PeltiOutput *output = NULL;
    PeltiOutputDef files = {.who = run->character->who,
                            .document = run->character->document,
                            .frames = {run->character->who->point_count, run->samples.count, 0, 30},
                            .clip = -1,
                            .jobs = run->jobs,
                            .log = &run->log,
                            .allocator = &run->pool.allocator};
    PELT_TRY(path_beside(def->output, ".poses.json", path, err));
    PELT_TRY(write_story(run, path, err));
    PELT_TRY(path_beside(def->output, ".poses.npy", path, err));
    PELT_TRY(pelti_output_open(&files, &def->output, 1, &output, err));
    PeltStatus status = begin_poses(run, &poses, path, err);
    if (status == PELT_OK)
        status = write_all(run, output, &poses, err);
    pelti_file_abort(&poses);
    pelti_output_destroy(output);
    return status;
}

static bool is_cache(const char *path)
{
    static const char *const ends[] = {".npz", ".pc2", ".mdd"};
    size_t length = path ? strlen(path) : 0;
    for (int i = 0; i < 3; i++)
        if (length > 4 && !strcmp(path + length - 4, ends[i]))
            return true;
    return false;
}

static PeltStatus sample(PeltiDistilRun *run, PeltDistilResult *result, PeltError *err)
{
    const PeltDistilDef *def = run->def;
    char keep[PATH_ROOM];
    if (!is_cache(def->output))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "samples go to .npz, .pc2 or .mdd, not to '%s'", def->output ? def->output : "");
    PELT_TRY(path_beside(def->output, ".samples", keep, err));
    PELT_TRY(pelti_distil_open(run, 0, def->samples_path ? def->samples_path : keep, err));
    PELT_TRY(write_files(run, err));
    if (!def->samples_path)
        unlink(keep);
    if (result)
        *result = (PeltDistilResult){.joints = run->character->who->bone_count,
                                     .size = (double)run->character->who->mesh->diagonal,
                                     .sample_s = run->samples.seconds,
                                     .samples_found = run->samples.found};
    return PELT_OK;
}

PeltStatus pelt_distil_sample(const PeltDistilDef *def, const PeltCharacter *who, PeltDistilResult *result, PeltError *err)
{
    return pelti_distil_run(def, who, sample, result, err);
}
