"""The networks by name."""

from collections.abc import Mapping

import torch

from data.console.errors import InputError
from identification.architectures.networks.base import PairNetwork
from identification.architectures.networks.bilstm import BiLSTMEncoder
from identification.architectures.networks.bimpm import BiMPM
from identification.architectures.networks.bow import BagOfWords
from identification.architectures.networks.decatt import DecAtt, DecAttBiLSTM
from identification.architectures.networks.diin import DIIN
from identification.architectures.networks.esim import ESIM
from identification.architectures.networks.pwim import PWIM
from identification.architectures.networks.sse import SSE, SmallSSE

NETWORKS: Mapping[str, type[PairNetwork]] = {
    "bow": BagOfWords,
    "bilstm": BiLSTMEncoder,
    "decatt": DecAtt,
    "decatt-bilstm": DecAttBiLSTM,
    "esim": ESIM,
    "pwim": PWIM,
    "sse": SSE,
    "sse-small": SmallSSE,
    "bimpm": BiMPM,
    "diin": DIIN,
}


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
