-- AlterTable
ALTER TABLE "media_steps" ADD COLUMN     "checkpoint" JSONB;

-- AlterTable
ALTER TABLE "partial_uploads" ADD COLUMN     "import_id" UUID,
ADD COLUMN     "import_source" TEXT,
ADD COLUMN     "is_import_preview" BOOLEAN NOT NULL DEFAULT false;
