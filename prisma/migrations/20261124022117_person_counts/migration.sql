-- CreateTable
CREATE TABLE "person_counts" (
    "user_id" UUID NOT NULL,
    "subject" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "person_counts_pkey" PRIMARY KEY ("user_id","subject")
);

-- AddForeignKey
ALTER TABLE "person_counts" ADD CONSTRAINT "person_counts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What Prisma cannot say: whatever adds or removes conversations and items counts them, in the transaction that does it. What
-- is removed never makes a row: an account that is deleted takes its rows along, perhaps before its items.
CREATE FUNCTION "count_added"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME = 'media_items' THEN
    INSERT INTO person_counts AS kept (user_id, subject, count, bytes)
      SELECT user_id, media_type, count(*), sum(size_bytes) FROM added GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (user_id, subject) DO UPDATE SET count = kept.count + excluded.count, bytes = kept.bytes + excluded.bytes;
  ELSE
    INSERT INTO person_counts AS kept (user_id, subject, count)
      SELECT user_id, 'conversation', count(*) FROM added GROUP BY 1 ORDER BY 1
      ON CONFLICT (user_id, subject) DO UPDATE SET count = kept.count + excluded.count;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "count_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  -- in the order in which whatever adds locks them, so that neither waits for the other for ever
  PERFORM FROM person_counts kept WHERE kept.user_id IN (SELECT user_id FROM removed) ORDER BY kept.user_id, kept.subject FOR UPDATE;
  IF TG_TABLE_NAME = 'media_items' THEN
    UPDATE person_counts kept SET count = kept.count - gone.count, bytes = kept.bytes - gone.bytes
      FROM (SELECT user_id, media_type, count(*), sum(size_bytes) AS bytes FROM removed GROUP BY 1, 2) gone
      WHERE kept.user_id = gone.user_id AND kept.subject = gone.media_type;
  ELSE
    UPDATE person_counts kept SET count = kept.count - gone.count
      FROM (SELECT user_id, count(*) FROM removed GROUP BY 1) gone
      WHERE kept.user_id = gone.user_id AND kept.subject = 'conversation';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "count_changed_item"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM person_counts kept WHERE (kept.user_id, kept.subject) IN ((OLD.user_id, OLD.media_type), (NEW.user_id, NEW.media_type))
    ORDER BY kept.user_id, kept.subject FOR UPDATE;
  UPDATE person_counts SET count = count - 1, bytes = bytes - OLD.size_bytes
    WHERE user_id = OLD.user_id AND subject = OLD.media_type;
  INSERT INTO person_counts AS kept (user_id, subject, count, bytes) VALUES (NEW.user_id, NEW.media_type, 1, NEW.size_bytes)
    ON CONFLICT (user_id, subject) DO UPDATE SET count = kept.count + 1, bytes = kept.bytes + excluded.bytes;
  RETURN NULL;
END $$;

CREATE TRIGGER "media_items_count_added" AFTER INSERT ON "media_items" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "count_added"();
CREATE TRIGGER "media_items_count_removed" AFTER DELETE ON "media_items" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "count_removed"();
-- a note that is written on has another size
CREATE TRIGGER "media_items_count_changed" AFTER UPDATE OF "user_id", "media_type", "size_bytes" ON "media_items" FOR EACH ROW
  WHEN ((OLD.user_id, OLD.media_type, OLD.size_bytes) IS DISTINCT FROM (NEW.user_id, NEW.media_type, NEW.size_bytes))
  EXECUTE FUNCTION "count_changed_item"();
CREATE TRIGGER "chat_sessions_count_added" AFTER INSERT ON "chat_sessions" REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "count_added"();
CREATE TRIGGER "chat_sessions_count_removed" AFTER DELETE ON "chat_sessions" REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "count_removed"();

-- after the triggers, which nobody who writes passes by meanwhile
INSERT INTO "person_counts" ("user_id", "subject", "count", "bytes")
  SELECT "user_id", "media_type", count(*), sum("size_bytes") FROM "media_items" GROUP BY 1, 2
  UNION ALL SELECT "user_id", 'conversation', count(*), 0 FROM "chat_sessions" GROUP BY 1;
