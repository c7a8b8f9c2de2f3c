"""Erased authors lose their id instead of getting one that a platform could send, too."""

from typing import Any

from django.contrib.postgres.operations import ValidateConstraint
from django.db import migrations, models
from django.db.models import CharField, F, Max, Q, Value
from django.db.models.functions import Cast, Concat

from moderation import repeatable

BATCH = 10_000


def forget_ids(apps: Any, _editor: Any) -> None:
    """Take the made-up ids away, some thousand rows at a time; safe to repeat.

    A name, too: whoever was sent under such an id had filled the row of the erased author again.
    """
    authors = apps.get_model("moderation", "Author").objects.order_by()
    made_up = Concat(Value("erased:"), Cast("id", CharField()))
    last = authors.aggregate(last=Max("id"))["last"] or 0
    for start in range(0, last + 1, BATCH):
        rows = authors.filter(id__range=(start, start + BATCH - 1), erased_at__isnull=False)
        rows.annotate(made_up=made_up).filter(external_id=F("made_up")).update(external_id=None, display_name="")


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("moderation", "0029_leases_of_exports")]

    operations = [
        migrations.AlterField(
            model_name="author",
            name="external_id",
            field=models.CharField(
                help_text="The platform's own; null once erased.", max_length=200, null=True
            ),
        ),
        migrations.RunPython(forget_ids, migrations.RunPython.noop),
        repeatable.AddConstraintNotValid(
            model_name="author",
            constraint=models.CheckConstraint(
                condition=Q(("external_id__isnull", False), ("erased_at__isnull", False), _connector="OR"),
                name="author_has_id_until_erased",
            ),
        ),
        ValidateConstraint(model_name="author", name="author_has_id_until_erased"),
    ]
