"""The reasons that an installation begins with, in the languages of the desk; its policy page changes them."""

from django.db import migrations

SPAM, FINE = "spam", "not_spam"
STANDARD = (
    (1, SPAM, "scam", "Scam or fraud", False, ["complaint:scam"]),
    (2, SPAM, "phishing", "Phishing", False, ["complaint:impersonation", "context."]),
    (3, SPAM, "advertising", "Advertising", False, ["content.text"]),
    (4, SPAM, "copies", "Duplicates, fake engagement", False, ["social.", "journey."]),
    (5, SPAM, "adult", "Adult services", False, ["complaint:adult"]),
    (6, SPAM, "other_spam", "Other spam", True, []),
    (7, FINE, "ordinary", "Ordinary post", False, []),
    (8, FINE, "false_report", "False report", False, []),
    (9, FINE, "other_fine", "Other reason", True, []),
)
"""Digit, verdict, code, English title, whether a note is needed, and signals that suggest the reason."""

GUIDELINES = {
    "scam": (
        "Scam or fraud",
        "Betrug",
        "The post wants money, goods or access by deceit: invented profits, advance fees, fake shops, prizes that nobody won. "
        "Someone who warns of a scam or quotes one is not a scammer.",
        "Der Beitrag will durch Täuschung an Geld, Waren oder Zugänge: erfundene Gewinne, Vorschüsse, falsche Läden, Preise, "
        "die niemand gewonnen hat. Wer vor Betrug warnt oder ihn zitiert, betrügt nicht.",
    ),
    "phishing": (
        "Phishing",
        "Phishing",
        "The post leads to a page or a person that pretends to be a bank, a shop, the platform or somebody’s friend, to get "
        "passwords, codes or card numbers. Look at the real domain of the link, not at its words.",
        "Der Beitrag führt zu einer Seite oder Person, die sich als Bank, Laden, Plattform oder Freund ausgibt, um Kennwörter, "
        "Codes oder Kartennummern zu bekommen. Maßgeblich ist die wirkliche Domain des Links, nicht sein Text.",
    ),
    "advertising": (
        "Advertising",
        "Werbung",
        "Unasked advertising for goods, services or channels, usually to many people. One’s own work, shown now and then to "
        "people who follow it, and private sales are fine.",
        "Unverlangte Werbung für Waren, Dienste oder Kanäle, meist an viele. Eigene Arbeiten, die jemand ab und zu seinen "
        "Followern zeigt, und private Verkäufe sind in Ordnung.",
    ),
    "copies": (
        "Duplicates, fake engagement",
        "Duplikate, unechte Reaktionen",
        "The same text or link from several accounts or again and again, bought followers, likes or comments. Headlines, "
        "appeals and greetings that people pass on do not count.",
        "Derselbe Text oder Link von mehreren Konten oder immer wieder, gekaufte Follower, Likes oder Kommentare. Schlagzeilen, "
        "Aufrufe und Grüße, die Menschen weitergeben, zählen nicht.",
    ),
    "adult": (
        "Adult services",
        "Sexuelle Dienste",
        "Offers of sexual services, cams or dates for money, also hidden behind a profile or a link. Nudity and talk about sex "
        "are covered by other rules.",
        "Angebote sexueller Dienste, Cams oder Treffen gegen Geld, auch hinter einem Profil oder Link. Für Nacktheit und Gespräche "
        "über Sex gelten andere Regeln.",
    ),
    "other_spam": (
        "Other spam",
        "Anderer Spam",
        "Spam that no other reason names. Say in the note what it is: reasons are added from these notes.",
        "Spam, den kein anderer Grund nennt. Schreiben Sie in die Notiz, was es ist: Aus diesen Notizen entstehen neue Gründe.",
    ),
    "ordinary": (
        "Ordinary post",
        "Gewöhnlicher Beitrag",
        "Somebody says something to people who may want to know it. Bad taste, a wrong opinion or poor writing is not spam.",
        "Jemand sagt etwas, das andere interessieren kann. Schlechter Geschmack, eine falsche Meinung oder schlechtes Deutsch "
        "ist kein Spam.",
    ),
    "false_report": (
        "False report",
        "Falsche Meldung",
        "The post is fine, and the complaints are mistaken or made to harm its author. Complaints that come together from "
        "accounts that never reported anything else are a sign.",
        "Der Beitrag ist in Ordnung, und die Beschwerden irren oder sollen schaden. Ein Zeichen sind viele Beschwerden auf "
        "einmal von Konten, die sonst nie etwas melden.",
    ),
    "other_fine": (
        "Other reason",
        "Anderer Grund",
        "The post is fine for a reason of its own. Say it in the note.",
        "Der Beitrag ist aus einem besonderen Grund in Ordnung. Schreiben Sie ihn in die Notiz.",
    ),
}
"""By code: title and guideline, each in English and German."""


def add(apps, schema_editor):
    reasons = apps.get_model("moderation", "Reason").objects
    for digit, verdict, code, title, needs_note, signals in STANDARD:
        _, title_de, guideline, guideline_de = GUIDELINES[code]
        reasons.get_or_create(
            code=code,
            defaults={
                "digit": digit,
                "verdict": verdict,
                "title": title,
                "needs_note": needs_note,
                "signals": signals,
                "titles": {"de": title_de},
                "guidelines": {"en": guideline, "de": guideline_de},
            },
        )


class Migration(migrations.Migration):
    dependencies = [("moderation", "0002_triggers")]

    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
