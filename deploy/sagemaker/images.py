"""Addresses of the image that runs Triton on SageMaker."""

# As AWS publishes it in its examples for Triton on SageMaker, read in 2026: who owns the registry, by region.
PUBLISHED_ACCOUNTS = {
    "af-south-1": "774647643957",
    "ap-east-1": "110948597952",
    "ap-northeast-1": "941853720454",
    "ap-northeast-2": "151534178276",
    "ap-south-1": "763008648453",
    "ap-southeast-1": "324986816169",
    "ap-southeast-2": "355873309152",
    "ca-central-1": "464438896020",
    "cn-north-1": "472730292857",
    "cn-northwest-1": "474822919863",
    "eu-central-1": "746233611703",
    "eu-north-1": "601324751636",
    "eu-south-1": "966458181534",
    "eu-west-1": "802834080501",
    "eu-west-2": "205493899709",
    "eu-west-3": "254080097072",
    "me-south-1": "836785723513",
    "sa-east-1": "756306329178",
    "us-east-1": "785573368785",
    "us-east-2": "007439368137",
    "us-west-1": "710691900526",
    "us-west-2": "301217895009",
}
PUBLISHED_IMAGE = "sagemaker-tritonserver"


class UnknownRegion(Exception):
    """No published image there; the message says what to give instead."""


def address(*, region: str, image: str, account: str = "") -> str:
    """Return the registry address of `image` (`name:tag`); without account, that of the published image.

    Raises UnknownRegion for a region that the table lacks.
    """
    if not account and region not in PUBLISHED_ACCOUNTS:
        raise UnknownRegion(f"no published image is known in {region}: give --account, or a whole address")
    domain = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return f"{account or PUBLISHED_ACCOUNTS[region]}.dkr.ecr.{region}.{domain}/{image}"
