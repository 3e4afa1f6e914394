/// include/pelt/skin.h: positions and normals as a user gets them.
#include "bake/objects.h"

static void hand_out(PeltSkin *skin)
{
    for (int p = 0; p < skin->character->who->point_count; p++)
        skin->handed.points[p] = mat34_apply(skin->handed.output, skin->shown.points[p]);
    skin->handed.points_fresh = true;
}

const float *pelt_skin_positions(const PeltSkin *skin)
{
    if (!skin->handed.points)
        return &skin->shown.points->x;
    if (!skin->handed.points_fresh)
        hand_out((PeltSkin *)skin); // made when first asked for: a cache, not a change
    return &skin->handed.points->x;
}

/// Normals go by the inverse transposed, which is the cofactors but for a factor.
static void turn_normals(PeltSkin *skin)
{
    const float(*m)[4] = (const float(*)[4])skin->handed.output.m;
    Mat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = m[(i + 1) % 3][(j + 1) % 3] * m[(i + 2) % 3][(j + 2) % 3] -
                        m[(i + 1) % 3][(j + 2) % 3] * m[(i + 2) % 3][(j + 1) % 3];
    for (int p = 0; p < skin->character->who->point_count; p++)
        skin->handed.normals[p] = vec3_normalize_or(mat3_apply(c, skin->handed.normals[p]), vec3(0, 1, 0));
}

const float *pelt_skin_normals(PeltSkin *skin)
{
    if (!skin->handed.normals_fresh) {
        pelti_normals_make(&skin->handed.normal_maker, skin->jobs, pelti_skin_vertices(skin), skin->handed.normals);
        if (skin->handed.points)
            turn_normals(skin);
    }
    skin->handed.normals_fresh = true;
    return &skin->handed.normals->x;
}

PeltStatus pelt_skin_output(PeltSkin *skin, const float rows[16], PeltError *err)
{
    Mat34 to = mat34_identity(), back;
    for (int i = 0; rows && i < 12; i++)
        (&to.m[0][0])[i] = rows[i];
    if (!mat34_inverse(to, &back))
        return PELT_FAIL(err, PELT_BAD_ARGUMENT, "output: the matrix is not finite, or has no inverse");
    if (!skin->handed.points)
        skin->handed.points = PELTI_NEW(&skin->pool, Vec3, skin->character->who->point_count);
    if (!skin->handed.points)
        return pelti_no_memory(err, (size_t)skin->character->who->point_count * sizeof(Vec3));
    skin->handed.output = mat34_mul(to, pelti_bake_host_from_own(skin->character));
    skin->handed.normals_fresh = skin->handed.points_fresh = false;
    return PELT_OK;
}
