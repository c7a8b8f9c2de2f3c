"""Messages to platforms: written with their cause (`messages`, `announce`), numbered after
commit (`feed`).
"""
