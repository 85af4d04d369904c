-- Words are looked for as a reader sees them: one that a hyphen parts at the end of a line is whole, too, ligatures and full-width
-- letters are plain ones, and what is not seen does not count. The text itself keeps what it has.

-- The form in which the words of a text are looked for (lib/searched-form.ts reads queries so). U+001F stands where a word
-- goes on behind a break that may be part of it.
CREATE FUNCTION "searched_form"(body text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  unspaced CONSTANT text := '[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\U00020000-\U0003FFFF]';
  letter CONSTANT text := '[^[:space:][:punct:][:cntrl:]0-9]';
  plain text := body;
BEGIN
  IF octet_length(plain) > length(plain) THEN
    IF plain IS NOT NFKC NORMALIZED THEN
      -- raised digits behind a word or a number belong to a footnote or a power, fractions stand behind their whole number
      plain := regexp_replace(plain, '(' || letter || '{4}|[0-9])([\u00B2\u00B3\u00B9\u2070-\u2079])', '\1 \2', 'g');
      plain := regexp_replace(plain, '([0-9])([\u00BC-\u00BE\u2150-\u215E])', '\1 \2', 'g');
      plain := normalize(plain, NFKC);
    END IF;
    plain := regexp_replace(plain, '(' || letter || ')[-\u00AD\u2010][ \t\r]*\n[ \t\r]*(?:>[ \t\r]*)*(?=[^[:space:][:punct:][:cntrl:]])', E'\\1\x1f', 'g');
    IF plain ~ '[\u00AD\u034F\u061C\u0640\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFE00-\uFE0F\uFEFF]' THEN
      -- it keeps the parts of an Arabic or Persian word apart
      plain := regexp_replace(plain, '([\u0620-\u06D3])\u200C(?=[\u0620-\u06D3])', E'\\1\x1f', 'g');
      plain := regexp_replace(plain, '[\u00AD\u034F\u061C\u0640\u180E\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFE00-\uFE0F\uFEFF]+', '', 'g');
    END IF;
    IF plain ~ unspaced THEN
      plain := regexp_replace(plain, '(' || unspaced || ')[ \t\r]*\n[ \t\r]*(?=' || unspaced || ')', '\1', 'g');
    END IF;
    RETURN plain;
  END IF;
  IF plain ~ '-[ \t\r]*\n' THEN
    plain := regexp_replace(plain, '([A-Za-z])-[ \t\r]*\n[ \t\r]*(?:>[ \t\r]*)*(?=[A-Za-z0-9])', E'\\1\x1f', 'g');
  END IF;
  RETURN plain;
END
$$;

-- A text in which words that were broken are whole, for phrases.
CREATE FUNCTION "whole_words"(body text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT replace(public."searched_form"(body), E'\x1f', '')
$$;

-- The words of a text as they are looked for: stems in its language, the parts of what holds punctuation, of a word that was
-- broken its parts and the whole, and of scripts without spaces each pair of neighbours and the last character of a stretch.
CREATE OR REPLACE FUNCTION "moment_words"(lang regconfig, body text) RETURNS tsvector LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
  unspaced CONSTANT text := '[\u0E00-\u0EFF\u1000-\u109F\u1780-\u17FF\u3005-\u3007\u3040-\u30FF\u31F0-\u31FF\u3400-\u4DBF\u4E00-\u9FFF\uAC00-\uD7AF\uF900-\uFAFF\U00020000-\U0003FFFF]+';
  -- inside of what the parser takes in one piece: addresses, names of files, numbers
  joining CONSTANT text := '[-_./@:''’&=?%#~+*|<>\\]';
  configuration CONSTANT regconfig := CASE lang::text
    WHEN 'english' THEN 'public.english_words' WHEN 'spanish' THEN 'public.spanish_words'
    WHEN 'french' THEN 'public.french_words' WHEN 'german' THEN 'public.german_words' ELSE lang::text END;
  plain text := public."searched_form"(left(body, 100000));
  pairs text;
BEGIN
  plain := regexp_replace(plain, joining, ' ', 'g');
  IF strpos(plain, E'\x1f') > 0 THEN
    SELECT plain || ' ' || string_agg(replace(texts[1], E'\x1f', ''), ' ') INTO plain
      FROM regexp_matches(plain, '[^[:space:]\x1f]+(?:\x1f[^[:space:]\x1f]+)+', 'g') AS found (texts);
    plain := replace(plain, E'\x1f', ' ');
  END IF;
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

CREATE OR REPLACE FUNCTION "index_moment"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW."tsv" := public."moment_words"(NEW."lang", NEW."body");
  NEW."indexed_as" := 2;
  RETURN NEW;
END
$$;

-- The job that renews words begins anew: a new column is empty without a row being written. Words that are there are found meanwhile.
ALTER TABLE "moments" DROP COLUMN "indexed_as";
ALTER TABLE "moments" ADD COLUMN "indexed_as" SMALLINT;
CREATE INDEX "moments_not_indexed_idx" ON "moments" ("id") WHERE "indexed_as" IS NULL;
