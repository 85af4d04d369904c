-- AlterTable
ALTER TABLE "media_items" ADD COLUMN     "camera" TEXT,
ADD COLUMN     "details" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "frames_count" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "keeps_place" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "latitude" DOUBLE PRECISION,
ADD COLUMN     "longitude" DOUBLE PRECISION,
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "thumbhash" TEXT,
ADD COLUMN     "wants_caption" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "wants_text" BOOLEAN NOT NULL DEFAULT true;

-- CreateTable
CREATE TABLE "media_steps" (
    "media_item_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "progress" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "engine" TEXT,
    "model" TEXT,
    "error" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "media_steps_pkey" PRIMARY KEY ("media_item_id","name")
);

-- CreateTable
CREATE TABLE "media_parts" (
    "id" UUID NOT NULL,
    "media_item_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "start_seconds" DOUBLE PRECISION,
    "path" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "words" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "media_parts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "media_copies" (
    "media_item_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "width" INTEGER,
    "height" INTEGER,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "media_copies_pkey" PRIMARY KEY ("media_item_id","kind")
);

-- CreateTable
CREATE TABLE "moments" (
    "id" UUID NOT NULL,
    "media_item_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "frame_number" INTEGER,
    "page" INTEGER,
    "start_seconds" DOUBLE PRECISION,
    "end_seconds" DOUBLE PRECISION,
    "character_offset" INTEGER,
    "box" JSONB,
    "body" TEXT NOT NULL,
    "language" TEXT,
    "lang" regconfig NOT NULL DEFAULT 'simple'::regconfig,
    "tsv" tsvector GENERATED ALWAYS AS (to_tsvector(lang, left(body, 100000))) STORED,
    "engine" TEXT NOT NULL,
    "model" TEXT,
    "confidence" DOUBLE PRECISION,
    "locked_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "moments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "embedding_profiles" (
    "id" SERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "engine" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "dimensions" INTEGER NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'filling',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "embedding_profiles_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "moment_embeddings" (
    "moment_id" UUID NOT NULL,
    "profile_id" INTEGER NOT NULL,
    "user_id" UUID NOT NULL,
    "embedding" vector NOT NULL,

    CONSTRAINT "moment_embeddings_pkey" PRIMARY KEY ("moment_id","profile_id")
);

-- CreateTable
CREATE TABLE "part_embeddings" (
    "part_id" UUID NOT NULL,
    "profile_id" INTEGER NOT NULL,
    "user_id" UUID NOT NULL,
    "embedding" vector NOT NULL,

    CONSTRAINT "part_embeddings_pkey" PRIMARY KEY ("part_id","profile_id")
);

-- CreateIndex
CREATE INDEX "media_parts_path_idx" ON "media_parts"("path");

-- CreateIndex
CREATE UNIQUE INDEX "media_parts_media_item_id_kind_number_key" ON "media_parts"("media_item_id", "kind", "number");

-- CreateIndex
CREATE INDEX "media_copies_path_idx" ON "media_copies"("path");

-- CreateIndex
CREATE INDEX "moments_media_item_id_kind_position_idx" ON "moments"("media_item_id", "kind", "position");

-- CreateIndex
CREATE INDEX "moments_user_id_idx" ON "moments"("user_id");

-- CreateIndex
CREATE INDEX "moments_tsv_idx" ON "moments" USING GIN ("tsv");

-- CreateIndex
CREATE INDEX "moments_body_trgm_idx" ON "moments" USING GIN ("body" gin_trgm_ops);

-- CreateIndex
CREATE UNIQUE INDEX "embedding_profiles_kind_engine_model_dimensions_key" ON "embedding_profiles"("kind", "engine", "model", "dimensions");

-- CreateIndex
CREATE INDEX "moment_embeddings_user_id_profile_id_idx" ON "moment_embeddings"("user_id", "profile_id");

-- CreateIndex
CREATE INDEX "part_embeddings_user_id_profile_id_idx" ON "part_embeddings"("user_id", "profile_id");

-- CreateIndex
CREATE INDEX "media_items_user_id_taken_at_idx" ON "media_items"("user_id", "taken_at");

-- CreateIndex
CREATE INDEX "media_items_tags_idx" ON "media_items" USING GIN ("tags");

-- CreateIndex
CREATE INDEX "media_items_processing_status_idx" ON "media_items"("processing_status");

-- AddForeignKey
ALTER TABLE "media_steps" ADD CONSTRAINT "media_steps_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "media_parts" ADD CONSTRAINT "media_parts_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "media_copies" ADD CONSTRAINT "media_copies_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "moments" ADD CONSTRAINT "moments_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "moment_embeddings" ADD CONSTRAINT "moment_embeddings_moment_id_fkey" FOREIGN KEY ("moment_id") REFERENCES "moments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "moment_embeddings" ADD CONSTRAINT "moment_embeddings_profile_id_fkey" FOREIGN KEY ("profile_id") REFERENCES "embedding_profiles"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "part_embeddings" ADD CONSTRAINT "part_embeddings_part_id_fkey" FOREIGN KEY ("part_id") REFERENCES "media_parts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "part_embeddings" ADD CONSTRAINT "part_embeddings_profile_id_fkey" FOREIGN KEY ("profile_id") REFERENCES "embedding_profiles"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whatever removes a row, its file is noted, to be deleted when no other row names it. A file that is replaced is noted too.
CREATE FUNCTION "note_replaced_file"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD."path" <> NEW."path" THEN
    INSERT INTO "loose_files" ("path") VALUES (OLD."path");
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER "media_parts_note_file" AFTER DELETE ON "media_parts" FOR EACH ROW EXECUTE FUNCTION "note_loose_file"();
CREATE TRIGGER "media_parts_note_replaced_file" AFTER UPDATE OF "path" ON "media_parts" FOR EACH ROW EXECUTE FUNCTION "note_replaced_file"();
CREATE TRIGGER "media_copies_note_file" AFTER DELETE ON "media_copies" FOR EACH ROW EXECUTE FUNCTION "note_loose_file"();
CREATE TRIGGER "media_copies_note_replaced_file" AFTER UPDATE OF "path" ON "media_copies" FOR EACH ROW EXECUTE FUNCTION "note_replaced_file"();

-- Lists never hold nothing.
ALTER TABLE "media_items" ALTER COLUMN "tags" SET NOT NULL;

-- Words from a fixed list.
ALTER TABLE "media_steps" ADD CONSTRAINT "media_steps_name_check" CHECK ("name" IN ('inspect', 'frames', 'pages', 'read', 'caption', 'transcribe', 'playback', 'embed', 'look'));
ALTER TABLE "media_steps" ADD CONSTRAINT "media_steps_status_check" CHECK ("status" IN ('pending', 'processing', 'completed', 'skipped', 'failed'));
ALTER TABLE "media_parts" ADD CONSTRAINT "media_parts_kind_check" CHECK ("kind" IN ('picture', 'frame', 'page'));
ALTER TABLE "media_copies" ADD CONSTRAINT "media_copies_kind_check" CHECK ("kind" IN ('thumbnail', 'preview'));
ALTER TABLE "moments" ADD CONSTRAINT "moments_kind_check" CHECK ("kind" IN ('caption', 'text', 'speech', 'name'));
ALTER TABLE "moments" ADD CONSTRAINT "moments_engine_check" CHECK ("engine" IN ('remote', 'local', 'built-in', 'user'));
ALTER TABLE "embedding_profiles" ADD CONSTRAINT "embedding_profiles_kind_check" CHECK ("kind" IN ('text', 'image'));
ALTER TABLE "embedding_profiles" ADD CONSTRAINT "embedding_profiles_state_check" CHECK ("state" IN ('filling', 'active', 'old'));

-- Shapes and figures.
ALTER TABLE "media_steps" ADD CONSTRAINT "media_steps_figures_check" CHECK ("progress" BETWEEN 0 AND 1 AND "attempts" >= 0);
ALTER TABLE "media_parts" ADD CONSTRAINT "media_parts_figures_check" CHECK ("number" >= 1 AND "start_seconds" >= 0 AND "size_bytes" > 0 AND "width" > 0 AND "height" > 0);
ALTER TABLE "media_copies" ADD CONSTRAINT "media_copies_figures_check" CHECK ("size_bytes" > 0);
ALTER TABLE "moments" ADD CONSTRAINT "moments_figures_check" CHECK ("body" <> '' AND "start_seconds" >= 0 AND "end_seconds" >= "start_seconds" AND "confidence" BETWEEN 0 AND 1);
ALTER TABLE "embedding_profiles" ADD CONSTRAINT "embedding_profiles_dimensions_check" CHECK ("dimensions" BETWEEN 1 AND 16000);
-- One profile of each kind is searched.
CREATE UNIQUE INDEX "embedding_profiles_active_key" ON "embedding_profiles" ("kind") WHERE "state" = 'active';
