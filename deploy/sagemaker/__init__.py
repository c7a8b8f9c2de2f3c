"""The content model or the image model on Amazon SageMaker: packaged, created, awaited, asked and deleted.

A plain client of AWS through boto3, which requirements/sagemaker.txt brings. Region and credentials come from
where boto3 looks for them (environment, profile, role of the machine), never from an argument.
"""
