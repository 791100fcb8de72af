"""Parts of quizlet.com's pages, of our own writing."""

import json


def media(kind, text=None, language="en", **more):
    return {"type": kind, "plainText": text, "languageCode": language, "ttsUrl": "/tts/en.mp3", **more}


def item(number, word, definition, *, rank=None, sides=None, **more):
    both = [
        {"sideId": 0, "label": "word", "media": [media(1, word)]},
        {"sideId": 1, "label": "definition", "media": [media(1, definition)]},
    ]
    return {"id": number, "rank": rank, "cardSides": both if sides is None else sides, **more}


def next_page(about, items, *, as_text=True, **more):
    state = {
        "setPage": {"recommendedSets": [{"set": {"id": 1}}], "set": about},
        "studyModesCommon": {"studiableData": {"studiableItems": items, **more}},
    }
    data = {"props": {"pageProps": {"dehydratedReduxStateKey": json.dumps(state) if as_text else state}}}
    script = json.dumps(data).replace("<", "\\u003c")
    return f'<html><script type="application/json" id="__NEXT_DATA__">{script}</script></html>'.encode()
