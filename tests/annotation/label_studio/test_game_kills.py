"""Judge and server of the game killed with SIGKILL at random moments: what was shown is stored, and nothing twice."""

import itertools
import os
import random
import secrets
import signal
import subprocess
import sys
import threading
import time

import pandas as pd
import pytest

from annotation.__main__ import main
from annotation.campaign import accounts
from annotation.label_studio.server import server
from annotation.label_studio.simulated.player import Player
from data.console.errors import ServerError
from data.contract.tables.game import Attempts, Prompts
from data.storage.manifest import Manifest
from data.texts.identity import text_id
from paraphrase_game.game.guards import REASONS

KILLS = 3
"""In one run; every seed has other moments."""
SENTENCE = "A cache is a small fast memory between the processor and the main memory of a machine."
WORDS = "quick tiny store near processor holds main memory copies machine data kept close speed helps"


def serve(port, store):
    """A judge on the port, once it answers."""
    command = [
        sys.executable,
        "-m",
        "paraphrase_game",
        "serve",
        "--practice",
        "--port",
        str(port),
        "--store",
        str(store.root),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert "answering" in process.stdout.readline()
    return process


def kill(process):
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()


def play(url, account, shown, stop, seed):
    """Check new texts until told to stop; whatever has a verdict on the page is noted."""
    chance, player = random.Random(seed), None
    for number in itertools.count():
        if stop.is_set():
            break
        try:
            if player is None:
                player = Player(url, account)
                player.enter()
            text = " ".join([*chance.sample(WORDS.split(), 11), f"mark{seed}x{number}"])
            sight = player.check(text, player.look())
            if sight.status == 200 and f"mark{seed}x{number}" in sight.page:
                shown.append(text)
        except (ServerError, KeyError, ValueError):
            player = None
            time.sleep(0.2)


@pytest.mark.sweep
def test_every_answer_that_was_shown_is_stored(label_studio_environment, store, tmp_path, chance, capsys):
    folder, port = store.root / "server", server.free_port(0)
    rows = pd.DataFrame([{"source": "ours", "prompt_id": text_id(SENTENCE), "text": SENTENCE, "entity": None}])
    rows = rows.assign(source_id="1", n_words=16)
    store.replace(Prompts, rows, Manifest(stage="paraphrase_game.prompts", part="ours"), source="ours")
    name = f"game-{secrets.token_hex(4)}"
    flags = ["--campaign", name, "--store", str(store.root)]

    def game(*words):
        code = main(["game", *words, *flags])
        assert code == 0, capsys.readouterr().err

    running = server.start(folder, server.Options(port=0))
    judge, shown, stop, seconds = serve(port, store), [], threading.Event(), {"server": [], "judge": []}
    try:
        game("open", "--prompts", "ours", "--annotators", "2", "--scorer", f"http://127.0.0.1:{port}",
             "--per-minute", "10000")  # fmt: skip
        own_port = int(running.url.rpartition(":")[2])
        people = accounts.read_accounts(store.root, name)
        threads = [
            threading.Thread(target=play, args=(running.url, one, shown, stop, n)) for n, one in enumerate(people)
        ]
        for thread in threads:
            thread.start()
        for number in range(KILLS):
            time.sleep(chance.uniform(0.5, 3))
            started = time.monotonic()
            if number % 3 == 1:
                os.killpg(server.status(folder).pid, signal.SIGKILL)
                assert server.wait_until_gone(folder, running.pid)
                running = server.start(folder, server.Options(port=own_port))
                seconds["server"].append(time.monotonic() - started)
            else:
                kill(judge)
                away = chance.uniform(0, 1)
                time.sleep(away)
                judge = serve(port, store)
                seconds["judge"].append(time.monotonic() - started - away)
        before = len(shown)
        deadline = time.monotonic() + 120
        while len(shown) < before + 2 and time.monotonic() < deadline:
            time.sleep(0.2)
        stop.set()
        for thread in threads:
            thread.join()
        assert len(shown) >= before + 2, "players go on after the last kill"
        game("collect")
    finally:
        stop.set()
        kill(judge)
        server.stop(folder)
    attempts = store.read(Attempts).sort_values("changed_at").drop_duplicates("attempt_id", keep="last")
    texts = attempts["text"].tolist()
    print(f"{len(shown)} answers shown, {len(texts)} attempts stored, {KILLS} kills")
    print("; ".join(f"{name} back after {max(times):.1f} s at most" for name, times in seconds.items()))
    assert set(shown) <= set(texts)
    assert len(texts) == len(set(texts)), "no attempt twice"
    assert (attempts["judges"].notna() | attempts["refused"].isin(list(REASONS))).all(), "all are judged in the end"
