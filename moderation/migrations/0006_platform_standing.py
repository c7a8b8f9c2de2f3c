import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0005_queue'),
    ]

    operations = [
        migrations.AddField(
            model_name='platform',
            name='off_at',
            field=models.DateTimeField(blank=True, help_text='Since when nothing is taken in, shown or sent; empty: it is on.', null=True),
        ),
        migrations.AlterField(
            model_name='erasure',
            name='cause',
            field=models.CharField(choices=[('request', 'Request'), ('retention', 'Retention'), ('deletion', 'Deletion')], max_length=9),
        ),
        migrations.AlterField(
            model_name='erasure',
            name='kind',
            field=models.CharField(choices=[('post', 'Post'), ('author', 'Author'), ('all', 'Platform')], max_length=6),
        ),
        migrations.AlterField(
            model_name='erasure',
            name='subject_id',
            field=models.BigIntegerField(help_text='Our id of what was erased.'),
        ),
        migrations.CreateModel(
            name='PlatformDeletion',
            fields=[
                ('platform', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='deletion', serialize=False, to='moderation.platform')),
                ('proposed_at', models.DateTimeField()),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('erased_at', models.DateTimeField(blank=True, null=True)),
                ('confirmed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('proposed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('confirmed_by__isnull', True), models.Q(('confirmed_by', models.F('proposed_by')), _negated=True), _connector='OR'), name='deletion_has_two_names')],
            },
        ),
    ]
