/// Writing a self-contained HTML page into memory: text that is escaped, pictures as data, plots as SVG.
#ifndef PELTI_TOOLS_PAGE_H
#define PELTI_TOOLS_PAGE_H

#include "core/memory.h"

typedef struct PeltiPage {
    PeltiArray bytes;
} PeltiPage;

void pelti_page_init(PeltiPage *page);
void pelti_page_release(PeltiPage *page);
void pelti_page_add(PeltiPage *page, const char *format, ...) PELT_PRINTF(2, 3);         ///< as it is
void pelti_page_text(PeltiPage *page, const char *text);                                 ///< escaped
void pelti_page_data(PeltiPage *page, const char *type, const void *data, size_t bytes); ///< "data:type;base64,..."

/// Head with style, and everything up to <main>; then the end with the script.
void pelti_page_begin(PeltiPage *page, const char *title);
void pelti_page_end(PeltiPage *page);

/// A plot over frames: a line a series, values on hover (the script reads data-* attributes).
typedef struct PeltiPageSeries {
    const char *name;
    int colour;           ///< index of the page's palette
    const double *values; ///< [frame_count] NaN: a gap
} PeltiPageSeries;
void pelti_page_plot(PeltiPage *page, const char *title, const char *unit, int frame_count, int series_count,
                     const PeltiPageSeries *series);

#endif
