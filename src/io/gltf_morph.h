/// Frames as morph targets: x_f = x_0 + sum_k w_fk t_k, either one target a frame or a few principal ones, with the
/// normals' targets beside. One spool holds the frames and then, in their place, what the file gets: memory does not grow with
/// points x frames, nor the disk by a second copy.
#ifndef PELTI_IO_GLTF_MORPH_H
#define PELTI_IO_GLTF_MORPH_H

#include "io/output.h"

typedef struct PeltiMorphPart { ///< points that become one primitive
    int first_point, point_count;
    bool has_normals;
    uint64_t offset; ///< bytes into the spool, where arrays of Vec3 follow each other: positions of frame 0 (, its normals),
                     ///< then for each other frame, later target, positions (, normals); `pelti_morph_place` fills it in
    uint64_t at;     ///< bytes into the result's buffer, once it is there
} PeltiMorphPart;

typedef struct PeltiMorphBounds {
    Vec3 low, high;
} PeltiMorphBounds;

typedef struct PeltiMorphDef {
    const PeltiSpool *spool;
    int frame_count;
    PeltiMorphPart *parts; ///< no two share a point
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
    float largest_error;       ///< distance
    float normal_error_degree; ///< mean over points and (some) frames
} PeltiMorph;

void pelti_morph_place(const PeltiMorphDef *def); ///< gives every part its room in the spool
/// Spools a frame, frame 0 first; with one target a frame the others are targets at once. Normals NULL: no part has any.
PeltStatus pelti_morph_frame(const PeltiMorphDef *def, int frame, const Vec3 *points, const Vec3 *normals, PeltError *err);
/// Turns the spooled frames into targets, in place; the result is in `pool`. Deterministic for any number of threads.
PeltStatus pelti_morph_make(const PeltiMorphDef *def, PeltiPool *pool, const PeltiProgressSink *progress, PeltiMorph *out,
                            PeltError *err);
/// Byte offset in the spool of an array of a part: `target` -1 is frame 0 itself.
uint64_t pelti_morph_offset(const PeltiMorphPart *part, int target, bool normals);

#endif
