-- AlterTable
ALTER TABLE "backups" ADD COLUMN     "lacking" JSONB,
ALTER COLUMN "made_here" SET DEFAULT false;
