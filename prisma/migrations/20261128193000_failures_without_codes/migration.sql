-- Earlier versions stored some failures as text alone, which may name servers and settings. As a code with the text for administrators,
-- they are worded for each reader like all others.
CREATE FUNCTION pg_temp.from_before("said" TEXT) RETURNS JSONB LANGUAGE sql AS $$
  SELECT jsonb_build_array(jsonb_build_object('code', 'from_before', 'params', jsonb_build_object('said', said)))
$$;

-- The sentences of these two codes name nothing, now as then.
UPDATE "chat_messages" SET "error_told" = pg_temp.from_before("error")
WHERE "error" <> '' AND "error_told" = '[]' AND "error_code" NOT IN ('answer_too_long', 'internal_error');

UPDATE "chat_messages" SET "agent_calls" = (
  SELECT jsonb_agg(
    CASE WHEN call->>'state' = 'failed' AND call->>'summary' <> ''
      THEN call || jsonb_build_object('summary_told', pg_temp.from_before(call->>'summary')) ELSE call END
    ORDER BY place)
  FROM jsonb_array_elements("agent_calls") WITH ORDINALITY AS calls (call, place))
WHERE "agent_calls" @> '[{"state": "failed"}]';

UPDATE "media_items" SET "error_told" = pg_temp.from_before("error") WHERE "error" <> '' AND "error_told" = '[]';

UPDATE "media_steps" SET "error_told" = pg_temp.from_before("error") WHERE "error" <> '' AND "error_told" = '[]';

UPDATE "notifications" SET "params" = "params" || jsonb_build_object('told', pg_temp.from_before("params"->>'reason'))
WHERE "params"->>'reason' <> '' AND NOT "params" ? 'told';

UPDATE "hook_notices" SET "data" = "data" || jsonb_build_object('error_told', pg_temp.from_before("data"->>'error'))
WHERE "data"->>'error' <> '' AND NOT "data" ? 'error_told';

-- Events of answers that ended are made again from their messages.
DELETE FROM "chat_answers" WHERE "finished_at" IS NOT NULL;

-- Hooks send words for users; the codes from which they are made stay here.
CREATE OR REPLACE FUNCTION "note_processed_item"() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "note_for_hooks"(
    NEW."user_id",
    CASE NEW."processing_status" WHEN 'failed' THEN 'media.failed' ELSE 'media.done' END,
    jsonb_build_object('id', NEW."id", 'title', NEW."original_filename", 'media_type', NEW."media_type")
      || CASE NEW."processing_status"
        WHEN 'failed' THEN jsonb_build_object('error', coalesce(NEW."error", ''), 'error_told', NEW."error_told")
        ELSE '{}' END);
  RETURN NULL;
END $$;
