import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0003_standard_reasons'),
    ]

    operations = [
        migrations.AddField(
            model_name='desksettings',
            name='second_factor_roles',
            field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=16), blank=True, db_default=models.Value([], output_field=django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=16), size=None)), default=list, help_text='Roles that must have a second factor before anything else.', size=None),
        ),
    ]
