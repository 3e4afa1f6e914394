/// .npz: a zip whose directory, checksums and arrays a reader of its own agrees with.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "clip.h"

static uint64_t word(const char *bytes, size_t at, int count)
{
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | (unsigned char)bytes[at + (size_t)i];
    return value;
}

/// CRC-32, bit by bit.
static uint32_t checksum(const char *bytes, size_t count)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i++) {
        crc ^= (unsigned char)bytes[i];
        for (int k = 0; k < 8; k++)
            crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
    }
    return ~crc;
}

/// The array of that name, found from the end of the file as readers do; `header` its text.
static const char *find_array(const char *bytes, size_t size, const char *name, const char **header, size_t *length)
{
    size_t end = size - 22;
    assert_int_equal(word(bytes, end, 4), 0x06054B50);
    assert_int_equal(word(bytes, end - 20, 4), 0x07064B50);
    size_t wide = word(bytes, end - 12, 8);
    assert_int_equal(word(bytes, wide, 4), 0x06064B50);
    size_t count = word(bytes, wide + 32, 8), at = word(bytes, wide + 48, 8);
    assert_int_equal(count, 4);
    assert_int_equal(at + word(bytes, wide + 40, 8), wide);
    for (size_t k = 0; k < count; k++) {
        assert_int_equal(word(bytes, at, 4), 0x02014B50);
        size_t named = word(bytes, at + 28, 2), extra = word(bytes, at + 30, 2);
        size_t bytes_in = word(bytes, at + 46 + named + 4, 8), local = word(bytes, at + 46 + named + 20, 8);
        const char *data = bytes + local + 30 + word(bytes, local + 26, 2) + word(bytes, local + 28, 2);
        assert_int_equal(word(bytes, local, 4), 0x04034B50);
        assert_int_equal(word(bytes, local + 14, 4), checksum(data, bytes_in));
        assert_int_equal(word(bytes, at + 16, 4), checksum(data, bytes_in));
        if (named == strlen(name) && memcmp(bytes + at + 46, name, named) == 0) {
            assert_memory_equal(data, "\x93NUMPY\x01\x00", 8);
            size_t head = 10 + word(data, 8, 2);
            assert_int_equal(head % 64, 0);
            *header = data + 10;
            *length = bytes_in - head;
            return data + head;
        }
        at += 46 + named + extra;
    }
    fail_msg("no %s", name);
    return NULL;
}

static void arrays_are_found_and_whole(void **state)
{
    (void)state;
    PeltiSink *sink;
    PeltError err;
    size_t size, length;
    const char *header;
    assert_int_equal(pelti_npz_sink(NULL, at("clip.npz"), &clip_frames, &clip_shape, &sink, &err), PELT_OK);
    clip_write(sink, false);
    char *bytes = file_bytes(at("clip.npz"), &size);
    const char *data = find_array(bytes, size, "points.npy", &header, &length);
    assert_non_null(strstr(header, "'descr': '<f4', 'fortran_order': False, 'shape': (3, 1500, 3)"));
    assert_int_equal(length, sizeof(float[3]) * CLIP_FRAMES * CLIP_POINTS);
    for (int f = 0; f < CLIP_FRAMES; f++)
        for (int i = 0; i < CLIP_POINTS; i++) {
            float x[3];
            Vec3 want = clip_point(f, i);
            memcpy(x, data + sizeof x * (size_t)(f * CLIP_POINTS + i), sizeof x);
            assert_true(x[0] == want.x && x[1] == want.y && x[2] == want.z);
        }
    data = find_array(bytes, size, "triangles.npy", &header, &length);
    assert_non_null(strstr(header, "'<i4', 'fortran_order': False, 'shape': (2, 3)"));
    assert_memory_equal(data, clip_triangles, sizeof clip_triangles);
    double fps;
    memcpy(&fps, find_array(bytes, size, "fps.npy", &header, &length), sizeof fps);
    CHECK_NEAR(fps, 24, 0);
    int64_t first;
    memcpy(&first, find_array(bytes, size, "start_frame.npy", &header, &length), sizeof first);
    assert_int_equal(first, 7);
    test_free(bytes);
}

static void the_same_clip_is_the_same_bytes(void **state)
{
    (void)state;
    PeltError err;
    size_t sizes[2];
    char *bytes[2];
    for (int k = 0; k < 2; k++) {
        PeltiSink *sink;
        assert_int_equal(pelti_npz_sink(NULL, at("clip.npz"), &clip_frames, &clip_shape, &sink, &err), PELT_OK);
        clip_write(sink, false);
        bytes[k] = file_bytes(at("clip.npz"), &sizes[k]);
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    test_free(bytes[0]);
    test_free(bytes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arrays_are_found_and_whole, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(the_same_clip_is_the_same_bytes, make_folder, remove_folder)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
