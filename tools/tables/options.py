"""What an option of several methods does, by the constants it chooses from: no number of it is typed into a page."""
import re

from .depends import without_comments
from .work import ROOT, number, table

# what the numbers are read out of; the table is old when one of these changes
READ = ("src/methods/layered/constants.def", "src/methods/layered/method.c", "src/body/constants.def", "src/body/body.c", "src/contact/constants.def", "tests/contact/test_grasp.c")


def constants(path):
    return {name: float(value.rstrip("f")) for name, value in re.findall(r"^PELT_CONSTANT\((\w+), ([\d.e+-]+f?),", (ROOT / path).read_text(), re.M)}


def read(path, pattern):
    found = re.search(pattern, " ".join(without_comments((ROOT / path).read_text()).split()))
    if not found:
        raise RuntimeError(f"{path} has no longer {pattern}: the table `quality` means something else by it")
    return found.groups()


def quality(work):
    """All that listens to --set quality=...; which constant goes with which is checked against the lines that choose."""
    layered, body, contact = constants(READ[0]), constants(READ[2]), constants(READ[4])
    read(READ[1], r"preview \? ITERATIONS_PREVIEW : final \? ITERATIONS_FINAL : ITERATIONS,")
    read(READ[1], r"preview \? STEP_PREVIEW : coarse \? STEP_COARSE : STEP\)")
    read(READ[1], r"bool coarse = preview \|\| \(flesh->made_body && !final\);")
    read(READ[3], r"def->coarse \? \(int\)\(BODY_COARSE_OWN \* \w+\(def, true\)\) : 0;")
    normal, final = read(READ[5], r"fast\.residual < ([\d.e-]+) && final\.residual < ([\d.e-]+)\)")
    step = lambda s, t: f"{layered['STEP' + s]:g} ms, {layered['TURN' + t]:g}°"
    many, few = body["BODY_VERTICES"], body["BODY_VERTICES_DEAR"]
    rows = [["`layered`, iterations a step ([why](layered.md#time-step-against-iterations))"] + [f"{layered['ITERATIONS' + s]:g}" for s in ("_PREVIEW", "", "_FINAL")],
            ["`layered`, longest step and turn of a joint in it, on one closed skin, the file's own or a coarser body of it", step("_PREVIEW", "_COARSE"), step("", ""), step("", "")],
            ["the same on a [body](body.md) made of pieces or of a coarse skin", step("_PREVIEW", "_COARSE"), step("_COARSE", "_COARSE"), step("", "")],
            ["`layered`, vertices of the body", f"{number(many)} where a file's own skin has more than {number(many * body['BODY_COARSE_OWN'])} ({body['BODY_COARSE_OWN']:g} of `body-vertices`); {number(few)} of pieces or a coarse skin",
             f"{number(few)} of pieces or a coarse skin", f"{number(many)} of these too"],
            ["contact in a scene, by any method: the laws hold, of the largest force and the size", f"to {normal}", f"to {normal}", f"to {final}, with up to {contact['WORK_FINAL']:g} times the work"]]
    return table(["", "`preview`", "`normal`, the default", "`final`"], rows)
