-- AlterTable
ALTER TABLE "media_steps" ADD COLUMN "worked_ms" INTEGER NOT NULL DEFAULT 0;

-- Where a long step goes on is kept together with how many turns found something before: what a server of another version
-- kept is told by that, and what it found is not taken for ours.
UPDATE "media_steps" s SET "checkpoint" = jsonb_build_object(
  'turns', (SELECT count(*) FROM "media_turns" t WHERE t."media_item_id" = s."media_item_id" AND t."step_name" = s."name"),
  'at', s."checkpoint")
WHERE s."checkpoint" IS NOT NULL;
