/// Colours: linear light inside, sRGB outside, and maps from numbers to colours that are even to the eye. All maps are paths
/// in the OKLCh space (lightness, chroma, hue), so equal steps of a value look like equal steps.
#ifndef PELTI_RENDER_COLOUR_H
#define PELTI_RENDER_COLOUR_H

#include "math/vec.h"

#include <stdint.h>

typedef enum PeltiMap {
    PELTI_MAP_SEQUENTIAL, ///< dark violet over green to light yellow: more is lighter
    PELTI_MAP_DIVERGING,  ///< blue, light grey in the middle, red
    PELTI_MAP_HEAT,       ///< light grey where there is nothing, over yellow to dark red
    PELTI_MAP_CATEGORIES, ///< value = index of a category
    PELTI_MAP_FIELD       ///< a field in [0,1]: blue outside, grey at 0.5, red inside
} PeltiMap;

float pelti_srgb_decode(float encoded); ///< [0,1] -> linear
float pelti_srgb_encode(float linear);
Vec3 pelti_render_rgb(unsigned hex); ///< 0xrrggbb, sRGB -> linear
/// Lightness [0,1], chroma (0 grey .. 0.3 vivid), hue in turns -> linear sRGB, with chroma lowered until it fits.
Vec3 pelti_render_oklch(float lightness, float chroma, float hue_turns);

/// Colour of `t` in [0,1] (clamped; NaN gives magenta). Categories: t is the index.
Vec3 pelti_map_colour(PeltiMap map, float t);

#endif
