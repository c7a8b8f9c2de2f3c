"""Promise: what is not the public internet is never called, whatever Python's own lists say.

Only the decision is asked here; nothing is contacted.
"""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from moderation.models import Platform, User, WebhookEndpoint
from moderation.operations.infrastructure import egress
from moderation.operations.infrastructure.special_addresses import special_use
from tests.moderation.api.answers import bad_fields
from tests.moderation.api.conftest import client_with

SPECIAL = """
0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255 127.0.0.1
127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255
192.0.0.0 192.0.0.9 192.0.0.10 192.0.0.170 192.0.0.192 192.0.0.255 192.0.2.1 192.31.196.1 192.52.193.1
192.88.99.1 192.168.0.0 192.168.255.255 192.175.48.1 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.1
224.0.0.0 233.252.0.1 239.255.255.255 240.0.0.0 255.255.255.254 255.255.255.255 :: ::1 ::2 ::7f00:1
::5db8:d70e ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:192.0.0.192 ::ffff:0:127.0.0.1 ::ffff:0:93.184.215.14
64:ff9b::127.0.0.1 64:ff9b::10.0.0.1 64:ff9b::169.254.169.254 64:ff9b::192.0.0.192 64:ff9b:1::
64:ff9b:1::7f00:1 64:ff9b:1:ffff:ffff:ffff:ffff:ffff 64:ff9b:2:: 100:: 100::1 100:0:0:1::1 200::1 400::1
1000::1 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:: 2001:0:7f00:1::1 2001:1::1 2001:1::2 2001:1::3
2001:2::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:2f:ffff::1 2001:30::1 2001:1ff:ffff::1
2001:db8::1 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 2002:: 2002:7f00:1:: 2002:5db8:d70e::1 2620:4f:8000::1
3ffe::1 3fff::1 3fff:fff:ffff::1 4000:: 5f00::1 5f00:ffff:: 8000::1 fc00:: fd00:ec2::254 fd20:ce::254
fdff:ffff:: fe00:: fe80::1 fe80::1%eth0 febf:ffff:: fec0:: fec0::1 feff:ffff:: ff02::1
ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2600::5efe:7f00:1 2600::200:5efe:a00:1
""".split()  # noqa: SIM905 - a table without a hundred quotes
PUBLIC = """
1.0.0.0 1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 93.184.215.14 100.63.255.255 100.128.0.0 126.255.255.255
128.0.0.0 168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0
191.255.255.255 192.0.1.0 192.0.3.0 192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255
198.20.0.0 203.0.112.255 203.0.114.0 223.255.255.255 ::ffff:93.184.215.14 64:ff9b::93.184.215.14
2001:200:: 2001:4860:4860::8888 2001:db7:ffff:: 2001:db9:: 2003::1 2600::
2606:2800:21f:cb07:6820:80da:af6b:8b2c 2a00:1450:4001::1 3fff:1000::1
""".split()  # noqa: SIM905 - a table without a hundred quotes
GIVEN = [
    "http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0x7f.1/",
    "http://017700000001/", "http://0177.0.0.1/", "http://127.0.0.1./", "http://127。0。0。1/",
    "http://１２７.0.0.1/", "http://%31%32%37.0.0.1/", "http://0/", "http://0x/", "http://1.2.3.4.5/",
    "http://256.1.1.1/", "http://receiver.1/", "https://169.254.169.254/", "https://192.0.0.192/",
    "https://10.1/", "https://[::1]/", "https://[::ffff:7f00:1]/", "https://[64:ff9b:1::1]/",
    "https://[fec0::1]/", "https://[fe80::1%25eth0]/", "https://[fd00:ec2::254]/", "https://localhost/",
    "https://LOCALHOST./", "https://desk.localhost/", "https://receiver.example:22/",
    "https://receiver.example:6379/", "https://user:password@receiver.example/",
    "https://receiver.example@127.0.0.1/", "ftp://receiver.example/", "gopher://receiver.example/",
    "file:///etc/passwd", "//receiver.example/", "http:///", "receiver", "not a url",
]  # fmt: skip


@pytest.fixture
def nothing_listed(settings: Settings) -> None:
    settings.EGRESS_PRIVATE_HOSTS = ()


def test_the_table_has_no_address_on_both_sides() -> None:
    parsed = [ip_address(text.split("%")[0]) for text in (*SPECIAL, *PUBLIC)]
    assert len(set(parsed)) >= len(parsed) - 1  # fe80::1 stands with and without its zone


class TestTable:
    @pytest.mark.parametrize("address", SPECIAL)
    def test_refuses(self, address: str) -> None:
        assert special_use(address)

    @pytest.mark.parametrize("address", PUBLIC)
    def test_lets_the_internet_pass(self, address: str) -> None:
        assert special_use(address) is None

    @pytest.mark.parametrize("text", ["", "example.com", "127.1", "0x7f000001", "1.2.3.4/8", "::g"])
    def test_knows_no_names(self, text: str) -> None:
        with pytest.raises(ValueError, match="does not appear"):
            special_use(text)


class TestProperties:
    @given(st.ip_addresses(v=4))
    def test_what_is_refused_stays_so_inside_ipv6(self, address: IPv4Address) -> None:
        number = int(address)
        forms = [
            number,  # IPv4-compatible
            0xFFFF << 32 | number,  # mapped
            0xFFFF << 48 | number,  # translated
            0x0064_FF9B << 96 | number,  # NAT64
            0x0064_FF9B_0001 << 80 | number,
            0x0064_FF9B_0001 << 80 | (number >> 16) << 64 | (number & 0xFFFF) << 40,  # RFC 6052, length 48
            0x2002 << 112 | number << 80,  # 6to4
            0x2001_0000 << 96 | number << 64,  # Teredo's server
            0x2001_0000 << 96 | number ^ 0xFFFF_FFFF,  # Teredo's client
            0x2600 << 112 | 0x5EFE << 32 | number,  # ISATAP
            0x2600 << 112 | 0x0200_5EFE << 32 | number,
        ]

        if special_use(str(address)):
            assert all(special_use(str(IPv6Address(form))) for form in forms)

    @given(st.ip_addresses())
    def test_is_never_milder_than_python(self, address: IPv4Address | IPv6Address) -> None:
        if not address.is_global or address.is_multicast:
            mapped = isinstance(address, IPv6Address) and address.ipv4_mapped
            assert special_use(str(address)) or (mapped and not special_use(str(mapped)))

    @given(st.ip_addresses(v=6))
    def test_only_global_unicast_passes(self, address: IPv6Address) -> None:
        if special_use(str(address)) is None:
            carries = int(address) >> 32 in (0xFFFF, 0x0064_FF9B << 64)
            assert carries or address in IPv6Network("2000::/3")


@pytest.mark.usefixtures("nothing_listed")
class TestGiven:
    """A literal address is refused when somebody gives it, with the field and the reason."""

    @pytest.mark.parametrize("url", GIVEN)
    def test_is_refused_by_its_words_alone(self, url: str) -> None:
        with pytest.raises(egress.Refused):
            egress.check(url)

    @pytest.mark.parametrize(
        "url",
        ["https://receiver.example/in", "http://93.184.215.14/", "https://[2600::1]:8443/", "https://bücher.example/",
         "https://my_host.example/", "https://1password.example/", "https://receiver.example./"],
    )  # fmt: skip
    def test_the_rest_may_be_given(self, url: str) -> None:
        egress.check(url)

    def test_the_operator_may_list_a_private_host(self, settings: Settings) -> None:
        with pytest.raises(egress.Refused, match="not a public address"):
            egress.check("http://10.0.0.7:9999/")
        settings.EGRESS_PRIVATE_HOSTS = ("10.0.0.7",)

        egress.check("http://10.0.0.7:9999/")

    @pytest.mark.django_db
    def test_by_the_api_with_field_and_reason(self, secret: str) -> None:
        api = client_with(secret)

        for url in ("https://127.0.0.1/", *GIVEN):
            answer = api.post("/api/v1/webhook-endpoints", {"url": url})
            assert bad_fields(answer) == {"/url": "forbidden_address"}, url
            [error] = answer.json()["errors"]
            assert url != "https://127.0.0.1/" or "127.0.0.1" in error["detail"]
        assert not WebhookEndpoint.objects.exists()

    @pytest.mark.django_db
    def test_by_the_desk(self, client: Client, platform: Platform) -> None:
        client.force_login(User.objects.create_user("admin", password="x", role="admin"))

        for url in ("https://192.0.0.192/", "https://10.1/", "https://receiver.example:22/"):
            answer = client.post(f"/platforms/{platform.pk}/endpoints/", {"url": url})
            assert answer.status_code == 422
            assert answer.context["endpoint_form"].errors["url"], url
        assert not WebhookEndpoint.objects.exists()
