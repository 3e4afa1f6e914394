"""tools/tables, from outside: run by test_measured.sh."""
import pathlib
import shutil
import struct
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from tables import claims, house, kept, pages, quality
from tables.depends import Table
from tables.every import TABLES
import sweep


def page(*cells, head="what"):
    return f"Text.\n\n| {head} | {head} |\n|---|---|\n" + "".join(f"| {cell} | words |\n" for cell in cells) + "\nMore.\n"


def marker(name):
    return f"<!-- measured {name}, commit ?, machine ?, of 0, body 0 -->"


class Typed(unittest.TestCase):
    def test_numbers_and_bounds_are_measured(self):
        for cell in ("12", "0.5 ms", ".0027", "-3", "−3", "**4.15**", "~ 7", "< 1e-6", "3 / 5", "below 1e-6 of the force", "within 10 %", "at most .2", "1 000 poses", "took 5 ms", "`3.2` ms", "so in `12`s", "a gain of .7%",
                     "it needs 1.5e3 MB more", "an arm of 2 mm"):
            self.assertEqual(list(pages.typed(page("words", cell))), [(3, cell)], cell)

    def test_words_are_not(self):
        for cell in ("words", "", "`region=2`", "of 3 kinds", "![12](a.webp)", "at most so", "tests 3 and 4", "`0`", "for 3 skins", "of the 2 sides", "by 1.3 times that", "frame 5 more"):
            self.assertEqual(list(pages.typed(page(cell))), [], cell)
        self.assertEqual(list(pages.typed(page("words", head="12"))), [])  # the head may say of what

    def test_every_table_of_a_page_is_seen(self):
        self.assertEqual([line for line, _ in pages.typed(page("1") + page("words") + page("2"))], [3, 17])
        self.assertEqual([line for line, _ in pages.typed("| a |\n|---|\n| 1 |")], [1])
        self.assertEqual([line for line, _ in pages.typed("- in a list\n\n  | a |\n  |---|\n  | 1 |\n")], [3])

    def test_markers_and_code_are_left_out(self):
        marked = "<!-- measured some, needs ../shared, commit c, machine m, of 12ab, body 34cd -->\n" + page("1") + "<!-- end of some -->\n"
        self.assertEqual(list(pages.typed(marked + "```\n" + page("1") + "```\n")), [])
        self.assertEqual([line for line, _ in pages.typed(marked + page("1"))], [marked.count("\n") + 3])
        self.assertEqual(len(list(pages.typed(marked.replace("end of some", "end of other")))), 1)

    def test_pages_of_subfolders_are_seen_but_for_the_lab_book(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            for name in ("docs/a.md", "docs/figures/b.md", "docs/lab/c.md"):
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                (tree / name).write_text(page("12"))
            self.assertEqual([p.relative_to(tree).as_posix() for p in pages.pages(tree)], ["README.md", "docs/a.md", "docs/figures/b.md"])

    def test_no_page_has_one(self):
        self.assertEqual(list(pages.all_typed()), [])


class Bodies(unittest.TestCase):
    def test_figures_that_somebody_typed_are_noticed(self):
        commit = pages.commit().split("-")[0]  # of a clean tree, whatever this one is
        with tempfile.TemporaryDirectory() as folder:
            one = Table("no.md", None, rooms=("tests/docs",))
            one.page = pathlib.Path(folder) / "page.md"
            one.page.write_text(f"A.\n\n{marker('some')}\n<!-- end of some -->\n\nB.\n")
            pages.write("some", one, ["| a |", "|---|", "| 248 / 244 |"], commit)
            text = one.page.read_text()
            self.assertEqual(pages.state("some", one), "")
            for typed in (text.replace("248 / 244", "1 / 1"), text.replace("| 248 / 244 |", "| 248 / 244 |\n| 5 |"), text.replace("*Measured at", "*Guessed at"),
                          text.replace(", body ", ", body 0")):
                self.assertNotEqual(typed, text)
                one.page.write_text(typed)
                self.assertEqual(pages.state("some", one), pages.CHANGED)
            one.page.write_text(text.replace("A.", "C.").replace("B.", "| 1 |"))  # around it anything may change
            self.assertEqual(pages.state("some", one), "")
            one.page.write_text(text.replace(", body ", ", no "))
            self.assertEqual(pages.state("some", one), pages.NO_MARKER)

    def test_a_table_that_is_kept_keeps_its_body(self):
        found = {name: pages.find(name, one) for name, one in TABLES.items()}
        self.assertEqual([name for name, m in found.items() if m and m["told"] != pages.hash_of(m["body"])], [])
        head = next(m for m in found.values() if m).group().split("\n", 1)[0]
        kept_head = kept.with_key(head, "0123456789ab")
        self.assertEqual((kept_head.count(", of 0123456789ab, body "), kept_head.split(", body ")[1]), (1, head.split(", body ")[1]))


class Places(unittest.TestCase):
    def test_every_table_has_one_place_and_every_place_a_table(self):
        self.assertEqual([name for name, one in TABLES.items() if not pages.find(name, one)], [])
        self.assertEqual(list(pages.strangers({**TABLES, **sweep.TABLES})), [])

    def test_what_tables_depend_on_is_there(self):
        for name, one in TABLES.items():
            for room in one.rooms + one.names:
                self.assertTrue((ROOT / room).exists(), f"{name}: {room}")
            self.assertEqual(bool(one.methods + one.goldens), bool(one.golden_lines(ROOT)), name)

    def test_a_method_brings_its_rooms_and_all_its_goldens(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder)
            (tree / "tests/golden").mkdir(parents=True)
            names = ("bend-tracking", "bend-dressed-tracking", "contact-wall-tracking", "contact-rigid", "bend-lbs")
            (tree / "tests/golden/goldens.txt").write_text("".join(f"{name} 0123456789abcdef 1 points\n" for name in names))
            of = lambda **how: [line.split()[0] for line in Table("no.md", None, **how).golden_lines(tree)]
            self.assertEqual(of(methods=("tracking",)), list(names[:3]))
            self.assertEqual(of(goldens=("contact",)), ["contact-rigid"])
        self.assertLess({"src/methods/tracking", "src/field", "src/touch", "src/bake/skin.c", "src/measure"}, set(Table("no.md", None, methods=("tracking",), measured=True).rooms))
        self.assertNotIn("src/measure", Table("no.md", None, methods=("tracking",)).rooms)
        self.assertEqual(Table("no.md", None, rooms=("src/math",)).rooms, ("src/math",))
        self.assertRaises(TypeError, Table, "no.md", None, room=("src/math",))
        self.assertEqual(Table("no.md", None, module="no_such_module").absent(), "python3-no_such_module")

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


class Reasons(unittest.TestCase):
    def test_a_commit_says_its_first_paragraph_and_what_it_says_of_goldens(self):
        self.assertEqual(house.why("One is off.\nTwo is less.\n\nSlow. Goldens move by 1 %. Quick."), "One is off. Two is less. Goldens move by 1 %.")
        long = " ".join(f"Sentence {k} says a little." for k in range(100)) + " Goldens stay."
        self.assertLess(len(house.why(long)), house.SAID_MOST + 100)
        self.assertTrue(house.why(long).endswith("a little. [...] Goldens stay."))
        self.assertEqual(house.why(""), "")


    def test_the_time_before_is_a_record_where_somebody_took_it(self):
        self.assertEqual((house.before_test(None), house.before_test(612.4)), ("not measured", "612 (record of f48f728)"))


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


class Kept(unittest.TestCase):
    def test_numbers_of_local_labels_do_not_count_but_where_they_lead_does(self):
        one = kept.with_own_labels("f:\n.LFB7:\n\tje .L3\n\tjmp .L4\n.L3:\n.L4:\n\tadd $1, %eax\n")
        self.assertEqual(one, kept.with_own_labels("f:\n.LFB9:\n\tje .L5\n\tjmp .L8\n.L5:\n.L8:\n\tadd $1, %eax\n"))
        self.assertNotEqual(one, kept.with_own_labels("f:\n.LFB7:\n\tje .L4\n\tjmp .L4\n.L3:\n.L4:\n\tadd $1, %eax\n"))
        self.assertNotEqual(one, kept.with_own_labels("f:\n.LFB7:\n\tje .L3\n\tjmp .L4\n.L3:\n.L4:\n\tadd $2, %eax\n"))


class Judged(unittest.TestCase):
    def test_how_far_reports_are_from_the_judge(self):
        self.assertEqual(quality.apart([(1, 1), (0.5, 0.5), (2e-7, 9e-7)]), "The report of the same bakes has all of the 1 counts alike, and what is no count within 1e-6.")
        self.assertEqual(quality.apart([(1, 2), (3, 3), (0.51, 0.5)]), "The report of the same bakes has 1 of the 2 counts alike, and is at most 2 % from the judge in what is no count.")


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
