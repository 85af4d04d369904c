-- AlterTable
ALTER TABLE "imports" ADD COLUMN     "completed" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "imported_facts" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "import_id" UUID NOT NULL,
    "media_item_id" UUID NOT NULL,
    "taken_at" TIMESTAMPTZ(3),
    "latitude" DOUBLE PRECISION,
    "longitude" DOUBLE PRECISION,
    "description" TEXT,

    CONSTRAINT "imported_facts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "imported_facts_user_id_idx" ON "imported_facts"("user_id");

-- CreateIndex
CREATE INDEX "imported_facts_media_item_id_idx" ON "imported_facts"("media_item_id");

-- CreateIndex
CREATE UNIQUE INDEX "imported_facts_import_id_media_item_id_key" ON "imported_facts"("import_id", "media_item_id");

-- AddForeignKey
ALTER TABLE "imported_facts" ADD CONSTRAINT "imported_facts_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_facts" ADD CONSTRAINT "imported_facts_import_id_fkey" FOREIGN KEY ("import_id") REFERENCES "imports"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "imported_facts" ADD CONSTRAINT "imported_facts_media_item_id_fkey" FOREIGN KEY ("media_item_id") REFERENCES "media_items"("id") ON DELETE CASCADE ON UPDATE CASCADE;
