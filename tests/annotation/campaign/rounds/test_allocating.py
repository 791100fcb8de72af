"""Who is short of work."""

from dataclasses import replace

from annotation.campaign.campaign import Campaign, OfCampaign
from annotation.campaign.rounds.allocating import call_where_needed, is_short_of_work
from data.contract.tables.campaign import Ratings
from data.storage.manifest import Manifest
from tests.annotation.support.frames import ratings


def test_someone_is_short_of_work_only_where_the_answers_of_others_may_bring_some(filled, command):
    assert command("plan --annotators 4 --allocate certain --random-share 0")[0] == 0
    campaign = Campaign(OfCampaign(store=filled.root))

    def answer(names):
        asked = campaign.assignments
        own = asked.loc[asked["annotator"].isin(names), "assignment_id"]
        filled.append(Ratings, ratings([(name, 3) for name in own]), Manifest(stage="test"))
        campaign.refresh()

    assert not is_short_of_work(campaign, call_where_needed(campaign))
    answer(["a01"])
    progress = call_where_needed(campaign)
    assert set(campaign.waiting["annotator"]) == {"a02", "a03", "a04"}
    assert is_short_of_work(campaign, progress)
    assert not is_short_of_work(campaign, replace(progress, left=0))
    assert not is_short_of_work(campaign, None)
    answer(["a02", "a03", "a04"])
    assert not is_short_of_work(campaign, call_where_needed(campaign))
