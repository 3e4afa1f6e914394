/// Joints of bones that a test has set by hand: by polar decomposition, the other way than character/joints.c goes.
#ifndef PELT_TESTS_JOINTS_H
#define PELT_TESTS_JOINTS_H

#include "character/joints.h"

static inline void test_joints(const PeltiCharacter *who, const Mat34 *bones, PeltiJoint *joints)
{
    for (int b = 0; b < who->bone_count; b++) {
        int parent = who->bones[b].parent;
        Mat34 back, local = bones[b];
        if (parent >= 0 && mat34_inverse(bones[parent], &back))
            local = mat34_mul(back, local);
        Mat3 turn = mat3_polar(mat34_linear(local), &joints[b].stretch);
        joints[b].turn = quat_from_mat3(turn);
        joints[b].head = mat34_apply(local, who->bones[b].head);
    }
}

#endif
