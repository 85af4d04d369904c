-- CreateIndex
CREATE INDEX "media_items_user_id_size_bytes_idx" ON "media_items"("user_id", "size_bytes" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "media_items_original_filename_trgm_idx" ON "media_items" USING GIN ("original_filename" gin_trgm_ops);

-- What the library is sorted by, as its queries say it.
CREATE INDEX "media_items_time_idx" ON "media_items" ("user_id", coalesce("taken_at", "created_at") DESC, "id" DESC);
CREATE INDEX "media_items_name_idx" ON "media_items" ("user_id", lower("original_filename"), "id");
