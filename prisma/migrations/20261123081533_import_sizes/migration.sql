-- AlterTable
ALTER TABLE "imports" ADD COLUMN     "earliest_at" TIMESTAMPTZ(3),
ADD COLUMN     "latest_at" TIMESTAMPTZ(3),
ADD COLUMN     "size_bytes" BIGINT;
