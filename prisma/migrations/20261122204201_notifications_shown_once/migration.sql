-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "shown_at" TIMESTAMPTZ(3);

-- What came before was shown, or waits behind the bell: it is not shown all at once.
UPDATE "notifications" SET "shown_at" = "created_at";
