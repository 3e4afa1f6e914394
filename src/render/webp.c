/// Writes WebP, still and moving, to memory, through libwebp and libwebpmux.
#include "render/image.h"

#include <webp/encode.h>
#include <webp/mux.h>

struct PeltiWebp {
    WebPAnimEncoder *encoder;
    WebPConfig config;
    int width, height, frames;
    double last_ms;
};

static PeltStatus configure(float quality, WebPConfig *config, PeltError *err)
{
    if (!(quality >= 0 && quality <= 100))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "webp: quality %g: goes from 0 to 100", (double)quality);
    if (!WebPConfigPreset(config, WEBP_PRESET_DRAWING, quality))
        return PELT_FAIL(err, PELT_FAILED, "webp: version of the library does not fit");
    config->method = 3; // 4 and up gain 2 % of size for twice the time on shaded figures
    config->alpha_quality = 80;
    return PELT_OK;
}

/// The encoder's picture takes its own copy of the pixels.
static PeltStatus import(const PeltiImage *image, bool argb, WebPPicture *picture, PeltError *err)
{
    if (!WebPPictureInit(picture))
        return PELT_FAIL(err, PELT_FAILED, "webp: version of the library does not fit");
    picture->use_argb = argb;
    picture->width = image->width;
    picture->height = image->height;
    if (!WebPPictureImportRGBA(picture, image->rgba, image->width * 4)) {
        WebPPictureFree(picture);
        return PELT_FAIL(err, PELT_FAILED, "webp: out of memory");
    }
    return PELT_OK;
}

static int on_bytes(const uint8_t *data, size_t bytes, const WebPPicture *picture)
{
    return pelti_array_append(picture->custom_ptr, data, bytes);
}

PeltStatus pelti_webp_encode(const PeltiImage *image, float quality, PeltiArray *out, PeltError *err)
{
    WebPConfig config;
    WebPPicture picture;
    PELT_TRY(configure(quality, &config, err));
    config.method = 4;
    config.use_sharp_yuv = 1; // coloured legends and wires keep their edges
    PELT_TRY(import(image, true, &picture, err));
    picture.writer = on_bytes;
    picture.custom_ptr = out;
    int good = WebPEncode(&config, &picture), code = (int)picture.error_code;
    WebPPictureFree(&picture);
    return good ? PELT_OK : PELT_FAIL(err, PELT_FAILED, "webp: encoder error %d", code);
}

PeltStatus pelti_webp_begin(int width, int height, float quality, PeltiWebp **out, PeltError *err)
{
    *out = NULL;
    PELT_TRY(pelti_image_check(width, height, err));
    WebPConfig config;
    PELT_TRY(configure(quality, &config, err));
    WebPAnimEncoderOptions options;
    if (!WebPAnimEncoderOptionsInit(&options))
        return PELT_FAIL(err, PELT_FAILED, "webp: version of the library does not fit");
    options.anim_params.loop_count = 0; // endless
    options.kmin = 9;
    options.kmax = 17; // key frames, so that viewers can seek
    PeltiWebp *webp = pelti_alloc(NULL, sizeof *webp);
    if (!webp)
        return pelti_no_memory(err, sizeof *webp);
    *webp = (PeltiWebp){.config = config, .width = width, .height = height, .last_ms = -1};
    webp->encoder = WebPAnimEncoderNew(width, height, &options);
    if (!webp->encoder) {
        pelti_webp_destroy(webp);
        return PELT_FAIL(err, PELT_FAILED, "webp: out of memory");
    }
    *out = webp;
    return PELT_OK;
}

PeltStatus pelti_webp_add(PeltiWebp *webp, const PeltiImage *frame, double time_ms, PeltError *err)
{
    if (frame->width != webp->width || frame->height != webp->height)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "webp: frame of %d x %d in a film of %d x %d", frame->width, frame->height,
                         webp->width, webp->height);
    if (!(time_ms > webp->last_ms && time_ms < 1e9))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "webp: frame %d at %g ms does not come after the one before", webp->frames,
                         time_ms);
    WebPPicture picture;
    PELT_TRY(import(frame, true, &picture, err));
    int good = WebPAnimEncoderAdd(webp->encoder, &picture, (int)(time_ms + 0.5), &webp->config);
    WebPPictureFree(&picture);
    if (!good)
        return PELT_FAIL(err, PELT_FAILED, "webp: frame %d: %s", webp->frames, WebPAnimEncoderGetError(webp->encoder));
    webp->frames++;
    webp->last_ms = time_ms;
    return PELT_OK;
}

PeltStatus pelti_webp_end(PeltiWebp *webp, double duration_ms, PeltiArray *out, PeltError *err)
{
    if (webp->frames == 0 || !(duration_ms > webp->last_ms && duration_ms < 1e9))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "webp: a film of %d frames cannot end at %g ms", webp->frames, duration_ms);
    WebPData data;
    WebPDataInit(&data);
    if (!WebPAnimEncoderAdd(webp->encoder, NULL, (int)(duration_ms + 0.5), NULL) ||
        !WebPAnimEncoderAssemble(webp->encoder, &data))
        return PELT_FAIL(err, PELT_FAILED, "webp: %s", WebPAnimEncoderGetError(webp->encoder));
    bool good = pelti_array_append(out, data.bytes, data.size);
    size_t size = data.size;
    WebPDataClear(&data);
    return good ? PELT_OK : pelti_no_memory(err, size);
}

void pelti_webp_destroy(PeltiWebp *webp)
{
    if (!webp)
        return;
    WebPAnimEncoderDelete(webp->encoder);
    pelti_free(NULL, webp, sizeof *webp);
}
