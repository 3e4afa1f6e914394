/// Reads .npz: `points` [frame][point][3] of a zip whose arrays are stored as they are, and what it says of frames.
#include "io/cache_kinds.h"

#include <string.h>

enum { LOCAL_HEADER = 30, CENTRAL_HEADER = 46, END_HEADER = 22, END_SEARCH = 65536 + 22, NPY_MOST = 1024, NAME_BYTES = 32 };

typedef struct NpyArray {
    bool there;
    uint64_t entry_at, entry_bytes; ///< in the zip
    uint64_t at, bytes;             ///< of its numbers, which its own header precedes there
    char letter;                    ///< f, i or u: what numbers are
    int size;                       ///< bytes of one
    bool big_endian, fortran;
    int rank;
    uint64_t shape[3];
} NpyArray;

typedef struct NpzCache {
    PeltiCache head;
    PeltiSource source;
    NpyArray points, fps, start_frame;
} NpzCache;

typedef struct ZipDirectory {
    uint64_t at, end;
} ZipDirectory;

static uint64_t get(const unsigned char *bytes, int count)
{
    return pelti_cache_word(bytes, count, false);
}

// ---- the zip

static PeltStatus no_zip(const char *why, PeltError *err)
{
    return PELT_FAIL(err, PELT_BAD_INPUT, "no sound zip: %s", why);
}

/// The directory is named by the record at the end of the file, or by its 64-bit twin before it.
static PeltStatus find_directory(const NpzCache *cache, unsigned char *tail, ZipDirectory *out, PeltError *err)
{
    const PeltiSource *source = &cache->source;
    size_t have = source->bytes < END_SEARCH ? (size_t)source->bytes : END_SEARCH, i;
    if (have < END_HEADER)
        return no_zip("it is too short", err);
    PELT_TRY(pelti_source_read(source, source->bytes - have, tail, have, err));
    for (i = have - END_HEADER; i > 0 && get(tail + i, 4) != 0x06054B50; i--)
        ;
    if (get(tail + i, 4) != 0x06054B50)
        return no_zip("there is no directory at its end (cut short?)", err);
    uint64_t bytes = get(tail + i + 12, 4);
    out->at = get(tail + i + 16, 4);
    if (i >= 20 && get(tail + i - 20, 4) == 0x07064B50) {
        unsigned char wide[56];
        uint64_t at = get(tail + i - 12, 8);
        if (at > source->bytes - sizeof wide || source->bytes < sizeof wide)
            return no_zip("its end names bytes that are not there", err);
        PELT_TRY(pelti_source_read(source, at, wide, sizeof wide, err));
        if (get(wide, 4) != 0x06064B50)
            return no_zip("its 64-bit end is not where it is said to be", err);
        bytes = get(wide + 40, 8);
        out->at = get(wide + 48, 8);
    }
    if (out->at > source->bytes || bytes > source->bytes - out->at)
        return no_zip("its directory is past its end", err);
    out->end = out->at + bytes;
    return PELT_OK;
}

/// Sizes that do not fit 32 bits stand in an extra field, those that do not alone, in this order.
static void widen(const unsigned char *extra, size_t length, uint64_t *size, uint64_t *packed, uint64_t *local)
{
    uint64_t *const wide[3] = {size, packed, local};
    for (size_t at = 0; at + 4 <= length; at += 4 + (size_t)get(extra + at + 2, 2)) {
        size_t from = at + 4, end = from + (size_t)get(extra + at + 2, 2);
        if (get(extra + at, 2) != 1 || end > length)
            continue;
        for (int k = 0; k < 3; k++)
            if (*wide[k] == 0xFFFFFFFFu && from + 8 <= end) {
                *wide[k] = get(extra + from, 8);
                from += 8;
            }
        return;
    }
}

/// Where the bytes of an entry are; `central` is its line of the directory, name and extra fields behind it.
static PeltStatus place_entry(const NpzCache *cache, const unsigned char *central, const char *name, NpyArray *out,
                              PeltError *err)
{
    uint64_t method = get(central + 10, 2), packed = get(central + 20, 4), size = get(central + 24, 4);
    uint64_t local = get(central + 42, 4), file = cache->source.bytes;
    unsigned char header[LOCAL_HEADER];
    widen(central + CENTRAL_HEADER + get(central + 28, 2), (size_t)get(central + 30, 2), &size, &packed, &local);
    if (get(central + 8, 2) & 1)
        return PELT_FAIL(err, PELT_UNSUPPORTED, "%s is encrypted: save it without a password", name);
    if (method != 0)
        return PELT_FAIL(err, PELT_UNSUPPORTED, "%s is compressed: write it with numpy.savez in place of numpy.savez_compressed",
                         name);
    if (file < LOCAL_HEADER || local > file - LOCAL_HEADER || size != packed)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s is not where the zip says", name);
    PELT_TRY(pelti_source_read(&cache->source, local, header, sizeof header, err));
    uint64_t at = local + LOCAL_HEADER + get(header + 26, 2) + get(header + 28, 2);
    if (get(header, 4) != 0x04034B50 || at > file || size > file - at)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s is not where the zip says", name);
    *out = (NpyArray){.there = true, .entry_at = at, .entry_bytes = size};
    return PELT_OK;
}

static NpyArray *wanted(NpzCache *cache, const char *name)
{
    if (!strcmp(name, "points.npy"))
        return &cache->points;
    return !strcmp(name, "fps.npy") ? &cache->fps : !strcmp(name, "start_frame.npy") ? &cache->start_frame : NULL;
}

static PeltStatus read_directory(NpzCache *cache, unsigned char *room, PeltError *err)
{
    ZipDirectory directory = {0, 0};
    PELT_TRY(find_directory(cache, room, &directory, err));
    for (uint64_t at = directory.at; directory.end - at >= CENTRAL_HEADER;) {
        PELT_TRY(pelti_source_read(&cache->source, at, room, CENTRAL_HEADER, err));
        size_t named = (size_t)get(room + 28, 2), extra = (size_t)get(room + 30, 2);
        uint64_t all = CENTRAL_HEADER + (uint64_t)named + extra + get(room + 32, 2);
        if (get(room, 4) != 0x02014B50 || all > directory.end - at)
            return no_zip("its directory is broken", err);
        char name[NAME_BYTES] = "";
        if (named < sizeof name && extra <= NPY_MOST) {
            PELT_TRY(pelti_source_read(&cache->source, at + CENTRAL_HEADER, room + CENTRAL_HEADER, named + extra, err));
            memcpy(name, room + CENTRAL_HEADER, named);
        }
        NpyArray *array = wanted(cache, name);
        if (array)
            PELT_TRY(place_entry(cache, room, name, array, err));
        at += all;
    }
    return PELT_OK;
}

// ---- arrays

static const char *value_of(const char *header, const char *key)
{
    const char *p = strstr(header, key);
    p = p ? p + strlen(key) : NULL;
    while (p && (*p == ' ' || *p == ':'))
        p++;
    return p;
}

/// "(5, 1500, 3)"; false for more than three numbers.
static bool read_shape(const char *text, NpyArray *out)
{
    if (*text++ != '(')
        return false;
    for (out->rank = 0;; out->rank++) {
        while (*text == ' ' || *text == ',')
            text++;
        if (*text == ')')
            return true;
        if (*text < '0' || *text > '9' || out->rank == 3)
            return false;
        uint64_t value = 0;
        for (; *text >= '0' && *text <= '9'; text++)
            value = value < UINT32_MAX ? 10 * value + (uint64_t)(*text - '0') : value;
        out->shape[out->rank] = value;
    }
}

/// {'descr': '<f4', 'fortran_order': False, 'shape': (5, 1500, 3), }
static bool read_dictionary(const char *text, NpyArray *out)
{
    const char *type = value_of(text, "'descr'"), *fortran = value_of(text, "'fortran_order'"),
               *shape = value_of(text, "'shape'");
    if (!type || !fortran || !shape || type[0] != '\'' || !type[1] || !type[2] || !type[3])
        return false;
    out->big_endian = type[1] == '>';
    out->letter = type[2];
    out->size = type[3] - '0';
    out->fortran = strncmp(fortran, "False", 5) != 0;
    return strchr("<>|=", type[1]) && strchr("fiu", out->letter) && strchr("1248", type[3]) && type[4] == '\'' &&
           read_shape(shape, out);
}

/// Reads an array's own header; what is left of the entry are its numbers.
static PeltStatus read_header(const NpzCache *cache, const char *name, NpyArray *array, PeltError *err)
{
    unsigned char start[12];
    char text[NPY_MOST + 1];
    if (array->entry_bytes < sizeof start)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s is too short for an array", name);
    PELT_TRY(pelti_source_read(&cache->source, array->entry_at, start, sizeof start, err));
    uint64_t before = start[6] >= 2 ? 12 : 10, length = get(start + 8, start[6] >= 2 ? 4 : 2);
    if (memcmp(start, "\x93NUMPY", 6) != 0 || length > NPY_MOST || before + length > array->entry_bytes)
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s is no array that is read", name);
    PELT_TRY(pelti_source_read(&cache->source, array->entry_at + before, text, (size_t)length, err));
    text[length] = 0;
    if (!read_dictionary(text, array))
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s: is no array of plain numbers of one to three dimensions", name);
    array->at = array->entry_at + before + length;
    array->bytes = array->entry_bytes - before - length;
    return PELT_OK;
}

/// One number, of whatever type.
static PeltStatus read_number(const NpzCache *cache, const char *name, NpyArray *array, double *out, PeltError *err)
{
    unsigned char bytes[8];
    PELT_TRY(read_header(cache, name, array, err));
    if (array->rank > 1 || (array->rank == 1 && array->shape[0] != 1) || array->bytes < (uint64_t)array->size ||
        (array->letter == 'f' && array->size < 4))
        return PELT_FAIL(err, PELT_BAD_INPUT, "%s is not one number", name);
    PELT_TRY(pelti_source_read(&cache->source, array->at, bytes, (size_t)array->size, err));
    uint64_t bits = pelti_cache_word(bytes, array->size, array->big_endian);
    if (array->letter == 'f')
        *out = array->size == 8 ? pelti_cache_double(bits) : (double)pelti_cache_float((uint32_t)bits);
    else if (array->letter == 'u' || !(bits >> (8 * array->size - 1)))
        *out = (double)bits;
    else // below zero
        *out = -(double)((~bits & (UINT64_MAX >> (64 - 8 * array->size))) + 1);
    return PELT_OK;
}

static PeltStatus read_points(NpzCache *cache, PeltError *err)
{
    NpyArray *points = &cache->points;
    if (!points->there)
        return PELT_FAIL(err, PELT_BAD_INPUT, "there is no array `points`: numpy.savez(OUT, points=...) [frame][point][3]");
    PELT_TRY(read_header(cache, "points", points, err));
    if (points->rank != 3 || points->shape[2] != 3)
        return PELT_FAIL(err, PELT_BAD_INPUT, "`points` is not [frame][point][3]: it has %d dimensions, the last of %llu",
                         points->rank, (unsigned long long)(points->rank ? points->shape[points->rank - 1] : 0));
    if (points->letter != 'f' || points->size < 4)
        return PELT_FAIL(err, PELT_UNSUPPORTED, "`points` holds %c%d: save it as numpy.float32 or numpy.float64", points->letter,
                         points->size);
    if (points->fortran)
        return PELT_FAIL(err, PELT_UNSUPPORTED, "`points` is in Fortran order: save numpy.ascontiguousarray(points)");
    uint64_t frames = points->shape[0], count = points->shape[1];
    if (frames == 0 || count == 0 || frames > INT32_MAX || count > INT32_MAX)
        return PELT_FAIL(err, PELT_BAD_INPUT, "`points` has %llu frames of %llu points", (unsigned long long)frames,
                         (unsigned long long)count);
    if (frames * count > points->bytes / (3 * (uint64_t)points->size))
        return PELT_FAIL(err, PELT_BAD_INPUT, "`points` is short: %llu frames of %llu points in %llu bytes",
                         (unsigned long long)frames, (unsigned long long)count, (unsigned long long)points->bytes);
    cache->head.frames = (PeltiSinkFrames){.point_count = (int)count, .frame_count = (int)frames};
    return PELT_OK;
}

static PeltStatus read_frames(NpzCache *cache, PeltError *err)
{
    double fps = 0, start = 0;
    PELT_TRY(read_points(cache, err));
    if (cache->fps.there) {
        PELT_TRY(read_number(cache, "fps", &cache->fps, &fps, err));
        if (!(fps > 0 && fps <= 1e5))
            return PELT_FAIL(err, PELT_BAD_INPUT, "`fps` is %g", fps);
    }
    if (cache->start_frame.there) {
        PELT_TRY(read_number(cache, "start_frame", &cache->start_frame, &start, err));
        if (!(start > -1e6 && start < 1e6))
            return PELT_FAIL(err, PELT_BAD_INPUT, "`start_frame` is %g", start);
    }
    cache->head.frames.fps = fps;
    pelti_cache_start(&cache->head.frames, start);
    cache->head.timeless = cache->head.frames.frame_count == 1 && !cache->start_frame.there;
    return PELT_OK;
}

static PeltStatus open_npz(PeltiCache *head, const PeltiCacheSource *source, PeltError *err)
{
    NpzCache *cache = (NpzCache *)head;
    PELT_TRY(pelti_source_open(source->path, &cache->source, err));
    unsigned char *room = pelti_alloc(source->allocator, END_SEARCH);
    if (!room)
        return pelti_no_memory(err, END_SEARCH);
    PeltStatus status = read_directory(cache, room, err);
    pelti_free(source->allocator, room, END_SEARCH);
    return status == PELT_OK ? read_frames(cache, err) : status;
}

static PeltStatus frame_npz(PeltiCache *head, int index, Vec3 *points, PeltError *err)
{
    enum { BLOCK = 3 * 512 };
    const NpzCache *cache = (const NpzCache *)head;
    const NpyArray *array = &cache->points;
    unsigned char bytes[BLOCK * 8];
    size_t size = (size_t)array->size, count = 3 * (size_t)head->frames.point_count;
    uint64_t at = array->at + (uint64_t)index * count * size;
    float *to = &points->x;
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t some = count - first < BLOCK ? count - first : BLOCK;
        PELT_TRY(pelti_source_read(&cache->source, at + first * size, bytes, some * size, err));
        for (size_t i = 0; i < some; i++) {
            uint64_t bits = pelti_cache_word(bytes + i * size, array->size, array->big_endian);
            to[first + i] = size == 8 ? pelti_cache_narrow(pelti_cache_double(bits)) : pelti_cache_float((uint32_t)bits);
        }
    }
    return PELT_OK;
}

static void close_npz(PeltiCache *head)
{
    pelti_source_close(&((NpzCache *)head)->source);
}

const PeltiCacheKind pelti_cache_npz = {".npz ", sizeof(NpzCache), open_npz, frame_npz, close_npz};
