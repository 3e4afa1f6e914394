/// Pictures (libpelt-tools): a shaded still or a moving one, of a clip skinned by a method, of a cache, or of positions of your
/// own.
#ifndef PELT_RENDER_H
#define PELT_RENDER_H

#include <pelt/operator.h>
#include <pelt/skin.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeltRenderDef {
    // what is shown
    PeltSkinDef skin;            ///< method, settings, threads, progress
    const char *clip;            ///< name or index; NULL: the first
    double fps;                  ///< 30; frame i is clip time i / fps
    const char *cache_path;      ///< to show in place of a method's work, as PeltMeasureDef has it; NULL: none
    const char *scene_path;      ///< what it touches (--scene): the frames before are played too; NULL: none
    bool rest;                   ///< the rest pose (a still)
    int frame;                   ///< still: which frame of the clip; -1: a still shows the first, .webp shows the clip, moving
    int first_frame, last_frame; ///< moving: inclusive; last -1: to the end
    // how
    int width, height; ///< pixels, 1280 x 960
    int samples;       ///< rays a pixel; 0: 4 for a still, 2 a frame for a moving picture
    const char
        *camera; ///< "front", "back", "left", "right", "top", "three-quarter" or "azimuth,elevation[,zoom[,x,y,z]]", degrees
    bool orthographic;      ///< no perspective
    const char *background; ///< "light", "dark" or "none" (transparent)
    const char *colour;     ///< "clay", "stretch", "weights", "part", "contact" or "distance" (to lbs)
    const char
        *section; ///< cut through the method's field: "x", "y" or "z", with an offset as share of the size ("z=0.1"); NULL: none
    bool wire;    ///< edges of the triangles
    int inside;   ///< 1: bones and what else the method has inside, through a see-through skin; 2: the body it solves on
    bool forces;  ///< arrows, of a method or a scene that has forces
    bool no_ground;    ///< no floor for shadows
    const char *title; ///< NULL: none
    float quality;     ///< of .webp, 0..100
    uint32_t guard;    ///< filled by pelt_render_def_default
} PeltRenderDef;
/// Returns a description of a still of the first frame by the default method, as `pelt render` makes it. Any thread may call it,
/// and it costs nothing.
PELT_API PeltRenderDef pelt_render_def_default(void);

typedef struct PeltRenderResult {
    int frames;
    size_t bytes;     ///< of the file
    double render_ms; ///< drawing alone, all frames
} PeltRenderResult;

/// Draws to `path` (.png, or .webp: a still, or the clip moving; see `frame`). The file appears whole or not at all, and has the
/// same bytes for any number of threads. `result` may be NULL. Any thread may call it; the character is only read. It takes a
/// second or two a still of 1280 x 960, a quarter of that a frame of 640 x 480, and the method's own time for the frames before.
/// It fails with PELT_BAD_ARGUMENT for words, frames or sizes that make no picture, PELT_IO where `path` or the cache cannot be
/// used, PELT_UNSUPPORTED and PELT_BAD_INPUT where the cache is not read or is of another character, PELT_FAILED where
/// def->skin.progress cancels, and else as pelt_skin_create does.
PELT_API PeltStatus pelt_render(const PeltRenderDef *def, const PeltCharacter *who, const char *path, PeltRenderResult *result,
                                PeltError *err);

/// Draws positions of your own [point_count x 3], world space, which are only read; skin, clip, cache and frames of `def` are not
/// looked at. Any thread may call it, and it takes as long as a still of pelt_render. The file appears whole or not at all, and
/// `result` may be NULL. It fails with PELT_BAD_ARGUMENT for words or sizes that make no picture, PELT_IO where `path` cannot be
/// used, and PELT_FAILED where there is no memory.
PELT_API PeltStatus pelt_render_positions(const PeltRenderDef *def, const PeltCharacter *who, const float *positions,
                                          const char *path, PeltRenderResult *result, PeltError *err);

/// Draws the slice d of a composition operator as a picture (.png) of `pixels` a side: iso-lines blue outside, grey at 0.5, red
/// inside, the contact line green, titled with the operator's name and d. Any thread may call it, and 512 pixels take some 50 ms;
/// the operator is only read and stays the caller's, and the file appears whole or not at all. It fails with PELT_BAD_INPUT where
/// it makes no operator, PELT_BAD_ARGUMENT for a d outside 0 to 1 or a size that is none, PELT_IO where `path` cannot be written,
/// and PELT_FAILED where there is no memory.
PELT_API PeltStatus pelt_operator_plot(const PeltOperator *op, float d, int pixels, const char *path, PeltError *err);

#ifdef __cplusplus
}
#endif
#endif
