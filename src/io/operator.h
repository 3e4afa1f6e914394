/// Operators as JSON documents.
#ifndef PELTI_IO_OPERATOR_H
#define PELTI_IO_OPERATOR_H

#include "io/form.h"

#include <pelt/operator.h>

/// Fills an operator from an object of an open document. Its name is a key of the object, or has been set before.
PeltStatus pelti_io_operator_fill(PeltiForm *form, const PeltiJsonAt *at, PeltOperator *out, PeltError *err);
PeltStatus pelti_io_operator_read(const char *path, const PeltAllocator *allocator, PeltOperator *out, PeltError *err);
PeltStatus pelti_io_operator_write(const PeltOperator *op, const char *path, PeltError *err);

#endif
