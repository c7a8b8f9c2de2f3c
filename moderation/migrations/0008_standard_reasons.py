"""The reasons that an installation begins with; its policy page changes them."""

from django.db import migrations

SPAM, FINE = "spam", "not_spam"
STANDARD = (
    (1, SPAM, "scam", "Scam or fraud", False, ["complaint:scam"]),
    (2, SPAM, "phishing", "Phishing", False, ["complaint:impersonation", "context."]),
    (3, SPAM, "advertising", "Advertising", False, ["content.text"]),
    (4, SPAM, "copies", "Copies, fake interest", False, ["social.", "journey."]),
    (5, SPAM, "adult", "Adult services", False, ["complaint:adult"]),
    (6, SPAM, "other_spam", "Other spam", True, []),
    (7, FINE, "ordinary", "Ordinary post", False, []),
    (8, FINE, "false_report", "False report", False, []),
    (9, FINE, "other_fine", "Other reason", True, []),
)


def add(apps, schema_editor):
    reason = apps.get_model("moderation", "Reason")
    for digit, verdict, code, title, needs_note, signals in STANDARD:
        reason.objects.get_or_create(
            code=code,
            defaults={
                "digit": digit, "verdict": verdict, "title": title, "needs_note": needs_note, "signals": signals
            },
        )


class Migration(migrations.Migration):
    dependencies = [("moderation", "0007_comfort_presence_and_reasons")]
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
