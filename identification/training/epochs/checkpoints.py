"""The state of an unfinished training on disk: whole after every epoch, whatever happens meanwhile; no pickles."""

import json
import shutil
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from data.console.errors import InputError
from data.files.values import read_json
from data.files.whole import whole_file, write_whole
from data.models.model_folders import saving
from data.models.scorers import RUN, read_run
from data.texts.identity import digest
from identification.training.vectors import TrainedVectors

STATE, STAMP, WORDS, VECTORS = "state.json", "stamp", "words.json", "vectors"


class Checkpoints:
    """The folder `checkpoint` of a run: the latest epoch's weights and optimiser, and the best epoch's weights.

    `state.json` names the files that belong together; it is replaced last.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkpoint"

    def claim(self, stamp: dict[str, Any]) -> bool:
        """Whether the folder holds the finished run of this stamp; otherwise make it the folder of its training.

        Raises InputError where it holds anything else.
        """
        folder, wanted = self.folder.parent, stamp_digest(stamp)
        if (folder / RUN).is_file():
            if read_run(folder).get("data", {}).get("request") == wanted:
                return True
            raise self._taken("a finished run of another model, configuration or data set")
        path = self.folder / STAMP
        if path.is_file() and path.read_text(encoding="utf-8") != wanted:
            if (self.folder / STATE).is_file():
                raise self._taken("an unfinished run of another model, configuration or data set")
            self.remove()  # not one epoch is done: nothing is lost
        elif path.is_file():
            return False
        elif any(not path.is_dir() for path in folder.rglob("*")):
            raise self._taken("other files")
        write_whole(path, wanted)
        return False

    def forget(self) -> None:
        """Remove an unfinished training; what is none stays."""
        if (self.folder / STAMP).is_file():
            self.remove()

    def _taken(self, found: str) -> InputError:
        return InputError(
            f"--out {self.folder.parent}", expected="a new folder, or one with this run", found=found,
            remedy="name another folder, or remove this one",
        )  # fmt: skip

    def save_vectors(self, vectors: TrainedVectors) -> None:
        """Keep the word vectors, so that a resumed training need not learn them again."""
        if not (self.folder / VECTORS).is_file():
            write_whole(self.folder / WORDS, json.dumps({"words": vectors.words, "origin": vectors.origin}))
            with saving(self.folder), whole_file(self.folder / VECTORS) as path:
                save_file({"matrix": torch.from_numpy(vectors.matrix)}, path)

    def read_vectors(self) -> TrainedVectors | None:
        """The word vectors that were kept; None if there are none."""
        if not (self.folder / VECTORS).is_file():
            return None
        try:
            content = read_json(self.folder / WORDS, "the words of a training", "train again")
            matrix = load_file(self.folder / VECTORS)["matrix"].numpy()
            return TrainedVectors(words=content["words"], matrix=matrix, origin=content["origin"])
        except (InputError, KeyError, TypeError, OSError, SafetensorError) as fault:
            raise self._broken(VECTORS, fault) from fault

    def save(self, model: nn.Module, optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
        """Keep the epoch; `state`: epoch and best (numbers of epochs), history."""
        epoch = state["epoch"]
        if state["best"] == epoch:
            self._save_model(model, f"best-{epoch}")
        self._save_model(model, f"weights-{epoch}")
        tensors, groups = flatten(optimizer)
        with saving(self.folder), whole_file(self.folder / f"optimizer-{epoch}.safetensors") as path:
            save_file(tensors, path)
        write_whole(self.folder / STATE, json.dumps(state | {"groups": groups}, indent=1))
        present = {f"best-{state['best']}", f"weights-{epoch}", f"optimizer-{epoch}"}
        for path in self.folder.glob("*.safetensors"):
            if path.stem not in present:
                path.unlink()

    def read(self) -> dict[str, Any] | None:
        """The state of the latest epoch; None if there is none."""
        path = self.folder / STATE
        if not path.is_file():
            return None
        try:
            return dict(read_json(path, "the state of a training", "train again"))
        except (InputError, ValueError, TypeError) as fault:
            raise self._broken(STATE, fault) from fault

    def load(self, model: nn.Module, optimizer: torch.optim.Optimizer, state: dict[str, Any]) -> None:
        """Give model and optimiser the state of the latest epoch."""
        self._load_model(model, f"weights-{state['epoch']}")
        name = f"optimizer-{state['epoch']}.safetensors"
        try:
            tensors = load_file(self.folder / name)
        except (SafetensorError, OSError) as fault:
            raise self._broken(name, fault) from fault
        optimizer.load_state_dict(unflatten(tensors, state["groups"]))

    def load_best(self, model: nn.Module, best: int) -> None:
        """Give the model the weights of the best epoch."""
        self._load_model(model, f"best-{best}")

    def remove(self) -> None:
        """Delete the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _save_model(self, model: nn.Module, name: str) -> None:
        with saving(self.folder), whole_file(self.folder / f"{name}.safetensors") as path:
            save_weights(model, path)

    def _load_model(self, model: nn.Module, name: str) -> None:
        try:
            load_weights(model, self.folder / f"{name}.safetensors")
        except (SafetensorError, OSError, RuntimeError) as fault:
            raise self._broken(name, fault) from fault

    def _broken(self, name: str, fault: Exception) -> InputError:
        return InputError(
            self.folder / name,
            expected="a file as training wrote it",
            found=" ".join(str(fault).split())[:120],
            remedy="remove the run's folder and train again",
        )


def stamp_digest(stamp: dict[str, Any]) -> str:
    """A digest of what tells one training from another."""
    return digest(json.dumps(stamp, sort_keys=True))


def flatten(optimizer: torch.optim.Optimizer) -> tuple[dict[str, Tensor], list[dict[str, Any]]]:
    """The optimiser's state as named tensors, and its groups of parameters as JSON."""
    state = optimizer.state_dict()
    tensors = {
        f"{number}.{name}": torch.as_tensor(value).contiguous()
        for number, values in state["state"].items()
        for name, value in values.items()
        if value is not None
    }
    return tensors, state["param_groups"]


def unflatten(tensors: dict[str, Tensor], groups: list[dict[str, Any]]) -> dict[str, Any]:
    """The optimiser's state from what `flatten` returned."""
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in tensors.items():
        number, _, part = name.partition(".")
        state.setdefault(int(number), {})[part] = value
    return {"state": state, "param_groups": groups}


def save_weights(model: nn.Module, path: Path) -> None:
    """Write the weights as safetensors, each apart: cuDNN keeps a recurrent layer's in one block."""
    weights = {name: weight.detach().cpu().contiguous() for name, weight in model.state_dict().items()}
    is_part = {name: weight.untyped_storage().nbytes() > weight.nbytes for name, weight in weights.items()}
    save_file({name: weight.clone() if is_part[name] else weight for name, weight in weights.items()}, path)


def load_weights(model: nn.Module, path: Path) -> None:
    """Give the model the weights of a file; raises SafetensorError, OSError or RuntimeError where they do not fit."""
    model.load_state_dict(load_file(path))
