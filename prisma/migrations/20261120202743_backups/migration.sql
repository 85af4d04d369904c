-- CreateTable
CREATE TABLE "backups" (
    "id" UUID NOT NULL,
    "file_name" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "progress" INTEGER NOT NULL DEFAULT 0,
    "error" TEXT,
    "size_bytes" BIGINT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "heartbeat_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "backups_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "backups_file_name_key" ON "backups"("file_name");

-- CreateIndex
CREATE INDEX "backups_created_at_idx" ON "backups"("created_at" DESC);

-- What Prisma cannot say: one is made at a time, whichever server makes it.
CREATE UNIQUE INDEX "backups_one_at_a_time" ON "backups" ((true)) WHERE "state" IN ('waiting', 'running');
