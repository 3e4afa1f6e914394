/// Everything.
#ifndef PELT_PELT_H
#define PELT_PELT_H
#include <pelt/bake.h>
#include <pelt/base.h>
#include <pelt/character.h>
#include <pelt/compare.h>
#include <pelt/make.h>
#include <pelt/measure.h>
#include <pelt/operator.h>
#include <pelt/render.h>
#include <pelt/scene.h>
#include <pelt/skin.h>
#include <pelt/world.h>
#endif
