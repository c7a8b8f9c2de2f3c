"""Cases: opened (`opening`), claimed and decided (`review`, `shift`), disputed (`appeals`), looked at
again, taken back (`reverse`).
"""
