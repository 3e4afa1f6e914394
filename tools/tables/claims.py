"""Tables of what tests assert: each bound is read out of the test's own source, and the tests are run, so that no table says what no test asks.

A claim has places: a test, a function of it (None: anywhere in the file), and patterns that must be found there one after another, whatever the comments
and layout. `#` stands for a number, which goes to the next {} of the claim and then of the result."""
import re
import subprocess

from .depends import without_comments
from .work import ROOT, table

NUMBER = r"([\d.]+(?:e-?\d+)?)f?"


class Bound(str):
    """A number as the test has it, `{:%}` of it in percent, `{:mm}` in millimetres."""

    def __format__(self, form):
        return str(self) if not form else f"{{:g}} {form}".format(float(self) * {"%": 100, "mm": 1000}[form])


class Claim:
    def __init__(self, claim, result, *places):
        self.claim, self.result, self.places = claim, result, places

    def tests(self):
        return list(dict.fromkeys(test for test, *_ in self.places))

    def row(self, tree=ROOT):
        bounds = [Bound(bound) for place in self.places for bound in found(tree, *place)]
        split = len(re.findall(r"\{[^{}]*\}", self.claim))
        if len(bounds) != split + len(re.findall(r"\{[^{}]*\}", self.result)):
            raise RuntimeError(f"{self.claim}: {len(bounds)} numbers were found")
        return [self.claim.format(*bounds[:split]), ", ".join(f"`{t}`" for t in self.tests()), self.result.format(*bounds[split:])]


def source(test):
    """tests/contact/test_near.c of `contact/near`, or the script."""
    room, name = test.rsplit("/", 1)
    return next(p for p in (f"tests/{room}/test_{name}{end}" for end in (".c", ".sh")) if (ROOT / p).exists())


def found(tree, test, function, *patterns):
    """The numbers of a place, in the order of the patterns."""
    path = source(test)
    text = (tree / path).read_text()
    if path.endswith(".c"):
        text = without_comments(text)
    if function:
        body = re.search(rf"^[^\n]*\b{function}\([^\n;]*\)\s*\{{\n.*?^\}}", text, re.S | re.M) or re.search(rf"^def {function}\(.*?(?=^\S)", text, re.S | re.M)
        if not body:
            raise RuntimeError(f"{path}: no {function}")
        text = body.group()
    text, at, numbers = " ".join(text.split()), 0, []
    for pattern in patterns:
        hit = re.compile(pattern.replace("#", NUMBER)).search(text, at)
        if not hit:
            raise RuntimeError(f"{path}: {function or 'nothing in it'} asserts no {pattern}")
        numbers += hit.groups()
        at = hit.end()
    return numbers


def passed(build, tests):
    """Runs them, by ctest of the build folder."""
    wanted = "|".join(re.escape(t) for t in tests)
    done = subprocess.run(["ctest", "--test-dir", str(build), "-R", f"^({wanted})(_sh)?$"], capture_output=True, text=True)
    count = re.search(r"100% tests passed, 0 tests failed out of (\d+)", done.stdout)
    if done.returncode or not count or int(count.group(1)) != len(tests) or "Skipped" in done.stdout:
        raise RuntimeError(f"tests of {', '.join(tests)} do not pass in {build}:\n{done.stdout[-2000:]}{done.stderr[-500:]}")


def claims(*rows):
    """A table of claims; it takes as long as their tests."""
    def make(work):
        made = [r.row() for r in rows]
        passed(work.pelt.parent, tests_of(rows))
        return table(["claim", "test", "what it asks for"], made)
    return make


def tests_of(rows):
    return list(dict.fromkeys(t for r in rows for t in r.tests()))


def depends(rows):
    """Sources of the tests, and what is made of them here."""
    return tuple(source(t) for t in tests_of(rows)) + ("tools/tables/claims.py",)


CONTACT = (
    Claim("Signorini's and Coulomb's laws, {} coupled contacts (soft body included), checked by code of its own", "below {} of the largest force and length",
          ("contact/coulomb", None, "CONTACTS = #"), ("contact/coulomb", "many_coupled_contacts_obey_both_laws", "worst < #")),
    Claim("the same in every frame of a grasp", "below {}; `final` below {}",
          ("contact/grasp", "contact_laws_hold_in_every_frame", r"fast\.residual < # && final\.residual < #")),
    Claim("Jacobian against central differences", "within {} of its largest entry", ("contact/skin", "jacobian_agrees_with_finite_differences", r"worst < # \* largest")),
    Claim("halving a joint's stiffness doubles its turn", "to {}", ("contact/skin", "halving_the_stiffness_doubles_the_turn", r"CHECK_NEAR\(turned\[1\] / turned\[0\], 2, #\)")),
    Claim("a block on a slope sticks at {}, slides at {} of the friction angle; its acceleration", "as it should; within {:%}",
          ("contact/bodies", "a_block_sticks_below_and_slides_above_the_friction_angle", r"slide\(\(float\)\(critical \* #\)", r"slide\(\(float\)\(critical \* #\)"),
          ("contact/bodies", "a_sliding_block_accelerates_as_it_should", r"CHECK_NEAR\(speed, a, # \* a\)")),
    Claim("{} boxes stacked stand for {} steps of 1/{} s", "the ground carries their weight, to {:%}; they move less than {:mm}",
          ("contact/bodies", "a_stack_of_five_boxes_stands", r"boxes\[#\]", r"i < #; i\+\+\) pelti_corrector_step\(c, NULL, 1\.0 / #,", r"CHECK_NEAR\(force, [^,]*, # \*",
           r"CHECK_NEAR\(v\.centre\[2\], 0, #\)")),
    Claim("momentum in a free collision of a box and a ball", "linear and angular to {}", ("contact/bodies", "a_free_collision_keeps_momentum", r"CHECK_NEAR\(after\[k\], before\[k\], # \* scale\)")),
    Claim("a soft box of {} m under its own weight, held by friction where it stands", "shortens by {:mm} to {:mm}; rho g H²/2E, a free column, is between them",
          ("contact/bodies", "a_soft_box_sags_as_its_stiffness_says", r"PELT_SHAPE_BOX, #,", r"\(high - low\) > # && .*?\(high - low\) < #")),
    Claim("a ball held for {} frames of 1/30 s", "slips less than {:mm}, live less than {:mm}; its weight is what the hand's forces carry, to {:%}",
          ("contact/grasp", "a_ball_is_lifted_and_held_by_friction", r"run\(&g, 75 \+ #\)", r"g\.held_slip < #"),
          ("bake/world", "a_ball_is_picked_up_live", r"high - low < #", r"CHECK_NEAR\(weight, expected, # \* expected\)")),
    Claim("a dent of {:mm} where a finger pushed", "nothing pushes within {:mm} of there any more, other contacts do",
          ("contact/grasp", "a_dent_changes_what_is_touched", r"1 - # / radius", r"nearest > # && same < count")),
    Claim("random characters pressed into a wall by {:%} of their size, by every method, also {} times as large", "nothing shown is inside by more than {} of the size; limbs swing by less than {:%}",
          ("bake/walls", "press", r"depth=#\)"), ("bake/walls", None, r"press\('21', #, 1, \['lbs', 'tracking', 'projective', 'layered'\]"),
          ("bake/walls", "press", "inside < # and swing < #")),
    Claim("a ball that starts deep in a hand, at several places", "after {} frames of 1/30 s less than {:%} of the depth is left; work within its bound in every frame; no joint turns by more than {} rad",
          ("contact/escape", "leaves", r"play\(&starts\[i\], #\)", "left < #"), ("contact/escape", "play", r"report\.work <= WORK_INSIDE", "farthest < #")),
    Claim("remembered clearances", "contact for contact what asking every vertex gives, in {} steps", ("contact/near", "remembering_changes_nothing", "step < #", r"kept\.list\[i\]\.gap == fresh\.list\[i\]\.gap")),
    Claim("bad scenes: missing, open, negative, NaN, {} objects, starts inside the hand", "one line and an exit code, or a finite result and a warning; nothing faster than {} m/s",
          ("cli/bad_scenes", None, r"thing\(i\) for i in range\(#\)", "far < 1 and speed < #")),
)

GIVE_WAY = (
    Claim("two fingers share the way as their stiffness says, from 1 : 1 to 1 : {}", "within {:%}",
          ("contact/give_way", "the_softer_finger_yields_as_their_stiffness_says", "k <= #", r"fabs\(ratio - k\) < # \* k")),
    Claim("a held pose rests", "moves less than {} of the size in a second", ("contact/give_way", "a_held_pose_rests", "drift < #")),
    Claim("closing and opening", "no point changes its speed in a frame by more than {} times the fastest it has", ("contact/give_way", "opening_and_closing_does_not_pop", r"most < # \* fastest")),
    Claim("a finger driven {} rad across another and back", "stays on its side, at most {} of the size deep",
          ("contact/give_way", "a_finger_driven_through_another_stays_on_its_side", r"lean = # \* sinf", "deepest < #")),
    Claim("a finger taken through another for good", "is let go: {} frames later joints are turned by less than {} rad; its tip moves by less than {} of its length a frame",
          ("contact/give_way", "what_a_clip_takes_through_for_good_is_let_go", "s < #; s", r"turned\(&f, LEFT\) < #", r"most < # \* \(double\)length")),
    Claim("both are told", "held in the frames in which the clip is past the other, within {}; let go, and through; nothing where fingers only touch",
          ("contact/give_way_told", "what_is_held_on_its_side_is_told", r"labs\(side\.first - from\) < #"), ("contact/give_way_told", "what_is_let_go_is_told", r"side\.through > side\.let_go"),
          ("contact/give_way_told", "what_only_touches_is_not_told", r"side_count\(f\.give_way\), 0\)")),
    Claim("a character of 1/{} or of {} units", "the same turns to {} rad",
          ("contact/give_way", "units_do_not_matter", r"open_fingers\(1\.0f / #,", r"open_fingers\(#,", r"CHECK_NEAR\(turned\(&small, LEFT\), turned\(&large, LEFT\), #\)")),
    Claim("overlaps at rest", "nothing turns", ("contact/give_way", "what_overlaps_at_rest_is_left_alone", r"most_turn == 0\)", r"most_turn == 0\)")),
    Claim("a rig's `crush` of 0, {} and {}", "joints turn less from one to the next; each part's own share counts",
          ("contact/give_way", "a_rig_says_what_flesh_takes", r"plain = turn_of_crush\(0, #,", r"soft = turn_of_crush\(0\.15f, #,", "hard > plain", "plain > soft", "one < hard")),
    Claim("a finger dragged along a bar", "rests where it landed up to the cone and creeps by less than {} of the size a second; beyond it slides, and is pulled by what presses times the friction, within {}",
          ("contact/give_way_friction", "within_the_cone_it_rests_where_it_landed", "crept < #"), ("contact/give_way_friction", "beyond_it_slides", r"\(double\)friction\) < #")),
)
