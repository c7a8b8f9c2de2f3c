"""The audit log: its page on the desk (`audit_pages`), and the chain as platforms read it (`audit_chain`)"""
