import stat

import pandas as pd
import pytest

from annotation.campaign import accounts
from data.console.errors import InputError

EMAILS = ["ann@example.org", "bob@example.org"]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def enrol(root, campaign, emails):
    people = pd.DataFrame({"email": emails}, dtype="str")
    accounts.enrol(root, campaign, people.assign(annotator=accounts.name(root, campaign, people["email"])))
    made = {one.email: one for one in accounts.read_accounts(root, campaign)}
    return [made[email] for email in emails]


def test_people_keep_pseudonym_and_password_and_new_ones_come_after(tmp_path):
    first = enrol(tmp_path, "main", EMAILS)
    assert {one.annotator for one in first} == {"a01", "a02"}
    again = enrol(tmp_path, "main", ["eve@example.org", *EMAILS[::-1]])
    assert again[1:] == first[::-1]
    assert again[0].annotator == "a03"
    assert accounts.read_accounts(tmp_path, "main") == [*sorted(first, key=lambda one: one.annotator), again[0]]


def test_naming_alone_writes_nothing(tmp_path):
    assert sorted(accounts.name(tmp_path, "main", pd.Series(EMAILS))) == ["a01", "a02"]
    assert list(tmp_path.iterdir()) == []


def test_the_list_of_people_does_not_say_who_is_who(tmp_path):
    people = pd.Series([f"p{number:02d}@example.org" for number in range(40)])
    names = [accounts.name(tmp_path, campaign, people).tolist() for campaign in ("main", "other")]
    listed = [f"a{number:02d}" for number in range(1, 41)]
    assert sorted(names[0]) == sorted(names[1]) == listed
    assert len({*map(tuple, [*names, listed])}) == 3


def test_addresses_that_no_one_owns_keep_their_order(tmp_path):
    people = accounts.unnamed_people(12, "main")["email"]
    assert accounts.name(tmp_path, "main", people).tolist() == [f"a{number:02d}" for number in range(1, 13)]


def test_one_person_has_one_password_over_campaigns(tmp_path):
    (first, _), (second, stranger) = enrol(tmp_path, "main", EMAILS), enrol(tmp_path, "other", [EMAILS[0], "x@y.org"])
    assert (second.email, second.password) == (first.email, first.password)
    assert stranger.password != first.password


def test_secrets_are_readable_by_their_owner_alone(tmp_path):
    enrol(tmp_path, "main", EMAILS)
    accounts.campaign_key(tmp_path, "main")
    assert mode(tmp_path / "private") == 0o700
    assert {mode(path) for path in (tmp_path / "private").iterdir()} == {0o600}


def test_a_campaigns_key_stays_and_is_its_own(tmp_path):
    key = accounts.campaign_key(tmp_path, "main")
    assert accounts.campaign_key(tmp_path, "main") == key
    assert accounts.campaign_key(tmp_path, "other") != key
    assert len(key) == 32


def read(tmp_path, text):
    path = tmp_path / "people.csv"
    path.write_text(text, encoding="utf-8")
    return accounts.read_people(path)


def test_people_are_read_from_a_file(tmp_path):
    people = read(tmp_path, "E-Mail Address,Role,LEVEL,quota\n Ann@Example.org ,Senior,PhD,300.0\nbob@example.org,,,\n")
    assert people["email"].tolist() == ["ann@example.org", "bob@example.org"]
    assert people["role"].tolist() == ["senior", "expert"]
    assert people["level"].isna().tolist() == [False, True]
    assert people["quota"].isna().tolist() == [False, True]
    assert people["quota"][0] == 300


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name\nann\n", "people.csv: expected the columns email and none but"),
        ("email\n", "people.csv: expected one row per annotator, found none"),
        (
            "email,shoe size\na@b.org,43\n",
            "people.csv: expected the columns email and none but .* found email, shoe size",
        ),
        ("email\na@b.org\nnobody\n", "people.csv, line 3: expected one e-mail address, found 'nobody'"),
        ("email\na@b.org\nA@b.org\n", "people.csv, line 3: expected each e-mail address once, found 'a@b.org'"),
        (
            "email,role\na@b.org,king\n",
            "people.csv, line 2: expected a role of expert, senior, non_expert, player, found 'king'",
        ),
        (
            "email,quota\na@b.org,many\n",
            "people.csv, line 2: expected a whole number or nothing as quota, found 'many'",
        ),
        ("", "people.csv: expected a sheet of annotators"),
    ],
)
def test_a_wrong_file_of_people_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, text)


@pytest.mark.parametrize("start", ["", "\N{BYTE ORDER MARK}"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_people_are_read_as_spreadsheets_save_them(tmp_path, start, end, separator):
    rows = [["email", " level", "areas"], ["a@x.org", "Dr. Jörg/2", ""], [""], ["", " ", ""], ["b@x.org"], ["", "", ""]]
    path = tmp_path / "people.csv"
    path.write_bytes((start + end.join(separator.join(row) for row in rows) + end * 3).encode())
    people = accounts.read_people(path)
    assert people.index.tolist() == [0, 1]
    assert people["email"].tolist() == ["a@x.org", "b@x.org"]
    assert people["level"].tolist()[0] == "Dr. Jörg/2"
    assert people["level"].isna().tolist() == [False, True]


def test_the_line_of_a_mistake_counts_empty_ones(tmp_path):
    with pytest.raises(InputError, match="line 5: expected one e-mail address, found 'nobody'"):
        read(tmp_path, "email;quota\n\na@b.org;3\n;\nnobody;\n")


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes("email\nпочтальон@дом.рф\n".encode("cp1251"))
    with pytest.raises(InputError, match="expected a sheet of annotators"):
        accounts.read_people(path)
