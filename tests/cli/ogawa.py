"""Reads an Alembic file (Ogawa), from the format's description and by itself: objects, properties, samples."""
import struct

NO_DATA = 1 << 63
TYPES = {0: '?', 1: 'B', 5: 'I', 6: 'i', 10: 'f', 11: 'd'}

class Archive:
    def __init__(self, path):
        self.raw = open(path, 'rb').read()
        if self.raw[:8] != b'Ogawa\xff\x00\x01': raise ValueError('not a complete Ogawa file')
        root = self.group(struct.unpack_from('<Q', self.raw, 8)[0])
        if struct.unpack('<i', self.data(root[0]))[0] != 0: raise ValueError('version')
        self.about = self.data(root[3]).decode()
        self.times, at, block = [], 0, self.data(root[4])
        while at < len(block):
            most, step, stored = struct.unpack_from('<IdI', block, at)
            self.times.append((most, step, struct.unpack_from('<%dd' % stored, block, at + 16))); at += 16 + 8 * stored
        self.meta, at, block = [''], 0, self.data(root[5])
        while at < len(block):
            self.meta.append(block[at + 1:at + 1 + block[at]].decode()); at += 1 + block[at]
        self.top = Object(self, root[2], '', '')
    def group(self, at):
        if at & NO_DATA: raise ValueError('a block where a group should be')
        if at == 0: return ()
        count, = struct.unpack_from('<Q', self.raw, at)
        return struct.unpack_from('<%dQ' % count, self.raw, at + 8)
    def data(self, at):
        if not at & NO_DATA: raise ValueError('a group where a block should be')
        at &= NO_DATA - 1
        if at == 0: return b''
        size, = struct.unpack_from('<Q', self.raw, at)
        if at + 8 + size > len(self.raw): raise ValueError('past the end')
        return self.raw[at + 8:at + 8 + size]

class Object:
    def __init__(self, archive, at, name, meta):
        self.name, self.meta, self.children = name, meta, []
        group = archive.group(at)
        self.properties = compound(archive, group[0])
        heads, at, index = archive.data(group[-1]), 0, 1
        while at < len(heads) - 32:
            size, = struct.unpack_from('<I', heads, at); name = heads[at + 4:at + 4 + size].decode()
            self.children.append(Object(archive, group[index], name, archive.meta[heads[at + 4 + size]]))
            at += 5 + size; index += 1
        if index != len(group) - 1 or at != len(heads) - 32: raise ValueError('children of ' + self.name)

class Property:
    """samples: tuples of numbers."""
    def __init__(self, archive, at, info, count, changes, time):
        self.count, self.time, self.extent = count, archive.times[time], info >> 12 & 255
        array, group, code = info & 2, archive.group(at), TYPES[info >> 4 & 15]
        first, last = (0, 0) if info & 0x800 else changes or (1, count - 1)
        blocks = group[0::2] if array else group
        if len(blocks) != (last - first + 2 if last else 1): raise ValueError('samples')
        def sample(i):
            block = archive.data(blocks[0 if i < first or not last else min(i, last) - first + 1])[16:]
            return struct.unpack('<%d%s' % (len(block) // struct.calcsize(code), code), block)
        self.sample = sample

def compound(archive, at):
    group = archive.group(at)
    if not group: return {}
    heads, at, index, out = archive.data(group[-1]), 0, 0, {}
    while at < len(heads):
        info, = struct.unpack_from('<I', heads, at); at += 4
        width = 'BHI'[info >> 2 & 3]
        def number():
            nonlocal at
            value, = struct.unpack_from('<' + width, heads, at); at += struct.calcsize(width)
            return value
        count = number() if info & 3 else 0
        changes = (number(), number()) if info & 0x200 else None
        time = number() if info & 0x100 else 0
        size = number(); name = heads[at:at + size].decode(); at += size
        made = Property(archive, group[index], info, count, changes, time) if info & 3 else compound(archive, group[index])
        out[name] = (made, archive.meta[info >> 20 & 255]); index += 1
    if index != len(group) - 1: raise ValueError('properties')
    return out
