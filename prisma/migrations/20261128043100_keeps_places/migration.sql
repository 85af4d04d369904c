-- AlterTable
ALTER TABLE "users" ADD COLUMN     "keeps_places" BOOLEAN NOT NULL DEFAULT false;
