"""Links in a text, read as a browser reads them."""

import time

import pytest

from scoring.links import MAX_LINKS, LinkParts, links_in, registrable_domain


class TestLinksIn:
    @pytest.mark.parametrize(
        ("text", "url", "host"),
        [
            ("see https://Shop.Example/Deal?x=1.", "https://shop.example/Deal?x=1", "shop.example"),
            (
                "(https://en.wikipedia.org/wiki/A_(b))",
                "https://en.wikipedia.org/wiki/A_(b)",
                "en.wikipedia.org",
            ),
            ("www.foo.co.uk!", "http://www.foo.co.uk/", "www.foo.co.uk"),
            ("visit free-pills.example/abc now", "http://free-pills.example/abc", "free-pills.example"),
            ("at john.github.io", "http://john.github.io/", "john.github.io"),
            ("HTTP://BIG.COM", "http://big.com/", "big.com"),
            # What browsers forgive and filters miss.
            ("http://0x7f.1/x", "http://127.0.0.1/x", "127.0.0.1"),
            ("http://2130706433/", "http://127.0.0.1/", "127.0.0.1"),
            ("http://[::1]/", "http://[::1]/", "[::1]"),
            (r"https:\\evil.com\x", "https://evil.com/x", "evil.com"),
            ("https:evil.com", "https://evil.com/", "evil.com"),
            ("https://bank.com@evil.example/login", "https://bank.com@evil.example/login", "evil.example"),
            ("http://evil.com./x", "http://evil.com./x", "evil.com"),
            # Letters that are not what they seem.
            ("ｅｖｉｌ．ｃｏｍ/x", "http://evil.com/x", "evil.com"),
            ("http://ﬀ.com", "http://ff.com/", "ff.com"),
            ("http://аррӏе.com", "http://xn--80ak6aa92e.com/", "xn--80ak6aa92e.com"),
            ("evil\u200b.com", "http://evil.com/", "evil.com"),
            ("ev\u00adil.com", "http://evil.com/", "evil.com"),
            # Defanged.
            ("hxxp://bad[.]example/a", "http://bad.example/a", "bad.example"),
            ("hxxps://bad[.]com", "https://bad.com/", "bad.com"),
            ("bad (dot) com", "http://bad.com/", "bad.com"),
            ("bad dot com slash", "http://bad.com/", "bad.com"),
            ("http[:]//bad{.}com", "http://bad.com/", "bad.com"),
        ],
    )
    def test_reads_like_a_browser(self, text: str, url: str, host: str) -> None:
        assert links_in(text) == (LinkParts(url=url, host=host, domain=registrable_domain(host)),)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "no link at all",
            "mail bob.smith@mail.com",
            "Thanks.It was end.Me",
            "1.it is about us 2.in short",
            "version 1.2.3, e.g. 3.14 and report.pdf",
            "connect the dot there",
            "你好。世界",
            "javascript:alert(1)",
            "http://",
            "https://%%%/",
            "http://./x http://%2e/",
            pytest.param(f"http://{'a' * 246}.example/ https://{'a.' * 200}example/", id="no name of DNS"),
        ],
    )
    def test_finds_none(self, text: str) -> None:
        assert links_in(text) == ()

    def test_keeps_order_and_drops_repeats_with_the_platforms_own_first(self) -> None:
        links = links_in(
            "b.example then http://a.example/ then http://b.example/",
            extra=["https://sent.example/x", "c.example"],
        )

        assert [link.host for link in links] == ["sent.example", "c.example", "b.example", "a.example"]

    def test_the_longest_name_of_dns_is_a_host(self) -> None:
        host = f"{'a.' * 123}example"

        assert [link.host for link in links_in(f"http://{host}/")] == [host]

    def test_stops_at_the_limit(self) -> None:
        text = " ".join(f"http://h{index}.example/" for index in range(10_000))

        links = links_in(text)

        assert len(links) == MAX_LINKS
        assert links[-1].host == "h99.example"

    @pytest.mark.parametrize(
        "text",
        [
            "http://h.example/p " * 10_000,
            "a." * 250_000,
            "a" * 500_000,
            "http:" + "a." * 250_000,
            "word dot " * 50_000,
            "[" * 200_000,
            ("http://a.com" + ")" * 3_000 + " ") * 160,
            ")" * 100_000 + "http://a.com" + ")" * 300_000,
        ],
        ids=range(8),
    )
    def test_hostile_text_takes_bounded_time(self, text: str) -> None:
        started = time.process_time()

        links = links_in(text)

        assert len(links) <= 1
        assert time.process_time() - started < 2.0


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.example.com", "example.com"), ("a.b.example.co.uk", "example.co.uk"),
        ("john.github.io", "john.github.io"), ("shop.blogspot.com", "shop.blogspot.com"),
        ("WWW.Example.COM.", "example.com"), ("deep.shop.example", "shop.example"), ("localhost", ""),
        ("10.1.2.3", ""), ("[2001:db8::1]", ""), ("com", ""),
    ],
)  # fmt: skip
def test_registrable_domain_follows_the_public_suffix_list(host: str, domain: str) -> None:
    assert registrable_domain(host) == domain
