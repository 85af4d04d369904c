-- A code that a program was not given tokens for ends with the session that agreed to it.
ALTER TABLE "oauth_grants" ADD COLUMN "code_session_id" UUID;

CREATE INDEX "oauth_grants_code_session_id_idx" ON "oauth_grants"("code_session_id");

ALTER TABLE "oauth_grants" ADD CONSTRAINT "oauth_grants_code_session_id_fkey" FOREIGN KEY ("code_session_id") REFERENCES "auth_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;
