-- AlterTable
ALTER TABLE "imported_things" ALTER COLUMN "import_id" DROP NOT NULL;
