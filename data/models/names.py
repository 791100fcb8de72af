"""What models and their runs are called on command lines and in tables, written and read here alone; pure."""

import re
from dataclasses import dataclass
from typing import Self

TRANSFORMERS = CROSS_ENCODER, BI_ENCODER = ("cross-encoder", "bi-encoder")
"""The kinds of models that bring their words."""
FROZEN, ENSEMBLE, ENDPOINT = "frozen", "ensemble", "endpoint"
BASELINE = "baseline"
"""The models of `analysis.baselines`."""
FUNCTION = "function"
PREFIXES = (*TRANSFORMERS, FROZEN, ENSEMBLE, ENDPOINT, BASELINE)
"""The kinds that a name begins with: `frozen:minilm`."""
JOIN = "+"
"""What joins the members of an ensemble."""
_FUNCTION = re.compile(r"[A-Za-z_][\w.]{0,200}:[A-Za-z_]\w{0,100}")
_SEED = re.compile(r"(.*), seed (0|[1-9][0-9]{0,18})", re.DOTALL)


@dataclass(frozen=True)
class ModelName:
    """The name of a model, or of its run with one of several seeds; `parse(str(name)) == name`."""

    parts: tuple[str, ...]
    """Of a function its module and name; of an ensemble its members; otherwise one: a network, a folder or a name."""
    kind: str = ""
    """One of PREFIXES, or FUNCTION; empty for a network's name or a folder."""
    seed: int | None = None
    """Of a run, where its model has several."""

    @classmethod
    def parse(cls, text: str) -> Self:
        """The name that the text is; any text is one, if only a folder's."""
        seeded = _SEED.fullmatch(text)
        bare, seed = (seeded[1], int(seeded[2])) if seeded else (text, None)
        kind, colon, rest = bare.partition(":")
        if colon and kind in PREFIXES:
            return cls(tuple(rest.split(JOIN)) if kind == ENSEMBLE else (rest,), kind, seed)
        if _FUNCTION.fullmatch(bare):
            return cls((kind, rest), FUNCTION, seed)
        return cls((bare,), "", seed)

    def __str__(self) -> str:
        """The text that `parse` reads."""
        seed = "" if self.seed is None else f", seed {self.seed}"
        if self.kind == FUNCTION:
            return ":".join(self.parts) + seed
        return (f"{self.kind}:" if self.kind else "") + JOIN.join(self.parts) + seed

    @property
    def rest(self) -> str:
        """What comes after the kind: of `frozen:minilm` it is `minilm`."""
        return JOIN.join(self.parts)
