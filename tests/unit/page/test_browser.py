"""The page in a browser: what one sees, by keys, by links, and by the address."""

from __future__ import annotations

import re

import pytest

from cutaway.inspection.showing.page.page import write

pytestmark = pytest.mark.sampled(others=12, fast=0)


class Opened:
    """A page of the browser, with all that went wrong in it."""

    def __init__(self, browser, file, **options):
        self.context = browser.new_context(viewport={"width": 1400, "height": 900}, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(6000)
        self.said = []
        self.asked = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.file = file

    def at(self, hash=""):
        """Open an address."""
        self.page.goto("about:blank")
        self.page.goto(f"file://{self.file}{hash}")
        self.page.wait_for_selector("html[data-ready]", timeout=10_000)
        return self

    def keys(self, *keys):
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
        return self

    def text(self, selector):
        """What an element says."""
        return self.page.inner_text(selector)

    def count(self, selector):
        """How many elements there are."""
        return self.page.locator(selector).count()

    @property
    def hash(self):
        """What the address says behind its `#`."""
        return self.page.evaluate("location.hash")


@pytest.fixture(scope="module")
def file(full, tmp_path_factory):
    return write(tmp_path_factory.mktemp("page") / "full.html", full)


@pytest.fixture(scope="module")
def opened(browser, file):
    """One page for the tests of this module; each opens its own address in it."""
    found = Opened(browser, file)
    yield found
    assert found.said == []
    asked = {url for url in found.asked if url != "about:blank"}
    assert all(url.startswith(f"file://{file}") for url in asked)
    found.context.close()


def test_the_page_can_be_read(opened):
    opened.at()
    assert int(opened.page.get_attribute("html", "data-ready")) > 0  # milliseconds
    assert opened.text("#title") == "Your function"
    assert "def total(a, k):" in opened.text(".of-source")


def test_arrows_go_from_pass_to_pass(opened):
    opened.at().keys("ArrowRight", "ArrowRight", "ArrowRight")
    assert opened.text("#title") == "build_ir"
    opened.keys("ArrowRight")
    assert opened.text("#title") == "insert_dels"  # over those that changed nothing
    opened.keys("ArrowLeft")
    assert opened.hash == "#pass=build_ir"


def test_keys_go_into_a_pass(opened):
    opened.at("#pass=simplify").keys("j")
    assert opened.text("#title") == "simplify › forward_copy"
    assert "simplify.py:52" in opened.text("#words")
    opened.keys("j", "k", "k")
    assert opened.hash == "#pass=simplify"


def test_each_step_is_announced(opened):
    opened.at("#pass=build_ir").keys("ArrowRight")
    assert opened.text("#live").startswith("insert_dels. Mark the end of each variable's life.")


def test_what_a_pass_changed_is_marked(opened):
    opened.at("#pass=simplify")
    gone = opened.page.locator(".row.gone").all_inner_texts()
    assert any("s = $0.1" in text for text in gone)
    assert opened.count(".row.changed .mark") >= 1


def test_passes_without_a_change_are_folded(opened):
    opened.at("#pass=build_ir")
    assert "passes without a change" in opened.text("#list")
    assert "inline_closures" not in opened.text("#list")
    opened.keys("f")
    assert "inline_closures" in opened.text("#list")


def test_a_line_lights_up_in_all_columns(opened):
    opened.at("#view=levels&columns=source|typed|llvm_opt|asm")
    opened.page.locator('[data-k="pane-column-1"] .row', has_text="s.2 = s.1 += ").hover()
    assert opened.page.locator(".of-source .row.near").all_inner_texts()[0].count("s += scale")
    llvm = opened.page.locator('[data-k="pane-column-2"] .row.lit').all_inner_texts()
    assert any("fadd" in text for text in llvm)
    machine = opened.page.locator('[data-k="pane-column-3"] .row.lit').all_inner_texts()
    assert any("addsd" in text for text in machine)


def test_pointing_at_an_expression_is_precise_to_the_column(opened):
    opened.at("#pass=simplify")
    line = opened.page.locator(".of-source .row", has_text="s += scale")
    line.locator(".text > span", has_text="scale").hover()
    lit = opened.page.locator('[data-k="pane-now"] .row.lit').all_inner_texts()
    assert any("global(scale" in text for text in lit)
    assert not any("getitem" in text for text in lit)


def test_a_value_is_followed_through_its_life(opened):
    opened.at("#pass=ssa")
    opened.page.locator('.of-source .v[data-value="s"]').first.click()
    assert "value=s" in opened.hash
    life = opened.text(".life")
    assert "build_ir appears as s" in life
    assert "ssa becomes s, s.1, s.2" in life
    assert "infer_types has the type int64 and float64" in life
    assert "in LLVM" in life
    assert re.search(r"emit_object is in %xmm\d+, put there by v?(add|mov|b)", life)
    assert opened.count('[data-k="pane-now"] .followed') >= 3
    opened.keys("Escape")
    assert opened.count(".followed") == 0


def test_a_type_says_why(opened):
    opened.at("#value=s&panel=value")
    assert "s is float64: += of int64 and float64" in " ".join(opened.text(".why").split())


def test_values_of_the_call_stand_beside_the_code(opened):
    opened.at("#pass=ssa&panel=value")
    assert "s = 3.0, 9.0, 24.5" in opened.text(".of-source")
    opened.page.fill('[data-k="iteration"]', "2")
    assert "s = 9.0" in opened.text(".of-source")
    opened.keys("v")
    assert "s = 9.0" not in opened.text(".of-source")


def test_any_two_points_can_be_compared(opened):
    opened.at("#pass=ssa").keys("a")
    opened.page.locator('[data-k="point-refcounts"]').click()
    opened.keys("b")
    assert opened.hash == "#pass=refcounts&view=diff&a=ssa&b=refcounts"
    rows = opened.page.locator('[data-k="pane-diff"] .row.new').all_inner_texts()
    assert any("del s.1" in text for text in rows)
    opened.page.locator('[data-k="split"]').click()
    assert opened.count(".pane") == 2
    assert "split=1" in opened.hash


def test_a_deep_link_opens_what_it_says(opened):
    opened.at("#pass=infer_types%2F9&panel=types&value=s")
    assert opened.text("#title").startswith("infer_types › s: int64")
    assert opened.page.get_attribute("#tab-types", "aria-selected") == "true"
    opened.keys("ArrowRight")
    assert opened.text("#title") == "bounds_checks"
    opened.page.go_back()
    opened.page.wait_for_function("document.querySelector('#title').innerText.includes('›')")
    assert opened.text("#title").startswith("infer_types › s: int64")


def test_the_name_of_a_level_opens_the_last_pass_of_it(opened):
    opened.at("#pass=typed")
    assert opened.text("#title") == "bounds_checks"
    assert opened.at("#pass=asm").text("#where").startswith("pass")
    assert opened.at("#pass=nothing").text("#title") == "Your function"


def test_a_comparison_from_the_start_shows_a_difference(opened):
    opened.at("#view=diff")
    assert opened.count(".row.new") >= 1


def test_what_a_call_does_not_have_is_not_told(opened):
    opened.at("#pass=build_ir")
    code = opened.text("[data-k=pane-now]")
    assert "call $" in code and "kws=" not in code and "vararg=" not in code


def test_each_decision_is_listed_once(opened):
    opened.at("#panel=decisions")
    told = opened.page.locator(".decisions li").all_inner_texts()
    assert len(told) == len(set(told)) > 0


def test_search_finds_text_at_every_level(opened):
    opened.at().keys("/")
    opened.page.keyboard.type("fadd")
    kinds = opened.page.locator("#results .kind").all_inner_texts()
    assert {"LLVM", "Optimized LLVM"} <= set(kinds)
    opened.keys("ArrowDown", "Enter")
    assert opened.count("dialog[open]") == 0
    assert opened.count('[data-k="pane-now"] .row.lit') >= 1


def test_search_finds_passes_and_values(opened):
    opened.at().keys("/")
    opened.page.keyboard.type("ssa")
    opened.keys("Enter")
    assert opened.hash == "#pass=ssa"


def test_the_graph_keeps_its_places_from_pass_to_pass(opened):
    opened.at("#pass=ssa").keys("g")
    places = [opened.page.locator(".node rect").nth(1).get_attribute("y")]
    boxes = [opened.page.locator(".drawing svg").get_attribute("viewBox")]
    opened.keys("ArrowRight")
    places.append(opened.page.locator(".node rect").nth(1).get_attribute("y"))
    boxes.append(opened.page.locator(".drawing svg").get_attribute("viewBox"))
    assert places[0] == places[1] and boxes[0] == boxes[1]
    opened.page.locator(".node").nth(2).hover()
    assert opened.count(".of-source .row.near") == 1


def test_a_graph_is_drawn_readably_and_seen_from_its_top(opened):
    opened.page.set_viewport_size({"width": 500, "height": 800})
    opened.at("#pass=ssa&view=graph")
    assert (
        opened.page.evaluate(
            "document.querySelector('.node .title').getBoundingClientRect().height"
        )
        > 9
    )
    middles = opened.page.evaluate("""[...document.querySelectorAll('.node')].slice(0, 1)
        .concat(document.querySelector('.drawing')).map((e) => e.getBoundingClientRect())
        .map((r) => r.left + r.width / 2)""")
    opened.page.set_viewport_size({"width": 1400, "height": 900})
    assert abs(middles[0] - middles[1]) < 200


def test_a_graph_is_of_the_level_that_one_stands_at(opened):
    opened.at("#pass=infer_types&view=graph&graph=network")
    assert "at Typed" in opened.text(".graph-pane header")
    assert "float64" in opened.page.locator(".drawing").text_content()


def test_a_nested_function_is_gone_into_and_left(opened):
    opened.at("#pass=infer_types")
    opened.page.locator("#panel button", has_text="scale(float64, int64)").click()
    assert opened.text("#crumbs").startswith("total › scale(float64, int64)")
    assert "fn=1" in opened.hash
    opened.keys("u")
    assert opened.text("#crumbs").startswith("total(")


def test_decisions_and_times_are_listed(opened):
    opened.at("#panel=decisions")
    assert "the order of the sum matters" in opened.text("#panel")
    opened.keys("9")
    assert "total" in opened.text("#panel")
    assert "scale(float64, int64)" in opened.text("#panel")


def test_the_page_says_how_to_make_it_again(opened):
    opened.at("#panel=about")
    command = opened.text("#panel .copy pre")
    assert command.startswith('cutaway report made_up.py:total --args "np.array([1., 2.5,')
    assert command.endswith("'float64'), 2\" -o total.html")


def test_every_key_is_in_the_help(opened):
    opened.at().keys("?")
    assert "search" in opened.text("#keys") and "phi" in opened.text("#glossary")
    opened.keys("Escape")
    assert opened.count("dialog[open]") == 0


def test_columns_of_code_are_read_by_arrows(opened):
    opened.at("#pass=ssa")
    opened.page.locator('[data-k="pane-now"]').focus()
    opened.keys("ArrowDown", "ArrowDown", "ArrowDown", "Enter")
    assert opened.page.get_attribute('[data-k="pane-now"]', "aria-activedescendant") == "now-r2"
    assert "value=a" in opened.hash


def test_everything_that_acts_has_a_name(opened):
    opened.at("#view=levels")
    unnamed = opened.page.evaluate(
        """[...document.querySelectorAll('button, input, select, [role=listbox]')].filter(e =>
        !e.closest('[hidden]') && !e.innerText.trim() && !e.getAttribute('aria-label')
        && !e.closest('label') && !(e.id && document.querySelector(`label[for=${e.id}]`)))
        .map(e => e.outerHTML.slice(0, 80))"""
    )
    assert unnamed == []


def test_dark_and_light_follow_the_system_and_a_button(browser, file):
    def paper(opened):
        return opened.page.evaluate("getComputedStyle(document.body).backgroundColor")

    dark = Opened(browser, file, color_scheme="dark").at()
    light = Opened(browser, file, color_scheme="light").at()
    shades = paper(dark), paper(light)
    assert shades[0] != shades[1]
    light.keys("t")
    assert paper(light) == shades[0]
    dark.context.close()
    light.context.close()


def test_a_narrow_screen_has_one_column_and_no_sideways_scrolling(browser, file):
    opened = Opened(browser, file)
    opened.page.set_viewport_size({"width": 400, "height": 800})
    opened.at("#pass=ssa")
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= 400
    opened.keys("s")
    assert opened.page.locator("#rail").is_visible()
    opened.context.close()


def test_a_failed_compilation_shows_its_error_first(browser, broken, tmp_path):
    opened = Opened(browser, write(tmp_path / "broken.html", broken)).at()
    assert "+ does not work between float64 and str" in opened.text("#error h2")
    assert "^^^^" in opened.text("#error .caret")
    assert opened.text("#title") == "infer_types"
    assert opened.page.locator("#error").bounding_box()["y"] < 60
    assert opened.said == []
    opened.context.close()
