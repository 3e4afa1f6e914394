/// Writes zips of stored entries: .npz, and what the studio hands out of several files.
#include "io/zip.h"

#include <string.h>

typedef struct Entry {
    char name[PELTI_ZIP_NAME + 1];
    uint64_t offset, bytes; // of the local header; of the contents
    uint32_t crc;
} Entry;

static void make_table(uint32_t table[256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
}

static PeltStatus put(PeltiZip *zip, const void *data, size_t bytes, PeltError *err)
{
    zip->written += bytes;
    return pelti_file_write(&zip->file, data, bytes, err);
}

PeltStatus pelti_zip_write(PeltiZip *zip, const void *data, size_t bytes, PeltError *err)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        zip->crc = zip->table[(zip->crc ^ p[i]) & 255] ^ (zip->crc >> 8);
    return put(zip, data, bytes, err);
}

// ---- headers ----

static size_t word(unsigned char *to, size_t at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        to[at + (size_t)i] = (unsigned char)(value >> 8 * i);
    return at + (size_t)bytes;
}

static size_t put_sizes(unsigned char *to, size_t at, const Entry *entry, bool central)
{
    at = word(to, at, 1, 2); // ZIP64
    at = word(to, at, central ? 24 : 16, 2);
    at = word(to, at, entry->bytes, 8);
    at = word(to, at, entry->bytes, 8);
    return central ? word(to, at, entry->offset, 8) : at;
}

/// What local and central headers share: flags, no compression, no time, checksum, sizes elsewhere, the name's length.
static size_t put_common(unsigned char *to, size_t at, const Entry *entry, int extra)
{
    at = word(to, at, 45, 2);
    at = word(to, at, 0, 4);
    at = word(to, at, 0x00210000, 4); // 1 January 1980: the same contents, the same bytes
    at = word(to, at, entry->crc, 4);
    at = word(to, at, 0xFFFFFFFFu, 4);
    at = word(to, at, 0xFFFFFFFFu, 4);
    at = word(to, at, strlen(entry->name), 2);
    return word(to, at, (uint64_t)extra, 2);
}

static PeltStatus put_local(PeltiZip *zip, const Entry *entry, PeltError *err)
{
    unsigned char bytes[64 + PELTI_ZIP_NAME];
    size_t at = word(bytes, 0, 0x04034B50, 4);
    at = put_common(bytes, at, entry, 20);
    memcpy(bytes + at, entry->name, strlen(entry->name));
    at = put_sizes(bytes, at + strlen(entry->name), entry, false);
    return put(zip, bytes, at, err);
}

static PeltStatus put_central(PeltiZip *zip, const Entry *entry, PeltError *err)
{
    unsigned char bytes[96 + PELTI_ZIP_NAME];
    size_t at = word(bytes, 0, 0x02014B50, 4);
    at = word(bytes, at, 45, 2);
    at = put_common(bytes, at, entry, 28);
    at = word(bytes, at, 0, 2 + 2 + 2); // no comment, one disk, bytes
    at = word(bytes, at, 0, 4);
    at = word(bytes, at, 0xFFFFFFFFu, 4);
    memcpy(bytes + at, entry->name, strlen(entry->name));
    at = put_sizes(bytes, at + strlen(entry->name), entry, true);
    return put(zip, bytes, at, err);
}

static PeltStatus put_end(PeltiZip *zip, uint64_t directory, PeltError *err)
{
    unsigned char bytes[128];
    uint64_t size = zip->written - directory, here = zip->written;
    size_t at = word(bytes, 0, 0x06064B50, 4); // the 64-bit end, where it is, and the old end
    at = word(bytes, at, 44, 8);
    at = word(bytes, at, 45, 2);
    at = word(bytes, at, 45, 2);
    at = word(bytes, at, 0, 8);
    at = word(bytes, at, zip->entries.count, 8);
    at = word(bytes, at, zip->entries.count, 8);
    at = word(bytes, at, size, 8);
    at = word(bytes, at, directory, 8);
    at = word(bytes, at, 0x07064B50, 4);
    at = word(bytes, at, 0, 4);
    at = word(bytes, at, here, 8);
    at = word(bytes, at, 1, 4);
    at = word(bytes, at, 0x06054B50, 4);
    at = word(bytes, at, 0, 4);
    at = word(bytes, at, zip->entries.count < 0xFFFF ? zip->entries.count : 0xFFFF, 2);
    at = word(bytes, at, zip->entries.count < 0xFFFF ? zip->entries.count : 0xFFFF, 2);
    at = word(bytes, at, 0xFFFFFFFFu, 4);
    at = word(bytes, at, 0xFFFFFFFFu, 4);
    at = word(bytes, at, 0, 2);
    return put(zip, bytes, at, err);
}

// ---- entries ----

PeltStatus pelti_zip_begin(PeltiZip *zip, const PeltAllocator *allocator, const char *path, PeltError *err)
{
    *zip = (PeltiZip){0};
    pelti_array_init(&zip->entries, allocator, sizeof(Entry));
    make_table(zip->table);
    return pelti_file_begin(&zip->file, path, err);
}

PeltStatus pelti_zip_entry(PeltiZip *zip, const char *name, uint64_t bytes, PeltError *err)
{
    Entry entry = {.offset = zip->written, .bytes = bytes};
    if (strlen(name) > PELTI_ZIP_NAME)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "%.60s...: a name in a zip has at most %d letters", name, PELTI_ZIP_NAME);
    memcpy(entry.name, name, strlen(name));
    if (!pelti_array_push(&zip->entries, &entry))
        return pelti_no_memory(err, sizeof entry);
    zip->crc = 0xFFFFFFFFu;
    return put_local(zip, &entry, err);
}

/// The checksum is known now; it stands 14 bytes into the local header.
PeltStatus pelti_zip_entry_end(PeltiZip *zip, PeltError *err)
{
    Entry *entry = (Entry *)zip->entries.data + zip->entries.count - 1;
    unsigned char crc[4];
    entry->crc = ~zip->crc;
    word(crc, 0, entry->crc, 4);
    return pelti_file_patch(&zip->file, (long)entry->offset + 14, crc, sizeof crc, err);
}

PeltStatus pelti_zip_complete(PeltiZip *zip, PeltError *err)
{
    uint64_t directory = zip->written;
    for (size_t i = 0; i < zip->entries.count; i++)
        PELT_TRY(put_central(zip, (const Entry *)zip->entries.data + i, err));
    PELT_TRY(put_end(zip, directory, err));
    return pelti_file_complete(&zip->file, err);
}

PeltStatus pelti_zip_commit(PeltiZip *zip, PeltError *err)
{
    pelti_array_release(&zip->entries);
    return pelti_file_commit(&zip->file, err);
}

void pelti_zip_abort(PeltiZip *zip)
{
    pelti_array_release(&zip->entries);
    pelti_file_abort(&zip->file);
}
