"""The material of the demo's papers: terms with their numbers of papers, and phrases to put them in."""

from pathlib import Path

FRAGMENTS = Path(__file__).parent / "fragments"

Uses = tuple[str | None, int, int]

AREAS: dict[str, dict[str, Uses]] = {
    # area -> term -> (its plural or None, papers with the singular, papers with the plural)
    "algorithms": {
        "hash table": ("hash tables", 41, 33),
        "binary tree": ("binary trees", 30, 26),
        "binary search tree": ("binary search trees", 27, 24),
        "linked list": ("linked lists", 29, 25),
        "data structure": ("data structures", 62, 71),
        "shortest path": ("shortest paths", 44, 36),
        "dynamic programming": (None, 58, 0),
        "greedy algorithm": ("greedy algorithms", 33, 28),
        "time complexity": (None, 39, 0),
    },
    "systems": {
        "operating system": ("operating systems", 57, 49),
        "virtual memory": (None, 34, 0),
        "race condition": ("race conditions", 26, 31),
        "mutual exclusion": (None, 28, 0),
        "critical section": ("critical sections", 25, 23),
        "context switch": ("context switches", 25, 22),
        "page fault": ("page faults", 23, 27),
        "garbage collection": (None, 40, 0),
    },
    "data": {
        "relational database": ("relational databases", 36, 38),
        "primary key": ("primary keys", 27, 12),
        "foreign key": ("foreign keys", 25, 14),
        "information retrieval": (None, 66, 0),
        "search engine": ("search engines", 38, 45),
        "data mining": (None, 61, 0),
        "inverted index": ("inverted indexes", 31, 16),
    },
    "networks": {
        "packet switching": (None, 27, 0),
        "routing table": ("routing tables", 25, 29),
        "domain name system": (None, 26, 0),
        "ip address": ("ip addresses", 28, 30),
        "load balancing": (None, 47, 0),
        "distributed system": ("distributed systems", 42, 59),
        "cloud computing": (None, 52, 0),
    },
    "security": {
        "public key": ("public keys", 35, 17),
        "digital signature": ("digital signatures", 29, 27),
        "access control": (None, 48, 0),
        "denial of service": (None, 31, 0),
        "social engineering": (None, 25, 0),
        "buffer overflow": ("buffer overflows", 26, 22),
    },
    "software": {
        "software engineering": (None, 55, 0),
        "unit test": ("unit tests", 26, 34),
        "version control": (None, 33, 0),
        "design pattern": ("design patterns", 27, 41),
        "programming language": ("programming languages", 44, 51),
        "source code": (None, 63, 0),
        "user interface": ("user interfaces", 46, 37),
        "regular expression": ("regular expressions", 26, 33),
    },
    "learning": {
        "machine learning": (None, 72, 0),
        "neural network": ("neural networks", 50, 56),
        "decision tree": ("decision trees", 34, 32),
        "feature selection": (None, 37, 0),
        "reinforcement learning": (None, 35, 0),
        "gradient descent": (None, 32, 0),
    },
    "poorly covered": {  # terms for which the decks hold few definitions or none
        "sensor network": ("sensor networks", 30, 43),
        "mobile device": ("mobile devices", 22, 35),
        "query processing": (None, 34, 0),
    },
    "rare": {  # at and below the threshold: more than 20 papers are asked for
        "bloom filter": ("bloom filters", 20, 0),
        "suffix tree": ("suffix trees", 19, 0),
        "skip list": ("skip lists", 12, 0),
        "token ring": ("token rings", 9, 0),
    },
}

TERMS: dict[str, Uses] = {term: uses for terms in AREAS.values() for term, uses in terms.items()}

BROKEN: dict[str, int] = {"bloom filter": 6, "suffix tree": 7, "skip list": 15}
"""Term -> papers in which its words only meet across the end of a sentence: no mention of the term."""


def phrases(name: str) -> list[str]:
    """The phrases of `demo/making/fragments/NAME.txt`, one per line.

    {a} and {b} are terms, {A} one at the start of a sentence, {x} a place, {n} a number.
    """
    return (FRAGMENTS / f"{name}.txt").read_text(encoding="utf-8").splitlines()
