/// The command's own parts: arguments, progress, and one function a sub-command. Speaks include/pelt only.
#ifndef PELT_CLI_H
#define PELT_CLI_H

#include <pelt/pelt.h>

#include <stdbool.h>

/// One option of a sub-command; tables end with name == NULL. Also printed by --help.
typedef struct CliOption {
    const char *name;  ///< "clip" for --clip
    char letter;       ///< 'o' for -o, 0: none
    const char *value; ///< name of its value in the help; NULL: takes none
    const char *help;
} CliOption;

typedef struct CliCommand {
    const char *name, *arguments, *summary; ///< arguments: "FILE [options]"
    const char *details;                    ///< paragraphs of --help after the summary; may be NULL
    const CliOption *options;
    int (*run)(const struct CliCommand *command, int argc, char **argv); ///< argv[0] is the first argument; returns the exit code
} CliCommand;

/// Walks the arguments: options in any order, positional ones between; "--" ends options.
typedef struct CliArgs {
    const CliCommand *command;
    int argc, at;
    char **argv;
    const char *value; ///< of the option or positional argument just read
    bool only_positional;
    bool failed; ///< a message is on stderr
} CliArgs;
enum { CLI_END = -1, CLI_POSITIONAL = -2 };
CliArgs cli_args(const CliCommand *command, int argc, char **argv);
/// Index of the next option in the command's table, CLI_POSITIONAL, or CLI_END (also on failure: see `failed`).
/// --help prints the command's page and exits 0.
int cli_next(CliArgs *args);

/// Numbers from text; false and a message where it is none.
bool cli_int(const CliCommand *command, const char *text, const char *what, int *out);
bool cli_double(const CliCommand *command, const char *text, const char *what, double *out);

void cli_help(const CliCommand *command);
/// One line on stderr: "pelt bake: ..."; returns the exit code to use.
int cli_fail(const CliCommand *command, PeltStatus status, const char *format, ...) PELT_PRINTF(3, 4);
int cli_fail_error(const CliCommand *command, const PeltError *err);
int cli_usage(const CliCommand *command, const char *format, ...) PELT_PRINTF(2, 3); ///< exit code 1, points at --help
void cli_warn(const CliCommand *command, const PeltWarning *warning);

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

extern const CliCommand *const cli_commands[]; ///< ends with NULL

#endif
