"""tools/tables, from outside: run by test_measured.sh."""
import pathlib
import shutil
import struct
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from tables import claims, pages
from tables.depends import Table
from tables.every import TABLES
import sweep


def page(*cells, head="what"):
    return f"Text.\n\n| {head} | {head} |\n|---|---|\n" + "".join(f"| {cell} | words |\n" for cell in cells) + "\nMore.\n"


class Typed(unittest.TestCase):
    def test_numbers_and_bounds_are_measured(self):
        for cell in ("12", "0.5 ms", ".0027", "-3", "−3", "**4.15**", "~ 7", "< 1e-6", "3 / 5", "below 1e-6 of the force", "within 10 %", "at most .2", "1 000 poses"):
            self.assertEqual(list(pages.typed(page("words", cell))), [(3, cell)], cell)

    def test_words_are_not(self):
        for cell in ("words", "", "`region=2`", "of 3 kinds", "![12](a.webp)", "at most so", "tests 3 and 4", "`0`"):
            self.assertEqual(list(pages.typed(page(cell))), [], cell)
        self.assertEqual(list(pages.typed(page("words", head="12"))), [])  # the head may say of what

    def test_every_table_of_a_page_is_seen(self):
        self.assertEqual([line for line, _ in pages.typed(page("1") + page("words") + page("2"))], [3, 17])
        self.assertEqual([line for line, _ in pages.typed("| a |\n|---|\n| 1 |")], [1])
        self.assertEqual([line for line, _ in pages.typed("- in a list\n\n  | a |\n  |---|\n  | 1 |\n")], [3])

    def test_markers_and_code_are_left_out(self):
        marked = "<!-- measured some, needs ../shared, commit c, machine m, of 12ab -->\n" + page("1") + "<!-- end of some -->\n"
        self.assertEqual(list(pages.typed(marked + "```\n" + page("1") + "```\n")), [])
        self.assertEqual([line for line, _ in pages.typed(marked + page("1"))], [marked.count("\n") + 3])
        self.assertEqual(len(list(pages.typed(marked.replace("end of some", "end of other")))), 1)

    def test_no_page_has_one(self):
        self.assertEqual(list(pages.all_typed()), [])


class Places(unittest.TestCase):
    def test_every_table_has_one_place_and_every_place_a_table(self):
        self.assertEqual([name for name, one in TABLES.items() if not pages.find(name, one)], [])
        self.assertEqual(list(pages.strangers({**TABLES, **sweep.TABLES})), [])

    def test_what_tables_depend_on_is_there(self):
        for name, one in TABLES.items():
            for room in one.rooms + one.names:
                self.assertTrue((ROOT / room).exists(), f"{name}: {room}")
            self.assertEqual(bool(one.goldens), bool(one.golden_lines(ROOT)), name)

    def test_comments_make_no_table_old(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            (tree / "tests/golden").mkdir(parents=True)
            (tree / "tests/golden/goldens.txt").write_text("bend-lbs 0123456789abcdef 1 points\nbend-dqs 0123456789abcdef 1 points\n")
            (tree / "a.c").write_text("int a = 1; // one\n")
            one = Table("no.md", None, goldens=("lbs",), rooms=("a.c",))
            keys = [one.key(tree)]
            for text in ("int a /* a */ =\n  1;\n", "int a = 2;\n"):
                (tree / "a.c").write_text(text)
                keys.append(one.key(tree))
            for was, now in (("dqs 0", "dqs 1"), ("lbs 0", "lbs 1")):
                goldens = tree / "tests/golden/goldens.txt"
                goldens.write_text(goldens.read_text().replace(was, now))
                keys.append(one.key(tree))
            self.assertEqual([a == b for a, b in zip(keys, keys[1:])], [True, False, True, False])


class Claims(unittest.TestCase):
    def test_every_claim_stands_in_its_test(self):
        for claim in claims.CONTACT + claims.GIVE_WAY:
            self.assertEqual(len(claim.row()), 3)

    def test_a_bound_is_the_tests_own(self):
        claim = claims.Claim("{} steps", "within {:%}", ("contact/near", "remembering_changes_nothing", "step < #", r"alarm \* #"))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "tests/contact/test_near.c"
            path.parent.mkdir(parents=True)
            path.write_text("static void remembering_changes_nothing(void **state)\n{\n    step < 7 /* step < 8 */;\n    alarm * 0.02f;\n}\n")
            self.assertEqual(claim.row(pathlib.Path(folder)), ["7 steps", "`contact/near`", "within 2 %"])
            path.write_text("static void another(void **state)\n{\n    step < 7;\n    alarm * 0.02f;\n}\n")
            self.assertRaises(RuntimeError, claim.row, pathlib.Path(folder))

    def test_a_claim_that_is_gone_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            for claim in claims.CONTACT:
                for test in claim.tests():
                    (tree / claims.source(test)).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / claims.source(test), tree / claims.source(test))
            path = tree / "tests/contact/test_skin.c"
            path.write_text(path.read_text().replace("worst < 1e-4 * largest", "worst < 3e-4 * largest"))
            self.assertEqual(claims.CONTACT[2].row(tree)[2], "within 3e-4 of its largest entry")
            path.write_text(path.read_text().replace("worst < 3e-4 * largest", "true"))
            self.assertRaises(RuntimeError, claims.CONTACT[2].row, tree)


class Swept(unittest.TestCase):
    def test_a_byte_that_moves_is_told(self):
        frames = lambda *numbers: b"POINTCACHE2\0" + struct.pack("<iiffi", 1, 2, 0, 1, 1) + struct.pack("<6f", *numbers)
        rest = frames(0, 0, 0, 1, 0, 0)
        self.assertEqual(sweep.moved(rest, rest), [])
        self.assertEqual(sweep.moved(rest, frames(0, 0, 0, 1.0000002, 0, 0)), ["moved by less than 1e-06"])
        self.assertEqual(sweep.moved(rest, frames(0, 0, 0, 1, 0.5, 0)), ["moved 0.5, at most 0.5"])

    def test_harder_plays_are_for_what_shows_nothing_or_hardly_anything(self):
        hardly = "hand fist: moved by less than 1e-06"
        self.assertTrue(sweep.faint([sweep.UNSEEN] * 2) and sweep.faint([hardly + "; " + hardly, sweep.UNSEEN]))
        self.assertFalse(sweep.faint([hardly, "hand fist: moved 0.1, at most 0.2"]) or sweep.faint(["hand fist: jitter 1 → 2, moved by less than 1e-06", hardly]))

    def test_every_constant_has_a_unit_and_a_reason(self):
        self.assertTrue(all(sweep.constants(room) for room in sweep.ROOMS))


if __name__ == "__main__":
    unittest.main()
