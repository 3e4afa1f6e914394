/// What reading and writing JSON text share.
#ifndef PELTI_IO_JSON_READ_H
#define PELTI_IO_JSON_READ_H

/// Bytes of the UTF-8 sequence at p (1 to 4), 0 where it is none.
int pelti_utf8_length(const char *p, const char *end);

#endif
