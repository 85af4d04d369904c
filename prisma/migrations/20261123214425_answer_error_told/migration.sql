-- AlterTable
ALTER TABLE "chat_messages" ADD COLUMN     "error_told" JSONB NOT NULL DEFAULT '[]';
