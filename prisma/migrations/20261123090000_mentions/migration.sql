-- AlterTable
ALTER TABLE "chat_messages" ADD COLUMN     "mentions" JSONB NOT NULL DEFAULT '[]';
