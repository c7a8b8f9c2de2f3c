"""Reasons in the languages of the desk, and the guideline of each; those of a new installation have both."""

from django.db import migrations, models

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
        "Copies, fake interest",
        "Kopien, falsches Interesse",
        "The same text or link from several accounts or again and again, bought followers, likes or comments. Headlines, "
        "appeals and greetings that people pass on are not meant.",
        "Derselbe Text oder Link von mehreren Konten oder immer wieder, gekaufte Follower, Likes oder Kommentare. Schlagzeilen, "
        "Aufrufe und Grüße, die Menschen weitergeben, sind nicht gemeint.",
    ),
    "adult": (
        "Adult services",
        "Sexuelle Dienste",
        "Offers of sexual services, cams or dates for money, also hidden behind a profile or a link. Nudity and talk about sex "
        "are questions of other rules.",
        "Angebote sexueller Dienste, Cams oder Treffen gegen Geld, auch hinter einem Profil oder Link. Nacktheit und Gespräche "
        "über Sex sind Fragen anderer Regeln.",
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


def add(apps, schema_editor):
    """Fill in what nobody has written: a reason whose English words were changed keeps them alone."""
    for reason in apps.get_model("moderation", "Reason").objects.filter(code__in=GUIDELINES, guidelines={}):
        title, title_de, guideline, guideline_de = GUIDELINES[reason.code]
        if reason.title == title:
            reason.titles = {"de": title_de}
            reason.guidelines = {"en": guideline, "de": guideline_de}
            reason.save(update_fields=("titles", "guidelines"))


class Migration(migrations.Migration):
    dependencies = [("moderation", "0052_usual_words_of_choices")]

    operations = [
        migrations.AddField(
            "reason",
            "titles",
            models.JSONField(
                blank=True,
                db_default=models.Value({}, models.JSONField()),
                default=dict,
                help_text="By language code, besides English.",
            ),
        ),
        migrations.AddField(
            "reason",
            "guidelines",
            models.JSONField(
                blank=True,
                db_default=models.Value({}, models.JSONField()),
                default=dict,
                help_text="When the reason applies, by language code.",
            ),
        ),
        migrations.RunPython(add, migrations.RunPython.noop),
    ]
