"""Licences by name, and the one that counts for a deck."""

import itertools

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.contract import licences

SAME = {
    "CC-BY-4.0": (
        "CC BY 4.0", "cc-by-4.0", "Creative Commons Attribution 4.0", "https://creativecommons.org/licenses/by/4.0/",
        "Creative Commons Attribution 4.0 International License", "CC BY 4.0 (text of the book)", "CC_BY_4.0",
    ),
    "CC-BY-NC-SA-4.0": (
        "CC BY-NC-SA 4.0", "# Creative Commons Attribution-NonCommercial-ShareAlike 4.0", "CC–BY–SA–NC 4",
        "http://creativecommons.org/licenses/by-nc-sa/4.0/legalcode",
        "Creative Commons Attribution-NonCommercial-ShareAlike 4.0 International (CC BY-NC-SA 4.0)",
    ),
    "CC-BY-ND-3.0": ("Creative Commons Attribution-NoDerivs 3.0 Unported", "cc by nd 3.0"),
    "CC-BY-SA-3.0-DE": ("CC BY-SA 3.0 DE",),
    "CC0-1.0": ("CC0", "CC0 1.0 Universal", "Creative Commons Zero", "creativecommons.org/publicdomain/zero/1.0 CC0"),
    "LicenseRef-CC-BY": ("CC BY", "Creative Commons Attribution"),
    "LicenseRef-public-domain": ("public domain", "Public Domain"),
    "MIT": ("MIT", "mit license", "The MIT License (MIT)"),
    "Apache-2.0": ("Apache 2", "Apache License, Version 2.0", "apache-2.0"),
    "BSD-3-Clause": ("BSD 3-Clause", "New BSD License"),
    "GPL-3.0-only": ("GPLv3", "GNU General Public License v3", "GPL-3.0"),
    "GPL-3.0-or-later": ("GPL 3.0 or later", "GPL-3.0+"),
    "LicenseRef-GPL": ("GNU GENERAL PUBLIC LICENSE",),
    "GFDL-1.3-only": ("GNU Free Documentation License 1.3",),
    "ODbL-1.0": ("ODbL", "Open Database License 1.0"),
}  # fmt: skip


@pytest.mark.parametrize(("licence", "text"), [(licence, text) for licence, texts in SAME.items() for text in texts])
def test_the_usual_forms_of_a_name_are_one_licence(licence: str, text: str) -> None:
    if "creativecommons.org/publicdomain/zero" in text:
        text = "https://creativecommons.org/publicdomain/zero/1.0/"
    assert licences.recognise(text) == licence
    assert licences.recognise(licence) == licence
    assert licences.recognise(licences.name(licence)) == licence


@pytest.mark.parametrize(
    "text",
    ["", "none stated", "not CC BY 4.0", "Software License Agreement", "CC BY 3.0/4.0", "see LICENSE (MIT) of the app",
     "CC", "BY 4.0", "4.0", "MIT CC BY 4.0", "custom", "x" * 10_000],
)  # fmt: skip
def test_what_is_no_known_name_is_no_licence(text: str) -> None:
    assert licences.recognise(text) is None


@pytest.mark.parametrize(
    "text",
    ["CC BY 4.0 (non-commercial use only)", "CC BY 4.0 (NC)", "CC BY (no derivatives)", "(not) CC BY 4.0",
     "Public domain (US only)", "CC BY 4.0; no commercial use", "MIT License, non-commercial",
     "Course notes, MIT, 2019", "© MIT", "CC BY 4.0 (NoDerivs)", "CC BY 4.0 (CC BY-NC 4.0)",
     "CC BY 4.0 (images excepted)", "CC BY 4.0: for personal use", "CC BY 4.0 (nur für den Unterricht)",
     "CC BY 4.0 (share alike)", "CC BY 4.0\nwithout the figures"],
)  # fmt: skip
def test_a_restriction_beside_the_name_leaves_no_known_licence(text: str) -> None:
    assert licences.recognise(text) is licences.find(text) is None


@given(st.text())
def test_no_text_is_an_error_and_what_is_found_is_found_again(text: str) -> None:
    found = licences.find(text)
    assert found is None or licences.recognise(found) == found


@pytest.mark.parametrize(
    ("note", "licence"),
    [
        ("Wiktionary (en.wiktionary.org): CC BY-SA 4.0, attribution asked", "CC-BY-SA-4.0"),
        ("FOLDOC (foldoc.org), Denis Howe: GFDL 1.1 or later; attribution and the address are asked",
         "GFDL-1.1-or-later"),
        ("The Jargon File: public domain", "LicenseRef-public-domain"),
        ("quizlet.com: user content, no open licence; the texts belong to their authors", None),
        ("MIT, all rights reserved", None),
        ("Course notes of the Institute, MIT License", "MIT"),
        ("Notes on nonlinear systems (Jane Doe, 2019): CC BY 4.0", "CC-BY-4.0"),
        ("code: MIT; texts: CC BY 4.0", None),
        ("MIT repo; data: custom open (OHSU); abstracts publishers'", None),
    ],
)  # fmt: skip
def test_a_note_names_a_licence_in_one_of_its_parts(note: str, licence: str | None) -> None:
    assert licences.find(note) == licence


def test_a_licence_has_the_address_of_its_text() -> None:
    addresses = {licence: licences.address(licence) for licence in ("CC-BY-SA-3.0-DE", "CC0-1.0", "MIT")}
    assert addresses == {
        "CC-BY-SA-3.0-DE": "https://creativecommons.org/licenses/by-sa/3.0/de/",
        "CC0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
        "MIT": "https://spdx.org/licenses/MIT.html",
    }
    assert licences.address("LicenseRef-CC-BY") is licences.address("MIT OR Apache-2.0") is None


def test_the_leads_latest_statement_counts_before_the_sources_note() -> None:
    cards = pd.DataFrame({"source": "files", "url": ["u", "u", "v", "w"], "set_id": "s", "set_title": "T"})
    cards["licence_note"] = ["public domain", "public domain", "CC BY-SA 4.0", None]
    cards["fetched_at"] = pd.Timestamp("2026-01-01", tz="UTC")
    at = pd.to_datetime(["2026-01-02", "2026-01-01"], utc=True)
    statements = pd.DataFrame({"source": "files", "url": "u", "set_id": "s", "at": at})
    statements = statements.assign(licence=["CC BY 4.0", "MIT"], title=["Work", None], credit=["A", "B"], link=None)
    found = licences.of_decks(cards, statements)
    assert found["licence_id"].fillna("").tolist() == ["CC-BY-4.0", "CC-BY-SA-4.0", ""]
    assert found["title"].tolist() == ["Work", "T", "T"]
    assert found["credit"].fillna("").tolist() == ["A", "", ""]
    assert found["licence"].fillna("").tolist() == ["CC BY 4.0", "CC BY-SA 4.0", ""]
    assert licences.of_decks(cards, statements[:0])["licence_id"].notna().tolist() == [True, True, False]


def test_the_note_fetched_last_counts_in_whatever_order_the_cards_come() -> None:
    cards = pd.DataFrame({"source": "s", "url": "u", "set_id": "1", "set_title": "T"}, index=range(3))
    cards["licence_note"] = ["CC BY 4.0", "All rights reserved", None]
    cards["fetched_at"] = pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-02"], utc=True)
    none = pd.DataFrame(columns=[*licences.DECK, "at", "licence", "title", "credit", "link"])
    for order in itertools.permutations(range(3)):
        found = licences.of_decks(cards.iloc[list(order)], none)
        assert found["licence"].tolist() == ["All rights reserved"]
