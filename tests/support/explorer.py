"""The section of storage in the side panel, as tests use it: where its parts are, and what lies behind it."""

import re
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.fakes.gatekeeper import Gatekeeper
from tests.support.browser import Screen
from tests.support.emulators import BUCKET, Emulator


@dataclass(kw_only=True)
class Explorer:
    """The section of storage on a page, and what lies behind it."""

    screen: Screen
    section: Locator
    cloud: Emulator
    gate: Gatekeeper
    folder: str = ""  # in the bucket: where the test works

    @property
    def page(self) -> Page:
        return self.screen.page

    @property
    def listed(self) -> Locator:
        return self.section.get_by_role("listbox", name="Files")

    @property
    def names(self) -> list[str]:
        return self.listed.locator(".pj-Storage-name").all_inner_texts()

    def entry(self, name: str) -> Locator:
        exactly = re.compile(rf"^\s*{re.escape(name)}\s*$")
        return self.listed.get_by_role("option").filter(has=self.page.locator(".pj-Storage-name", has_text=exactly))

    def button(self, name: str) -> Locator:
        return self.section.get_by_role("button", name=name, exact=True)

    def press(self, name: str) -> None:
        self.button(name).click()

    def enter(self, *names: str) -> None:
        """Go into directories, one after the other."""
        for name in names:
            self.entry(f"{name}/").dblclick()
            self.is_at(name)

    def is_at(self, name: str) -> None:
        expect(self.section.locator("[aria-current=page]")).to_have_text(re.compile(rf"{re.escape(name)}$"))

    def confirm(self) -> None:
        """Answer the question whether to delete."""
        expect(self.button("Keep")).to_be_visible()
        self.button("Delete").last.click()

    def begin(self) -> None:
        """At the places, with nothing open and nothing asked."""
        self.press("Refresh")
        places = self.button("Locations")
        if places.count():
            places.click()
        self.is_at("Locations")

    def go(self, uri: str) -> None:
        self.press("Go to…")
        box = self.section.get_by_role("textbox", name="Address of a folder")
        box.fill(uri)
        box.press("Enter")

    def put(self, name: str, content: bytes | str = "x") -> None:
        """An object in the directory of the test."""
        self.cloud.put(f"{self.folder}/{name}", content)

    def keys(self) -> list[str]:
        """The objects in the directory of the test."""
        return [key.removeprefix(f"{self.folder}/") for key in self.cloud.keys(f"{self.folder}/") if key[-1] != "/"]

    def at_home(self) -> "Explorer":
        """In the directory of the test."""
        self.cloud.put(f"{self.folder}/", b"")
        self.go(f"oss://{BUCKET}/{self.folder}/")
        self.is_at(self.folder)
        return self

    def choose_files(self, *files: Path) -> None:
        with self.page.expect_file_chooser() as chooser:
            self.press("Upload")
        chooser.value.set_files(list(files))

    def drop(self, **files: str) -> None:
        """Drop files with these names and texts onto the section."""
        data = self.page.evaluate_handle(
            """files => {
                const data = new DataTransfer();
                Object.entries(files).forEach(([name, text]) => data.items.add(new File([text], name)));
                return data;
            }""",
            files,
        )
        for event in ("dragover", "drop"):
            self.section.locator(".pj-Storage").dispatch_event(event, {"dataTransfer": data})

    @property
    def uploads(self) -> Locator:
        return self.section.get_by_role("list", name="Uploads").get_by_role("listitem")

    @property
    def preview(self) -> Locator:
        return self.section.get_by_role("region", name="Preview")

    @property
    def left_on_the_server(self) -> list[Path]:
        return list((self.screen.server.home / "uploads").glob("*"))
