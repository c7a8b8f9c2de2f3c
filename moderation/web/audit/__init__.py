"""The audit log: its page (`audit_log`) and its actions in words (`audit_actions`)."""
