/// Makes what figures 3 and 5 of [Komaritzan2018] compare: other bones and other strains.
/// They have bones that are lines, strain by positions (ARAP, eq. 9), and one strain fitted by the rotations of the other.
#include "methods/projective/variants.h"

#include "methods/projective/constants.def"

float pelti_proj_thickness(const PeltiOptions *options)
{
    return pelti_option_is(options, "bones", "line") ? LINE_BONES : 1;
}

/// Centred rest positions stand in for the gradients: eq. 9 and 10.
static void centre(const Vec3 p[4], double g[4][3])
{
    for (int i = 0; i < 3; i++) {
        double mean = 0;
        for (int k = 0; k < 4; k++) {
            g[k][i] = (double)(i == 0 ? p[k].x : i == 1 ? p[k].y : p[k].z);
            mean += g[k][i] / 4;
        }
        for (int k = 0; k < 4; k++)
            g[k][i] -= mean;
    }
}

static double couple(double g[4][3], int i, int j)
{
    (void)g;
    return (i == j) - 0.25;
}

static double weigh(double volume, double edge)
{
    (void)volume;
    return edge;
}

static float size_of(const ProjTet *tet) // of sum e e^T
{
    float size = 0;
    for (int c = 0; c < 4; c++)
        for (int i = 0; i < 3; i++)
            size += tet->grad[c][i] * tet->grad[c][i];
    return size;
}

static const ProjStrain positions = {centre, couple, weigh, size_of};

PeltStatus pelti_proj_strained(const PeltiOptions *o, ProjTissueDef *def, PeltiPool *pool, PeltiPool *temp, ProjTissue *out,
                               PeltError *err)
{
    bool by_position = pelti_option_is(o, "strain", "position") || pelti_option_is(o, "strain", "position-by-F");
    def->strain = by_position ? &positions : &pelti_proj_gradients;
    PELT_TRY(pelti_proj_tissue(def, pool, temp, out, err));
    if (!pelti_option_is(o, "strain", "gradient-by-G") && !pelti_option_is(o, "strain", "position-by-F"))
        return PELT_OK;
    ProjTissue other; // its elements are the same ones in the same order
    def->strain = by_position ? &pelti_proj_gradients : &positions;
    PELT_TRY(pelti_proj_tissue(def, pool, temp, &other, err));
    out->look = other.blocks;
    return PELT_OK;
}
