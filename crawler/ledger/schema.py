"""The tables of a ledger (SQLite). `data.takedown` relies on the columns front and back of `cards`."""

SCHEMA = """
CREATE TABLE IF NOT EXISTS source (site TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, url TEXT,
    part_of INTEGER REFERENCES pages ON DELETE CASCADE,
    state TEXT NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'done', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0, outcome TEXT, status INTEGER, body_sha256 TEXT, fetched_at TEXT,
    place TEXT, UNIQUE (kind, key));
CREATE TABLE IF NOT EXISTS links (page INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE, key TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS decks (
    id INTEGER PRIMARY KEY, page INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE,
    set_id TEXT NOT NULL, title TEXT NOT NULL, copied_from TEXT, licence_note TEXT, declared INTEGER,
    unread TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS cards (
    deck INTEGER NOT NULL REFERENCES decks ON DELETE CASCADE,
    position INTEGER NOT NULL, front TEXT NOT NULL, back TEXT NOT NULL, media TEXT, language TEXT);
CREATE TABLE IF NOT EXISTS findings (
    page INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE, kind TEXT NOT NULL, detail TEXT NOT NULL,
    has_row INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS skipped (
    page INTEGER NOT NULL REFERENCES pages ON DELETE CASCADE, id TEXT NOT NULL, reason TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS parts ON pages (part_of);
CREATE INDEX IF NOT EXISTS links_of ON links (page);
CREATE INDEX IF NOT EXISTS decks_of ON decks (page);
CREATE INDEX IF NOT EXISTS cards_of ON cards (deck);
CREATE INDEX IF NOT EXISTS findings_of ON findings (page);
CREATE INDEX IF NOT EXISTS skipped_of ON skipped (page);
"""
