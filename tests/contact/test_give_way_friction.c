/// A finger that lands on a bar and is dragged along it: friction of skin on skin, in closed form.
#include "fingers.h"

static const double dt = 1.0 / 30;

typedef struct Drag {
    Fingers f;
    PeltRigJoint joints[2];
    PeltRig rig;
} Drag;

/// The bar's joint hardly turns: all of the way is the finger's.
static void land(Drag *d, float friction)
{
    d->joints[0] = (PeltRigJoint){.joint = "left", .joint_stiffness = 10, .crush = -1, .firmness = -1};
    d->joints[1] = (PeltRigJoint){.joint = "right", .joint_stiffness = 1e6f, .crush = -1, .firmness = -1};
    d->rig = (PeltRig){.joint_count = 2, .joints = d->joints};
    PeltiGiveWaySettings settings = {.friction = friction, .rig = &d->rig};
    d->f = open_character(make_shape(1, apart, true), 1, &settings);
}

/// Leans the finger towards the bar and swings it along the bar.
static void drag(Drag *d, float lean, float swing)
{
    Fingers *f = &d->f;
    f->pose.local[LEFT].rotation = quat_mul(quat_axis_angle(vec3(1, 0, 0), swing), quat_axis_angle(vec3(0, 0, 1), -lean));
    f->pose.touched[LEFT] = true;
    const PeltiPose *shown = pelti_give_way_step(f->give_way, &f->pose, dt, false, &f->report);
    pelti_pose_bones(f->who, shown, f->node_matrix, f->bones);
}

/// The point of the finger that lies on the bar: where it is shown, and where its clip has it.
static Vec3 touching(const Drag *d, bool by_clip)
{
    Vec3 head = d->f.who->bones[LEFT].head, at = vec3(radius, bar_height / cosf(0.35f), 0);
    return by_clip ? vec3_add(head, quat_rotate(d->f.pose.local[LEFT].rotation, at))
                   : mat34_apply(d->f.bones[LEFT], vec3_add(head, at));
}

/// Pull along the bar by what presses on it. The joint's spring is the same about all axes: a way z back takes the force
/// K z / rho^2 at the distance rho from the joint, about which the bar's push turns the finger by F y / K.
static double pull_by_push(const Drag *d)
{
    Vec3 at = vec3_sub(touching(d, false), d->f.who->bones[LEFT].head);
    double back = (double)(touching(d, true).z - touching(d, false).z), square = (double)(at.x * at.x + at.y * at.y);
    return back * (double)at.y / (square * d->f.give_way->skin.joints[LEFT].turn[2]);
}

/// Lands, is swung by so much within a second and held for one; how far the finger went along the bar, and its clip.
static void play(Drag *d, float friction, float swing, double *went, double *clip)
{
    land(d, friction);
    for (int s = 0; s < 30; s++)
        drag(d, 0.43f * fminf(1, (float)s / 20), 0);
    Vec3 was = touching(d, false);
    assert_true(turned(&d->f, LEFT) > 0.05);
    for (int s = 1; s <= 60; s++)
        drag(d, 0.43f, swing * fminf(1, (float)s / 30));
    *went = (double)(touching(d, false).z - was.z);
    *clip = (double)touching(d, true).z;
}

static void within_the_cone_it_rests_where_it_landed(void **state)
{
    (void)state;
    Drag d;
    double went, clip;
    play(&d, 0.5f, 0.03f, &went, &clip);
    assert_true(clip > 0.09);
    if (!(fabs(went) < 0.1 * clip && pull_by_push(&d) < 0.5))
        fail_msg("went %g of %g along, pulled by %g of the push", went, clip, pull_by_push(&d));
    Vec3 was = touching(&d, false);
    for (int s = 0; s < 60; s++) // it does not creep after its clip either
        drag(&d, 0.43f, 0.03f);
    double crept = (double)vec3_distance(was, touching(&d, false)) / 2 / (double)d.f.who->mesh->diagonal;
    if (!(crept < 1e-4))
        fail_msg("creeps by %g of the size a second", crept);
    close_fingers(&d.f);
}

static void beyond_it_slides(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        float friction = 0.25f * (float)k;
        Drag d;
        double went, clip;
        play(&d, friction, 0.15f, &went, &clip);
        if (!(went > 0.3 * clip && fabs(pull_by_push(&d) - (double)friction) < 0.04))
            fail_msg("friction %g: went %g of %g along, pulled by %g of the push", (double)friction, went, clip,
                     pull_by_push(&d));
        close_fingers(&d.f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within_the_cone_it_rests_where_it_landed),
        cmocka_unit_test(beyond_it_slides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
