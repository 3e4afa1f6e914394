/// Frames as morph targets: x_f = x_0 + sum_k w_fk t_k, either one target a frame or a few principal ones, with the
/// normals' targets beside. Works on blocks of points straight from a spool, so memory does not grow with points x frames.
#ifndef PELTI_IO_GLTF_MORPH_H
#define PELTI_IO_GLTF_MORPH_H

#include "io/output.h"

typedef struct PeltiMorphPart { ///< points that become one primitive
    int first_point, point_count;
    bool has_normals;
    uint64_t offset; ///< result: bytes into the data, where arrays of Vec3 follow each other: positions of frame 0 (, its
                     ///< normals), then for each target offsets of positions (, of normals)
} PeltiMorphPart;

typedef struct PeltiMorphBounds {
    Vec3 low, high;
} PeltiMorphBounds;

typedef struct PeltiMorphDef {
    const PeltiSpool *frames; ///< frame f: positions [point_count], then normals [point_count] if has_normals
    int point_count, frame_count;
    bool has_normals;
    PeltiMorphPart *parts; ///< offsets are filled in
    int part_count;
    PeltiMorphMode mode;
    float tolerance; ///< largest distance, units of the points
    int most;        ///< principal targets
    PeltiJobs *jobs;
} PeltiMorphDef;

typedef struct PeltiMorph {
    int target_count;
    float *weights;            ///< [frame_count x target_count], in [-1, 1]; frame 0 has zeros
    PeltiMorphBounds *bounds;  ///< [part_count x (1 + target_count)] of the position arrays
    uint64_t bytes;            ///< of data
    float largest_error;       ///< distance
    float normal_error_degree; ///< mean over points and (some) frames
} PeltiMorph;

/// Writes `data`; the result is in `pool`. Deterministic for any number of threads.
PeltStatus pelti_morph_make(const PeltiMorphDef *def, const PeltiSpool *data, PeltiPool *pool, const PeltiProgress *progress,
                            PeltiMorph *out, PeltError *err);
/// Byte offset of an array of a part: `target` -1 is frame 0 itself.
uint64_t pelti_morph_offset(const PeltiMorphPart *part, int target, bool normals);

#endif
