-- AlterTable
ALTER TABLE "chat_messages" ADD COLUMN     "read_outside" BOOLEAN NOT NULL DEFAULT false;
