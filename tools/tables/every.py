"""Every table of docs/, with what it depends on."""
from . import claims, distil, house, options, projective, quality, times, touching
from .depends import Table

# rooms that change what is shown of characters no golden has: bodies made for them, joints that give way, the last word
SHOWN = ("src/body", "src/contact", "src/touch")
# what makes and tells a frame of a bake; not what reads a file, or measures a cache
BAKED = tuple(f"src/bake/{name}" for name in ("anchors.c", "around.c", "bake.c", "calm.c", "constants.def", "create.c", "measure.c", "objects.h", "report.c", "rig.c", "rig_body.c", "run.h", "skin.c",
                                              "skin_anchors.c", "state.c"))
BLENDED = ("src/methods/lbs", "src/methods/dqs")
METHODS = ("lbs", "dqs", "implicit", "tracking", "projective", "layered")
TABLES = {
    "tracking-builtin": Table("tracking.md", quality.builtin_bends, goldens=("lbs", "dqs", "implicit", "tracking"),
                              rooms=SHOWN + BLENDED + ("src/methods/implicit", "src/methods/tracking", "src/field", "src/builtin", "examples/rigs/biceps.json", "examples/rigs/bulge.json",
                                                       "examples/rigs/painted.json")),
    "tracking-real": Table("tracking.md", quality.real_bends("tracking", quality.WANTED_TRACKING), goldens=("tracking",), rooms=SHOWN + ("src/methods/tracking", "src/field"), shared=True),
    "tracking-times": Table("tracking.md", times.bench("tracking"), rooms=("src/methods/tracking", "src/field")),
    "layered-real": Table("layered.md", quality.real_bends("layered", quality.WANTED_LAYERED), goldens=("layered",), rooms=SHOWN + ("src/methods/layered",), shared=True),
    "layered-omega": Table("layered.md", times.bench("layered", "omega"), rooms=("src/methods/layered/match.c", "src/methods/layered/paths.c")),
    "layered-steps": Table("layered.md", times.layered_steps, goldens=("layered",)),
    "layered-times": Table("layered.md", times.bench("layered", "thread|volume loop|per particle"), rooms=("src/methods/layered",)),
    "projective-real": Table("projective.md", quality.real_bends("projective", quality.WANTED_PROJECTIVE), goldens=("projective",), rooms=SHOWN + ("src/methods/projective",), shared=True),
    "projective-times": Table("projective.md", times.bench("projective"), rooms=("src/methods/projective",)),
    "projective-peer": Table("projective.md", times.peer, rooms=("tools/compare_peer.py",), variables=("PELT_PEER", "PELT_PEER_DATA")),
    "projective-iterations": Table("projective.md", projective.iterations, goldens=("projective",), rooms=SHOWN + ("src/methods/projective",), shared=True),
    "projective-planes": Table("projective.md", projective.planes, goldens=("projective",), rooms=("src/contact", "src/methods/projective"), shared=True),
    "projective-tetrahedra": Table("projective.md", projective.bad_tetrahedra, rooms=("src/body", "src/remesh", "src/builtin", "src/methods/projective"), shared=True),
    "contact-claims": Table("contact.md", claims.claims(*claims.CONTACT), rooms=claims.depends(claims.CONTACT), program="ctest"),
    "contact-grasp": Table("contact.md", quality.grasp, goldens=("contact",) + METHODS,
                           rooms=SHOWN + BLENDED + tuple(f"src/methods/{name}" for name in METHODS[2:]) + ("src/field", "src/builtin", "examples/scenes/grasp.json")),
    "contact-times": Table("contact.md", times.bench("contact"), rooms=("src/contact",)),
    "measures-evaluate": Table("measures.md", quality.evaluate, goldens=("lbs", "dqs"), rooms=("src/measure",), shared=True),
    "touching-gives-way": Table("touching.md", touching.gives_way, goldens=("tracking", "projective", "layered"), rooms=SHOWN),
    "touching-claims": Table("touching.md", claims.claims(*claims.GIVE_WAY), rooms=claims.depends(claims.GIVE_WAY), program="ctest"),
    "touching-held": Table("touching.md", touching.held, goldens=METHODS, rooms=("src/contact", "src/touch", "src/bake/calm.c", "tests/touch/test_held.c")),
    "touching-pieces": Table("touching.md", touching.pieces, goldens=("lbs", "tracking"), rooms=SHOWN, shared=True),
    "touching-dressed": Table("touching.md", touching.dressed, goldens=("lbs", "tracking"), rooms=SHOWN + ("src/builtin",)),
    "touching-many": Table("touching.md", touching.touch_many, rooms=SHOWN + BAKED + ("src/methods",)),
    "touching-all": Table("touching.md", touching.touch_all, rooms=SHOWN + BAKED + ("src/methods",), shared=True),
    "characters-builtin": Table("characters.md", quality.builtin_characters, rooms=("src/builtin", "src/remesh")),
    "characters-made": Table("characters.md", times.made, rooms=("src/builtin", "src/remesh")),
    "characters-corpus": Table("characters.md", quality.corpus, goldens=("lbs", "tracking", "projective", "layered"), rooms=SHOWN + ("tools/test_corpus.py",), shared=True),
    "body-implicit": Table("body.md", quality.implicit_body, goldens=("lbs", "implicit"), rooms=SHOWN + ("src/methods/implicit", "src/field"), shared=True),
    "body-weights": Table("body.md", quality.useless_weights, goldens=("lbs",), rooms=("src/body", "src/character", "src/builtin", "tools/test_weights.py"), shared=True),
    "quality": Table("methods.md", options.quality, rooms=options.READ),
    "blender-cost": Table("blender.md", times.blender_cost, rooms=("blender/pelt_skin", "python/pelt", "tests/blender/cost.py"), program="blender"),
    "speed": Table("bench.md", times.speed, rooms=("src/methods", "src/field", "src/contact", "src/touch", "src/measure", "src/bench"), shared=True),
    "rays": Table("bench.md", times.bench("rays"), rooms=("src/geometry", "src/character/heat.c", "src/methods/layered", "src/render/rays.c", "src/bench/rays.c")),
    "distil-budgets": Table("distil.md", distil.distil_budgets, rooms=("src/distil", "src/methods/tracking", "src/methods/dqs", "src/field"), shared=True),
    "distil-near-tracking": Table("distil.md", distil.distil_near("tracking"), goldens=("tracking",), rooms=("src/distil", "src/touch")),
    "distil-near-dqs": Table("distil.md", distil.distil_near("dqs"), goldens=("dqs",), rooms=("src/distil",)),
    "studio-times": Table("studio.md", times.studio_times, rooms=("studio/src/boot.ts", "studio/src/link.ts", "studio/src/sketch.ts", "studio/src/skin.ts", "studio/src/view.ts", "studio/src/wire.ts",
                                                                  "src/studio/solver.c", "src/studio/server.c", "tests/web/studio_times.mjs"), program="chromium"),
    "studio-memory": Table("studio.md", times.studio_memory, rooms=("studio/src/history.ts", "studio/src/link.ts", "studio/src/skin.ts", "src/studio/prepare.c", "src/studio/session.c",
                                                                    "src/studio/solver.c"), program="chromium"),
    "distil-ways": Table("distil.md", distil.distil_ways, goldens=("tracking",), rooms=("src/touch",)),
    "goldens-moved": Table("goldens.md", house.goldens_moved, rooms=("tests/golden/goldens.txt",)),
    "scalar": Table("architecture.md", house.scalar, rooms=("tests/golden/goldens.txt", "tests/golden/goldens.c", "src/math"), program="cmake"),
    "house": Table("architecture.md", house.house, rooms=("tools/house.py", "src", "include", "cli", "import"), names=("src", "tests")),
}
