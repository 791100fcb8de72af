"""A real server of a real, tiny language model: trained here to say yes to equal words, asked as any other endpoint."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pandas as pd
import pytest

from identification.endpoints.answers import ReplyCache
from identification.endpoints.client import Budget, Connection, Endpoint
from identification.endpoints.prompt import Prompt
from identification.endpoints.scoring import score_pairs, summarise

pytest.importorskip("torch", reason="torch is not installed: make models")
pytest.importorskip("fastapi", reason="the server of transformers is not installed: make models")

WORDS = ["cat", "dog", "sun", "sea"]
PROMPT = Prompt("{first} {second} ?")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a language model of two layers that answers ` yes` to a word twice and ` no` to two words."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    vocabulary = {token: number for number, token in enumerate(["<end>", "yes", "no", "?", *WORDS])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<end>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<end>", pad_token="<end>", unk_token="<end>")
    tokenizer.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    torch.manual_seed(1)
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
    ends = {"bos_token_id": None, "eos_token_id": 0, "pad_token_id": 0}
    network = LlamaForCausalLM(LlamaConfig(vocab_size=len(vocabulary), **sizes, **ends))
    texts = [f"{a} {b} ? {'yes' if a == b else 'no'} <end>" for a in WORDS for b in WORDS]
    texts += [f"{a} {a} ? yes <end>" for a in WORDS for _ in range(2)]
    batch = torch.tensor([[vocabulary[word] for word in text.split()] for text in texts])
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    labels = batch.clone()
    labels[:, :3] = -100
    for _ in range(150):
        optimiser.zero_grad()
        network(input_ids=batch, labels=labels).loss.backward()
        optimiser.step()
    folder = tmp_path_factory.mktemp("language_model")
    network.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def address(model: Path) -> Iterator[str]:
    port = 20_000 + os.getpid() % 10_000  # below those that other tests' servers are given while this one starts
    command = [Path(sys.executable).with_name("transformers"), "serve", model, "--device", "cpu", "--port", str(port)]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONWARNINGS": "ignore"}
    with (model / "serve.log").open("w") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        with httpx.Client() as client:
            for _ in range(1200):
                try:
                    if client.get(f"http://127.0.0.1:{port}/health").status_code == httpx.codes.OK:
                        break
                except httpx.HTTPError:
                    assert server.poll() is None, (model / "serve.log").read_text()
                    time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


@pytest.mark.sweep
def test_a_real_server_answers(address: str, model: Path, tmp_path: Path) -> None:
    pairs = pd.DataFrame([(a, b) for a in WORDS for b in WORDS], columns=["first", "second"])
    endpoint = Endpoint(url=address, model=str(model))
    with (
        Connection(endpoint, Budget(concurrency=2)) as connection,
        ReplyCache(tmp_path / "answers.sqlite", endpoint, PROMPT) as answers,
    ):
        scored = score_pairs(pairs, PROMPT, connection, answers)
        assert summarise(scored) == {"yes": 8, "no": 24}
        assert scored["score"].tolist() == [float(a == b) for a in WORDS for b in WORDS]
        assert all(answer.tokens > 0 and str(model) in answer.model for answer in answers.read().values())
        assert connection.n_requests == 16
