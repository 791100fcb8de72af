"""Which fields of a note are the two sides of its card."""

import pytest

from crawler.formats.packages.notes import NoteType, sides


def chosen(fields, question, answer):
    front, back = sides(NoteType(name="", fields=fields, question=question, answer=answer, cloze=False))
    return fields[front], fields[back]


@pytest.mark.parametrize(
    ("fields", "question", "answer"),
    [
        # names decide, whatever a template shows first
        (
            ("Front", "Back", "Context"),
            "{{#Context}}In: {{Context}}<br>{{/Context}} {{Front}}",
            "{{FrontSide}}{{Back}}",
        ),
        (("Question", "Answer", "Context"), "<b>{{Context}}</b> {{Question}}", "{{FrontSide}}<hr>{{Answer}}"),
        (("Term", "Definition", "Priority"), "<p class='p{{Priority}}'>{{Term}}</p>", "{{Priority}}: {{Definition}}"),
        (("Word", "Meaning", "Pronunciation"), "{{Word}} {{Pronunciation}}", "{{Word}} {{Pronunciation}} {{Meaning}}"),
        (("Front", "Back"), "{{Back}}", "{{Front}}"),
        (("Prompt", "Extra", "Response"), "{{Prompt}}", "{{FrontSide}}{{Response}}{{Extra}}"),
        (("Front", "Extra", "In my words"), "{{Front}}", "{{FrontSide}}{{Extra}}{{In my words}}"),
        # without names, the template does
        (("Organ", "What it does"), "{{Organ}}", "{{FrontSide}}{{What it does}}"),
        (
            ("Organ", "Task", "Where"),
            "{{#Where}}{{Where}}: {{/Where}}{{Organ}}",
            "{{#Where}}{{Where}}{{/Where}}{{Task}}",
        ),
        (
            ("Organ", "Task", "Weight"),
            "<i data-w={{Weight}}>{{Organ}}</i>",
            "<i data-w={{Weight}}>{{Organ}}</i>{{Task}}",
        ),
        (("Organ", "Task", "IPA"), "{{Organ}}", "{{FrontSide}} {{IPA}} {{Task}}"),
        (("Organ", "Task", "Latin"), "{{Organ}} ({{Latin}})", "{{Organ}} ({{Latin}})<hr>{{Task}}"),
        (("Organ", "Task", "Type it"), "{{Organ}}{{type:Task}}", "{{Organ}}{{type:Task}}"),
        (("Organ", "Task"), "<!-- {{Task}} -->{{Organ}}", "{{FrontSide}}{{Task}}"),
        (("Organ", "Task", "Image"), "{{Image}}{{Organ}}", "{{FrontSide}}{{Task}}"),
        (("Organ", "Task"), "", ""),
        # one name tells one side
        (("Term", "Source", "In my words"), "{{Source}} {{Term}}", "{{Source}} {{In my words}}"),
        (("In my words", "Answer", "Deck"), "{{Deck}} {{In my words}}", "{{Deck}} {{Answer}}"),
    ],
)
def test_the_sides_are_found(fields, question, answer):
    asides = {"Context", "Priority", "Pronunciation", "Source", "Image", "Deck", "Extra"}
    front, back, *_ = (field for field in fields if field not in asides)
    assert chosen(fields, question, answer) == (front, back)
    assert chosen(("Front", "Extra"), "{{Front}}", "{{FrontSide}}{{Extra}}") == ("Front", "Extra")
