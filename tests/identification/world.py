"""A small data set that can be learned, and a transformer of two layers with random weights."""

from pathlib import Path

import numpy as np
import pandas as pd

from identification import __main__ as command

THINGS = {
    "tree": ("oak", "elm", "fir", "ash"), "fish": ("cod", "eel", "carp", "pike"),
    "tool": ("saw", "axe", "file", "plane"), "bird": ("crow", "wren", "tit", "owl"),
}  # fmt: skip
VERBS = ("is", "means", "denotes", "names")
SIZES = {"train": 120, "validation": 60, "test": 40}


def call(*words: object) -> int:
    """The exit code of a command of the room, as it is typed."""
    return command.main([str(word) for word in words])


def sentences(n: int, seed: int) -> pd.DataFrame:
    """Pairs of short texts: paraphrases name things of one kind; columns first, second, binary."""
    rng = np.random.default_rng(seed)
    kinds = list(THINGS)
    rows = []
    for number in range(n):
        left = rng.choice(kinds)
        same = number % 2 == 0
        right = left if same else rng.choice([kind for kind in kinds if kind != left])
        texts = [
            f"{rng.choice(THINGS[kind])} {rng.choice(VERBS)} {rng.choice(THINGS[kind])} , {kind} {rng.integers(1000)}"
            for kind in (left, right)
        ]
        rows.append((*texts, int(same)))
    return pd.DataFrame(rows, columns=["first", "second", "binary"])


def write_pairs(folder: Path, sizes: dict[str, int] = SIZES) -> Path:
    """A folder with one file per split."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed, (split, n) in enumerate(sizes.items()):
        sentences(n, seed).to_csv(folder / f"{split}.tsv", sep="\t", index=False)
    return folder


def write_bert(folder: Path, seed: int = 1) -> Path:
    """A BERT of two layers with random weights and a tokenizer of the data set's words: some 100 KB."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    words = [*THINGS, *VERBS, *(word for some in THINGS.values() for word in some), ",", *"0123456789"]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *(f"##{digit}" for digit in "0123456789")]
    tokenizer = Tokenizer(models.WordPiece({piece: n for n, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    marks = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep", "mask")}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=64, **marks).save_pretrained(folder)
    config = BertConfig(
        vocab_size=len(pieces), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=64,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        BertModel(config).save_pretrained(folder)
    return folder
