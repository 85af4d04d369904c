-- AlterTable
ALTER TABLE "backups" ADD COLUMN     "problems" INTEGER NOT NULL DEFAULT 0;
