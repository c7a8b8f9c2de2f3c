"""What the Digital Services Act asks for: the transparency report (`counts`, `report`) and the Commission's
database of statements of reasons (`database`).
"""
