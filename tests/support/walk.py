"""A walk over all that is shown of runs: at each place both sizes, both themes, axe-core, and what is cut or in another language."""

import re
from dataclasses import dataclass, field, replace

from playwright.sync_api import Locator, Page, expect

from tests.browser.access.test_axe import NOT_OURS
from tests.browser.access.test_keyboard import unreached
from tests.support.browser import Screen
from tests.support.paths import ROOT

AXE = ROOT / "labextension" / "node_modules" / "axe-core" / "axe.min.js"
SIZES = {"Light": ((900, 700), (1400, 900)), "Dark": ((1400, 900), (900, 700))}  # the last one is photographed
CATALOGUES = ROOT / "labextension" / "src" / "zh"
ENTRY = re.compile(r"""^ +(?:'([^'\n]+)'|"([^"\n]+)"|(\w+)):\s+'([^'\n]+)',?$""", re.MULTILINE)
DRAWN = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
FAULTS = """([selector, rules]) => axe.run(selector, {
    resultTypes: ['violations'], ...(rules && {runOnly: rules})
}).then(({violations}) => violations.flatMap(
    ({id, nodes}) => nodes.map(({html, failureSummary}) => `${id}: ${html.slice(0, 200)}: ${failureSummary}`)))"""
# What cannot be read: a control or a text that sticks out of its place, where nothing scrolls; a text that is cut and whose
# whole is nowhere.
UNREADABLE = """root => {
    const scrolls = (one, axis) => {
        for (let at = one; at && at !== root.parentElement; at = at.parentElement) {
            if (/auto|scroll/.test(getComputedStyle(at)[axis]))
                return true;
        }
        return false;
    };
    const isShown = one => one.checkVisibility({visibilityProperty: true, opacityProperty: true});
    const edge = Math.min(root.getBoundingClientRect().right, window.innerWidth);
    const told = one => `${one.tagName}.${one.className}: ${one.textContent.slice(0, 60)}`;
    const own = one => [...one.childNodes].some(it => it.nodeType === 3 && it.data.trim());
    const all = [...root.querySelectorAll('*')].filter(isShown);
    const out = all.filter(one => (own(one) || one.matches('button, input, select, textarea')) &&
        one.getBoundingClientRect().width > 1 && one.getBoundingClientRect().right > edge + 1 && !scrolls(one, 'overflowX'));
    const cut = all.filter(one => own(one) && one.clientWidth > 1 && one.scrollWidth > one.clientWidth + 1 &&
        getComputedStyle(one).overflowX !== 'visible' && !/auto|scroll/.test(getComputedStyle(one).overflowX) &&
        !one.closest('[title]') && !one.closest('[aria-label]'));
    const heads = all.filter(one => one.matches('.pj-Table-title') && !one.textContent.includes('/') &&
        one.scrollWidth > one.clientWidth + 1);
    return [...out.map(it => `sticks out: ${told(it)}`), ...[...cut, ...heads].map(it => `is cut: ${told(it)}`)];
}"""
TEXTS = """root => {
    const isShown = one => one.checkVisibility({visibilityProperty: true});
    const found = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (isShown(node.parentElement) && !node.parentElement.closest('pre, code, script, style'))
            found.push(node.data);
    }
    for (const one of root.querySelectorAll('[aria-label], [title], [placeholder]')) {
        if (isShown(one))
            found.push(...['aria-label', 'title', 'placeholder'].map(name => one.getAttribute(name)).filter(Boolean));
    }
    return found;
}"""
WORD = re.compile(r"[A-Za-z]{3,}")
HAN = re.compile(r"[\u4e00-\u9fff]")


def is_known(fault: str) -> bool:
    return any(fault.startswith(rule) and part in fault for rule, part in NOT_OURS)


def chinese() -> dict[str, str]:
    """The words of the front end, by the English ones."""
    found = (ENTRY.findall(path.read_text()) for path in CATALOGUES.glob("*.ts"))
    return {one or other or word: said for entries in found for one, other, word, said in entries}


@dataclass
class Walk:
    """The page, its language, and all faults so far. `names` are words of no language: what is typed, and what jobs are called."""

    screen: Screen
    language: str
    names: frozenset[str]
    words: dict[str, str] = field(default_factory=chinese)
    found: list[str] = field(default_factory=list)
    theme: str = "Light"

    @property
    def page(self) -> Page:
        return self.screen.page

    def say(self, text: str) -> str:
        return self.words[text] if self.language == "zh" else text

    def button(self, name: str, within: Locator | None = None) -> Locator:
        return (within or self.page).get_by_role("button", name=self.say(name), exact=True)

    def use_theme(self, name: str) -> None:
        if name != self.theme:
            change = "theme => jupyterapp.commands.execute('apputils:change-theme', {theme})"
            self.page.evaluate(change, f"JupyterLab {name}")
            expect(self.page.locator(f"body[data-jp-theme-light={str(name == 'Light').lower()}]")).to_be_attached()
            self.theme = name

    def look(self, place: str, selector: str, *, into_view: bool = False, page: Page | None = None) -> None:
        """Look at what `selector` finds in each theme and size; `page` is one outside of JupyterLab."""
        seen = page or self.page
        root = seen.locator(selector)
        expect(root).to_have_count(1)
        rules = None
        for theme, sizes in sorted(SIZES.items(), key=lambda it: it[0] != self.theme):  # that which is on comes first
            if page:
                page.emulate_media(color_scheme="light" if theme == "Light" else "dark")
            else:
                self.use_theme(theme)
            where = f"{place}-{theme.lower()}"
            for width, height in sizes:
                seen.set_viewport_size({"width": width, "height": height})
                seen.evaluate(DRAWN)
                self.note(f"{where}-{width}", root.evaluate(UNREADABLE))
            faults = seen.evaluate(FAULTS, [selector, rules])
            self.note(where, [fault for fault in faults if not is_known(fault)])
            rules = ["color-contrast"]  # the others do not depend on the theme
            if into_view:
                root.evaluate("it => it.scrollIntoView()")
            replace(self.screen, page=seen).shoot(f"walk-{self.language}-{where}")
        if self.language == "zh":
            self.note(place, self._english(root.evaluate(TEXTS)))

    def reach(self, place: str, root: Locator) -> None:
        """Go through all controls by Tab; once, since no language changes that."""
        if self.language != "en":
            return
        self.page.mouse.move(0, 0)
        missing = {*unreached(self.page, root)} - {self.say("Runs")}  # the table draws its active cell
        self.note(f"{place}, by keyboard", [f"not reached: {name}" for name in missing])

    def _english(self, texts: list[str]) -> list[str]:
        words = sorted({text.strip() for text in texts if not HAN.search(text)})
        return [f"no Chinese: {text}" for text in words if not {*WORD.findall(text)} <= self.names]

    def note(self, where: str, faults: list[str]) -> None:
        self.found += [f"{where} ({self.language}): {fault}" for fault in faults]
