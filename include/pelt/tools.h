/// All of libpelt-tools, which the command `pelt` is made of: built-in characters, pictures, pages that compare methods. It
/// stands on libpelt of the same version and needs what a host does not: Embree, libpng, libwebp.
#ifndef PELT_TOOLS_H
#define PELT_TOOLS_H
#include <pelt/batch.h>
#include <pelt/bench.h>
#include <pelt/compare.h>
#include <pelt/distil.h>
#include <pelt/make.h>
#include <pelt/pelt.h>
#include <pelt/render.h>
#endif
