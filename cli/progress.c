/// Progress on stderr, interrupts, and what all sub-commands do around one file.
#include "cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t g_interrupted; // set by the signal handler, the only thing it may touch

static void on_signal(int number)
{
    if (g_interrupted) // asked twice: leave at once
        _exit(128 + number);
    g_interrupted = 1;
}

void cli_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

CliProgress cli_progress_start(bool quiet)
{
    return (CliProgress){.quiet = quiet, .terminal = isatty(STDERR_FILENO), .last_tenth = -1};
}

static void draw_bar(const char *stage, double share)
{
    char bar[31];
    int filled = (int)(share * 30);
    for (int i = 0; i < 30; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[30] = 0;
    fprintf(stderr, "\r%-10s [%s] %3.0f %%", stage, bar, share * 100);
    fflush(stderr);
}

int cli_progress(const char *stage, double share, void *user)
{
    CliProgress *progress = user;
    if (g_interrupted)
        return 1;
    if (progress->quiet)
        return 0;
    share = share > 0 ? (share < 1 ? share : 1) : 0;
    int tenth = (int)(share * 10);
    bool new_stage = strcmp(stage, progress->stage) != 0;
    if (progress->terminal)
        draw_bar(stage, share);
    else if (new_stage || tenth != progress->last_tenth)
        fprintf(stderr, "%s %d %%\n", stage, tenth * 10);
    snprintf(progress->stage, sizeof progress->stage, "%s", stage);
    progress->last_tenth = tenth;
    return 0;
}

void cli_progress_end(CliProgress *progress)
{
    if (!progress->quiet && progress->terminal && progress->stage[0])
        fprintf(stderr, "\r%*s\r", 60, "");
}

PeltStatus cli_open_motion(CliSession *session, const CliCommand *command, const char *file, const char *motion, bool quiet)
{
    *session = (CliSession){.command = command, .progress = cli_progress_start(quiet)};
    cli_catch_interrupts();
    return motion ? pelt_character_load_motion(file, motion, NULL, &session->who, &session->err)
                  : pelt_character_load(file, NULL, &session->who, &session->err);
}

PeltStatus cli_open(CliSession *session, const CliCommand *command, const char *file, bool quiet)
{
    return cli_open_motion(session, command, file, NULL, quiet);
}

enum { SHOWN_OF_A_KIND = 3 };

static void end_kind(CliSession *session)
{
    if (session->last_count > SHOWN_OF_A_KIND)
        fprintf(stderr, "pelt %s: warning: and %d more like this [%s]\n", session->command->name,
                session->last_count - SHOWN_OF_A_KIND, session->last_code);
    session->last_count = 0;
}

void cli_warn(const PeltWarning *warning, void *user)
{
    CliSession *session = user;
    cli_progress_end(&session->progress);
    if (strcmp(session->last_code, warning->code) != 0)
        end_kind(session);
    snprintf(session->last_code, sizeof session->last_code, "%s", warning->code);
    if (session->last_count++ < SHOWN_OF_A_KIND)
        fprintf(stderr, "pelt %s: warning: %s [%s]\n", session->command->name, warning->text, warning->code);
}

int cli_close(CliSession *session, PeltStatus status)
{
    cli_progress_end(&session->progress);
    if (status == PELT_OK)
        for (int i = 0; i < pelt_character_warning_count(session->who); i++)
            cli_warn(pelt_character_warning(session->who, i), session);
    end_kind(session);
    pelt_character_destroy(session->who);
    return status == PELT_OK ? 0 : cli_fail_error(session->command, &session->err);
}
