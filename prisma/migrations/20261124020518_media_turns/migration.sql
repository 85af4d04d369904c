-- CreateTable
CREATE TABLE "media_turns" (
    "media_item_id" UUID NOT NULL,
    "step_name" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "found" JSONB NOT NULL,

    CONSTRAINT "media_turns_pkey" PRIMARY KEY ("media_item_id","step_name","number")
);

-- AddForeignKey
ALTER TABLE "media_turns" ADD CONSTRAINT "media_turns_media_item_id_step_name_fkey" FOREIGN KEY ("media_item_id", "step_name") REFERENCES "media_steps"("media_item_id", "name") ON DELETE CASCADE ON UPDATE CASCADE;

-- What was found so far stood in the checkpoint, and was written again with each turn: it becomes the first turn.
-- A text that may go on in the next frame of a film stays in the checkpoint.
INSERT INTO "media_turns" ("media_item_id", "step_name", "number", "found")
SELECT "media_item_id", "name", 1,
  CASE WHEN "checkpoint" ? 'moments' THEN "checkpoint" -> 'moments'
    WHEN "checkpoint" #> '{texts,-1,endSeconds}' = 'null' THEN ("checkpoint" -> 'texts') - -1
    ELSE "checkpoint" -> 'texts' END
FROM "media_steps"
WHERE jsonb_typeof("checkpoint" -> 'moments') = 'array' OR jsonb_typeof("checkpoint" -> 'texts') = 'array';

UPDATE "media_steps" SET "checkpoint" = ("checkpoint" - 'texts') || jsonb_build_object('open',
  CASE WHEN "checkpoint" #> '{texts,-1,endSeconds}' = 'null' THEN "checkpoint" #> '{texts,-1}' END)
WHERE jsonb_typeof("checkpoint" -> 'texts') = 'array';

-- Of a PDF only the pages that are left to be read are kept.
UPDATE "media_steps" SET "checkpoint" = ("checkpoint" - '{moments,little}'::text[]) || (
  SELECT jsonb_build_object('nextPage', NULL, 'characters', 0,
    'left', coalesce(jsonb_agg(page ORDER BY n) FILTER (WHERE n > ("checkpoint" ->> 'done')::int), '[]'),
    'added', count(*) FILTER (WHERE page ? 'isAdded'), 'bare', count(*) FILTER (WHERE NOT page ? 'isAdded'))
  FROM jsonb_array_elements("checkpoint" -> 'little') WITH ORDINALITY AS pages (page, n))
WHERE jsonb_typeof("checkpoint" -> 'little') = 'array';

UPDATE "media_steps" SET "checkpoint" = "checkpoint" - 'moments' WHERE "checkpoint" ? 'moments';
