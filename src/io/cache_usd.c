/// Reads .usda: the points of Mesh prims, in the order they stand in, and the times of their samples.
/// The text is looked through once, for where the samples are; a frame is then read from there.
#include "io/cache_kinds.h"
#include "io/gltf_parts.h"

#include <ctype.h>
#include <string.h>
#include <sys/mman.h>

enum { WORD_BYTES = 80, PRIMS_DEEP = 256 };

typedef struct UsdSample {
    uint64_t at; ///< of the "[" of its points
    double time; ///< code
    int line;
} UsdSample;

typedef struct UsdMesh {
    size_t first_sample, sample_count; ///< into samples; a mesh that stands still has one
    int point_count;
    bool moves; ///< by time samples, which outweigh a default
} UsdMesh;

typedef struct UsdCache {
    PeltiCache head;
    void *map;
    size_t size;
    PeltiArray meshes, samples;
    double start, codes_a_second, frames_a_second; ///< as the layer says; 0: it does not
} UsdCache;

typedef struct UsdReader {
    PeltiCacheText text;
    UsdCache *cache;
    int depth;               ///< of prims
    int mesh[PRIMS_DEEP];    ///< each of them is, -1: none
    bool placed[PRIMS_DEEP]; ///< each of them places what it shows
    char word[WORD_BYTES];
} UsdReader;

// ---- words

static char here(const UsdReader *r)
{
    return (char)(r->text.at < r->text.end ? *r->text.at : 0);
}

/// Blanks and comments; lines too where asked for.
static void skip_blank(UsdReader *r, bool lines)
{
    for (PeltiCacheText *t = &r->text; t->at < t->end; t->at++) {
        if (*t->at == '#')
            while (t->at + 1 < t->end && t->at[1] != '\n')
                t->at++;
        else if (*t->at == '\n' && lines)
            t->line++;
        else if (*t->at == '\n' || !isspace((unsigned char)*t->at))
            return;
    }
}

static bool accept(UsdReader *r, char c)
{
    skip_blank(r, true);
    if (here(r) != c || r->text.at == r->text.end)
        return false;
    r->text.at++;
    return true;
}

static PeltStatus expect(UsdReader *r, char c, PeltError *err)
{
    const char wanted[] = {'"', c, '"', 0};
    return accept(r, c) ? PELT_OK : pelti_cache_broken(&r->text, wanted, err);
}

/// Letters, digits and what joins them, as names and types have them; "" where something else stands. A longer one is cut.
static void read_word(UsdReader *r)
{
    size_t used = 0;
    for (; r->text.at < r->text.end && (isalnum((unsigned char)*r->text.at) || strchr("_:.[]", *r->text.at)) && *r->text.at;
         r->text.at++)
        if (used < sizeof r->word - 1)
            r->word[used++] = *r->text.at;
    r->word[used] = 0;
}

/// A string, in one quote or three of either kind.
static PeltStatus skip_string(UsdReader *r, PeltError *err)
{
    PeltiCacheText *t = &r->text;
    char quote = *t->at;
    bool three = t->end - t->at >= 3 && t->at[1] == quote && t->at[2] == quote;
    for (t->at += three ? 3 : 1; t->at < t->end; t->at++) {
        t->line += *t->at == '\n';
        if (*t->at == '\\')
            t->at += t->end - t->at > 1;
        else if (*t->at == quote && !three)
            return t->at++, PELT_OK;
        else if (*t->at == quote && t->end - t->at >= 3 && t->at[1] == quote && t->at[2] == quote)
            return t->at += 3, PELT_OK;
        else if (*t->at == '\n' && !three)
            break;
    }
    return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: a string does not end", t->line);
}

/// What is in brackets, to the one that ends it; `*at` stands on the first. Kinds need not match: nothing is read of it.
static PeltStatus skip_brackets(UsdReader *r, PeltError *err)
{
    PeltiCacheText *t = &r->text;
    int line = t->line;
    size_t open = 0;
    while (t->at < t->end) {
        char c = *t->at;
        if (c == '"' || c == '\'') {
            PELT_TRY(skip_string(r, err));
            continue;
        }
        if (c == '#') {
            skip_blank(r, false);
            continue;
        }
        t->line += c == '\n';
        open += c == '(' || c == '[' || c == '{';
        open -= c == ')' || c == ']' || c == '}';
        t->at++;
        if (open == 0)
            return PELT_OK;
    }
    return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: what begins here has no end", line);
}

/// All to the end of the line, and to that of what is in brackets or a string.
static PeltStatus skip_rest(UsdReader *r, PeltError *err)
{
    while (r->text.at < r->text.end && !strchr("\n)}", here(r))) {
        if (here(r) == '(' || here(r) == '[' || here(r) == '{')
            PELT_TRY(skip_brackets(r, err));
        else if (here(r) == '"' || here(r) == '\'')
            PELT_TRY(skip_string(r, err));
        else
            r->text.at++;
        skip_blank(r, false);
    }
    return PELT_OK;
}

/// A value nobody asks for.
static PeltStatus skip_value(UsdReader *r, PeltError *err)
{
    skip_blank(r, true);
    return skip_rest(r, err);
}

static PeltStatus read_number(UsdReader *r, double *out, PeltError *err)
{
    skip_blank(r, true);
    return pelti_cache_number(&r->text, out) ? PELT_OK : pelti_cache_broken(&r->text, "a number", err);
}

// ---- points

/// "[(x, y, z), ...]": counts them; those that there is room for go to `points`.
static PeltStatus read_points(UsdReader *r, Vec3 *points, int room, int *count, PeltError *err)
{
    PELT_TRY(expect(r, '[', err));
    for (*count = 0; !accept(r, ']'); accept(r, ',')) {
        double v[3];
        PELT_TRY(expect(r, '(', err));
        for (int k = 0; k < 3; k++) {
            PELT_TRY(read_number(r, &v[k], err));
            PELT_TRY(expect(r, k < 2 ? ',' : ')', err));
        }
        if (*count == INT32_MAX)
            return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: too many points", r->text.line);
        if (*count < room)
            points[*count] = vec3((float)v[0], (float)v[1], (float)v[2]);
        ++*count;
    }
    return PELT_OK;
}

/// Notes where a sample is. The first of a mesh is counted, the others when they are read.
static PeltStatus note_sample(UsdReader *r, UsdMesh *mesh, double time, PeltError *err)
{
    skip_blank(r, true);
    UsdSample sample = {(uint64_t)(r->text.at - (const char *)r->cache->map), time, r->text.line};
    if (!pelti_array_push(&r->cache->samples, &sample))
        return pelti_no_memory(err, sizeof sample);
    if (here(r) != '[')
        return pelti_cache_broken(&r->text, "a list of points", err);
    if (mesh->sample_count++ == 0)
        return read_points(r, NULL, 0, &mesh->point_count, err);
    return skip_brackets(r, err);
}

static PeltStatus read_samples(UsdReader *r, UsdMesh *mesh, PeltError *err)
{
    *mesh = (UsdMesh){.first_sample = r->cache->samples.count, .moves = true};
    PELT_TRY(expect(r, '{', err));
    while (!accept(r, '}')) {
        double time;
        PELT_TRY(read_number(r, &time, err));
        PELT_TRY(expect(r, ':', err));
        PELT_TRY(note_sample(r, mesh, time, err));
        accept(r, ',');
    }
    return mesh->sample_count ? PELT_OK : PELT_FAIL(err, PELT_BAD_INPUT, "line %d: no samples of points", r->text.line);
}

// ---- the layer

/// "name = value" in the brackets before the first prim.
static PeltStatus read_layer(UsdReader *r, PeltError *err)
{
    if (!accept(r, '('))
        return PELT_OK;
    while (!accept(r, ')')) {
        read_word(r);
        double *number = !strcmp(r->word, "startTimeCode")        ? &r->cache->start
                         : !strcmp(r->word, "timeCodesPerSecond") ? &r->cache->codes_a_second
                         : !strcmp(r->word, "framesPerSecond")    ? &r->cache->frames_a_second
                                                                  : NULL;
        if (!here(r) || here(r) == '}')
            return pelti_cache_broken(&r->text, "\")\"", err);
        if (number && accept(r, '='))
            PELT_TRY(read_number(r, number, err));
        else
            PELT_TRY(skip_value(r, err));
    }
    return PELT_OK;
}

/// A property of a prim that is shown: "[custom] type name [= value] [(...)]", the word at hand being the first.
static PeltStatus read_property(UsdReader *r, PeltError *err)
{
    char name[WORD_BYTES];
    int index = r->depth ? r->mesh[r->depth - 1] : -1;
    UsdMesh *mesh = index >= 0 ? (UsdMesh *)(void *)r->cache->meshes.data + index : NULL;
    do { // the last word before "=" is the name
        memcpy(name, r->word, sizeof name);
        skip_blank(r, false);
        read_word(r);
    } while (r->word[0]);
    if (!strncmp(name, "xformOp", 7) && r->depth && r->placed[r->depth - 1])
        return PELT_FAIL(err, PELT_UNSUPPORTED,
                         "line %d: a prim has %s: points are read as they stand: write them in world space, without transforms",
                         r->text.line, name);
    if (here(r) != '=')
        return skip_rest(r, err);
    r->text.at++;
    if (mesh && !strcmp(name, "points.timeSamples"))
        return read_samples(r, mesh, err);
    if (!mesh || strcmp(name, "points") != 0 || mesh->moves)
        return skip_value(r, err);
    *mesh = (UsdMesh){.first_sample = r->cache->samples.count};
    return note_sample(r, mesh, r->cache->start, err);
}

/// def Type "name" (...) {
static PeltStatus enter_prim(UsdReader *r, PeltError *err)
{
    skip_blank(r, true);
    read_word(r);
    bool mesh = !strcmp(r->word, "Mesh");
    bool placed = mesh || !r->word[0] || !strcmp(r->word, "Xform") || !strcmp(r->word, "SkelRoot");
    skip_blank(r, true);
    if (here(r) != '"' && here(r) != '\'')
        return pelti_cache_broken(&r->text, "the name of a prim", err);
    PELT_TRY(skip_string(r, err));
    skip_blank(r, true);
    if (here(r) == '(')
        PELT_TRY(skip_brackets(r, err));
    PELT_TRY(expect(r, '{', err));
    if (r->depth == PRIMS_DEEP)
        return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: prims nest deeper than %d", r->text.line, PRIMS_DEEP);
    r->mesh[r->depth] = mesh ? (int)r->cache->meshes.count : -1;
    r->placed[r->depth++] = placed;
    return mesh && !pelti_array_push(&r->cache->meshes, NULL) ? pelti_no_memory(err, sizeof(UsdMesh)) : PELT_OK;
}

/// "over", "class" and sets of variants: none is shown as it stands here.
static PeltStatus pass_block(UsdReader *r, PeltError *err)
{
    while (r->text.at < r->text.end && here(r) != '{') {
        if (here(r) == '"' || here(r) == '\'')
            PELT_TRY(skip_string(r, err));
        else if (here(r) == '(')
            PELT_TRY(skip_brackets(r, err));
        else if (here(r) == '}')
            break;
        else
            r->text.at++;
        skip_blank(r, true);
    }
    return here(r) == '{' ? skip_brackets(r, err) : pelti_cache_broken(&r->text, "\"{\"", err);
}

static PeltStatus read_prims(UsdReader *r, PeltError *err)
{
    for (skip_blank(r, true); r->text.at < r->text.end; skip_blank(r, true)) {
        if (here(r) == '}' && r->depth > 0) {
            r->text.at++;
            r->depth--;
            continue;
        }
        if (here(r) == '(' || here(r) == ';') { // what is said of a property beyond its value
            PELT_TRY(here(r) == '(' ? skip_brackets(r, err) : (r->text.at++, PELT_OK));
            continue;
        }
        read_word(r);
        if (!r->word[0])
            return pelti_cache_broken(&r->text, "a prim or a property", err);
        if (!strcmp(r->word, "def"))
            PELT_TRY(enter_prim(r, err));
        else if (!strcmp(r->word, "over") || !strcmp(r->word, "class") || !strcmp(r->word, "variantSet"))
            PELT_TRY(pass_block(r, err));
        else
            PELT_TRY(read_property(r, err));
    }
    return r->depth == 0 ? PELT_OK : PELT_FAIL(err, PELT_BAD_INPUT, "%d prims do not end (cut short?)", r->depth);
}

// ---- frames

/// The time of the samples of a mesh must rise in even steps.
static PeltStatus check_steps(const UsdCache *cache, const UsdMesh *mesh, PeltError *err)
{
    if (mesh->sample_count < 2)
        return PELT_OK;
    const UsdSample *samples = (const UsdSample *)(const void *)cache->samples.data + mesh->first_sample;
    double step = samples[1].time - samples[0].time;
    for (size_t i = 1; i < mesh->sample_count; i++)
        if (!(step > 0 && fabs(samples[i].time - samples[0].time - (double)i * step) < 0.01 * step))
            return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: a sample at %g: they are to be evenly spaced, %g apart",
                             samples[i].line, samples[i].time, step);
    return PELT_OK;
}

/// The longest of the meshes says which frames there are; the others have as many at the same times, or stand still.
static PeltStatus count_frames(UsdCache *cache, PeltError *err)
{
    const UsdMesh *meshes = (const UsdMesh *)(const void *)cache->meshes.data, *longest = NULL;
    const UsdSample *samples = (const UsdSample *)(const void *)cache->samples.data;
    uint64_t points = 0;
    for (size_t i = 0; i < cache->meshes.count; i++) {
        PELT_TRY(check_steps(cache, &meshes[i], err));
        points += (uint64_t)meshes[i].point_count;
        longest = meshes[i].sample_count > (longest ? longest->sample_count : 0) ? &meshes[i] : longest;
    }
    if (!longest || points == 0 || points > INT32_MAX || longest->sample_count > INT32_MAX)
        return PELT_FAIL(err, PELT_BAD_INPUT, "there is no Mesh with points");
    const UsdSample *first = samples + longest->first_sample;
    for (size_t i = 0; i < cache->meshes.count; i++)
        if (meshes[i].sample_count > 1 &&
            (meshes[i].sample_count != longest->sample_count || fabs(samples[meshes[i].first_sample].time - first->time) > 0.01 ||
             fabs(samples[meshes[i].first_sample + 1].time - first[1].time) > 0.01))
            return PELT_FAIL(err, PELT_BAD_INPUT, "Mesh %zu has %zu samples at other times than the %zu of another", i,
                             meshes[i].sample_count, longest->sample_count);
    double step = longest->sample_count > 1 ? first[1].time - first->time : 1;
    double codes = cache->codes_a_second > 0 ? cache->codes_a_second : cache->frames_a_second;
    cache->head.frames = (PeltiSinkFrames){.point_count = (int)points, .frame_count = (int)longest->sample_count};
    cache->head.frames.fps = codes / step <= 1e5 ? fmax(codes / step, 0) : 0;
    pelti_cache_start(&cache->head.frames, first->time / step);
    cache->head.timeless = longest->sample_count == 1 && !longest->moves;
    return PELT_OK;
}

static PeltStatus open_usd(PeltiCache *head, const PeltiCacheSource *source, PeltError *err)
{
    UsdCache *cache = (UsdCache *)head;
    pelti_array_init(&cache->meshes, source->allocator, sizeof(UsdMesh));
    pelti_array_init(&cache->samples, source->allocator, sizeof(UsdSample));
    PELT_TRY(pelti_gltf_map_file(source->path, &cache->map, &cache->size, err));
    if (cache->size < 9 || memcmp(cache->map, "#usda 1.0", 9) != 0)
        return cache->size > 8 && memcmp(cache->map, "PXR-USDC", 8) == 0
                   ? PELT_FAIL(err, PELT_UNSUPPORTED, "USD in binary: `usdcat IN -o OUT.usda` makes text of it, which is read")
                   : PELT_FAIL(err, PELT_BAD_INPUT, "is no USD text: it does not begin with #usda 1.0");
    UsdReader *r = PELTI_NEW(&head->pool, UsdReader, 1);
    if (!r)
        return pelti_no_memory(err, sizeof *r);
    *r = (UsdReader){.text = {cache->map, (const char *)cache->map + cache->size, 1}, .cache = cache};
    PELT_TRY(read_layer(r, err));
    PELT_TRY(read_prims(r, err));
    return count_frames(cache, err);
}

static PeltStatus frame_usd(PeltiCache *head, int index, Vec3 *points, PeltError *err)
{
    UsdCache *cache = (UsdCache *)head;
    const UsdMesh *mesh = (const UsdMesh *)(const void *)cache->meshes.data;
    for (size_t i = 0; i < cache->meshes.count; i++, mesh++) {
        if (mesh->sample_count == 0)
            continue;
        const UsdSample *sample = (const UsdSample *)(const void *)cache->samples.data + mesh->first_sample +
                                  (mesh->sample_count > 1 ? (size_t)index : 0);
        UsdReader r = {.text = {(const char *)cache->map + sample->at, (const char *)cache->map + cache->size, sample->line}};
        int count;
        PELT_TRY(read_points(&r, points, mesh->point_count, &count, err));
        if (count != mesh->point_count)
            return PELT_FAIL(err, PELT_BAD_INPUT, "line %d: has %d points, the first frame %d", sample->line, count,
                             mesh->point_count);
        points += count;
    }
    return PELT_OK;
}

static void close_usd(PeltiCache *head)
{
    UsdCache *cache = (UsdCache *)head;
    if (cache->map)
        munmap(cache->map, cache->size);
    pelti_array_release(&cache->meshes);
    pelti_array_release(&cache->samples);
}

const PeltiCacheKind pelti_cache_usd = {".usda ", sizeof(UsdCache), open_usd, frame_usd, close_usd};
