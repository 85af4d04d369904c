-- AlterTable
ALTER TABLE "imported_things" ADD COLUMN     "folders" TEXT[] DEFAULT ARRAY[]::TEXT[];
