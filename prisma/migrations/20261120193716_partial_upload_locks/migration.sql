-- AlterTable
ALTER TABLE "partial_uploads" ADD COLUMN     "fingerprint" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "keeps_place" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "lock_token" UUID,
ADD COLUMN     "locked_until" TIMESTAMPTZ(3);
