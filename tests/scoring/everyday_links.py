"""Forty links as people share them, written by hand: none may be called written like phishing or malware.

Never used in training; scoring/training/everyday_urls.py writes links of such kinds by pattern, not these.
"""

EVERYDAY_LINKS = (
    # News
    "https://www.theguardian.com/environment/2026/oct/14/rivers-recover-faster-than-expected-study-finds",
    "https://www.tagesschau.de/inland/gesellschaft/ehrenamt-feuerwehr-nachwuchs-104.html",
    "https://elpais.com/cultura/2026-09-30/el-museo-del-prado-abre-una-sala-nueva.html?outputType=amp",
    "https://www.bbc.co.uk/news/articles/c4gvrx1q9w7o",
    # Encyclopedias
    "https://en.wikipedia.org/wiki/Bicycle_and_motorcycle_dynamics#Balance",
    "https://de.m.wikipedia.org/wiki/Stra%C3%9Fenbahn_M%C3%BCnchen",
    "https://ja.wikipedia.org/wiki/%E5%AF%8C%E5%A3%AB%E5%B1%B1",
    "https://ar.wikipedia.org/wiki/%D8%A7%D9%84%D9%82%D8%A7%D9%87%D8%B1%D8%A9",
    # Shops, with ids and tracking
    "https://www.amazon.de/dp/B0CX23V2ZK/ref=cm_sw_r_apan_dp_7Q2M9Z?psc=1&language=en_GB",
    "https://www.ebay.co.uk/itm/296871234509?hash=item451f&var=0&mkevt=1&mkcid=1",
    "https://www.etsy.com/listing/1530478291/handmade-linen-apron?click_key=8a7f&ref=shop_home_active_4",
    "https://www.ikea.com/gb/en/p/billy-bookcase-white-00263850/",
    # Video and music
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s",
    "https://youtu.be/9bZkp7q19f0?si=Lk3vB8sQw2xR7tYp",
    "https://open.spotify.com/track/4cOdK2wGLETKBW3PvgPWqT?si=1f0a9d7b2c3e4f5a",
    "https://vimeo.com/76979871",
    # Shared documents
    "https://docs.google.com/document/d/1aBcD3fGhIjKlMnOpQrStUvWxYz0123456789abcdEFG/edit?usp=sharing",
    "https://www.dropbox.com/scl/fi/k3j2h1g4f5d6s7a8/trip-budget.xlsx?rlkey=9z8y7x6w5v4u3t2s1r0q&dl=0",
    "https://1drv.ms/w/s!AkX9mQ2bT7rJgZ4pLw8N",
    # Code
    "https://github.com/django/django/blob/main/django/http/request.py#L120-L140",
    "https://stackoverflow.com/questions/11227809/why-is-processing-a-sorted-array-faster",
    "https://pypi.org/project/requests/#history",
    # Meetings and groups
    "https://us02web.zoom.us/j/86412345678?pwd=V1hKbGdQc3ZtRkxNUT09",
    "https://chat.whatsapp.com/HkJ3mZ9qLw2Bv7TnXcY1Rd",
    "https://discord.gg/python",
    "https://teams.microsoft.com/l/meetup-join/19%3ameeting_NzQ4MTk%40thread.v2/0?context=%7b%22Tid%22%3a%2272f9%22%7d",
    # Maps and short links
    "https://www.google.com/maps/place/Viktualienmarkt/@48.1351,11.5763,17z/data=!3m1!4b1",
    "https://maps.app.goo.gl/Qw7rTy2uIoP9aSdF8",
    "https://bit.ly/3XyZ9kL",
    # A bank, schools, authorities, small local sites
    "https://www.ing.de/girokonto/girocard/",
    "https://www.chase.com/personal/mortgage/calculators-resources/mortgage-calculator",
    "https://www.grundschule-am-lindenhof.de/termine/elternabend",
    "https://www.oakridgehighschool.org/apps/pages/index.jsp?uREC_ID=41873&type=d",
    "https://ocw.mit.edu/courses/18-06-linear-algebra-spring-2010/pages/video-lectures/",
    "https://www.irs.gov/refunds/amended-return-frequently-asked-questions",
    "https://www.baeckerei-hofmann-fulda.de/oeffnungszeiten.html",
    "https://marinos-pizza.co.uk/wp-content/uploads/2026/04/Menu-Spring.pdf",
    # Other alphabets, and a long query
    "https://xn--bckerei-mller-gfb30a.de/kontakt",
    "https://xn--80aesfpebagmfblc0a.xn--p1ai/information/",
    (
        "https://www.bahn.de/buchung/fahrplan/suche#sts=true&so=K%C3%B6ln%20Hbf&zo=Berlin%20Hbf&kl=2&r=13:16:KLASSENLOS:1"
        "&hd=2026-11-24T08:00:06&hza=D&ar=false&s=true&d=false&hz=%5B%5D&fm=false&bp=false"
    ),
)
