"""Releases: kept (`store`), served by Triton (`triton`), made live and taken back (`promote`), asked again
(`replay`).
"""
