/// One comparison while it runs: what compare.c makes and compare_page.c shows.
#ifndef PELTI_TOOLS_COMPARE_H
#define PELTI_TOOLS_COMPARE_H

#include "tools/page.h"
#include "tools/study.h"

#include <pelt/compare.h>

typedef enum PeltiCompareSection {
    PELTI_COMPARE_FRAMES,
    PELTI_COMPARE_CLOSE,
    PELTI_COMPARE_HEAT,
    PELTI_COMPARE_FILMS
} PeltiCompareSection;

typedef struct PeltiCompareShot {
    PeltiCompareSection section;
    int row; ///< within the section
    PeltiStudyShot shot;
    PeltiArray webp; ///< of bytes
    char file[96];   ///< below the folder; "" for films
    char alt[200];
    char command[1200];
} PeltiCompareShot;

enum { PELTI_COMPARE_ROWS = 24 };

typedef struct PeltiCompare {
    const PeltCompareDef *def;
    const char *folder;
    PeltiStudy study;
    int frame_count, frames[16];
    PeltiArray shots; ///< of PeltiCompareShot
    char row_title[4][PELTI_COMPARE_ROWS][160];
    int row_count[4];
    PeltCompareResult result;
} PeltiCompare;

void pelti_compare_page(const PeltiCompare *compare, PeltiPage *page);
PeltStatus pelti_compare_json(const PeltiCompare *compare, const char *path, PeltError *err);

/// The table of measures, best values marked, for any study.
void pelti_page_measures(PeltiPage *page, const PeltiStudy *study);

#endif
