"""What pages, pictures and captions say: bytes → facts, without Django, settings, clock or network.

In reading order: what is found (`facts`), pages (`page`, its addresses in
`addresses`, two fetches of one in `likeness`), pictures (`picture`, their hash in `pdq`,
their words in `picture_text`), captions (`captions`), speech (`speech`), the process that
reads (`child`), what it gives up before (`jail`), and those that start and ask it (`reader`, `server`).
"""
