"""Cases: opened (`opening`), claimed (`claims`), decided (`review`, `shift`), disputed
(`appeals`), looked at again, taken back (`reversals`).
"""
