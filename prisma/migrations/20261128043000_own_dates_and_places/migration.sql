-- What was known so far is what files and other programs tell. What holds is made of that and of what people say.
DROP INDEX "media_items_user_id_taken_at_idx";
DROP INDEX "media_items_time_idx";

ALTER TABLE "media_items" RENAME COLUMN "taken_at" TO "found_taken_at";
ALTER TABLE "media_items" RENAME COLUMN "latitude" TO "found_latitude";
ALTER TABLE "media_items" RENAME COLUMN "longitude" TO "found_longitude";

ALTER TABLE "media_items" ADD COLUMN     "found_taken_local" TIMESTAMP(3),
ADD COLUMN     "own_taken_at" TIMESTAMPTZ(3),
ADD COLUMN     "own_taken_local" TIMESTAMP(3),
ADD COLUMN     "own_latitude" DOUBLE PRECISION,
ADD COLUMN     "own_longitude" DOUBLE PRECISION;

-- The clock stood among the details.
UPDATE "media_items" SET "details" = "details" - 'taken_local',
  "found_taken_local" = CASE WHEN "details" ->> 'taken_local' ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$' THEN ("details" ->> 'taken_local')::timestamp END
WHERE "details" ? 'taken_local';

ALTER TABLE "media_items"
ADD COLUMN     "taken_at" TIMESTAMPTZ(3) GENERATED ALWAYS AS (COALESCE(own_taken_at, found_taken_at)) STORED,
ADD COLUMN     "taken_local" TIMESTAMP(3) GENERATED ALWAYS AS (COALESCE(own_taken_local, found_taken_local, (found_taken_at AT TIME ZONE 'UTC'::text))) STORED,
ADD COLUMN     "latitude" DOUBLE PRECISION GENERATED ALWAYS AS (COALESCE(own_latitude, found_latitude)) STORED,
ADD COLUMN     "longitude" DOUBLE PRECISION GENERATED ALWAYS AS (COALESCE(own_longitude, found_longitude)) STORED,
ADD CONSTRAINT "media_items_own_taken_check" CHECK (("own_taken_at" IS NULL) = ("own_taken_local" IS NULL)),
ADD CONSTRAINT "media_items_own_place_check" CHECK (("own_latitude" IS NULL) = ("own_longitude" IS NULL));

-- CreateIndex
CREATE INDEX "media_items_user_id_taken_local_idx" ON "media_items"("user_id", "taken_local");

-- What the library is sorted by, as its queries say it.
CREATE INDEX "media_items_time_idx" ON "media_items" ("user_id", coalesce("taken_local", "created_at" AT TIME ZONE 'UTC') DESC, "id" DESC);
