## Plays the rules of a character that `pelt distil` made (hero.glb with hero.drivers.json) in Godot 4.3 or later. Add it as a child
## of the character's Skeleton3D and set `rules_path`; it runs after animation, as every SkeletonModifier3D does.
class_name PeltDrivers
extends SkeletonModifier3D

@export_file("*.json") var rules_path: String

var _joints: Array[Dictionary] = []
var _helpers: Array[Dictionary] = []
var _drives: Array[Dictionary] = []
var _correctives: Array[Dictionary] = []


func _ready() -> void:
	var rules: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(rules_path))
	for joint: Dictionary in rules.joints:
		_joints.append({"bone": _bone(joint.name), "parent": _bone(joint.parent) if joint.has("parent") else -1,
			"rest": _quaternion(joint.rest), "turn": Quaternion(), "at": Vector3(), "r": Vector3()})
	for helper: Dictionary in rules.helpers:
		_helpers.append({"bone": _bone(helper.name), "joint": _joints[helper.joint], "twist": helper.rule == "twist",
			"fraction": helper.fraction, "axis": _vector(helper.get("axis")), "push": _vector(helper.get("push"))})
	for drive: Dictionary in rules.drives:
		_drives.append({"joint": _joints[drive.joint], "axis": _vector(drive.axis), "from": drive.from, "to": drive.to, "weight": 0.0})
	for corrective: Dictionary in rules.correctives:
		_correctives.append(corrective)


func _process_modification() -> void:
	var skeleton := get_skeleton()
	for joint in _joints:
		_measure(skeleton, joint)
	for helper in _helpers:
		var joint: Dictionary = helper.joint
		var whole: Quaternion = _twist(joint.turn, helper.axis) if helper.twist else joint.turn
		skeleton.set_bone_pose_rotation(helper.bone, Quaternion().slerp(whole, helper.fraction) * joint.rest)
		skeleton.set_bone_pose_position(helper.bone, joint.at + helper.push * joint.r.length())
	for drive in _drives:
		drive.weight = _weigh(drive)
	for corrective in _correctives:
		var weight := 0.0
		for term: Dictionary in corrective.terms:
			var part: float = term.gain
			for index: int in term.drives:
				part *= _drives[index].weight
			weight += part
		weight = clampf(weight, corrective.low, corrective.high)
		for place: Dictionary in corrective.places: # by name: importers may put several surfaces into one mesh
			var mesh := skeleton.find_child(place.name.validate_node_name(), true, false) as MeshInstance3D
			if mesh:
				mesh.set_blend_shape_value(mesh.find_blend_shape_by_name(corrective.name), weight)


## The joint's place and turn against its parent joint.
func _measure(skeleton: Skeleton3D, joint: Dictionary) -> void:
	var turn := skeleton.get_bone_pose_rotation(joint.bone)
	var at := skeleton.get_bone_pose_position(joint.bone)
	var above := skeleton.get_bone_parent(joint.bone)
	while above >= 0 and above != joint.parent:
		turn = skeleton.get_bone_pose_rotation(above) * turn
		at = skeleton.get_bone_pose(above) * at
		above = skeleton.get_bone_parent(above)
	turn = turn * joint.rest.inverse()
	joint.turn = turn
	joint.at = at
	var v := Vector3(turn.x, turn.y, turn.z)
	var side := -1.0 if turn.w < 0 else 1.0
	var sine := v.length()
	joint.r = v * side * (2.0 * atan2(sine, side * turn.w) / sine if sine > 1e-6 else 2.0)


func _twist(turn: Quaternion, axis: Vector3) -> Quaternion:
	var along := axis * Vector3(turn.x, turn.y, turn.z).dot(axis)
	return Quaternion(along.x, along.y, along.z, turn.w).normalized()


func _weigh(drive: Dictionary) -> float:
	var r: Vector3 = drive.joint.r
	return clampf((r.dot(drive.axis) - drive.from) / (drive.to - drive.from), 0.0, 1.0)


func _bone(wanted: String) -> int: # the importer allows no ":" and "/" in names of bones
	return get_skeleton().find_bone(wanted.replace(":", "_").replace("/", "_"))


func _vector(v: Variant) -> Vector3:
	return Vector3(v[0], v[1], v[2]) if v is Array else Vector3.ZERO


func _quaternion(q: Array) -> Quaternion:
	return Quaternion(q[0], q[1], q[2], q[3])
