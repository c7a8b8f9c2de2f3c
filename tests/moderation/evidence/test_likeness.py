"""Two fetches of one page are told from two pages, in any script, and a page from its preview."""

from __future__ import annotations

from typing import Any

import pytest

from moderation.evidence import likeness

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


def page(text: str, **more: Any) -> dict[str, Any]:
    return {"title": "", "text": text, **more}


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (page(NEWS), page(NEWS), False),
        (page(NEWS), page(f"Cookies help us. Accept all? 17:42 {NEWS} Most read: storm, cup, taxes"), False),
        (page(NEWS), page(NEWS.replace("bridge", "tunnel").replace("eleven", "twelve")), False),
        (page(NEWS), page(" ".join(reversed(NEWS.split()))), False),
        (page(NEWS), page(PILLS), True),
        (page(NEWS, title="Town news"), page(PILLS, title="Town news"), True),
        (page(NEWS), page(NEWS, forms=LOGIN), True),
        (page(NEWS, forms=LOGIN), page(NEWS, forms=LOGIN), False),
        (page(THAI), page(THAI + " 12:30"), False),
        (page(THAI), page(THAI_OTHER), True),
        (page(HAN), page(HAN), False),
        (page(HAN), page(HAN_OTHER), True),
        (page(NEWS), page("Just a moment"), None),
        (page(""), page(""), None),
        ({}, {"title": None, "text": None, "forms": None}, None),
    ],
)
def test_tells_another_page_from_a_changed_one(
    one: dict[str, Any], other: dict[str, Any], found: bool | None
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
    title: str, description: str, found: bool | None
) -> None:
    preview = {"open_graph": {"og:title": title, "og:description": description}}

    assert likeness.differs_from_preview(page(NEWS), preview=preview) is found
    assert likeness.differs_from_preview(page("Loading"), preview=preview) is None


def test_reads_no_more_words_than_it_must() -> None:
    long = page(" ".join(f"word{number}" for number in range(500_000)))

    assert likeness.differ(long, long) is False
