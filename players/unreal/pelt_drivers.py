"""Sets a character that `pelt distil` made (hero.glb with hero.drivers.json) up for live posing in Unreal Engine 5.

Run in the editor's Python console after importing hero.glb:
    import pelt_drivers
    pelt_drivers.set_up('/Game/Hero/Hero', 'C:/art/hero.drivers.json')
It makes a Control Rig beside the skeletal mesh whose forwards solve turns the helpers. Put it into the mesh's post-process
animation blueprint. Correctives have curves in every imported clip; for live posing `pose_driver_table` gives the poses of a
Pose Driver for each joint and what every curve is there. A Pose Driver hears one joint: what the rules say of two joints
together is left to the curves of clips.
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


def weights(rules, turns):
    """What the rules make of turns {joint: rotation vector}: {corrective: weight}. Joints that are not named are at rest."""
    says = []
    for drive in rules['drives']:
        along = sum(a * r for a, r in zip(drive['axis'], turns.get(drive['joint'], (0, 0, 0))))
        says.append(min(max((along - drive['from']) / (drive['to'] - drive['from']), 0.0), 1.0))
    out = {}
    for corrective in rules['correctives']:
        total = sum(term['gain'] * math.prod(says[d] for d in term['drives']) for term in corrective['terms'])
        out[corrective['name']] = min(max(total, corrective['low']), corrective['high'])
    return out


def pose_driver_table(rules):
    """Poses for Pose Driver nodes: (joint, axis, angle in degrees, {curve: weight}), where its drives reach 1."""
    rows = []
    for drive in rules['drives']:
        turn = [a * drive['to'] for a in drive['axis']]
        curves = {name: weight for name, weight in weights(rules, {drive['joint']: turn}).items() if abs(weight) > 0.005}
        r = through_import(turn)
        angle = math.sqrt(sum(v * v for v in r))
        axis = tuple(v / angle for v in r) if angle > 0 else (1.0, 0.0, 0.0)
        row = (rules['joints'][drive['joint']]['name'], axis, math.degrees(angle), curves)
        if curves and row not in rows:
            rows.append(row)
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
    for joint, axis, angle, curves in pose_driver_table(rules):
        unreal.log(f'pose driver: joint {joint}, axis {axis}, angle {angle:.1f}, curves {curves}')
    return rig
