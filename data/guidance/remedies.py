"""What would bring dropped rows back, by the stage that dropped them and by the reason; where nothing would, why."""

from collections.abc import Mapping

_SHEET = "Say how the file is to be read in the sheet of decks (-a decks=FILE.csv), or leave the file out there."
_ENTRY = "Correct the entry in its file, or name its fields in the sheet of decks (-a decks=FILE.csv)."
_AGAIN = "Run the same crawl again later: it asks for what is missing."
_DOWN = "Nothing: it was taken down for good."
_BETTER = "Nothing: better ones fill the number asked for; raise --limit to have it, too."
_COPIES = "Nothing: a pair of such texts tests no one."
_STRANGE = "Nothing: it is no answer that the campaign asked for."
_MORE_PEOPLE = "Bring back an annotator who has not seen the pair (annotation resume), or leave it to the other votes."

REMEDIES: Mapping[str, Mapping[str, str]] = {
    "crawler.terminology": {
        "no_text": "Bring the paper with its title or abstract: there are no words to count.",
        "same_title": "Nothing: another paper with this title counts.",
        "same_id": "Nothing: another paper with this number counts.",
        "dropped_by_list": "Take the phrase off the list that --drop names.",
        "below_top": "Raise --limit of crawler.terminology, or put the phrase on the list that --add names.",
        "": "Export the paper again, or in another form: nothing could be read.",
    },
    "crawler": {
        "front_is_no_term": "Put the term on the list (crawler.terminology --add FILE), or take every front as a term: "
        "-a terms=any.",
        "empty_front": "Nothing: the front names nothing.",
        "no_text": "Nothing: the entry has no text.",
        "cross_reference": "Nothing: the text only points to another entry.",
        "label": "Nothing, if the name only says what follows, as `Example` does; if it is a term, write it out.",
        "form_of": "Nothing: the entry only names another form of a word.",
        "deprecated": "Nothing: the glossary calls this meaning out of date.",
        "other_language": "Nothing: the entry is in another language than the terms.",
        "cloze": "Nothing: a text with a gap names no term.",
        "image_occlusion": "Nothing: the card is a picture.",
        "left_out": "Take `skip` off the file's row in the sheet of decks.",
        "taken_down": _DOWN,
        "": _ENTRY,
    },
    "crawler.decks": {
        "blocked": "Bring the set as a file: an export, or the page saved in a browser.",
        "private": "Ask its owner, or bring the set as a file.",
        "gone": "Nothing: the site no longer has the page.",
        "redirected": "Name the set's new address in the list that -a sets names.",
        "disallowed": "Bring the set as a file: the site's robots.txt forbids reading the page.",
        "unreachable": _AGAIN,
        "server_error": _AGAIN,
        "unexpected_status": _AGAIN,
        "not_followed": "Nothing: the crawl reads no such address.",
        "truncated": "Save the missing pages, too, and read them as files: only the cards shown were kept.",
        "surplus_cards": "Nothing is missing: the set has more cards than it says.",
        "wrong_set": "Correct the set's address: the page shows another set.",
        "changed_markup": "Bring the set as a file: its page has a form that is not known.",
        "too_large": "Divide the file into smaller ones.",
        "too_slow": "Divide the file into smaller ones.",
        "empty_file": "Nothing: the file is empty.",
        "": _SHEET,
    },
    "crawler.definitions": {
        "not_pure_text": "Nothing: a definition with a picture, sound or gap cannot be shown as a text.",
        "empty_definition": "Nothing: the back has no text.",
        "repeats_the_front": "Nothing: the back only repeats the front.",
        "cross_reference": "Nothing: the text only points to another entry.",
        "too_short": "Lower --min-words of crawler.definitions.",
        "too_long": "Raise --max-words of crawler.definitions.",
        "other_language": "Lower --min-confidence of crawler.definitions if the language is right; otherwise nothing.",
        "entity_has_too_few_definitions": "Read more decks that define the term, or lower --min-definitions.",
        "term_is_gone": "Put the term back on the list of terms, and crawl the source again.",
    },
    "clustering": {
        "no_known_word": "Set --min-count 1 of clustering propose, or choose other --vectors.",
        "alone_in_cluster": "Read more decks that define the term, or raise --cluster-size of clustering propose.",
        "near_duplicate_typos": "Raise --min-edit-similarity of clustering propose: the texts differ in a few letters.",
        "near_duplicate_same_words": "Raise --max-overlap of clustering propose: nearly all words are the same.",
        "near_duplicate_punctuation": _COPIES,
        "near_duplicate_contained": _COPIES,
        "near_duplicate_same_stems": _COPIES,
        "would_join_third_group": "Nothing: with it, groups of terms would grow together, and splits need them apart.",
        "over_contrasts": "Raise --neighbours or --senses of clustering propose.",
        "over_max_pairs": "Raise --limit of clustering propose, or of clustering select where models chose.",
        "over_per_entity": "Raise --per-entity of clustering select.",
        "says_the_same": "Nothing: a chosen pair says the same in the same words.",
        "labelled_or_assigned": "Nothing: it has a label, or annotators are asked for one.",
        "no_prediction": "Have the models score it: identification predict --unlabelled.",
        "no_overlap": "Nothing: its texts have no content words, so that their overlap is not defined.",
    },
    "annotation.plan": {
        "dropped": "Nothing: annotators rejected the item.",
        "flagged": "Nothing: annotators flagged the item.",
        "as_many_drop_as_keep": "Plan another campaign with it: as many annotators rejected the item as kept it.",
        "unanswered": "Collect the answers first, then plan another campaign.",
        "fixed_back_to_source": "Nothing: the corrected text is the text that it was made from.",
        "fixed_to_another_item": "Nothing: the corrected text is another item's.",
        "": _MORE_PEOPLE,
    },
    "annotation.collect": {
        "no_reason": "Ask the senior for a comment: a second look needs a reason.",
        "empty_rating": "Ask the annotator to open the pair again: the answer has neither a score nor a flag.",
        "answer_missing": "Ask the annotator to open the pair again: a part of the answer is missing.",
        "foreign_signature": "Ask the pair's own annotator to answer: another account changed the answer.",
        "": _STRANGE,
    },
    "annotation.extend": {"": "Raise the annotators' quotas, or add annotators with `annotation plan`."},
    "annotation.reassign": {
        "none_qualifies": "Lower --high-kappa of annotation reassign, or discuss the guide in a pilot.",
        "": "Raise --best or lower --high-kappa of annotation reassign, so that more annotators may take it.",
    },
    "annotation.release": {"": _MORE_PEOPLE},
    "annotation.withdraw": {"": _MORE_PEOPLE},
    "annotation.review-blind": {
        "": "Bring back a senior who has not seen the pair (annotation resume), or leave it to the votes."
    },
    "annotation.adjudicate": {
        "unresolved_flagged": "Nothing: annotators agree that it cannot be judged.",
        "flagged_by_senior": "Nothing: a senior says that it cannot be judged.",
        "unresolved_missing_ratings": "Collect the missing answers, or hand them over (annotation hand-over).",
        "unresolved_tie": "Have a senior look at it: annotation review blind.",
    },
    "analysis.splits": {
        "joins_splits": "Split under another --scheme: in this frozen one the pair belongs to two splits.",
        "identical_texts": "Nothing: two equal texts are too easy for validation and test.",
    },
    "generation.sentences": {
        "too_short": "Lower --shortest of generation sentences.",
        "too_long": "Raise --longest of generation sentences.",
        "controls": "Save the file in UTF-8: the sentence has control characters.",
        "latex": "Give --keep-latex of generation sentences.",
        "unbroken": "Nothing: it has a word of 60 characters or more.",
        "layout": "Nothing: it is a list, or has several lines.",
        "duplicate": "Nothing: an earlier sentence is the same.",
        "not_drawn": "Raise --limit of generation sentences.",
        "": "Export the paper again, or in another form: nothing could be read.",
    },
    "generation.swap": {
        "no_other_sentence": "Nothing: no two parts of the sentence could change places.",
        "only_lists": "Nothing: only the order of a list could change.",
        "too_many_moved": "Raise --most-moved of generation swap.",
        "unlikely_source": "Lower --least-likely of generation swap.",
        "below_threshold": "Raise --threshold of generation swap.",
        "not_ranked": "Raise --rank-at-most of generation swap.",
        "same_as_another": "Nothing: the result is another text.",
        "over_entity_limit": "Raise --per-entity of generation swap.",
        "over_budget": _BETTER,
    },
    "generation.translate": {
        "same_text": "Name other --pivots: the text came back as it was.",
        "same_as_another": "Nothing: another result is the same text.",
        "untranslated": "Name other --pivots, or a model with --marian: words stayed in the other language.",
        "low_cosine": "Lower --min-cosine of generation translate.",
        "not_the_best": "Give --results all of generation translate.",
        "too_few_inverted": "Lower --min-inversion of generation translate.",
        "already_a_pair": "Nothing: another generator proposed the pair.",
    },
    "generation.recombine": {
        "unmatched": "Give --no-balance of generation recombine: no similar pair has the other label."
    },
    "generation.silver": {
        "group_of_a_labelled_pair": "Nothing: it shares a source, text or entity with a labelled pair."
    },
    "paraphrase_game.prompts": {
        "too_few_words": "Lower --min-words of paraphrase_game prompts.",
        "too_many_words": "Raise --max-words of paraphrase_game prompts.",
        "not_drawn": "Raise --limit of paraphrase_game prompts.",
        "too_long": "Bring it as sentences: the text is far longer than one.",
        "no_words": "Nothing: it has no words.",
        "control_marks": "Save the file in UTF-8: the sentence has control characters.",
        "markup": "Remove tags and addresses from the sentence.",
        "repeated": "Nothing: another sentence is the same.",
    },
    "generation": {
        "several_differences": "Nothing: its label does not follow from the pairs that it is made from.",
        "same_text": "Nothing: both texts are the same.",
        "contradicting_paths": "Nothing: one way leads to the label 1, another to 0.",
        "labelled_already": "Nothing: people labelled it.",
        "taken_down": _DOWN,
    },
}
"""Stage, without its part -> reason -> remedy; the empty reason is every other one. A stage's name may begin another's,
which then goes first.
"""


def remedy(stage: str, reason: str) -> str:
    """What would bring the rows back, or why nothing would; empty for a reason that is not known.

    `stage`: its name, with or without its part (`crawler.decks.files`).
    """
    names = [name for name in REMEDIES if f"{stage}.".startswith(f"{name}.")]
    known = [REMEDIES[name] for name in sorted(names, key=len, reverse=True)]
    return next((part[word] for word in (reason, "") for part in known if word in part), "")
