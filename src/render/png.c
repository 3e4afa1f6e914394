/// Writes PNG to memory, through libpng.
#include "render/image.h"

#include <png.h>
#include <setjmp.h>

static void on_write(png_structp png, png_bytep data, size_t bytes)
{
    if (!pelti_array_append(png_get_io_ptr(png), data, bytes))
        png_error(png, "out of memory");
}

static void on_flush(png_structp png)
{
    (void)png;
}

static void on_error(png_structp png, png_const_charp text)
{
    PeltError *err = png_get_error_ptr(png);
    (void)PELT_FAIL(err, PELT_FAILED, "png: %s", text);
    longjmp(png_jmpbuf(png), 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
    (void)png, (void)text;
}

static bool is_opaque(const PeltiImage *image)
{
    size_t pixels = (size_t)image->width * (size_t)image->height;
    for (size_t i = 0; i < pixels; i++)
        if (image->rgba[4 * i + 3] != 255)
            return false;
    return true;
}

static void write_rows(png_structp png, png_infop info, const PeltiImage *image)
{
    bool opaque = is_opaque(image);
    png_set_IHDR(png, info, (png_uint_32)image->width, (png_uint_32)image->height, 8,
                 opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_set_compression_level(png, 6);
    png_write_info(png, info);
    if (opaque)
        png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (int y = 0; y < image->height; y++)
        png_write_row(png, image->rgba + (size_t)y * (size_t)image->width * 4);
    png_write_end(png, info);
}

PeltStatus pelti_png_encode(const PeltiImage *image, PeltiArray *out, PeltError *err)
{
    PeltError local;
    PeltError *story = err ? err : &local;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, story, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        return PELT_FAIL(story, PELT_FAILED, "png: out of memory");
    }
    if (setjmp(png_jmpbuf(png))) {
        png_destroy_write_struct(&png, &info);
        return PELT_FAILED;
    }
    png_set_write_fn(png, out, on_write, on_flush);
    write_rows(png, info, image);
    png_destroy_write_struct(&png, &info);
    return PELT_OK;
}
