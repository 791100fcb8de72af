import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.campaign.progress import collection
from annotation.questions.declarations import shipped_question
from data.console.errors import InputError
from tests.annotation.support.frames import START, assignments, named

GIVEN = [(1, "p", "a01"), (1, "p", "a02"), (2, "p", "a03", "a02")]
MINE = named(1, "p", "a01")


def annotation(**other):
    """What the client tells of an annotation in the project of a01's first round."""
    return {
        "assignment": MINE,
        "completed_by": "one@example.org",
        "updated_by": "one@example.org",
        "submitted_at": START,
        "created_at": START,
        "skipped": False,
        "answers": {"score": [str(other.pop("score", 2))]} if other.get("score", 2) is not None else {},
        "flags": [],
        "comment": None,
        "seconds": 3.5,
        "round": 1,
        "annotator": "a01",
        "email": "one@example.org",
    } | {name: value for name, value in other.items() if name != "score"}


def accept(*rows):
    return collection.accept(pd.DataFrame(list(rows)), assignments(GIVEN), shipped_question())


@pytest.mark.parametrize(
    "kept",
    [
        {},
        {"score": 0},
        {"score": "3"},
        {"score": None, "flags": ["cannot_judge"]},
        {"score": 1, "flags": ["not_english", "ill_formed"]},
        {"score": None, "skipped": True},
        {"completed_by": "One@Example.org"},
        {"seconds": None},
    ],
)
def test_a_rating_of_the_projects_own_annotator_is_kept(kept):
    ratings, rejects = accept(annotation(**kept))
    assert ratings["assignment_id"].tolist() == [MINE]
    assert rejects.empty


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"assignment": "elsewhere"}, "unknown_assignment"),
        ({"assignment": None}, "unknown_assignment"),
        ({"assignment": named(1, "p", "a02")}, "foreign_assignment"),
        ({"round": 2}, "foreign_assignment"),
        ({"completed_by": "two@example.org"}, "foreign_signature"),
        ({"updated_by": "two@example.org"}, "foreign_signature"),
        ({"updated_by": None}, "foreign_signature"),
        ({"score": 5}, "score_outside_scale"),
        ({"score": "2 - mostly"}, "score_outside_scale"),
        ({"score": 1.5}, "score_outside_scale"),
        ({"flags": ["boring"]}, "unknown_flag"),
        ({"score": None}, "empty_rating"),
    ],
)
def test_what_cannot_be_a_rating_is_refused_with_the_reason(wrong, reason):
    ratings, rejects = accept(annotation(**wrong))
    assert ratings.empty
    assert rejects["reason"].tolist() == [reason]
    assert rejects["detail"].str.contains("project of a01, round").all()


@pytest.mark.parametrize("comment", [None, "", "  "])
def test_a_second_look_without_a_reason_is_refused_and_a_skip_is_not(comment):
    looks = assignments(GIVEN).assign(kind="review")
    said = [annotation(comment=comment), annotation(comment=comment, score=None, skipped=True), annotation(comment="x")]
    ratings, rejects = collection.accept(pd.DataFrame(said), looks, shipped_question())
    assert (ratings["skipped"].tolist(), rejects["reason"].tolist()) == ([True, False], ["no_reason"])


@pytest.mark.sweep
@given(
    st.lists(
        st.sampled_from([{}, {"answers": {"score": ["7"]}}, {"updated_by": "x@y.org"}, {"assignment": "?"}]), max_size=8
    )
)
def test_every_annotation_is_kept_or_refused(kinds):
    rows = [
        annotation(submitted_at=START + pd.Timedelta(seconds=n), seconds=float(n)) | kind
        for n, kind in enumerate(kinds)
    ]
    frame = pd.DataFrame(rows, columns=list(annotation()))
    ratings, rejects = collection.accept(frame, assignments(GIVEN), shipped_question())
    assert len(ratings) + len(rejects) == len(rows)
    assert ratings["seconds"].tolist() == [float(n) for n, kind in enumerate(kinds) if not kind]
    assert not rejects.duplicated(["id", "at"]).any()


HEADER = "assignment_id,submitted_at,score,flags,comment,seconds,skipped\n"
GOOD = f'{MINE},2026-01-05T10:00:00Z,3,,"well, yes",4.5,false\n'


def read(tmp_path, text):
    path = tmp_path / "ratings.csv"
    path.write_text(text, encoding="utf-8")
    return collection.read_file(path, assignments(GIVEN), shipped_question())


def test_a_file_of_ratings_is_read(tmp_path):
    flagged = f"{named(1, 'p', 'a02')},2026-01-05T10:00:01+01:00,,not_english ill_formed,,,\n"
    rows = read(tmp_path, HEADER.title() + GOOD.replace(",3,", ",3.0,") + flagged)
    assert rows["score"].tolist() == [3, pd.NA]
    assert rows["flags"].tolist() == [[], ["not_english", "ill_formed"]]
    assert rows["comment"].tolist()[0] == "well, yes"
    assert rows["submitted_at"].dt.hour.tolist() == [10, 9]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{MINE},2026-01-05T10:00:00Z,5,,,,", "line 3: expected a score of 0, 1, 2 or 3, found 5"),
        (
            "nobodys,2026-01-05T10:00:00Z,1,,,,",
            "line 3: expected an assignment of this campaign, found assignment nobodys",
        ),
        (f"{MINE},yesterday,1,,,,", "line 3: expected an ISO time submitted_at, found yesterday"),
        (f"{MINE},2026-01-05T10:00:00Z,,,hm,,", "line 3: expected a score, a flag or a skip"),
        (f"{MINE},2026-01-05T10:00:00Z,,dull,,,", "line 3: expected flags among not_english ill_formed cannot_judge"),
        (f"{MINE},2026-01-05T10:00:00Z,1,,,,yes", "line 3: expected skipped as true, false or nothing, found yes"),
        (f'{MINE},2026-01-05T10:00:00Z,1,,,"4,5",', "line 3: expected a number of seconds, .* found 4,5"),
        (f"{MINE},2026-01-05T10:00:00Z,1,,,-1,", "line 3: expected a number of seconds"),
    ],
)
def test_a_wrong_line_of_a_file_is_named(tmp_path, line, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path, HEADER + GOOD + line + "\n")


def test_a_file_of_another_campaign_is_refused_in_one_line(tmp_path):
    with pytest.raises(InputError, match="line 2: expected an assignment of this campaign, found assignment nobodys"):
        read(tmp_path, HEADER + "nobodys,2026-01-05T10:00:00Z,1,,,,\n")


def test_the_error_of_a_score_names_assignment_and_annotator(tmp_path):
    with pytest.raises(InputError, match=rf"found 5 \(assignment {MINE}, annotator a01\); see docs/questions"):
        read(tmp_path, HEADER + f"{MINE},2026-01-05T10:00:00Z,5,,,,\n")


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "assignment_id,answer\nx,1\n", 'assignment_id,"score\n'])
def test_another_file_is_refused(tmp_path, text):
    with pytest.raises(InputError, match=r"expected (the columns assignment_id|a sheet of ratings)"):
        read(tmp_path, text)


def test_what_a_spreadsheet_saved_is_read_the_same(tmp_path):
    skipped = f"{named(1, 'p', 'a02')},2026-01-05T10:00:01Z,,,,,true\n"
    saved = (HEADER + GOOD + skipped).replace('"well, yes"', "well yes").replace(",", ";").replace("true", "TRUE")
    again = read(tmp_path, "\N{BYTE ORDER MARK}" + saved.replace("false", "FALSE") + ";;;;;;\n")
    assert again.equals(read(tmp_path, HEADER + GOOD.replace("well, yes", "well yes") + skipped))
    assert again["skipped"].tolist() == [False, True]


def test_the_exported_table_of_ratings_is_read_again(tmp_path):
    exported = HEADER.replace("skipped", "skipped,guide_version") + GOOD.rstrip("\n") + ",1\n"
    assert read(tmp_path, exported).equals(read(tmp_path, HEADER + GOOD))


def test_a_sheet_that_people_filled_needs_no_times_and_may_have_gaps_and_notes(tmp_path, capsys):
    rest = [named(1, "p", "a02"), named(2, "p", "a03")]
    sheet = f"assignment_id,annotator,score\n{MINE},a01,2\n{rest[0]},a02,\n{rest[1]},a03, \n"
    rows = read(tmp_path, sheet)
    path = tmp_path / "ratings.csv"
    assert rows[["assignment_id", "score"]].values.tolist() == [[MINE, 2]]
    assert rows["submitted_at"].tolist() == [pd.Timestamp(int(path.stat().st_mtime), unit="s", tz="UTC")]
    assert capsys.readouterr().out.splitlines() == [
        f"{path}: not read: annotator",
        f"{path}: 2 rows without an answer left out",
        f"{path}: 1 row without a time: taken as given when the file was changed",
    ]
