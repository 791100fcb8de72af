"""The command `serve`: the judges as a process of their own, which the game's server asks."""

from dataclasses import dataclass, field

from data.console.errors import InputError, ServerError
from data.console.messages import say
from data.console.paths import Address
from data.files.keys import SERVER, judges_key
from data.storage.store import Store
from paraphrase_game.config import RewardRule
from paraphrase_game.game.guards import GuardRule
from paraphrase_game.game.scoring import JudgeQueue, SentCheck
from paraphrase_game.game.serving import Server
from paraphrase_game.judges.judging import JudgeChoice, open_judges


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """Let the judges answer checks on 127.0.0.1 until the process is stopped (Ctrl+C)."""

    store: Address = field(default_factory=Store.default_address)
    """The store whose Label Studio asks: both know the secret in `server/judges.key` (mode 0600)."""
    port: int = 8090
    """The port to listen on; 0 takes any free one."""
    practice: bool = False
    """Players collect points, and no one is paid: what stand-ins are for."""
    pay_by_stand_ins: bool = False
    """Pay people by judges that are stand-ins. They disagree with the real ones in a third of their decisions."""
    judges: JudgeChoice = field(default_factory=JudgeChoice)
    reward: RewardRule = field(default_factory=RewardRule)


def main(arguments: Arguments) -> None:
    """Load the judges, judge once so that the first player does not wait, and serve."""
    judges = open_judges(arguments.judges)
    if judges.stand_ins and not (arguments.practice or arguments.pay_by_stand_ins):
        raise InputError(
            "serve",
            expected="judges that people can be paid by",
            found="stand-ins: " + judges.stand_ins.rstrip("."),
            remedy="give --practice to play for points, or --pay-by-stand-ins to pay by them all the same",
        )
    bench = JudgeQueue(judges, arguments.reward, GuardRule(), practice=arguments.practice)
    bench.answer(
        SentCheck(sentence="A word that warms the judges up before the game", text="What gets both judges going")
    )
    with _listen(bench, arguments.port, judges_key(Store(arguments.store).root / SERVER)) as server:
        say(f"judges are answering at http://127.0.0.1:{server.server_address[1]} ({judges.sha256[:8]})")
        if judges.stand_ins:
            say(judges.stand_ins)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say("stopped; what players check now is stored, and judged at the next `annotation game collect`")


def _listen(bench: JudgeQueue, port: int, key: bytes) -> Server:
    try:
        return Server(bench, port, key)
    except (OSError, OverflowError) as fault:
        raise ServerError(
            f"port {port} on 127.0.0.1",
            expected="a free port",
            found=str(fault),
            remedy="stop the program that listens there, or choose another one with --port",
        ) from fault
