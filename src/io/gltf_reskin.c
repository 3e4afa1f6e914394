/// The file with another skin, from start to end.
#include "io/gltf_reskin.h"

/// Room for every target on every instance it moves.
static PeltStatus begin_result(PeltiReskinWork *work, PeltiPool *pool, PeltError *err)
{
    const PeltiReskin *def = work->def;
    size_t most = (size_t)def->target_count * (size_t)def->who->instance_count;
    work->result->nodes = PELTI_NEW(pool, int, def->joint_count);
    work->result->places = PELTI_NEW(pool, PeltiReskinPlace, most);
    work->instance_places = PELTI_NEW(&work->out->pool, int, def->who->instance_count + 1);
    return pool->failed || work->out->pool.failed ? pelti_no_memory(err, most * sizeof(PeltiReskinPlace)) : PELT_OK;
}

PeltStatus pelti_gltf_reskin(const PeltiReskin *def, PeltiFile *file, bool is_glb, PeltiPool *pool, PeltiReskinResult *result,
                             PeltError *err)
{
    PeltiGltfOut out = {0};
    PeltiReskinWork work = {.def = def, .out = &out, .result = result};
    *result = (PeltiReskinResult){0};
    PELT_ASSERT(def->weights.influences == 4 || def->weights.influences == 8);
    PeltStatus status = pelti_gltf_out_begin(&out, def->document, def->allocator, def->log, err);
    if (status == PELT_OK)
        status = begin_result(&work, pool, err);
    if (status == PELT_OK)
        status = pelti_gltf_reskin_joints(&work, err);
    if (status == PELT_OK)
        status = pelti_gltf_reskin_meshes(&work, err);
    if (status == PELT_OK)
        status = pelti_gltf_reskin_clips(&work, err);
    if (status == PELT_OK)
        status = pelti_gltf_out_write(&out, file, is_glb, err);
    pelti_gltf_out_end(&out);
    return status;
}
