"""Sets a character that `pelt distil` made (hero.glb with hero.drivers.json) up for live posing in Unreal Engine 5.

Run in the editor's Python console after importing hero.glb:
    import pelt_drivers
    pelt_drivers.set_up('/Game/Hero/Hero', 'C:/art/hero.drivers.json')
It makes a Control Rig beside the skeletal mesh whose forwards solve turns the helpers. Put it into the mesh's post-process
animation blueprint. Correctives have curves in every imported clip; for live posing `pose_driver_table` gives the rows of a
Pose Driver: one pose a drive, with the joint, the rotation where its weight is 1, and the curve it plays.
"""
import json
import math


def load(rules_path):
    with open(rules_path, encoding='utf-8') as file:
        rules = json.load(file)
    if rules['version'] != 1:
        raise ValueError(f"{rules_path}: version {rules['version']} is not known, 1 is")
    return rules


def through_import(r):
    """A rotation vector of glTF (right-handed, Y up) in Unreal's axes (left-handed, Z up): places go (x, y, z) -> (x, z, y),
    which mirrors, so that turns go the other way round."""
    return (-r[0], -r[2], -r[1])


def full_rotation(drive):
    """The rotation vector at which a drive is 1."""
    if drive['rule'] == 'bump':
        return drive['centre']
    return [a * drive['to'] for a in drive['axis']]


def pose_driver_table(rules):
    """Rows for Pose Driver nodes: (curve, joint, axis, angle in degrees, radius in degrees)."""
    rows = []
    for corrective in rules['correctives']:
        for drive in corrective['drives']:
            r = through_import(full_rotation(drive))
            angle = math.sqrt(sum(v * v for v in r))
            axis = tuple(v / angle for v in r) if angle > 0 else (1.0, 0.0, 0.0)
            radius = drive['width'] if drive['rule'] == 'bump' else abs(drive['to'] - drive['from'])
            rows.append((corrective['name'], rules['joints'][drive['joint']]['name'], axis, math.degrees(angle), math.degrees(radius)))
    return rows


def helper_nodes(rules):
    """What each helper needs: (helper, joint, share of the turn, axis of a twist or None)."""
    for helper in rules['helpers']:
        axis = through_import(helper['axis']) if helper['rule'] == 'twist' else None
        yield helper['name'], rules['joints'][helper['joint']]['name'], helper['fraction'], axis


def set_up(mesh_path, rules_path):
    import unreal
    rules = load(rules_path)
    mesh = unreal.load_asset(mesh_path)
    rig = unreal.ControlRigBlueprintFactory.create_control_rig_from_skeletal_mesh_or_skeleton(mesh)
    controller = rig.get_controller()
    before = 'BeginExecution'
    controller.add_unit_node_from_struct_path('/Script/ControlRig.RigUnit_BeginExecution', 'Execute', unreal.Vector2D(0, 0), before)

    def unit(struct, name, place, **pins):
        controller.add_unit_node_from_struct_path(struct, 'Execute', unreal.Vector2D(*place), name)
        for pin, value in pins.items():
            controller.set_pin_default_value(f'{name}.{pin}', value)
        return name

    for row, (helper, joint, share, axis) in enumerate(helper_nodes(rules)):
        def named(part, helper=helper):
            return f'{helper}_{part}'.replace('.', '_')
        y = 400 * row
        item = f'(Type=Bone,Name="{joint}")'
        now = unit('/Script/ControlRig.RigUnit_GetTransform', named('now'), (300, y), Item=item, Space='LocalSpace')
        rest = unit('/Script/ControlRig.RigUnit_GetTransform', named('rest'), (300, y + 150), Item=item, Space='LocalSpace', bInitial='True')
        back = unit('/Script/RigVM.RigVMFunction_MathQuaternionInverse', named('back'), (600, y + 150))
        turn = unit('/Script/RigVM.RigVMFunction_MathQuaternionMul', named('turn'), (900, y))
        controller.add_link(f'{rest}.Transform.Rotation', f'{back}.Value')
        controller.add_link(f'{now}.Transform.Rotation', f'{turn}.A')
        controller.add_link(f'{back}.Result', f'{turn}.B')
        whole = f'{turn}.Result'
        if axis:
            split = unit('/Script/RigVM.RigVMFunction_MathQuaternionSwingTwist', named('split'), (1100, y),
                         TwistAxis='(X={:f},Y={:f},Z={:f})'.format(*axis))
            controller.add_link(whole, f'{split}.Input')
            whole = f'{split}.Twist'
        part = unit('/Script/RigVM.RigVMFunction_MathQuaternionSlerp', named('part'), (1300, y), T=str(share))
        full = unit('/Script/RigVM.RigVMFunction_MathQuaternionMul', named('full'), (1600, y))
        put = unit('/Script/ControlRig.RigUnit_SetRotation', named('put'), (1900, y), Item=f'(Type=Bone,Name="{helper}")', Space='LocalSpace')
        controller.add_link(whole, f'{part}.B')
        controller.add_link(f'{part}.Result', f'{full}.A')
        controller.add_link(f'{rest}.Transform.Rotation', f'{full}.B')
        controller.add_link(f'{full}.Result', f'{put}.Value')
        controller.add_link(f'{before}.ExecuteContext', f'{put}.ExecuteContext')
        before = put
    for curve, joint, axis, angle, radius in pose_driver_table(rules):
        unreal.log(f'pose driver: curve {curve}, joint {joint}, axis {axis}, angle {angle:.1f}, radius {radius:.1f}')
    return rig
