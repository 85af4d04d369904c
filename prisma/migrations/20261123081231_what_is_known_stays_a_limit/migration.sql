-- AlterTable
ALTER TABLE "personas" ADD COLUMN     "limited" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "projects" ADD COLUMN     "limited" BOOLEAN NOT NULL DEFAULT false;

-- What has items or a search now was limited to them so far.
UPDATE "projects" SET "limited" = true
WHERE "search" IS NOT NULL OR EXISTS (SELECT FROM "project_items" k WHERE k."project_id" = "projects"."id");
UPDATE "personas" SET "limited" = true
WHERE EXISTS (SELECT FROM "persona_items" k WHERE k."persona_id" = "personas"."id");
