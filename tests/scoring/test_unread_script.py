"""Which posts are in a script that the content model does not read, and what becomes of them."""

import json
import shutil
from pathlib import Path

import pytest

from scoring import counterfactual
from scoring.blocklist import Blocklist
from scoring.pipeline import Scorer
from scoring.records import PostRecord
from scoring.release import MANIFEST, Release
from scoring.routing import NO_OPINION, ReviewReason, Route
from scoring.unread_script import in_release, unread
from tests.scoring.platform_posts import LIVE, PLATFORM, decisions, with_head
from tests.scoring.random_records import FakeContent, record
from tests.scoring.starter import STARTER
from training import served_content
from training.served_content import SHIPPED

LATIN = {"LATIN"}
GEORGIAN = "გამარჯობა, დღეს კარგი ამინდია"
THAI = "สวัสดีครับ วันนี้อากาศดีมาก"


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """The shipped release, as if its model held Latin words alone."""
    folder = tmp_path_factory.mktemp("latin") / "release"
    shutil.copytree(STARTER, folder)
    manifest = json.loads((folder / MANIFEST).read_text())
    manifest["content"]["scripts"] = sorted(LATIN)
    (folder / MANIFEST).write_text(json.dumps(manifest))
    return Release.load(folder)


def in_thai(*, content: float, **parts: object) -> PostRecord:
    """A Thai post of which FakeContent says this probability."""
    return record(text=f"{THAI} {content}", **parts)


def routed(release: Release, post: PostRecord, *, rules: Blocklist | None = None) -> tuple[Route, str | None]:
    scored = Scorer(release=release, content=FakeContent()).score(post, blocklist=rules or Blocklist())
    return scored.routing.route, scored.routing.reason


class TestUnread:
    @pytest.mark.parametrize(
        ("text", "script"),
        [
            (THAI, "THAI"),
            ("मुफ्त में पैसे जीतने के लिए यहाँ कॉल करें", "DEVANAGARI"),
            ("Жми сюда и забери свой выигрыш", "CYRILLIC"),
            ("恭喜您中奖了，请立即点击领取", "HAN"),
            ("おめでとうございます、すぐにクリックしてください", "HIRAGANA"),
            ("축하합니다 지금 바로 클릭하세요", "HANGUL"),
            ("اربح المال مجانا الآن", "ARABIC"),
            ("Κερδίστε χρήματα δωρεάν τώρα", "GREEK"),
            ("זכית בפרס גדול", "HEBREW"),
            (f"{THAI} https://www.example.com/a/very/long/latin/path?with=parameters&and=more", "THAI"),
            ("รับโค้ดส่วนลดhttps://bit.ly/abcdefghijklmnopqrstuvwxyzกดที่นี่ได้เลย", "THAI"),
            (f"{THAI} @somchai_the_great @another_latin_name", "THAI"),
            ("#โปรโมชั่น #ลดราคา #sale", "THAI"),
            ("iPhone ราคาพิเศษ วันนี้เท่านั้น", "THAI"),
            (f"{THAI} " + "and a long English tail that is never read " * 40, None),
            (f"{THAI} {'สวัสดี ' * 100}" + "and a long English tail that is never read " * 40, "THAI"),
        ],
    )  # fmt: skip
    def test_names_the_script(self, text: str, script: str | None) -> None:
        assert unread(text, read=LATIN, share_from=0.3) == script

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "Shall we meet at six?",
            "12345 67890",
            "🎉🎉🎉 🔥🔥",
            "https://example.com/สวัสดี and a normal sentence about nothing in particular",
            "Chúc mừng bạn đã trúng thưởng, bấm vào đây",
            "Zażółć gęślą jaźń, wygraj nagrodę",
            "Ücretsiz bonus kazanmak için şimdi tıklayın",
            "Größe und Maß, für höchste Ansprüche",
            "сlісk hеrе fоr frее mоnеу",
            "𝐅𝐑𝐄𝐄 𝓜𝓸𝓷𝓮𝔂 ｆｒｅｅ",
            "v1agra fr33 m0ney",
            "Greetings from Москва, it is cold but lovely here this winter",
            "PSY - GANGNAM STYLE (강남스타일) M/V",
            "free cash\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164",
        ],
    )
    def test_is_silent_of_what_is_read(self, text: str) -> None:
        assert unread(text, read=LATIN, share_from=0.3) is None

    def test_a_script_that_is_read_counts_as_such(self) -> None:
        assert unread(THAI, read={"LATIN", "THAI"}, share_from=0.3) is None
        assert unread(f"{THAI} выигрыш", read={"LATIN", "THAI"}, share_from=0.1) == "CYRILLIC"

    def test_names_the_commonest_of_several(self) -> None:
        assert unread("выигрыш казино бонус " + THAI[:5], read=LATIN, share_from=0.3) == "CYRILLIC"

    def test_the_release_says_from_which_share(self) -> None:
        mixed = "hello there my friend, สวัสดี"

        assert unread(mixed, read=LATIN, share_from=0.1) == "THAI"
        assert unread(mixed, read=LATIN, share_from=0.5) is None


class TestInRelease:
    def test_is_off_where_a_release_does_not_say_what_it_reads(self, release: Release) -> None:
        for part, name in (("safety", "unread_from"), ("content", "scripts")):
            said = {key: value for key, value in release.manifest[part].items() if key != name}
            older = {**release.manifest, part: said}

            assert in_release(THAI, platform="any", manifest=older) is None
        assert in_release(THAI, platform="any", manifest=release.manifest) == "THAI"

    def test_the_shipped_release_says_what_its_vocabulary_holds(self) -> None:
        found = served_content.scripts_read(SHIPPED / "tokenizer" / "1" / "tokenizer.json")

        assert tuple(LIVE.content.scripts) == found
        assert {"LATIN", "CYRILLIC", "HAN", "HIRAGANA", "KATAKANA", "THAI"} <= {*found}
        assert in_release(GEORGIAN, platform="any", manifest=LIVE.manifest) == "GEORGIAN"


class TestRoute:
    @pytest.mark.parametrize("content", [0.001, 0.03, 0.5, 0.999])
    def test_is_for_a_human_whatever_the_models_say(self, release: Release, content: float) -> None:
        assert routed(release, in_thai(content=content)) == (Route.REVIEW, ReviewReason.UNREAD_SCRIPT)

    def test_the_same_probability_in_a_script_that_is_read_acts(self, release: Release) -> None:
        assert routed(release, record(text="hello 0.001"))[0] is Route.ALLOW
        assert routed(release, record(text="hello 0.999"))[0] is Route.REMOVE

    def test_stands_in_the_queue_by_its_reach_alone(self, release: Release) -> None:
        scorer = Scorer(release=release, content=FakeContent())

        harms = {
            scorer.score(in_thai(content=content), blocklist=Blocklist()).expected_harm
            for content in (0.01, 0.99)
        }

        assert harms == {NO_OPINION}

    def test_no_change_of_a_fact_is_said_to_alter_it(self, release: Release) -> None:
        scorer = Scorer(release=release, content=FakeContent())
        post = in_thai(content=0.07)

        found = counterfactual.find(
            post, scorer=scorer, content_probability=0.07, words=[(0, len("สวัสดีครับ"))]
        )

        assert scorer.routes([post], content_probabilities=FakeContent().probabilities([post.text])) == [
            Route.REVIEW
        ]
        assert found is None


class TestHeads:
    @pytest.fixture(scope="class")
    def headed(self, release: Release, tmp_path_factory: pytest.TempPathFactory) -> Release:
        """The shipped release with a head from decisions in Cyrillic."""
        return with_head(decisions(120), out=tmp_path_factory.mktemp("release"), base=release)

    def test_reads_the_script_that_it_was_fitted_on(self, headed: Release) -> None:
        spam, honest = (
            record(text=f"{text} 0.5", platform=PLATFORM)
            for text in ("казино бонус выигрыш гарантия", "завтра обед мама поезд")
        )
        scorer = Scorer(release=headed, content=FakeContent())

        reasons = {scorer.score(one, blocklist=Blocklist()).routing.reason for one in (spam, honest)}

        assert ReviewReason.UNREAD_SCRIPT not in reasons

    def test_reads_no_script_that_it_never_saw(self, headed: Release) -> None:
        post = in_thai(content=0.01, platform=PLATFORM)

        assert routed(headed, post) == (Route.REVIEW, ReviewReason.UNREAD_SCRIPT)

    def test_reads_nothing_for_another_platform(self, headed: Release) -> None:
        post = record(text="казино бонус 0.01", platform="elsewhere")

        assert routed(headed, post) == (Route.REVIEW, ReviewReason.UNREAD_SCRIPT)

    def test_one_from_before_scripts_were_noted_reads_none(self, headed: Release, tmp_path: Path) -> None:
        manifest = json.loads((headed.folder / MANIFEST).read_text())
        del manifest["heads"][PLATFORM]["scripts"]

        found = in_release("казино бонус", platform=PLATFORM, manifest=manifest)

        assert found == "CYRILLIC"
