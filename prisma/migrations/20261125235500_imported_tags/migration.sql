-- AlterTable
ALTER TABLE "imported_facts" ADD COLUMN     "shared_tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "tags" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- What Prisma cannot say: a tag that is taken off an item is no longer one that an import added to it. Who adds it again
-- has a tag of their own, which stays when the import is undone.
CREATE FUNCTION "forget_imported_tags"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "imported_facts" f SET
    "tags" = ARRAY(SELECT tag FROM unnest(f."tags") AS given (tag) WHERE tag = ANY (NEW."tags")),
    "shared_tags" = ARRAY(SELECT tag FROM unnest(f."shared_tags") AS given (tag) WHERE tag = ANY (NEW."tags"))
  WHERE f."media_item_id" = NEW."id" AND NOT (f."tags" || f."shared_tags") <@ NEW."tags";
  RETURN NULL;
END $$;

CREATE TRIGGER "media_items_forget_imported_tags" AFTER UPDATE OF "tags" ON "media_items" FOR EACH ROW
  WHEN (NOT OLD."tags" <@ NEW."tags") EXECUTE FUNCTION "forget_imported_tags"();
