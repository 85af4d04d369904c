-- AlterTable
ALTER TABLE "hooks" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "oidc_identities" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "passkeys" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "shares" ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);

-- Whoever gains access to an account, or is sent something out of it, its owner is notified: whatever code adds the row.
-- Arguments: the kind of access, and the column that names it.
CREATE FUNCTION "notify_of_new_access"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  "added" JSONB := to_jsonb(NEW);
  "owner_id" UUID := ("added" ->> 'user_id')::uuid;
  "title" TEXT := coalesce("added" ->> TG_ARGV[1], '');
BEGIN
  -- what administrators connect for everybody is in the audit log
  IF "owner_id" IS NULL THEN RETURN NULL; END IF;
  IF TG_ARGV[0] = 'session' AND (
    NOT EXISTS (SELECT FROM "auth_sessions" WHERE "user_id" = "owner_id" AND "id" <> ("added" ->> 'id')::uuid)
    OR EXISTS (SELECT FROM "auth_sessions" WHERE "user_id" = "owner_id" AND "id" <> ("added" ->> 'id')::uuid
      AND "user_agent" = "added" ->> 'user_agent')
  ) THEN
    -- a first sign-in, or a browser that is signed in already
    RETURN NULL;
  END IF;
  IF TG_ARGV[0] = 'share' AND EXISTS (SELECT FROM "notifications" WHERE "user_id" = "owner_id" AND "kind" = 'access_added'
    AND "params" ->> 'access' = 'share' AND "read_at" IS NULL) THEN
    -- links are made often: one unread notification points to the list of all
    RETURN NULL;
  END IF;
  IF TG_ARGV[0] = 'program' THEN
    SELECT "name" INTO "title" FROM "oauth_clients" WHERE "id" = ("added" ->> 'client_id')::uuid;
  END IF;
  IF TG_ARGV[0] = 'push' OR coalesce("title", '') = '' THEN
    "title" := replace(TG_ARGV[0], '_', ' ');
  END IF;
  INSERT INTO "notifications" ("id", "user_id", "kind", "params", "link")
  VALUES (gen_random_uuid(), "owner_id", 'access_added',
    jsonb_build_object('access', TG_ARGV[0], 'title', left(coalesce("title", ''), 200)), '/dashboard?tab=settings#access');
  -- open pages read what is behind the bell again
  PERFORM pg_notify('mira_user_events',
    json_build_object('origin', 'database', 'user_id', "owner_id", 'event', json_build_object('type', 'notifications.read'))::text);
  RETURN NULL;
END $$;

CREATE TRIGGER "auth_sessions_notify" AFTER INSERT ON "auth_sessions" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('session', 'user_agent');
CREATE TRIGGER "api_tokens_notify" AFTER INSERT ON "api_tokens" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('api_token', 'name');
CREATE TRIGGER "oauth_grants_notify" AFTER INSERT ON "oauth_grants" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('program', 'client_id');
CREATE TRIGGER "passkeys_notify" AFTER INSERT ON "passkeys" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('passkey', 'name');
CREATE TRIGGER "oidc_identities_notify" AFTER INSERT ON "oidc_identities" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('oidc', 'issuer');
CREATE TRIGGER "shares_notify" AFTER INSERT ON "shares" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('share', 'title');
CREATE TRIGGER "hooks_notify" AFTER INSERT ON "hooks" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('webhook', 'name');
CREATE TRIGGER "mcp_servers_notify" AFTER INSERT ON "mcp_servers" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('mcp_server', 'name');
CREATE TRIGGER "push_subscriptions_notify" AFTER INSERT ON "push_subscriptions" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('push', '');
