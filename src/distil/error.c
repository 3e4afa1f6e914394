/// Sums how far a distilled skin and the original one lie from the method's, pose by pose.
#include "distil/error.h"

static PeltStatus make_sum(PeltiDistilErrorSum *sum, const PeltiCharacter *who, PeltiPool *pool, PeltError *err)
{
    *sum = (PeltiDistilErrorSum){.joint_square = PELTI_NEW(pool, double, who->bone_count),
                                 .joint_most = PELTI_NEW(pool, float, who->bone_count),
                                 .bins = PELTI_NEW(pool, uint64_t, PELTI_DISTIL_ERROR_BINS)};
    return pool->failed ? pelti_no_memory(err, PELTI_DISTIL_ERROR_BINS * sizeof *sum->bins) : PELT_OK;
}

PeltStatus pelti_distil_errors(PeltiDistilErrors *errors, const PeltiCharacter *who, const PeltiWeights *points_weights,
                               PeltiPool *pool, PeltError *err)
{
    int *main_bone = PELTI_NEW(pool, int, who->point_count);
    *errors = (PeltiDistilErrors){.who = who, .main_bone = main_bone, .joint_points = PELTI_NEW(pool, uint64_t, who->bone_count)};
    if (pool->failed)
        return pelti_no_memory(err, (size_t)who->point_count * sizeof *main_bone);
    for (int p = 0; p < who->point_count; p++) {
        main_bone[p] = points_weights->bone[(size_t)p * (size_t)points_weights->influences];
        errors->joint_points[main_bone[p]]++;
    }
    PELT_TRY(make_sum(&errors->distilled, who, pool, err));
    return make_sum(&errors->original, who, pool, err);
}

/// The pose's sum of squares.
static double add(const PeltiDistilErrors *errors, PeltiDistilErrorSum *sum, const Vec3 *truth, const Vec3 *skin)
{
    float per_bin = 1e-5f * errors->who->mesh->diagonal;
    double square = 0;
    for (int p = 0; p < errors->who->point_count; p++) {
        float d = vec3_distance(truth[p], skin[p]);
        int bone = errors->main_bone[p], bin = (int)fminf(d / per_bin, PELTI_DISTIL_ERROR_BINS - 1);
        sum->bins[bin]++;
        sum->joint_square[bone] += (double)d * (double)d;
        sum->joint_most[bone] = fmaxf(sum->joint_most[bone], d);
        square += (double)d * (double)d;
        if (d > sum->largest) {
            sum->largest = d;
            sum->worst_pose = errors->poses;
            sum->worst_point = p;
        }
    }
    sum->square += square;
    return square;
}

void pelti_distil_errors_add(PeltiDistilErrors *errors, const Vec3 *truth, const Vec3 *distilled, const Vec3 *original)
{
    double rounding = 1e-6 * (double)errors->who->mesh->diagonal; // of positions
    double ours = add(errors, &errors->distilled, truth, distilled), theirs = add(errors, &errors->original, truth, original);
    int points = errors->who->point_count > 0 ? errors->who->point_count : 1;
    errors->worse += sqrt(ours / points) > sqrt(theirs / points) + rounding;
    errors->poses++;
}

/// The distance that a hundredth of all are beyond: the upper end of its bin.
static double p99_of(const PeltiDistilErrors *errors, const PeltiDistilErrorSum *sum)
{
    uint64_t all = (uint64_t)errors->poses * (uint64_t)errors->who->point_count, below = 0;
    int bin = 0;
    for (; bin < PELTI_DISTIL_ERROR_BINS - 1; bin++) {
        below += sum->bins[bin];
        if (below * 100 >= all * 99)
            break;
    }
    return fmin((bin + 1) * 1e-5 * (double)errors->who->mesh->diagonal, (double)sum->largest);
}

PeltDistilError pelti_distil_errors_tell(const PeltiDistilErrors *errors)
{
    double all = fmax((double)errors->poses * errors->who->point_count, 1);
    return (PeltDistilError){.poses = errors->poses,
                             .rms = sqrt(errors->distilled.square / all),
                             .p99 = p99_of(errors, &errors->distilled),
                             .largest = (double)errors->distilled.largest,
                             .original_rms = sqrt(errors->original.square / all),
                             .original_p99 = p99_of(errors, &errors->original),
                             .original_largest = (double)errors->original.largest,
                             .worse = errors->worse,
                             .pairs = NAN,
                             .original_pairs = NAN,
                             .method_pairs = NAN,
                             .volume = NAN,
                             .original_volume = NAN,
                             .method_volume = NAN};
}
