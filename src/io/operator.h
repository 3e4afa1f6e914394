/// Operators as JSON documents.
#ifndef PELTI_IO_OPERATOR_H
#define PELTI_IO_OPERATOR_H

#include "core/memory.h"

#include <pelt/operator.h>

PeltStatus pelti_io_operator_read(const char *path, const PeltAllocator *allocator, PeltOperator *out, PeltError *err);
PeltStatus pelti_io_operator_write(const PeltOperator *op, const char *path, PeltError *err);

#endif
