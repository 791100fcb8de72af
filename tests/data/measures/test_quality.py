"""All measures of a campaign's annotators."""

from annotation.questions.declarations import shipped_question
from data.measures.ballots import of_campaign
from data.measures.quality import measure
from data.measures.rules import MeasureRule
from tests.annotation.support.frames import assignments, named, ratings


def test_a_campaign_is_measured_while_no_answer_is_of_the_random_part():
    asked = assignments([(1, "p", "a01"), (1, "p", "a02"), (1, "q", "a01")]).assign(random=[True, True, False])
    ballots = of_campaign(asked, ratings([(named(1, "q", "a01"), 3)]))
    found = measure(ballots, None, shipped_question(), MeasureRule(), gold={})
    assert set(found.loc[found["value"].notna(), "measure"]) >= {"seconds", "share"}
