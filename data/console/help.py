"""What `--help` prints of a room: its commands by group, each with one line."""

import textwrap
from collections.abc import Mapping

from data.console.parsing import line_width


def write_list(usage: str, about: str, groups: Mapping[str, Mapping[str, str]]) -> str:
    """The help of a room: its commands by group, each with one line."""
    width = line_width()
    longest = max(len(verb) for verbs in groups.values() for verb in verbs)
    blocks = [f"usage: {usage}", textwrap.fill(about, width)]
    for heading, verbs in groups.items():
        heads = {verb: f"  {verb:<{longest}}  " for verb in verbs}
        lines = [
            textwrap.fill(text, width, initial_indent=heads[verb], subsequent_indent=" " * (longest + 4))
            for verb, text in verbs.items()
        ]
        blocks.append("\n".join([*([heading] if heading else []), *lines]))
    return "\n\n".join(blocks)
