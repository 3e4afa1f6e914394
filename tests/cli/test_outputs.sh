#!/bin/bash
# .npz and .usda hold the frames of the .pc2, read back by others: the zip by Python's own reader, arrays by numpy where it is there (and
# by their header in any case), USD by a small reader written from the format's description, since no USD library is at hand.
set -u
[ -x "$PELT" ] || { echo "skipped: no command at $PELT"; exit 77; }
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work" || exit 1
"$PELT" make beast --vertices 900 --seed 3 --dress all -o a.glb -q || exit 1
"$PELT" bake a.glb -m lbs --frames 5:9 -q -o a.pc2 -o a.npz -o a.usda || exit 1
"$PELT" bake a.glb -m lbs --frames 5:9 -q -o b.npz -o b.usda || exit 1
cmp a.npz b.npz && cmp a.usda b.usda || { echo "FAILED: the same bake, other bytes"; exit 1; }
"$PELT" bake a.glb -m lbs -q -o missing/a.usda 2>/dev/null; [ $? = 2 ] || { echo "FAILED: a folder that is not there"; exit 1; }
python3 - <<'P' || exit 1
import ast, re, struct, sys, zipfile
def fail(text): print('FAILED:', text); sys.exit(1)
raw = open('a.pc2', 'rb').read(); count, = struct.unpack_from('<i', raw, 16); frames, = struct.unpack_from('<i', raw, 28)
want = struct.unpack_from('<%df' % (3 * count * frames), raw, 32)
zipped = zipfile.ZipFile('a.npz')
if zipped.testzip(): fail('checksum of ' + zipped.testzip())
def array(name):
    data = zipped.read(name + '.npy')
    if data[:8] != b'\x93NUMPY\x01\x00': fail('magic of ' + name)
    size, = struct.unpack_from('<H', data, 8); head = ast.literal_eval(data[10:10 + size].decode())
    if (10 + size) % 64: fail('alignment of ' + name)
    return head, data[10 + size:]
head, data = array('points')
if head['shape'] != (frames, count, 3) or head['descr'] != '<f4': fail('header of points: %s' % head)
if data != raw[32:]: fail('points differ from the .pc2')
if struct.unpack('<q', array('start_frame')[1])[0] != 5 or struct.unpack('<d', array('fps')[1])[0] != 30: fail('start_frame or fps')
triangles = array('triangles'); triangles = struct.unpack('<%di' % (len(triangles[1]) // 4), triangles[1])
if max(triangles) >= count or min(triangles) < 0: fail('triangles')
try:
    import numpy
    if numpy.load('a.npz')['points'].shape != (frames, count, 3): fail('numpy reads another shape')
except ImportError: print('skipped: python3-numpy is not installed')
text = open('a.usda').read()
if not text.startswith('#usda 1.0\n'): fail('the first line of the .usda')
for key, value in (('startTimeCode', '5'), ('endTimeCode', '9'), ('timeCodesPerSecond', '30'), ('upAxis', '"Y"')):
    if not re.search(r'^    %s = %s$' % (key, value), text, re.M): fail(key)
meshes = re.split(r'^    def Mesh "([A-Za-z_]\w*)"$', text, flags=re.M)[1:]
names = meshes[0::2]
if len(set(names)) != len(names): fail('two prims of one name')
got = {f: [] for f in range(5, 10)}; base = 0; faces = []
for body in meshes[1::2]:
    samples = re.search(r'point3f\[\] points\.timeSamples = \{(.*?)\n        \}', body, re.S).group(1)
    for f, values in re.findall(r'(\d+): \[(.*?)\],', samples): got[int(f)] += [float(x) for x in re.findall(r'[-+.\deE]+', values)]
    counts = re.search(r'faceVertexCounts = \[(.*?)\]', body).group(1).split(', ')
    index = [int(x) + base for x in re.search(r'faceVertexIndices = \[(.*?)\]', body).group(1).split(', ')]
    if len(index) != 3 * len(counts): fail('counts and indices')
    faces += index; base = len(got[5]) // 3
f32 = lambda x: struct.unpack('<f', struct.pack('<f', x))[0]
if [f32(x) for f in range(5, 10) for x in got[f]] != list(want): fail('points of the .usda differ from the .pc2')
if tuple(faces) != triangles: fail('faces of the .usda')
print('outputs: good, %d meshes, %d points' % (len(names), count))
P
