-- AlterTable
ALTER TABLE "backups" ADD COLUMN     "made_here" BOOLEAN NOT NULL DEFAULT true;
