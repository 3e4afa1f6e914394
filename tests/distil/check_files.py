"""Holds what `pelt distil` and `pelt sample` write against what the documents promise: rules against their schema, types and ranges
and all, and the arrays of an .npz. python3 alone. check_files.py rules SCHEMA RULES GLB | samples NPZ POSES NODES"""
import ast
import json
import math
import struct
import sys
import zipfile

TYPES = {'object': dict, 'array': list, 'string': str}


def is_a(value, kind):
    if kind in ('number', 'integer'):
        return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and \
            (kind == 'number' or value == int(value))
    return isinstance(value, TYPES[kind])


def faults(value, schema, root, at='rules'):
    """What of the value the schema does not allow; of the keywords those that our schemas have."""
    known = {'type', 'const', 'enum', 'minimum', 'maximum', 'minItems', 'maxItems', 'items', 'required', 'properties',
             'additionalProperties', '$ref', 'description', '$schema', 'title', '$defs'}
    assert set(schema) <= known, 'the schema has words that this test does not know: %s' % sorted(set(schema) - known)
    if '$ref' in schema:
        yield from faults(value, root['$defs'][schema['$ref'].rsplit('/', 1)[1]], root, at)
    if 'type' in schema and not is_a(value, schema['type']):
        yield '%s is no %s: %r' % (at, schema['type'], value)
        return
    if 'const' in schema and value != schema['const'] or 'enum' in schema and value not in schema['enum']:
        yield '%s is %r' % (at, value)
    if not schema.get('minimum', -math.inf) <= (value if is_a(value, 'number') else 0) <= schema.get('maximum', math.inf):
        yield '%s is out of range: %r' % (at, value)
    if isinstance(value, list):
        if not schema.get('minItems', 0) <= len(value) <= schema.get('maxItems', math.inf):
            yield '%s has %d items' % (at, len(value))
        for i, item in enumerate(value):
            yield from faults(item, schema.get('items', {}), root, '%s[%d]' % (at, i))
    if isinstance(value, dict):
        own = schema.get('properties', {})
        yield from ('%s lacks %s' % (at, key) for key in schema.get('required', []) if key not in value)
        for key, item in value.items():
            if key in own:
                yield from faults(item, own[key], root, '%s.%s' % (at, key))
            elif schema.get('additionalProperties') is False:
                yield '%s has a key more: %s' % (at, key)


def check_numbers(rules, glb):
    """What a schema cannot say: numbers name what is there, axes are unit, ramps have a length."""
    raw = open(glb, 'rb').read()
    nodes = json.loads(raw[20:20 + struct.unpack_from('<I', raw, 12)[0]])['nodes']
    for joint in rules['joints']:
        assert nodes[joint['node']]['name'] == joint['name'], joint
        assert abs(math.hypot(*joint['rest']) - 1) < 1e-4, joint
    for helper in rules['helpers']:
        assert helper['joint'] < len(rules['joints']) and nodes[helper['node']]['name'] == helper['name'], helper
    for drive in rules['drives']:
        assert drive['joint'] < len(rules['joints']) and drive['from'] != drive['to'], drive
        assert abs(math.hypot(*drive['axis']) - 1) < 1e-4, drive
    for corrective in rules['correctives']:
        assert corrective['terms'] and corrective['places'] and corrective['low'] < corrective['high'], corrective['name']
        assert all(d < len(rules['drives']) for term in corrective['terms'] for d in term['drives']), corrective['name']


def check_rules(schema_path, rules_path, glb):
    schema, rules = json.load(open(schema_path)), json.load(open(rules_path))
    found = list(faults(rules, schema, schema))
    assert not found, '\n'.join(found[:10])
    assert rules['helpers'] and rules['drives'] and rules['correctives'], 'nothing to look at'
    check_numbers(rules, glb)
    # the validator itself: each of these must be found
    for spoil in (lambda r: r['helpers'][0].update(fraction=1.5), lambda r: r['helpers'][0].update(rule='spin'),
                  lambda r: r['drives'][0].update(axis=[1, 0]), lambda r: r['drives'][0].update(joint='elbow'),
                  lambda r: r['correctives'][0].update(low=0.5), lambda r: r['correctives'][0].pop('terms'),
                  lambda r: r.update(more=1), lambda r: r['correctives'][0]['terms'][0].update(drives=[])):
        spoilt = json.loads(json.dumps(rules))
        spoil(spoilt)
        assert list(faults(spoilt, schema, schema)), 'a fault was not found'


def array_of(data):
    size, = struct.unpack_from('<H', data, 8)
    head = ast.literal_eval(data[10:10 + size].decode())
    assert data[:6] == b'\x93NUMPY' and not head['fortran_order'], head
    code = {'f4': 'f', 'f8': 'd', 'i4': 'i', 'i8': 'q', 'u4': 'I'}[head['descr'][1:]]
    return head['shape'], struct.unpack('<%d%s' % (math.prod(head['shape']), code), data[10 + size:])


def check_samples(npz, poses, nodes):
    """Points of every pose, finite and not all the same; a pose of every node beside them, rotations unit."""
    with zipfile.ZipFile(npz) as archive:
        assert archive.testzip() is None
        arrays = {name[:-4]: array_of(archive.read(name)) for name in archive.namelist()}
    story = json.load(open(npz + '.poses.json'))
    shape, points = arrays['points']
    assert shape[0] == poses and shape[2] == 3 and all(map(math.isfinite, points)), shape
    step = 3 * shape[1]
    assert len({points[i * step:(i + 1) * step] for i in range(poses)}) > poses // 2, 'the skin does not move'
    shape, local = array_of(open(npz + '.poses.npy', 'rb').read())
    assert shape == (poses, nodes, 10) and len(story['nodes']) == nodes and story['poses'] == poses, shape
    for i in range(0, len(local), 10):
        assert abs(math.hypot(*local[i + 3:i + 7]) - 1) < 1e-4, local[i:i + 10]


if sys.argv[1] == 'rules':
    check_rules(*sys.argv[2:5])
else:
    check_samples(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
