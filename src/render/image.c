/// Creates, checks and frees pictures.
#include "render/image.h"

PeltStatus pelti_image_check(int width, int height, PeltError *err)
{
    if (width < 1 || height < 1 || width > PELTI_MAX_SIDE || height > PELTI_MAX_SIDE ||
        (int64_t)width * height > PELTI_MAX_PIXELS)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT,
                         "picture of %d x %d pixels: sides go from 1 to %d, with at most %d pixels in all", width, height,
                         PELTI_MAX_SIDE, PELTI_MAX_PIXELS);
    return PELT_OK;
}

static size_t byte_count(int width, int height)
{
    return (size_t)width * (size_t)height * 4;
}

PeltStatus pelti_image_create(int width, int height, PeltiImage *out, PeltError *err)
{
    *out = (PeltiImage){0};
    PELT_TRY(pelti_image_check(width, height, err));
    size_t bytes = byte_count(width, height);
    uint8_t *rgba = pelti_alloc(NULL, bytes);
    if (!rgba)
        return pelti_no_memory(err, bytes);
    for (size_t i = 0; i < bytes; i++)
        rgba[i] = 0;
    *out = (PeltiImage){width, height, rgba};
    return PELT_OK;
}

void pelti_image_release(PeltiImage *image)
{
    if (image->rgba)
        pelti_free(NULL, image->rgba, byte_count(image->width, image->height));
    *image = (PeltiImage){0};
}
