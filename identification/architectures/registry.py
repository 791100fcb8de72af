"""The networks by name."""

from collections.abc import Mapping

import torch

from data.errors import InputError
from identification.architectures.base import PairNetwork
from identification.architectures.bilstm import BiLSTMEncoder
from identification.architectures.bow import BagOfWords

NETWORKS: Mapping[str, type[PairNetwork]] = {"bow": BagOfWords, "bilstm": BiLSTMEncoder}


def build(name: str, width: int, *, seed: int = 0, **sizes: int) -> PairNetwork:
    """A network with fresh weights for word vectors of `width` dimensions; `sizes` are its constructor's.

    The same seed gives the same weights; torch's own random state is left alone. Raises InputError for a name that
    is not in NETWORKS.
    """
    if name not in NETWORKS:
        known = ", ".join(NETWORKS)
        raise InputError("model", expected="the name of a network", found=name, remedy=f"choose one of: {known}")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return NETWORKS[name](width, **sizes)
