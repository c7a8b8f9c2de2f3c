"""What people are told wherever they are: `notify` writes it with its cause, `send` brings it by mail or to a
chat through `carriers`, in the words of `wording`.
"""
