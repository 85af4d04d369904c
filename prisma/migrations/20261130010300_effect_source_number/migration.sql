-- AlterTable
ALTER TABLE "effect_images" ADD COLUMN     "source_number" INTEGER;
