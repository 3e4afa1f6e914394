/// Inside the renderer: the buffer rays are gathered in, and the passes over it.
#ifndef PELTI_RENDER_TRACE_H
#define PELTI_RENDER_TRACE_H

#include "render/body.h"

/// Sums over a pixel's samples. Light is kept apart from how much of it arrives, so that the noisy part (two numbers) can be
/// smoothed without touching edges or colours; figure and floor are kept apart, so that their border stays clean.
typedef struct PeltiTracePixel {     // 108 bytes
    Vec3 direct;                     ///< from the lamp if nothing is in between
    Vec3 ambient;                    ///< from all around if nothing is near
    Vec3 exact;                      ///< what arrives of both, sample by sample: noisy, but true where surfaces meet in one pixel
    Vec3 glow;                       ///< background, slices, see-through skins
    float alpha;                     ///< samples that show something
    float visible, open;             ///< what arrives at the figure: of the lamp, of all around
    float weight;                    ///< samples that show the figure
    Vec3 position, normal;           ///< of the same samples
    float pixel;                     ///< world size of a pixel there
    float agree;                     ///< 1: all samples' normals are the same; less where surfaces meet (set by smoothing)
    float floor;                     ///< samples that show floor, faded with distance
    bool floor_alone;                ///< the sums above are of the floor: there is nothing else (set by smoothing)
    float floor_count;               ///< ... not faded
    float floor_visible, floor_open; ///< what arrives at the floor
} PeltiTracePixel;

typedef struct PeltiSliceTexture {
    int width, height;
    float *value, *contact; ///< contact NULL: none
} PeltiSliceTexture;

typedef struct PeltiTrace {
    const PeltiRenderScene *scene;
    const PeltiLook *look;
    PeltiRenderBody solid, veil;
    PeltiSliceTexture slice;
    Vec3 maps[5][257];  ///< sampled colour maps (categories are not)
    Vec3 lamp;          ///< unit, towards it
    Vec3 background[2]; ///< bottom, top; linear
    int tiles_x, tiles_y;
    PeltiTracePixel *pixels;
    char *scratch; ///< per worker
    size_t scratch_bytes;
} PeltiTrace;

enum { PELTI_TILE = 16 };
#define PELTI_FLOOR_LAMP 0.38f ///< share of the floor's light that the lamp gives

size_t pelti_trace_scratch(void);                                    ///< bytes a worker
void pelti_trace_tiles(void *trace, int begin, int end, int worker); ///< a PeltiJob over tiles

/// Fills the slice's texture (a PeltiJob over its rows).
void pelti_slice_rows(void *trace, int begin, int end, int worker);
/// Nearest point of the slice along a ray; false: not met. `cut`: where the ray leaves the part that is cut away.
bool pelti_slice_hit(const PeltiTrace *trace, Vec3 origin, Vec3 direction, float *distance, float *cut);
Vec3 pelti_slice_colour(const PeltiTrace *trace, Vec3 x, float pixel);

/// Where a ray meets the floor, and how much the floor has faded there; false: not met, or faded away.
bool pelti_render_floor_hit(const PeltiTrace *trace, const PeltiBoxRay *ray, Vec3 *position, float *fade);
Vec3 pelti_render_backdrop(const PeltiTrace *trace, int y);

/// Turns sums into means and smooths what arrives, in place (a pixel of floor alone counts as a surface like any other): a few
/// sparse 5x5 passes with growing steps, guided by position and normal.
PeltStatus pelti_trace_smooth(PeltiTrace *trace, PeltiJobs *jobs, int passes, PeltError *err);

#endif
