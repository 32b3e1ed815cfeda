"""XML written, and edited as text: positions, quotes, empty elements, and nothing else touched."""

from __future__ import annotations

import numpy as np
import pytest

from dynident.core.xml import XmlText, comment_text, element, parse_xml
from dynident.errors import FileError
from tests.facts import raises

TEXT = """<?xml version="1.0"?>
<!-- <a x="no"/> -->
<root>
  <a x = '1 2' y="a > b"  z="3"/>
  <b name="é"><![CDATA[<a x="no"/>]]><c
     k="4"
  /></b>
  <d></d>
</root>
"""


@pytest.fixture
def text() -> XmlText:
    return XmlText(TEXT.encode())


def test_without_edits_nothing_changes(text):
    assert text.result().decode() == TEXT


def test_elements_are_where_they_are(text):
    a, b, d = text.root.children
    assert TEXT.encode()[a.start : a.end] == b'<a x = \'1 2\' y="a > b"  z="3"/>'
    assert TEXT.encode()[b.start : b.end].decode().startswith('<b name="é">')
    assert TEXT.encode()[b.start : b.end].decode().endswith("/></b>")
    assert TEXT.encode()[d.start : d.end] == b"<d></d>"
    assert [element.tag for element in text.root.all("c")] == ["c"]


def test_numbers_are_replaced_where_they_stand(text):
    a = text.root.child("a")
    text.set_numbers(a, {"x": [1.0, 2.5], "z": [3.0], "new": [0.1]})
    assert text.result().decode() == TEXT.replace("'1 2'", "'1.0 2.5'").replace('z="3"/>', 'z="3" new="0.1"/>')


def test_an_attribute_over_several_lines(text):
    text.set_numbers(next(text.root.all("c")), {"k": [5.0], "m": [1.0]})
    assert text.result().decode() == TEXT.replace('k="4"\n', 'k="5.0" m="1.0"\n')


def test_rounding_is_no_change(text):
    text.set_numbers(text.root.child("a"), {"x": [1.0 + 1e-15, 2.0]}, rounding=1e-14)
    assert text.result().decode() == TEXT


def test_a_child_is_added_with_the_indent_of_the_others(text):
    text.add_first(text.root, ["<new>", "  <in/>", "</new>"])
    assert text.result().decode() == TEXT.replace("<root>\n", "<root>\n  <new>\n    <in/>\n  </new>\n")


def test_a_child_of_an_empty_element(text):
    text.add_first(text.root.child("a"), ["<new/>"])
    text.add_first(text.root.child("d"), ["<new/>"])
    opened = '<a x = \'1 2\' y="a > b"  z="3">\n    <new/>\n  </a>'
    assert text.result().decode() == TEXT.replace('<a x = \'1 2\' y="a > b"  z="3"/>', opened).replace("<d></d>", "<d>\n    <new/>\n  </d>")


def test_an_element_goes_with_its_line(text):
    text.remove(text.root.child("a"))
    text.remove(next(text.root.all("c")))
    assert text.result().decode() == TEXT.replace('  <a x = \'1 2\' y="a > b"  z="3"/>\n', "").replace('<c\n     k="4"\n  />', "")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('<?p <!-- ?>\n<!DOCTYPE robot [<!ENTITY a SYSTEM "file:///etc/hostname">]>\n<robot name="&a;"/>', 2),
        ('\n\n<?xml version="1.0"?>\n<!DOCTYPE robot>\n<robot/>', 4),
    ],
)
def test_a_document_type_is_refused_wherever_it_hides(text, line):
    with raises(FileError, "DOCTYPE", "ENTITY", place=f"line {line}"):
        parse_xml("arm.urdf", text)


def test_words_that_look_like_a_document_type_are_text():
    assert (
        parse_xml("arm.urdf", "<robot><!-- <!DOCTYPE a> --><note><![CDATA[<!DOCTYPE b>]]></note></robot>").findtext("note")
        == "<!DOCTYPE b>"
    )


def test_a_comment_can_not_be_ended_from_inside():
    assert comment_text(["a --> b", "c---"]) == "<!-- a -> b c -->"


def test_a_new_element_in_lines_and_in_one():
    body = element("body", element("joint", name='a"<b', axis=np.array([0.0, -0.0, 1.0])), "<geom/>", name="x", size=0.1)
    assert body.lines() == ['<body name="x" size="0.1">', """  <joint name='a"&lt;b' axis="0.0 0.0 1.0"/>""", "  <geom/>", "</body>"]
    assert str(body) == "".join(line.strip() for line in body.lines())
    assert parse_xml("x", str(body))[0].get("name") == 'a"<b'
