-- AlterTable
ALTER TABLE "users" ADD COLUMN     "storage_limit_bytes" BIGINT;
