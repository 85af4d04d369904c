-- AlterTable
ALTER TABLE "media_steps" ADD COLUMN     "checkpoint" JSONB;
