-- A role for web and workers that owns no table, so that the audit log's triggers bind it.
-- Run once as the owner, in the database:  psql "$DATABASE_URL" -f deploy/roles.sql
-- then give it a password:                 ALTER ROLE spamdesk_app PASSWORD '…';
-- and, where it trains, what simulated posts pass through, beside the product's database:
--   CREATE DATABASE spamdesk_simulation OWNER spamdesk_app ENCODING 'UTF8' TEMPLATE template0;
CREATE ROLE spamdesk_app LOGIN;
GRANT USAGE ON SCHEMA public TO spamdesk_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO spamdesk_app;
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO spamdesk_app;
REVOKE UPDATE, DELETE ON moderation_auditentry, moderation_auditlink FROM spamdesk_app;
-- Tables of later migrations.
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO spamdesk_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO spamdesk_app;
