"""What pages, pictures and captions say: bytes → facts, without Django, settings, clock or network.

In reading order: what is found (`facts`, `picture_facts`), pictures (`picture`, their hash in `pdq`, their
codes in `codes`, their words in `picture_text`) and captions (`captions`).
"""
