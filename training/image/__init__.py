"""The image model: ResNet50, from weights of torchvision's hub or a file, as a model repository for Triton.

The network (`resnet50`) and its weights (`backbone`), a last layer for spam (`head`), Triton's
configuration (`configs`), the folder (`repository`), the command.
"""
