-- AlterTable
ALTER TABLE "backups" ADD COLUMN     "proof_error" TEXT,
ADD COLUMN     "proof_told" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "proof_tries" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "proven_at" TIMESTAMPTZ(3),
ADD COLUMN     "reason" TEXT NOT NULL DEFAULT 'manual',
ADD COLUMN     "unproven_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "damaged_files" (
    "path" TEXT NOT NULL,
    "problem" TEXT NOT NULL,
    "found_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "repaired_at" TIMESTAMPTZ(3),
    "repaired_from" TEXT,

    CONSTRAINT "damaged_files_pkey" PRIMARY KEY ("path")
);

-- CreateIndex
CREATE INDEX "damaged_files_found_at_idx" ON "damaged_files"("found_at" DESC);

ALTER TABLE "backups" ADD CONSTRAINT "backups_reason_check" CHECK ("reason" IN ('manual', 'schedule', 'update'));
ALTER TABLE "damaged_files" ADD CONSTRAINT "damaged_files_problem_check" CHECK ("problem" IN ('damaged', 'missing'));
