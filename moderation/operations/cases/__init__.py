"""Cases: opened (`opening`), claimed (`claims`), decided (`review`, `shift`, `platform_verdicts`), disputed
(`appeals`), looked at again, taken back (`reversals`).
"""
