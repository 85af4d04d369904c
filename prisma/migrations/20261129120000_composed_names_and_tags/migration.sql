-- Names and tags are looked for in one form of their accents (NFC); Macs had stored them with accents of their own.
-- What an import added comes first: a trigger forgets those of its tags that an item hasn't.
UPDATE "imported_facts" SET
  "tags" = ARRAY(
    SELECT normalize(tag) FROM unnest("tags") WITH ORDINALITY AS given (tag, place) GROUP BY 1 ORDER BY min(place)),
  "shared_tags" = ARRAY(
    SELECT normalize(tag) FROM unnest("shared_tags") WITH ORDINALITY AS given (tag, place) GROUP BY 1 ORDER BY min(place))
WHERE array_to_string("tags" || "shared_tags", E'\n') IS NOT NFC NORMALIZED;

UPDATE "media_items" SET "tags" = ARRAY(
  SELECT normalize(tag) FROM unnest("tags") WITH ORDINALITY AS given (tag, place) GROUP BY 1 ORDER BY min(place))
WHERE "tags" <> '{}' AND array_to_string("tags", E'\n') IS NOT NFC NORMALIZED;

UPDATE "media_items" SET "original_filename" = normalize("original_filename")
WHERE "original_filename" IS NOT NFC NORMALIZED;
