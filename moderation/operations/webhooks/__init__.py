"""Webhook endpoints and deliveries to them: `send` claims by `attempts`, calls by `caller`, within
`circuit` and `lanes`.
"""
