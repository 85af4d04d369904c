-- Browsers share their names, and anybody can send one: a sign-in is known by its address as well, and one is no first one
-- because everything else was signed out.
CREATE OR REPLACE FUNCTION "notify_of_new_access"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  "added" JSONB := to_jsonb(NEW);
  "owner_id" UUID := ("added" ->> 'user_id')::uuid;
  "title" TEXT := coalesce("added" ->> TG_ARGV[1], '');
BEGIN
  -- what administrators connect for everybody is in the audit log
  IF "owner_id" IS NULL THEN RETURN NULL; END IF;
  IF TG_ARGV[0] = 'session' AND (
    EXISTS (SELECT FROM "auth_sessions" WHERE "user_id" = "owner_id" AND "id" <> ("added" ->> 'id')::uuid
      AND "user_agent" = "added" ->> 'user_agent' AND "address" = "added" ->> 'address')
    OR EXISTS (SELECT FROM "users" WHERE "id" = "owner_id" AND "last_active_at" IS NULL AND NOT EXISTS (
      SELECT FROM "auth_sessions" WHERE "user_id" = "owner_id" AND "id" <> ("added" ->> 'id')::uuid))
  ) THEN
    -- a browser that is signed in already from there, or the account's first sign-in
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

-- Another address of a server is another receiver.
CREATE TRIGGER "mcp_servers_notify_moved" AFTER UPDATE OF "url" ON "mcp_servers" FOR EACH ROW
WHEN (NEW."url" IS DISTINCT FROM OLD."url") EXECUTE FUNCTION "notify_of_new_access"('mcp_server', 'name');
