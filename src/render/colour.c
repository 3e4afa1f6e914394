/// sRGB, Oklab [Ottosson2020] and even maps from numbers to colours.
#include "render/colour.h"
#include "math/elementary.h"

float pelti_srgb_decode(float encoded)
{
    return encoded <= 0.04045f ? encoded / 12.92f : pelti_powf((encoded + 0.055f) / 1.055f, 2.4f);
}

float pelti_srgb_encode(float linear)
{
    if (!(linear > 0))
        return 0;
    if (linear >= 1)
        return 1;
    return linear <= 0.0031308f ? 12.92f * linear : 1.055f * pelti_powf(linear, 1 / 2.4f) - 0.055f;
}

Vec3 pelti_render_rgb(unsigned hex)
{
    return vec3(pelti_srgb_decode((float)(hex >> 16 & 255) / 255), pelti_srgb_decode((float)(hex >> 8 & 255) / 255),
                pelti_srgb_decode((float)(hex & 255) / 255));
}

/// OKLab -> linear sRGB: cube of the cone responses, then the primaries ([Ottosson2020]).
static Vec3 from_oklab(float L, float a, float b)
{
    float l = L + 0.3963377774f * a + 0.2158037573f * b;
    float m = L - 0.1055613458f * a - 0.0638541728f * b;
    float s = L - 0.0894841775f * a - 1.2914855480f * b;
    l = l * l * l, m = m * m * m, s = s * s * s;
    return vec3(4.0767416621f * l - 3.3077115913f * m + 0.2309699292f * s,
                -1.2684380046f * l + 2.6097574011f * m - 0.3413193965f * s,
                -0.0041960863f * l - 0.7034186147f * m + 1.7076147010f * s);
}

static bool fits(Vec3 c)
{
    const float e = 1e-4f;
    return c.x > -e && c.y > -e && c.z > -e && c.x < 1 + e && c.y < 1 + e && c.z < 1 + e;
}

Vec3 pelti_render_oklch(float lightness, float chroma, float hue_turns)
{
    float c = pelti_cosf(6.2831853f * hue_turns), s = pelti_sinf(6.2831853f * hue_turns);
    Vec3 colour = from_oklab(lightness, chroma * c, chroma * s);
    if (!fits(colour)) { // bisect for the most vivid colour of this lightness and hue that a screen has
        float least = 0, most = chroma;
        for (int i = 0; i < 12; i++) {
            float middle = 0.5f * (least + most);
            if (fits(from_oklab(lightness, middle * c, middle * s)))
                least = middle;
            else
                most = middle;
        }
        colour = from_oklab(lightness, least * c, least * s);
    }
    return vec3_min(vec3_max(colour, vec3(0, 0, 0)), vec3(1, 1, 1));
}

static Vec3 sequential(float t)
{
    // hue from violet (300 deg) down to yellow (105 deg); lightness even in t
    return pelti_render_oklch(0.27f + 0.64f * t, 0.11f + 0.05f * t, 0.83f - 0.54f * t);
}

static Vec3 diverging(float t, float middle, float end)
{
    float away = fabsf(2 * t - 1), hue = t < 0.5f ? 0.70f : 0.075f; // 252 deg blue, 27 deg red
    float bend = away * (2 - away) * 0.35f + away * 0.65f;          // a value a little off the middle is seen
    return pelti_render_oklch(middle + (end - middle) * bend, 0.19f * bend, hue);
}

static Vec3 heat(float t)
{
    float rise = fminf(6 * t, 1); // colour comes in fast, so that a little is seen
    return pelti_render_oklch(0.90f - 0.48f * t, 0.015f * (1 - rise) + 0.17f * rise, 0.29f - 0.23f * t);
}

static Vec3 category(float t)
{
    // golden-ratio steps of hue keep any run of neighbours apart; lightness takes three turns so that near hues differ
    int index = t > 0 ? (int)fminf(t, 1e6f) : 0;
    float hue = 0.08f + 0.61803399f * (float)index;
    static const float lightness[3] = {0.74f, 0.60f, 0.84f};
    return pelti_render_oklch(lightness[index % 3], 0.125f, hue - floorf(hue));
}

Vec3 pelti_map_colour(PeltiMap map, float t)
{
    if (!(t == t))
        return vec3(1, 0, 1);
    if (map == PELTI_MAP_CATEGORIES)
        return category(t);
    t = fminf(fmaxf(t, 0), 1);
    switch (map) {
    case PELTI_MAP_DIVERGING:
        return diverging(t, 0.90f, 0.48f);
    case PELTI_MAP_HEAT:
        return heat(t);
    case PELTI_MAP_FIELD:
        return diverging(t, 0.72f, 0.50f);
    default:
        return sequential(t);
    }
}
