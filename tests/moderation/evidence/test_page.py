"""What a page asks for and offers, however it is written; two fetches of one page, told from two pages."""

import time
from typing import Any

import pytest

from moderation.evidence import likeness, page
from moderation.evidence.facts import PageFacts

URL = "https://site.example/a/b"


def read(html: str) -> PageFacts:
    return page.read(f"<p>Hello{html}".encode(), {"url": URL, "content_type": "text/html"})


class TestForms:
    @pytest.mark.parametrize(
        "html",
        [
            "<base href='https://takes.example/x/'><form action=in><input type=password></form>",
            "<form><input type=password><button formaction='//takes.example/in'>Go</button></form>",
            "<form action=/in><input type=password><input type=image formaction=//takes.example></form>",
            "<form id=f action='//takes.example'></form><input form=f type=Password>",
            "<input form=f type=password><button form=f formaction=//takes.example></button><form id=f>",
        ],
    )
    def test_a_password_that_goes_elsewhere_is_seen(self, html: str) -> None:
        [form] = read(html).forms

        assert (form.action_host, form.posts_elsewhere, form.asks_password) == ("takes.example", True, True)

    @pytest.mark.parametrize(
        "html",
        [
            "<form><input type=password><button formaction=/in formmethod=post></button></form>",
            "<base href=/elsewhere/><form action=in><input type=password></form>",
            "<base target=_blank><form action=in><input type=password></form>",
            "<base href='javascript:x()'><form action=in><input type=password></form>",
            "<form action='javascript:x()'><input type=password></form>",
        ],
    )
    def test_one_that_stays_does_not(self, html: str) -> None:
        [form] = read(html).forms

        assert (form.posts_elsewhere, form.asks_password) == (False, True)


class TestDownloads:
    @pytest.mark.parametrize(
        ("html", "url", "name"),
        [
            ("<a href=/x.exe?a=1>", "https://site.example/x.exe?a=1", "x.exe"),
            ("<a href=/get download=Invoice.zip>", "https://site.example/get", "Invoice.zip"),
            ("<area href=app.APK>", "https://site.example/a/app.APK", "app.APK"),
            ("<base href=//files.example><a href=app.apk>", "https://files.example/app.apk", "app.apk"),
            ("<a download='Invoice.zip' href='data:application/zip;base64,AAAA'>", "", "Invoice.zip"),
            ("<a download href='BLOB:https://site.example/1'>", "", "file"),
        ],
    )
    def test_are_named(self, html: str, url: str, name: str) -> None:
        [file] = read(html).downloads

        assert (file.url, file.name) == (url, name)

    def test_none_is_seen_in_a_picture_or_a_script(self) -> None:
        assert not read("<a href='data:image/png;base64,AA'><a download href='javascript:x()'>").downloads


@pytest.mark.parametrize(
    ("content", "url"),
    [
        ("0;url=/there", "https://site.example/there"),
        ("0; URL = '/there' and more", "https://site.example/there"),
        (" .5 , /there", "https://site.example/there"),
        ("0 /there", "https://site.example/there"),
        ("10;//other.example", "https://other.example/"),
        ("11;/there", ""),
        ("0;url=", ""),
        ("0", ""),
        ("/there", ""),
        ("0;javascript:x()", ""),
        (f"0;url={URL}", ""),
        ("0" + " " * 200_000 + "x", "https://site.example/a/x"),
    ],
)
def test_a_page_sends_a_browser_on_at_once(content: str, url: str) -> None:
    began = time.process_time()

    assert read(f'<meta http-equiv=Refresh content="{content}">').refresh_url == url
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "html",
    [
        "<meta property=og:image content=/p.png><meta name=twitter:image content=/t.png>",
        "<meta property=og:image:url content=/p.png>",
        "<meta property=og:image content='data:x'><meta property=og:image:secure_url content=/p.png>",
        "<meta name=twitter:image content=/p.png>",
        "<base href=/><meta name=twitter:image:src content=p.png>",
    ],
)
def test_the_preview_picture_is_found_where_platforms_look(html: str) -> None:
    assert read(html).preview_url == "https://site.example/p.png"


class TestEncoding:
    @pytest.mark.parametrize(
        ("label", "data", "text"),
        [
            ("utf-8", "Käse".encode(), "Käse"),
            ("latin1", b"K\xe4se \x80", "Käse €"),
            ("windows-1251", "Привет".encode("cp1251"), "Привет"),
            ("Shift_JIS", "日本".encode("cp932"), "日本"),
            ("gb2312", "你好".encode("gbk"), "你好"),
            ("euc-kr", "한국".encode("euc_kr"), "한국"),
            ("rot13", b"Hello", "Hello"),
            ("utf-7", b"+ADw-b", "+ADw-b"),
            ("unicode_escape", b"\\x41", "\\x41"),
            ("no-such-thing", b"Hello", "Hello"),
        ],
    )
    def test_is_one_that_browsers_know(self, label: str, data: bytes, text: str) -> None:
        hints = {"url": URL, "content_type": f"text/html; charset={label}"}

        assert page.read(b"<p>" + data, hints).text == text

    def test_of_a_site_that_names_a_slow_one_takes_no_time(self) -> None:
        data = b"<html><body>-" + b"zzz9a" * 199_000
        began = time.process_time()

        page.read(data, {"url": URL, "content_type": "text/html; charset=punycode"})

        assert time.process_time() - began < 5


NEWS = (
    "The council has decided to repair the old bridge over the river next summer. Engineers had found rust "
    "in eleven of its pillars, and lorries have been sent another way since. The work will take five months "
    "and cost about two million, of which the county pays half. Shops in the lower town fear for customers."
)
PILLS = (
    "Buy cheap pills without a prescription today, shipped in a plain envelope to your home. Our pharmacy "
    "offers the best price online, pay with card or crypto, discount for returning customers, bonus tablets "
    "with every order, discreet and fast, ask our doctors by chat at any time of the day or night."
)
THAI = "เทศบาลตัดสินใจซ่อมสะพานเก่าข้ามแม่น้ำในฤดูร้อนหน้า วิศวกรพบสนิมในเสาสิบเอ็ดต้น"
THAI_OTHER = "ซื้อยาราคาถูกโดยไม่ต้องใช้ใบสั่งแพทย์วันนี้ ส่งถึงบ้านในซองธรรมดา โปรโมชั่นพิเศษ"
HAN = "市议会决定明年夏天修复河上的旧桥。工程师在十一根柱子中发现了锈迹,卡车已改道行驶。"
HAN_OTHER = "今天无需处方即可购买便宜药品,用普通信封送货上门。我们的网上药店价格最优惠。"
LOGIN = [{"asks_password": True}]


def page_of(text: str, **more: Any) -> dict[str, Any]:
    return {"title": "", "text": text, **more}


class TestLikeness:
    @pytest.mark.parametrize(
        ("one", "other", "found"),
        [
            (page_of(NEWS), page_of(NEWS), False),
            (page_of(NEWS), page_of(f"Accept all cookies? 17:42 {NEWS} Most read: storm, cup, taxes"), False),
            (page_of(NEWS), page_of(NEWS.replace("bridge", "tunnel").replace("eleven", "twelve")), False),
            (page_of(NEWS), page_of(" ".join(reversed(NEWS.split()))), False),
            (page_of(NEWS), page_of(PILLS), True),
            (page_of(NEWS, title="Town news"), page_of(PILLS, title="Town news"), True),
            (page_of(NEWS), page_of(NEWS, forms=LOGIN), True),
            (page_of(NEWS, forms=LOGIN), page_of(NEWS, forms=LOGIN), False),
            (page_of(THAI), page_of(THAI + " 12:30"), False),
            (page_of(THAI), page_of(THAI_OTHER), True),
            (page_of(HAN), page_of(HAN), False),
            (page_of(HAN), page_of(HAN_OTHER), True),
            (page_of(NEWS), page_of("Just a moment"), None),
            (page_of(""), page_of(""), None),
            ({}, {"title": None, "text": None, "forms": None}, None),
        ],
    )
    def test_tells_another_page_from_a_changed_one(
        self, one: dict[str, Any], other: dict[str, Any], found: bool | None
    ) -> None:
        assert likeness.differ(one, other) is likeness.differ(other, one) is found

    @pytest.mark.parametrize(
        ("title", "description", "found"),
        [
            ("Council repairs the old bridge", "Engineers found rust in eleven pillars", False),
            ("Kittens of the week", "Twelve photographs that will make you smile", True),
            ("News", "", None),
        ],
    )
    def test_tells_a_page_that_is_not_what_its_preview_says(
        self, title: str, description: str, found: bool | None
    ) -> None:
        preview = {"open_graph": {"og:title": title, "og:description": description}}

        assert likeness.differs_from_preview(page_of(NEWS), preview=preview) is found
        assert likeness.differs_from_preview(page_of("Loading"), preview=preview) is None

    def test_reads_no_more_words_than_it_must(self) -> None:
        long = page_of(" ".join(f"word{number}" for number in range(500_000)))

        assert likeness.differ(long, long) is False
