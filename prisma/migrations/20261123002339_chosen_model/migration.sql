-- AlterTable
ALTER TABLE "users" ADD COLUMN     "chosen_model" TEXT;
