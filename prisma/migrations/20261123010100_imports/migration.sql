-- CreateTable
CREATE TABLE "imports" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'queued',
    "is_preview" BOOLEAN NOT NULL DEFAULT false,
    "path" TEXT,
    "sealed_key" TEXT,
    "found" INTEGER NOT NULL DEFAULT 0,
    "imported" INTEGER NOT NULL DEFAULT 0,
    "skipped" INTEGER NOT NULL DEFAULT 0,
    "failed" JSONB NOT NULL DEFAULT '[]',
    "error" TEXT,
    "told" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "imports_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "imported_things" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "import_id" UUID NOT NULL,
    "source" TEXT NOT NULL,
    "source_id" TEXT NOT NULL,
    "session_id" UUID,
    "media_item_id" UUID,

    CONSTRAINT "imported_things_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "imports_user_id_created_at_id_idx" ON "imports"("user_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "imports_state_updated_at_idx" ON "imports"("state", "updated_at");

-- CreateIndex
CREATE INDEX "imports_path_idx" ON "imports"("path");

-- CreateIndex
CREATE INDEX "imported_things_import_id_idx" ON "imported_things"("import_id");

-- CreateIndex
CREATE INDEX "imported_things_session_id_idx" ON "imported_things"("session_id");

-- CreateIndex
CREATE INDEX "imported_things_media_item_id_idx" ON "imported_things"("media_item_id");

-- CreateIndex
CREATE UNIQUE INDEX "imported_things_user_id_source_source_id_key" ON "imported_things"("user_id", "source", "source_id");

-- AddForeignKey
ALTER TABLE "imports" ADD CONSTRAINT "imports_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_things" ADD CONSTRAINT "imported_things_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_things" ADD CONSTRAINT "imported_things_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "imports"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_things" ADD CONSTRAINT "imported_things_session_id_fkey" FOREIGN KEY ("session_id") REFERENCES "chat_sessions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_things" ADD CONSTRAINT "imported_things_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The file of an import is needed until it was read: its row lets go of it, or goes itself.
CREATE TRIGGER "imports_note_file" AFTER DELETE ON "imports" FOR EACH ROW WHEN (OLD."path" IS NOT NULL) EXECUTE FUNCTION "note_loose_file"();
CREATE TRIGGER "imports_note_read_file" AFTER UPDATE OF "path" ON "imports" FOR EACH ROW WHEN (OLD."path" IS NOT NULL AND NEW."path" IS NULL) EXECUTE FUNCTION "note_loose_file"();
