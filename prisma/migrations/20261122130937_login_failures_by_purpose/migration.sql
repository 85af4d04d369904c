-- AlterTable
ALTER TABLE "login_failures" ADD COLUMN     "is_refused" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "purpose" TEXT NOT NULL DEFAULT 'sign_in';
