-- Whoever was allowed some agents could use all else that answers have so far.
UPDATE "personas"
SET "tools" = "tools" || '["search_memory", "remember", "search_web", "read_page", "make_picture"]'::jsonb
WHERE "tools" IS NOT NULL AND jsonb_typeof("tools") = 'array';
