/// Keeps rows over several runs, and reads and writes them.
#include "bench/table.h"

#include "core/error.h"
#include "core/file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PeltStatus pelt_bench_table_create(PeltBenchTable **out, PeltError *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return pelti_no_memory(err, sizeof **out);
    pelti_array_init(&(*out)->rows, NULL, sizeof(PeltiBenchKept));
    return PELT_OK;
}

void pelt_bench_table_destroy(PeltBenchTable *table)
{
    if (table)
        pelti_array_release(&table->rows);
    free(table);
}

int pelt_bench_table_count(const PeltBenchTable *table)
{
    return (int)table->rows.count;
}

static const PeltiBenchKept *kept_at(const PeltBenchTable *table, int index)
{
    return (const PeltiBenchKept *)(const void *)table->rows.data + index;
}

static PeltiBenchKept *find(const PeltBenchTable *table, const char *group, const char *name)
{
    PeltiBenchKept *rows = (PeltiBenchKept *)(void *)table->rows.data;
    for (size_t i = 0; i < table->rows.count; i++)
        if (!strcmp(rows[i].group, group) && !strcmp(rows[i].name, name))
            return &rows[i];
    return NULL;
}

PeltBenchRow pelt_bench_table_row(const PeltBenchTable *table, int index)
{
    PELT_ASSERT(index >= 0 && index < pelt_bench_table_count(table));
    const PeltiBenchKept *k = kept_at(table, index);
    return (PeltBenchRow){.group = k->group,
                          .name = k->name,
                          .unit = k->unit,
                          .note = k->note,
                          .parts = k->parts[0] ? k->parts : NULL,
                          .value = k->runs ? k->median : NAN,
                          .wanted = k->wanted,
                          .paper = k->paper,
                          .over_machine = k->over_machine,
                          .runs = k->runs,
                          .low = k->low,
                          .high = k->high};
}

/// One more value, in its place.
static void add_value(PeltiBenchKept *kept, double value)
{
    if (!isfinite(value) || kept->runs == PELTI_BENCH_RUNS)
        return;
    int at = kept->runs++;
    for (; at > 0 && kept->values[at - 1] > value; at--)
        kept->values[at] = kept->values[at - 1];
    kept->values[at] = value;
    int n = kept->runs;
    kept->low = kept->values[0];
    kept->high = kept->values[n - 1];
    kept->median = 0.5 * (kept->values[(n - 1) / 2] + kept->values[n / 2]);
}

void pelt_bench_table_add(const PeltBenchRow *row, void *user)
{
    PeltBenchTable *table = user;
    char group[sizeof((PeltiBenchKept *)0)->group], name[sizeof((PeltiBenchKept *)0)->name];
    snprintf(group, sizeof group, "%s", row->group);
    snprintf(name, sizeof name, "%s", row->name);
    PeltiBenchKept *kept = find(table, group, name);
    if (!kept && !(kept = pelti_array_push(&table->rows, NULL)))
        return;
    snprintf(kept->group, sizeof kept->group, "%s", group);
    snprintf(kept->name, sizeof kept->name, "%s", name);
    snprintf(kept->unit, sizeof kept->unit, "%s", row->unit);
    snprintf(kept->note, sizeof kept->note, "%s", row->note);
    snprintf(kept->parts, sizeof kept->parts, "%s", row->parts ? row->parts : "");
    kept->wanted = row->wanted;
    kept->paper = row->paper;
    kept->over_machine = row->over_machine;
    add_value(kept, row->value);
    if (row->runs > 1) { // read from a file: the ends are known, what lies between is not
        kept->runs = row->runs;
        kept->low = row->low;
        kept->high = row->high;
    }
}

// ---- out ----

static void write_csv(const PeltBenchTable *table, PeltiPage *out)
{
    pelti_page_add(out, "group,name,value,unit,wanted,paper,over_machine,note,runs,low,high,parts\n");
    for (int i = 0; i < pelt_bench_table_count(table); i++) {
        PeltBenchRow r = pelt_bench_table_row(table, i);
        pelti_page_add(out, "%s,\"%s\",%.6g,%s,%.6g,%.6g,%.6g,\"%s\",%d,%.6g,%.6g,\"%s\"\n", r.group, r.name, r.value, r.unit,
                       r.wanted, r.paper, r.over_machine, r.note, r.runs, r.low, r.high, r.parts ? r.parts : "");
    }
}

static void write_json(const PeltBenchTable *table, PeltiPage *out)
{
    pelti_page_add(out, "{\n \"pelt\": \"%s\",\n \"rows\": [\n", pelt_version());
    for (int i = 0; i < pelt_bench_table_count(table); i++) {
        PeltBenchRow r = pelt_bench_table_row(table, i);
        pelti_page_add(out, "  {\"group\": \"%s\", \"name\": \"%s\", \"value\": ", r.group, r.name);
        pelti_page_add(out, isfinite(r.value) ? "%.6g" : "null", r.value);
        pelti_page_add(out, ", \"unit\": \"%s\", \"wanted\": %.6g, \"paper\": %.6g, \"over_machine\": %.6g, ", r.unit, r.wanted,
                       r.paper, r.over_machine);
        pelti_page_add(out, "\"runs\": %d, \"low\": %.6g, \"high\": %.6g, \"parts\": \"%s\", \"note\": \"%s\"}%s\n", r.runs,
                       r.low, r.high, r.parts ? r.parts : "", r.note, i + 1 < pelt_bench_table_count(table) ? "," : "");
    }
    pelti_page_add(out, " ]\n}\n");
}

PeltStatus pelt_bench_table_write(const PeltBenchTable *table, const char *path, const char *form, PeltError *err)
{
    const char *dot = strrchr(path, '.');
    if (!form)
        form = dot && (!strcmp(dot, ".csv") || !strcmp(dot, ".html")) ? dot + 1 : "json";
    if (strcmp(form, "csv") != 0 && strcmp(form, "json") != 0 && strcmp(form, "html") != 0)
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "form \"%.40s\": it is csv, json or html", form);
    PeltiPage out;
    pelti_page_init(&out);
    if (!strcmp(form, "csv"))
        write_csv(table, &out);
    else if (!strcmp(form, "html"))
        pelti_bench_page(table, &out);
    else
        write_json(table, &out);
    PeltStatus status = PELT_OK;
    if (out.bytes.failed)
        status = pelti_no_memory(err, out.bytes.count);
    else if (strcmp(path, "-"))
        status = pelti_file_save(path, out.bytes.data, out.bytes.count, err);
    else if (fwrite(out.bytes.data, 1, out.bytes.count, stdout) != out.bytes.count)
        status = PELT_FAIL(err, PELT_IO, "cannot write to standard output");
    pelti_page_release(&out);
    return status;
}

// ---- in ----

/// Cuts the next field off a line, quotes taken away; an empty text at its end.
static char *next_field(char **line)
{
    char *at = *line, *end;
    bool quoted = *at == '"';
    at += quoted;
    end = quoted ? strchr(at, '"') : at + strcspn(at, ",\r\n");
    if (!end)
        end = at + strlen(at);
    *line = end + (*end != 0);
    if (quoted)
        *line += strspn(*line, ",\r\n") ? 1 : 0;
    *end = 0;
    return at;
}

/// Files written before there were several runs a row end after the note.
static void read_row(PeltBenchTable *table, char *line)
{
    char *field[12];
    for (int i = 0; i < 12; i++)
        field[i] = next_field(&line);
    PeltBenchRow row = {.group = field[0],
                        .name = field[1],
                        .value = strtod(field[2], NULL),
                        .unit = field[3],
                        .wanted = strtod(field[4], NULL),
                        .paper = strtod(field[5], NULL),
                        .over_machine = strtod(field[6], NULL),
                        .note = field[7],
                        .runs = atoi(field[8]),
                        .low = strtod(field[9], NULL),
                        .high = strtod(field[10], NULL),
                        .parts = field[11]};
    if (*field[2])
        pelt_bench_table_add(&row, table);
}

PeltStatus pelt_bench_table_read(const char *path, PeltBenchTable **out, PeltError *err)
{
    char line[2048];
    *out = NULL;
    FILE *file = fopen(path, "r");
    if (!file)
        return PELT_FAIL(err, PELT_IO, "cannot read %s", path);
    PeltStatus status = PELT_OK;
    if (!fgets(line, sizeof line, file) || strncmp(line, "group,name,value,unit,", 22))
        status = PELT_FAIL(err, PELT_BAD_INPUT, "%s is no result of pelt bench: give a .csv that `pelt bench -o FILE.csv` wrote",
                           path);
    if (status == PELT_OK)
        status = pelt_bench_table_create(out, err);
    while (status == PELT_OK && fgets(line, sizeof line, file))
        read_row(*out, line);
    fclose(file);
    return status;
}

// ---- two tables ----

/// More of these is better; of all others (times, bytes) less.
static bool more_is_better(const char *unit)
{
    return !strcmp(unit, "x") || strstr(unit, "B/s") || strstr(unit, "flop/s");
}

/// Half the distance of the farthest runs, as a share of the median. Several runs may agree by chance: at least 2 %.
static double spread(const PeltBenchRow *row)
{
    static const double ONE_RUN = 0.15, LEAST = 0.02;
    return row->runs < 2 ? ONE_RUN : fmax(LEAST, 0.5 * (row->high - row->low) / fabs(row->value));
}

void pelt_bench_compare(const PeltBenchTable *before, const PeltBenchTable *after,
                        void (*change)(const PeltBenchChange *change, void *user), void *user)
{
    for (int i = 0; i < pelt_bench_table_count(after); i++) {
        PeltBenchChange c = {.after = pelt_bench_table_row(after, i)};
        const PeltiBenchKept *old = find(before, c.after.group, c.after.name);
        if (!old || strcmp(old->unit, c.after.unit))
            continue;
        c.before = pelt_bench_table_row(before, (int)(old - kept_at(before, 0)));
        c.ratio = c.after.value / c.before.value;
        if (!isfinite(c.ratio))
            continue;
        double a = spread(&c.before), b = spread(&c.after);
        c.noise = sqrt(a * a + b * b);
        if (c.ratio > 1 + c.noise || c.ratio * (1 + c.noise) < 1)
            c.verdict = (c.ratio < 1) != more_is_better(c.after.unit) ? 1 : -1;
        change(&c, user);
    }
}
