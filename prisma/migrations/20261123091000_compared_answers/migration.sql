-- AlterTable
ALTER TABLE "chat_answers" ADD COLUMN     "is_beside" BOOLEAN NOT NULL DEFAULT false;

-- One answer at a time goes on with a conversation; those that are compared with it are made beside it.
DROP INDEX "chat_answers_running_key";
CREATE UNIQUE INDEX "chat_answers_running_key" ON "chat_answers" ("session_id") WHERE "finished_at" IS NULL AND NOT "is_beside";
