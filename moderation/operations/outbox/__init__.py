"""What platforms are told: messages written with their cause (`messages`, `announce`), numbered after
commit (`feed`).
"""
