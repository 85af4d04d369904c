-- CreateTable
CREATE TABLE "hook_notices" (
    "id" BIGSERIAL NOT NULL,
    "user_id" UUID NOT NULL,
    "event" TEXT NOT NULL,
    "data" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hook_notices_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "hook_notices_user_id_idx" ON "hook_notices"("user_id");

-- AddForeignKey
ALTER TABLE "hook_notices" ADD CONSTRAINT "hook_notices_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What happens is noted in its own transaction, for those alone who have a hook that wants it.
CREATE FUNCTION "note_for_hooks"("who" UUID, "what" TEXT, "told" JSONB) RETURNS VOID LANGUAGE sql AS $$
  INSERT INTO "hook_notices" ("user_id", "event", "data")
  SELECT who, what, told WHERE EXISTS (SELECT FROM "hooks" WHERE "user_id" = who AND what = ANY ("events"))
$$;

CREATE FUNCTION "note_processed_item"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_for_hooks"(
    NEW."user_id",
    CASE NEW."processing_status" WHEN 'failed' THEN 'media.failed' ELSE 'media.done' END,
    jsonb_build_object('id', NEW."id", 'title', NEW."original_filename", 'media_type', NEW."media_type")
      || CASE NEW."processing_status" WHEN 'failed' THEN jsonb_build_object('error', coalesce(NEW."error", '')) ELSE '{}' END);
  RETURN NULL;
END $$;

CREATE TRIGGER "media_items_note_processed" AFTER UPDATE OF "processing_status" ON "media_items" FOR EACH ROW
WHEN (NEW."processing_status" IN ('completed', 'failed') AND OLD."processing_status" <> NEW."processing_status")
EXECUTE FUNCTION "note_processed_item"();

CREATE FUNCTION "note_due_reminder"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  -- a recurring one has its next time already
  PERFORM "note_for_hooks"(NEW."user_id", 'reminder.due', jsonb_build_object('id', NEW."id", 'text', NEW."text",
    'due_at', to_char(OLD."due_at" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')));
  RETURN NULL;
END $$;

CREATE TRIGGER "reminders_note_due" AFTER UPDATE OF "fired_at" ON "reminders" FOR EACH ROW
WHEN (NEW."fired_at" IS NOT NULL AND NEW."fired_at" IS DISTINCT FROM OLD."fired_at")
EXECUTE FUNCTION "note_due_reminder"();

CREATE FUNCTION "note_answer"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_for_hooks"("user_id", 'chat.answered',
    jsonb_build_object('session_id', "id", 'message_id', NEW."id", 'title', "session_name"))
  FROM "chat_sessions" WHERE "id" = NEW."session_id";
  RETURN NULL;
END $$;

CREATE TRIGGER "chat_messages_note_answer" AFTER UPDATE OF "state" ON "chat_messages" FOR EACH ROW
WHEN (OLD."state" = 'streaming' AND NEW."state" = 'complete')
EXECUTE FUNCTION "note_answer"();

CREATE FUNCTION "note_ended_run"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_for_hooks"("id", 'automation.run',
    jsonb_build_object('id', NEW."id", 'task_type', NEW."task_type", 'status', NEW."status"))
  FROM "users" WHERE "role" = 'admin' AND "is_active";
  RETURN NULL;
END $$;

CREATE TRIGGER "automation_runs_note_ended" AFTER UPDATE OF "status" ON "automation_runs" FOR EACH ROW
WHEN (NEW."status" IN ('completed', 'failed', 'cancelled') AND OLD."status" <> NEW."status")
EXECUTE FUNCTION "note_ended_run"();
