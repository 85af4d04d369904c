-- AlterTable
ALTER TABLE "activity_rollups" ADD COLUMN     "days_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "activity_days" (
    "day" TIMESTAMPTZ(3) NOT NULL,
    "user_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "hours" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "completed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "duration_classes" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "first_token_classes" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "session_ids" BYTEA,
    "session_ms" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "activity_days_pkey" PRIMARY KEY ("day","user_id","kind")
);

-- CreateTable
CREATE TABLE "activity_day_totals" (
    "day" TIMESTAMPTZ(3) NOT NULL,
    "kind" TEXT NOT NULL,
    "hours" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "completed" INTEGER NOT NULL DEFAULT 0,
    "failed" INTEGER NOT NULL DEFAULT 0,
    "duration_classes" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "first_token_classes" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "session_ids" BYTEA,
    "session_ms" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "activity_day_totals_pkey" PRIMARY KEY ("day","kind")
);

-- CreateIndex
CREATE INDEX "activity_days_user_id_day_idx" ON "activity_days"("user_id", "day");

-- AddForeignKey
ALTER TABLE "activity_days" ADD CONSTRAINT "activity_days_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Nothing is added up here: the job that adds hours up makes the days of those that are there, and until then figures are read
-- from the hours.
