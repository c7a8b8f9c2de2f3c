import django.db.models.deletion
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('moderation', '0017_akismet_aliases'),
    ]

    operations = [
        migrations.AlterField(
            model_name='rule',
            name='kind',
            field=models.CharField(choices=[('domain', 'domain'), ('host', 'host'), ('address', 'address'), ('author', 'author'), ('text', 'phrase'), ('phone', 'phone number'), ('wallet', 'wallet'), ('handle', 'handle'), ('lookalike', 'look-alikes of a domain'), ('picture', 'picture'), ('pictures', 'list of pictures')], default='domain', max_length=16),
        ),
        migrations.RemoveConstraint(model_name='rule', name='rule_names_its_target'),
        # Never validated: what is there fitted the narrower one.
        AddConstraintNotValid(
            model_name='rule',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('first_address__isnull', False), ('kind', 'address'), ('last_address__isnull', False)), models.Q(('domain__isnull', False), ('kind__in', ('domain', 'host'))), models.Q(('author__isnull', False), ('kind', 'author')), ('kind__in', ('text', 'phone', 'wallet', 'handle', 'lookalike', 'picture', 'pictures')), _connector='OR'), name='rule_names_its_target'),
        ),
        migrations.CreateModel(
            name='ListedPicture',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('hash', models.CharField(max_length=64)),
                ('category', models.CharField(blank=True, max_length=100)),
                ('note', models.CharField(blank=True, max_length=500)),
                ('rule', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='pictures', to='moderation.rule')),
            ],
            options={'ordering': ('id',), 'constraints': [models.UniqueConstraint(fields=('rule', 'hash'), name='picture_listed_once')]},
        ),
        migrations.CreateModel(
            name='PictureMatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('evidence', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='picture_matches', to='moderation.evidence')),
                ('rule', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='picture_matches', to='moderation.rule')),
            ],
            options={'ordering': ('id',), 'constraints': [models.UniqueConstraint(fields=('evidence', 'rule'), name='picture_matched_once')]},
        ),
    ]
