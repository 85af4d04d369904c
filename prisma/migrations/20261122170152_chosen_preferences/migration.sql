-- AlterTable
ALTER TABLE "users" ADD COLUMN     "chosen_language" TEXT,
ADD COLUMN     "chosen_theme" TEXT,
ADD COLUMN     "chosen_time_zone" TEXT,
ADD COLUMN     "hides_first_steps" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "users" ADD CONSTRAINT "users_chosen_language_check" CHECK ("chosen_language" IN ('en', 'es', 'fr', 'de')),
ADD CONSTRAINT "users_chosen_theme_check" CHECK ("chosen_theme" IN ('light', 'dark', 'system'));
