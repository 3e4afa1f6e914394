/// A Poisson-disk subset of a part's vertices.
#include "field/sample.h"

int pelti_sample_disk(const PeltiSampleDisk *disk, float *distance, int *picked)
{
    int count = 0, last = -1;
    const int *candidates = disk->candidates;
    const Vec3 *points = disk->points;
    for (int c = 0; c < disk->candidate_count; c++)
        distance[c] = INFINITY;
    while (count < disk->wanted) {
        int best = -1;
        for (int c = 0; c < disk->candidate_count; c++) {
            float d = vec3_distance(points[candidates[c]], last < 0 ? disk->start : points[last]);
            if (last < 0) { // the first pick only: distances to the start do not count later
                if (best < 0 || d > vec3_distance(points[candidates[best]], disk->start))
                    best = c;
                continue;
            }
            if (d < distance[c])
                distance[c] = d;
            if (best < 0 || distance[c] > distance[best])
                best = c;
        }
        if (best < 0 || (last >= 0 && !(distance[best] > disk->least)))
            break;
        last = picked[count++] = candidates[best];
    }
    return count;
}
