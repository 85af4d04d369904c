-- CreateTable
CREATE TABLE "effect_images" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "effect_name" TEXT NOT NULL,
    "recipe" JSONB NOT NULL,
    "prompt" TEXT,
    "source_filename" TEXT NOT NULL,
    "source_media_id" UUID,
    "path" TEXT NOT NULL,
    "sha256" TEXT NOT NULL,
    "size_bytes" INTEGER NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "effect_images_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "effect_recipes" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "steps" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "effect_recipes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "effect_images_user_id_created_at_id_idx" ON "effect_images"("user_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "effect_images_path_idx" ON "effect_images"("path");

-- CreateIndex
CREATE UNIQUE INDEX "effect_recipes_user_id_name_key" ON "effect_recipes"("user_id", "name");

-- AddForeignKey
ALTER TABLE "effect_images" ADD CONSTRAINT "effect_images_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "effect_recipes" ADD CONSTRAINT "effect_recipes_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Whatever removes a row, its file is noted, to be deleted when no other row names it.
CREATE TRIGGER "effect_images_note_file" AFTER DELETE ON "effect_images" FOR EACH ROW EXECUTE FUNCTION "note_loose_file"();

-- Shapes and figures.
ALTER TABLE "effect_images" ADD CONSTRAINT "effect_images_sha256_check" CHECK ("sha256" ~ '^[0-9a-f]{64}$');
ALTER TABLE "effect_images" ADD CONSTRAINT "effect_images_figures_check" CHECK ("size_bytes" > 0 AND "width" > 0 AND "height" > 0);
