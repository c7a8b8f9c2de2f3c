import django.contrib.postgres.fields
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0003_standard_reasons'),
    ]

    operations = [
        migrations.AddField(
            model_name='desksettings',
            name='idle_minutes',
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='desksettings',
            name='second_factor_roles',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=16), blank=True, db_default=models.Value([], output_field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=16), size=None)), default=list, help_text='Roles that must have a second factor before anything else.', size=None),
        ),
        # Not validated: every row there is gets the column's default.
        AddConstraintNotValid(
            model_name='desksettings',
            constraint=models.CheckConstraint(condition=models.Q(('idle_minutes__range', (0, 10080))), name='idle_minutes_in_range'),
        ),
    ]
