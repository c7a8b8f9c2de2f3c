"""The image model: ResNet50 with weights from a folder or Hugging Face's hub, as Triton's model repository.

The network and its preprocessing (`backbone`), a last layer for spam (`head`), Triton's configuration
(`configs`), the folder (`repository`), the command.
"""
