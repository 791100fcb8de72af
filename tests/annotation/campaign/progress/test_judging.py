"""Which pairs overlap because a program made them so."""

from annotation.campaign.progress.judging import hold_generated
from annotation.simulation.truth import latent_truth
from data.contract.tables.pairs import Pairs
from data.storage.store import Store
from tests.generation.judged import BY_TEST, write_swaps


def test_pairs_of_a_generated_text_are_told_from_mined_ones(store: Store) -> None:
    write_swaps(store)
    swaps = store.read(Pairs, generator="paws-swap")
    mined = swaps.assign(generator="mined", second_id=swaps["first_id"] + "x", pair_id=swaps["pair_id"] + "x")
    store.replace(Pairs, mined.astype(object), BY_TEST, generator="mined")
    assert hold_generated(swaps, store).all()
    assert not hold_generated(mined, store).any()
    assert (latent_truth(swaps, 1) == 3).all(), "by their own overlap all swaps would mean the same"
