-- AlterTable
ALTER TABLE "backups" ADD COLUMN     "told" JSONB NOT NULL DEFAULT '[]';
