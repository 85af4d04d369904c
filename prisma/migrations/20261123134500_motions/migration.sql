-- AlterTable
ALTER TABLE "media_copies" ADD COLUMN     "joined_item_id" UUID;

-- CreateIndex
CREATE INDEX "media_copies_joined_item_id_idx" ON "media_copies"("joined_item_id");

-- What a phone calls a picture and its film alike; by hand, as Prisma knows no index of an expression.
CREATE INDEX "media_items_content_identifier_idx" ON "media_items"("user_id", (details ->> 'content_identifier'))
  WHERE details ? 'content_identifier';

ALTER TABLE "media_copies" DROP CONSTRAINT "media_copies_kind_check";
ALTER TABLE "media_copies" ADD CONSTRAINT "media_copies_kind_check"
  CHECK ("kind" IN ('thumbnail', 'preview', 'motion', 'motion_preview'));
