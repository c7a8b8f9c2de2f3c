import pytest

from integrations import text

DEEP = "<b>" * 300 + "Buy <a href='https://pills.example/'>pills</a>"


class TestFromHtml:
    @pytest.mark.parametrize(
        ("source", "said", "links"),
        [
            ("<p>One<br>two</p><p>three</p>", "One\ntwo\n\nthree", ()),
            ('See <a href="https://a.example/x">this</a>', "See this", ("https://a.example/x",)),
            ('<a class="mention" href="https://a.example/@b">@b</a>', "@b", ()),
            ("<a href='javascript:alert(1)'>a</a> <a href='/here'>b</a>", "a b", ()),
            ("<p>Hi</p><script>alert(1)</script><style>p{}</style>", "Hi", ()),
            ("<p>a\ud800b\0c</p>", "a?bc", ()),
            (DEEP, "Buy  pills", ("https://pills.example/",)),
            ("", "", ()),
        ],
    )
    def test_reads(self, source: str, said: str, links: tuple[str, ...]) -> None:
        read = text.from_html(source, leaves_out=("mention",))

        assert read == text.Text(text=said, links=links)

    def test_cuts_what_is_long(self) -> None:
        read = text.from_html("<p>word</p>" * 200_000)

        assert len(read.text) == text.MOST_CHARACTERS


@pytest.mark.parametrize("source", [">" * 60 + "pills", "- " * 40 + "pills", "[pills](https://a.example)"])
def test_markdown_keeps_its_words(source: str) -> None:
    assert "pills" in text.from_markdown(source).text
