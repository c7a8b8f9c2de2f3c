"""ResNet50 with the strides of torchvision's ("v1.5") and the names of its weights, so that its files fit.

He et al., Deep Residual Learning for Image Recognition (2015). Written out because the package index has
torchvision for CUDA alone: beside torch for CPU it cannot be imported, and then neither can transformers,
which imports it wherever it is installed.
"""

from collections import OrderedDict

from torch import Tensor, nn

FEATURES = 2048
_EXPANSION = 4
_STAGES = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
"""Width, blocks, and the stride of the first block."""


class Bottleneck(nn.Module):  # type: ignore[misc] # torch has no types here
    """Three convolutions beside a shortcut; `downsample` fits the shortcut where size or width change."""

    def __init__(self, taken: int, width: int, *, stride: int) -> None:
        super().__init__()
        expanded = width * _EXPANSION
        self.conv1, self.bn1 = nn.Conv2d(taken, width, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride=stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3, self.bn3 = nn.Conv2d(width, expanded, 1, bias=False), nn.BatchNorm2d(expanded)
        self.relu = nn.ReLU(inplace=True)
        self.downsample: nn.Module | None = None
        if stride != 1 or taken != expanded:
            shortcut = nn.Conv2d(taken, expanded, 1, stride=stride, bias=False)
            self.downsample = nn.Sequential(shortcut, nn.BatchNorm2d(expanded))

    def forward(self, given: Tensor) -> Tensor:
        """Return the block's output for [n, channels, side, side]."""
        hidden = self.relu(self.bn1(self.conv1(given)))
        hidden = self.relu(self.bn2(self.conv2(hidden)))
        shortcut = given if self.downsample is None else self.downsample(given)
        added: Tensor = self.relu(self.bn3(self.conv3(hidden)) + shortcut)
        return added


def built(*, classes: int) -> nn.Sequential:
    """Return the network with random weights: pixels [n, 3, side, side] → logits [n, classes]."""
    layers: OrderedDict[str, nn.Module] = OrderedDict(
        conv1=nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False),
        bn1=nn.BatchNorm2d(64),
        relu=nn.ReLU(inplace=True),
        maxpool=nn.MaxPool2d(3, stride=2, padding=1),
    )
    taken = 64
    for number, (width, blocks, stride) in enumerate(_STAGES, start=1):
        expanded = width * _EXPANSION
        others = [Bottleneck(expanded, width, stride=1) for _ in range(blocks - 1)]
        layers[f"layer{number}"] = nn.Sequential(Bottleneck(taken, width, stride=stride), *others)
        taken = expanded
    layers |= {
        "avgpool": nn.AdaptiveAvgPool2d(1),
        "flatten": nn.Flatten(),
        "fc": nn.Linear(FEATURES, classes),
    }
    network = nn.Sequential(layers)
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
    return network
