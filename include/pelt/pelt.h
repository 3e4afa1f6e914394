/// All of libpelt: what a program embeds. Pictures, pages and built-in characters are in <pelt/tools.h>.
#ifndef PELT_PELT_H
#define PELT_PELT_H
#include <pelt/bake.h>
#include <pelt/base.h>
#include <pelt/character.h>
#include <pelt/measure.h>
#include <pelt/operator.h>
#include <pelt/rig.h>
#include <pelt/scene.h>
#include <pelt/skin.h>
#include <pelt/world.h>
#endif
