-- Servers of the version before that delete a conversation lock messages first, and what was imported afterwards.
LOCK TABLE "chat_messages" IN ACCESS EXCLUSIVE MODE;

-- How far the reading of a file is.
ALTER TABLE "imports" ADD COLUMN "read_bytes" BIGINT, ADD COLUMN "read_of_bytes" BIGINT;

-- Conversations are stored first, and made findable afterwards: writing the indexes of words takes far longer than the rows.
ALTER TABLE "imported_things" ADD COLUMN "is_searched" BOOLEAN NOT NULL DEFAULT true;
ALTER TABLE "chat_messages" ALTER COLUMN "lang" DROP NOT NULL;

-- What Prisma cannot say: conversations that are not findable yet, and the trigrams of the messages that are.
CREATE INDEX "imported_things_unsearched_idx" ON "imported_things" ("import_id", "id") WHERE NOT "is_searched";
DROP INDEX "chat_messages_content_trgm_idx";
CREATE INDEX "chat_messages_searched_content_trgm_idx" ON "chat_messages" USING GIN ("content" gin_trgm_ops) WHERE "lang" IS NOT NULL;
