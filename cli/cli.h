/// The command's own parts: arguments, progress, and one function a sub-command. Speaks include/pelt only.
#ifndef PELT_CLI_H
#define PELT_CLI_H

#include <pelt/tools.h>

#include <stdbool.h>
#include <stddef.h>

struct CliCommand;

/// What an option's text becomes, at `offset` of the sub-command's request.
typedef enum CliKind {
    CLI_TEXT,   ///< const char *
    CLI_FLAG,   ///< bool, set; the option takes no value
    CLI_WORD,   ///< int, set to 1, or to 2 where the word in `value` follows: "[body]"
    CLI_OFF,    ///< bool, unset; the option takes no value
    CLI_INT,    ///< int
    CLI_COUNT,  ///< int, 0 or more
    CLI_DOUBLE, ///< double
    CLI_SIZE,   ///< int[2] from "WxH"
    CLI_LIST,   ///< CliList: the option may be given several times
} CliKind;

/// Texts of an option that may be given several times.
enum { CLI_MOST = 64 };
typedef struct CliList {
    const char *items[CLI_MOST];
    int count;
} CliList;

/// One option of a sub-command; tables end with name == NULL. Also printed by --help. An empty name: the arguments that are no
/// option, with `help` as what to say where a second one stands.
typedef struct CliOption { // NOLINT(clang-analyzer-optin.performance.Padding): in the order a table is read
    const char *name;      ///< "clip" for --clip
    char letter;           ///< 'o' for -o, 0: none
    const char *value;     ///< name of its value in the help; NULL: takes none
    const char *help;
    CliKind kind;
    size_t offset, size;                                                             ///< of the field
    bool (*read)(const struct CliCommand *command, const char *text, void *request); ///< in place of kind; false: said why not
} CliOption;

/// Where the value goes: a field of the request. Flags are bool, which is checked when the table is compiled.
#define CLI_TO(what, type, field) .kind = (CliKind)((what) + 0 * CLI_CHECK(what, type, field)), .offset = offsetof(type, field)
#define CLI_CHECK(what, type, field)                                                                                             \
    (int)sizeof(struct {                                                                                                         \
        _Static_assert(((what) != CLI_FLAG && (what) != CLI_OFF) || sizeof(((type *)0)->field) == sizeof(bool),                  \
                       "a flag is a bool");                                                                                      \
        char checked;                                                                                                            \
    })

typedef struct CliCommand {
    const char *name, *arguments, *summary; ///< arguments: "FILE [options]"
    const char *details;                    ///< paragraphs of --help after the summary; may be NULL
    const CliOption *options;
    int (*run)(const struct CliCommand *command, int argc, char **argv); ///< argv[0] is the first argument; returns the exit code
} CliCommand;

/// Reads the arguments into the request as the command's table says: options in any order, others between; "--" ends options;
/// --help prints the command's page and exits 0. False: what is wrong is on stderr, the exit code is PELT_BAD_ARGUMENT.
bool cli_parse(const CliCommand *command, int argc, char **argv, void *request);

/// Whole numbers with a sign between, "2:5", and nothing after; false where one is none or no int holds it (sscanf takes the low
/// bits of such).
bool cli_read_ints(const char *text, char between, int count, int *out);

void cli_help(const CliCommand *command);
/// One line on stderr: "pelt bake: ..."; returns the exit code to use.
int cli_fail(const CliCommand *command, PeltStatus status, const char *format, ...) PELT_PRINTF(3, 4);
int cli_fail_error(const CliCommand *command, const PeltError *err);
/// Paths, of which some may be NULL: not asked for.
typedef struct CliFiles {
    const char *const *items;
    int count;
} CliFiles;
#define CLI_FILES(...)                                                                                                           \
    (&(CliFiles){(const char *const[]){__VA_ARGS__}, (int)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))})
/// Whether no file that is read is written over, under whatever name: its skin, clips or points would be lost. False: said so,
/// the exit code is PELT_BAD_ARGUMENT.
bool cli_keeps(const CliCommand *command, const CliFiles *read, const CliFiles *written);
/// Whether another file that is written is none of these. False: said so, the exit code is PELT_BAD_ARGUMENT.
bool cli_writes_once(const CliCommand *command, const CliFiles *written, const char *other);
int cli_usage(const CliCommand *command, const char *format, ...) PELT_PRINTF(2, 3); ///< exit code 1, points at --help

/// Progress on stderr: a bar on a terminal, a line every 10 % elsewhere. For PeltSkinDef.progress; user is a CliProgress.
typedef struct CliProgress {
    bool quiet, terminal;
    int last_tenth;
    char stage[32];
} CliProgress;
CliProgress cli_progress_start(bool quiet);
int cli_progress(const char *stage, double share, void *user);
void cli_progress_end(CliProgress *progress);
/// Ctrl-C and TERM make the next progress call cancel the work, so that nothing half written stays.
void cli_catch_interrupts(void);

/// The measures of a clip beside lbs (`lbs->frames` 0: none) and the verdict: a few lines, or members of a JSON object.
void cli_print_quality(const PeltQuality *quality, const PeltQuality *lbs, const char *verdict);
void cli_print_quality_json(const char *before, const PeltQuality *quality, PeltVerdict verdict, const char *text);

/// Work on one file: its character loaded, progress shown and interrupts caught. `cli_close` ends the progress, prints warnings
/// or the error, frees the character and returns the exit code.
typedef struct CliSession {
    const CliCommand *command;
    char last_code[48]; ///< of the warning printed last, and how many of its kind there were
    int last_count;
    PeltCharacter *who;
    CliProgress progress;
    PeltError err;
} CliSession;
PeltStatus cli_open(CliSession *session, const CliCommand *command, const char *file, bool quiet);
/// The same with the clips of another file first; `motion` NULL: without.
PeltStatus cli_open_motion(CliSession *session, const CliCommand *command, const char *file, const char *motion, bool quiet);
#define CLI_MOTION_HELP                                                                                                          \
    "clips of another file (.glb .vrm .gltf .fbx .dae .bvh), joints paired by name, before the character's own"
int cli_close(CliSession *session, PeltStatus status);
/// One line on stderr; of many with the same code only the first few. For PeltBakeDef.warned; user is a CliSession.
void cli_warn(const PeltWarning *warning, void *user);

extern const CliCommand *const cli_commands[]; ///< ends with NULL

#endif
