-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "pinned_at" TIMESTAMPTZ(3);

-- First messages of a conversation: siblings that have no parent to be found by.
CREATE INDEX "chat_messages_first_idx" ON "chat_messages" ("session_id", "created_at", "id") WHERE "parent_id" IS NULL;
