-- AlterTable
ALTER TABLE "watched_files" ADD COLUMN     "is_refused" BOOLEAN NOT NULL DEFAULT false;
