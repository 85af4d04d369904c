/**
 * Migrations that were edited after their release: passages of the current text, each with the original one.
 */
export const formerTexts: Readonly<Record<string, readonly (readonly [now: string, before: string])[]>> = {
  '20261124022117_person_counts': [
    [
      `  -- in the order in which whatever adds locks them, so that neither waits for the other for ever
  PERFORM FROM person_counts kept WHERE kept.user_id IN (SELECT user_id FROM removed) ORDER BY kept.user_id, kept.subject FOR UPDATE;
`,
      '',
    ],
    [
      `  PERFORM FROM person_counts kept WHERE (kept.user_id, kept.subject) IN ((OLD.user_id, OLD.media_type), (NEW.user_id, NEW.media_type))
    ORDER BY kept.user_id, kept.subject FOR UPDATE;
`,
      '',
    ],
  ],
  '20261124024300_imports_in_portions': [
    [
      `-- Servers of the version before that delete a conversation lock messages first, and what was imported afterwards.
LOCK TABLE "chat_messages" IN ACCESS EXCLUSIVE MODE;

`,
      '',
    ],
  ],
  '20261127231157_restored_access_waits': [
    [
      `  IF TG_ARGV[0] = 'share' AND EXISTS (SELECT FROM "notifications" WHERE "user_id" = "owner_id" AND "kind" = 'access_added'
    AND "params" ->> 'access' = 'share' AND "read_at" IS NULL) THEN
    -- links are made often: one unread notification points to the list of all
    RETURN NULL;
  END IF;
`,
      '',
    ],
  ],
  '20261128122000_invitations_of_their_makers': [
    ['-- Administrators (the first 100) are notified', '-- Every administrator is notified'],
    ['  "admin_ids" UUID[];\n', '  "admin_id" UUID;\n'],
    [
      `  SELECT array_agg("id") INTO "admin_ids" FROM (
    SELECT "id" FROM "users" WHERE "role" = 'admin' AND "is_active" AND "id" <> ("added" ->> 'id')::uuid
    ORDER BY "created_at" LIMIT 100
  ) "admins";
  INSERT INTO "notifications" ("id", "user_id", "kind", "params", "link")
  SELECT gen_random_uuid(), "admin_id", TG_ARGV[0], jsonb_build_object('title', left("added" ->> TG_ARGV[1], 200)), '/admin?tab=users'
  FROM unnest("admin_ids") AS "admin_id";
  PERFORM pg_notify('mira_user_events',
    json_build_object('origin', 'database', 'user_id', "admin_id", 'event', json_build_object('type', 'notifications.read'))::text)
  FROM unnest("admin_ids") AS "admin_id";
`,
      `  FOR "admin_id" IN SELECT "id" FROM "users" WHERE "role" = 'admin' AND "is_active" AND "id" <> ("added" ->> 'id')::uuid LOOP
    INSERT INTO "notifications" ("id", "user_id", "kind", "params", "link")
    VALUES (gen_random_uuid(), "admin_id", TG_ARGV[0], jsonb_build_object('title', left("added" ->> TG_ARGV[1], 200)), '/admin?tab=users');
    PERFORM pg_notify('mira_user_events',
      json_build_object('origin', 'database', 'user_id', "admin_id", 'event', json_build_object('type', 'notifications.read'))::text);
  END LOOP;
`,
    ],
  ],
  '20261128193000_failures_without_codes': [
    [
      `UPDATE "hook_notices" SET "data" = "data" || jsonb_build_object('error_told', pg_temp.from_before("data"->>'error'))
WHERE "data"->>'error' <> '' AND NOT "data" ? 'error_told';

`,
      '',
    ],
  ],
  '20261128212000_access_that_is_on_again': [
    [' One that moves as well is\n-- notified of by the trigger for that.', ''],
    [` AND NEW."url" = OLD."url")`, ')'],
  ],
}
