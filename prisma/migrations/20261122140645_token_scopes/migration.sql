-- AlterTable
ALTER TABLE "api_tokens" ADD COLUMN     "scopes" TEXT[] DEFAULT ARRAY['read']::TEXT[];

-- Tokens that are there keep what they could do; what nobody's token may do any more is closed to all of them.
UPDATE "api_tokens" t SET "scopes" = CASE u."role"
  WHEN 'admin' THEN ARRAY['read', 'write', 'chat', 'upload', 'agents', 'admin']
  ELSE ARRAY['read', 'write', 'chat', 'upload', 'agents'] END
FROM "users" u WHERE u."id" = t."user_id";

ALTER TABLE "api_tokens" ADD CONSTRAINT api_tokens_scopes_check
  CHECK (cardinality("scopes") > 0 AND "scopes" <@ ARRAY['read', 'write', 'chat', 'upload', 'agents', 'admin']);
