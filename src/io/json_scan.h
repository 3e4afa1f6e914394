/// A walk over JSON text that builds nothing: strict checking before the library parses, and the line of a value after.
#ifndef PELTI_IO_JSON_SCAN_H
#define PELTI_IO_JSON_SCAN_H

#include "io/json.h"

typedef struct PeltiJsonScan {
    const char *problem; ///< NULL: it is JSON
    int line, column;    ///< of the problem, from 1
    size_t cost;         ///< about how many bytes the parsed document takes
} PeltiJsonScan;

/// Is [text, text + size) one object or array, nested at most `depth` deep, costing at most `most_bytes`?
PeltiJsonScan pelti_json_scan(const char *text, size_t size, int depth, size_t most_bytes);

/// Bytes of the UTF-8 sequence at p (1 to 4), 0 where it is none.
int pelti_utf8_length(const char *p, const char *end);

#endif
