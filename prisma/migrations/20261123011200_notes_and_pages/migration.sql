-- AlterTable
ALTER TABLE "media_items" ADD COLUMN     "source_kind" TEXT,
ADD COLUMN     "source_url" TEXT;

-- CreateIndex
CREATE INDEX "media_items_user_id_source_url_idx" ON "media_items"("user_id", "source_url");

-- What people write here, and what was fetched from the web; null is a file that was given.
ALTER TABLE "media_items" ADD CONSTRAINT "media_items_source_kind_check" CHECK ("source_kind" IN ('note', 'page'));

-- A note that is written anew has another file; the one before is noted, to be deleted.
CREATE TRIGGER "media_items_note_replaced_file" AFTER UPDATE OF "path" ON "media_items" FOR EACH ROW EXECUTE FUNCTION "note_replaced_file"();
