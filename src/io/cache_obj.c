/// Reads numbered .obj, a file a frame: the points of their v lines.
#include "io/cache_kinds.h"
#include "io/gltf_parts.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

enum { OBJ_PATH = 4096, OBJ_NUMBER_MOST = 100000000 };

typedef struct ObjCache {
    PeltiCache head;
    char *name;  ///< as pelti_obj_path wants it
    bool single; ///< not numbered: `name` is the file
} ObjCache;

static void frame_path(const ObjCache *cache, int index, char out[OBJ_PATH])
{
    if (cache->single)
        snprintf(out, OBJ_PATH, "%s", cache->name);
    else
        pelti_obj_path(cache->name, cache->head.frames.start_frame + index, out, OBJ_PATH);
}

static bool is_there(const char *name, int number)
{
    char path[OBJ_PATH];
    pelti_obj_path(name, number, path, sizeof path);
    return access(path, F_OK) == 0;
}

// ---- which files

/// The number of "walk_0012.obj" as pelti_obj_path writes it, and `length` of what stands before it; -1: another name.
static int number_of(const char *file, size_t *length)
{
    char again[OBJ_PATH];
    size_t end = strlen(file), start;
    if (end < 5 || end >= OBJ_PATH || strcasecmp(file + end - 4, ".obj") != 0)
        return -1;
    for (start = end - 4; start > 0 && file[start - 1] >= '0' && file[start - 1] <= '9'; start--)
        ;
    if (end - 4 - start < 4 || end - 4 - start > 8 || start < 2 || file[start - 1] != '_')
        return -1;
    int number = 0;
    for (size_t i = start; i < end - 4; i++)
        number = 10 * number + (file[i] - '0');
    *length = start - 1;
    snprintf(again, sizeof again, "_%04d", number);
    return strlen(again) == end - 4 - *length ? number : -1;
}

/// The lowest number of a file beside it that is named like it; -1: there is none.
static int lowest_number(const char *name)
{
    char folder[OBJ_PATH];
    const char *slash = strrchr(name, '/'), *tail = slash ? slash + 1 : name;
    size_t stem = strlen(tail), length;
    int lowest = -1;
    stem -= stem > 4 && strcasecmp(tail + stem - 4, ".obj") == 0 ? 4 : 0;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - name) + 1 : 2, slash ? name : "./");
    DIR *listing = opendir(folder);
    for (struct dirent *entry; listing && (entry = readdir(listing));) {
        int number = number_of(entry->d_name, &length);
        if (number >= 0 && length == stem && strncmp(entry->d_name, tail, stem) == 0 && is_there(name, number))
            lowest = lowest < 0 || number < lowest ? number : lowest;
    }
    if (listing)
        closedir(listing);
    return lowest;
}

/// "walk.obj": the frames from the lowest number on. "walk_0012.obj": those around it. A lone file is one frame.
static void find_frames(ObjCache *cache, const char *path)
{
    PeltiSinkFrames *frames = &cache->head.frames;
    size_t length;
    int number = number_of(path, &length);
    frames->frame_count = 1;
    if (number >= 0)
        cache->name[length] = 0;
    if (number >= 0 && is_there(cache->name, number)) {
        while (number > 0 && is_there(cache->name, number - 1))
            number--;
    } else {
        memcpy(cache->name, path, strlen(path));
        number = lowest_number(path);
    }
    cache->single = cache->head.timeless = number < 0;
    if (cache->single)
        return;
    frames->start_frame = number;
    while (number + frames->frame_count < OBJ_NUMBER_MOST && is_there(cache->name, number + frames->frame_count))
        frames->frame_count++;
}

// ---- one of them

static void skip_blanks(PeltiCacheText *text)
{
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\t'))
        text->at++;
}

static void skip_line(PeltiCacheText *text)
{
    const char *line = memchr(text->at, '\n', (size_t)(text->end - text->at));
    text->at = line ? line + 1 : text->end;
    text->line++;
}

/// Counts the points; those that there is room for go to `points` (NULL: none).
static PeltStatus read_points(PeltiCacheText *text, Vec3 *points, int room, int *count, PeltError *err)
{
    *count = 0;
    for (; text->at < text->end; skip_line(text)) {
        double v[3] = {0};
        skip_blanks(text);
        if (text->end - text->at < 2 || text->at[0] != 'v' || (text->at[1] != ' ' && text->at[1] != '\t'))
            continue;
        text->at++;
        for (int k = 0; k < 3; k++) {
            skip_blanks(text);
            if (!pelti_cache_number(text, &v[k]) || (text->at < text->end && !strchr(" \t\r\n", *text->at)))
                return pelti_cache_broken(text, "a number", err);
        }
        if (*count == INT32_MAX)
            return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: too many points", text->line);
        if (*count < room)
            points[*count] = vec3((float)v[0], (float)v[1], (float)v[2]);
        ++*count;
    }
    return PELT_OK;
}

static PeltStatus read_file(const ObjCache *cache, int index, Vec3 *points, int *count, PeltError *err)
{
    char path[OBJ_PATH];
    void *bytes;
    size_t size;
    frame_path(cache, index, path);
    PELT_TRY(pelti_gltf_map_file(path, &bytes, &size, err));
    PeltStatus status = PELT_OK;
    *count = 0;
    if (bytes) {
        PeltiCacheText text = {bytes, (const char *)bytes + size, 1};
        status = read_points(&text, points, points ? cache->head.frames.point_count : 0, count, err);
        munmap(bytes, size);
    }
    if (status == PELT_OK && points && *count != cache->head.frames.point_count)
        status = PELT_FAIL(err, PELT_BAD_INPUT, "has %d points, the first frame %d", *count, cache->head.frames.point_count);
    if (status == PELT_OK && *count == 0)
        status = PELT_FAIL(err, PELT_BAD_INPUT, "has no points");
    if (status != PELT_OK)
        pelti_error_prefix(err, "%s", path);
    return status;
}

static PeltStatus open_obj(PeltiCache *head, const PeltiCacheSource *source, PeltError *err)
{
    ObjCache *cache = (ObjCache *)head;
    head->path = NULL; // stories name the frame's file
    if (strlen(source->path) > OBJ_PATH - 32)
        return PELT_FAIL(err, PELT_IO, "the name of the .obj is too long");
    cache->name = pelti_pool_text(&head->pool, source->path);
    if (!cache->name)
        return pelti_no_memory(err, strlen(source->path));
    find_frames(cache, source->path);
    return read_file(cache, 0, NULL, &head->frames.point_count, err);
}

static PeltStatus frame_obj(PeltiCache *head, int index, Vec3 *points, PeltError *err)
{
    return read_file((const ObjCache *)head, index, points, &(int){0}, err);
}

static void close_obj(PeltiCache *head)
{
    (void)head; // a file is open while it is read
}

const PeltiCacheKind pelti_cache_obj = {".obj ", sizeof(ObjCache), open_obj, frame_obj, close_obj};
