"""Tables of projective skinning that are no times."""
import math

from .work import SHARED, number, table

CORPUS = ("RobotExpressive.glb", "Q-Trex.glb", "Q-Spider.glb", "Q-Cyberpunk.glb", "Q-Frog.glb", "Q-Snake.glb", "Q-PlatformerCharacter.glb", "ManikinV2/ManikinV2.gltf",
          "KayKitKnight.glb", "VRM-Polydancer.glb", "Mannequiny.glb", "XRHandGlove.gltf", "Q-Bee.glb")  # those for which a body is made


def iterations(work):
    """How far a number of iterations is from 60 of them, 99 of 100 points and the farthest: two minutes of one core."""
    counts = (3, 5, 7, 10, 20, 60)
    plays = [("body of a robot, dance, 16 frames", SHARED / "data/corpus/RobotExpressive.glb", "Dance", "0:15"),
             ("body of a dinosaur, attack, 16 frames", SHARED / "data/corpus/Q-Trex.glb", "Armature|TRex_Attack", "0:15"),
             ("arm, bend, 30 frames", SHARED / "data/arm.glb", "bend", "0:29")]
    rows = []
    for label, path, clip, frames in plays:
        made = {n: work.frames(path, clip, "projective", "--frames", frames, "--set", "touch=off", "--set", f"iterations={n}") for n in counts}
        first = made[60][0]
        size = math.dist([min(first[k::3]) for k in range(3)], [max(first[k::3]) for k in range(3)])
        row = [label]
        for n in counts[:-1]:
            off = sorted(math.dist(a[i:i + 3], b[i:i + 3]) / size for a, b in zip(made[n], made[60]) for i in range(0, len(a), 3))
            row.append(f"{number(off[len(off) * 99 // 100], 2)}, {number(off[-1], 2)}")
        rows.append(row)
    return table(["iterations"] + [str(n) for n in counts[:-1]], rows)


def planes(work):
    """Contacts by planes of the pose or by stored pairs, without the last word; half a minute of one core."""
    rows = []
    for label, name in (("cylinder, bend by 160°", "cylinder2.glb"), ("arm, bend by 140°", "arm.glb")):
        found = [work.report(SHARED / "data" / name, "bend", "projective", "--set", "touch=off", "--set", f"collisions={how}")["quality"] for how in ("off", "joints", "all", "pairs")]
        rows.append([label] + [f"{q['deep_pairs']}, {number(q['depth'], 2)}, {q['inverted']}" for q in found])
    return table(["deep pairs, depth, inverted", "`off`", "`joints`", "`all` (default)", "`pairs`"], rows)


def bad_tetrahedra(work):
    """Tetrahedra that are flat or inside out at rest, and vertices without tissue: a minute and a half of one core."""
    single = [(f"{label}, single skin", SHARED / "data" / name) for label, name in (("arm.glb", "arm.glb"), ("hand.glb", "hand.glb"), ("MakeHuman", "makehuman-cc0.glb"))]
    built_in = [(f"built-in {name}, single skin", work.character(name, vertices)) for name, vertices in (("biped", 13300), ("beast", 9000), ("arm", 8000), ("hand", 5000), ("cylinder", 3200))]
    bodies = [(f"{name.split('/')[0].split('.')[0]}, made body", SHARED / "data/corpus" / name) for name in CORPUS]
    rows = []
    for label, path in single + built_in + bodies:
        stats = work.report(path, "range", "projective", "--frames", "0:0", "--no-measure")["method_stats"]
        rows.append([label] + [f"{int(stats[key]):,}".replace(",", " ") for key in ("tetrahedra", "tetrahedra_mended", "tetrahedra_inside_out", "vertices_without_tissue")])
    return table(["", "tetrahedra", "flat or inside out at rest", "of these inside out", "vertices without tissue"], rows)
