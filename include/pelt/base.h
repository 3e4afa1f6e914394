/// Pelt: what every other header leans on: status and error, allocator, threads, log and progress, version.
#ifndef PELT_BASE_H
#define PELT_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PELT_API               __attribute__((visibility("default")))
#define PELT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define PELT_API
#define PELT_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define PELT_VERSION_MAJOR  0
#define PELT_VERSION_MINOR  1
#define PELT_VERSION_PATCH  0
#define PELT_VERSION_STRING "0.1.0"

/// Returns the version of the library that is linked, "0.1.0", which may differ from the header's. The text is static. Any thread
/// may call it, and it costs nothing.
PELT_API const char *pelt_version(void);

/// What went wrong. The command's exit code is the status' value.
typedef enum PeltStatus {
    PELT_OK = 0,
    PELT_BAD_ARGUMENT = 1, ///< the caller asked for something that does not exist (method, option, clip, frame)
    PELT_IO = 2,           ///< a file could not be read or written
    PELT_BAD_INPUT = 3,    ///< a file was read, and what is in it is invalid
    PELT_FAILED = 4,       ///< run time: out of memory, a solver that broke down, cancelled
    PELT_UNSUPPORTED = 5   ///< valid, but not something this version handles
} PeltStatus;

/// The story of the first failure: filled by the call that returned something other than PELT_OK.
typedef struct PeltError {
    PeltStatus status;
    char text[512]; ///< one line, no newline: what, where, and if there is one a cure
} PeltError;

/// Where an object's memory comes from. All zero means malloc and free.
/// `alloc` returns memory aligned to 64 bytes or NULL; it is called from the thread that calls into Pelt only.
typedef struct PeltAllocator {
    void *(*alloc)(size_t bytes, void *user);
    void (*free)(void *memory, size_t bytes, void *user);
    void *user;
} PeltAllocator;

/// Called with progress of long work; `share` in [0,1]. Return non-zero to cancel: the work then ends with PELT_FAILED.
typedef int (*PeltProgress)(const char *stage, double share, void *user);

/// A warning the library wants a person to see; `code` is stable ("weights-automatic"), `text` is one line.
typedef struct PeltWarning {
    char code[48];
    char text[256];
} PeltWarning;

/// Hook for PELT_ASSERT (the caller broke a rule of the header). Default: print to stderr and abort.
typedef void (*PeltAssertHook)(const char *condition, const char *file, int line);
/// Sets what is called when an assertion fails; NULL sets the default again. The hook is the process's: set it before other
/// threads use the library. It costs nothing and cannot fail.
PELT_API void pelt_set_assert_hook(PeltAssertHook hook);

#ifdef __cplusplus
}
#endif
#endif
