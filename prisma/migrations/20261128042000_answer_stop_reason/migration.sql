-- AlterTable
ALTER TABLE "chat_messages" ADD COLUMN     "stop_reason" TEXT;
