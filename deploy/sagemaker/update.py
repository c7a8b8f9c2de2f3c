"""Another model on an endpoint, beside its newest: a production variant of its own, named for the model.

So releases with either go live, stand by and come back without another update.
"""

from collections.abc import Callable
from pathlib import Path

from deploy.sagemaker import endpoint


def update(
    name: str,
    *,
    model: str,
    model_data: str,
    archive: Path | None,
    timeout_seconds: float,
    poll_seconds: float,
    say: Callable[[str], None],
) -> None:
    """Serve a model beside the endpoint's newest, on such instances; return when it is served.

    What an update that broke off had made is used. Raises Failed; unless the endpoint is still changing, it
    serves as before, and what was made is deleted again.
    """
    client = endpoint.client_of("sagemaker")
    with endpoint.refusals():
        before = client.describe_endpoint(EndpointName=name)["EndpointConfigName"]
        newest = client.describe_endpoint_config(EndpointConfigName=before)["ProductionVariants"][-1]
        described = client.describe_model(ModelName=newest["ModelName"])
    variant, container = model.replace("_", "-"), described["PrimaryContainer"]
    added = f"{name}-{variant}"
    environment = container.get("Environment", {}) | {endpoint.DEFAULT_MODEL: model}
    _, configuration, of_model = endpoint.parts_of(added, client)
    steps = [
        *endpoint.upload(archive, to=model_data),
        (
            of_model,
            lambda: client.create_model(
                ModelName=added,
                ExecutionRoleArn=described["ExecutionRoleArn"],
                PrimaryContainer=container | {"ModelDataUrl": model_data, "Environment": environment},
            ),
        ),
        (
            configuration,
            lambda: client.create_endpoint_config(
                EndpointConfigName=added,
                ProductionVariants=[newest, newest | {"VariantName": variant, "ModelName": added}],
            ),
        ),
    ]
    made = endpoint.make([step for step in steps if not endpoint.is_there(step[0])], name=name, say=say)
    try:
        with endpoint.refusals():
            client.update_endpoint(EndpointName=name, EndpointConfigName=added)
    except endpoint.Failed:
        endpoint.removed_but(made, say=say)
        raise
    now = endpoint.settled(name, timeout_seconds=timeout_seconds, poll_seconds=poll_seconds, say=say)
    if (now["EndpointStatus"], now["EndpointConfigName"]) != (endpoint.READY, added):
        endpoint.removed_but(made, say=say)
        raise endpoint.Failed(f"{name} serves as before: {now.get('FailureReason', now['EndpointStatus'])}")
