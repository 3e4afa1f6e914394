/// Operators from and to JSON.
#include "io/operator.h"

#include "core/file.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static PeltStatus read_name(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltOperator *op = target;
    const char *text = NULL;
    if (pelti_json_string(at, PELTI_REQUIRED, &text, NULL) != PELT_OK || !*text || strlen(text) >= sizeof op->name)
        return pelti_form_fail(form, at, err, "a name of at most %d letters was expected", (int)sizeof op->name - 1);
    snprintf(op->name, sizeof op->name, "%s", text);
    return PELT_OK;
}

typedef struct Pairs {
    int most;   ///< of them
    double top; ///< of the first number; the second is at most 1
    float (*out)[2];
} Pairs;

static PeltStatus read_pairs(PeltiForm *form, const PeltiJsonAt *at, Pairs pairs, int *count, PeltError *err)
{
    if (pelti_json_array(at, PELTI_REQUIRED, count, NULL) != PELT_OK || *count < 1 || *count > pairs.most)
        return pelti_form_fail(form, at, err, "1 to %d pairs of numbers were expected", pairs.most);
    for (int i = 0; i < *count; i++) {
        PeltiJsonAt item = pelti_json_item(at, i);
        double pair[2];
        if (pelti_json_doubles(&item, PELTI_REQUIRED, 2, pair, NULL) != PELT_OK || !(pair[0] >= 0 && pair[0] <= pairs.top) ||
            !(pair[1] >= 0 && pair[1] <= 1))
            return pelti_form_fail(form, &item, err, "a pair [0 to %g, 0 to 1] was expected", pairs.top);
        pairs.out[i][0] = (float)pair[0];
        pairs.out[i][1] = (float)pair[1];
    }
    return PELT_OK;
}

static PeltStatus read_open(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltOperator *op = target;
    int count;
    PELT_TRY(read_pairs(form, at, (Pairs){PELT_OPERATOR_CONTROLS, 1, op->open}, &count, err));
    if (op->control_count && op->control_count != count)
        return pelti_form_fail(form, at, err, "%d points here, %d in \"closed\"", count, op->control_count);
    op->control_count = count;
    return PELT_OK;
}

static PeltStatus read_closed(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltOperator *op = target;
    int count;
    PELT_TRY(read_pairs(form, at, (Pairs){PELT_OPERATOR_CONTROLS, 1, op->closed}, &count, err));
    if (op->control_count && op->control_count != count)
        return pelti_form_fail(form, at, err, "%d points here, %d in \"open\"", count, op->control_count);
    op->control_count = count;
    return PELT_OK;
}

static PeltStatus read_controller(PeltiForm *form, const PeltiJsonAt *at, void *target, PeltError *err)
{
    PeltOperator *op = target;
    return read_pairs(form, at, (Pairs){PELT_OPERATOR_POINTS, 180, op->controller}, &op->point_count, err);
}

PeltStatus pelti_io_operator_fill(PeltiForm *form, const PeltiJsonAt *at, PeltOperator *out, PeltError *err)
{
    static const PeltiFormField fields[] = {
        {.key = "version", .kind = PELTI_FORM_CUSTOM, .read = pelti_form_version},
        {.key = "name", .kind = PELTI_FORM_CUSTOM, .read = read_name},
        {.key = "open", .kind = PELTI_FORM_CUSTOM, .required = true, .read = read_open},
        {.key = "closed", .kind = PELTI_FORM_CUSTOM, .required = true, .read = read_closed},
        {.key = "reach", .kind = PELTI_FORM_FLOAT, .offset = offsetof(PeltOperator, reach), .required = true, .most = 1},
        {.key = "controller", .kind = PELTI_FORM_CUSTOM, .required = true, .read = read_controller},
        {0},
    };
    PeltiJsonAt name = pelti_json_member(at, "name");
    if (!out->name[0] && !name.value && pelti_json_object(at, PELTI_REQUIRED, NULL) == PELT_OK)
        return pelti_form_fail(form, &name, err, "is missing");
    return pelti_form_fill(form, at, fields, out, err);
}

PeltStatus pelti_io_operator_read(const char *path, const PeltAllocator *allocator, PeltOperator *out, PeltError *err)
{
    PeltiForm form;
    *out = (PeltOperator){0};
    PeltStatus status = pelti_form_open(&form, path, allocator, err);
    if (status == PELT_OK) {
        PeltiJsonAt root = pelti_json_root(form.root);
        status = pelti_io_operator_fill(&form, &root, out, err);
    }
    pelti_form_close(&form, NULL);
    return status;
}

static PeltiJson *pairs(const float (*values)[2], int count)
{
    PeltiJson *list = pelti_json_new_array();
    bool ok = list != NULL;
    for (int i = 0; ok && i < count; i++) {
        PeltiJson *pair = pelti_json_new_array();
        ok = pair && pelti_json_push(pair, pelti_json_new_float(values[i][0])) &&
             pelti_json_push(pair, pelti_json_new_float(values[i][1])) && pelti_json_push(list, pelti_json_keep(pair));
        pelti_json_release(pair);
    }
    if (!ok) {
        pelti_json_release(list);
        return NULL;
    }
    return list;
}

PeltStatus pelti_io_operator_write(const PeltOperator *op, const char *path, PeltError *err)
{
    PeltiJson *root = pelti_json_new_object();
    bool ok = root && pelti_json_set(root, "version", pelti_json_new_int(1)) &&
              pelti_json_set(root, "name", pelti_json_new_text(op->name)) &&
              pelti_json_set(root, "open", pairs(op->open, op->control_count)) &&
              pelti_json_set(root, "closed", pairs(op->closed, op->control_count)) &&
              pelti_json_set(root, "reach", pelti_json_new_float(op->reach)) &&
              pelti_json_set(root, "controller", pairs(op->controller, op->point_count));
    return pelti_json_save(root, ok, NULL, path, err);
}
