"""BiLSTM encoder with cosine: Zhang, Baldridge and He 2019 (PAWS), section 5. 1,444,801 parameters at width 300."""

from torch import Tensor

from identification.architectures.networks.base import PairNetwork, Recipe, Side
from identification.architectures.networks.blocks import BiLSTM
from identification.architectures.networks.cosine import CosineLogits


class BiLSTMEncoder(PairNetwork):
    """A text is the last states of an LSTM in both directions; the cosine of two texts decides."""

    paper = "Zhang, Baldridge, He 2019, PAWS: Paraphrase Adversaries from Word Scrambling"
    deviations = (
        "The paper names the encoder only; no code was released. Its encoding here: each direction's last state.",
        "Logits are (0, scale * (cosine - 0.5)) with a learned scale. Nothing printed: the recipe is ours.",
    )
    recipe = Recipe(optimizer="adam", learning_rate=1e-3, batch_size=32, epochs=20)
    symmetric = True

    def __init__(self, width: int, hidden: int = 300) -> None:
        """`hidden`: dimensions of the state of each direction."""
        super().__init__()
        self.lstm = BiLSTM(width, hidden)
        self.logits = CosineLogits()

    def forward(self, first: Side, second: Side) -> Tensor:
        """Logits [batch, 2]."""
        encodings = [self.lstm.ends(side.vectors, side.mask) for side in (first, second)]
        logits: Tensor = self.logits(*encodings)
        return logits
