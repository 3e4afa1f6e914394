/// What a method makes of many poses, on disk: a record of points each, made once and read as often as a fit asks, so that
/// memory does not grow with the number of poses. Kept in a named file the work is gone on with where it was left.
#ifndef PELTI_DISTIL_SAMPLES_H
#define PELTI_DISTIL_SAMPLES_H

#include "bake/objects.h"
#include "distil/far.h"
#include "distil/poses.h"
#include "distil/settle.h"
#include "io/spool.h"

enum { PELTI_DISTIL_SAMPLES_PATH = 4096 };

typedef struct PeltiDistilSamplesDef {
    const PeltCharacter *character;
    const PeltSkinDef *skin; ///< method, settings, threads, progress
    const PeltiDistilPoses *poses;
    int count, held_out;     ///< poses to learn from, poses that no fit sees
    int part, parts;         ///< parts > 0: only this part, into a file of its own; part -1: takes in what parts there are
    const char *keep_path;   ///< named file to go on with; NULL: nameless, beside `beside_path`
    const char *beside_path; ///< where there is room
} PeltiDistilSamplesDef;

/// One pose and what the method made of it. Arrays belong to the samples and are good until the next read.
typedef struct PeltiDistilSample {
    const PeltiPose *pose;
    const Mat34 *bones;       ///< [bone_count]
    const PeltiJoint *joints; ///< [bone_count]
    const Vec3 *points;       ///< [point_count] world
    const Vec3 *vertices;     ///< [vertex_count]
} PeltiDistilSample;

typedef struct PeltiDistilSamples {
    const PeltiCharacter *who;
    const PeltiDistilPoses *poses;
    PeltSkin *skin;
    int count, held_out;
    uint64_t key;        ///< of all that a record depends on
    int first, end;      ///< record that the file begins with, and the one behind its last
    int made;            ///< records there are, up to this one
    PeltiDistilFar *far; ///< while they are made
    PeltiDistilSettle settle;
    int found;      ///< of them, from an earlier run
    int taken;      ///< of them, from parts
    double seconds; ///< of sampling, this run
    PeltiSpool spool;
    PeltiPose pose, start, station; ///< at hand; the file's; on the way
    PeltiNodeMatrix *node_matrix;
    Mat34 *bones;
    PeltiJoint *joints;
    Vec3 *points, *vertices; ///< the file holds points
} PeltiDistilSamples;

/// Makes all there are to be, or goes on. The skin is prepared only where something is missing, or is asked for by
/// pelti_distil_samples_skin. In `pool`; ends with pelti_distil_samples_close.
PeltStatus pelti_distil_samples(const PeltiDistilSamplesDef *def, PeltiPool *pool, PeltiDistilSamples *out, PeltError *err);
void pelti_distil_samples_close(PeltiDistilSamples *samples); ///< zeroed is fine

PeltStatus pelti_distil_sample(PeltiDistilSamples *samples, int index, PeltiDistilSample *out, PeltError *err); ///< to learn from
PeltStatus pelti_distil_sample_held_out(PeltiDistilSamples *samples, int index, PeltiDistilSample *out, PeltError *err);

/// Goes on with `hash` over all that a rig says, which was checked.
uint64_t pelti_distil_rig_key(uint64_t hash, const PeltRig *rig);

PeltStatus pelti_distil_samples_skin(PeltiDistilSamples *samples, const PeltiDistilSamplesDef *def, PeltError *err);

#endif
