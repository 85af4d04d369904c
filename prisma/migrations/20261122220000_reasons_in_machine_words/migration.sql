-- AlterTable
ALTER TABLE "media_items" ADD COLUMN     "error_told" JSONB NOT NULL DEFAULT '[]';

-- AlterTable
ALTER TABLE "media_steps" ADD COLUMN     "error_told" JSONB NOT NULL DEFAULT '[]';
