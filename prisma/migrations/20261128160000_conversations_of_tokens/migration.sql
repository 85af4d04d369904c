-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "chat_token_id" UUID;
