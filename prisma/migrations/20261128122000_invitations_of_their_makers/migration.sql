-- AlterTable
ALTER TABLE "invitations" ADD COLUMN     "user_id" UUID;

-- An invitation is its maker's: it ends with their access. What is open and whose maker can't be told any more is revoked.
UPDATE "invitations" SET "user_id" = "users"."id" FROM "users" WHERE lower("users"."username") = lower("invitations"."invited_by");
UPDATE "invitations" SET "revoked_at" = now() WHERE "user_id" IS NULL AND "accepted_at" IS NULL AND "revoked_at" IS NULL;

-- CreateIndex
CREATE INDEX "invitations_user_id_idx" ON "invitations"("user_id");

-- AddForeignKey
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

CREATE TRIGGER "invitations_notify" AFTER INSERT ON "invitations" FOR EACH ROW EXECUTE FUNCTION "notify_of_new_access"('invitation', 'email');

-- Administrators (the first 100) are notified of another one, and of a link that makes one: whatever code adds the row.
-- Arguments: the kind of notification, and the column that names the new administrator.
CREATE FUNCTION "notify_of_new_admin"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
DECLARE
  "added" JSONB := to_jsonb(NEW);
  "admin_ids" UUID[];
BEGIN
  SELECT array_agg("id") INTO "admin_ids" FROM (
    SELECT "id" FROM "users" WHERE "role" = 'admin' AND "is_active" AND "id" <> ("added" ->> 'id')::uuid
    ORDER BY "created_at" LIMIT 100
  ) "admins";
  INSERT INTO "notifications" ("id", "user_id", "kind", "params", "link")
  SELECT gen_random_uuid(), "admin_id", TG_ARGV[0], jsonb_build_object('title', left("added" ->> TG_ARGV[1], 200)), '/admin?tab=users'
  FROM unnest("admin_ids") AS "admin_id";
  PERFORM pg_notify('mira_user_events',
    json_build_object('origin', 'database', 'user_id', "admin_id", 'event', json_build_object('type', 'notifications.read'))::text)
  FROM unnest("admin_ids") AS "admin_id";
  RETURN NULL;
END $$;

CREATE TRIGGER "users_notify_admins" AFTER INSERT ON "users" FOR EACH ROW WHEN (NEW."role" = 'admin') EXECUTE FUNCTION "notify_of_new_admin"('admin_added', 'username');
CREATE TRIGGER "users_notify_admins_of_promotion" AFTER UPDATE OF "role" ON "users" FOR EACH ROW WHEN (NEW."role" = 'admin' AND OLD."role" <> 'admin') EXECUTE FUNCTION "notify_of_new_admin"('admin_added', 'username');
CREATE TRIGGER "invitations_notify_admins" AFTER INSERT ON "invitations" FOR EACH ROW WHEN (NEW."role" = 'admin') EXECUTE FUNCTION "notify_of_new_admin"('admin_invited', 'email');
