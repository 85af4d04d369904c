-- AlterTable
ALTER TABLE "chat_messages" ADD COLUMN     "reasoning" TEXT;
