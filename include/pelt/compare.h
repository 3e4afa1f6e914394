/// Methods side by side (libpelt-tools): one page with pictures, plots and numbers.
#ifndef PELT_COMPARE_H
#define PELT_COMPARE_H

#include <pelt/bake.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct PeltCompareDef {
    const char *file;            ///< how the character's file is named in the commands on the page
    const char *clip;            ///< name or index; NULL: the first
    double fps;                  ///< 30
    const char *methods[12];     ///< method_count of them
    int method_count;            ///< 0: all there are
    int frames[16], frame_count; ///< frames to picture; frame_count 0: the worst are chosen
    int pictures;                ///< frames to choose, 4
    int width, height;           ///< of the pictures, 640 x 480
    bool films;                  ///< a moving picture of each method
    int threads;                 ///< 0: as many as the machine has
    PeltProgress progress;       ///< may be NULL
    void *progress_user;
    uint32_t guard; ///< filled by pelt_compare_def_default
} PeltCompareDef;
/// Returns a description of all methods with four pictures each and films, as `pelt compare` makes them. Any thread may call it,
/// and it costs nothing.
PELT_API PeltCompareDef pelt_compare_def_default(void);

typedef struct PeltCompareResult {
    int methods, failed; ///< run, and of them those that could not be prepared for this character
    int pictures;
    int resumed; ///< parts taken from an interrupted run
    size_t page_bytes;
} PeltCompareResult;

/// Writes folder/index.html (self-contained), folder/compare.json and folder/pictures/ (.png). Finished parts are kept in
/// folder/parts until the page is written: after an interruption the same call goes on from there. `result` may be NULL. Any
/// thread may call it, one at a time for a folder; the character is only read. It takes what all methods take for the clip,
/// measuring, and a few seconds of pictures. A method that cannot be prepared is told on the page and fails nothing. It fails
/// with PELT_BAD_ARGUMENT for an unknown method or clip, PELT_IO where the folder cannot be written, and PELT_FAILED where
/// `progress` cancels or there is no memory.
PELT_API PeltStatus pelt_compare(const PeltCompareDef *def, const PeltCharacter *who, const char *folder,
                                 PeltCompareResult *result, PeltError *err);

/// Bakes the built-in characters by every method, into folder/index.html (self-contained) with pictures, measures and links to
/// the characters and the baked .glb and .pc2 beside it; the files are the caller's. `threads` 0 means as many as the machine
/// has, and `progress` may be NULL. Any thread may call it, one at a time for a folder; it takes about a minute. It fails with
/// PELT_IO where the folder cannot be written and PELT_FAILED where `progress` cancels or there is no memory.
PELT_API PeltStatus pelt_demo(const char *folder, int threads, PeltProgress progress, void *progress_user, PeltError *err);

#ifdef __cplusplus
}
#endif
#endif
