-- AlterTable
ALTER TABLE "chat_sessions" ADD COLUMN     "archived_at" TIMESTAMPTZ(3),
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];
