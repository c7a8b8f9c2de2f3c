"""The image model: ResNet50, from weights of torchvision's hub or a file, as a model repository for Triton.

In reading order: the network (`resnet50`) and its weights (`backbone`), labelled pictures and the head that
is fitted to them (`labelled_pictures`, `head`), the exported file (`export`), Triton's configuration
(`configs`), the folder (`repository`), a release with it (`release_with`), and the command with its card.
"""
