-- What Prisma cannot say: a search asks for tags whatever their case, and without an index it read every item that a person
-- has. The index holds those with tags alone; its expression is that of the search (features/memory/scope.ts).
CREATE FUNCTION "lower_case"("words" TEXT[]) RETURNS TEXT[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
  AS $$ SELECT ARRAY(SELECT lower(word) FROM unnest($1) AS given (word)) $$;

CREATE INDEX "media_items_tags_lower_case_idx" ON "media_items" USING gin ("lower_case"("tags")) WHERE "tags" <> '{}';
