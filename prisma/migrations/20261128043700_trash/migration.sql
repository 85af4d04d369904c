-- AlterTable
ALTER TABLE "agent_runs" ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "chat_session_figures" ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "trashed_at" TIMESTAMPTZ(3),
ADD COLUMN     "trashed_from" UUID,
ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "media_items" ADD COLUMN     "trashed_at" TIMESTAMPTZ(3),
ADD COLUMN     "trashed_from" UUID,
ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "media_parts" ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "moment_embeddings" ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "moments" ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "part_embeddings" ALTER COLUMN "user_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "trashed_at" TIMESTAMPTZ(3),
ADD COLUMN     "was_active" BOOLEAN NOT NULL DEFAULT true;

-- AddForeignKey
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_trashed_from_fkey" FOREIGN KEY ("trashed_from") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_trashed_from_fkey" FOREIGN KEY ("trashed_from") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: a row is a person's or in somebody's trash, and the trash is short.
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_trash_check"
  CHECK (num_nonnulls("user_id", "trashed_from") = 1 AND num_nonnulls("trashed_from", "trashed_at") <> 1);
ALTER TABLE "chat_sessions" ADD CONSTRAINT "chat_sessions_trash_check"
  CHECK (num_nonnulls("user_id", "trashed_from") = 1 AND num_nonnulls("trashed_from", "trashed_at") <> 1);
ALTER TABLE "users" ADD CONSTRAINT "users_trash_check" CHECK ("trashed_at" IS NULL OR NOT "is_active");
CREATE INDEX "media_items_trash_idx" ON "media_items" ("trashed_from", "trashed_at") WHERE "trashed_from" IS NOT NULL;
CREATE INDEX "chat_sessions_trash_idx" ON "chat_sessions" ("trashed_from", "trashed_at") WHERE "trashed_from" IS NOT NULL;
-- The same bytes are one item of a person, in the trash or not: who adds them again gets them back.
CREATE UNIQUE INDEX "media_items_trash_sha256_key" ON "media_items" (coalesce("user_id", "trashed_from"), "sha256");

-- What repeats whose an item is follows it into the trash and back, so that no search needs another condition.
CREATE FUNCTION "follow_item"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE media_parts SET user_id = NEW.user_id WHERE media_item_id = NEW.id;
  UPDATE part_embeddings SET user_id = NEW.user_id
    WHERE part_id IN (SELECT id FROM media_parts WHERE media_item_id = NEW.id);
  UPDATE moments SET user_id = NEW.user_id WHERE media_item_id = NEW.id;
  UPDATE moment_embeddings SET user_id = NEW.user_id
    WHERE moment_id IN (SELECT id FROM moments WHERE media_item_id = NEW.id);
  RETURN NULL;
END $$;
CREATE TRIGGER "media_items_followed" AFTER UPDATE OF "user_id" ON "media_items" FOR EACH ROW
  WHEN (OLD."user_id" IS DISTINCT FROM NEW."user_id") EXECUTE FUNCTION "follow_item"();

CREATE FUNCTION "follow_session"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chat_session_figures SET user_id = NEW.user_id WHERE session_id = NEW.id;
  UPDATE agent_runs SET user_id = NEW.user_id WHERE session_id = NEW.id;
  UPDATE person_counts SET count = count - 1 WHERE user_id = OLD.user_id AND subject = 'conversation';
  INSERT INTO person_counts AS kept (user_id, subject, count) SELECT NEW.user_id, 'conversation', 1 WHERE NEW.user_id IS NOT NULL
    ON CONFLICT (user_id, subject) DO UPDATE SET count = kept.count + 1;
  RETURN NULL;
END $$;
CREATE TRIGGER "chat_sessions_followed" AFTER UPDATE OF "user_id" ON "chat_sessions" FOR EACH ROW
  WHEN (OLD."user_id" IS DISTINCT FROM NEW."user_id") EXECUTE FUNCTION "follow_session"();

-- Nobody's items and figures are counted.
CREATE OR REPLACE FUNCTION "count_changed_item"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM person_counts kept WHERE (kept.user_id, kept.subject) IN ((OLD.user_id, OLD.media_type), (NEW.user_id, NEW.media_type))
    ORDER BY kept.user_id, kept.subject FOR UPDATE;
  UPDATE person_counts SET count = count - 1, bytes = bytes - OLD.size_bytes
    WHERE user_id = OLD.user_id AND subject = OLD.media_type;
  INSERT INTO person_counts AS kept (user_id, subject, count, bytes)
    SELECT NEW.user_id, NEW.media_type, 1, NEW.size_bytes WHERE NEW.user_id IS NOT NULL
    ON CONFLICT (user_id, subject) DO UPDATE SET count = kept.count + 1, bytes = kept.bytes + excluded.bytes;
  RETURN NULL;
END $$;

CREATE FUNCTION "figure_person_moved"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE chat_person_figures SET timed_answers = timed_answers - OLD.timed_answers,
      response_ms = response_ms - OLD.response_ms, agent_calls = agent_calls - OLD.agent_calls
    WHERE user_id = OLD.user_id;
  INSERT INTO chat_person_figures AS kept (user_id, timed_answers, response_ms, agent_calls)
    SELECT NEW.user_id, NEW.timed_answers, NEW.response_ms, NEW.agent_calls WHERE NEW.user_id IS NOT NULL
    ON CONFLICT (user_id) DO UPDATE SET timed_answers = kept.timed_answers + excluded.timed_answers,
      response_ms = kept.response_ms + excluded.response_ms, agent_calls = kept.agent_calls + excluded.agent_calls;
  RETURN NULL;
END $$;
DROP TRIGGER "chat_session_figures_person_added" ON "chat_session_figures";
DROP TRIGGER "chat_session_figures_person_changed" ON "chat_session_figures";
CREATE TRIGGER "chat_session_figures_person_added" AFTER INSERT ON "chat_session_figures" FOR EACH ROW
  WHEN (NEW.user_id IS NOT NULL AND (NEW.timed_answers, NEW.agent_calls) <> (0, 0)) EXECUTE FUNCTION "figure_person"();
CREATE TRIGGER "chat_session_figures_person_changed" AFTER UPDATE ON "chat_session_figures" FOR EACH ROW
  WHEN (OLD.user_id = NEW.user_id
    AND (OLD.timed_answers, OLD.response_ms, OLD.agent_calls) <> (NEW.timed_answers, NEW.response_ms, NEW.agent_calls))
  EXECUTE FUNCTION "figure_person"();
CREATE TRIGGER "chat_session_figures_person_moved" AFTER UPDATE OF "user_id" ON "chat_session_figures" FOR EACH ROW
  WHEN (OLD.user_id IS DISTINCT FROM NEW.user_id) EXECUTE FUNCTION "figure_person_moved"();
