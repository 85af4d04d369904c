-- How rare a word is decides what it tells: the index of moments leaves no word out, and it knows texts whose scripts put
-- no space between words. The column keeps what is in it, so that moments are found while they wait for their new words:
-- where indexed_as is null, a job brings them up to date.

-- Text search objects are dropped first because restoring an archive empties a database of its tables and functions alone.
DROP TEXT SEARCH CONFIGURATION IF EXISTS public."english_words", public."spanish_words", public."french_words", public."german_words";
DROP TEXT SEARCH DICTIONARY IF EXISTS public."english_words", public."spanish_words", public."french_words", public."german_words";
CREATE TEXT SEARCH DICTIONARY public."english_words" (TEMPLATE = snowball, Language = english);
CREATE TEXT SEARCH DICTIONARY public."spanish_words" (TEMPLATE = snowball, Language = spanish);
CREATE TEXT SEARCH DICTIONARY public."french_words" (TEMPLATE = snowball, Language = french);
CREATE TEXT SEARCH DICTIONARY public."german_words" (TEMPLATE = snowball, Language = german);
CREATE TEXT SEARCH CONFIGURATION public."english_words" (COPY = pg_catalog.english);
CREATE TEXT SEARCH CONFIGURATION public."spanish_words" (COPY = pg_catalog.spanish);
CREATE TEXT SEARCH CONFIGURATION public."french_words" (COPY = pg_catalog.french);
CREATE TEXT SEARCH CONFIGURATION public."german_words" (COPY = pg_catalog.german);
ALTER TEXT SEARCH CONFIGURATION public."english_words" ALTER MAPPING REPLACE english_stem WITH public."english_words";
ALTER TEXT SEARCH CONFIGURATION public."spanish_words" ALTER MAPPING REPLACE spanish_stem WITH public."spanish_words";
ALTER TEXT SEARCH CONFIGURATION public."french_words" ALTER MAPPING REPLACE french_stem WITH public."french_words";
ALTER TEXT SEARCH CONFIGURATION public."german_words" ALTER MAPPING REPLACE german_stem WITH public."german_words";

ALTER TABLE "moments" ALTER COLUMN "tsv" DROP EXPRESSION;
ALTER TABLE "moments" ADD COLUMN "indexed_as" SMALLINT;
CREATE INDEX "moments_not_indexed_idx" ON "moments" ("id") WHERE "indexed_as" IS NULL;

-- The words of a text as they are looked for: stems in its language, the parts of what holds punctuation, and of scripts
-- without spaces each pair of neighbours and the last character of a stretch (features/memory/tokens.ts reads queries so).
CREATE FUNCTION "moment_words"(lang regconfig, body text) RETURNS tsvector LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  unspaced CONSTANT text := '[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\U00020000-\U0003FFFF]+';
  -- inside of what the parser takes in one piece: addresses, names of files, numbers
  joining CONSTANT text := '[-_./@:''’&=?%#~+*|<>\\]';
  configuration CONSTANT regconfig := CASE lang::text
    WHEN 'english' THEN 'public.english_words' WHEN 'spanish' THEN 'public.spanish_words'
    WHEN 'french' THEN 'public.french_words' WHEN 'german' THEN 'public.german_words' ELSE lang::text END;
  plain text := left(body, 100000);
  pairs text;
BEGIN
  IF plain IS NOT NFC NORMALIZED THEN plain := normalize(plain, NFC); END IF;
  plain := regexp_replace(plain, joining, ' ', 'g');
  IF plain !~ unspaced THEN RETURN to_tsvector(configuration, plain); END IF;
  SELECT string_agg(format('''%s'':%s', pair, least(place, 16383)), ' ') INTO pairs FROM (
    SELECT symbol || coalesce(lead(symbol) OVER (PARTITION BY stretch ORDER BY i), '') AS pair,
      row_number() OVER (ORDER BY stretch, i) AS place
    FROM regexp_matches(plain, '(' || unspaced || ')', 'g') WITH ORDINALITY AS found (texts, stretch),
      unnest(string_to_array(texts[1], NULL)) WITH ORDINALITY AS symbols (symbol, i)
    LIMIT 30000
  ) placed;
  RETURN to_tsvector(configuration, regexp_replace(plain, unspaced, ' ', 'g')) || pairs::tsvector;
END
$$;

CREATE FUNCTION "index_moment"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."tsv" := public."moment_words"(NEW."lang", NEW."body");
  NEW."indexed_as" := 1;
  RETURN NEW;
END
$$;
CREATE TRIGGER "moments_index" BEFORE INSERT OR UPDATE OF "body", "lang" ON "moments" FOR EACH ROW
  EXECUTE FUNCTION "index_moment"();
