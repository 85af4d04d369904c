-- CreateTable
CREATE TABLE "watched_folders" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "path" TEXT NOT NULL,
    "is_enabled" BOOLEAN NOT NULL DEFAULT true,
    "claimed_at" TIMESTAMPTZ(3),
    "seen" INTEGER NOT NULL DEFAULT 0,
    "scanned_at" TIMESTAMPTZ(3),
    "problem" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "watched_folders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "watched_files" (
    "id" UUID NOT NULL,
    "folder_id" UUID NOT NULL,
    "relative_path" TEXT NOT NULL,
    "size_bytes" BIGINT NOT NULL,
    "modified_ms" BIGINT NOT NULL,
    "sha256" TEXT,
    "media_item_id" UUID,
    "state" TEXT NOT NULL,
    "problem" TEXT,
    "gone_at" TIMESTAMPTZ(3),
    "checked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "watched_files_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "watched_folders_user_id_path_key" ON "watched_folders"("user_id", "path");

-- CreateIndex
CREATE INDEX "watched_files_media_item_id_idx" ON "watched_files"("media_item_id");

-- CreateIndex
CREATE UNIQUE INDEX "watched_files_folder_id_relative_path_key" ON "watched_files"("folder_id", "relative_path");

-- AddForeignKey
ALTER TABLE "watched_folders" ADD CONSTRAINT "watched_folders_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "watched_files" ADD CONSTRAINT "watched_files_folder_id_fkey" FOREIGN KEY ("folder_id") REFERENCES "watched_folders"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "watched_files" ADD CONSTRAINT "watched_files_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE SET NULL ON UPDATE CASCADE;

ALTER TABLE "watched_files" ADD CONSTRAINT "watched_files_state_check" CHECK ("state" IN ('kept', 'failed', 'gone'));
