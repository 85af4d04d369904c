-- CreateTable
CREATE TABLE "chat_message_images" (
    "id" UUID NOT NULL,
    "message_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "chat_message_images_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "media_items" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "media_type" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "original_filename" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "width" INTEGER,
    "height" INTEGER,
    "duration_seconds" DOUBLE PRECISION,
    "page_count" INTEGER,
    "taken_at" TIMESTAMPTZ(3),
    "caption" TEXT,
    "extracted_text" TEXT,
    "transcription" TEXT,
    "processing_status" TEXT NOT NULL DEFAULT 'pending',
    "error" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "media_items_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "loose_files" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "path" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "loose_files_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "chat_message_images_path_idx" ON "chat_message_images"("path");

-- CreateIndex
CREATE UNIQUE INDEX "chat_message_images_message_id_position_key" ON "chat_message_images"("message_id", "position");

-- CreateIndex
CREATE INDEX "media_items_user_id_created_at_id_idx" ON "media_items"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "media_items_path_idx" ON "media_items"("path");

-- CreateIndex
CREATE UNIQUE INDEX "media_items_user_id_sha256_key" ON "media_items"("user_id", "sha256");

-- CreateIndex
CREATE INDEX "loose_files_due_at_idx" ON "loose_files"("due_at");

-- CreateIndex
CREATE INDEX "loose_files_path_idx" ON "loose_files"("path");

-- AddForeignKey
ALTER TABLE "chat_message_images" ADD CONSTRAINT "chat_message_images_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "chat_messages"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whatever removes a row (its message, branch, conversation or account), its file is noted, to be deleted when no other row names it.
CREATE FUNCTION "note_loose_file"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "loose_files" ("path") VALUES (OLD."path");
  RETURN NULL;
END
$$;
CREATE TRIGGER "chat_message_images_note_file" AFTER DELETE ON "chat_message_images" FOR EACH ROW EXECUTE FUNCTION "note_loose_file"();
CREATE TRIGGER "media_items_note_file" AFTER DELETE ON "media_items" FOR EACH ROW EXECUTE FUNCTION "note_loose_file"();

-- Words from a fixed list.
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_media_type_check" CHECK ("media_type" IN ('image', 'video', 'audio', 'document'));
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_processing_status_check" CHECK ("processing_status" IN ('pending', 'processing', 'completed', 'failed'));

-- Shapes and figures.
ALTER TABLE "chat_message_images" ADD CONSTRAINT "chat_message_images_sha256_check" CHECK ("sha256" ~ '^[0-9a-f]{64}$');
ALTER TABLE "chat_message_images" ADD CONSTRAINT "chat_message_images_figures_check" CHECK ("position" >= 0 AND "size_bytes" > 0 AND "width" > 0 AND "height" > 0);
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_sha256_check" CHECK ("sha256" ~ '^[0-9a-f]{64}$');
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_figures_check" CHECK ("size_bytes" > 0 AND "width" > 0 AND "height" > 0 AND "duration_seconds" >= 0 AND "page_count" >= 0);
