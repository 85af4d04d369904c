-- A text search vector holds one megabyte: that of a long answer of many different words would not fit, and the answer
-- could not be stored. What an older PostgreSQL cannot do in place is dropped and made anew.
ALTER TABLE "chat_messages" DROP COLUMN "tsv";
ALTER TABLE "chat_messages"
  ADD COLUMN "tsv" tsvector GENERATED ALWAYS AS (to_tsvector(lang, left(content, 100000))) STORED;

-- CreateIndex
CREATE INDEX "chat_messages_tsv_idx" ON "chat_messages" USING GIN ("tsv");
