/// Times blending kernels, reading, automatic weights and inspecting, which all methods stand on.
#include "bench/bench.h"
#include "character/weights.h"
#include "io/gltf.h"
#include "methods/method.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct BlendTimed {
    const PeltiMethod *method;
    void *state;
    PeltiStepInput in;
    Vec3 *points;
} BlendTimed;

static void step(void *context)
{
    BlendTimed *b = context;
    b->method->step(b->state, &b->in, b->points, NULL);
}

/// ns a vertex of a blending method on a tube with four influences; 30k vertices lie in cache.
static double time_blend(PeltiBench *bench, const char *name, int vertices, int bone_count, int threads)
{
    double best = NAN;
    PeltiCharacter *who = pelti_bench_tube(vertices, bone_count);
    PeltiJobs *jobs = pelti_jobs_create(threads);
    PeltiOptions options;
    BlendTimed b = {.method = pelti_method_find(name)};
    Mat34 *bones = who ? PELTI_NEW(&who->pool, Mat34, who->bone_count) : NULL;
    b.points = who ? PELTI_NEW(&who->pool, Vec3, who->point_count) : NULL;
    if (bones && b.points) {
        for (int i = 0; i < who->bone_count; i++)
            bones[i] = mat34_from(quat_to_mat3(quat_axis_angle(vec3(0, 0, 1), 0.1f * (float)i)), vec3((float)i, 0, 0));
        pelti_options_init(&options, b.method->options);
        PeltiMethodPrepare in = {
            .who = who, .options = &options, .weights = &who->file_weights, .point_weights = &who->file_weights, .jobs = jobs};
        b.in = (PeltiStepInput){.bones = bones, .restart = true};
        if (b.method->prepare(&in, &b.state, NULL) == PELT_OK) {
            best = pelti_bench_best_ms(step, &b, pelti_bench_quick(bench) ? 20 : 200, 5) * 1e6 / who->point_count;
            b.method->destroy(b.state);
        }
    }
    pelti_jobs_destroy(jobs);
    pelti_character_destroy(who);
    return best;
}

// ---- reading ----

static void put(FILE *file, const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, file) != bytes)
        fprintf(stderr, "bench: the temporary file is short\n");
}

/// A .glb of a tube: positions, normals, joints (bytes), weights, 32-bit indices.
static bool write_glb(const char *path, const PeltiCharacter *who)
{
    unsigned n = (unsigned)who->point_count, t = (unsigned)who->triangle_count;
    unsigned at[5] = {0, 12 * n, 24 * n, 28 * n, 44 * n}, size = 44 * n + 12 * t;
    char json[4096];
    int length = snprintf(
        json, sizeof json,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,1]}],\"nodes\":[{\"mesh\":0,\"skin\":0},{"
        "\"children\":["
        "2]},{\"translation\":[1,0,0],\"children\":[3]},{\"translation\":[1,0,0],\"children\":[4]},{\"translation\":[1,0,0]}],"
        "\"skins\":[{\"joints\":[1,2,3,4]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"NORMAL\":1,\"JOINTS_"
        "0\":2,"
        "\"WEIGHTS_0\":3},\"indices\":4}]}],\"buffers\":[{\"byteLength\":%u}],\"bufferViews\":["
        "{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u},{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u},"
        "{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u},{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u},"
        "{\"buffer\":0,\"byteOffset\":%u,\"byteLength\":%u}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\",\"min\":[0,-1,-1],\"max\":[4,1,1]},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":%u,\"type\":\"VEC3\"},"
        "{\"bufferView\":2,\"componentType\":5121,\"count\":%u,\"type\":\"VEC4\"},"
        "{\"bufferView\":3,\"componentType\":5126,\"count\":%u,\"type\":\"VEC4\"},"
        "{\"bufferView\":4,\"componentType\":5125,\"count\":%u,\"type\":\"SCALAR\"}]}",
        size, at[0], 12 * n, at[1], 12 * n, at[2], 4 * n, at[3], 16 * n, at[4], 12 * t, n, n, n, n, 3 * t);
    while (length % 4)
        json[length++] = ' ';
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    const unsigned header[5] = {0x46546C67, 2, 28 + (unsigned)length + size, (unsigned)length, 0x4E4F534A};
    const unsigned chunk[2] = {size, 0x004E4942};
    put(file, header, sizeof header);
    put(file, json, (size_t)length);
    put(file, chunk, sizeof chunk);
    put(file, who->rest_points, 12 * (size_t)n);
    for (unsigned i = 0; i < n; i++) {
        const float normal[3] = {0, who->rest_points[i].y, who->rest_points[i].z};
        put(file, normal, sizeof normal);
    }
    for (unsigned i = 0; i < n; i++) {
        unsigned char joints[4];
        for (int k = 0; k < 4; k++)
            joints[k] = (unsigned char)who->file_weights.bone[4 * i + (unsigned)k];
        put(file, joints, sizeof joints);
    }
    put(file, who->file_weights.weight, 16 * (size_t)n);
    put(file, who->point_triangles, 12 * (size_t)t);
    return fclose(file) == 0;
}

typedef PeltStatus (*ReadFn)(const PeltiGltf *doc, const PeltAllocator *allocator, PeltiCharacter **out, PeltError *err);

/// Opens and reads once; returns milliseconds, infinite where it fails.
static double read_once(const char *path, ReadFn reader)
{
    PeltiGltf *doc = NULL;
    PeltiCharacter *who = NULL;
    PeltError err = {0};
    double start = pelti_clock_ms(), took = INFINITY;
    if (pelti_gltf_open(path, NULL, &doc, &err) == PELT_OK && reader(doc, NULL, &who, &err) == PELT_OK)
        took = pelti_clock_ms() - start;
    else
        fprintf(stderr, "bench: %s\n", err.text);
    pelti_character_destroy(who);
    pelti_gltf_close(doc);
    return took;
}

/// Peak memory of reading once, in a process of its own, above what the process has before; MB.
static double read_peak_mb(const char *path, ReadFn reader)
{
    int ends[2];
    double peak = NAN;
    if (pipe(ends) != 0)
        return peak;
    pid_t child = fork();
    if (child == 0) {
        double before = pelti_peak_mb(); // a fork starts with the pages it shares
        read_once(path, reader);
        peak = (pelti_peak_mb() - before) * 1.048576;
        _exit(write(ends[1], &peak, sizeof peak) == (ssize_t)sizeof peak ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &peak, sizeof peak) != (ssize_t)sizeof peak)
        peak = NAN;
    close(ends[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return peak;
}

static void time_reading(PeltiBench *bench)
{
    char path[] = "/tmp/pelt-bench-XXXXXX";
    int handle = mkstemp(path);
    PeltiCharacter *tube = pelti_bench_tube(1470000, 4);
    if (handle >= 0)
        close(handle);
    if (handle < 0 || !tube || !write_glb(path, tube)) {
        pelti_bench_skip(bench, "read a 100 MB .glb", "no room for a temporary file");
        pelti_character_destroy(tube);
        unlink(path);
        return;
    }
    pelti_character_destroy(tube);
    struct stat facts;
    double decode = INFINITY, whole = INFINITY, megabytes = stat(path, &facts) == 0 ? (double)facts.st_size * 1e-6 : NAN;
    double decode_peak = read_peak_mb(path, pelti_gltf_decode), whole_peak = read_peak_mb(path, pelti_gltf_character);
    for (int r = 0; r < (pelti_bench_quick(bench) ? 2 : 5); r++) {
        decode = fmin(decode, read_once(path, pelti_gltf_decode));
        whole = fmin(whole, read_once(path, pelti_gltf_character));
    }
    pelti_bench_row(bench, "read a 100 MB .glb",
                    (PeltiBenchFigure){.value = megabytes / decode * 1e3, .unit = "MB/s", .limit = 500},
                    "open and decode: %.0f MB in %.0f ms", megabytes, decode);
    pelti_bench_bound(bench, decode, 1, 0, 2e6 * megabytes);
    pelti_bench_row(bench, "peak memory of that",
                    (PeltiBenchFigure){.value = decode_peak / megabytes, .unit = "x file", .limit = 2.5}, "%.0f MB", decode_peak);
    pelti_bench_row(bench, "read, weld, adjacency, bones", (PeltiBenchFigure){.value = megabytes / whole * 1e3, .unit = "MB/s"},
                    "%.0f ms, peak %.0f MB, %.1f x the file", whole, whole_peak, whole_peak / megabytes);
    pelti_bench_bound(bench, whole, 1, 0, 2e6 * megabytes);
    unlink(path);
}

// ---- weights ----

static void time_weights(PeltiBench *bench)
{
    char path[1024];
    if (!pelti_bench_data(bench)) {
        pelti_bench_skip(bench, "automatic weights, 13k vertices, 163 joints", "give --data DIR with makehuman-cc0.glb");
        return;
    }
    snprintf(path, sizeof path, "%s/makehuman-cc0.glb", pelti_bench_data(bench));
    PeltiGltf *doc = NULL;
    PeltiCharacter *who = NULL;
    PeltError err = {0};
    if (pelti_gltf_open(path, NULL, &doc, &err) != PELT_OK || pelti_gltf_character(doc, NULL, &who, &err) != PELT_OK) {
        pelti_bench_skip(bench, "automatic weights, 13k vertices, 163 joints", err.text);
    } else {
        for (int threads = 1; threads <= pelti_bench_threads(bench) && threads <= 2; threads++) {
            PeltiJobs *jobs = pelti_jobs_create(threads);
            double best = INFINITY;
            for (int r = 0; r < 3; r++) {
                PeltiPool pool;
                PeltiWeights weights;
                pelti_pool_init(&pool, NULL);
                double start = pelti_clock_ms();
                if (pelti_weights_automatic(who, &pool, jobs, NULL, &weights, &err) == PELT_OK)
                    best = fmin(best, pelti_clock_ms() - start);
                pelti_pool_release(&pool);
            }
            char name[72];
            snprintf(name, sizeof name, "automatic weights, 13k vertices, 163 joints, %d thread%s", threads,
                     threads > 1 ? "s" : "");
            pelti_bench_row(bench, name, (PeltiBenchFigure){.value = best, .unit = "ms", .limit = 1000}, "%d vertices, %d bones",
                            who->mesh->vertex_count, who->bone_count);
            pelti_jobs_destroy(jobs);
        }
    }
    pelti_character_destroy(who);
    pelti_gltf_close(doc);
}

// ---- the command ----

/// `pelt inspect` of a file of 1 MB as a process of its own, from start to end.
static void time_inspect(PeltiBench *bench)
{
    char path[1024] = "/tmp/pelt-bench-XXXXXX";
    int handle = mkstemp(path);
    PeltiCharacter *tube = pelti_bench_tube(14700, 4);
    double best = INFINITY;
    if (handle >= 0)
        close(handle);
    bool ready = handle >= 0 && tube && write_glb(path, tube);
    pelti_character_destroy(tube);
    for (int r = 0; ready && r < 5; r++) {
        double start = pelti_clock_ms();
        pid_t child = fork();
        if (child == 0) {
            if (!freopen("/dev/null", "w", stdout))
                _exit(1);
            execl("/proc/self/exe", "pelt", "inspect", path, (char *)NULL);
            _exit(1);
        }
        int status = 1;
        if (child > 0 && waitpid(child, &status, 0) == child && status == 0)
            best = fmin(best, pelti_clock_ms() - start);
    }
    if (handle >= 0)
        unlink(path);
    if (isfinite(best))
        pelti_bench_row(bench, "pelt inspect of a 1 MB .glb", (PeltiBenchFigure){.value = best, .unit = "ms", .limit = 50}, "%s",
                        "the whole process");
    else
        pelti_bench_skip(bench, "pelt inspect of a 1 MB .glb", "could not write the file or start the command");
}

/// What a blending method cannot do without, a vertex: blending (4 x 12 or 4 x 8 multiply-adds), then the transformation.
typedef struct BlendCost {
    const char *name;
    double wanted, flops;
} BlendCost;
static const BlendCost blends[] = {{"lbs", 3, 4 * 12 * 2 + 18}, {"dqs", 10, 4 * 8 * 2 + 66}};

static void time_blends(PeltiBench *bench)
{
    static const int sizes[] = {2000, 10000, 30000, 100000, 200000};
    for (int m = 0; m < 2; m++)
        for (int s = 0; s < 5; s++) {
            double one = NAN;
            for (int threads = 1; threads <= 2 && threads <= pelti_bench_threads(bench); threads++) {
                char label[72];
                double ns = time_blend(bench, blends[m].name, sizes[s], 40, threads), vertices = sizes[s];
                if (threads == 1)
                    one = ns;
                snprintf(label, sizeof label, "%s, %dk vertices, 4 influences, %d thread%s", blends[m].name, sizes[s] / 1000,
                         threads, threads > 1 ? "s" : "");
                pelti_bench_row(bench, label,
                                (PeltiBenchFigure){.value = ns,
                                                   .unit = "ns/vtx",
                                                   .limit = sizes[s] == 30000 && threads == 1 ? blends[m].wanted : 0},
                                "%.2f times one thread", one / ns);
                pelti_bench_bound(bench, ns * vertices * 1e-6, threads, blends[m].flops * vertices, 0);
            }
        }
}

/// Bones make the runs of points that share them shorter.
static void time_bones(PeltiBench *bench)
{
    static const int bones[] = {10, 160, 600};
    for (int m = 0; m < 2; m++)
        for (int b = 0; b < 3; b++) {
            char label[72];
            double ns = time_blend(bench, blends[m].name, 30000, bones[b], 1);
            snprintf(label, sizeof label, "%s, 30k vertices, %d bones, 1 thread", blends[m].name, bones[b]);
            pelti_bench_row(bench, label, (PeltiBenchFigure){.value = ns, .unit = "ns/vtx"}, "%s", "");
            pelti_bench_bound(bench, ns * 0.03, 1, blends[m].flops * 30000, 0);
        }
}

void pelti_bench_foundation(PeltiBench *bench);
void pelti_bench_foundation(PeltiBench *bench)
{
    time_blends(bench);
    time_bones(bench);
    time_reading(bench);
    time_inspect(bench);
    time_weights(bench);
}
