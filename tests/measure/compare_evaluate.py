#!/usr/bin/python3
"""Bakes characters and compares the report's quality with an independent reference on the same point cache.

  compare_evaluate.py --pelt build/pelt --shared ../shared [--markdown | --json] [--threads N] [--fps F] CHARACTER:CLIP:METHOD ...
  compare_evaluate.py --pelt build/pelt --shared ../shared --all

Crossing pairs must agree exactly in every frame, everything else to 1 % (and values that are rounding noise to 1e-6 of the
size). Exit code 3 where they do not; a table on stdout, or with --json {case: {measure: [report, reference]}}.
"""
import argparse, json, os, subprocess, sys, tempfile

# our name, the reference's name in a frame and in its summary, exact
FIELDS = [
    ('nonfinite', 'nonfinite', 'nonfinite', True),
    ('self_intersections', 'self_intersections', 'max_self_intersections', True),
    ('deep_pairs', 'deep_pairs', 'max_deep_pairs', False),
    ('pair_depth', 'pair_depth_max', 'pair_depth_max', False),
    ('depth', 'depth_max', 'depth_max', False),
    ('inverted', 'flipped_both', 'max_flipped_both', False),
    ('volume_ratio', 'volume_ratio', None, False),
    ('volume_ratio_min', None, 'min_volume_ratio', False),
    ('volume_ratio_max', None, 'max_volume_ratio', False),
    ('stretch_p99', 'stretch_p99', 'max_stretch_p99', False),
    ('stretch_max', 'stretch_max', 'stretch_max', False),
    ('loop_error', None, 'first_last_distance', False),
    ('jitter', 'jitter_vs_lbs_max', 'jitter_vs_lbs_max', False),
    ('crack', 'crack_max', 'crack_max', False),
    ('flown', 'dev_lbs_max', 'dev_lbs_max', False),
    ('pair_depth', 'pair_depth_max', None, False),
    ('self_intersections_new', 'self_intersections_new', 'max_self_intersections_new', True),
]
ALL = ['arm.glb:bend', 'arm.glb:bend_wrist', 'arm.glb:twist', 'hand.glb:bend', 'hand.glb:hand_pose', 'cylinder2.glb:bend', 'cylinder2.glb:twist',
       'makehuman-cc0.glb:bend', 'makehuman-cc0.glb:benchmark', 'makehuman-cc0.glb:tpose', 'makehuman-cc0-noweights.glb:bend',
       'RiggedSimple.glb:0', 'RiggedFigure.glb:0', 'RecursiveSkeletons.glb:0', 'SimpleSkin.gltf:0']


def agree(ours, theirs, exact):
    if theirs is None:  # not defined there
        return True
    if ours is None:
        return False
    if exact:
        return ours == theirs
    return abs(ours - theirs) <= max(0.01 * abs(theirs), 1e-6)


def compare(args, character, clip, method, folder):
    path = os.path.join(args.shared, 'data', character)
    cache, report, judged = (os.path.join(folder, n) for n in ('x.pc2', 'ours.json', 'theirs.json'))
    # our own jitter is against linear blending with the file's weights, as the reference's is
    subprocess.run([args.pelt, 'bake', path, '-m', method, '--clip', clip, '-o', cache, '--report', report, '--quiet', '--fps', str(args.fps)]
                   + (['--threads', str(args.threads)] if args.threads else []), check=True, stdout=subprocess.DEVNULL)
    subprocess.run([sys.executable, os.path.join(args.shared, 'tools', 'evaluate.py'), path, cache, '--clip', clip, '--fps', str(args.fps), '-o', judged], check=True)
    ours, theirs = json.load(open(report)), json.load(open(judged))
    quality, summary = ours['quality'], theirs['summary']
    bad = []
    frames = {f['frame']: f for f in theirs['frames']}
    for mine in ours['per_frame']:
        other = frames.get(mine['frame'])
        for name, key, _, exact in FIELDS:
            if other is not None and key and name in mine and key in other and not agree(mine[name], other[key], exact):
                bad.append('frame %d %s: %s, reference %s' % (mine['frame'], name, mine[name], other[key]))
    rows = {}
    for name, _, key, exact in FIELDS:
        if key is None or name not in quality:
            continue
        a, b = quality[name], summary.get(key)
        rows[name] = (a, b)
        if not agree(a, b, exact):
            bad.append('%s: %s, reference %s' % (name, a, b))
    return rows, bad, len(ours['per_frame'])


def text(v):
    if v is None:
        return '-'
    return '%d' % v if isinstance(v, int) else '%.3g' % v if abs(v) < 0.1 else '%.4f' % v


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument('cases', nargs='*')
    ap.add_argument('--pelt', required=True)
    ap.add_argument('--shared', required=True)
    ap.add_argument('--all', action='store_true')
    ap.add_argument('--markdown', action='store_true')
    ap.add_argument('--json', action='store_true')
    ap.add_argument('--threads', type=int)
    ap.add_argument('--fps', type=float, default=30)
    args = ap.parse_args()
    cases = args.cases or [c + ':' + m for c in ALL for m in ('lbs', 'dqs')] if args.all or not args.cases else args.cases
    names = ['self_intersections', 'deep_pairs', 'depth', 'inverted', 'volume_ratio_min', 'volume_ratio_max', 'stretch_p99', 'loop_error', 'jitter', 'crack']
    if args.markdown:
        print('| character, clip, method | ' + ' | '.join(names) + ' |')
        print('|---' * (len(names) + 1) + '|')
    failures, all_rows = 0, {}
    with tempfile.TemporaryDirectory() as folder:
        for case in cases:
            character, clip, method = case.split(':')
            rows, bad, frames = compare(args, character, clip, method, folder)
            all_rows[case] = rows
            cells = ['%s / %s' % tuple(map(text, rows.get(n, (None, None)))) for n in names]
            if args.json:
                pass
            elif args.markdown:
                print('| %s, %s, %s%s | %s |' % (character.split('.')[0], clip, method, ': **differs**' if bad else '', ' | '.join(cells)))
            else:
                print('%s: %d frames, %s' % (case, frames, 'agree' if not bad else '%d DISAGREE' % len(bad)))
            for line in bad[:8]:
                print('  ' + case + ' ' + line, file=sys.stderr)
            failures += bool(bad)
            sys.stdout.flush()
    if args.json:
        print(json.dumps(all_rows))
    return 3 if failures else 0


if __name__ == '__main__':
    sys.exit(main())
